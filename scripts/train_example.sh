#!/usr/bin/env bash
# One command from nothing to a trained network: a virtual environment, the digits, LeNet (see README.md).
set -euo pipefail
cd "$(dirname "$0")/.."
python="${PYTHON:-python3}"
[ -x .venv/bin/python ] || "$python" -m venv .venv
.venv/bin/python -c "import torch" 2>/dev/null || .venv/bin/pip install "${TORCH:-torch==2.13.0}"
.venv/bin/pip install --quiet --editable ".[examples]"
.venv/bin/python scripts/make_digits.py data/digits
.venv/bin/python -m ms2torch migration_guide/lenet/train.py --data_path data/digits "$@"
