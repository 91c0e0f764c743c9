#!/usr/bin/env bash
# Train on a Slurm cluster, one process per GPU:
#
#   tools/slurm_train.sh PARTITION JOB_NAME CONFIG [WORK_DIR] [arguments of tools/train.py]
#
# GPUS (8), GPUS_PER_NODE (8), CPUS_PER_TASK (5), SRUN_ARGS and PYTHON (.venv/bin/python of this
# project, or else python) come from the environment. A job that is canceled or out of time leaves
# a checkpoint; submit it again with --resume.
set -euo pipefail

if [ $# -lt 3 ]; then
  sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
partition=$1 job_name=$2 config=$3
shift 3
if [ $# -gt 0 ] && [ "${1#-}" = "$1" ]; then  # not an option
  set -- --work-dir "$@"
fi
tools=$(dirname "$0")
python=$tools/../.venv/bin/python
[ -x "$python" ] || python=python
gpus=${GPUS:-8} per_node=${GPUS_PER_NODE:-8}
per_node=$((gpus < per_node ? gpus : per_node))
# srun passes SIGTERM to the processes and waits KillWait (30 s) before it kills them.
# SRUN_ARGS may hold several arguments:
# shellcheck disable=SC2086
exec srun -p "$partition" --job-name="$job_name" --gres=gpu:"$per_node" \
  --ntasks="$gpus" --ntasks-per-node="$per_node" \
  --cpus-per-task="${CPUS_PER_TASK:-5}" --kill-on-bad-exit=1 ${SRUN_ARGS:-} \
  "${PYTHON:-$python}" -u "$tools/train.py" "$config" --launcher slurm "$@"
