#!/usr/bin/env bash
# Writes the pictures of the console in docs/pictures anew: SVG made from the cells of rendered screens of a recording and of
# a live session on the embedded server. A test compares them with what the console draws, so that they cannot grow old unseen.
set -euo pipefail
cd "$(dirname "$0")/.."
KIBITZER_BLESS=1 cargo test --quiet --locked -p kibitzer-cli --bin kibitzer console::tests::picture
git status --short docs/pictures
