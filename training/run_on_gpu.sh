#!/usr/bin/env bash
# Makes the small model on a machine with one GPU and PyTorch, in phases that may be separate
# commands. Everything that is made lies in $WORK (default /tmp/rex-train) and is found again by the
# next phase; each training phase stops by itself and goes on when it is called again.
#
#   training/run_on_gpu.sh build             the trainer, its tests (headers in $BASE/include)
#   training/run_on_gpu.sh measure           memory and speed, beside plain PyTorch
#   training/run_on_gpu.sh unpack FOLDER…    *.xz files of these folders
#   training/run_on_gpu.sh pretrain M TOTAL  masked language modelling: M minutes of TOTAL
#   training/run_on_gpu.sh train M TOTAL     multi-task training: M minutes of TOTAL
#   training/run_on_gpu.sh scores            old and new model on every dev file
#   training/run_on_gpu.sh overfit           32 samples of each official kind
#   training/run_on_gpu.sh fewshot           tuning on a part of two sets beside zero-shot
#   training/run_on_gpu.sh export FOLDER     the model in parts below 15 MiB
set -euo pipefail
cd "$(dirname "$0")/.."
WORK=${WORK:-/tmp/rex-train}
BASE=${BASE:-.gpu-train/base}
MODEL=${MODEL:-models/mini}
HELD_OUT=${HELD_OUT:-ecommerce_ner,smp2020_ewect}
RT=build/train-bare/bin/rexuninlu-train
mkdir -p "$WORK/nlu" "$WORK/text"
export CPLUS_INCLUDE_PATH=$PWD/$BASE/include${CPLUS_INCLUDE_PATH:+:$CPLUS_INCLUDE_PATH}

# The pretrained model where there is one.
start() { [[ -e $WORK/pretrained/model/model.safetensors ]] && echo "$WORK/pretrained/model" || echo "$MODEL"; }

case ${1:-} in
build)
  cmake --preset train-bare -DGTEST_ROOT="$PWD/$BASE/gtest" >"$WORK/cmake.log" 2>&1 || { cat "$WORK/cmake.log"; exit 1; }
  cmake --build --preset train-bare >"$WORK/build.log" 2>&1 || { grep -E -A5 'error|undefined' "$WORK/build.log" | head -60; exit 1; }
  for device in cpu cuda; do
    REX_SHARED_GOLDEN=$PWD/$BASE/golden REX_TEST_DEVICE=$device OMP_NUM_THREADS=4 \
      build/train-bare/bin/rex_train_test 2>&1 | grep -E 'Failure|FAILED|PASSED|error|SKIPPED' || true
  done ;;
measure)
  echo "== base size, this trainer"; $RT measure --random
  echo "== base size, plain PyTorch"; python3 bench/train_rival.py 16x128 16x512 128x128 512x128
  echo "== small size, this trainer"; $RT measure --model "$MODEL"
  echo "== small size, plain PyTorch"
  python3 bench/train_rival.py --layers 8 --hidden 384 --heads 6 --inner 1536 16x128 16x512 128x128 512x128 ;;
unpack)
  shift
  for folder in "$@"; do
    if compgen -G "$folder/*.txt.xz" >/dev/null; then python3 training/prepare.py "$folder" "$WORK/text"; fi
    if compgen -G "$folder/*.jsonl.xz" >/dev/null; then python3 training/prepare.py "$folder" "$WORK/nlu"; fi
  done
  rm -f "$WORK"/text/*.jsonl "$WORK"/nlu/*.txt ;;
pretrain)
  $RT text --model "$MODEL" ${FRESH---random} --data "$WORK/text" --out "$WORK/pretrained" --minutes "$2" --for-minutes "$3" \
    --learning-rate "${TEXT_RATE:-7e-4}" --warmup-ratio 0.05 --batch-tokens 65536 --batch-size 4096 --pool 8192 --window 192 \
    --by-length --dropout 0 --dynamic-checkpoint off --save-as f32 ;;
train)
  # Named files: no development set takes part; the state is written at the end of the phase alone.
  $RT mix --model "$(start)" --data "$(ls "$WORK"/nlu/*.train.jsonl | paste -sd,)" --eval-steps 100000000 --out "$WORK/trained" --minutes "$2" --for-minutes "$3" \
    --exclude "$HELD_OUT" --names training/label_names.txt --bad-lines skip --factors cic_intent=0.3 \
    --learning-rate 4e-4 --warmup-ratio 0.03 --batch-tokens 49152 --batch-size 4096 --pool 16384 \
    --by-length --dropout 0.1 --dynamic-checkpoint off --save-as f16 ;;
scores)
  for model in "${2:-$WORK/trained/model}" "$MODEL"; do
    echo "== $model"; $RT score --model "$model" --dev "$WORK/nlu" --precision f32
  done ;;
overfit)
  for kind in ${2:-ner re ee absa mrc tc_single_label tc_multi_label hier_cls}; do
    mkdir -p "$WORK/over/$kind"
    head -32 "$WORK/nlu/official_$kind.train.jsonl" >"$WORK/over/$kind/train.jsonl"
    cp "$WORK/over/$kind/train.jsonl" "$WORK/over/$kind/dev.jsonl"
    printf '%s: ' "$kind"
    $RT tune --model "$MODEL" --data "$WORK/over/$kind" --out "$WORK/over/$kind/out" --resume false \
      --learning-rate 2e-4 --epochs "${3:-80}" --batch-size 16 --eval-steps 40 --early-stop 20 --dropout 0 2>/dev/null | tail -1
  done ;;
fewshot)
  # Sets that the model has not seen where it was made by this script; 200 samples each. $2 sets, $3 rate, $4 passes.
  for set in ${2:-ecommerce_ner smp2020_ewect}; do
    mkdir -p "$WORK/few/$set"
    head -200 "$WORK/nlu/$set.train.jsonl" >"$WORK/few/$set/train.jsonl"
    cp "$WORK/nlu/$set.dev.jsonl" "$WORK/few/$set/dev.jsonl"
    echo "$set, before:"; $RT score --model "$MODEL" --dev "$WORK/few/$set/dev.jsonl" | tail -1
    echo "$set, after:"
    $RT tune --model "$MODEL" --data "$WORK/few/$set" --out "$WORK/few/$set/out" --resume false \
      --learning-rate "${3:-5e-5}" --epochs "${4:-12}" --batch-size 16 2>/dev/null | tail -1
  done ;;
export)
  mkdir -p "$2"
  from=$WORK/trained/model
  split -b 15000000 -d "$from/model.safetensors" "$2/model.safetensors.part"
  cp "$from/config.json" "$WORK/trained/curve.csv" "$2/"
  sha256sum "$from/model.safetensors" ;;
*) sed -n '2,20p' "$0"; exit 64 ;;
esac
