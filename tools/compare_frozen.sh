#!/usr/bin/env bash
# Train a quick config on few pictures in several ways, and test it (docs/quick.md):
#
#   tools/compare_frozen.sh WEIGHTS DATA [CONFIG]   # a checkpoint of quick_sret_camvid_crops, and
#                                                   # BCCD; camvid/quick_segmentor and CamVid
#
# full: all parts from random weights; tuned: all parts from WEIGHTS; random: a frozen backbone of
# random weights; frozen: one of WEIGHTS, with kept maps, which uncached does without.
# SIZES="20 50 200", SEEDS="0 1 2", WAYS="frozen full random", STEPS=500, RATES="full=0.001 ...",
# RATE=0.002 for others, and OUT=work_dirs/frozen choose what runs; a run that was tested is not
# repeated. A line gives metrics on test, then on val.
set -euo pipefail

if [ $# -lt 2 ] || [ $# -gt 3 ]; then
  sed -n '2,11s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
weights=$1 data=$2 config=${3:-quick_detector}
out=${OUT:-work_dirs/frozen} steps=${STEPS:-500}
tools=$(dirname "$0")
python=${PYTHON:-$tools/../.venv/bin/python}
export PYTHONPATH=$tools/..${PYTHONPATH:+:$PYTHONPATH}

for seed in ${SEEDS:-0 1 2}; do
  for size in ${SIZES:-20 50 200}; do
    for way in ${WAYS:-frozen full random}; do
      run=$out/$way-$size-$seed
      [ -s "$run.result" ] && continue
      case $way in
        full) how=(--scratch) ;;
        tuned) how=(--pretrained "$weights") ;;
        random) how=(--scratch --freeze backbone --cache-gb 4 --cache-views 4) ;;
        frozen) how=(--pretrained "$weights" --freeze backbone --cache-gb 4 --cache-views 4) ;;
        uncached) how=(--pretrained "$weights" --freeze backbone --cache-views 4) ;;
      esac
      rate=$(sed -n "s/.*\b$way=\([^ ]*\).*/\1/p" <<< "${RATES:-}")
      mkdir -p "$run"
      "$python" "$tools/train.py" "$config" --data-root "$data" --work-dir "$run" \
        --overwrite "${how[@]}" --cfg-options randomness.seed="$seed" \
        train_dataloader.dataset.indices="$size" train_dataloader.num_workers=0 \
        optim_wrapper.optimizer.lr="${rate:-${RATE:-0.002}}" train_cfg.max_iters="$steps" \
        train_cfg.val_interval="$steps" param_scheduler.1.end="$steps" \
        default_hooks.checkpoint.interval="$steps" > "$run.log" 2>&1
      "$python" "$tools/test.py" "$config" "$run" --data-root "$data" > "$run.test.log" 2>&1
      metrics=$(grep -E '^(coco/bbox_mAP(_50)?|mIoU) ' "$run.test.log")
      echo $metrics > "$run.result"
      echo "$way, $size pictures, seed $seed: $(cat "$run.result")"
    done
  done
done
