#!/usr/bin/env bash
# Train on several GPUs (or, without any, CPU processes) of one or more machines:
#
#   tools/dist_train.sh CONFIG GPUS [arguments of tools/train.py]
#
# Several machines: set NNODES, NODE_RANK, MASTER_ADDR and PORT on each. PYTHON chooses the
# interpreter; without it .venv/bin/python of this project is taken, or else python.
set -euo pipefail

if [ $# -lt 2 ]; then
  sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
config=$1 gpus=$2
tools=$(dirname "$0")
python=$tools/../.venv/bin/python
[ -x "$python" ] || python=python
exec "${PYTHON:-$python}" -m torch.distributed.run \
  --nnodes="${NNODES:-1}" --node_rank="${NODE_RANK:-0}" --nproc_per_node="$gpus" \
  --master_addr="${MASTER_ADDR:-127.0.0.1}" --master_port="${PORT:-29500}" \
  "$tools/train.py" "$config" --launcher pytorch "${@:3}"
