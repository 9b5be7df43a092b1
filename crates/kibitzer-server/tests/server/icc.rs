//! The server in the manner of ICC: bytes of a client that knows level 1 and level 2.

use kibitzer_core::message::Style12;
use kibitzer_server::{ImitatedFamily, Server};

use crate::peer::{Peer, options_with};

/// The datagrams that are switched on.
const DATAGRAMS: [u8; 9] = [0, 15, 18, 28, 31, 37, 56, 69, 124];

/// A client that keeps CR LF in the received text.
struct Client(Peer);

impl Client {
    async fn connect(server: &Server) -> Self {
        let (peer, banner) = Peer::connect(server).await;
        let banner = String::from_utf8(banner).unwrap();
        assert!(banner.contains("chessclub.com") && banner.ends_with("\r\nlogin: "), "{banner}");
        assert_eq!(banner.matches('\n').count(), banner.matches("\r\n").count());
        Self(peer)
    }

    /// With units, tags and some datagrams.
    async fn with_levels(server: &Server) -> Self {
        let mut client = Self::connect(server).await;
        assert!(client.ask("level1=5").await.ends_with("login: "));
        let bits = (0..125).map(|number| if DATAGRAMS.contains(&number) { '1' } else { '0' });
        let settings = format!("level2settings={}", bits.collect::<String>());
        assert!(client.ask(&settings).await.ends_with("login: "));
        client
    }

    async fn player(server: &Server, name: &str) -> Self {
        let mut client = Self::with_levels(server).await;
        let entered = client.ask(&format!("{name} secret")).await;
        assert!(entered.contains(&format!("\x19(0 {name} {{}}\x19)")) && !entered.contains("aics% "), "{entered}");
        client
    }

    async fn ask(&mut self, line: &str) -> String {
        self.0.send(format!("{line}\n").as_bytes()).await;
        self.heard().await
    }

    async fn heard(&mut self) -> String {
        self.0.heard().await.into_iter().map(char::from).collect()
    }
}

async fn icc(names: &[&str]) -> Server {
    Server::start(options_with(names).family(ImitatedFamily::Icc)).await.unwrap()
}

// Rules: icc §1, icc §2
#[tokio::test(start_paused = true)]
async fn a_login_is_refused_by_number() {
    let server = icc(&["Newton", "N2"]).await;
    let long = "N".repeat(16);
    let cases = [
        ("Newton wrong", "\x19(69 11 {**** Invalid password! ****}\x19)"),
        ("Nobody secret", "\x19(69 6 "),
        ("N", "\x19(69 3 "),
        (long.as_str(), "\x19(69 2 "),
        ("9lives", "\x19(69 4 "),
    ];
    for (line, want) in cases {
        let answer = Client::with_levels(&server).await.ask(line).await;
        assert!(answer.contains(want), "{line}: {answer}");
    }
    Client::player(&server, "N2").await;
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn without_levels_output_is_lines() {
    let server = icc(&["Newton"]).await;
    let mut client = Client::connect(&server).await;
    assert!(client.ask("Newton").await.contains("password: "));
    assert!(client.ask("secret").await.ends_with("aics% "));
    assert_eq!(client.ask("foo").await, "No such command (foo).\r\naics% ");
    assert_eq!(client.ask("iset ms 1").await, "No such command (iset).\r\naics% ");
    assert_eq!(client.ask("tell Newton hi").await, "Newton tells you: hi\r\n(told Newton)\r\naics% ");
    assert_eq!(client.ask("set-2 31 1").await, "Level 2 datagram 31 is now on.\r\naics% ");
    assert!(client.ask("tell Newton hi").await.starts_with("\x19(31 Newton {} \x19{hi\x19} 1\x19)(told"));
    assert_eq!(client.ask("set prompt 0").await, "prompt set to 0.\r\n");
    let mut guest = Client::connect(&server).await;
    assert!(guest.ask("g").await.contains("guest1") && guest.ask("").await.ends_with("aics% "));
    server.shutdown().await;
}

// Rules: icc L1
#[tokio::test(start_paused = true)]
async fn replies_are_in_units_with_their_tags() {
    let server = icc(&["Newton"]).await;
    let mut client = Client::player(&server, "Newton").await;
    assert_eq!(client.ask("`7`foo").await, "\x19[0 * 7\r\nNo such command (foo).\r\n\x19]");
    assert_eq!(
        client.ask("`8`tell Newton {x}").await,
        "\x19[101 * 8\r\n\x19(31 Newton {} \x19{{x}\x19} 1\x19)(told Newton)\r\n\x19]"
    );
    assert_eq!(client.ask("set-2 81 1").await, "\x19[0 *\r\n\x19(124 81 1\x19)\x19(81\x19)\x19]");
    server.shutdown().await;
}

// Rules: icc L1, icc L2, icc DG5
#[tokio::test(start_paused = true)]
async fn output_caused_by_others_is_in_units_with_their_names() {
    let server = icc(&["Newton", "Euler"]).await;
    let (mut newton, mut euler) = (Client::player(&server, "Newton").await, Client::player(&server, "Euler").await);
    let echo = newton.ask("`7`tell Euler hi").await;
    assert_eq!(echo, "\x19[101 * 7\r\n(told Euler)\r\n\x19]");
    assert_eq!(euler.heard().await, "\x19[101 Newton\r\n\x19(31 Newton {} \x19{hi\x19} 1\x19)\x19]");
    // With marks around own commands, and short names.
    euler.ask("set level1 15").await;
    assert_eq!(euler.ask("`9`tell Newton hi").await, "\x19<\x19[101 * 9\r\n(told Newton)\r\n\x19]\x19>");
    newton.heard().await;
    newton.ask("tell Euler hi").await;
    assert!(euler.heard().await.starts_with("\x19[101 %\r\n\x19(31 Newton "));
    euler.ask("set level1 5").await;
    newton.ask("match Euler 5 0 white").await;
    let offer = euler.heard().await;
    assert!(offer.starts_with("\x19[121 Newton\r\n") && offer.ends_with("\x19]"), "{offer}");
    euler.ask("accept").await;
    newton.heard().await;
    newton.ask("`8`e4").await;
    let board = euler.heard().await;
    assert!(
        board.starts_with("\x19[2 Newton\r\n") && board.contains("<12> ") && board.ends_with("\x19)\x19]"),
        "{board}"
    );
    server.shutdown().await;
}

// Rules: icc DG5, transport P7
#[tokio::test(start_paused = true)]
async fn datagrams_follow_each_other_and_the_prompt_follows_them() {
    let server = icc(&["Newton", "Euler"]).await;
    let mut newton = Client::player(&server, "Newton").await;
    let mut euler = Client::connect(&server).await;
    euler.ask("Euler secret").await;
    for number in [15, 24, 33, 34, 35, 36, 43, 56, 110] {
        euler.ask(&format!("set-2 {number} 1")).await;
    }
    euler.ask("set style 13").await;
    newton.ask("match Euler 5 0 white").await;
    euler.heard().await;
    euler.ask("accept").await;
    newton.heard().await;
    newton.ask("e4").await;
    let want = "\x19(24 1 e4 e2e4 0 300\x19)\x19(56 1 W 300000 0\x19)\x19(56 1 B 300000 0\x19)aics% ";
    assert_eq!(euler.heard().await, want);
    // A takeback is sent as a position to clients without the datagram for it.
    let clocks = "\x19(56 1 W 300000 0\x19)\x19(56 1 B 300000 0\x19)";
    for (is_known, want) in [
        ("1", "\x19(22 1 1\x19)"),
        ("0", "\x19(110 1 {rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1} 0\x19)"),
    ] {
        euler.ask(&format!("set-2 22 {is_known}")).await;
        newton.ask("takeback 1").await;
        let board = euler.ask("accept").await;
        assert!(board.contains(&format!("{want}{clocks}")), "{board}");
        newton.ask("e4").await;
        euler.heard().await;
    }
    euler.ask("set-2 38 1").await;
    newton.ask("moretime 30").await;
    let set = euler.heard().await;
    assert!(set.contains("\x19(38 1 300 330\x19)\x19(56 1 W 300000 0\x19)\x19(56 1 B 330000 0\x19)"), "{set}");
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn boards_have_thirty_one_fields_or_are_blocks() {
    let server = icc(&["Newton", "Euler"]).await;
    let (mut newton, mut euler) = (Client::player(&server, "Newton").await, Client::player(&server, "Euler").await);
    newton.ask("match Euler 5 0 white").await;
    let started = euler.ask("accept").await;
    let list = "\x19(15 1 Newton Euler 0 Blitz 1 5 0 5 0 1 {} 1882 1882 1 {} {} 0 0 0 {} 0\x19)";
    assert!(started.contains(list), "{started}");
    assert!(started.contains("\x19(56 1 W 300000 0\x19)\x19(56 1 B 300000 0\x19)"), "{started}");
    newton.ask("e4").await;
    let board = euler.heard().await;
    let line = board.lines().find(|line| line.starts_with("<12> ")).unwrap();
    assert_eq!(line.split(' ').count(), 31, "{line}");
    assert!(Style12::parse(line.as_bytes()).is_ok());
    euler.ask("set style 10").await;
    let block = euler.ask("refresh").await;
    let want = "<10>\r\n|rnbqkbnr|\r\n|pppppppp|\r\n|        |\r\n|        |\r\n|    P   |\r\n|        |\r\n|PPPP PPP|\r\n\
        |RNBQKBNR|\r\nB 4 1 1 1 1 0\r\n0 Newton Euler 1 5 0 39 39 300 300 1 P/e2-e4 (0:00) e4\r\n>10<\r\n";
    assert!(block.contains(want), "{block}");
    server.shutdown().await;
}
