//! `kibitzer pgn`: writes games of recordings, or of a live session, as PGN.

mod conversion;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use kibitzer::internal::recorded::StreamPiece;
use kibitzer::pgn::GameFile;

use crate::arguments::ReaderArgs;
use crate::decode::RecordedInput;
use crate::failure::{EXIT_STATUS, Failure, USAGE};
use crate::live::{LoginArgs, StopArgs, Target, report_recorded, run, start_unless_stopped, wait_for_end};
#[cfg(feature = "web")]
pub(crate) use conversion::observe_games;
use conversion::{GameWriter, PgnConversion};

/// Write the games of recordings, or of a live session, as PGN
///
/// Writes every game that the session played or observed, with clocks, in the format of the FICS Games Database. With --games, it
/// logs in, as a guest by default, observes games of the server and writes each when it ends.
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

impl Args {
    /// Writes the games of each recording in turn; with `--nats` those of the stored sessions, with `--games` those of a live
    /// session. Blocks until all are written.
    pub(crate) fn write_games(&self) -> Result<(), Failure> {
        #[cfg(feature = "nats")]
        if self.stream.url.is_some() {
            return run(self.convert_stored_sessions());
        }
        if let Some(n_games) = self.games {
            return run(self.observe_and_write(n_games.get()));
        }
        let mut recordings = self.sources.iter().map(Path::new);
        let file =
            recordings.try_fold(self.game_file(&self.output), |file, path| self.convert_recording(path, file))?;
        file.map_or(Ok(()), |mut file| file.sync().map_err(Failure::caused_by))
    }

    /// Returns whether `--output` is `-`, the default, so that games are printed on standard output.
    fn writes_to_stdout(&self) -> bool {
        self.output.as_os_str() == "-"
    }

    /// Returns a file for games; `None` if they are printed on standard output.
    fn game_file(&self, path: &Path) -> Option<GameFile> {
        (!self.writes_to_stdout()).then(|| GameFile::new(path))
    }

    /// Writes the games of a recording to the output: each game when it ends, games without an end after the last record. With
    /// `--strict`, fails at a last line that is incomplete, and does not write the games without an end. Returns the file, which may
    /// not be synchronized with the disk.
    fn convert_recording(&self, path: &Path, file: Option<GameFile>) -> Result<Option<GameFile>, Failure> {
        let mut input = RecordedInput::open_transcript(path)?;
        let mut conversion = PgnConversion::new(self, self.site.as_deref().unwrap_or_default(), file);
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

    /// Writes the games of all sessions stored in the NATS stream: to standard output, or the games of each session to the file
    /// `SESSION.pgn` in the folder `--output`. These files are replaced after all sessions were read.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future replaces no file; printed games stay printed, and temporary files remain.
    #[cfg(feature = "nats")]
    async fn convert_stored_sessions(&self) -> Result<(), Failure> {
        use std::fs;
        use std::hash::{BuildHasher as _, RandomState};

        // Created exclusively, in the same folder, so that files can be moved from it.
        let temporary = self.output.join(format!(".kibitzer-{:016x}", RandomState::new().hash_one(())));
        let cannot = |path: &Path, error| Failure::local(format!("cannot create {}: {error}", path.display()));
        if !self.writes_to_stdout() {
            fs::create_dir_all(&self.output).map_err(|error| cannot(&self.output, error))?;
            fs::create_dir(&temporary).map_err(|error| cannot(&temporary, error))?;
        }
        let converted = self.convert_stored_sessions_in(&temporary).await;
        // Standard output needs none. The games in it are incomplete after a failure.
        let _ = fs::remove_dir_all(&temporary);
        converted
    }

    /// Writes the games of all sessions to files in the folder `temporary`, and moves these files to `--output` when all are
    /// written.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves the files in `temporary`.
    #[cfg(feature = "nats")]
    async fn convert_stored_sessions_in(&self, temporary: &Path) -> Result<(), Failure> {
        let mut sessions = std::collections::BTreeMap::new();
        crate::nats::for_each_server_output(&self.stream, |session, piece, utc| {
            let conversion = sessions.entry(session.to_owned()).or_insert_with(|| {
                let file = self.game_file(&temporary.join(session));
                PgnConversion::new(self, self.site.as_deref().unwrap_or_default(), file)
            });
            conversion.read_and_write_ended(piece, utc)
        })
        .await?;
        for (session, conversion) in sessions {
            if let Some(mut games) = conversion.finish_and_write_rest()? {
                games.sync().map_err(Failure::caused_by)?;
            }
            let games = temporary.join(&session);
            let file = self.output.join(format!("{session}.pgn"));
            if games.exists() {
                let cannot = |error| Failure::local(format!("cannot create {}: {error}", file.display()));
                std::fs::rename(games, &file).map_err(cannot)?;
            }
        }
        Ok(())
    }

    /// Starts a session, writes observed games until `n_games` have ended or the stop signal arrives, writes the games still in
    /// progress, and ends the session.
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
        if self.live && self.writes_to_stdout() {
            return Err(Failure::new(
                USAGE,
                "--live replaces a file, and cannot print to standard output (try --help)",
            ));
        }
        let target: Target = server.parse().map_err(|error| Failure::new(USAGE, format!("{server}: {error}")))?;
        let mut ending = self.ending.begin()?;
        let profile = self.login.load_profile_and_ask_password(&target);
        let Some(started) = start_unless_stopped(&target, profile, &mut ending).await? else { return Ok(()) };
        let (client, tap, name) = started;
        let games = GameWriter::new(self, client.server(), self.game_file(&self.output));
        let written = games.write_observed_games(&client, tap, n_games, &mut ending).await;
        client.shutdown().await;
        wait_for_end(&name, &client, written).await.map(report_recorded)
    }
}
