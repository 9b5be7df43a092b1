//! Byte streams as a server sends them to a session that observes many games: seeded, so every run reads the same.
//!
//! Lines end in LF CR; each message starts on a fresh line and has a prompt behind it. Sources for the forms: the help
//! files of FICS and the recorded sessions in `tests/transcripts/`.

mod game;
mod names;
mod print;
mod rng;

use self::game::Game;
use self::rng::Rng;

const N_GAMES: u32 = 40;
/// Makes a stream of so many bytes from a seed.
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

/// A stream and what is in it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Corpus {
    pub(crate) name: &'static str,
    pub(crate) bytes: Vec<u8>,
    /// Lines that hold something, boards included; prompts and empty lines are not counted.
    pub(crate) n_lines: u64,
    /// Style 12 lines, or boards that datagrams lead to.
    pub(crate) n_boards: u64,
    /// A second stream to compare with: the boards that datagrams lead to, as lines; or as many boards of another kind.
    pub(crate) reference: Vec<u8>,
}

/// Boards one after the other, no other line between them but prompts.
pub(crate) fn boards(seed: u64, n_bytes: usize) -> Corpus {
    boards_of("boards", N_GAMES, seed, n_bytes)
}

fn boards_of(name: &'static str, n_games: u32, seed: u64, n_bytes: usize) -> Corpus {
    let mut server = Server::new(name, seed, n_games);
    while server.out.bytes.len() < n_bytes {
        let i = server.play();
        server.board(i);
        if server.games[i].end(&mut server.rng).is_some() {
            server.start_game(i);
            server.board(i);
        }
    }
    server.out
}

/// Boards of a thousand games at once; and as many of one game at a time.
fn games(seed: u64, n_bytes: usize) -> Corpus {
    let mut corpus = boards_of("games", 1000, seed, n_bytes);
    let mut server = Server::new("games", seed, 1);
    while server.out.n_boards < corpus.n_boards {
        let i = server.play();
        server.board(i);
        if server.games[i].end(&mut server.rng).is_some() {
            server.start_game(i);
        }
    }
    corpus.reference = server.out.bytes;
    corpus
}

/// A game in which the last ply is taken back and played again, over and over, at ply 2,000; and the same at ply 20.
fn undo(seed: u64, n_bytes: usize) -> Corpus {
    // 180 bytes a board, 2,000 of which lead there.
    let n_boards = 2000 + n_bytes / 180;
    let reference = undo_at(20, seed, n_boards).bytes;
    Corpus { reference, ..undo_at(2000, seed, n_boards) }
}

fn undo_at(n_plies: usize, seed: u64, n_boards: usize) -> Corpus {
    let mut server = Server::new("undo", seed, 1);
    let mut lines = vec![server.games[0].style12()];
    for _ in 0..n_plies {
        server.games[0].move_a_knight();
        lines.push(server.games[0].style12());
    }
    let last_two = lines[n_plies - 1..].to_vec();
    for line in lines.iter().chain(last_two.iter().cycle()).take(n_boards) {
        server.message(&[line]);
    }
    server.out
}

/// A player's lines of ten thousand bytes.
fn long(seed: u64, n_bytes: usize) -> Corpus {
    let mut server = Server::new("long", seed, N_GAMES);
    while server.out.bytes.len() < n_bytes {
        let mut line = format!("{} shouts:", names::name(&mut server.rng));
        while line.len() < 10_000 {
            line += " ";
            line += &names::chat(&mut server.rng);
        }
        server.message(&[&line]);
    }
    server.out
}

/// Tells that the server breaks at its width.
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
        server.message(&[&line]);
    }
    server.out
}

/// The moves of the same games as ICC's datagrams have them, each on a line of its own.
fn level2(seed: u64, n_bytes: usize) -> Corpus {
    let mut server = Server::new("level2", seed, N_GAMES);
    // The prompt shows the family, and only ICC sends datagrams.
    server.out.bytes = b"aics% ".to_vec();
    for game in &mut server.games {
        game.speak_icc();
    }
    for i in 0..server.games.len() {
        server.start_list(i);
    }
    while server.out.bytes.len() < n_bytes {
        let i = server.play();
        let unit = server.games[i].send_moves();
        server.unit(i, &unit);
        if server.games[i].end(&mut server.rng).is_some() {
            let result =
                format!("\x19(16 {} 0 Agr 1/2-1/2 {{Game drawn by agreement}} {{A00}}\x19)\r\n", server.games[i].id);
            server.out.bytes.extend_from_slice(result.as_bytes());
            server.out.n_lines += 1;
            server.start_game(i);
            server.games[i].speak_icc();
            server.start_list(i);
        }
    }
    server.out
}

/// A busy evening: of a hundred messages about sixty are boards; chat, seeks, holdings, starts and ends between them.
pub(crate) fn mixed(seed: u64, n_bytes: usize) -> Corpus {
    let mut server = Server::new("mixed", seed, N_GAMES);
    while server.out.bytes.len() < n_bytes {
        match server.rng.below(100) {
            0..62 => server.ply(),
            62..78 => server.chat(),
            78..94 => server.seek(),
            94..99 => server.notice(),
            _ => server.reply(),
        }
    }
    server.out
}

/// Talk and nothing else.
fn chat(seed: u64, n_bytes: usize) -> Corpus {
    let mut server = Server::new("chat", seed, N_GAMES);
    while server.out.bytes.len() < n_bytes {
        server.chat();
    }
    server.out
}

struct Server {
    out: Corpus,
    rng: Rng,
    games: Vec<Game>,
}

impl Server {
    fn new(name: &'static str, seed: u64, n_games: u32) -> Self {
        let mut rng = Rng::new(seed);
        let games = (1..=n_games).map(|i| Game::start(i * 7, &mut rng)).collect();
        let mut out = Corpus { name, ..Corpus::default() };
        out.bytes.extend_from_slice(PROMPT);
        Self { out, rng, games }
    }

    /// A message of some lines, as they come unasked: on a fresh line, a prompt behind.
    fn message(&mut self, lines: &[&str]) {
        self.out.bytes.extend_from_slice(LINE_END);
        self.reply_lines(lines);
    }

    /// Lines right behind the last prompt, then a prompt.
    fn reply_lines(&mut self, lines: &[&str]) {
        for line in lines {
            self.line(line);
        }
        self.out.bytes.extend_from_slice(PROMPT);
    }

    fn line(&mut self, line: &str) {
        self.out.n_lines += u64::from(!line.is_empty());
        self.out.n_boards += u64::from(line.starts_with("<12>"));
        self.out.bytes.extend_from_slice(line.as_bytes());
        self.out.bytes.extend_from_slice(LINE_END);
    }

    fn start_list(&mut self, i: usize) {
        let units = self.games[i].start_list();
        self.unit(i, &units);
    }

    /// Units that lead to the board of a game.
    fn unit(&mut self, i: usize, units: &str) {
        self.out.bytes.extend_from_slice(units.as_bytes());
        self.out.bytes.extend_from_slice(b"\r\n");
        self.out.n_lines += 1;
        self.out.n_boards += 1;
        self.out.reference.extend_from_slice(self.games[i].style12().as_bytes());
        self.out.reference.extend_from_slice(LINE_END);
    }

    /// Plays one ply in one of the games, and tells in which.
    fn play(&mut self) -> usize {
        let i = self.rng.index(self.games.len());
        self.games[i].play(&mut self.rng);
        i
    }

    fn board(&mut self, i: usize) {
        let board = self.games[i].style12();
        self.message(&[&board]);
    }

    /// One ply with all that belongs to it; a game that is over makes room for a new one.
    fn ply(&mut self) {
        let i = self.play();
        if let Some(passed_piece) = self.games[i].passed_piece() {
            self.message(&[&passed_piece]);
        }
        if self.games[i].is_crazyhouse {
            let (board, holdings) = (self.games[i].style12(), self.games[i].holdings());
            self.message(&[&board, &holdings]);
        } else {
            self.board(i);
        }
        if let Some(ending) = self.games[i].end(&mut self.rng) {
            self.change_game(i, &ending);
        }
    }

    fn change_game(&mut self, i: usize, ending: &str) {
        let id = self.games[i].id;
        self.message(&[ending, "", &format!("Removing game {id} from observation list.")]);
        self.start_game(i);
        let announcement = self.games[i].announcement();
        self.message(&[&announcement]);
        let observing = format!("You are now observing game {}.", self.games[i].id);
        let players = self.games[i].observation(&mut self.rng);
        let board = self.games[i].style12();
        self.reply_lines(&[&observing, &players, "", &board]);
    }

    /// Puts a new game in the place of one that is over; no two games have the same number.
    fn start_game(&mut self, i: usize) {
        // Ten numbers for each game: those of games that are over are used again.
        let highest = 10 * u32::try_from(self.games.len()).unwrap_or(N_GAMES);
        let mut id = self.rng.between(1, highest);
        while self.games.len() > 1 && self.games.iter().any(|game| game.id == id) {
            id = self.rng.between(1, highest);
        }
        self.games[i] = Game::start(id, &mut self.rng);
    }

    fn chat(&mut self) {
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
        self.message(&[&line]);
    }

    fn seek(&mut self) {
        let rng = &mut self.rng;
        let index = rng.between(1, 200);
        if rng.percent(45) {
            let line = format!("<sr> {index}");
            return self.message(&[&line]);
        }
        let (name, bits, rating) = (names::name(rng), rng.pick(&["00", "01", "02", "06"]), rng.between(800, 2400));
        let (minutes, increment) = rng.pick(&[(3, 0), (5, 0), (1, 0), (2, 12), (15, 10)]);
        let kind = rng.pick(&["blitz", "lightning", "standard", "suicide", "crazyhouse", "wild/fr"]);
        let (rated, color) = (rng.pick(&["r", "u"]), rng.pick(&["?", "?", "?", "W", "B"]));
        let line = format!(
            "<s> {index} w={name} ti={bits} rt={rating}  t={minutes} i={increment} r={rated} tp={kind} c={color} rr=0-9999 a=t f=f"
        );
        self.message(&[&line]);
    }

    fn notice(&mut self) {
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
        self.message(&[&line]);
    }

    /// Answers to what this session typed: they stand right behind the prompt.
    fn reply(&mut self) {
        let name = names::name(&mut self.rng);
        match self.rng.below(3) {
            0 => self.reply_lines(&[]),
            1 => self.reply_lines(&[&format!("(told {name}, who is playing)")]),
            _ => self.reply_lines(&["(told 31 players in channel 50 \"General chat\")"]),
        }
    }
}
