//! Every command of every recorded session that has a type: its reply is an answer, or a refusal that is known.
//!
//! Outside block mode a reply is what came until the client sent the next line, which is near enough: most clients waited.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail by panicking")]

use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use kibitzer::command::{self, Request};
use kibitzer::transcript::{Direction, TranscriptReader};
use kibitzer_core::EventKind;
use kibitzer_core::event::RequestError;
use kibitzer_core::message::{GameId, Handle, Ivar};
use kibitzer_core::session::Reply;
use kibitzer_tests::Transcript;

/// What servers say against commands, besides the refusals that have a type.
const REFUSALS: &str = "\
    Takeback is not allowed in bughouse.|\
    TODO: EXAMINE SCRATCH BOARD|You can only have 3 active seeks.|Alekhine is seeking several games.|\
    Usage: TODO for match|Usage: TODO for tell|Command:  tell|Command:  set|\
    Removing game 1 from observation list.|\
    You must specify a board and a category.|No such category/board: wild/fr|\
    No such category/board: wild/99|No such category/board: -1/0|\
    Can't interpret 5 in match command.|Can't interpret u in match command.|\
    You cannot change your rated status.|Only admins may send tells to channel 0.|No previous channel.|\
    It appears you have found a bug in FatICS. Please notify wmahan.";

/// Sessions in which boards were drawn in another style, replies broke off, or another prompt was set.
const SKIPPED: [&str; 5] =
    ["fatics-info-", "uhlinfics-prompts-1", "uhlinfics-styles-", "uhlinfics-telnet-options", "uhlinfics-cut-mid-line"];

/// Reads the reply as that of this command; `None` for a command without a type.
fn read(line: &str, reply: &Reply) -> Option<Result<(), RequestError>> {
    let words: Vec<&str> = line.split(' ').collect();
    let (&name, arguments) = words.split_first()?;
    let named: Handle = arguments.first().and_then(|name| name.parse().ok()).unwrap_or_default();
    let result = match name {
        "finger" => ask(&command::Finger::mine(), reply),
        "games" => ask(&command::Games::all(), reply),
        "who" if arguments.is_empty() => ask(&command::Who::all(), reply),
        "history" => ask(&command::History::mine(), reply),
        "stored" => ask(&command::Stored::mine(), reply),
        "variables" => ask(&command::Variables::mine(), reply),
        "ivariables" => ask(&command::InterfaceVariables::new(), reply),
        "moves" => ask(&command::Moves::mine(), reply),
        "inchannel" => ask(&command::InChannel::new(1), reply),
        "sought" => ask(&command::Sought::all(), reply),
        "date" => ask(&command::Date::new(), reply),
        "tell" | "say" | "kibitz" | "whisper" | "shout" | "cshout" | "ptell" => ask(&command::Talk::say("x"), reply),
        "observe" => ask(&observed(arguments), reply),
        "unobserve" => ask(&command::Unobserve::all(), reply),
        "match" => ask(&command::MatchOptions::new(named), reply),
        "resume" => ask(&command::Resume::new(), reply),
        "rematch" => ask(&command::Rematch::new(), reply),
        "seek" => ask(&command::SeekOptions::new(), reply),
        "unseek" => ask(&command::Unseek::all(), reply),
        "play" => ask(&command::Play::new(command::SeekRef::Number(1)), reply),
        "accept" => ask(&command::Accept::default(), reply),
        "decline" => ask(&command::Decline::default(), reply),
        "withdraw" => ask(&command::Withdraw::default(), reply),
        "draw" => ask(&command::Draw::new(), reply),
        "abort" => ask(&command::Abort::new(), reply),
        "adjourn" => ask(&command::Adjourn::new(), reply),
        "resign" => ask(&command::Resign::new(), reply),
        "flag" => ask(&command::Flag::new(), reply),
        "takeback" => ask(&command::Takeback::plies(1), reply),
        "examine" => ask(&command::Examine::scratch(), reply),
        "forward" => ask(&command::Forward::plies(1), reply),
        "backward" => ask(&command::Backward::plies(1), reply),
        "revert" => ask(&command::Revert::new(), reply),
        "unexamine" => ask(&command::Unexamine::new(), reply),
        "partner" if arguments.is_empty() => ask(&command::EndPartnership::new(), reply),
        "partner" => ask(&command::Partner::new(named), reply),
        "set" if arguments != ["style", "12"] => ask(&command::Set::new("x", "y"), reply),
        "set" => ask(&command::Style::new(12), reply),
        "iset" => ask(&switched(arguments)?, reply),
        other => ask(&command::MoveText::new(other).ok().filter(|_| arguments.is_empty())?, reply),
    };
    Some(result)
}

fn ask<R: Request>(command: &R, reply: &Reply) -> Result<(), RequestError> {
    command.answer(reply.clone().judge()?).map(drop)
}

fn observed(arguments: &[&str]) -> command::Observe {
    let target = arguments.first().copied().unwrap_or_default();
    match target.parse() {
        Ok(number) => command::Observe::new(GameId(number)),
        Err(_) => command::Observe::new(target.parse::<Handle>().unwrap_or_default()),
    }
}

fn switched(arguments: &[&str]) -> Option<command::Iset> {
    let &[ivar, value] = arguments else { return None };
    let ivar: Ivar = ivar.parse().ok()?;
    Some(if value == "1" { command::Iset::on(ivar) } else { command::Iset::off(ivar) })
}

/// The lines the recording client sent, each with what came before the next.
fn exchanges(transcript: &Transcript) -> Vec<(String, Reply)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("transcripts").join(&transcript.name);
    let file = File::open(path.with_extension("jsonl")).unwrap();
    let mut events = transcript.reader();
    let mut exchanges = vec![(String::new(), Reply::default())];
    for record in TranscriptReader::new(BufReader::new(file)) {
        let record = record.unwrap();
        if record.direction == Direction::Sent {
            let lines = record.bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end);
            let lines = lines.filter(|line| !line.is_empty());
            exchanges.extend(lines.map(|line| (String::from_utf8_lossy(line).into_owned(), Reply::default())));
            continue;
        }
        let mut input = record.bytes.as_slice();
        while let Some(event) = events.next(&mut input) {
            let (_, reply) = exchanges.last_mut().unwrap();
            if event.kind() != EventKind::Prompt {
                reply.events.push(event);
            }
        }
    }
    exchanges
}

#[test]
fn every_reply_is_an_answer_or_a_known_refusal() {
    let known: BTreeSet<&str> = REFUSALS.split('|').collect();
    let mut found = BTreeSet::new();
    let (mut n_answers, mut n_refusals) = (0, 0);
    for transcript in Transcript::all() {
        let name = &transcript.name;
        if SKIPPED.iter().any(|skipped| name.starts_with(skipped)) || name.contains("seal") {
            continue;
        }
        for (line, reply) in exchanges(&transcript) {
            // Nothing was said before the next line went out, or all there is belongs to somebody else.
            let Some(result) = reply.answer().and_then(|_| read(&line, &reply)) else { continue };
            match result {
                Ok(()) => n_answers += 1,
                Err(RequestError::Unexpected { text }) if !line.starts_with("iset") => {
                    found.insert(text.to_string());
                    n_refusals += 1;
                }
                Err(RequestError::Listing { source, .. }) => panic!("{name}: {line}: {source}"),
                Err(_) => n_refusals += 1,
            }
        }
    }
    assert!(n_answers > 600 && n_refusals > 150, "{n_answers} answers, {n_refusals} refusals");
    let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
    assert_eq!(found.difference(&known).collect::<Vec<_>>(), Vec::<&&str>::new(), "not known to be refusals");
    assert_eq!(known.difference(&found).collect::<Vec<_>>(), Vec::<&&str>::new(), "nobody says so");
}
