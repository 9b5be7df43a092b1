//! The table of ICC's datagrams: number, name, arguments, and parser.
//!
//! An argument is a name: plain for a word, in braces for `{…}`, in square brackets for `^Y{…^Y}`. In lists the last
//! one may be repeated.
//!
//! Source: ICC's description of its level-2 format; for the rows marked so, clients and captures.

use super::kind::{ArgumentParser, ArgumentSpec, DatagramKind, Quoting};
use super::{boards, games, offers, people, talk};
use crate::message::IccGameStartReason::{Changed, Foreign, Isolated, Mine};
use crate::message::PresenceChangeKind::{Arrived, Departed};
use crate::message::PresenceReportReason::{Notify, Pin};

macro_rules! argument {
    ($name:ident) => {
        ArgumentSpec { name: stringify!($name), quoting: Quoting::Word }
    };
    ({$name:ident}) => {
        ArgumentSpec { name: stringify!($name), quoting: Quoting::Braces }
    };
    ([$name:ident]) => {
        ArgumentSpec { name: stringify!($name), quoting: Quoting::Marks }
    };
}

macro_rules! arguments {
    ((= $shared:expr)) => { $shared };
    (($($argument:tt)*)) => { &[$(argument!($argument)),*] };
}

macro_rules! kinds {
    ($($number:literal $name:literal $arguments:tt $parse:expr;)+) => {
        impl DatagramKind {
            /// Every known kind of datagram, by ascending number.
            pub(crate) const ALL: &[Self] = &[$(Self {
                number: $number,
                name: $name,
                arguments: arguments!($arguments),
                is_secret: matches!($number, 93 | 114 | 134),
                parse: $parse,
            }),+];
        }
    };
}

impl DatagramKind {
    /// Returns the kind of datagram with this number; `None` if the number is unknown.
    pub(crate) fn by_number(number: u32) -> Option<&'static Self> {
        let number = u16::try_from(number).ok()?;
        // The list has few gaps, so most kinds are at the index of their number.
        let at_number = Self::ALL.get(usize::from(number)).filter(|kind| kind.number == number);
        at_number.or_else(|| Self::ALL.get(Self::ALL.binary_search_by_key(&number, |kind| kind.number).ok()?))
    }
}

/// Parser of a kind that is always emitted as a [`Datagram`](super::Datagram).
const PLAIN: Option<ArgumentParser> = None;

/// The arguments of a game-start datagram.
#[rustfmt::skip]
const START: &[ArgumentSpec] = arguments!((
    game white black wild kind rated white_minutes white_increment black_minutes black_increment played {example}
    white_rating black_rating id {white_titles} {black_titles} irregular_legality irregular_semantics drops {time_control}
    promotes_to_king
));

/// A move; parts that are switched off are omitted.
const MOVE: &[ArgumentSpec] = arguments!((game san smith time clock variation));

/// A rating of a player; annotation 0 for none, 1 for a provisional one, 2 for an established one.
const RATING: &[ArgumentSpec] = arguments!((name rating annotation));

#[rustfmt::skip]
kinds! {
    0 "who_am_i" (name {titles}) Some(people::parse_and_store_own_name);
    // The arguments after the name depend on what else is switched on.
    1 "player_arrived" (name more) Some(|a, _| people::parse_arrival(a, Arrived, Pin));
    2 "player_left" (name) Some(|a, _| people::parse_arrival(a, Departed, Pin));
    3 "bullet" (= RATING) PLAIN;
    4 "blitz" (= RATING) PLAIN;
    5 "standard" (= RATING) PLAIN;
    6 "wild" (= RATING) PLAIN;
    7 "bughouse" (= RATING) PLAIN;
    8 "timestamp" () PLAIN;
    9 "titles" (name {titles}) PLAIN;
    10 "open" (open) PLAIN;
    11 "state" (name state game) PLAIN;
    12 "game_started" (= START) Some(|a, known| games::parse_and_store_game_start(a, known, Foreign));
    13 "game_result" (game examined code score {text} {eco}) Some(games::parse_game_result);
    14 "examined_game_is_gone" (game) PLAIN;
    15 "my_game_started" (= START) Some(|a, known| games::parse_and_store_game_start(a, known, Mine));
    16 "my_game_result" (game examined code score {text} {eco}) Some(games::parse_game_result);
    17 "my_game_ended" (game) Some(games::parse_my_game_ended);
    18 "started_observing" (= START) Some(games::parse_and_store_observed_game);
    19 "stop_observing" (game) Some(games::parse_stop_observing);
    20 "players_in_my_game" (game player symbol kib) PLAIN;
    21 "offers_in_my_game" (game white_draw black_draw white_adjourn black_adjourn white_abort black_abort white_takeback
        black_takeback) Some(offers::parse_and_store_offers);
    22 "takeback" (game plies) Some(boards::parse_takeback);
    23 "backward" (game plies) Some(boards::parse_backward);
    24 "send_moves" (= MOVE) Some(boards::parse_and_count_move);
    25 "move_list" (game start {move}) Some(boards::parse_move_list);
    26 "kibitz" (game player {titles} kib [text]) Some(talk::parse_kibitz);
    27 "people_in_my_channel" (channel player joined) PLAIN;
    28 "channel_tell" (channel player {titles} [text] type) Some(talk::parse_channel_tell);
    29 "match" (from from_rating from_provisional {from_titles} to to_rating to_provisional {to_titles} wild kind rated adjourned
        from_minutes from_increment to_minutes to_increment color more) Some(offers::parse_match_offer);
    30 "match_removed" (from to [text]) Some(offers::parse_match_removed);
    31 "personal_tell" (player {titles} [text] type) Some(talk::parse_personal_tell);
    32 "shout" (player {titles} type [text]) Some(talk::parse_shout);
    33 "move_algebraic" () PLAIN;
    34 "move_smith" () PLAIN;
    35 "move_time" () PLAIN;
    36 "move_clock" () PLAIN;
    37 "bughouse_holdings" (game {white} {black}) Some(boards::parse_holdings);
    38 "set_clock" (game white black) Some(boards::parse_set_clock); // order from the sources of clients
    39 "flip" (game flip) Some(boards::parse_flip);
    40 "isolated_board" (= START) Some(|a, known| games::parse_and_store_game_terms(a, known, Isolated));
    41 "refresh" (game) PLAIN;
    42 "illegal_move" (game move reason) Some(games::parse_illegal_move);
    43 "my_relation_to_game" (game symbol) Some(boards::parse_and_apply_my_role);
    44 "partnership" (first second joined) Some(people::parse_partnership);
    45 "sees_shouts" (player bits) PLAIN;
    46 "channels_shared" (player channel) PLAIN;
    47 "my_variable" (name value) PLAIN;
    48 "my_string_variable" (name [value]) PLAIN;
    // The description leaves the number of the game out; the sources of two clients have it first.
    49 "jboard" (game board side double_push white_short white_long black_short black_long move_number san smith white_clock black_clock
        status flip) PLAIN; // order from the sources of clients
    50 "seek" (index name {titles} rating provisional wild kind minutes increment rated color rating_min rating_max automatic formula
        {time_control}) Some(offers::parse_seek); // order from the sources of clients
    51 "seek_removed" (index reason) Some(offers::parse_seek_removed); // order from the sources of clients
    52 "my_rating" (bullet blitz standard wild bughouse) PLAIN;
    53 "sound" (code) PLAIN;
    55 "player_arrived_simple" (name) Some(|a, _| people::parse_arrival(a, Arrived, Pin));
    56 "msec" (game color ms running free_ms min_ms) Some(boards::parse_running_clock);
    57 "bughouse_pass" (game color piece) PLAIN;
    58 "ip" (player ip) PLAIN;
    59 "circle" (game examiner square) Some(|a, _| boards::parse_square_mark(a, true));
    60 "arrow" (game examiner from to) Some(|a, _| boards::parse_square_mark(a, true));
    61 "moretime" (game color seconds) PLAIN;
    62 "personal_tell_echo" (receiver type [text]) PLAIN;
    63 "suggestion" ({command} {text} priority suggester {subject} id) PLAIN;
    64 "notify_arrived" (name more) Some(|a, _| people::parse_arrival(a, Arrived, Notify));
    65 "notify_left" (name) Some(|a, _| people::parse_arrival(a, Departed, Notify));
    66 "notify_open" (name open) PLAIN;
    67 "notify_state" (name state game) PLAIN;
    68 "my_notify_list" (name listed) PLAIN;
    69 "login_failed" (code {text}) Some(people::parse_login_failed);
    70 "fen" (game {fen}) Some(boards::parse_fen);
    71 "tourney_match" (argument) PLAIN; // not described
    72 "gamelist_begin" (command {parameters} n_hits first last {summary}) PLAIN;
    73 "gamelist_item" (index id event date time white white_rating black black_rating rated kind wild white_minutes white_increment
        black_minutes black_increment eco status color mode {note} here) PLAIN;
    74 "idle" (name idle since_read) PLAIN;
    75 "ack_ping" (name lag_ms mean variance) PLAIN;
    76 "rating_type_key" (index {name}) PLAIN;
    77 "game_message" (game {text}) PLAIN;
    78 "unaccented" () PLAIN;
    79 "stringlist_begin" (n_hits {description}) PLAIN;
    80 "stringlist_item" ({text}) PLAIN;
    81 "dummy_response" () PLAIN;
    82 "channel_qtell" (channel player {titles} [text]) Some(talk::parse_channel_qtell);
    83 "personal_qtell" (player {titles} [text]) Some(talk::parse_personal_qtell);
    84 "set_board" (game board side) Some(boards::parse_set_board);
    85 "match_assessment" () PLAIN;
    86 "log_pgn" ([line]) PLAIN;
    87 "new_my_rating" (rating) PLAIN;
    88 "losers" (= RATING) PLAIN;
    89 "uncircle" (game examiner square) Some(|a, _| boards::parse_square_mark(a, false));
    90 "unarrow" (game examiner from to) Some(|a, _| boards::parse_square_mark(a, false));
    91 "wsuggest" ({url} {text} priority suggester {subject} id) PLAIN;
    93 "temporary_password" (password) PLAIN;
    94 "messagelist_begin" (command) PLAIN;
    95 "messagelist_item" (index sender time date [message]) PLAIN;
    96 "list" ({header} row_start {item}) PLAIN;
    97 "sji_ad" ({text}) PLAIN;
    98 "blitzin_reg" (argument) PLAIN; // not described
    99 "qretract" (id) PLAIN;
    100 "my_game_change" (= START) Some(|a, known| games::parse_and_store_game_terms(a, known, Changed));
    101 "position_begin" (game {fen} n_moves) Some(boards::parse_position_begin);
    102 "allow_guess" (game teacher token answer) PLAIN;
    103 "tourney" (index bits {description} {join} {watch} {info} {confirm}) PLAIN;
    104 "remove_tourney" (index) PLAIN;
    105 "dialog_start" (bytes) PLAIN;
    106 "dialog_data" (data) PLAIN;
    107 "dialog_default" (control type {value}) PLAIN;
    108 "dialog_end" (modal focus {ok} {cancel} {yes} {no}) PLAIN;
    109 "dialog_release" () PLAIN;
    110 "position_begin2" (game {fen} n_moves) Some(boards::parse_position_begin);
    111 "past_move" (= MOVE) Some(boards::parse_past_move);
    112 "pgn_tag" (game tag {value}) PLAIN;
    113 "is_variation" () PLAIN;
    114 "password" (password handle) PLAIN;
    115 "banner" (game {url}) PLAIN;
    116 "wild_key" (index {name}) PLAIN;
    117 "form_feedback" (field code {text}) PLAIN;
    119 "key_version" (version) PLAIN;
    120 "switch_servers" (host port ip) PLAIN;
    121 "crazyhouse" (= RATING) PLAIN;
    122 "plugin_trusted" (index hash) PLAIN;
    123 "speak" ({text}) PLAIN;
    124 "set2" (datagram on) PLAIN;
    125 "fiveminute" (= RATING) PLAIN;
    126 "oneminute" (= RATING) PLAIN;
    127 "qimpart" (sender [text]) PLAIN;
    128 "mugshot" (player {url} game) PLAIN;
    129 "translationsokay" () PLAIN;
    130 "client_trust_level" () PLAIN;
    131 "uid" () PLAIN;
    132 "knows_fischer_random" () PLAIN;
    133 "free_was_checkers" () PLAIN;
    134 "web_auth" (key {prefix} {hosts}) PLAIN;
    135 "icclogbot" (argument) PLAIN; // not described
    136 "command" (command {arguments}) PLAIN;
    137 "tourney_game_started" (event white black id game) PLAIN;
    138 "tourney_game_ended" (event white black id score) PLAIN;
    139 "my_turn" (game) PLAIN;
    140 "correspondence_rating" (= RATING) PLAIN;
    141 "disable_premove" (game) PLAIN;
    142 "pstat" (initiated first second number) PLAIN;
    143 "boardinfo" (game examiner type from to color) PLAIN;
    144 "move_lag" (player lag_ms) PLAIN;
    145 "fifteenminute" (= RATING) PLAIN;
    146 "phraselist_update" (n {text}) PLAIN;
    147 "phraselist_item" (n {text}) PLAIN;
    148 "menu_speak" (name uid a b c) PLAIN;
    149 "threeminute" (= RATING) PLAIN;
    150 "fortyfiveminute" (= RATING) PLAIN;
    151 "chess960" (= RATING) PLAIN;
    152 "country" (player game {country}) PLAIN;
    153 "features" (feature) PLAIN;
    154 "error" (code language {text} {url}) PLAIN;
    155 "group_info" (argument) PLAIN; // not described
    156 "channel_info" (argument) PLAIN; // not described
    158 "client_info" (n {name} {value}) PLAIN;
    159 "zrating" (name type rank rating wins losses draws best changed) PLAIN;
    160 "correspondence_move" (game move) PLAIN;
    161 "correspondence_game" (target reason begin end id white white_rating black black_rating start last status plies more) PLAIN;
    162 "no_correspondence_game" (target reason) PLAIN;
    163 "list_head" (name list size) PLAIN;
    164 "list_end" () PLAIN;
    165 "list_item" (name list {value}) PLAIN;
    166 "list_added" (name list {value}) PLAIN;
    167 "list_removed" (name list {value}) PLAIN;
    168 "fail" (command {text}) PLAIN;
    169 "note" (name index {text}) PLAIN;
    170 "field" (name key {value}) PLAIN;
    171 "rating" (name type rank rating need wins losses draws best best_date) PLAIN;
    172 "end_profile" (name) PLAIN;
    173 "pstat2" (type first second first_wins first_losses first_draws second_wins second_losses second_draws) PLAIN;
    174 "examiners_in_game" (game name {titles} joined) PLAIN;
    175 "pool_joined" (pool) PLAIN;
    176 "pool_left" (pool) PLAIN;
    177 "25_5" (= RATING) PLAIN;
    178 "login_list_friends" (argument) PLAIN; // not described
    179 "login_list_aliases" (argument) PLAIN; // not described
    180 "login_list_messages" (argument) PLAIN; // not described
    181 "login_list_rooms" (argument) PLAIN; // not described
    182 "login_list_adjourned_games" (argument) PLAIN; // not described
    183 "login_list_library_games" (argument) PLAIN; // not described
    184 "login_list_history_games" (argument) PLAIN; // not described
    185 "login_list_censors" (argument) PLAIN; // not described
    186 "auth_url" (argument) PLAIN; // not described
    187 "pgn" (argument) PLAIN; // not described
    188 "in_channel" (id name members {description}) PLAIN;
    189 "table_size" (argument) PLAIN; // not described
}
