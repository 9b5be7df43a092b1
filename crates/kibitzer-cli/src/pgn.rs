//! `kibitzer pgn`: writes games of recordings, or of a live session, as PGN.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufReader, Write as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kibitzer::core::EventReader;
use kibitzer::core::message::GameId;
use kibitzer::core::message::listing::{GameRowState, MoveList};
use kibitzer::core::text::error_chain;
use kibitzer::transcript::{Direction, TranscriptError, TranscriptReader, Utc};
use kibitzer::{Client, Observation, Tap};
use kibitzer_bot::PgnWriter;
use kibitzer_bot::pgn::{PgnCollector, PgnOrigin};
use kibitzer_bot::tracker::{GameKey, TrackedChange, TrackedChangeKind, TrackedRelation, TrackedState};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::arguments::ReaderArgs;
use crate::failure::{EXIT_STATUS, Failure, USAGE};
use crate::live::{LoginArgs, StopArgs, StopSignal, Target, run, start_and_expose_session, wait_for_end};

/// Write the games of recordings, or of a live session, as PGN
///
/// Every game that the session played or observed, with clocks, in the form of the FICS Games Database. With --games, a guest
/// logs in, observes games of the server and writes each when it ends.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_STATUS}"))]
pub(crate) struct Args {
    #[cfg_attr(not(feature = "nats"), arg(value_name = "RECORDING|SERVER", required_unless_present = "games", help = SOURCES_HELP))]
    #[cfg_attr(feature = "nats", arg(
        value_name = "RECORDING|SERVER",
        required_unless_present_any = ["games", "url"],
        conflicts_with = "url",
        help = SOURCES_HELP,
    ))]
    sources: Vec<String>,
    #[cfg(feature = "nats")]
    #[command(flatten)]
    stream: crate::nats::StreamArgs,
    /// Observe this number of games until they end; fewer at once if the server has fewer
    #[arg(long, value_name = "N")]
    games: Option<NonZeroUsize>,
    /// Append the games to this file; `-` for standard output. With --nats, a folder: the games of each session replace a file in
    /// it
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Replace the file after every move by all games so far, for programs that poll it
    #[arg(long, requires_all = ["games", "output"], conflicts_with = "bpgn")]
    live: bool,
    /// Write kibitzes, whispers and the players' words as comments
    #[arg(long)]
    talk: bool,
    /// Write bughouse matches, both boards in one BPGN game, and no other games
    #[arg(long)]
    bpgn: bool,
    /// Host of the recorded server, for the tags Event and Site
    #[arg(long, value_name = "HOST", conflicts_with = "games")]
    site: Option<String>,
    #[command(flatten)]
    reader: ReaderArgs,
    #[command(flatten)]
    login: LoginArgs,
    #[command(flatten)]
    ending: StopArgs,
}

const SOURCES_HELP: &str =
    "Recordings; with --games a server: fics, icc, demo, a profile (PATH.toml), or HOST[:PORT] [default: demo]";

const EXAMPLES: &str = "\
Examples:
  kibitzer pgn session.jsonl                              print the games of a recording
  kibitzer pgn --site freechess.org session.jsonl -o games.pgn
  kibitzer pgn --bpgn session.jsonl -o bughouse.bpgn      bughouse, both boards in one game
  kibitzer pgn fics --games 5 -o games.pgn                observe five games, append each when it ends
  kibitzer pgn fics --games 5 --live -o live.pgn          the same as a file to poll";

/// Delay between two looks at the server's games, while there are too few.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);

impl Args {
    /// Writes the games of recordings, of stored sessions, or of a live session if `--games` is given.
    pub(crate) fn write_games(&self) -> Result<(), Failure> {
        #[cfg(feature = "nats")]
        if self.stream.has_nats_option() {
            return run(self.convert_stored_sessions());
        }
        match self.games {
            Some(n_games) => run(self.observe_and_write(n_games.get())),
            None => self.sources.iter().try_for_each(|path| self.convert_recording(Path::new(path))),
        }
    }

    /// Creates the output that the arguments name. A file is opened with the first game.
    fn new_output(&self) -> PgnOutput<'_> {
        let is_stdout = self.output.as_os_str() == "-";
        PgnOutput { args: self, file: (!is_stdout).then(|| PgnWriter::new(&self.output)), written: BTreeSet::new() }
    }

    /// Creates the state for converting one recording or stored session to `output`.
    fn new_conversion<'a>(&'a self, output: PgnOutput<'a>) -> PgnConversion<'a> {
        let origin = PgnOrigin::new(self.site.as_deref().unwrap_or_default());
        let collector = PgnCollector::new(origin, TrackedRelation::All).with_talk(self.talk);
        PgnConversion { reader: self.reader.event_reader(), collector, output }
    }

    /// Writes the games of a recording to the output: each game when it ends, unfinished games after the last record.
    fn convert_recording(&self, path: &Path) -> Result<(), Failure> {
        let cannot =
            |verb: &str, error: &dyn Display| Failure::local(format!("cannot {verb} {}: {error}", path.display()));
        let file = File::open(path).map_err(|error| cannot("open", &error))?;
        let mut conversion = self.new_conversion(self.new_output());
        for record in TranscriptReader::new(BufReader::new(file)) {
            let record = match record {
                Err(TranscriptError::Torn { .. }) if !self.reader.strict => break,
                record => record.map_err(|error| cannot("read", &error))?,
            };
            match record.direction {
                Direction::Sent => {}
                // The end of a connection.
                Direction::Received if record.bytes.is_empty() => conversion.end_connection(),
                Direction::Received => conversion.read_and_write_ended(&record.bytes, record.utc)?,
            }
        }
        conversion.finish_and_write_rest()
    }

    /// Writes the games of all stored sessions: to standard output, or each session's to a file of its own, which is replaced.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no file is replaced.
    #[cfg(feature = "nats")]
    async fn convert_stored_sessions(&self) -> Result<(), Failure> {
        use crate::nats::{ServerOutput, for_each_server_output};
        let is_stdout = self.output.as_os_str() == "-";
        let path = |session: &str, extension: &str| self.output.join(format!("{session}.{extension}"));
        if !is_stdout {
            let cannot = |error| Failure::local(format!("cannot create {}: {error}", self.output.display()));
            std::fs::create_dir_all(&self.output).map_err(cannot)?;
        }
        let mut sessions = std::collections::BTreeMap::new();
        for_each_server_output(&self.stream, |session, part| {
            let conversion = sessions.entry(session.to_owned()).or_insert_with(|| {
                let temporary = path(session, "pgn.tmp");
                // One that was left by an earlier run.
                let _ = std::fs::remove_file(&temporary);
                let file = (!is_stdout).then(|| PgnWriter::new(temporary));
                self.new_conversion(PgnOutput { args: self, file, written: BTreeSet::new() })
            });
            match part {
                ServerOutput::Lines(lines, utc) => conversion.read_and_write_ended(lines.as_bytes(), utc)?,
                ServerOutput::Interruption => conversion.end_connection(),
            }
            Ok(())
        })
        .await?;
        for (session, conversion) in sessions {
            conversion.finish_and_write_rest()?;
            let (temporary, file) = (path(&session, "pgn.tmp"), path(&session, "pgn"));
            if temporary.exists() {
                let cannot = |error| Failure::local(format!("cannot write {}: {error}", file.display()));
                std::fs::rename(&temporary, &file).map_err(cannot)?;
            }
        }
        Ok(())
    }

    /// Starts a session, observes and writes games until this number has ended or the stop signal arrives, and ends the session.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the session; games in progress are not written.
    async fn observe_and_write(&self, n_games: usize) -> Result<(), Failure> {
        let server = match &self.sources[..] {
            [] => "demo",
            [server] => server,
            _ => return Err(Failure::new(USAGE, "only one server with --games (try --help)")),
        };
        let target: Target = server.parse().map_err(|error| Failure::new(USAGE, format!("{server}: {error}")))?;
        let mut ending = self.ending.begin()?;
        let (mut host, mut name) = (String::new(), String::new());
        // Boxed, as a profile is large.
        let start = Box::pin(async {
            let profile = self.login.apply_and_ask_password(target.load_profile()?).await?;
            profile.host_name().clone_into(&mut host);
            name = target.name(&profile);
            start_and_expose_session(profile, &name).await
        });
        let Some(started) = ending.unless_stopped(start).await else { return Ok(()) };
        let (client, tap) = started?;
        let collector = PgnCollector::new(PgnOrigin::new(&host), TrackedRelation::All).with_talk(self.talk);
        let written = self.write_observed_games(&client, tap, collector, n_games, &mut ending).await;
        client.shutdown().await;
        wait_for_end(&name, &client, written).await.map(drop)
    }

    /// Observes games, and writes each when it ends, is left or is adjourned, until there are `n_games`, the session is over, or
    /// the stop signal arrives; then writes the unfinished games, too.
    ///
    /// # Errors
    ///
    /// A game cannot be written.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves the games in progress unwritten, and stops observing further games.
    async fn write_observed_games(
        &self,
        client: &Client,
        mut tap: Tap,
        mut collector: PgnCollector,
        n_games: usize,
        ending: &mut StopSignal,
    ) -> Result<(), Failure> {
        let mut output = self.new_output();
        let (found_moves, mut listed) = mpsc::channel(n_games.min(64));
        // Requests run beside the loop: it has to read the session, or they would not be answered. The set ends them when it
        // is dropped, because each has a client, which keeps the session alive.
        let mut requests = JoinSet::new();
        requests.spawn(observe_games_until(client.clone(), n_games));
        while output.written.len() < n_games {
            let item = tokio::select! {
                item = tap.recv() => item,
                Some((game, list)) = listed.recv() => {
                    if let Some(game) = collector.tracker_mut().get_mut(game) {
                        let _: bool = game.add_missing_moves(&list);
                    }
                    continue;
                }
                () = ending.wait() => None,
            };
            let Some(item) = item else { break };
            let Observation::Event { event, .. } = item.observation else { continue };
            let steps = collector.apply(&event, Some(Utc::now()));
            for game in steps
                .iter()
                .filter_map(|step| collector.tracker().get(step.game))
                .filter(|game| game.has_missing_moves())
            {
                requests.spawn(request_moves(client.clone(), (game.key(), game.number()), found_moves.clone()));
            }
            while requests.try_join_next().is_some() {}
            output.write_ended_games(&steps, &collector)?;
        }
        collector.interrupt_games();
        output.write_remaining(&collector)
    }
}

/// A recording, or a stored session, that is being converted.
struct PgnConversion<'a> {
    reader: EventReader,
    collector: PgnCollector,
    output: PgnOutput<'a>,
}

impl PgnConversion<'_> {
    /// Parses received bytes, and writes the games that end in them.
    fn read_and_write_ended(&mut self, mut bytes: &[u8], utc: Option<Utc>) -> Result<(), Failure> {
        while let Some(event) = self.reader.next(&mut bytes) {
            let steps = self.collector.apply(&event, utc);
            self.output.write_ended_games(&steps, &self.collector)?;
        }
        Ok(())
    }

    /// Interrupts all games, because the connection ended, and starts the reader of the next connection.
    fn end_connection(&mut self) {
        self.collector.interrupt_games();
        self.reader = self.output.args.reader.event_reader();
    }

    /// Parses an unfinished line at the end of the input, and writes the games that are not written yet.
    fn finish_and_write_rest(mut self) -> Result<(), Failure> {
        while let Some(event) = self.reader.finish() {
            let steps = self.collector.apply(&event, None);
            self.output.write_ended_games(&steps, &self.collector)?;
        }
        self.collector.interrupt_games();
        self.output.write_remaining(&self.collector)
    }
}

/// Where the games are written, and which ones are already.
struct PgnOutput<'a> {
    args: &'a Args,
    /// `None` for standard output.
    file: Option<PgnWriter>,
    /// The games that were written; with `--live`, those that have ended.
    written: BTreeSet<GameKey>,
}

impl PgnOutput<'_> {
    /// Writes the games that ended in these steps, each once. With `--live`, replaces the file by all games instead, if there is
    /// any step.
    fn write_ended_games(&mut self, steps: &[TrackedChange], collector: &PgnCollector) -> Result<(), Failure> {
        // A recording may contain the resumption of an adjourned game.
        let is_end = |step: &&TrackedChange| match step.kind {
            TrackedChangeKind::Ended | TrackedChangeKind::Left => true,
            TrackedChangeKind::Adjourned => self.args.games.is_some(),
            _ => false,
        };
        for game in steps.iter().filter(is_end).map(|step| step.game).collect::<Vec<_>>() {
            self.write_once_partner_ended(game, collector)?;
        }
        if steps.is_empty() { Ok(()) } else { self.replace_live_file_if_any(collector) }
    }

    /// Writes all games that were not written yet, finished or not. With `--live`, replaces the file by all games instead.
    fn write_remaining(&mut self, collector: &PgnCollector) -> Result<(), Failure> {
        collector.tracker().iter().try_for_each(|game| self.write_once_partner_ended(game.key(), collector))?;
        self.replace_live_file_if_any(collector)
    }

    /// Writes a game unless it is written already; as BPGN, with the game of the other board, once that has ended, too. With
    /// `--live` only counts it as written.
    fn write_once_partner_ended(&mut self, game: GameKey, collector: &PgnCollector) -> Result<(), Failure> {
        let partner = collector.partner_game(game).filter(|_| self.args.bpgn);
        if partner.is_some_and(|partner| partner.state() == TrackedState::Playing) || !self.written.insert(game) {
            return Ok(());
        }
        match (self.live_file().is_some(), self.args.bpgn) {
            (true, _) => Ok(()),
            (false, false) => collector.game(game).map_or(Ok(()), |pgn| self.print_or_append(&pgn)),
            (false, true) => {
                self.written.extend(partner.map(kibitzer_bot::tracker::TrackedGame::key));
                collector.bughouse_match(game).map_or(Ok(()), |bpgn| self.print_or_append(&bpgn))
            }
        }
    }

    /// Prints a game on standard output, or appends it to the file.
    fn print_or_append(&self, game: &impl Display) -> Result<(), Failure> {
        match &self.file {
            Some(file) => file.append(game).map_err(|error| Failure::local(error_chain(&error))),
            None => writeln!(io::stdout(), "{game}").map_err(Failure::stdout),
        }
    }

    /// Returns the file that is replaced after every move; `None` if games are appended or printed.
    fn live_file(&self) -> Option<&PgnWriter> {
        self.file.as_ref().filter(|_| self.args.live)
    }

    /// With `--live`, replaces the contents of the file by all games of the collector.
    fn replace_live_file_if_any(&self, collector: &PgnCollector) -> Result<(), Failure> {
        let Some(file) = self.live_file() else { return Ok(()) };
        let games: Vec<_> = collector.tracker().iter().filter_map(|game| collector.game(game.key())).collect();
        file.replace(&games).map_err(|error| Failure::local(error_chain(&error)))
    }
}

/// Observes games in progress until `n_total` were observed in all; polls the server's list while it has too few. Skips games
/// that cannot be observed.
///
/// # Cancel safety
///
/// Cancel safe: the session continues to observe the games.
async fn observe_games_until(client: Client, n_total: usize) {
    let mut observed = BTreeSet::new();
    let mut n_left = n_total;
    while n_left > 0 {
        let games = client.games().await.map(|list| list.games).unwrap_or_default();
        observed.retain(|number| games.iter().any(|row| row.game == *number));
        for row in games.iter().filter(|row| row.state == GameRowState::Played && row.terms.mark != Some('p')) {
            if n_left > 0 && observed.insert(row.game) && client.observe(row.game).await.is_ok() {
                n_left -= 1;
            }
        }
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
}

/// Requests the move list of a game that is in progress, and sends it to `found`. Sends nothing if the request fails.
///
/// # Cancel safety
///
/// Cancel safe: the reply is discarded.
async fn request_moves(client: Client, (key, number): (GameKey, GameId), found: mpsc::Sender<(GameKey, MoveList)>) {
    if let Ok(list) = client.moves(number).await {
        let _ = found.send((key, list)).await;
    }
}
