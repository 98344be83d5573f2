#!/usr/bin/env bash
# Third-party packages on ms2torch: installs mindvision, mindcv, mindyolo and mindaudio into a folder and runs
# tests/third_party with them.
# RECORD=/path/to/python, an interpreter with the real MindSpore, records what it makes of them first.
set -euo pipefail
cd "$(dirname "$0")/.."
python="${PYTHON:-.venv/bin/python}"
packages="${PACKAGES:-${XDG_CACHE_HOME:-$HOME/.cache}/ms2torch/third_party}"
# Without their dependencies, of which they name more than they import here.
[ -d "$packages/mindyolo" ] || "$python" -m pip install --quiet --no-deps --target "$packages" \
    mindvision==0.1.0 mindcv==0.3.0 mindyolo==0.5.0 mindaudio==0.3.0 tqdm pyyaml scipy matplotlib \
    ml-collections absl-py opencv-python-headless 'setuptools<80' wget mir_eval decorator levenshtein rapidfuzz six
export PYTHONPATH="$packages${PYTHONPATH:+:$PYTHONPATH}" OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"
[ -z "${RECORD:-}" ] || "$python" tests/third_party/record.py "$RECORD"
"$python" -m pytest -q tests/third_party "$@"
