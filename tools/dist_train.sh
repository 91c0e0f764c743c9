#!/usr/bin/env bash
# Train on several GPUs (or, without any, CPU processes) of one or more machines:
#
#   tools/dist_train.sh CONFIG GPUS [arguments of tools/train.py]
#
# Several machines: set NNODES, NODE_RANK, MASTER_ADDR and PORT on each. With MAX_RESTARTS=N a run
# that loses a process goes on from its last checkpoint by itself, up to N times. PYTHON chooses
# the interpreter; without it .venv/bin/python of this project is taken, or else python.
set -euo pipefail

if [ $# -lt 2 ]; then
  sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
config=$1 gpus=$2
tools=$(dirname "$0")
python=$tools/../.venv/bin/python
[ -x "$python" ] || python=python
address=${MASTER_ADDR:-127.0.0.1} port=${PORT:-29500}
if [ "${MAX_RESTARTS:-0}" = 0 ]; then
  meeting=(--node_rank="${NODE_RANK:-0}" --master_addr="$address" --master_port="$port")
else
  meeting=(--max_restarts="$MAX_RESTARTS" --rdzv_backend=c10d --rdzv_endpoint="$address:$port")
  # else processes that are started again can meet the addresses of those before
  export TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1
fi
exec "${PYTHON:-$python}" -m torch.distributed.run \
  --nnodes="${NNODES:-1}" --nproc_per_node="$gpus" "${meeting[@]}" \
  "$tools/train.py" "$config" --launcher pytorch "${@:3}"
