//! Byte streams as a server sends them to a session that observes many games. They are generated from a seed, so that every run
//! decodes the same.
//!
//! Lines end with LF CR; each message starts on a new line and is followed by a prompt. Sources of the forms: the help files of
//! FICS and the recorded sessions in `tests/transcripts/`.

mod game;
mod names;
mod print;
mod rng;

use self::game::Game;
use self::rng::Rng;

const N_GAMES: u32 = 40;
/// Generates a stream from a seed, with at least this many bytes.
type Generator = fn(u64, usize) -> Corpus;

/// Every stream, by name.
pub(crate) const STREAMS: [(&str, Generator); 8] = [
    ("boards", boards),
    ("level2", level2),
    ("mixed", mixed),
    ("chat", chat),
    ("long", long),
    ("wrapped", wrapped),
    ("games", games),
    ("undo", undo),
];
const PROMPT: &[u8] = b"fics% ";
const LINE_END: &[u8] = b"\n\r";

/// A stream, with the number of its lines and boards.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Corpus {
    pub(crate) name: &'static str,
    pub(crate) bytes: Vec<u8>,
    /// Number of nonempty lines, boards included.
    pub(crate) n_lines: u64,
    /// Number of style 12 lines, or of positions after datagrams.
    pub(crate) n_boards: u64,
    /// A second stream to compare with: the positions after datagrams as style 12 lines, or the same number of other boards.
    pub(crate) reference: Vec<u8>,
}

/// Generates boards and prompts only.
pub(crate) fn boards(seed: u64, n_bytes: usize) -> Corpus {
    boards_of("boards", N_GAMES, seed, n_bytes)
}

/// Generates boards of this many concurrent games.
fn boards_of(name: &'static str, n_games: u32, seed: u64, n_bytes: usize) -> Corpus {
    let mut server = Server::new(name, seed, n_games);
    while server.out.bytes.len() < n_bytes {
        let i = server.play_ply();
        server.send_board(i);
        if server.games[i].ending(&mut server.rng).is_some() {
            server.replace_game(i);
            server.send_board(i);
        }
    }
    server.out
}

/// Generates boards of a thousand concurrent games; the reference has the same number of boards, one game at a time.
fn games(seed: u64, n_bytes: usize) -> Corpus {
    let mut corpus = boards_of("games", 1000, seed, n_bytes);
    let mut server = Server::new("games", seed, 1);
    while server.out.n_boards < corpus.n_boards {
        let i = server.play_ply();
        server.send_board(i);
        if server.games[i].ending(&mut server.rng).is_some() {
            server.replace_game(i);
        }
    }
    corpus.reference = server.out.bytes;
    corpus
}

/// Generates a game whose last ply is repeatedly taken back and played again, at ply 2,000; in the reference at ply 20.
fn undo(seed: u64, n_bytes: usize) -> Corpus {
    // A board has 180 bytes, and the first 2,000 boards lead to the ply.
    let n_boards = 2000 + n_bytes / 180;
    let reference = undo_at(20, seed, n_boards).bytes;
    Corpus { reference, ..undo_at(2000, seed, n_boards) }
}

/// Generates `n_boards` boards: those up to the ply, then the last two repeatedly.
fn undo_at(n_plies: usize, seed: u64, n_boards: usize) -> Corpus {
    let mut server = Server::new("undo", seed, 1);
    let mut lines = vec![server.games[0].style12()];
    for _ in 0..n_plies {
        server.games[0].play_knight_move();
        lines.push(server.games[0].style12());
    }
    let last_two = lines[n_plies - 1..].to_vec();
    for line in lines.iter().chain(last_two.iter().cycle()).take(n_boards) {
        server.send_message(&[line]);
    }
    server.out
}

/// Generates shouts of ten thousand bytes each.
fn long(seed: u64, n_bytes: usize) -> Corpus {
    let mut server = Server::new("long", seed, N_GAMES);
    while server.out.bytes.len() < n_bytes {
        let mut line = format!("{} shouts:", names::name(&mut server.rng));
        while line.len() < 10_000 {
            line += " ";
            line += &names::chat(&mut server.rng);
        }
        server.send_message(&[&line]);
    }
    server.out
}

/// Generates tells that the server wraps at its width.
fn wrapped(seed: u64, n_bytes: usize) -> Corpus {
    let mut server = Server::new("wrapped", seed, N_GAMES);
    while server.out.bytes.len() < n_bytes {
        let mut words = format!("{} tells you:", names::name(&mut server.rng));
        while words.len() < 120 {
            words += " ";
            words += &names::chat(&mut server.rng);
        }
        let width = words.get(..79).and_then(|line| line.rfind(' ')).unwrap_or(words.len());
        let (first, second) = words.split_at(width);
        let line = format!("{first}\n\r\\  {second}");
        server.send_message(&[&line]);
    }
    server.out
}

/// Generates the moves of games as ICC's datagrams, each on a line of its own; the reference has the same positions as boards.
fn level2(seed: u64, n_bytes: usize) -> Corpus {
    let mut server = Server::new("level2", seed, N_GAMES);
    // The prompt shows the family, and only ICC sends datagrams.
    server.out.bytes = b"aics% ".to_vec();
    for game in &mut server.games {
        game.use_icc_clocks();
    }
    for i in 0..server.games.len() {
        server.send_start_list(i);
    }
    while server.out.bytes.len() < n_bytes {
        let i = server.play_ply();
        let unit = server.games[i].send_moves();
        server.send_units(i, &unit);
        if server.games[i].ending(&mut server.rng).is_some() {
            let result =
                format!("\x19(16 {} 0 Agr 1/2-1/2 {{Game drawn by agreement}} {{A00}}\x19)\r\n", server.games[i].id);
            server.out.bytes.extend_from_slice(result.as_bytes());
            server.out.n_lines += 1;
            server.replace_game(i);
            server.games[i].use_icc_clocks();
            server.send_start_list(i);
        }
    }
    server.out
}

/// Generates the output of a busy server: about 60 % boards; chat, seeks, holdings, starts and ends of games.
pub(crate) fn mixed(seed: u64, n_bytes: usize) -> Corpus {
    let mut server = Server::new("mixed", seed, N_GAMES);
    while server.out.bytes.len() < n_bytes {
        match server.rng.below(100) {
            0..62 => server.send_ply(),
            62..78 => server.send_chat(),
            78..94 => server.send_seek(),
            94..99 => server.send_notice(),
            _ => server.send_reply(),
        }
    }
    server.out
}

/// Generates talk only.
fn chat(seed: u64, n_bytes: usize) -> Corpus {
    let mut server = Server::new("chat", seed, N_GAMES);
    while server.out.bytes.len() < n_bytes {
        server.send_chat();
    }
    server.out
}

/// A generator of a server's output.
struct Server {
    out: Corpus,
    rng: Rng,
    games: Vec<Game>,
}

impl Server {
    fn new(name: &'static str, seed: u64, n_games: u32) -> Self {
        let mut rng = Rng::new(seed);
        let games = (1..=n_games).map(|i| Game::new(i * 7, &mut rng)).collect();
        let mut out = Corpus { name, ..Corpus::default() };
        out.bytes.extend_from_slice(PROMPT);
        Self { out, rng, games }
    }

    /// Sends lines without a request: on a new line, followed by a prompt.
    fn send_message(&mut self, lines: &[&str]) {
        self.out.bytes.extend_from_slice(LINE_END);
        self.reply_lines(lines);
    }

    /// Sends lines directly after the last prompt, followed by a prompt.
    fn reply_lines(&mut self, lines: &[&str]) {
        for line in lines {
            self.send_line(line);
        }
        self.out.bytes.extend_from_slice(PROMPT);
    }

    /// Sends a line and counts it.
    fn send_line(&mut self, line: &str) {
        self.out.n_lines += u64::from(!line.is_empty());
        self.out.n_boards += u64::from(line.starts_with("<12>"));
        self.out.bytes.extend_from_slice(line.as_bytes());
        self.out.bytes.extend_from_slice(LINE_END);
    }

    fn send_start_list(&mut self, i: usize) {
        let units = self.games[i].start_list();
        self.send_units(i, &units);
    }

    /// Sends level-2 units that lead to the position of a game, and adds that position to the reference.
    fn send_units(&mut self, i: usize, units: &str) {
        self.out.bytes.extend_from_slice(units.as_bytes());
        self.out.bytes.extend_from_slice(b"\r\n");
        self.out.n_lines += 1;
        self.out.n_boards += 1;
        self.out.reference.extend_from_slice(self.games[i].style12().as_bytes());
        self.out.reference.extend_from_slice(LINE_END);
    }

    /// Plays one ply in a random game without sending it; returns the index of the game.
    fn play_ply(&mut self) -> usize {
        let i = self.rng.index(self.games.len());
        self.games[i].play_random_move(&mut self.rng);
        i
    }

    fn send_board(&mut self, i: usize) {
        let board = self.games[i].style12();
        self.send_message(&[&board]);
    }

    /// Plays one ply and sends its lines; replaces a game that is over.
    fn send_ply(&mut self) {
        let i = self.play_ply();
        if let Some(passed_piece) = self.games[i].passed_piece() {
            self.send_message(&[&passed_piece]);
        }
        if self.games[i].is_crazyhouse {
            let (board, holdings) = (self.games[i].style12(), self.games[i].holdings());
            self.send_message(&[&board, &holdings]);
        } else {
            self.send_board(i);
        }
        if let Some(ending) = self.games[i].ending(&mut self.rng) {
            self.send_next_game(i, &ending);
        }
    }

    /// Sends the end of a game, and the start of the game that replaces it.
    fn send_next_game(&mut self, i: usize, ending: &str) {
        let id = self.games[i].id;
        self.send_message(&[ending, "", &format!("Removing game {id} from observation list.")]);
        self.replace_game(i);
        let announcement = self.games[i].announcement();
        self.send_message(&[&announcement]);
        let observing = format!("You are now observing game {}.", self.games[i].id);
        let players = self.games[i].observed_game_line(&mut self.rng);
        let board = self.games[i].style12();
        self.reply_lines(&[&observing, &players, "", &board]);
    }

    /// Replaces a game by a new one, whose number no current game has, without sending it.
    fn replace_game(&mut self, i: usize) {
        // Numbers of games that are over are used again.
        let highest = 10 * u32::try_from(self.games.len()).unwrap_or(N_GAMES);
        let mut id = self.rng.between(1, highest);
        while self.games.len() > 1 && self.games.iter().any(|game| game.id == id) {
            id = self.rng.between(1, highest);
        }
        self.games[i] = Game::new(id, &mut self.rng);
    }

    fn send_chat(&mut self) {
        let rng = &mut self.rng;
        let (name, titles, text) = (names::name(rng), names::titles(rng), names::chat(rng));
        let game = self.games[rng.index(self.games.len())].id;
        let rating = names::rating(rng);
        let line = match rng.below(100) {
            0..45 => format!("{name}{titles}({}): {text}", rng.pick(&[1, 4, 30, 49, 50, 53, 88])),
            45..60 => format!("{name}{titles}({rating})[{game}] kibitzes: {text}"),
            60..67 => format!("{name}{titles}({rating})[{game}] whispers: {text}"),
            67..77 => format!("{name}{titles} tells you: {text}"),
            77..89 => format!("{name}{titles} shouts: {text}"),
            89..95 => format!("--> {name}{titles} {text}"),
            95..98 => format!("{name}{titles} c-shouts: {text}"),
            98 => format!(":{name}(TD) t-shouts: {text}"),
            _ => format!("{name}{titles}[{game}] says: {text}"),
        };
        self.send_message(&[&line]);
    }

    fn send_seek(&mut self) {
        let rng = &mut self.rng;
        let index = rng.between(1, 200);
        if rng.percent(45) {
            let line = format!("<sr> {index}");
            return self.send_message(&[&line]);
        }
        let (name, bits, rating) = (names::name(rng), rng.pick(&["00", "01", "02", "06"]), rng.between(800, 2400));
        let (minutes, increment) = rng.pick(&[(3, 0), (5, 0), (1, 0), (2, 12), (15, 10)]);
        let kind = rng.pick(&["blitz", "lightning", "standard", "suicide", "crazyhouse", "wild/fr"]);
        let (rated, color) = (rng.pick(&["r", "u"]), rng.pick(&["?", "?", "?", "W", "B"]));
        let line = format!(
            "<s> {index} w={name} ti={bits} rt={rating}  t={minutes} i={increment} r={rated} tp={kind} c={color} rr=0-9999 a=t f=f"
        );
        self.send_message(&[&line]);
    }

    fn send_notice(&mut self) {
        let rng = &mut self.rng;
        let (name, other) = (names::name(rng), names::name(rng));
        let game = self.games[rng.index(self.games.len())].id;
        let line = match rng.below(6) {
            0 => format!("Notification: {name} has arrived."),
            1 => format!("Notification: {name} has departed."),
            2 => format!("Game {game}: {name} offers a draw."),
            3 => format!("Game {game}: {name} declines the draw request."),
            4 => format!("{{Game {} ({name} vs. {other}) Creating unrated blitz match.}}", rng.between(300, 500)),
            _ => format!("{{Game {} ({name} vs. {other}) {name} resigns}} 0-1", rng.between(300, 500)),
        };
        self.send_message(&[&line]);
    }

    /// Sends the reply to a command of this session, directly after the prompt.
    fn send_reply(&mut self) {
        let name = names::name(&mut self.rng);
        match self.rng.below(3) {
            0 => self.reply_lines(&[]),
            1 => self.reply_lines(&[&format!("(told {name}, who is playing)")]),
            _ => self.reply_lines(&["(told 31 players in channel 50 \"General chat\")"]),
        }
    }
}
