#!/usr/bin/env bash
# Train quick_detector on few pictures of BCCD in four ways, and test it (docs/quick.md):
#
#   tools/compare_frozen.sh WEIGHTS BCCD     # a checkpoint of quick_sret_camvid_crops, the data set
#
# full: all parts from random weights; tuned: all parts from WEIGHTS; random: a frozen backbone of
# random weights; frozen: one of WEIGHTS. SIZES="20 50 200", SEEDS="0 1 2", WAYS, STEPS=500, RATE
# and OUT=work_dirs/frozen choose what runs; a run that was tested is not repeated.
set -euo pipefail

if [ $# -ne 2 ]; then
  sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
weights=$1 data=$2
out=${OUT:-work_dirs/frozen} steps=${STEPS:-500}
tools=$(dirname "$0")
python=${PYTHON:-$tools/../.venv/bin/python}
export PYTHONPATH=$tools/..${PYTHONPATH:+:$PYTHONPATH}

for seed in ${SEEDS:-0 1 2}; do
  for size in ${SIZES:-20 50 200}; do
    for way in ${WAYS:-frozen full random tuned}; do
      run=$out/$way-$size-$seed
      [ -s "$run.result" ] && continue
      case $way in
        full) how=(--scratch) ;;
        tuned) how=(--pretrained "$weights") ;;
        random) how=(--scratch --freeze backbone --cache-gb 4 --cache-views 4) ;;
        frozen) how=(--pretrained "$weights" --freeze backbone --cache-gb 4 --cache-views 4) ;;
        uncached) how=(--pretrained "$weights" --freeze backbone --cache-views 4) ;;
      esac
      mkdir -p "$run"
      "$python" "$tools/train.py" quick_detector --data-root "$data" --work-dir "$run" \
        --overwrite "${how[@]}" --cfg-options randomness.seed="$seed" \
        train_dataloader.dataset.indices="$size" train_dataloader.num_workers=0 \
        optim_wrapper.optimizer.lr="${RATE:-0.001}" train_cfg.max_iters="$steps" \
        train_cfg.val_interval="$steps" param_scheduler.1.end="$steps" \
        default_hooks.checkpoint.interval="$steps" > "$run.log" 2>&1
      "$python" "$tools/test.py" quick_detector "$run" --data-root "$data" > "$run.test.log" 2>&1
      metrics=$(grep -E '^coco/bbox_mAP(_50)? ' "$run.test.log")
      echo $metrics > "$run.result"
      echo "$way, $size pictures, seed $seed: $(cat "$run.result")"
    done
  done
done
