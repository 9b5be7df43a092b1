#!/usr/bin/env bash
# Regenerates the pictures of the console in docs/pictures: SVG rendered from screens of a recording and of a live session on
# the embedded server. A test compares them with the console's output, so that they stay current.
set -euo pipefail
cd "$(dirname "$0")/.."
KIBITZER_BLESS=1 cargo test --quiet --locked -p kibitzer-cli --bin kibitzer console::tests::picture
git status --short docs/pictures
