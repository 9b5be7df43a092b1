#!/usr/bin/env bash
# Makes seed corpora out of the recorded sessions in tests/transcripts: `fuzz/seeds.sh [FOLDER]`.
# Every session becomes pieces of about one kilobyte; what is there already stays.
set -euo pipefail
cd "$(dirname "$0")"
transcripts=${1:-../../../tests/transcripts}
mkdir -p corpus/{framer,messages,events,chess,session,datagrams}

shopt -s nullglob
for transcript in "$transcripts"/*.jsonl; do
    name=$(basename "$transcript" .jsonl)
    # Eight bytes of options stand in front of a stream (see src/lib.rs): 255 is read as the size of every read.
    perl -e '
        my ($name, $transcript) = @ARGV;
        open(my $in, "<", $transcript) or die "$transcript: $!";
        my $stream = join "", map { /"dir": *"rx".*"hex": *"([0-9a-f]*)"/ ? pack("H*", $1) : () } <$in>;
        my $n = 0;
        for my $piece ($stream =~ /(.{1,1000}[^\n]*\n?)/gs) {
            my %seeds = (framer => "\0" . "\xff" x 7 . $piece, events => "\0" . "\xff" x 7 . $piece, messages => $piece);
            for my $target (keys %seeds) {
                open(my $out, ">:raw", "corpus/$target/$name-$n") or die $!;
                print $out $seeds{$target};
            }
            $n++;
        }' "$name" "$transcript"
    # A script for a session: what the server said, and at every line that the client typed a pause, an answer to what the session
    # sent, and the line as a request. The byte behind the options chooses among others who logs in: a guest or an account.
    perl -e '
        my ($name, $transcript) = @ARGV;
        open(my $in, "<", $transcript) or die "$transcript: $!";
        my ($script, $is_account) = ("", 0);
        while (<$in>) {
            my ($way, $hex) = /"dir": *"([rt]x)".*"hex": *"([0-9a-f]*)"/ or next;
            my $bytes = pack("H*", $hex);
            $is_account ||= $bytes =~ /password: /;
            $script .= $way eq "rx" ? $bytes =~ s/\x1d//gr : join "", map { "\x1dx\x1dt\x02\x1dx\x1dr$_\n" } split /\r?\n/, $bytes =~ s/\x1d//gr;
        }
        my @pieces = (substr($script, 0, 4000), map { substr($script, 0, 2500) . substr($script, $_, 1500) } map { $_ * 9000 } 1 .. length($script) / 9000);
        for my $n (0 .. $#pieces) {
            open(my $out, ">:raw", "corpus/session/$name-$n") or die $!;
            # Every other one without block mode, on a single connection.
            print $out "\0", chr(($is_account ? 2 : 0) + 0x30 * ($n % 2)), "\xff" x 6, $pieces[$n];
        }' "$name" "$transcript"
done

printf '%s\n' 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1' e7e5 'P/e7-e5 e5' Nf3 o-o O-O-O e1g1c 'Q@f7' 'P/@@-e4 P@e4' >corpus/chess/start
printf '%s\n' 'r1b1k2r/1P~6/8/3pP3/8/8/8/R3K2R[QNpp] w KQkq d6 3 9' 'P/b7-b8=N b8=N' b7a8rQ e5d6E e1c1C 'K/e1-d1 Kd1' >corpus/chess/crazyhouse
printf '%s\n' '1rkr4/8/8/8/8/8/8/1RKR4/Qn w BDbd - 0 1' o-o-o 'o-o O-O' e8c8C '? ?' >corpus/chess/chess960

# A line that starts with a digit becomes a datagram.
start='7 Foo Bar 0 Blitz 1 3 2 3 2 1 {} 1500 1600 9 {GM} {C} 0 0 0 {} 0'
printf '%s\n' '0 Foo {TD}' "15 $start" '43 7 PW' '101 7 {} 0' '24 7 e4 e2e4 1 181 1' '56 7 B 180250 1 0 0' '24 7 e5 e7e5 2 180 1' \
    '22 7 1' '24 7 O-O e8g8c 2 180 1' '21 7 1 0 0 0 0 0 0 2' '16 7 1 Res 1-0 {Black resigns} {B00}' '23 7 1' >corpus/datagrams/played
printf '%s\n' "18 $start" '25 7 *{e4 e2e4 1 181}{e5 e7e5 2 180}' '37 7 {PN} {}' '24 7 N@e6+ N@e6+ 1 2' \
    '<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 7 Foo Bar 0 3 2 39 39 39 39 1 P/e2-e4 (0:01) e4 0' \
    "100 $start" '70 7 {8/8/8/8/8/8/8/K1k5 w - - 3 9}' '19 7' '40 7 A B 0 x 1 1 1 1 1 0' '51 7 1' >corpus/datagrams/observed
printf '%s\n' '31 Foo {} {hi} 1' '32 Foo {TD} 2 {a b}' '28 50 Foo {} {x} 1' '26 7 Foo {} 1 {x}' '83 Foo {} a\\nb' '44 Foo Bar 1' \
    '29 Foo 1500 1 {C} Bar 1671 2 {} 22 Blitz 1 0 5 3 4 2 0 {}' '50 195 Tinker {C} 2402 2 0 Blitz 5 3 1 -1 0 9999 1 1 {}' '69 20 {queue}' \
    '42 7 e5 1' '59 7 Foo e4' '60 7 Foo e2 e4' '1 Foo 1 2' '114 x y' '110 7 * 2' '111 7 d4 d2d4' 'text' '9999 a {b} c' >corpus/datagrams/people

# Scripts for a session: on ICC, whose bytes are said to be its (\x60) or found out (\x40), and one that comes back. Signs as in src/lib.rs.
sizes='\xff\xff\xff\xff\xff\xff' answers='\x1dx\x1dx\x1dx\x1dx' greeting='Welcome to chessclub.com\r\n\r\nlogin: '
game='\x19(18 7 Foo Bar 0 Blitz 1 3 2 3 2 1 {} 1500 1600 9 {GM} {C} 0 0 0 {} 0\x19)\x19(25 7 *{e4 e2e4 1 181}\x19)'
talk='\x19(31 Foo {TD} \x19{a `8`b\x19} 1\x19)\x19(69 20 {You are number 2 in the queue}\x19)\x19(29 Foo 1500 1 {C} Bar 1671 2 {} 22 Blitz 1 0 5 3 4 2 0 {}\x19)'
board='<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 7 Foo Bar 0 3 2 39 39 180 180 1 none (0:00) none 0'
printf '%b' "\x60\x02$sizes$greeting$answers$answers\x1drobserve 7\n\x1drpassword old new\n\x1drseek 5 0\n\x1dx$game$talk\x19[130 * 9\r\n$board\r\n" \
    '\x1dt\x20\x19]\x1dx\x1dt\x40\x1dx\x1dq' >corpus/session/icc-account
printf '%b' "\x40\x00$sizes$greeting\x1dt\x0d\x1dx\x1dx\x1dx\x1drfinger Foo\n\x1drdate\n\x1da\x1dx$talk$game\x1dt\x30\x1dx\x19(16 7 1 Res 1-0 {} {B00}\x19)\x19]" \
    "\x1dc\x1dt\x10${greeting}password: \x1dx" >corpus/session/icc-guest
printf '%b' "\x60\x02${sizes}login: \x1dxlogin: \x1dx\x19(69 20 {queue}\x19)\x1dt\x80\x19(69 5 {wrong}\x19)" >corpus/session/icc-refused
printf '%b' "\x00\x00${sizes}login: $answers$answers\x1drobserve 7\n\x1drobserve 8\n\x1drseek 5 0\n\x1dx\x1dx\x1dc\x1dt\x10login: " \
    "$answers$answers\x1drobserve 7\n\x1dx\x1dx" >corpus/session/restored
