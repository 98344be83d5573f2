#!/usr/bin/env bash
# One command that sets up and runs the tests: ms2torch's environment, the real MindSpore's beside it, ruff, pytest.
# Arguments go to pytest. REFERENCE=0 leaves the real MindSpore out; recorded results stand in for it.
set -euo pipefail
cd "$(dirname "$0")/.."
python="${PYTHON:-python3}"
[ -x .venv/bin/python ] || "$python" -m venv .venv
.venv/bin/python -c "import torch" 2>/dev/null || .venv/bin/pip install "${TORCH:-torch==2.13.0}"
.venv/bin/pip install --quiet --editable ".[test]"
[ "${REFERENCE:-1}" = 0 ] || scripts/reference_env.sh
.venv/bin/ruff check .
.venv/bin/python -m pytest "$@"
