//! The memory of other players: their games and refusals, which a file keeps over a restart, and their titles.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use kibitzer::pgn::replace_games;
use kibitzer::{Handle, Profile};
use kibitzer_core::message::Titles;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::output::Output;
use crate::config::is_computer;

/// How long games with an opponent, refusals and titles are remembered, in seconds.
const DAY_S: u64 = 24 * 60 * 60;

/// Number of opponents that are remembered; the one whose last entry is oldest is dropped.
const MAX_OPPONENTS: usize = 10_000;

/// Number of games with one opponent that are remembered, the largest limit that can be set.
const MAX_GAMES: usize = 10_000;

/// Largest file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// Number of reasons that one player is given for declined challenges, so that a flood of challenges is not answered by one of tells.
const MAX_REASONS: usize = 16;

/// Records of other players: their earlier games, and their titles.
#[derive(Debug)]
pub(super) struct Opponents {
    records: HashMap<Handle, OpponentRecord>,
    /// Titles, and when they were received; at most [`MAX_OPPONENTS`] players.
    titles: HashMap<Handle, (Titles, Instant)>,
    /// An instant, and the seconds from 1970 to it, as a file needs times of the day.
    epoch: (Instant, u64),
    /// The file that keeps the records; `None` without one.
    file: Option<PathBuf>,
    is_file_outdated: bool,
}

/// Record of another player: games, refusals and answers. Times are seconds since 1970.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
struct OpponentRecord {
    games: Vec<u64>,
    declined: Option<u64>,
    #[serde(skip)]
    answered: Option<Instant>,
    /// The reasons given for declining, at most [`MAX_REASONS`].
    #[serde(skip)]
    reasons: Vec<String>,
}

impl OpponentRecord {
    /// Drops the games and the refusal that were more than 24 hours before `now_s`. Returns whether any are left.
    fn retain_last_day(&mut self, now_s: u64) -> bool {
        let is_recent = |at: &u64| now_s.saturating_sub(*at) < DAY_S;
        self.games.retain(is_recent);
        self.declined = self.declined.filter(is_recent);
        !self.games.is_empty() || self.declined.is_some()
    }

    /// Returns the time of the last game or refusal; `None` without one.
    fn last_entry(&self) -> Option<u64> {
        self.games.last().copied().max(self.declined)
    }
}

impl Opponents {
    /// Reads the records of an account from the file of the settings, if there is one. If it cannot be used, reports that, and begins
    /// without records.
    pub(super) fn load(out: &Output) -> Self {
        let folder = out.config.state.folder.as_ref();
        let file = folder.zip(out.config.only_account()).and_then(|(folder, account)| state_file(folder, account));
        let mut opponents = Self::new(Instant::now(), file);
        let now_s = opponents.unix_s(Instant::now());
        let read = out.ok_or_report(None, opponents.file.as_deref().map(read_records).transpose()).flatten();
        for (name, mut record) in read.into_iter().flatten().take(MAX_OPPONENTS) {
            // The clock may have been set back.
            record.games.iter_mut().chain(record.declined.as_mut()).for_each(|at| *at = (*at).min(now_s));
            record.games.truncate(MAX_GAMES);
            if let (true, Ok(name)) = (record.retain_last_day(now_s), name.parse()) {
                opponents.records.insert(name, record);
            }
        }
        opponents
    }

    fn new(now: Instant, file: Option<PathBuf>) -> Self {
        let unix = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let (records, titles) = Default::default();
        Self { records, titles, epoch: (now, unix.as_secs()), file, is_file_outdated: false }
    }

    /// Converts a time of this process to seconds since 1970.
    fn unix_s(&self, now: Instant) -> u64 {
        self.epoch.1 + now.saturating_duration_since(self.epoch.0).as_secs()
    }

    /// Replaces the file if a game or refusal was recorded since the last call. Reports an error.
    pub(super) fn save_if_changed(&mut self, out: &Output) {
        let Some(file) = self.file.as_ref().filter(|_| self.is_file_outdated) else { return };
        self.is_file_outdated = false;
        let now_s = self.unix_s(Instant::now());
        let records = self
            .records
            .iter_mut()
            .filter_map(|(name, record)| record.retain_last_day(now_s).then_some((name.as_str(), &*record)));
        out.ok_or_report(None, write_records(file, &records.collect()));
    }

    /// Returns whether a player is known to be a computer.
    pub(super) fn is_known_computer(&self, player: &Handle) -> bool {
        self.titles_of(player, Instant::now()).is_some_and(is_computer)
    }

    /// Returns the titles of a player that were received in the last 24 hours; `None` if they are not known.
    pub(super) fn titles_of(&self, player: &Handle, now: Instant) -> Option<&Titles> {
        let (titles, at) = self.titles.get(player)?;
        (now.saturating_duration_since(*at).as_secs() < DAY_S).then_some(titles)
    }

    /// Remembers the titles of a player. At [`MAX_OPPONENTS`], forgets those of all others first, which are requested again.
    pub(super) fn record_titles(&mut self, player: &Handle, titles: &Titles, now: Instant) {
        if self.titles.len() >= MAX_OPPONENTS && !self.titles.contains_key(player) {
            self.titles.clear();
        }
        self.titles.insert(player.clone(), (titles.clone(), now));
    }

    /// Returns the number of games with a player in the last 24 hours.
    pub(super) fn n_games_in_last_day(&self, player: &Handle, now: Instant) -> u32 {
        let (games, now_s) = (self.records.get(player).map_or(&[][..], |known| &known.games), self.unix_s(now));
        let recent = games.iter().filter(|at| now_s.saturating_sub(**at) < DAY_S).count();
        u32::try_from(recent).unwrap_or(u32::MAX)
    }

    /// Remembers for 24 hours that a player declined a challenge of the bot.
    pub(super) fn record_decline_by(&mut self, player: &Handle, now: Instant) {
        self.is_file_outdated = true;
        self.record(player).declined = Some(self.unix_s(now));
    }

    /// Returns whether a player declined a challenge of the bot in the last 24 hours.
    pub(super) fn has_declined_recently(&self, player: &Handle, now: Instant) -> bool {
        let declined = self.records.get(player).and_then(|known| known.declined);
        declined.is_some_and(|at| self.unix_s(now).saturating_sub(at) < DAY_S)
    }

    /// Remembers the reason for declining that is given to a player. Returns `false` if it was given before, or after 16 reasons.
    pub(super) fn record_reason_if_new(&mut self, player: &Handle, reason: &str) -> bool {
        let reasons = &mut self.record(player).reasons;
        let is_new = reasons.len() < MAX_REASONS && !reasons.iter().any(|known| known == reason);
        if is_new {
            reasons.push(reason.to_owned());
        }
        is_new
    }

    /// Records an answer to a player. Returns `false`, and records nothing, if the last answer is less than `pause` ago: no answer may be
    /// sent then.
    pub(super) fn record_answer_if_allowed(&mut self, player: &Handle, now: Instant, pause: Duration) -> bool {
        let answered = &mut self.record(player).answered;
        let may_answer = answered.is_none_or(|at| now.saturating_duration_since(at) >= pause);
        if may_answer {
            *answered = Some(now);
        }
        may_answer
    }

    /// Counts a game with a player.
    pub(super) fn record_game(&mut self, player: &Handle, now: Instant) {
        let now_s = self.unix_s(now);
        self.is_file_outdated = true;
        let record = self.record(player);
        record.retain_last_day(now_s);
        if record.games.len() < MAX_GAMES {
            record.games.push(now_s);
        }
    }

    /// Removes the last game with a player from the count. Returns whether there was one.
    pub(super) fn forget_last_game(&mut self, player: &Handle) -> bool {
        self.is_file_outdated = true;
        self.record(player).games.pop().is_some()
    }

    /// Returns the record of a player, creating one. At [`MAX_OPPONENTS`], replaces the one not seen for the longest time.
    fn record(&mut self, player: &Handle) -> &mut OpponentRecord {
        if self.records.len() >= MAX_OPPONENTS && !self.records.contains_key(player) {
            let oldest = self.records.iter().min_by_key(|(_, known)| (known.last_entry(), known.answered));
            if let Some(oldest) = oldest.map(|(name, _)| name.clone()) {
                self.records.remove(&oldest);
            }
        }
        self.records.entry(player.clone()).or_default()
    }
}

/// Returns the file of an account in a folder, `HANDLE@HOST.json` in lower case; `None` without a handle. Characters that a name of a
/// file may not have are underscores.
fn state_file(folder: &Path, account: &Profile) -> Option<PathBuf> {
    let name = format!("{}@{}.json", account.handle()?, account.host_name()).to_lowercase();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || ".-@".contains(letter);
    Some(folder.join(name.replace(|letter| !is_plain(letter), "_")))
}

/// Reads the records of a file; none if it does not exist.
fn read_records(path: &Path) -> io::Result<HashMap<String, OpponentRecord>> {
    let read = || {
        let mut text = Vec::new();
        // A larger file ends in the middle, and is not valid.
        File::open(path)?.take(MAX_FILE_BYTES).read_to_end(&mut text)?;
        Ok(serde_json::from_slice(&text)?)
    };
    read().or_else(|error: io::Error| match error.kind() {
        ErrorKind::NotFound => Ok(HashMap::new()),
        kind => {
            let file = path.display();
            let reason = format!("the memory of other players is lost, and begins again: cannot read {file}: {error}");
            Err(io::Error::new(kind, reason))
        }
    })
}

/// Replaces a file in one step; creates its folder if it does not exist.
fn write_records(path: &Path, records: &HashMap<&str, &OpponentRecord>) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        let error = |error: io::Error| format!("cannot create the folder {}: {error}", folder.display());
        std::fs::create_dir_all(folder).map_err(|cause| io::Error::new(cause.kind(), error(cause)))?;
    }
    replace_games(path, &[serde_json::to_string(records)? + "\n"])
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_secs(DAY_S);

    fn player(n: usize) -> Handle {
        format!("Guest{n}").parse().unwrap()
    }

    #[test]
    fn memory_of_players_is_limited() {
        let now = Instant::now();
        let mut known = Opponents::new(now, None);
        known.record_decline_by(&player(0), now);
        for n in 0..MAX_OPPONENTS + 100 {
            known.record_reason_if_new(&player(n), "rated games are not played");
            known.record_titles(&player(n), &Titles::default(), now);
        }
        assert_eq!(known.records.len(), MAX_OPPONENTS);
        assert!(known.titles.len() <= MAX_OPPONENTS);
        assert!(known.has_declined_recently(&player(0), now), "those who only challenged are forgotten first");
        let n_given = (0..1000).filter(|n| known.record_reason_if_new(&player(0), &n.to_string())).count();
        assert!(n_given <= MAX_REASONS);
        for _ in 0..MAX_GAMES + 10 {
            known.record_game(&player(1), now);
        }
        assert_eq!(usize::try_from(known.n_games_in_last_day(&player(1), now)), Ok(MAX_GAMES));
    }

    #[test]
    fn refusals_games_and_titles_are_remembered_for_a_day_in_any_spelling() {
        let now = Instant::now();
        let mut known = Opponents::new(now, None);
        let [one, other]: [Handle; 2] = ["Alekhin", "ALEKHIN"].map(|name| name.parse().unwrap());
        known.record_decline_by(&one, now);
        known.record_game(&one, now);
        known.record_titles(&one, &Titles::from_codes(b"C"), now);
        let seen = |known: &Opponents, at| {
            let titles = known.titles_of(&other, at).map(ToString::to_string);
            (known.has_declined_recently(&other, at), known.n_games_in_last_day(&other, at), titles)
        };
        assert_eq!(seen(&known, now), (true, 1, Some("(C)".to_owned())));
        assert_eq!(seen(&known, now + DAY), (false, 0, None));
    }

    #[test]
    fn name_of_the_file_is_made_of_handle_and_host_and_stays_in_its_folder() {
        let account = |host: &str| Profile::new(host).guest_as("MyBot".parse().unwrap());
        for (host, want) in [
            ("freechess.org", "mybot@freechess.org.json"),
            ("::1", "mybot@__1.json"),
            ("../../etc/x", "mybot@.._.._etc_x.json"),
        ] {
            assert_eq!(state_file(Path::new("state"), &account(host)).unwrap(), Path::new("state").join(want));
        }
        assert_eq!(state_file(Path::new("state"), &Profile::new("freechess.org")), None);
    }
}
