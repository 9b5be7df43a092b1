//! Talk, lists, variables and block mode, in the forms of the `fatics-talk-mixed-*` and `fatics-block-client` transcripts.

use crate::peer::{Peer, server_with};

#[tokio::test(start_paused = true)]
async fn tells_follow_a_line_end_and_are_confirmed() {
    let server = server_with(&["Alekhine", "Bogoljubov"]).await;
    let mut alekhine = Peer::player(&server, "Alekhine").await;
    let mut bogoljubov = Peer::player(&server, "Bogoljubov").await;
    let mut guest = Peer::guest(&server, "Zoltan").await;
    assert_eq!(alekhine.ask("tell bogol hello: \"you\" fics% ").await, "(told Bogoljubov)\nfics% ");
    assert_eq!(bogoljubov.text().await, "\nAlekhine tells you: hello: \"you\" fics%\nfics% ");
    assert_eq!(alekhine.ask("tell Bogoljubov    spaced   ").await, "(told Bogoljubov)\nfics% ");
    assert_eq!(bogoljubov.text().await, "\nAlekhine tells you:    spaced\nfics% ");
    assert_eq!(alekhine.ask(". caf\u{e9} \u{265e}").await, "(told Bogoljubov)\nfics% ");
    assert_eq!(bogoljubov.text().await, "\nAlekhine tells you: caf&#xe9; &#x265e;\nfics% ");
    assert_eq!(guest.ask("xtell Alekhine hi").await, "(told Alekhine)\nfics% ");
    assert_eq!(alekhine.text().await, "\nZoltan(U) tells you: hi\nfics% ");

    assert_eq!(alekhine.ask("tell nosuchuser hi").await, "No player named \"nosuchuser\" is online.\nfics% ");
    assert_eq!(alekhine.ask("tell 9999 hi").await, "Invalid channel number.\nfics% ");
    assert_eq!(guest.ask(". hm").await, "(told Alekhine)\nfics% ");
    assert_eq!(guest.ask(", hm").await, "No previous channel.\nfics% ");
    assert_eq!(bogoljubov.ask(". hm").await, "No previous tell.\nfics% ");
    alekhine.text().await;

    assert_eq!(bogoljubov.ask("+censor Alekhine").await, "Alekhine added to your censor list.\nfics% ");
    assert_eq!(alekhine.ask("tell Bogoljubov censored?").await, "Bogoljubov is censoring you.\nfics% ");
    assert_eq!(bogoljubov.ask("-censor Alekhine").await, "Alekhine removed from your censor list.\nfics% ");
    assert_eq!(bogoljubov.ask("set tell 0").await, "You will not hear direct tells from unregistered users.\nfics% ");
    let refused = "Player \"Bogoljubov\" isn't listening to unregistered users' tells.\nfics% ";
    assert_eq!(guest.ask("tell Bogoljubov hm").await, refused);
    bogoljubov.ask("set busy is having lunch; 5% left").await;
    let told = "(told Bogoljubov, who is having lunch; 5% left (idle: 0 mins))\nfics% ";
    assert_eq!(alekhine.ask("tell Bogoljubov hello busy").await, told);
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn channels_count_the_speaker_and_shouts_do_not() {
    let server = server_with(&["Alekhine", "Bogoljubov"]).await;
    let mut alekhine = Peer::player(&server, "Alekhine").await;
    let mut bogoljubov = Peer::player(&server, "Bogoljubov").await;
    let mut guest = Peer::guest(&server, "Zoltan").await;
    assert_eq!(alekhine.ask("+channel 53").await, "[53] added to your channel list.\nfics% ");
    assert_eq!(alekhine.ask("+channel 53").await, "[53] is already on your channel list.\nfics% ");
    assert_eq!(guest.ask("tell 53 hi").await, "(Not sent because you are not in channel 53.)\nfics% ");
    guest.ask("+channel 53").await;
    assert_eq!(alekhine.ask("tell 53 first!").await, "Alekhine(53): first!\n(told 2 players in channel 53)\nfics% ");
    assert_eq!(guest.text().await, "\nAlekhine(53): first!\nfics% ");
    assert_eq!(bogoljubov.text().await, "");
    let listed = "53: Alekhine Zoltan(U)\nThere are 2 players in channel 53.\nfics% ";
    assert_eq!(guest.ask("inchannel 53").await, listed);
    assert_eq!(guest.ask("inchannel 1").await, "There are 0 players in channel 1.\nfics% ");
    assert_eq!(alekhine.ask("=channel").await, "-- channel list: 1 channel --\n53\nfics% ");
    assert_eq!(alekhine.ask("-channel 53").await, "[53] removed from your channel list.\nfics% ");
    assert_eq!(alekhine.ask("=notify").await, "-- notify list: 0 names --\n\nfics% ");

    assert_eq!(alekhine.ask("!hey").await, "Alekhine shouts: hey\n(shouted to 2 players)\nfics% ");
    assert_eq!(bogoljubov.text().await, "\nAlekhine shouts: hey\nfics% ");
    assert_eq!(bogoljubov.ask(": wave").await, "--> Bogoljubov wave\n(it-shouted to 2 players)\nfics% ");
    assert_eq!(alekhine.text().await, "\n--> Bogoljubov wave\nfics% ");
    guest.text().await;
    assert_eq!(guest.ask("set cshout 0").await, "You will not hear c-shouts.\nfics% ");
    assert_eq!(bogoljubov.ask("cshout learn").await, "Bogoljubov c-shouts: learn\n(c-shouted to 1 player)\nfics% ");
    assert_eq!(guest.text().await, "");
    assert_eq!(guest.ask("shout hm").await, "Only registered players can use the shout command.\nfics% ");
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn long_lines_wrap_at_the_width_until_nowrap_is_set() {
    let server = server_with(&["Alekhine", "Bogoljubov"]).await;
    let mut alekhine = Peer::player(&server, "Alekhine").await;
    let mut bogoljubov = Peer::player(&server, "Bogoljubov").await;
    let text = "<s> 9 w=Foo ti=00 rt=1500  t=5 i=0 r=r tp=blitz c=? rr=0-9999 a=t f=f";
    let broken = "Alekhine tells you: <s> 9 w=Foo ti=00 rt=1500  t=5 i=0 r=r tp=blitz c=? \n\\   rr=0-9999 a=t f=f";
    alekhine.ask(&format!("tell Bogoljubov {text}")).await;
    assert_eq!(bogoljubov.text().await, format!("\n{broken}\nfics% "));
    assert_eq!(bogoljubov.ask("set width 240").await, "width set to 240.\nfics% ");
    alekhine.ask(&format!("tell Bogoljubov {text}")).await;
    assert_eq!(bogoljubov.text().await, format!("\nAlekhine tells you: {text}\nfics% "));
    assert_eq!(bogoljubov.ask("set width 60").await, "width set to 60.\nfics% ");
    assert_eq!(bogoljubov.ask("iset nowrap 1").await, "nowrap set.\nfics% ");
    alekhine.ask(&format!("tell Bogoljubov {text}")).await;
    assert_eq!(bogoljubov.text().await, format!("\nAlekhine tells you: {text}\nfics% "));
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn invalid_lines_are_refused_without_a_prompt() {
    let server = server_with(&[]).await;
    let mut peer = Peer::guest(&server, "Newton").await;
    for bad in [&b"tell Newton caf\xe9\n"[..], b"tell Newton bell\x07\n", b"tell Newton nul\0x\n", b"x\xff\xffx\n"] {
        peer.send(bad).await;
        assert_eq!(peer.text().await, "Command ignored: invalid characters.\n");
    }
    let long = "Command ignored: line too long.\n";
    assert_eq!(peer.ask(&"q".repeat(1023)).await, long);
    assert_eq!(peer.ask(&"q".repeat(5000)).await, long);
    assert!(peer.ask(&format!("tell Newton {}", "q".repeat(1010))).await.contains("(told Newton)"));
    assert_eq!(peer.ask("   ").await, "fics% ");
    assert_eq!(peer.ask("NoSuch command").await, "nosuch: Command not found.\nfics% ");
    let one = "Local time     - Sat Nov 21, 00:30 UTC 2026\nServer time    - Sat Nov 21, 00:30 UTC 2026\nfics% ";
    assert_eq!(peer.ask("date\ndate\n\n").await, format!("{one}{one}fics% fics% "));
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_custom_prompt_is_used_until_defprompt_is_set() {
    let server = server_with(&["Newton"]).await;
    let mut peer = Peer::player(&server, "Newton").await;
    assert_eq!(peer.ask("set prompt zz:").await, "prompt set to \"zz: \".\nzz: ");
    assert_eq!(peer.ask("set ptime 1").await, "Your prompt will now show the time.\n00:30_zz: ");
    assert_eq!(peer.ask("iset defprompt 1").await, "defprompt set.\nfics% ");
    // Variables stay with the account, interface variables do not.
    assert_eq!(peer.ask("quit").await, "Logging you out.\nThank you for using the embedded kibitzer server.\n");
    assert!(peer.is_closed().await);
    let (mut peer, _) = Peer::connect(&server).await;
    peer.ask("Newton").await;
    assert!(peer.ask("secret").await.ends_with("\n\n00:30_zz: "));
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn arrivals_and_departures_are_announced_on_request() {
    let server = server_with(&["Alekhine", "Bogoljubov"]).await;
    let mut alekhine = Peer::player(&server, "Alekhine").await;
    alekhine.ask("+notify Bogoljubov").await;
    let mut bogoljubov = Peer::player(&server, "Bogoljubov").await;
    assert_eq!(alekhine.text().await, "\nNotification: Bogoljubov has arrived.\nfics% ");
    assert_eq!(alekhine.ask("set bell 1").await, "You will now hear beeps.\nfics% ");
    bogoljubov.ask("quit").await;
    assert_eq!(alekhine.text().await, "\u{7}\nNotification: Bogoljubov has departed.\nfics% ");
    assert_eq!(alekhine.ask("set pin 1").await, "You will now hear logins/logouts.\nfics% ");
    let guest = Peer::guest(&server, "Zoltan").await;
    assert_eq!(alekhine.text().await, "\n[Zoltan has connected.]\nfics% ");
    drop(guest);
    assert_eq!(alekhine.text().await, "\n[Zoltan has disconnected.]\nfics% ");
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn block_mode_frames_each_reply() {
    let server = server_with(&["Newton"]).await;
    let (mut peer, _) = Peer::connect(&server).await;
    assert_eq!(peer.ask("%b11110111111111111111111111111111").await, "\n#Ivars set.\n\nlogin: ");
    let (mut peer, _) = Peer::connect(&server).await;
    peer.ask("%b00000010000000000000000000000001").await;
    peer.ask("Newton").await;
    assert!(peer.ask("secret").await.ends_with("\n\nfics% "), "the login is not framed");
    let cases = [
        ("1 set style 12", "\u{15}1\u{16}109\u{16}Style 12 set.\n\u{17}\nfics% "),
        ("2 iset nowrap 1", "\u{15}2\u{16}56\u{16}nowrap set.\n\u{17}\nfics% "),
        ("9 sought2", "\u{15}9\u{16}512\u{16}sought2: Command not found.\n\u{17}\nfics% "),
        ("10 inchannel 1", "\u{15}10\u{16}53\u{16}There are 0 players in channel 1.\n\u{17}\nfics% "),
        ("15 i", "\u{15}15\u{16}513\u{16}Usage: it text\n\u{17}\nfics% "),
        ("17 tell", "\u{15}17\u{16}513\u{16}Usage: tell player|channel|.|, text\n\u{17}\nfics% "),
        ("22 set nosuch 1", "\u{15}22\u{16}109\u{16}No such variable \"nosuch\".\n\u{17}\nfics% "),
        ("23 iset nosuch 1", "\u{15}23\u{16}56\u{16}No such ivariable \"nosuch\".\n\u{17}\nfics% "),
        ("24 iset ms 7", "\u{15}24\u{16}56\u{16}\u{17}\nfics% "),
        ("no id here", "\u{15}0\u{16}519\u{16}\u{17}\nfics% "),
        ("", "\u{15}0\u{16}519\u{16}\u{17}\nfics% "),
        ("27", "\u{15}0\u{16}519\u{16}\u{17}\nfics% "),
        ("28 ", "\u{15}28\u{16}0\u{16}\u{17}\nfics% "),
        ("999999999999 +channel 2", "\u{15}999999999999\u{16}12\u{16}[2] added to your channel list.\n\u{17}\nfics% "),
        ("32 =channel", "\u{15}32\u{16}111\u{16}-- channel list: 1 channel --\n2\n\u{17}\nfics% "),
        ("33 -channel 2", "\u{15}33\u{16}129\u{16}[2] removed from your channel list.\n\u{17}\nfics% "),
        ("35 shout hi", "\u{15}35\u{16}110\u{16}Newton shouts: hi\n(shouted to 0 players)\n\u{17}\nfics% "),
        ("141 iset block 0", "\u{15}141\u{16}56\u{16}block unset.\n\u{17}\nfics% "),
        ("iset block 1", "block set.\nfics% "),
    ];
    for (line, want) in cases {
        assert_eq!(peer.ask(line).await, want, "{line}");
    }
    let ambiguous = peer.ask("16 s").await;
    assert!(ambiguous.starts_with("\u{15}16\u{16}514\u{16}Ambiguous command \"s\". Matches: "), "{ambiguous}");
    let long = peer.ask(&format!("77 {}", "x".repeat(2000))).await;
    assert_eq!(long, "\u{15}77\u{16}520\u{16}Command ignored: line too long.\n\u{17}\nfics% ");
    assert_eq!(peer.ask("3 quit").await, "Logging you out.\nThank you for using the embedded kibitzer server.\n");

    let mut guest = Peer::guest(&server, "Zoltan").await;
    guest.ask("iset block 1").await;
    let no_rights = "\u{15}1\u{16}515\u{16}Only registered players can use the shout command.\n\u{17}\nfics% ";
    assert_eq!(guest.ask("1 shout hi").await, no_rights);
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn the_server_lists_its_players_and_its_state() {
    let server = server_with(&["Alekhine", "Bogoljubov"]).await;
    let mut guest = Peer::guest(&server, "Zoltan").await;
    assert_eq!(guest.ask("who").await, "   0   Zoltan(U)  \n\n1 player displayed.\n\nfics% ");
    let mut alekhine = Peer::player(&server, "Alekhine").await;
    assert_eq!(alekhine.ask("w U").await, "   0   Zoltan(U)  \n\n1 player displayed.\n\nfics% ");
    assert_eq!(
        alekhine.ask("finger").await,
        "Finger of Alekhine:\n\nOn for: 0 seconds   Idle: 0 seconds\n\n\
         speed & variant         rating  RD    Volat.    total  best\n\
         blitz                    1882   50   0.060000       0 \n\nTimeseal:    Off\nfics% "
    );
    assert_eq!(alekhine.ask("set 1 my note: 100% \"x\"").await, "Note 1 set: my note: 100% \"x\"\nfics% ");
    assert!(guest.ask("finger alek").await.ends_with("Timeseal:    Off\n\n 1: my note: 100% \"x\"\nfics% "));
    assert!(guest.ask("finger").await.contains("\n\nZoltan is NOT a registered player.\nTimeseal:    Off\n"));
    assert!(
        guest.ask("finger bogoljubov").await.starts_with("Finger of Bogoljubov:\n\nBogoljubov is not logged in.\n")
    );
    assert_eq!(guest.ask("finger nobody").await, "There is no player matching the name \"nobody\".\nfics% ");
    assert!(
        guest
            .ask("uptime")
            .await
            .contains("The server has been up since Sat Nov 21, 00:30 UTC 2026.\nUp for: 0 seconds")
    );
    assert!(guest.ask("help tell").await.starts_with("Command: tell\nUsage: tell player|channel|.|, text\n\nSends "));
    assert_eq!(guest.ask("help nosuch").await, "There is no help available for \"nosuch\".\nfics% ");
    assert!(
        guest.ask("variables Alekhine").await.starts_with("Variable settings of Alekhine:\n\ntime=2       private=?")
    );
    assert!(
        guest
            .ask("ivariables")
            .await
            .starts_with("Interface variable settings of Zoltan:\n\ncompressmove=0     defprompt=0")
    );
    let quit = "Zoltan(U) tells you: The command 'quit' cannot be abbreviated.\n(told Zoltan)\nfics% ";
    assert_eq!(guest.ask("qui").await, quit);
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn interface_variables_can_be_locked() {
    let server = server_with(&[]).await;
    let mut peer = Peer::guest(&server, "Newton").await;
    assert_eq!(peer.ask("iset ms 1").await, "ms set.\nfics% ");
    assert_eq!(peer.ask("iset ms 0").await, "ms unset.\nfics% ");
    let ambiguous = "Ambiguous ivariable \"se\". Matches: seekremove seekinfo seekca\nfics% ";
    assert_eq!(peer.ask("iset se 1").await, ambiguous);
    assert_eq!(peer.ask("iset lock 1").await, "lock set.\nfics% ");
    assert_eq!(peer.ask("iset ms 1").await, "Cannot alter: Interface setting locked.\nfics% ");
    assert!(peer.ask("ivariables").await.contains("lock=1             ms=0\n"));
    server.shutdown().await;
}
