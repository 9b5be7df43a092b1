#!/usr/bin/env bash
# Builds the package for the present interpreter in a virtual environment, and runs its checks: tests, types, generated files.
# Without python3 or a package index it says that it skipped them.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
venv=${KIBITZER_PYTHON_VENV:-$root/target/python-package}
# The crates of the workspace that both builds use are compiled once.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}

if ! command -v python3 >/dev/null; then
    echo 'the Python package was skipped: there is no python3' >&2
    exit 0
fi
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
if ! "$venv/bin/python" -c 'import chess, maturin, mypy, pytest, pytest_asyncio, uvloop' 2>/dev/null; then
    "$venv/bin/python" -m pip install -q 'maturin>=1.9,<2' 'chess>=1.11,<2' 'mypy>=1.18,<3' 'pytest>=8,<10' \
        'pytest-asyncio>=0.25,<2' 'uvloop>=0.21,<1' || {
        echo 'the Python package was skipped: its tools cannot be installed' >&2
        exit 0
    }
fi
export PATH=$venv/bin:$PATH VIRTUAL_ENV=$venv
maturin develop --locked --quiet
python -m mypy python/kibitzer_ics tests
python -m mypy.stubtest --ignore-disjoint-bases kibitzer_ics._native
python -m pytest -q
