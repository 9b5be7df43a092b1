//! The table of ICC's datagrams: number, name, arguments, and parser.
//!
//! An argument is a name: plain for a word, in braces for `{…}`, in square brackets for `^Y{…^Y}`. In lists the last
//! one may be repeated.
//!
//! Source: ICC's description of its level-2 format; for the rows marked so, clients and captures.

use smallvec::smallvec;

use crate::message::GameUpdateKind::{Fen, Flip, PastMove, Position, TookBack, WentBack};
use crate::message::IccGameStartReason::{Changed, Foreign, Isolated, Mine, Observed};
use crate::message::PresenceChangeKind::{Arrived, Departed};
use crate::message::PresenceReportReason::{Notify, Pin};
use crate::message::TalkKind::{ChannelTell, Qtell};
use crate::message::icc::arguments::{ArgumentSpec, NamedArguments, Quoting};
use crate::message::icc::offers::EarlierDatagrams;
use crate::message::icc::table::ArgumentParser::{Generic, Stateful, Stateless};
use crate::message::icc::{DatagramMessages, boards, games, offers, players};
use crate::message::{LoginRefusal, Message, ObservingUpdate};

/// A kind of datagram: number, name, arguments and parser. [`ALL`](Self::ALL) has every known one, and is used both to parse and to
/// write datagrams.
#[derive(Debug)]
pub(crate) struct DatagramKind {
    /// The number after `^Y(`, and in the list of datagrams that a client switches on.
    pub(crate) number: u16,
    /// The name in ICC's description of the format.
    pub(crate) name: &'static str,
    /// The arguments, in order. Servers append to the list over the years, and may omit arguments that are switched
    /// off.
    pub(super) arguments: &'static [ArgumentSpec],
    /// Whether an argument is a password or a key, which must never be logged.
    pub(super) is_secret: bool,
    pub(super) parser: ArgumentParser,
}

/// How the arguments of a kind of datagram become messages. If a function returns `None`, the datagram is emitted as a
/// [`Datagram`](super::Datagram).
#[derive(Debug)]
pub(super) enum ArgumentParser {
    /// The datagram is always emitted as a [`Datagram`](super::Datagram).
    Generic,
    /// Parses the arguments alone.
    Stateless(fn(&NamedArguments<'_>) -> Option<Message>),
    /// Also reads or updates the facts that earlier datagrams reported.
    Stateful(fn(&NamedArguments<'_>, &mut EarlierDatagrams) -> Option<DatagramMessages>),
}

impl DatagramKind {
    /// Returns the kind of datagram with this number; `None` if the number is unknown.
    pub(crate) fn by_number(number: u32) -> Option<&'static Self> {
        let number = u16::try_from(number).ok()?;
        // The list has few gaps, so most kinds are at the index of their number.
        let at_number = Self::ALL.get(usize::from(number)).filter(|kind| kind.number == number);
        at_number.or_else(|| Self::ALL.get(Self::ALL.binary_search_by_key(&number, |kind| kind.number).ok()?))
    }

    /// Parses the text after the number of a datagram of this kind; `None` if there is no message for it.
    pub(super) fn parse(&'static self, text: &[u8], known: &mut EarlierDatagrams) -> Option<DatagramMessages> {
        match self.parser {
            Generic => None,
            Stateless(parse) => parse(&NamedArguments::split(self.arguments, text)).map(|message| smallvec![message]),
            Stateful(parse) => parse(&NamedArguments::split(self.arguments, text), known),
        }
    }
}

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
    ($($number:literal $name:literal $arguments:tt $parser:expr;)+) => {
        impl DatagramKind {
            /// Every known kind of datagram, by ascending number.
            pub(crate) const ALL: &[Self] = &[$(Self {
                number: $number,
                name: $name,
                arguments: arguments!($arguments),
                is_secret: matches!($number, 93 | 114 | 134),
                parser: $parser,
            }),+];
        }
    };
}

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
    0 "who_am_i" (name {titles}) Stateful(players::parse_own_name);
    // The arguments after the name depend on what else is switched on.
    1 "player_arrived" (name more) Stateless(|a| players::parse_arrival(a, Arrived, Pin));
    2 "player_left" (name) Stateless(|a| players::parse_arrival(a, Departed, Pin));
    3 "bullet" (= RATING) Generic;
    4 "blitz" (= RATING) Generic;
    5 "standard" (= RATING) Generic;
    6 "wild" (= RATING) Generic;
    7 "bughouse" (= RATING) Generic;
    8 "timestamp" () Generic;
    9 "titles" (name {titles}) Generic;
    10 "open" (open) Generic;
    11 "state" (name state game) Generic;
    12 "game_started" (= START) Stateful(|a, known| games::parse_game_start(a, known, Foreign));
    13 "game_result" (game examined code score {text} {eco}) Stateful(games::parse_game_result);
    14 "examined_game_is_gone" (game) Generic;
    15 "my_game_started" (= START) Stateful(|a, known| games::parse_game_start(a, known, Mine));
    16 "my_game_result" (game examined code score {text} {eco}) Stateful(games::parse_game_result);
    17 "my_game_ended" (game) Stateless(games::parse_my_game_ended);
    18 "started_observing" (= START) Stateful(|a, known| games::parse_game_start(a, known, Observed));
    19 "stop_observing" (game) Stateless(|a| Some(ObservingUpdate { game: a.game()?, is_observed: false }.into()));
    20 "players_in_my_game" (game player symbol kib) Generic;
    21 "offers_in_my_game" (game white_draw black_draw white_adjourn black_adjourn white_abort black_abort white_takeback
        black_takeback) Stateful(offers::parse_offers);
    22 "takeback" (game plies) Stateless(|a| boards::game_update(a, TookBack { plies: a.number("plies")? }));
    23 "backward" (game plies) Stateless(|a| boards::game_update(a, WentBack { plies: a.number("plies")? }));
    24 "send_moves" (= MOVE) Stateful(boards::parse_move);
    25 "move_list" (game start {move}) Stateless(boards::parse_move_list);
    26 "kibitz" (game player {titles} kib [text]) Stateless(players::parse_kibitz);
    27 "people_in_my_channel" (channel player joined) Generic;
    28 "channel_tell" (channel player {titles} [text] type) Stateless(players::parse_channel_tell);
    29 "match" (from from_rating from_provisional {from_titles} to to_rating to_provisional {to_titles} wild kind rated adjourned
        from_minutes from_increment to_minutes to_increment color more) Stateful(offers::parse_match_offer);
    30 "match_removed" (from to [text]) Stateful(offers::parse_match_removed);
    31 "personal_tell" (player {titles} [text] type) Stateless(players::parse_personal_tell);
    32 "shout" (player {titles} type [text]) Stateless(players::parse_shout);
    33 "move_algebraic" () Generic;
    34 "move_smith" () Generic;
    35 "move_time" () Generic;
    36 "move_clock" () Generic;
    37 "bughouse_holdings" (game {white} {black}) Stateless(boards::parse_holdings);
    38 "set_clock" (game white black) Stateless(boards::parse_set_clock); // order from the sources of clients
    39 "flip" (game flip) Stateless(|a| boards::game_update(a, Flip(a.flag("flip")?)));
    40 "isolated_board" (= START) Stateful(|a, known| games::parse_game_start(a, known, Isolated));
    41 "refresh" (game) Generic;
    42 "illegal_move" (game move reason) Stateless(games::parse_illegal_move);
    43 "my_relation_to_game" (game symbol) Stateful(boards::parse_my_role);
    44 "partnership" (first second joined) Stateful(players::parse_partnership);
    45 "sees_shouts" (player bits) Generic;
    46 "channels_shared" (player channel) Generic;
    47 "my_variable" (name value) Generic;
    48 "my_string_variable" (name [value]) Generic;
    // The description leaves the number of the game out; the sources of two clients have it first.
    49 "jboard" (game board side double_push white_short white_long black_short black_long move_number san smith white_clock black_clock
        status flip) Generic; // order from the sources of clients
    50 "seek" (index name {titles} rating provisional wild kind minutes increment rated color rating_min rating_max automatic formula
        {time_control}) Stateless(offers::parse_seek); // order from the sources of clients
    51 "seek_removed" (index reason) Stateless(offers::parse_seek_removed); // order from the sources of clients
    52 "my_rating" (bullet blitz standard wild bughouse) Generic;
    53 "sound" (code) Generic;
    55 "player_arrived_simple" (name) Stateless(|a| players::parse_arrival(a, Arrived, Pin));
    56 "msec" (game color ms running free_ms min_ms) Stateless(boards::parse_running_clock);
    57 "bughouse_pass" (game color piece) Generic;
    58 "ip" (player ip) Generic;
    59 "circle" (game examiner square) Stateless(|a| boards::parse_square_mark(a, true));
    60 "arrow" (game examiner from to) Stateless(|a| boards::parse_square_mark(a, true));
    61 "moretime" (game color seconds) Generic;
    62 "personal_tell_echo" (receiver type [text]) Generic;
    63 "suggestion" ({command} {text} priority suggester {subject} id) Generic;
    64 "notify_arrived" (name more) Stateless(|a| players::parse_arrival(a, Arrived, Notify));
    65 "notify_left" (name) Stateless(|a| players::parse_arrival(a, Departed, Notify));
    66 "notify_open" (name open) Generic;
    67 "notify_state" (name state game) Generic;
    68 "my_notify_list" (name listed) Generic;
    69 "login_failed" (code {text}) Stateless(|a| Some(LoginRefusal::from_icc_code(a.number("code")?).into()));
    70 "fen" (game {fen}) Stateless(|a| boards::game_update(a, Fen(boards::fen_argument(a)?)));
    71 "tourney_match" (argument) Generic; // not described
    72 "gamelist_begin" (command {parameters} n_hits first last {summary}) Generic;
    73 "gamelist_item" (index id event date time white white_rating black black_rating rated kind wild white_minutes white_increment
        black_minutes black_increment eco status color mode {note} here) Generic;
    74 "idle" (name idle since_read) Generic;
    75 "ack_ping" (name lag_ms mean variance) Generic;
    76 "rating_type_key" (index {name}) Generic;
    77 "game_message" (game {text}) Generic;
    78 "unaccented" () Generic;
    79 "stringlist_begin" (n_hits {description}) Generic;
    80 "stringlist_item" ({text}) Generic;
    81 "dummy_response" () Generic;
    82 "channel_qtell" (channel player {titles} [text]) Stateless(|a| players::parse_qtell(a, ChannelTell { channel: a.number("channel")? }));
    83 "personal_qtell" (player {titles} [text]) Stateless(|a| players::parse_qtell(a, Qtell));
    84 "set_board" (game board side) Stateless(boards::parse_set_board);
    85 "match_assessment" () Generic;
    86 "log_pgn" ([line]) Generic;
    87 "new_my_rating" (rating) Generic;
    88 "losers" (= RATING) Generic;
    89 "uncircle" (game examiner square) Stateless(|a| boards::parse_square_mark(a, false));
    90 "unarrow" (game examiner from to) Stateless(|a| boards::parse_square_mark(a, false));
    91 "wsuggest" ({url} {text} priority suggester {subject} id) Generic;
    93 "temporary_password" (password) Generic;
    94 "messagelist_begin" (command) Generic;
    95 "messagelist_item" (index sender time date [message]) Generic;
    96 "list" ({header} row_start {item}) Generic;
    97 "sji_ad" ({text}) Generic;
    98 "blitzin_reg" (argument) Generic; // not described
    99 "qretract" (id) Generic;
    100 "my_game_change" (= START) Stateful(|a, known| games::parse_game_start(a, known, Changed));
    101 "position_begin" (game {fen} n_moves) Stateless(|a| {
        boards::game_update(a, Position { fen: boards::fen_argument(a)?, n_moves: a.number("n_moves")? }) });
    102 "allow_guess" (game teacher token answer) Generic;
    103 "tourney" (index bits {description} {join} {watch} {info} {confirm}) Generic;
    104 "remove_tourney" (index) Generic;
    105 "dialog_start" (bytes) Generic;
    106 "dialog_data" (data) Generic;
    107 "dialog_default" (control type {value}) Generic;
    108 "dialog_end" (modal focus {ok} {cancel} {yes} {no}) Generic;
    109 "dialog_release" () Generic;
    110 "position_begin2" (game {fen} n_moves) Stateless(|a| {
        boards::game_update(a, Position { fen: boards::fen_argument(a)?, n_moves: a.number("n_moves")? }) });
    111 "past_move" (= MOVE) Stateless(|a| boards::game_update(a, PastMove(boards::move_arguments(a)?)));
    112 "pgn_tag" (game tag {value}) Generic;
    113 "is_variation" () Generic;
    114 "password" (password handle) Generic;
    115 "banner" (game {url}) Generic;
    116 "wild_key" (index {name}) Generic;
    117 "form_feedback" (field code {text}) Generic;
    119 "key_version" (version) Generic;
    120 "switch_servers" (host port ip) Generic;
    121 "crazyhouse" (= RATING) Generic;
    122 "plugin_trusted" (index hash) Generic;
    123 "speak" ({text}) Generic;
    124 "set2" (datagram on) Generic;
    125 "fiveminute" (= RATING) Generic;
    126 "oneminute" (= RATING) Generic;
    127 "qimpart" (sender [text]) Generic;
    128 "mugshot" (player {url} game) Generic;
    129 "translationsokay" () Generic;
    130 "client_trust_level" () Generic;
    131 "uid" () Generic;
    132 "knows_fischer_random" () Generic;
    133 "free_was_checkers" () Generic;
    134 "web_auth" (key {prefix} {hosts}) Generic;
    135 "icclogbot" (argument) Generic; // not described
    136 "command" (command {arguments}) Generic;
    137 "tourney_game_started" (event white black id game) Generic;
    138 "tourney_game_ended" (event white black id score) Generic;
    139 "my_turn" (game) Generic;
    140 "correspondence_rating" (= RATING) Generic;
    141 "disable_premove" (game) Generic;
    142 "pstat" (initiated first second number) Generic;
    143 "boardinfo" (game examiner type from to color) Generic;
    144 "move_lag" (player lag_ms) Generic;
    145 "fifteenminute" (= RATING) Generic;
    146 "phraselist_update" (n {text}) Generic;
    147 "phraselist_item" (n {text}) Generic;
    148 "menu_speak" (name uid a b c) Generic;
    149 "threeminute" (= RATING) Generic;
    150 "fortyfiveminute" (= RATING) Generic;
    151 "chess960" (= RATING) Generic;
    152 "country" (player game {country}) Generic;
    153 "features" (feature) Generic;
    154 "error" (code language {text} {url}) Generic;
    155 "group_info" (argument) Generic; // not described
    156 "channel_info" (argument) Generic; // not described
    158 "client_info" (n {name} {value}) Generic;
    159 "zrating" (name type rank rating wins losses draws best changed) Generic;
    160 "correspondence_move" (game move) Generic;
    161 "correspondence_game" (target reason begin end id white white_rating black black_rating start last status plies more) Generic;
    162 "no_correspondence_game" (target reason) Generic;
    163 "list_head" (name list size) Generic;
    164 "list_end" () Generic;
    165 "list_item" (name list {value}) Generic;
    166 "list_added" (name list {value}) Generic;
    167 "list_removed" (name list {value}) Generic;
    168 "fail" (command {text}) Generic;
    169 "note" (name index {text}) Generic;
    170 "field" (name key {value}) Generic;
    171 "rating" (name type rank rating need wins losses draws best best_date) Generic;
    172 "end_profile" (name) Generic;
    173 "pstat2" (type first second first_wins first_losses first_draws second_wins second_losses second_draws) Generic;
    174 "examiners_in_game" (game name {titles} joined) Generic;
    175 "pool_joined" (pool) Generic;
    176 "pool_left" (pool) Generic;
    177 "25_5" (= RATING) Generic;
    178 "login_list_friends" (argument) Generic; // not described
    179 "login_list_aliases" (argument) Generic; // not described
    180 "login_list_messages" (argument) Generic; // not described
    181 "login_list_rooms" (argument) Generic; // not described
    182 "login_list_adjourned_games" (argument) Generic; // not described
    183 "login_list_library_games" (argument) Generic; // not described
    184 "login_list_history_games" (argument) Generic; // not described
    185 "login_list_censors" (argument) Generic; // not described
    186 "auth_url" (argument) Generic; // not described
    187 "pgn" (argument) Generic; // not described
    188 "in_channel" (id name members {description}) Generic;
    189 "table_size" (argument) Generic; // not described
}
