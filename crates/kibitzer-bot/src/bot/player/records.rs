//! The games in files: appended when they are over, in the live file, and in the record of the unfinished games.

use std::path::{Path, PathBuf};
use std::{fs, io};

use kibitzer::pgn::{append_game, replace_games};
use kibitzer::track::{GameKey, TrackedChange, TrackedChangeKind, TrackedGame, TrackedState};
use kibitzer::transcript::Utc;
use tokio::time::Instant;

use super::files::{ignore_missing, path_value};
use super::games::OwnGames;
use crate::config::PATH_FIELDS;

impl OwnGames {
    /// Replaces the live file, appends a game that is over, and replaces the record of the unfinished games. A file that cannot be
    /// written is reported, and the bot plays on.
    pub(super) fn update_files(&mut self, change: TrackedChange) {
        let pgn = &self.out.config.pgn;
        if pgn.live_file.is_none() && pgn.file.is_none() {
            return;
        }
        let Some(game) = self.collector.game(change.game).map(|game| game.to_string()) else { return };
        if let Some(pattern) = &pgn.live_file {
            let replaced = self.game_path(pattern, &game).and_then(|path| replace_games(&path, &[&game]));
            self.out.ok_or_report(self.number(change.game), replaced);
        }
        // A game that is resumed has the moves that the earlier process has seen.
        self.files.cut_off.retain(|cut_off| !continues(&game, cut_off));
        let is_over = matches!(change.kind, TrackedChangeKind::Ended | TrackedChangeKind::Left);
        if is_over && !self.append_to_file(Some(change.game), &game) {
            self.files.keep(game);
        }
        self.write_record();
    }

    /// Appends the games that were in progress or adjourned when the bot stopped, and those that were cut off. The record keeps those
    /// that cannot be appended.
    pub(super) fn append_unfinished(&mut self) {
        let mut games = self.unfinished_games();
        games.append(&mut self.files.cut_off);
        games.retain(|game| !self.append_to_file(None, game));
        self.replace_record(&games);
    }

    /// Appends the games that were cut off, if they could have been resumed for a while. Keeps those that cannot be appended.
    pub(super) fn append_cut_off_if_due(&mut self, now: Instant) {
        if self.files.write_at.take_if(|at| *at <= now).is_some() {
            let mut games = std::mem::take(&mut self.files.cut_off);
            games.retain(|game| !self.append_to_file(None, game));
            self.files.cut_off = games;
            self.write_record();
        }
    }

    /// Returns the games that are in progress or adjourned, as PGN of games that were broken off.
    fn unfinished_games(&self) -> Vec<String> {
        use TrackedState::{Adjourned, Interrupted, Playing};
        let is_unfinished = |game: &&TrackedGame| matches!(game.state(), Playing | Interrupted | Adjourned);
        let games = self.tracker().iter().filter(is_unfinished).filter_map(|game| self.collector.game(game.key()));
        let broken_off = games.map(|mut game| {
            game.set_tag("Termination", "unterminated");
            game.to_string()
        });
        broken_off.collect()
    }

    /// Writes the unfinished games, and those that were cut off or could not be appended, to the record.
    fn write_record(&mut self) {
        if self.files.record.is_some() {
            let mut games = self.unfinished_games();
            games.extend_from_slice(&self.files.cut_off);
            self.replace_record(&games);
        }
    }

    /// Replaces the record by these games, or removes it if there are none. Does not try again after a failure.
    fn replace_record(&mut self, games: &[String]) {
        let Some(record) = self.files.record.take() else { return };
        let written = if games.is_empty() {
            ignore_missing(fs::remove_file(&record), "remove", &record)
        } else {
            replace_games(&record, games)
        };
        self.files.record = self.out.ok_or_report(None, written).map(|()| record);
    }

    /// Appends a game to the file of the settings, if there is one. Reports an error, and returns `false` after it.
    fn append_to_file(&self, key: Option<GameKey>, game: &str) -> bool {
        let Some(pattern) = &self.out.config.pgn.file else { return true };
        let appended = self.game_path(pattern, game).and_then(|path| append_game(&path, &game));
        self.out.ok_or_report(key.and_then(|key| self.number(key)), appended).is_some()
    }

    /// Returns the path for a game: the pattern with the values of the game. Creates the folders of a pattern with fields.
    fn game_path(&self, pattern: &Path, game: &str) -> io::Result<PathBuf> {
        let Some(text) = pattern.to_str().filter(|text| text.contains('{')) else { return Ok(pattern.to_owned()) };
        let account = self.out.account().map(|handle| handle.to_string()).unwrap_or_default();
        let [white, black] = ["White", "Black"].map(|name| tag(game, name).unwrap_or_default());
        let opponent = if white.eq_ignore_ascii_case(&account) { black } else { white };
        // A game that an earlier process began has no date.
        let known = tag(game, "Date").filter(|date| !date.contains('?')).map(|date| date.replace('.', "-"));
        let date = known.unwrap_or_else(|| Utc::now().to_string().chars().take("2025-03-01".len()).collect());
        let values = [&date, opponent, tag(game, "Variant").unwrap_or("chess"), &account].map(path_value);
        let path = PathBuf::from(
            PATH_FIELDS.iter().zip(values).fold(text.to_owned(), |path, (field, value)| path.replace(field, &value)),
        );
        path.parent().map_or(Ok(()), |folder| ignore_missing(fs::create_dir_all(folder), "create", folder))?;
        Ok(path)
    }
}

/// Returns the value of a tag of a game as PGN.
fn tag<'a>(game: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = game.lines().take_while(|line| !line.is_empty());
    lines.find_map(|line| line.strip_prefix('[')?.strip_prefix(name)?.strip_prefix(" \"")?.strip_suffix("\"]"))
}

/// Returns whether a game that was resumed has the players and begins with the moves of another one. This process has not seen the first
/// move of such a game, so that its clock is not known.
fn continues(game: &str, other: &str) -> bool {
    ["White", "Black", "FEN"].iter().all(|name| tag(game, name) == tag(other, name))
        && moves_of(game).starts_with(&moves_of(other))
        && !first_comment(game).contains("[%clk ")
}

/// Returns the comment of the first move of a game as PGN; empty without one.
fn first_comment(game: &str) -> &str {
    let moves = game.split_once("\n\n").and_then(|(_, moves)| moves.splitn(3, ' ').nth(2));
    moves.filter(|rest| rest.starts_with('{')).and_then(|rest| rest.split('}').next()).unwrap_or_default()
}

/// Returns the moves of a game as PGN, without comments, numbers, the result and the marks of checks.
fn moves_of(game: &str) -> Vec<&str> {
    let moves = game.split_once("\n\n").map_or("", |(_, moves)| moves);
    let outside = moves.split('}').flat_map(|part| part.split('{').next().unwrap_or_default().split_whitespace());
    let played = outside.filter(|word| word.starts_with(|first: char| first.is_ascii_alphabetic()));
    played.map(|word| word.trim_end_matches(['+', '#'])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn game_continues_another_one_by_its_players_and_moves() {
        let game = |white: &str, moves: &str| format!("[Event \"x\"]\n[White \"{white}\"]\n[Black \"B\"]\n\n{moves}\n");
        let cut_off = game("A", "1. e4 {[%clk 0:03:00.000]} {Bob: e5} 1... e5 {[%clk 0:02:50.500]} *");
        let cases = [
            (game("A", "1. e4 e5 2. Nf3 1-0"), true),
            (game("A", "1. e4 {[%emt 0:00:01.000]} 1... e5 {[%clk 0:03:00.000]} *"), true),
            (game("A", "1. e4 {[%eval 0.30][%clk 0:03:00.000]} 1... e5 *"), false),
            (game("A", "1. e4 *"), false),
            (game("A", "1. e4 c5 2. Nf3 *"), false),
            (game("C", "1. e4 e5 2. Nf3 *"), false),
        ];
        for (resumed, want) in cases {
            assert_eq!(continues(&resumed, &cut_off), want, "{resumed}");
        }
        assert_eq!(moves_of(&game("A", "1. O-O-O+ {a} P@e4# 1/2-1/2")), ["O-O-O", "P@e4"]);
    }
}
