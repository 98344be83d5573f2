#!/usr/bin/env bash
# Makes .reference/, an environment with the real MindSpore (CPU) from PyPI. It judges the tests; ms2torch never imports it.
# PYTHON names another interpreter than python3.11.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-$(command -v python3.11 || command -v python3)}
[ -x .reference/bin/python ] || "$python" -m venv .reference
.reference/bin/pip install --quiet 'mindspore==2.10.0' 'numpy<2'
.reference/bin/python -c 'import mindspore; print("reference: MindSpore", mindspore.__version__)' 2>/dev/null
