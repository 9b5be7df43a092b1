//! Collects the games of a recording or session, and writes each once it has ended.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use kibitzer::internal::recorded::{PieceDecoder, StreamPiece};
use kibitzer::pgn::{GameFile, PgnCollector, PgnOrigin, replace_games};
use kibitzer::track::{GameKey, TrackedChange, TrackedChangeKind, TrackedGame, TrackedState};
use kibitzer::transcript::Utc;
use kibitzer::{Client, Observation, Tap};
use kibitzer_core::Event;
use kibitzer_core::message::Message;
use kibitzer_core::message::listing::{GameRow, GameRowState};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use super::Args;
use crate::failure::Failure;
use crate::live::StopSignal;

/// Delay between two requests for the list of games of a server that refuses to announce games.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);

/// Converts one recording or stored session to games, and writes them.
pub(super) struct PgnConversion<'a> {
    decoder: PieceDecoder,
    games: GameWriter<'a>,
}

impl<'a> PgnConversion<'a> {
    /// Creates the conversion of a session; the arguments are those of [`GameWriter::new`].
    pub(super) fn new(args: &'a Args, host: &str, file: Option<GameFile>) -> Self {
        let reader = args.reader;
        Self { decoder: PieceDecoder::new(move || reader.event_reader()), games: GameWriter::new(args, host, file) }
    }

    /// Decodes a piece, and writes the games that end in it; `utc` is its time. At the end of a connection, marks the games in
    /// progress as interrupted without writing them.
    pub(super) fn read_and_write_ended(&mut self, piece: &StreamPiece, utc: Option<Utc>) -> Result<(), Failure> {
        self.decoder.decode(piece, |event| self.games.apply_and_write_ended(event, utc).map(drop))?;
        if let StreamPiece::Ended = piece {
            self.games.collector.interrupt_games();
        }
        Ok(())
    }

    /// Decodes an unfinished line at the end of the input, marks the games in progress as interrupted, and writes all games that
    /// were not written yet. Returns the file, which may not be synchronized with the disk.
    pub(super) fn finish_and_write_rest(mut self) -> Result<Option<GameFile>, Failure> {
        self.decoder.finish(|event| self.games.apply_and_write_ended(event, None).map(drop))?;
        self.games.interrupt_and_write_rest().map(|()| self.games.file)
    }
}

/// Writes the games of one session.
pub(super) struct GameWriter<'a> {
    args: &'a Args,
    collector: PgnCollector,
    /// File for the games; `None` for standard output.
    file: Option<GameFile>,
    /// Games that need no more writing: they were written, are left out by `--bpgn`, or with `--live` have ended.
    written: BTreeSet<GameKey>,
}

impl<'a> GameWriter<'a> {
    /// Creates the writer for a session on the server `host`, which the tags name. Games are appended to `file`, which is created
    /// with the first game; without a file, they are written to standard output.
    pub(super) fn new(args: &'a Args, host: &str, file: Option<GameFile>) -> Self {
        let collector = PgnCollector::new(PgnOrigin::new(host)).with_observed();
        let collector = if args.talk { collector.with_talk() } else { collector };
        Self { args, collector, file, written: BTreeSet::new() }
    }

    /// Observes games of the server, and writes each when it ends, is adjourned or is no longer observed, until there are
    /// `n_games`, the session is over, or the stop signal arrives. Then writes the games still in progress, too. The caller shuts
    /// the session down.
    ///
    /// # Errors
    ///
    /// A game cannot be written.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves the games in progress unwritten, and stops observing further games.
    pub(super) async fn write_observed_games(
        mut self,
        client: &Client,
        mut tap: Tap,
        n_games: usize,
        ending: &mut StopSignal,
    ) -> Result<(), Failure> {
        // Requests run beside the loop: it has to read the session, or they would not be answered. The set ends them when it
        // is dropped, because each has a client, which keeps the session alive.
        let mut requests = JoinSet::new();
        let n_wanted = Arc::new(Semaphore::new(n_games));
        requests.spawn(observe_games(client.clone(), Arc::clone(&n_wanted)));
        while self.written.len() < n_games {
            let item = tokio::select! {
                item = tap.next() => item,
                () = ending.wait() => None,
            };
            let Some(item) = item else { break };
            let Observation::Event { event, .. } = item.observation else { continue };
            let changes = self.apply_and_write_ended(&event, Some(Utc::now()))?;
            let changed = changes.iter().filter_map(|change| self.collector.tracker().get(change.game));
            n_wanted.add_permits(changed.clone().filter(|game| game.was_only_probed()).count());
            for game in changed.filter(|game| game.has_missing_moves()) {
                let client = client.clone();
                let number = game.number();
                // The collector adds the listed moves when it receives them among the events.
                requests.spawn(async move { drop(client.moves(number).await) });
            }
            while requests.try_join_next().is_some() {}
        }
        self.interrupt_and_write_rest()
    }

    /// Applies an event, and writes the games that it ended, each once. Games that the session stopped observing count as ended,
    /// and in a live session adjourned ones. With `--live`, replaces the file by all games instead, if a game has changed.
    /// Returns the changes of games.
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
            self.replace_file_if_live()?;
        }
        Ok(changes)
    }

    /// Marks the games in progress as interrupted, and writes all games that were not written yet. With `--live`, replaces the
    /// file by all games instead.
    fn interrupt_and_write_rest(&mut self) -> Result<(), Failure> {
        self.collector.interrupt_games();
        for game in self.collector.tracker().iter().map(TrackedGame::key).collect::<Vec<_>>() {
            self.write_once_partner_ended(game)?;
        }
        self.replace_file_if_live()
    }

    /// Writes a game unless it was written before or [only probed](TrackedGame::was_only_probed). With `--bpgn`, writes it together with the
    /// game on the other board once both have ended, and leaves out games that are not bughouse. With `--live`, only counts it as
    /// written.
    fn write_once_partner_ended(&mut self, game: GameKey) -> Result<(), Failure> {
        let partner = self.collector.partner_game(game).filter(|_| self.args.bpgn);
        let is_early = partner.is_some_and(|partner| partner.state() == TrackedState::Playing);
        let is_probed = self.collector.tracker().get(game).is_some_and(TrackedGame::was_only_probed);
        if is_early || is_probed || !self.written.insert(game) {
            return Ok(());
        }
        if self.args.bpgn {
            self.written.extend(partner.map(TrackedGame::key));
            return self.collector.bughouse_match(game).map_or(Ok(()), |bpgn| self.print_or_append(&bpgn));
        }
        let game = self.collector.game(game).filter(|_| !self.args.live);
        game.map_or(Ok(()), |pgn| self.print_or_append(&pgn))
    }

    /// Prints a game on standard output, or appends it to the file, which is created if necessary. Games of a live session are on
    /// the disk afterwards, as it may be long until the next one ends.
    fn print_or_append(&mut self, game: &impl Display) -> Result<(), Failure> {
        match &mut self.file {
            Some(file) if self.args.games.is_some() => file.append(game).and_then(|()| file.sync()),
            Some(file) => file.append(game),
            None => return writeln!(io::stdout(), "{game}").map_err(Failure::stdout),
        }
        .map_err(Failure::caused_by)
    }

    /// With `--live`, replaces the contents of the file by all games that were collected; otherwise does nothing.
    fn replace_file_if_live(&self) -> Result<(), Failure> {
        if !self.args.live {
            return Ok(());
        }
        let games = self.collector.tracker().iter().filter(|game| !game.was_only_probed());
        let games: Vec<_> = games.filter_map(|game| self.collector.game(game.key())).collect();
        replace_games(&self.args.output, &games).map_err(Failure::caused_by)
    }
}

/// Observes public games as long as there are permits, and takes one for each: first those in the server's list, then every game
/// that the server announces. Skips games that cannot be observed. Requests the list again after a new login and, if the server
/// refuses to announce games, every five seconds. Returns at the end of the session.
///
/// # Cancel safety
///
/// Cancel safe: the session continues to observe the games.
pub(crate) async fn observe_games(client: Client, n_wanted: Arc<Semaphore>) {
    // Requests fail before the login; its failure is also the end of the tap.
    if client.ready().await.is_err() {
        return;
    }
    let mut events = client.subscribe();
    let is_announced = client.set("gin", "1").await.is_ok();
    let mut look_at = Instant::now() + if is_announced { Duration::from_hours(1 << 16) } else { LOOK_INTERVAL };
    let is_public = |row: &&GameRow| row.state == GameRowState::Played && row.terms.mark != Some('p');
    let list = async || {
        let games = client.games().await.map(|list| list.games).unwrap_or_default();
        games.iter().filter(is_public).map(|row| row.game).collect()
    };
    let mut numbers: Vec<_> = list().await;
    loop {
        for number in numbers {
            let Ok(permit) = n_wanted.acquire().await else { return };
            if client.observe(number).await.is_ok() {
                permit.forget();
            }
        }
        numbers = match timeout_at(look_at, events.next()).await {
            Ok(None) => return,
            Ok(Some(event)) => match (&*event, event.message()) {
                (Event::SessionReady(_), _) => list().await,
                (_, Some(Message::GameCreated(created))) => vec![created.game],
                _ => Vec::new(),
            },
            Err(_) => {
                look_at += LOOK_INTERVAL;
                list().await
            }
        };
    }
}
