//! The one table of ICC's datagrams: number, name, arguments, source, and what reads it.
//!
//! A row's arguments are names: plain where the server sends a word, in braces where it sends `{…}`, in square brackets where it
//! sends `^Y{…^Y}`. The last one may be sent again and again in lists.
//!
//! Source: ICC's description of its level-2 format; for rows marked so, clients and captures.

use super::form::{ArgumentForm, DatagramForm, DatagramSource, Quoting, Read};
use super::{boards, games, offers, people, talk};

macro_rules! argument {
    ($name:ident) => {
        ArgumentForm { name: stringify!($name), quoting: Quoting::Word }
    };
    ({$name:ident}) => {
        ArgumentForm { name: stringify!($name), quoting: Quoting::Braces }
    };
    ([$name:ident]) => {
        ArgumentForm { name: stringify!($name), quoting: Quoting::Marks }
    };
}

macro_rules! arguments {
    ((= $shared:expr)) => { $shared };
    (($($argument:tt)*)) => { &[$(argument!($argument)),*] };
}

macro_rules! forms {
    ($($number:literal $name:literal $arguments:tt $source:ident $read:expr;)+) => {
        impl DatagramForm {
            /// Every known kind of datagram, by ascending number.
            pub const ALL: &[Self] = &[$(Self {
                number: $number,
                name: $name,
                arguments: arguments!($arguments),
                source: DatagramSource::$source,
                is_secret: matches!($number, 93 | 114 | 134),
                read: $read,
            }),+];
        }
    };
}

impl DatagramForm {
    /// Returns the kind of datagram with this number; `None` if the number is unknown.
    pub fn of(number: u32) -> Option<&'static Self> {
        let number = u16::try_from(number).ok()?;
        let at = Self::ALL.binary_search_by_key(&number, |form| form.number).ok()?;
        Self::ALL.get(at)
    }
}

/// A datagram that is handed on by number and arguments.
const PLAIN: Option<Read> = None;

/// The list with which a game starts.
#[rustfmt::skip]
const START: &[ArgumentForm] = arguments!((
    game white black wild kind rated white_minutes white_increment black_minutes black_increment played {example}
    white_rating black_rating id {white_titles} {black_titles} irregular_legality irregular_semantics drops {time_control}
    promotes_to_king
));

/// A move; what is switched off is left out.
const MOVE: &[ArgumentForm] = arguments!((game san smith time clock variation));

/// A rating of a player; annotation 0 for none, 1 for a provisional one, 2 for an established one.
const RATING: &[ArgumentForm] = arguments!((name rating annotation));

#[rustfmt::skip]
forms! {
    0 "who_am_i" (name {titles}) Description Some(people::who_am_i);
    // What stands behind the name depends on what else is switched on.
    1 "player_arrived" (name more) Description Some(people::player_arrived);
    2 "player_left" (name) Description Some(people::player_left);
    3 "bullet" (= RATING) Description PLAIN;
    4 "blitz" (= RATING) Description PLAIN;
    5 "standard" (= RATING) Description PLAIN;
    6 "wild" (= RATING) Description PLAIN;
    7 "bughouse" (= RATING) Description PLAIN;
    8 "timestamp" () Description PLAIN;
    9 "titles" (name {titles}) Description PLAIN;
    10 "open" (open) Description PLAIN;
    11 "state" (name state game) Description PLAIN;
    12 "game_started" (= START) Description Some(games::game_started);
    13 "game_result" (game examined code score {text} {eco}) Description Some(games::game_result);
    14 "examined_game_is_gone" (game) Description PLAIN;
    15 "my_game_started" (= START) Description Some(games::my_game_started);
    16 "my_game_result" (game examined code score {text} {eco}) Description Some(games::game_result);
    17 "my_game_ended" (game) Description Some(games::my_game_ended);
    18 "started_observing" (= START) Description Some(games::started_observing);
    19 "stop_observing" (game) Description Some(games::stop_observing);
    20 "players_in_my_game" (game player symbol kib) Description PLAIN;
    21 "offers_in_my_game" (game white_draw black_draw white_adjourn black_adjourn white_abort black_abort white_takeback
        black_takeback) Description Some(offers::offers);
    22 "takeback" (game plies) Description Some(boards::takeback);
    23 "backward" (game plies) Description Some(boards::backward);
    24 "send_moves" (= MOVE) Description Some(boards::send_moves);
    25 "move_list" (game start {move}) Description Some(boards::move_list);
    26 "kibitz" (game player {titles} kib [text]) Description Some(talk::kibitz);
    27 "people_in_my_channel" (channel player joined) Description PLAIN;
    28 "channel_tell" (channel player {titles} [text] type) Description Some(talk::channel_tell);
    29 "match" (from from_rating from_provisional {from_titles} to to_rating to_provisional {to_titles} wild kind rated adjourned
        from_minutes from_increment to_minutes to_increment color more) Description Some(offers::match_offer);
    30 "match_removed" (from to [text]) Description Some(offers::match_removed);
    31 "personal_tell" (player {titles} [text] type) Description Some(talk::personal_tell);
    32 "shout" (player {titles} type [text]) Description Some(talk::shout);
    33 "move_algebraic" () Description PLAIN;
    34 "move_smith" () Description PLAIN;
    35 "move_time" () Description PLAIN;
    36 "move_clock" () Description PLAIN;
    37 "bughouse_holdings" (game {white} {black}) Description Some(boards::holdings);
    38 "set_clock" (game white black) Clients Some(boards::set_clock);
    39 "flip" (game flip) Description Some(boards::flip);
    40 "isolated_board" (= START) Description Some(games::isolated_board);
    41 "refresh" (game) Description PLAIN;
    42 "illegal_move" (game move reason) Description Some(games::illegal_move);
    43 "my_relation_to_game" (game symbol) Description Some(boards::my_relation);
    44 "partnership" (first second joined) Description Some(people::partnership);
    45 "sees_shouts" (player bits) Description PLAIN;
    46 "channels_shared" (player channel) Description PLAIN;
    47 "my_variable" (name value) Description PLAIN;
    48 "my_string_variable" (name [value]) Description PLAIN;
    // The description leaves the number of the game out; the sources of two clients have it first.
    49 "jboard" (game board side double_push white_short white_long black_short black_long move_number san smith white_clock black_clock
        status flip) Clients PLAIN;
    50 "seek" (index name {titles} rating provisional wild kind minutes increment rated color rating_min rating_max automatic formula
        {time_control}) Clients Some(offers::seek);
    51 "seek_removed" (index reason) Clients Some(offers::seek_removed);
    52 "my_rating" (bullet blitz standard wild bughouse) Description PLAIN;
    53 "sound" (code) Description PLAIN;
    55 "player_arrived_simple" (name) Description Some(people::player_arrived);
    56 "msec" (game color ms running free_ms min_ms) Description Some(boards::msec);
    57 "bughouse_pass" (game color piece) Description PLAIN;
    58 "ip" (player ip) Description PLAIN;
    59 "circle" (game examiner square) Description Some(boards::circle);
    60 "arrow" (game examiner from to) Description Some(boards::arrow);
    61 "moretime" (game color seconds) Description PLAIN;
    62 "personal_tell_echo" (receiver type [text]) Description PLAIN;
    63 "suggestion" ({command} {text} priority suggester {subject} id) Description PLAIN;
    64 "notify_arrived" (name more) Description Some(people::notify_arrived);
    65 "notify_left" (name) Description Some(people::notify_left);
    66 "notify_open" (name open) Description PLAIN;
    67 "notify_state" (name state game) Description PLAIN;
    68 "my_notify_list" (name listed) Description PLAIN;
    69 "login_failed" (code {text}) Description Some(people::login_failed);
    70 "fen" (game {fen}) Description Some(boards::fen);
    71 "tourney_match" (argument) Undescribed PLAIN;
    72 "gamelist_begin" (command {parameters} n_hits first last {summary}) Description PLAIN;
    73 "gamelist_item" (index id event date time white white_rating black black_rating rated kind wild white_minutes white_increment
        black_minutes black_increment eco status color mode {note} here) Description PLAIN;
    74 "idle" (name idle since_read) Description PLAIN;
    75 "ack_ping" (name lag_ms mean variance) Description PLAIN;
    76 "rating_type_key" (index {name}) Description PLAIN;
    77 "game_message" (game {text}) Description PLAIN;
    78 "unaccented" () Description PLAIN;
    79 "stringlist_begin" (n_hits {description}) Description PLAIN;
    80 "stringlist_item" ({text}) Description PLAIN;
    81 "dummy_response" () Description PLAIN;
    82 "channel_qtell" (channel player {titles} [text]) Description Some(talk::channel_qtell);
    83 "personal_qtell" (player {titles} [text]) Description Some(talk::personal_qtell);
    84 "set_board" (game board side) Description Some(boards::set_board);
    85 "match_assessment" () Description PLAIN;
    86 "log_pgn" ([line]) Description PLAIN;
    87 "new_my_rating" (rating) Description PLAIN;
    88 "losers" (= RATING) Description PLAIN;
    89 "uncircle" (game examiner square) Description Some(boards::uncircle);
    90 "unarrow" (game examiner from to) Description Some(boards::unarrow);
    91 "wsuggest" ({url} {text} priority suggester {subject} id) Description PLAIN;
    93 "temporary_password" (password) Description PLAIN;
    94 "messagelist_begin" (command) Description PLAIN;
    95 "messagelist_item" (index sender time date [message]) Description PLAIN;
    96 "list" ({header} row_start {item}) Description PLAIN;
    97 "sji_ad" ({text}) Description PLAIN;
    98 "blitzin_reg" (argument) Undescribed PLAIN;
    99 "qretract" (id) Description PLAIN;
    100 "my_game_change" (= START) Description Some(games::my_game_change);
    101 "position_begin" (game {fen} n_moves) Description Some(boards::position_begin);
    102 "allow_guess" (game teacher token answer) Description PLAIN;
    103 "tourney" (index bits {description} {join} {watch} {info} {confirm}) Description PLAIN;
    104 "remove_tourney" (index) Description PLAIN;
    105 "dialog_start" (bytes) Description PLAIN;
    106 "dialog_data" (data) Description PLAIN;
    107 "dialog_default" (control type {value}) Description PLAIN;
    108 "dialog_end" (modal focus {ok} {cancel} {yes} {no}) Description PLAIN;
    109 "dialog_release" () Description PLAIN;
    110 "position_begin2" (game {fen} n_moves) Description Some(boards::position_begin);
    111 "past_move" (= MOVE) Description Some(boards::past_move);
    112 "pgn_tag" (game tag {value}) Description PLAIN;
    113 "is_variation" () Description PLAIN;
    114 "password" (password handle) Description PLAIN;
    115 "banner" (game {url}) Description PLAIN;
    116 "wild_key" (index {name}) Description PLAIN;
    117 "form_feedback" (field code {text}) Description PLAIN;
    119 "key_version" (version) Description PLAIN;
    120 "switch_servers" (host port ip) Description PLAIN;
    121 "crazyhouse" (= RATING) Description PLAIN;
    122 "plugin_trusted" (index hash) Description PLAIN;
    123 "speak" ({text}) Description PLAIN;
    124 "set2" (datagram on) Description PLAIN;
    125 "fiveminute" (= RATING) Description PLAIN;
    126 "oneminute" (= RATING) Description PLAIN;
    127 "qimpart" (sender [text]) Description PLAIN;
    128 "mugshot" (player {url} game) Description PLAIN;
    129 "translationsokay" () Description PLAIN;
    130 "client_trust_level" () Description PLAIN;
    131 "uid" () Description PLAIN;
    132 "knows_fischer_random" () Description PLAIN;
    133 "free_was_checkers" () Description PLAIN;
    134 "web_auth" (key {prefix} {hosts}) Description PLAIN;
    135 "icclogbot" (argument) Undescribed PLAIN;
    136 "command" (command {arguments}) Description PLAIN;
    137 "tourney_game_started" (event white black id game) Description PLAIN;
    138 "tourney_game_ended" (event white black id score) Description PLAIN;
    139 "my_turn" (game) Description PLAIN;
    140 "correspondence_rating" (= RATING) Description PLAIN;
    141 "disable_premove" (game) Description PLAIN;
    142 "pstat" (initiated first second number) Description PLAIN;
    143 "boardinfo" (game examiner type from to color) Description PLAIN;
    144 "move_lag" (player lag_ms) Description PLAIN;
    145 "fifteenminute" (= RATING) Description PLAIN;
    146 "phraselist_update" (n {text}) Description PLAIN;
    147 "phraselist_item" (n {text}) Description PLAIN;
    148 "menu_speak" (name uid a b c) Description PLAIN;
    149 "threeminute" (= RATING) Description PLAIN;
    150 "fortyfiveminute" (= RATING) Description PLAIN;
    151 "chess960" (= RATING) Description PLAIN;
    152 "country" (player game {country}) Description PLAIN;
    153 "features" (feature) Description PLAIN;
    154 "error" (code language {text} {url}) Description PLAIN;
    155 "group_info" (argument) Undescribed PLAIN;
    156 "channel_info" (argument) Undescribed PLAIN;
    158 "client_info" (n {name} {value}) Description PLAIN;
    159 "zrating" (name type rank rating wins losses draws best changed) Description PLAIN;
    160 "correspondence_move" (game move) Description PLAIN;
    161 "correspondence_game" (target reason begin end id white white_rating black black_rating start last status plies more)
        Description PLAIN;
    162 "no_correspondence_game" (target reason) Description PLAIN;
    163 "list_head" (name list size) Description PLAIN;
    164 "list_end" () Description PLAIN;
    165 "list_item" (name list {value}) Description PLAIN;
    166 "list_added" (name list {value}) Description PLAIN;
    167 "list_removed" (name list {value}) Description PLAIN;
    168 "fail" (command {text}) Description PLAIN;
    169 "note" (name index {text}) Description PLAIN;
    170 "field" (name key {value}) Description PLAIN;
    171 "rating" (name type rank rating need wins losses draws best best_date) Description PLAIN;
    172 "end_profile" (name) Description PLAIN;
    173 "pstat2" (type first second first_wins first_losses first_draws second_wins second_losses second_draws) Description PLAIN;
    174 "examiners_in_game" (game name {titles} joined) Description PLAIN;
    175 "pool_joined" (pool) Description PLAIN;
    176 "pool_left" (pool) Description PLAIN;
    177 "25_5" (= RATING) Description PLAIN;
    178 "login_list_friends" (argument) Undescribed PLAIN;
    179 "login_list_aliases" (argument) Undescribed PLAIN;
    180 "login_list_messages" (argument) Undescribed PLAIN;
    181 "login_list_rooms" (argument) Undescribed PLAIN;
    182 "login_list_adjourned_games" (argument) Undescribed PLAIN;
    183 "login_list_library_games" (argument) Undescribed PLAIN;
    184 "login_list_history_games" (argument) Undescribed PLAIN;
    185 "login_list_censors" (argument) Undescribed PLAIN;
    186 "auth_url" (argument) Undescribed PLAIN;
    187 "pgn" (argument) Undescribed PLAIN;
    188 "in_channel" (id name members {description}) Description PLAIN;
    189 "table_size" (argument) Undescribed PLAIN;
}
