#!/usr/bin/env bash
# One command that sets up and runs the tests: ms2torch's environment, the real MindSpore's beside it, ruff, pytest.
# Arguments go to pytest, in one process. REFERENCE=0 leaves the real MindSpore out; recorded results stand in for it.
set -euo pipefail
cd "$(dirname "$0")/.."
python="${PYTHON:-python3}"
[ -x .venv/bin/python ] || "$python" -m venv .venv
.venv/bin/python -c "import torch" 2>/dev/null || .venv/bin/pip install "${TORCH:-torch==2.13.0}"
.venv/bin/pip install --quiet --editable ".[test]"
[ "${REFERENCE:-1}" = 0 ] || scripts/reference_env.sh
.venv/bin/ruff check .
[ $# = 0 ] || exec .venv/bin/python -m pytest "$@"

# The suite is two processes side by side, one thread each. Each always runs the same tests in the same order, so that
# a failure repeats. After the second one a share runs with the oldest numpy and, on CI, a share with the oldest and with
# the newest torch, numpy and Python, in environments that are removed again (5 GB each). Their lines come at the end.
# On CI only those tests run that the changes since the last whole run can touch, and a core (scripts/share.py).
export OMP_NUM_THREADS=1
here=(tests/difftest tests/reference tests/train tests/translate)
there=(tests "${here[@]/#/--ignore=}")
paths=$([ -z "${CI:-}" ] && echo tests || .venv/bin/python scripts/share.py)
if [ "$paths" != tests ]; then
    echo "$(wc -l <<<"$paths") files and folders of tests that changes since the last whole run touch, and a core."
    pattern="^($(IFS='|'; echo "${here[*]}"))"
    mapfile -t here < <(grep -E "$pattern" <<<"$paths")
    mapfile -t there < <(grep -vE "$pattern" <<<"$paths")
fi
beside() {
    local failed=0
    .venv/bin/python -m pytest -p no:cacheprovider "${there[@]}" || failed=1
    .venv/bin/python scripts/versions.py old-numpy --share numpy --no-record || failed=1
    [ -z "${CI:-}" ] || timeout 600 .venv/bin/python scripts/versions.py oldest newest --share fast --where-possible \
        --no-record || echo "The corners of versions: something failed above, or took too long; CI goes on."
    return $failed
}
lines=$(mktemp)
set -m                                      # a process group of its own, so that it ends as a whole
beside >"$lines" 2>&1 &
other=$!
set +m
trap 'kill -- "-$other" 2>/dev/null || true; rm -f "$lines"' EXIT
failed=0
.venv/bin/python -m pytest "${here[@]}" || failed=1
echo "The other half:"
wait "$other" || failed=1
cat "$lines"
# What share.py starts from: the commit that was run, where it was run whole and as it is.
if [ "$failed$paths" = 0tests ] && commit=$(git rev-parse HEAD) && [ -z "$(git status --porcelain)" ]; then
    echo "$commit" >.ci/passed
fi
exit $failed
