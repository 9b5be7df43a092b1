#!/usr/bin/env bash
# Drives the console in a real terminal (tmux) and checks the screen: play, filter, step, breakpoint, the three views, resize,
# quit, SIGTERM; then live sessions: login with a password, observing, filters, completion, recording, a breakpoint while events
# arrive, quit, and a replay of the recording; lines on a terminal; then own games, a stalled line and a bot; last, attaching to the session of another process.
# Argument: the program to run; built if omitted.
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
export XDG_STATE_HOME=$scratch XDG_CONFIG_HOME=$scratch/config

in_tmux() { tmux -L "kibitzer-$$" -u -f /dev/null "$@"; }
server= bot=
finish() {
    in_tmux kill-server 2>/dev/null || true
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    [ -z "$bot" ] || kill "$bot" 2>/dev/null || true
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

# Waits until the screen shows a pattern; the timeout of 20 s is generous.
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
# Waits until the screen no longer shows a pattern.
vanish() {
    local tries
    for ((tries = 0; tries < 400; tries++)); do
        if ! screen | grep -qE -- "$1"; then
            return
        fi
        read -rt 0.05 <> <(:) || true
    done
    fail "the screen still shows: $1"
}
refuse() { if screen | grep -qE -- "$1"; then fail "the screen shows: $1"; fi; }

# Saves the terminal settings, as seen by its shell, to a file.
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
expect '0-1, Flohr won: Euwe'
expect 'game_ended .*Euwe checkmated|Logging you out'

# Filter: an expression filters the list, and Tab completes it.
keys -l '/filter kind:game_e'
keys Tab
expect '^> /filter kind:game_ended'
keys Enter
expect '1 of [0-9]+ match kind:game_ended'
keys -l '3'
expect 'reason +mate'
keys -l '1'
expect '7b 47 61 6d 65 20 31 20 +\{Game 1'
keys -l '2'
expect 'class +line'
# Copy: the escape sequence reaches the terminal's clipboard.
in_tmux set-option -s set-clipboard on
keys -l 'yf'
expect 'frame copied: [0-9]+ bytes'
in_tmux show-buffer | grep -q '^{Game 1 ' || fail 'the frame is not in the clipboard'
line '/filter'
expect 'no prompts'
line "/export pgn game $scratch/one.pgn"
expect 'one.pgn written: [0-9]+ bytes'
grep -q '^\[Event ' "$scratch/one.pgn" || fail 'the game is not exported'

# Seek: back to the start, then step by step.
line '/time 0'
expect '^kibitzer paused '
keys -l 'ss'
expect '─ stream [12] of '
keys -l '/move 5' && keys Enter
expect 'game 1 5\. '
expect '  5\. '
line '/nonsense'
expect 'unknown command /nonsense'

# The mouse: a click on the name of a view and on a line; the terminal keeps the mouse after `/mouse off`, and has it back at the end.
mouse_modes() { in_tmux display-message -p -t main '#{mouse_button_flag}#{mouse_standard_flag}#{mouse_sgr_flag}'; }
[ "$(mouse_modes)" = 011 ] || fail "the modes of the mouse are $(mouse_modes)"
keys -l $'\e[<0;32;12M'
expect '─ bytes frame event ─ [0-9]+ in the frame'
keys -l $'\e[<64;40;4M'
expect ' below, '
line '/mouse off'
expect 'the mouse marks text'
[ "$(mouse_modes)" = 000 ] || fail "the modes of the mouse are $(mouse_modes)"
line '/mouse on'
expect 'the mouse selects'

# Breakpoint: it pauses the screen, and later events wait.
line '/break kind:game_ended'
line '/speed 100'
keys Space
expect '^break at #[0-9]+'
expect '▸0:09\.513 game_ended'

# Resize: all views at once, and back.
in_tmux resize-window -t main -x 160 -y 50
expect '─ frame #[0-9]+ at 0:09.513'
expect '─ bytes [0-9]+ in the frame'
expect 'R round trip'
in_tmux resize-window -t main -x 80 -y 24
expect '─ bytes frame event'
vanish 'R round trip'

# History: of this run and in the next one.
keys -l '/'
keys Up
expect '^> /speed 100'
keys C-u
keys Escape
# Escape and a letter sent together would be another key.
expect '^Space play'
keys -l 'q'
expect '^shell>'
expect 'what was here before'
settings after
cmp -s "$scratch/before" "$scratch/after" || fail 'the terminal is not as it was'

# NO_COLOR: the output has no color.
line "NO_COLOR=1 sh -c 'echo \$\$ >$scratch/pid; exec $program replay --speed 100 $recording'"
expect '^kibitzer over '
if in_tmux capture-pane -e -p -t main | grep -qE $'\e\\[([0-9;]*;)?(3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]'; then
    fail 'there is color'
fi
keys Enter
keys Up
expect '^> /speed 100'

# Signal: the console ends and restores the terminal.
kill -TERM "$(cat "$scratch/pid")"
expect '^shell>'
settings told
cmp -s "$scratch/before" "$scratch/told" || fail 'the terminal is not as it was after a signal'

# A VT100 has no color.
line "clear; TERM=vt100 $program replay --speed 100 $recording"
expect '^kibitzer over '
if in_tmux capture-pane -e -p -t main | grep -qE $'\e\\[([0-9;]*;)?(3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]'; then
    fail 'a VT100 gets color'
fi
expect '^  38\.\.\. Re1#'
expect '^  0-1, Flohr won: '
keys -l 'q'
expect '^shell>'

# Without a clipboard: a message says so.
line "clear; TERM=linux $program replay --speed 100 $recording"
expect '^kibitzer over '
keys -l 'yy'
expect 'this terminal \(TERM=linux\) has no clipboard'
keys -l 'q'
expect '^shell>'

# Limited terminals: lines on a dumb one, ASCII without UTF-8.
line "clear; TERM=dumb $program replay --speed 1000 $recording"
expect 'Logging you out'
expect '^shell>'
line "clear; LC_ALL=C $program replay --speed 1000 $recording"
expect '^kibitzer over '
expect '^- game 1 -+\|- stream'
# One pane alone.
keys -l 'b'
expect '^- talk -{60}'
keys -l 'b'
expect '\|- stream'
keys -l 'q'
expect '^shell>'

# A key pressed before a large recording is open is not lost.
{ for _ in {1..400}; do cat "$recording"; done; } >"$scratch/large.jsonl"
line "clear; $program replay $scratch/large.jsonl"
keys Enter
expect '^kibitzer playing '
expect '^> *type|^> +/ command'
keys Escape
expect '^Space pause'
# Ctrl-C ends a long search.
line '/find nowhere'
expect '^kibitzer seeking '
keys C-c
expect '^the search ended here'
expect '^kibitzer paused '
keys -l 'q'
expect '^shell>'

# Login: an account on a separate server; the password is prompted for and never shown.
cat >"$scratch/accounts.toml" <<'END'
[[account]]
handle = "Newton"
password = "swordfish"
END
"$program" serve --port 0 --seed 7 --accounts "$scratch/accounts.toml" --for 10m >"$scratch/address" &
server=$!
until [ -s "$scratch/address" ]; do read -rt 0.05 <> <(:) || true; done
address=$(cat "$scratch/address")
line "clear; sh -c 'echo \$\$ >$scratch/pid; exec $program console $address --user Newton'; echo status \$?"
expect '^password for Newton:'
line 'swordfish'
expect '^kibitzer live .* Newton at 127\.'
refuse 'swordfish'
expect '─ board games, observe N'

# Observe: typed text is sent to the server at once.
line 'games'
expect ' games displayed'
line "/record $scratch/live.jsonl"
expect 'recorded in '
line 'observe 1'
expect '─ game 1 '
expect 'position +game 1 '
expect '> [0-9]+ observe 1 +\[[0-9.]+.?s #[0-9]+\]'
# The player above the board; which one it is depends on the seed.
player=$(screen | grep -oE '^..[A-Z][a-z]+ [0-9]{4} ' | head -1 | grep -oE '[A-Z][a-z]+')
keys -l "finger ${player%??}"
keys Tab
expect "^> finger $player"
keys C-u
line 'tell Whetstone hello there'
expect 'tell +Whetstone.* tells you: '

# Talk: its tabs, and one key that answers; filters that have a key, and one key that resets the view.
keys F7
expect '─ all tells.* shouts'
keys Tab
expect ' > tell Whetstone hello there'
keys F9
expect '^> tell Whetstone'
keys -l 'again'
keys Enter
expect ' > tell Whetstone again'
keys F8
expect '─ stream '
keys Escape
expect '^Enter type'
keys -l 'C'
expect 'match chat'
keys -l 'x'
expect ' no prompts'
keys -l '~'
expect '^~ is no key of the list: Enter types a line'
keys Enter

# Filter: by an expression, and by a named one.
line '/filter kind:sent text:observe'
expect '1 of [0-9]+ match kind:sent text:observe'
vanish ' position '
line '/filter talk = kind:tell,say from:Whetstone'
expect 'match kind:tell,say from:Whetstone'
vanish ' position '
line '/filter'
expect ' no prompts'
line '/filter talk'
expect 'match kind:tell,say from:Whetstone'
line '/filter'

# Resize to a tiny screen and back: keys still work.
in_tmux resize-window -t main -x 160 -y 50
expect '─ time last, median'
expect '> [0-9]+ tell Whetstone hello there +\[reply #[0-9]+ after'
in_tmux resize-window -t main -x 80 -y 24

# Notifications: the title of the window shows a tell until the next key.
title() { in_tmux display-message -p -t main '#{pane_title}'; }
title >"$scratch/title"
line '/notify kind:tell'
expect '^notifies: kind:tell'
line 'tell Whetstone once more'
until title | grep -qE '^Whetstone.* tells you: '; do read -rt 0.05 <> <(:) || true; done
keys C-u
until title | cmp -s - "$scratch/title"; do read -rt 0.05 <> <(:) || true; done
line '/notify'
expect '^no notifications'

# Settings: the present choices are saved.
line '/times previous'
line '/save'
expect '^settings saved in .*/config/kibitzer/console.toml'
grep -q '^times = "previous"$' "$XDG_CONFIG_HOME/kibitzer/console.toml" || fail 'the times are not saved'
mv "$XDG_CONFIG_HOME/kibitzer/console.toml" "$scratch/saved.toml"
line '/times session'

# Breakpoint: the screen pauses while the session continues.
line '/break kind:position'
expect 'screen paused'
expect '^break at #[0-9]+; Space goes on'
line 'date'
expect '\+[0-9]+ below'
line '/break'
keys Space
vanish 'screen paused'
line '/speed 3'
expect 'this session is live'

# A page takes nothing from a typed line; pasted lines are shown before they are sent.
keys F1
expect '─ help lines 1 to [0-9]+ of [0-9]+, Esc goes back'
expect '^Play: '
keys Tab
expect '─ commands of the server '
expect 'seek 5 3, unseek'
line 'tell heron hello'
expect '> [0-9]+ tell heron'
in_tmux set-buffer -b lines "$(printf 'date\nuptime')"
in_tmux paste-buffer -p -b lines -t main
expect '^> uptime'
expect '^2 lines: Enter runs each'
refuse '> [0-9]+ uptime'
keys C-j
expect '> [0-9]+ uptime'

# Suspend with Ctrl-Z and SIGTSTP: the shell has the terminal meanwhile, and all is drawn again.
keys C-z
expect '^shell>'
expect 'Stopped'
line 'fg'
expect '^kibitzer live '
kill -TSTP "$(cat "$scratch/pid")"
expect '^shell>'
line 'fg; echo status $?'
expect '^kibitzer live '
line 'tell x hi'
expect '> [0-9]+ tell x hi'

# Quit: the terminal is restored.
line '/quit'
expect '^status 0'
expect '^shell>'
settings live
cmp -s "$scratch/before" "$scratch/live" || fail 'the terminal is not as it was after a session'

# Replay: the recording of the same session.
line "$program replay --speed 1000 $scratch/live.jsonl"
expect '^kibitzer over '
line '/filter kind:sent'
expect '> [0-9]+ observe 1 '
expect '> [0-9]+ tell Whetst'
refuse 'swordfish'
keys -l 'q'
expect '^shell>'
grep -q swordfish "$scratch"/*.jsonl "$scratch"/kibitzer/* && fail 'the password is in a file'

# Lines on a terminal: what is printed meanwhile stands above the half-typed line; history, completion and passwords as above.
line "clear; $program connect $address"
expect '^\* ready'
expect '^Whetstone.* tells you'
line 'observe 2'
expect '^ 8 .*[0-9]:[0-9]{2}'
keys -l 'tell Whe'
keys Tab
keys -l 'half a line'
screen | grep -cE 'material [0-9]+' >"$scratch/boards" || true
in_tmux clear-history -t main
expect '^> tell Whetstone half a line$'
until in_tmux capture-pane -p -S - -t main | grep -c 'material' | grep -qvx "$(cat "$scratch/boards")"; do read -rt 0.05 <> <(:) || true; done
expect '^> tell Whetstone half a line$'
[ "$(screen | grep -c 'half a')" = 1 ] || fail 'the half-typed line is drawn twice'
keys C-c
vanish 'half a line'
keys Up
expect '^> observe 2$'
keys C-u
line 'password swordfish swordfish'
expect '^> \(password\)$'
refuse 'swordfish'
keys C-z
expect 'Stopped'
line 'fg; echo status $?'
line 'date'
expect '^> date$'
keys C-c
expect '^status 0'
settings typed
cmp -s "$scratch/before" "$scratch/typed" || fail 'the terminal is not as it was after connect'
grep -q swordfish "$scratch"/kibitzer/* && fail 'the password is in the history'

# Settings: those that were saved apply, and their commands are run; a mistake is an error with its place.
sed 's|^# commands = .*|commands = ["/filter chat", "tell Whetstone from the settings"]|' "$scratch/saved.toml" >"$XDG_CONFIG_HOME/kibitzer/console.toml"
line "clear; $program console $address"
expect 'match chat'
expect '\+0:[0-9.]+ sent +> [0-9]+ tell Whetst'
line '/quit'
expect '^shell>'
printf 'theme = "dark"\nbell = "loud"\n' >"$XDG_CONFIG_HOME/kibitzer/console.toml"
line "clear; $program console $address; echo status \$?"
expect 'console.toml, line 2: `bell` must'
expect '^status 1'
rm "$XDG_CONFIG_HOME/kibitzer/console.toml"

# No server: an error message and the exit status report it.
line "clear; $program console 127.0.0.1:1; echo status \$?"
expect '^session over: not connected'
expect '^kibitzer over: not connected'
keys Escape
expect '^Enter type'
keys -l 'q'
expect '^status 3'

# Without a command: an embedded server, a guest, three games.
line "clear; $program --seed 7 --speed 4"
expect '^kibitzer live .* at the embedded server'
expect '─ games 3 known'
expect ' position '
line '/filter kind:mark'
line '/fault cut@next-board'
expect '--- fault cut@next-board took'
line '/filter'
line '/grid'
expect '─ game [0-9]+ .*─ game [0-9]+ '
in_tmux resize-window -t main -x 60 -y 20
expect '─ game [0-9]+ .*─ game [0-9]+ \+1 more '
in_tmux resize-window -t main -x 80 -y 24
line '/grid'
expect '─ stream '

# What the session sends is not the user's; /game and observe show their game.
line '/filter kind:sent'
expect ' session> [0-9]+ obs'
line '/filter'
line '/game 1'
expect '^─ game 1 '
line 'observe 2'
expect '^─ game 2 '

# An own game: it fills the screen, and a pause ends; Tab completes a move; an illegal one is sent by a second Enter; the refusal is beside
# the board.
line '/pause'
line 'match Whetstone 2 0 unrated white'
expect ': your move; type it'
expect ' ─ game [0-9]+ unrated lightning 2\+0 ─'
expect '^─ talk say TEXT'
refuse '─ stream |screen paused'
keys -l 'Nf'
keys Tab
expect '^> Nf3$'
keys C-u
line 'e5'
expect '^not sent, e5 is not legal here'
keys Enter
expect ' Illegal move \(e5\)'
keys F3
expect '^  Illegal move \(e5\)'
expect '^\* *[0-9]+ Guest'
line 'e4'
vanish '^  Illegal move \(e5\)'
expect ': your move; type it'
line '/game 1'
expect '^─ game 1 '
line 'resign'
expect '^  0-1, you lost: '

# A line without answers: its age, then what waits.
line '/fault stall@now'
expect '^kibitzer live, silent [0-9]+s'
line 'date'
expect '^kibitzer stalled [0-9]+s .* date waits [0-9]+s'
keys C-c
expect '^shell>'

# A bot: its actions are rows, the analysis is below the board; closing the console stops it, and the game is in its file.
line "clear; (cd $scratch && $program bot --demo); echo status \$?"
expect '^kibitzer live .* at the embedded server'
expect ' bot +Moved, game [0-9]+: [a-h][1-8]'
expect '^  [+-][0-9.]+ depth 2 '
line '/filter kind:bot -thinking'
expect 'match kind:bot'
refuse ' position '
keys C-c
expect '^status 0'
grep -q '^1\. ' "$scratch/kibitzer-demo.pgn" || fail 'the game of the bot is not in its file'

# Attach: the session of another process shows its board at once; a sent line gets its reply.
"$program" connect "$address" --attach-socket "$scratch/bot.sock" --attach-write --for 10m </dev/null >"$scratch/bot" &
bot=$!
until grep -q ready "$scratch/bot"; do read -rt 0.05 <> <(:) || true; done
line "clear; $program console --attach $scratch/bot.sock --write; echo status \$?"
expect '^kibitzer live .* at 127\.0\.0\.1, attached'
expect '--- attached; 0 games go on'
line 'observe 2'
expect '─ game 2 '
line '/filter kind:sent'
expect '> [0-9]+ observe 2 +\[[0-9.]+.?s #[0-9]+\]'
line '/quit'
expect '^status 0'
line "clear; $program console --attach $scratch/bot.sock; echo status \$?"
expect '--- attached; 1 game goes on'
expect '─ game 2 '
line 'resign'
expect 'not sent: attached to look'
keys C-u
kill -KILL "$bot"
# Keeps the shell from reporting the killed job.
wait "$bot" 2>/dev/null || true
bot=
expect '^kibitzer gone'
expect 'the process of the session is gone'
keys Escape
expect '^Space pause|^Enter type'
keys -l 'q'
expect '^status 4'
echo 'console.sh: all as it should be'
