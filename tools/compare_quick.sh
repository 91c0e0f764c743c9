#!/usr/bin/env bash
# Train the quick configs, DETR and SETR for the same number of minutes, and test them:
#
#   tools/compare_quick.sh MINUTES BCCD CAMVID     # folders of the data sets: docs/quick.md
#
# All start from random weights. Each config is timed first; its schedule then has as many steps as
# the minutes hold. Starting, validation at the end and testing come on top. SEEDS="0 1" and
# OUT=work_dirs/quick choose seeds and folder; a run that was tested is not repeated. Nothing else
# should run on the machine. PYTHON chooses the interpreter.
set -euo pipefail

if [ $# -ne 3 ]; then
  sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
minutes=$1 bccd=$2 camvid=$3
out=${OUT:-work_dirs/quick}
tools=$(dirname "$0")
python=$tools/../.venv/bin/python
[ -x "$python" ] || python=python
python=${PYTHON:-$python}
export PYTHONPATH=$tools/..${PYTHONPATH:+:$PYTHONPATH}

# length CONFIG NUMBER: options for NUMBER steps, or epochs for DETR, whose schedule counts them
length() {
  case $1 in
    detr_*) unit=epochs ;;
    *) unit=iters ;;
  esac
  echo "train_cfg.max_$unit=$2 train_cfg.val_interval=$2 default_hooks.checkpoint.interval=$2"
}

# schedule CONFIG NUMBER: as above, and the rate declines until then
schedule() {
  case $1 in
    detr_*) last="param_scheduler.1.T_max=$(($2 - 4)) load_from=None" ;;
    *) last= ;;
  esac
  echo "$(length "$1" "$2") param_scheduler.1.end=$2 $last"
}

# fitting CONFIG FOLDER: the number that fits, by the mean time of the steps logged in FOLDER
fitting() {
  "$python" -c "
from pathlib import Path
from vitbackbones.analysis.run_log import step_seconds
steps = $minutes * 60 / step_seconds(Path('$2'))
print(max(6, round(steps / 26)) if '$1'.startswith('detr') else max(110, round(steps)))"
}

# compare CONFIG DATA NUMBER: time a run of NUMBER, then train and test with every seed
compare() {
  train=("$python" "$tools/train.py" "$1" --data-root "$2" --scratch --overwrite)
  folder=$out/$1
  mkdir -p "$folder"
  [ -s "$folder/number" ] || {
    "${train[@]}" --work-dir "$folder/timing" --cfg-options load_from=None $(length "$1" "$3") \
      > "$folder/timing.log" 2>&1
    fitting "$1" "$folder/timing" > "$folder/number"
  }
  number=$(cat "$folder/number")
  for seed in ${SEEDS:-0 1}; do
    run=$folder/seed_$seed
    [ -s "$run.result" ] || {
      SECONDS=0
      "${train[@]}" --work-dir "$run" --cfg-options randomness.seed="$seed" \
        $(schedule "$1" "$number") > "$run.log" 2>&1
      took=$SECONDS
      "$python" "$tools/test.py" "$1" "$run" --data-root "$2" > "$run.test.log" 2>&1
      metrics=$(grep -E '^[^ ]+ +(-?[0-9.]+|nan)$' "$run.test.log")  # its table; without one, stop
      echo "$took s in all," $metrics > "$run.result"
    }
    echo "$1, $number long, seed $seed: $(cat "$run.result")"
  done
}

compare quick_detector "$bccd" 50
compare detr_aug_vit_ti_bccd "$bccd" 2
compare quick_segmentor_camvid "$camvid" 50
compare setr_mla_msf_vit_ti_camvid "$camvid" 50
