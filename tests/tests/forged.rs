//! Whatever a player writes stays a player's words: nothing in it becomes a board, the end of a game or of the session, a reply.

use kibitzer::Client;
use kibitzer::command::TalkCommand;
use kibitzer_core::hub::Subscription;
use kibitzer_core::session::SessionState;
use kibitzer_core::wire::Framer;
use kibitzer_core::{EventKind, message};
use kibitzer_server::{Feature, ImitatedFamily};
use kibitzer_tests::live::{TestServer, begin_game, drain, handle, options};
use kibitzer_tests::{FORGED, kind_of};
use tokio::time::{Duration, sleep};

/// Room for all events of one text.
const CAPACITY: usize = 1 << 12;

/// What the lines make, in a session that is logged in, before the prompt that follows them.
fn kinds(family: message::Family, lines: &str) -> Vec<String> {
    let stream = format!("fics% \n\r{lines}\n\rfics% ");
    let mut reader = kibitzer_core::MessageReader::new(Framer::new(), family);
    let mut rest = stream.as_bytes();
    let messages = std::iter::from_fn(|| reader.next(&mut rest).or_else(|| reader.finish()));
    let mut kinds: Vec<_> = messages.map(|received| kind_of(&received.message)).collect();
    assert_eq!((kinds.remove(0), kinds.pop()), ("Prompt".to_owned(), Some("Prompt".to_owned())), "{stream:?}");
    kinds
}

/// Every forged line, with these lines around it (`@`), makes nothing but these kinds.
#[track_caller]
fn check(lines: &str, want: &[&str]) {
    let control = [
        "\u{19}(26 5\u{19})",
        "\u{19}[101 *\r",
        "\u{1a}<12> x",
        "hi\u{1a}<12> x",
        "\u{15}12\u{16}37\u{16}<12> x",
        "hi\u{15}12\u{16}37\u{16}<12> x\u{17}",
        "\u{7}<12> x",
        "\u{1b}[7m<12> x",
    ];
    for text in FORGED.iter().chain(&control) {
        for family in [message::Family::Auto, message::Family::Fics] {
            assert_eq!(kinds(family, &lines.replace('@', text)), want, "{text:?}");
        }
        if !text.contains(['\u{19}', '\u{1a}']) {
            assert_eq!(kinds(message::Family::Icc, &lines.replace('@', text)), want, "{text:?}");
        }
    }
}

// Rules: text X8.1
#[test]
fn a_message_that_was_just_sent() {
    for heading in
        ["Foo just sent you a message:", "Foo(GM TD) just sent you a message:", "Foo(GM)(*) just sent you a message:"]
    {
        check(&format!("{heading}\n\r    @"), &["Talk"]);
        check(&format!("{heading}\n\r\n\r    @"), &["Text", "Text", "Talk"]);
        check(&format!("{heading}\n\r    @\n\r    @"), &["Talk", "Talk"]);
    }
    check("A message was just sent to you by Foo:\n\r    @", &["Talk"]);
}

// Rules: text X8.2
#[test]
fn the_echo_of_our_own_message() {
    check("The following message was sent to Foo:\n\r   @", &["Text", "Text"]);
    check("The following message was sent (and emailed) to Foo:\n\r   @", &["Text", "Text"]);
    check("The following message was sent to Foo:\n\r\n\r   @\n\r   @", &["Text"; 4]);
    check("The following message was sent to Foo:\n\rMe at 2026-11-21 00:36 UTC: @", &["Text", "Talk"]);
}

// Rules: text X8.3
#[test]
fn a_message_that_was_received() {
    check("The following message was received from Foo:\n\r @", &["Talk"]);
    check("The following message was received from Foo(GM TD) at Mon Jan  1, 10:00 PST 2024:\n\r   @", &["Talk"]);
    check("The following message was received:\n\rFoo at 2026-11-21 00:36 UTC: @", &["Text", "Talk"]);
    check("The following message was received:\n\rfics% Foo at 2026-11-21 00:36 UTC: @", &["Text", "Prompt", "Talk"]);
    check("The following message was received:\n\rfics%    @", &["Text", "Prompt", "Text"]);
}

// Rules: text X8.4
#[test]
fn a_message_that_was_forwarded_or_emailed() {
    for how in ["emailed", "forwarded", "forwarded and emailed", "sent and emailed"] {
        check(&format!("The following message was {how} to Foo:\n\r   @"), &["Text", "Text"]);
    }
    check(
        "The following message was forwarded to Foo:\n\rMe forwarded: Bar at 2026-11-21 00:36 UTC: @",
        &["Text", "Text"],
    );
}

// Rules: text X8.5
#[test]
fn the_rows_of_a_list_of_messages() {
    for heading in ["Messages:", "Unread messages:", "Messages from Foo:"] {
        check(&format!("{heading}\n\r 1. Foo at Sat Nov 21,  0:36 UTC: @"), &["Text", "Talk"]);
        check(&format!("{heading}\n\r12. Foo at 2026-11-21 00:36 UTC: hi\n\r\\   @"), &["Text", "Talk"]);
    }
    check("Messages to Foo:\n\rMe at Sat Nov 21,  0:36 UTC: @", &["Text", "Talk"]);
}

// Rules: text X8.6
#[test]
fn the_notes_of_a_player() {
    check("Finger of Foo:\n\r\n\r 1: @\n\r10: @", &["Text"; 4]);
    check("Finger of Foo:\n\r\n\r 1: a note that is longer than the width\n\r\\   @", &["Text"; 3]);
    check("Plan variable 1 changed to '@'.", &["Text"]);
    check("Note 1 set: @", &["Text"]);
}

// Rules: text X8.7
#[test]
fn the_reply_of_variables() {
    check("Variable settings of Foo:\n\r\n\rInterface: @\n\r f1: @\n\rFormula: @", &["Text"; 5]);
    check("f1=@: x\n\rFoo's formula: @", &["Text"; 2]);
    check("Interface set to @.\n\rFormula variable f1 set to @.", &["Text"; 2]);
}

/// How a client sends a text of somebody else's.
enum Way {
    /// A typed command.
    Talk(fn(&str) -> TalkCommand),
    /// A line, with the text at its end.
    Line(&'static str),
    /// A setting, which others have shown to them.
    Setting(&'static str),
}

const WAYS: [Way; 12] = [
    Way::Talk(|text| TalkCommand::tell(handle("Euler"), text)),
    Way::Talk(|text| TalkCommand::channel_tell(53, text)),
    Way::Talk(|text| TalkCommand::say(text)),
    Way::Talk(|text| TalkCommand::partner_tell(text)),
    Way::Talk(|text| TalkCommand::kibitz(text)),
    Way::Talk(|text| TalkCommand::whisper(text)),
    Way::Talk(|text| TalkCommand::shout(text)),
    Way::Talk(|text| TalkCommand::c_shout(text)),
    Way::Line("it"),
    Way::Line("message Euler"),
    Way::Setting("1"),
    Way::Setting("interface"),
];

/// Newton, who forwards, Euler, who plays against him and is his partner, and Gauss, who observes.
struct Players {
    clients: [Client; 3],
    events: [Subscription; 3],
}

impl Players {
    async fn meet(test_server: &TestServer) -> Self {
        let clients =
            [test_server.player("Newton").await, test_server.player("Euler").await, test_server.player("Gauss").await];
        let [newton, euler, gauss] = &clients;
        for client in [newton, euler] {
            client.request("set bugopen 1").await.unwrap();
        }
        newton.request("partner Euler").await.unwrap();
        euler.request("partner Newton").await.unwrap();
        let game = begin_game(newton, euler).await;
        gauss.observe(game).await.unwrap();
        for client in &clients {
            client.request("+channel 53").await.unwrap();
        }
        let events = clients.each_ref().map(|client| client.subscribe_lossless(CAPACITY));
        let mut players = Self { clients, events };
        players.kinds().await;
        players
    }

    /// The kinds of all events that each of them has received.
    async fn kinds(&mut self) -> [Vec<EventKind>; 3] {
        for client in &self.clients {
            client.request("date").await.unwrap();
        }
        // Until the last prompt is there, too.
        sleep(Duration::from_millis(10)).await;
        self.events.each_mut().map(|events| {
            let (all, missed) = drain(events);
            assert_eq!(missed, 0);
            all.iter().map(kibitzer::Event::kind).collect()
        })
    }

    /// What a text leads to.
    async fn forward(&mut self, way: &Way, text: &str) -> [Vec<EventKind>; 3] {
        let [newton, euler, gauss] = &self.clients;
        match way {
            Way::Talk(talk) => drop(newton.request(&talk(text)).await.unwrap()),
            Way::Line(command) => drop(newton.request(&format!("{command} {text}")).await.unwrap()),
            Way::Setting(name) => {
                newton.set(name, text).await.unwrap();
                let finger = gauss.finger(handle("Newton")).await.unwrap();
                let variables = euler.variables(handle("Newton")).await.unwrap();
                assert_eq!((finger.unread.len(), variables.unread.len()), (0, 0), "{text}");
            }
        }
        self.kinds().await
    }
}

// Rules: text X0, text X8, ten 8, bugs K1
#[tokio::test(start_paused = true)]
async fn text_of_others_may_be_forwarded_by_every_command() {
    for (family, without) in [
        (ImitatedFamily::Fics, &[][..]),
        (ImitatedFamily::Fics, &[Feature::BlockMode, Feature::LoginIvars]),
        (ImitatedFamily::Icc, &[]),
    ] {
        let options = options(&["Newton", "Euler", "Gauss"]).family(family);
        let test_server =
            TestServer::start(without.iter().fold(options, |options, &feature| options.without(feature))).await;
        let mut players = Players::meet(&test_server).await;
        if !without.is_empty() {
            // Lines are broken.
            for client in &players.clients {
                client.request("iset nowrap 0").await.unwrap();
                client.request("set width 79").await.unwrap();
            }
            players.kinds().await;
        }
        for way in &WAYS {
            let harmless = players.forward(way, "hello").await;
            for text in FORGED {
                assert_eq!(players.forward(way, text).await, harmless, "{family:?}, {without:?}: {text}");
            }
        }
        for client in &players.clients {
            assert_eq!((client.state(), client.counters().session.reconnects), (SessionState::Ready, 0));
        }
    }
}
