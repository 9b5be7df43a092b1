#!/usr/bin/env bash
# Drives the console as a person would, in a real terminal (tmux), and looks at what the screen shows: play, filter, step,
# break, the three views, another size, quit, being told to end; then a live session: typing, recording, a break, quit. Takes the program to run; builds it if there is none.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v tmux >/dev/null; then
    echo 'console.sh: skipped: tmux is not installed' >&2
    exit 0
fi
program=${1:-}
if [ -z "$program" ]; then
    cargo build --quiet --locked -p kibitzer-cli
    program=${CARGO_TARGET_DIR:-target}/debug/kibitzer
fi
program=$(realpath "$program")
recording=$(realpath tests/transcripts/fatics-game-quick-observer.jsonl)
scratch=$(mktemp -d)
export XDG_STATE_HOME=$scratch

in_tmux() { tmux -L "kibitzer-$$" -u -f /dev/null "$@"; }
finish() {
    in_tmux kill-server 2>/dev/null || true
    rm -rf "$scratch"
}
trap finish EXIT

screen() { in_tmux capture-pane -p -t main; }
keys() { in_tmux send-keys -t main "$@"; }
line() { keys -l "$1" && keys Enter; }
fail() {
    printf 'console.sh: %s\n' "$1" >&2
    screen >&2
    exit 1
}

# Waits until the screen shows a pattern; 20 s are many times what it takes.
expect() {
    local tries
    for ((tries = 0; tries < 400; tries++)); do
        if screen | grep -qE -- "$1"; then
            return
        fi
        read -rt 0.05 <> <(:) || true
    done
    fail "the screen does not show: $1"
}
refuse() { if screen | grep -qE -- "$1"; then fail "the screen shows: $1"; fi; }

# The settings of the terminal, as the shell in it sees them.
settings() {
    line "clear; stty -g >$scratch/$1; echo settings-$1"
    expect "^settings-$1"
}

in_tmux new-session -d -s main -x 80 -y 24 "env PS1='shell> ' sh"
expect '^shell>'
settings before
line 'echo what was here before'

line "$program replay --speed 20 $recording"
expect '^kibitzer (playing|over) .*20×'
expect '─ game 1'
expect '^kibitzer over '
expect '0-1 Euwe'
expect 'game_ended .*Euwe checkmated|Logging you out'

# An expression narrows the list, and is completed.
keys -l '/filter kind:game_e'
keys Tab
expect '^> /filter kind:game_ended'
keys Enter
expect '1 of [0-9]+ match kind:game_ended'
keys -l '3'
expect 'message: GameEnded'
keys -l '1'
expect '7b 47 61 6d 65 20 31 20 +\{Game 1'
keys -l '2'
expect 'class +line'
line '/filter'
expect 'no prompts'

# Back to the beginning, step by step.
line '/time 0'
expect '^kibitzer paused '
keys -l 'ss'
expect '─ stream [12] of '
keys -l '/move 5' && keys Enter
expect 'game 1 5\. '
expect '  5\. '
line '/nonsense'
expect 'there is no command /nonsense'

# A break stops the screen, and what is behind it waits.
line '/break kind:game_ended'
line '/speed 100'
keys Space
expect '^break at #[0-9]+'
expect '▸0:09\.513 game_ended'

# Another size: all views at once, and back.
in_tmux resize-window -t main -x 160 -y 50
expect '─ frame #[0-9]+ at 0:09.513'
expect '─ bytes [0-9]+ in the frame'
expect 'R round trip'
in_tmux resize-window -t main -x 80 -y 24
expect '─ bytes frame event'
refuse 'R round trip'

# History of this run and of the next.
keys -l '/'
keys Up
expect '^> /speed 100'
keys Escape
keys -l 'q'
expect '^shell>'
expect 'what was here before'
settings after
cmp -s "$scratch/before" "$scratch/after" || fail 'the terminal is not as it was'

# Without color there is none.
line "NO_COLOR=1 sh -c 'echo \$\$ >$scratch/pid; exec $program replay --speed 100 $recording'"
expect '^kibitzer over '
if in_tmux capture-pane -e -p -t main | grep -qE $'\e\\[([0-9;]*;)?(3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]'; then
    fail 'there is color'
fi
keys -l 'i'
keys Up
expect '^> /speed 100'

# Told to end, it leaves the terminal as it was.
kill -TERM "$(cat "$scratch/pid")"
expect '^shell>'
settings told
cmp -s "$scratch/before" "$scratch/told" || fail 'the terminal is not as it was after a signal'
# A live session: the server in the program itself, a guest, three games.
line "$program --seed 7 --speed 4"
expect '^kibitzer live .* at the embedded server'
expect '─ games [0-9]+ known'
expect ' position '
keys -l 'i'
keys -l 'finger'
keys Enter
line '/filter kind:sent'

# Out of a cramped screen and back, and keys still count.
in_tmux resize-window -t main -x 160 -y 50
expect '─ time last, median'
expect '> [0-9]+ finger +\[reply #[0-9]+ after'
line '/filter'
in_tmux resize-window -t main -x 80 -y 24

# A break stops the screen; the session goes on behind it.
line "/record $scratch/live.jsonl"
expect 'recorded in '
line '/break kind:position'
expect 'screen paused'
expect '\+[0-9]+ below'
line '/break'
keys Space
refuse 'screen paused'
line '/speed 3'
expect 'this session is live'
line '/quit'
expect '^shell>'
[ -s "$scratch/live.jsonl" ] || fail 'nothing is recorded'
settings live
cmp -s "$scratch/before" "$scratch/live" || fail 'the terminal is not as it was after a session'
echo 'console.sh: all as it should be'
