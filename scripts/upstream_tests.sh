#!/usr/bin/env bash
# MindSpore's own tests, judged on ms2torch: scripts/upstream_tests.sh FOLDER [--only PREFIX] [--jobs N]
#
# FOLDER is a clone, or a git directory, of https://github.com/mindspore-ai/mindspore_test. The tests in
# tests/upstream_ids.txt.gz (all pass on the real MindSpore 2.10 on a CPU) run, each file in a process of its own;
# what fails has to be in tests/upstream_known_failures.txt, and what is there has to fail. PYTHON needs pytest,
# scipy, pyyaml, pillow, matplotlib, opencv-python-headless and cryptography beside ms2torch's own requirements.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
exec "${PYTHON:-python}" "$here/upstream/run.py" "$@"
