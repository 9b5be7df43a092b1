//! `kibitzer pgn`: writes games of recordings, or of a live session, as PGN.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kibitzer::core::message::listing::GameRowState;
use kibitzer::core::{Event, EventReader};
use kibitzer::transcript::Utc;
use kibitzer::{Client, Observation, Tap};
use kibitzer_bot::pgn::{PgnCollector, PgnOrigin, append_game, replace_games};
use kibitzer_bot::tracker::{GameKey, TrackedChange, TrackedChangeKind, TrackedGame, TrackedState};
use tokio::task::JoinSet;

use crate::arguments::ReaderArgs;
use crate::decode::{RecordedInput, StreamPiece};
use crate::failure::{EXIT_STATUS, Failure, USAGE};
use crate::live::{LoginArgs, StopArgs, StopSignal, Target, report_recorded, run, start_unless_stopped, wait_for_end};

/// Write the games of recordings, or of a live session, as PGN
///
/// Every game that the session played or observed, with clocks, in the form of the FICS Games Database. With --games, a guest
/// logs in, observes games of the server and writes each when it ends.
#[derive(clap::Args)]
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
        if self.stream.url.is_some() {
            return run(self.convert_stored_sessions());
        }
        match self.games {
            Some(n_games) => run(self.observe_and_write(n_games.get())),
            None => self.sources.iter().try_for_each(|path| self.convert_recording(Path::new(path))),
        }
    }

    /// Returns whether the games are printed.
    fn writes_to_stdout(&self) -> bool {
        self.output.as_os_str() == "-"
    }

    /// Creates the state for the games of a server. They are written to standard output if the arguments name it, otherwise to the
    /// file, which is opened with the first game.
    fn new_conversion(&self, host: &str, file: &Path) -> PgnConversion<'_> {
        PgnConversion {
            args: self,
            reader: self.reader.event_reader(),
            collector: PgnCollector::new(PgnOrigin::new(host)).with_observed().with_talk(self.talk),
            file: (!self.writes_to_stdout()).then(|| file.to_owned()),
            written: BTreeSet::new(),
        }
    }

    /// Writes the games of a recording to the output: each game when it ends, unfinished games after the last record.
    fn convert_recording(&self, path: &Path) -> Result<(), Failure> {
        let mut input = RecordedInput::open_transcript(path)?;
        let mut conversion = self.new_conversion(self.site.as_deref().unwrap_or_default(), &self.output);
        while let Some((piece, stamp)) = input.next()? {
            if let StreamPiece::Cut(line) = piece
                && self.reader.strict
            {
                return Err(input.cut_failure(line));
            }
            conversion.read_and_write_ended(&piece, stamp.and_then(|stamp| stamp.utc))?;
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
        let path = |session: &str, extension: &str| self.output.join(format!("{session}.{extension}"));
        if !self.writes_to_stdout() {
            let cannot = |error| Failure::local(format!("cannot create {}: {error}", self.output.display()));
            std::fs::create_dir_all(&self.output).map_err(cannot)?;
        }
        let mut sessions = std::collections::BTreeMap::new();
        crate::nats::for_each_server_output(&self.stream, |session, piece, utc| {
            let conversion = sessions.entry(session.to_owned()).or_insert_with(|| {
                let temporary = path(session, "pgn.tmp");
                // One that was left by an earlier run.
                let _ = std::fs::remove_file(&temporary);
                self.new_conversion(self.site.as_deref().unwrap_or_default(), &temporary)
            });
            conversion.read_and_write_ended(&piece, utc)
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
        let profile = self.login.load_profile_and_ask_password(&target);
        let Some(started) = start_unless_stopped(&target, profile, &mut ending).await? else { return Ok(()) };
        let (client, tap, name) = started;
        let conversion = self.new_conversion(client.server(), &self.output);
        let written = conversion.write_observed_games(&client, tap, n_games, &mut ending).await;
        client.shutdown().await;
        wait_for_end(&name, &client, written).await.map(report_recorded)
    }
}

/// The games of a recording, a stored session or a live one, which are being written.
struct PgnConversion<'a> {
    args: &'a Args,
    /// Parses received bytes; not used for a live session.
    reader: EventReader,
    collector: PgnCollector,
    /// `None` for standard output.
    file: Option<PathBuf>,
    /// The games that were written; with `--live`, those that have ended.
    written: BTreeSet<GameKey>,
}

impl PgnConversion<'_> {
    /// Parses received bytes, and writes the games that end in them. At the end of a connection, interrupts all games, and starts
    /// the reader of the next connection. Ignores other pieces.
    fn read_and_write_ended(&mut self, piece: &StreamPiece, utc: Option<Utc>) -> Result<(), Failure> {
        match piece {
            StreamPiece::Received(bytes) => {
                let mut rest = &bytes[..];
                while let Some(event) = self.reader.next(&mut rest) {
                    self.apply_and_write_ended(&event, utc)?;
                }
            }
            StreamPiece::Ended => {
                self.collector.interrupt_games();
                self.reader = self.args.reader.event_reader();
            }
            StreamPiece::Sent(_) | StreamPiece::Cut(_) => {}
        }
        Ok(())
    }

    /// Parses an unfinished line at the end of the input, and writes the games that are not written yet.
    fn finish_and_write_rest(mut self) -> Result<(), Failure> {
        while let Some(event) = self.reader.finish() {
            self.apply_and_write_ended(&event, None)?;
        }
        self.interrupt_and_write_rest()
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
        mut self,
        client: &Client,
        mut tap: Tap,
        n_games: usize,
        ending: &mut StopSignal,
    ) -> Result<(), Failure> {
        // Requests run beside the loop: it has to read the session, or they would not be answered. The set ends them when it
        // is dropped, because each has a client, which keeps the session alive.
        let mut requests = JoinSet::new();
        requests.spawn(observe_games_until(client.clone(), n_games));
        while self.written.len() < n_games {
            let item = tokio::select! {
                item = tap.recv() => item,
                () = ending.wait() => None,
            };
            let Some(item) = item else { break };
            let Observation::Event { event, .. } = item.observation else { continue };
            let changes = self.apply_and_write_ended(&event, Some(Utc::now()))?;
            let changed = changes.iter().filter_map(|change| self.collector.tracker().get(change.game));
            for game in changed.filter(|game| game.has_missing_moves()) {
                let (client, number) = (client.clone(), game.number());
                // The collector adds the listed moves when it receives them among the events.
                requests.spawn(async move { drop(client.moves(number).await) });
            }
            while requests.try_join_next().is_some() {}
        }
        self.interrupt_and_write_rest()
    }

    /// Applies an event, and writes the games that it ended, each once. With `--live`, replaces the file by all games instead, if
    /// one has changed. Returns the changes of games.
    fn apply_and_write_ended(&mut self, event: &Event, utc: Option<Utc>) -> Result<Vec<TrackedChange>, Failure> {
        let changes = self.collector.apply(event, utc);
        for change in &changes {
            let is_end = match change.kind {
                TrackedChangeKind::Ended | TrackedChangeKind::Left => true,
                // A recording may contain the resumption of an adjourned game.
                TrackedChangeKind::Adjourned => self.args.games.is_some(),
                _ => false,
            };
            if is_end {
                self.write_once_partner_ended(change.game)?;
            }
        }
        if !changes.is_empty() {
            self.replace_live_file_if_any()?;
        }
        Ok(changes)
    }

    /// Interrupts the unfinished games, and writes all games that were not written yet. With `--live`, replaces the file by all
    /// games instead.
    fn interrupt_and_write_rest(&mut self) -> Result<(), Failure> {
        self.collector.interrupt_games();
        for game in self.collector.tracker().iter().map(TrackedGame::key).collect::<Vec<_>>() {
            self.write_once_partner_ended(game)?;
        }
        self.replace_live_file_if_any()
    }

    /// Writes a game unless it is written already; as BPGN, with the game of the other board, once that has ended, too. With
    /// `--live` only counts it as written.
    fn write_once_partner_ended(&mut self, game: GameKey) -> Result<(), Failure> {
        let partner = self.collector.partner_game(game).filter(|_| self.args.bpgn);
        if partner.is_some_and(|partner| partner.state() == TrackedState::Playing) || !self.written.insert(game) {
            return Ok(());
        }
        if self.args.bpgn {
            self.written.extend(partner.map(TrackedGame::key));
            return self.collector.bughouse_match(game).map_or(Ok(()), |bpgn| self.print_or_append(&bpgn));
        }
        let game = self.collector.game(game).filter(|_| !self.args.live);
        game.map_or(Ok(()), |pgn| self.print_or_append(&pgn))
    }

    /// Prints a game on standard output, or appends it to the file.
    fn print_or_append(&self, game: &impl Display) -> Result<(), Failure> {
        match &self.file {
            Some(file) => append_game(file, game).map_err(Failure::caused_by),
            None => writeln!(io::stdout(), "{game}").map_err(Failure::stdout),
        }
    }

    /// With `--live`, replaces the contents of the file by all games of the collector.
    fn replace_live_file_if_any(&self) -> Result<(), Failure> {
        let Some(file) = self.file.as_ref().filter(|_| self.args.live) else { return Ok(()) };
        let games: Vec<_> =
            self.collector.tracker().iter().filter_map(|game| self.collector.game(game.key())).collect();
        replace_games(file, &games).map_err(Failure::caused_by)
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
