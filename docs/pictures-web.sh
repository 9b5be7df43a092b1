#!/usr/bin/env bash
# Takes the pictures of the page in docs/pictures, from the demo, in Chromium. MODULES names a folder with node_modules that has
# playwright-core.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --quiet --locked
target/debug/kibitzer web --listen 127.0.0.1:8766 --seed 3 --speed 2 &
trap 'kill $!' EXIT
# The games need some moves.
sleep 25
node crates/kibitzer-web/tests/page/pictures.mjs http://127.0.0.1:8766/ docs/pictures
git status --short docs/pictures
