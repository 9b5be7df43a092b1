//! Roles of the simulated players, arrangement of their games, their talk, and the relay of a game between two absent, invented
//! players, which the server shows as an examined game.

use std::time::{Duration, Instant, SystemTime};

use kibitzer_core::chess::Color;
use kibitzer_core::message::{GameEndReason, GameId, Handle, Rating};

use super::simulated::{SeekKind, SimulatedPlayer};
use super::{
    MAX_DOUBLINGS, PROPOSAL_DELAY, Population, SimulatedAction, SimulatedRole, TalkOccasion, Task, brain, words,
};
use crate::account::Account;
use crate::chess::Variant;
use crate::lobby::ConnectionId;
use crate::play::{Ending, ExaminedGame, GameHeader, MoveRecord, SeatedPlayer, Sides, Terms};

/// Number of players who wait for a match and accept any.
const N_OPPONENTS: usize = 2;

/// Number of regulars beyond those who play.
const N_SPARE: usize = 4;

/// Time controls of regulars: minutes and increments in seconds.
const TIME_CONTROLS: [(u32, u32); 10] =
    [(1, 0), (2, 1), (3, 0), (3, 0), (3, 2), (5, 0), (5, 0), (5, 3), (10, 0), (15, 5)];

/// Channels that simulated players join.
const CHANNELS: [&str; 2] = ["1", "50"];

/// Terms of relayed games.
const RELAY_TERMS: Terms = Terms { variant: Variant::Standard, rated: false, minutes: 15, increment_s: 10 };

/// Number of plies without a pause after them in a game that begins with the server.
const N_INSTANT_RELAY_PLIES: usize = 18;

/// A relayed game is drawn after this number of plies.
const MAX_RELAY_PLIES: usize = 160;

/// Minimum reading of the clocks of relayed games.
const LEAST_LEFT_MS: i64 = 5_000;

/// How long the last position of a game stays on the board, and the time until the next game.
const REVIEW_TIME: Duration = Duration::from_secs(45);
const BREAK: Duration = Duration::from_secs(5);

impl Population {
    /// Generates the accounts of all simulated players, with their roles, in the order in which they log in.
    ///
    /// Each player's ratings are close to a strength of its own. The password is empty, which no login accepts.
    pub(crate) fn generate_accounts(&mut self) -> Vec<(Account, SimulatedRole)> {
        let n_regulars = if self.options.games == 0 { 0 } else { 2 * self.options.games + N_SPARE };
        let roles = [
            (SimulatedRole::Opponent, N_OPPONENTS),
            (SimulatedRole::Regular, n_regulars),
            (SimulatedRole::Crazyhouse, 2),
            (SimulatedRole::Bughouse, 4),
            (SimulatedRole::Relay, 1),
        ];
        let numbered = roles.into_iter().flat_map(|(role, n)| (0..n).map(move |at| (role, at)));
        numbered.map(|(role, at)| (self.generate_account(role, at), role)).collect()
    }

    /// Generates the account of player number `at`, from 0, of a role. Its ratings are at most 199 above a random strength.
    fn generate_account(&mut self, role: SimulatedRole, at: usize) -> Account {
        let wanted = words::OPPONENTS.get(at).copied().filter(|_| role == SimulatedRole::Opponent);
        let mut account = Account::new(self.names.pick_unused(wanted, &mut self.random), "");
        // Ratings of one player differ little between kinds of games.
        let strength = self.random.u16(1100..2100);
        for kind in ["lightning", "blitz", "standard", "crazyhouse", "bughouse"] {
            account = account.rating(kind, strength + self.random.u16(..200));
        }
        match role {
            SimulatedRole::Opponent => account.add_title("C"),
            SimulatedRole::Relay => account.add_title("TD"),
            SimulatedRole::Regular | SimulatedRole::Crazyhouse | SimulatedRole::Bughouse => account,
        }
    }

    /// Returns the commands that a player sends after the login because of its role. The first opponent is notified of arrivals,
    /// to welcome players.
    pub(super) fn commands_after_login(&mut self, id: ConnectionId, role: SimulatedRole) -> Vec<String> {
        let mut commands = match role {
            SimulatedRole::Regular => CHANNELS.map(|channel| format!("+channel {channel}")).to_vec(),
            SimulatedRole::Bughouse | SimulatedRole::Opponent => vec!["set bugopen 1".to_owned()],
            SimulatedRole::Crazyhouse | SimulatedRole::Relay => Vec::new(),
        };
        if self.players_with_role(SimulatedRole::Opponent).first() == Some(&id) {
            commands.push("set pin 1".to_owned());
        }
        commands
    }

    /// Returns the players with a role, in the order in which they logged in.
    pub(super) fn players_with_role(&self, role: SimulatedRole) -> Vec<ConnectionId> {
        self.players.iter().filter(|(_, player)| player.role == role).map(|(&id, _)| id).collect()
    }

    /// Returns the players with a role who have no game, no seek, and no seek to answer.
    fn free_players(&self, role: SimulatedRole) -> Vec<ConnectionId> {
        let is_free = |player: &SimulatedPlayer| player.board.is_none() && player.seek.is_none() && !player.is_reserved;
        let free = self.players.iter().filter(|(_, player)| player.role == role && is_free(player));
        free.map(|(&id, _)| id).collect()
    }

    fn player_name(&self, id: ConnectionId) -> String {
        self.players.get(&id).map(|player| player.name.to_string()).unwrap_or_default()
    }

    /// Queues commands that start missing games, sometimes also one that posts an open seek, and schedules the next arrangement.
    pub(super) fn run_arrange_task(&mut self, now: Instant) {
        let is_first = !std::mem::replace(&mut self.has_arranged, true);
        if is_first {
            self.start_activities(now);
        }
        self.post_arranged_seeks();
        if let [one, two] = *self.free_players(SimulatedRole::Crazyhouse) {
            self.queue_command(one, format!("match {} 5 0 crazyhouse", self.player_name(two)));
        }
        if let [one, _, three, _] = *self.free_players(SimulatedRole::Bughouse) {
            self.queue_command(one, format!("match {} 3 0 bughouse", self.player_name(three)));
        }
        if self.random.u8(..8) == 0 {
            self.post_open_seek(now);
        }
        self.actions.push_back(SimulatedAction::MeetClients);
        // The first time, bughouse partners have to find each other before they can play.
        let pause = if is_first { Duration::ZERO } else { self.random_scaled_time(1_500..3_500) };
        self.schedule.set(Task::Arrange, now + pause);
    }

    /// Schedules the first steps of the relay and the talk, and queues the commands that form bughouse partnerships.
    fn start_activities(&mut self, now: Instant) {
        self.schedule.set(Task::Relay, now);
        let pause = self.options.scale_time(Duration::from_secs(5));
        self.schedule.set(Task::Chat, now + pause);
        if let [one, two, three, four] = *self.players_with_role(SimulatedRole::Bughouse) {
            for (from, to) in [(one, two), (three, four)] {
                self.queue_command(from, format!("partner {}", self.player_name(to)));
            }
        }
    }

    /// Posts a seek of a free regular for each missing game, while other regulars are free to answer it.
    fn post_arranged_seeks(&mut self) {
        let n_arranged = self.players.values().filter(|player| player.seek == Some(SeekKind::Arranged)).count();
        let is_playing = |player: &&SimulatedPlayer| player.role == SimulatedRole::Regular && player.board.is_some();
        let n_playing = self.players.values().filter(is_playing).count();
        let n_missing = self.options.games.saturating_sub(n_playing.div_ceil(2) + n_arranged);
        for _ in 0..n_missing {
            let free = self.free_players(SimulatedRole::Regular);
            // Each arranged seek needs a free regular who answers it.
            let Some(&id) = self.random.choice(&free).filter(|_| free.len() > n_arranged + 1) else { return };
            self.post_seek(id, SeekKind::Arranged, "");
        }
    }

    /// Posts a seek of a free regular that no simulated player answers, and schedules its withdrawal. Does nothing if few
    /// regulars are free.
    fn post_open_seek(&mut self, now: Instant) {
        let free = self.free_players(SimulatedRole::Regular);
        let Some(&id) = self.random.choice(&free).filter(|_| free.len() > N_SPARE / 2) else { return };
        let variant = if self.random.u8(..5) == 0 { " crazyhouse" } else { "" };
        self.post_seek(id, SeekKind::Open, variant);
        let delay = self.random_delay_unless_starting(20_000..90_000);
        self.schedule.set(Task::Unseek(id), now + delay);
    }

    /// Posts a seek of this player with a random time control, and records that the player has a seek of this kind.
    fn post_seek(&mut self, id: ConnectionId, seek: SeekKind, variant: &str) {
        let (minutes, seconds) = self.random.choice(&TIME_CONTROLS).copied().unwrap_or((5, 0));
        let rated = if self.random.bool() { "rated" } else { "unrated" };
        if let Some(player) = self.players.get_mut(&id) {
            player.seek = Some(seek);
        }
        self.queue_command(id, format!("seek {minutes} {seconds} {rated}{variant}"));
    }

    /// Chooses and reserves a free regular who will answer a seek, and schedules the answer. Does nothing for a seek that is not
    /// arranged, or without a free regular.
    pub(super) fn schedule_arranged_answer(&mut self, seeker: ConnectionId, number: u32, now: Instant) {
        if self.players.get(&seeker).is_none_or(|player| player.seek != Some(SeekKind::Arranged)) {
            return;
        }
        let free = self.free_players(SimulatedRole::Regular);
        let Some(&answerer) = self.random.choice(&free) else { return };
        if let Some(player) = self.players.get_mut(&answerer) {
            player.is_reserved = true;
        }
        let delay = self.random_delay_unless_starting(2_000..15_000);
        self.schedule.set(Task::AnswerSeek(answerer, number), now + delay);
    }

    /// Returns whether simulated players challenge clients who do not seek.
    pub(crate) const fn challenges_clients(&self) -> bool {
        self.options.challenges_clients
    }

    /// Returns the delay before the next proposal to a client. It doubles with each one that led to no game, so that a person who does
    /// not want to play is left alone.
    pub(crate) fn proposal_delay(&self, n_fruitless: u32) -> Duration {
        self.options.scale_time(PROPOSAL_DELAY * (1 << n_fruitless.min(MAX_DOUBLINGS)))
    }

    /// Returns the command by which a player challenges a client of this name to a game with a random time control.
    pub(crate) fn challenge_command(&mut self, name: &str, is_registered: bool) -> String {
        let (minutes, seconds) = self.random.choice(&TIME_CONTROLS).copied().unwrap_or((5, 0));
        let rated = if is_registered && self.random.bool() { "rated" } else { "unrated" };
        format!("match {name} {minutes} {seconds} {rated}")
    }

    /// Chooses a free regular or opponent who satisfies a condition; `None` if there is none. The first opponent, whom people are told
    /// to challenge, stays free for them if possible.
    pub(crate) fn choose_partner(&mut self, is_possible: impl Fn(ConnectionId) -> bool) -> Option<ConnectionId> {
        let mut free = self.free_players(SimulatedRole::Opponent);
        free.extend(self.free_players(SimulatedRole::Regular));
        free.retain(|&id| is_possible(id));
        let first = self.players_with_role(SimulatedRole::Opponent).first().copied();
        if free.len() > 1 {
            free.retain(|&id| Some(id) != first);
        }
        self.random.choice(&free).copied()
    }

    /// Queues a public remark of a random regular, and schedules the next one.
    pub(super) fn run_chat_task(&mut self, now: Instant) {
        let regulars = self.players_with_role(SimulatedRole::Regular);
        let remark = self.random.choice(&regulars).copied().and_then(|id| Some((id, self.random_remark_command(id)?)));
        if let Some((id, line)) = remark {
            self.queue_command(id, line);
        }
        let pause = self.random_delay_unless_starting(6_000..25_000);
        self.schedule.set(Task::Chat, now + pause);
    }

    /// Returns a random command that talks in a channel, shouts, or kibitzes; `None` if a kibitz was drawn and the player has no
    /// game.
    fn random_remark_command(&mut self, id: ConnectionId) -> Option<String> {
        match self.random.u8(..10) {
            0..4 => self.random.choice(&words::CHANNEL).map(|(channel, text)| format!("tell {channel} {text}")),
            4 => self.random.choice(&words::SHOUTS).map(|text| format!("shout {text}")),
            5 => self.random.choice(&words::IT_SHOUTS).map(|text| format!("it {text}")),
            _ if self.players.get(&id)?.board.is_none() => None,
            _ => self.random.choice(&words::KIBITZES).map(|text| format!("kibitz {text}")),
        }
    }

    /// Makes a player the talk partner of `id`, and schedules a tell for the occasion. If `whom` is simulated, removes
    /// the talk partner instead.
    pub(super) fn schedule_tell(&mut self, id: ConnectionId, whom: Handle, occasion: TalkOccasion, now: Instant) {
        let is_simulated = self.players.values().any(|player| player.name == whom);
        let Some(player) = self.players.get_mut(&id) else { return };
        player.talk_partner = (!is_simulated).then_some(whom);
        if is_simulated {
            return;
        }
        let delay = self.random_delay_unless_starting(1_500..5_000);
        self.schedule.set(Task::Talk(id, occasion), now + delay);
    }

    /// Queues a tell to the talk partner of a player, with a text for the occasion. Does nothing without a talk partner.
    pub(super) fn tell_talk_partner(&mut self, id: ConnectionId, occasion: TalkOccasion) {
        let Some(whom) = self.players.get(&id).and_then(|player| player.talk_partner.clone()) else { return };
        let text = match occasion {
            TalkOccasion::GameStarted => self.random.choice(&words::GREETINGS),
            TalkOccasion::GameEnded => self.random.choice(&words::FAREWELLS),
            TalkOccasion::Told => self.random.choice(&words::ANSWERS),
            TalkOccasion::Arrived => None,
        };
        let welcome = format!("welcome! For a game, type: match {} 5 0", self.player_name(id));
        self.queue_command(id, format!("tell {whom} {}", text.copied().unwrap_or(&welcome)));
    }
}

impl Population {
    /// Returns the number, terms and players of a new relayed game, with random ratings from 2400 to 2699, and schedules its
    /// first move.
    pub(crate) fn begin_relayed_game(&mut self, id: GameId, started: SystemTime, now: Instant) -> GameHeader {
        let mut seat = |name: &Handle| {
            let rating = Rating::Established(self.random.u16(2400..2700));
            SeatedPlayer { name: name.clone(), rating, is_registered: true, has_timeseal: false }
        };
        let seats = Sides { white: seat(&self.relayed.white), black: seat(&self.relayed.black) };
        self.schedule.set(Task::Relay, now);
        GameHeader { id, terms: RELAY_TERMS, seats, started }
    }

    /// Adds a move to a relayed game or records its ending, and schedules the next step. Returns the ending that was recorded.
    pub(crate) fn play_or_end_relayed_game(&mut self, game: &mut ExaminedGame, now: Instant) -> Option<Ending> {
        game.ending = relayed_game_ending(&game.main);
        let pause = match game.ending {
            Some(_) => REVIEW_TIME,
            None => self.play_relayed_move(game),
        };
        self.schedule_relay(pause, now);
        game.ending
    }

    /// Schedules the start of the next relayed game.
    pub(crate) fn end_relayed_game(&mut self, now: Instant) {
        self.schedule_relay(BREAK, now);
    }

    fn schedule_relay(&mut self, pause: Duration, now: Instant) {
        self.schedule.set(Task::Relay, now + self.options.scale_time(pause));
    }

    /// Chooses and adds the next move. Returns the pause after it, which is zero in the first plies while the server starts.
    fn play_relayed_move(&mut self, game: &mut ExaminedGame) -> Duration {
        let position = game.main.last_position();
        let Some(played) = brain::choose_move(position, &mut self.random) else { return BREAK };
        let thought_s = self.random.u32(2..27);
        let mut clocks_ms = game.main.plies.last().map_or(Sides::both(RELAY_TERMS.initial_ms()), |ply| ply.clocks_ms);
        let left_ms = clocks_ms.of_mut(position.side_to_move);
        *left_ms =
            (*left_ms - i64::from(thought_s) * 1000).max(LEAST_LEFT_MS) + i64::from(RELAY_TERMS.increment_s) * 1000;
        game.add_relayed_move(played, thought_s * 1000, clocks_ms);
        let is_instant = self.is_starting && game.main.plies.len() < N_INSTANT_RELAY_PLIES;
        if is_instant { Duration::ZERO } else { Duration::from_secs(thought_s.into()) }
    }
}

/// Returns how a relayed game ends in its last position; `None` if it goes on.
fn relayed_game_ending(record: &MoveRecord) -> Option<Ending> {
    let (position, n_plies) = (record.last_position(), record.plies.len());
    if let Some(ending) = Ending::of_position(position) {
        return Some(ending);
    }
    let (white, black) = (position.material(Color::White), position.material(Color::Black));
    if n_plies >= 30 && white.abs_diff(black) >= 9 {
        return Some(Ending::of_side(GameEndReason::Resign, if white < black { Color::White } else { Color::Black }));
    }
    (n_plies >= MAX_RELAY_PLIES).then_some(Ending::of_game(GameEndReason::Agreement))
}
