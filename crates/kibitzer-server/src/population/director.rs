//! Casts the simulated players, pairs them and makes them talk.

use std::time::{Duration, Instant};

use kibitzer_core::message::Handle;

use super::names::OPPONENTS;
use super::options::Pastime;
use super::simulated::{Ad, Part};
use super::{Occasion, Population, Task, phrases};
use crate::account::Account;
use crate::lobby::ConnectionId;

/// Number of regulars who do not play.
const N_SPARE: usize = 4;

/// The times regulars play at: minutes and seconds.
const TIMES: [(u32, u32); 10] = [(1, 0), (2, 1), (3, 0), (3, 0), (3, 2), (5, 0), (5, 0), (5, 3), (10, 0), (15, 5)];

/// The channels that simulated players use.
const CHANNELS: [&str; 2] = ["1", "50"];

impl Population {
    /// Everybody's part, and the name some want.
    pub(super) fn parts(&self) -> Vec<(Part, Option<&'static str>)> {
        let has = |pastime| usize::from(self.options.has(pastime));
        let n_regulars = if self.options.games == 0 { 0 } else { 2 * self.options.games + N_SPARE };
        let opponents = (0..self.options.opponents).map(|at| (Part::Opponent, OPPONENTS.get(at).copied()));
        let others = [
            (Part::Regular, n_regulars),
            (Part::Crazyhouse, 2 * has(Pastime::Crazyhouse)),
            (Part::Bughouse, 4 * has(Pastime::Bughouse)),
            (Part::Relay, has(Pastime::Relay)),
        ];
        let others = others.into_iter().flat_map(|(part, n)| std::iter::repeat_n((part, None), n));
        opponents.chain(others).collect()
    }

    /// Creates an account with ratings around one strength. Its password is empty, so nobody can log in to it.
    pub(super) fn account(&mut self, part: Part, wanted: Option<&str>) -> Account {
        let name = self.names.next(wanted, &mut self.random);
        let strength = 1100 + self.random.below(1000);
        let account = ["lightning", "blitz", "standard", "crazyhouse", "bughouse"].into_iter().fold(
            Account::new(name, ""),
            |account, kind| {
                let rating = strength + self.random.below(200);
                account.rating(kind, u16::try_from(rating).unwrap_or(1500))
            },
        );
        match part {
            Part::Opponent => account.title("C"),
            Part::Relay => account.title("TD"),
            Part::Regular | Part::Crazyhouse | Part::Bughouse => account,
        }
    }

    /// What somebody types besides what all type when they come.
    pub(super) fn habits_of(&mut self, id: ConnectionId, part: Part) -> Vec<String> {
        let is_host = part == Part::Opponent && self.of_part(Part::Opponent).first() == Some(&id);
        let mut habits = match part {
            Part::Regular => CHANNELS.map(|channel| format!("+channel {channel}")).to_vec(),
            Part::Bughouse | Part::Opponent => vec!["set bugopen 1".to_owned()],
            Part::Crazyhouse | Part::Relay => Vec::new(),
        };
        if is_host && self.options.has(Pastime::Talk) {
            habits.push("set pin 1".to_owned());
        }
        habits
    }

    fn of_part(&self, part: Part) -> Vec<ConnectionId> {
        self.crowd.iter().filter(|(_, player)| player.part == part).map(|(&id, _)| id).collect()
    }

    fn free(&self, part: Part) -> Vec<ConnectionId> {
        let free = self.crowd.iter().filter(|(_, player)| player.part == part && player.is_free());
        free.map(|(&id, _)| id).collect()
    }

    fn name(&self, id: ConnectionId) -> String {
        self.crowd.get(&id).map(|player| player.name.to_string()).unwrap_or_default()
    }

    /// Sees to it that there are games and ads, and will see to it again.
    pub(super) fn direct(&mut self, now: Instant) {
        let is_first = !std::mem::replace(&mut self.is_directed, true);
        if is_first {
            self.open(now);
        }
        self.fill_tables();
        self.match_crazyhouse();
        self.match_bughouse();
        if self.options.has(Pastime::Seeks) && self.random.below(8) == 0 {
            self.seek_openly(now);
        }
        // The first time partners have to find each other before they can play.
        let rest = if is_first { Duration::ZERO } else { self.rest(1_500, 3_500) };
        self.agenda.set(Task::Direct, now + rest);
    }

    /// Schedules the first tasks after all players have joined.
    fn open(&mut self, now: Instant) {
        if self.options.has(Pastime::Relay) {
            self.agenda.set(Task::Relay, now);
        }
        if self.options.has(Pastime::Talk) {
            let rest = self.options.pace(Duration::from_secs(5));
            self.agenda.set(Task::Chat, now + rest);
        }
        if let [one, two, three, four] = *self.of_part(Part::Bughouse) {
            for (from, to) in [(one, two), (three, four)] {
                let name = self.name(to);
                self.command(from, format!("partner {name}"));
            }
        }
    }

    /// Has as many regulars look for a game as there are games missing; another will take the ad.
    fn fill_tables(&mut self) {
        let n_arranged = self.crowd.values().filter(|player| player.ad == Some(Ad::Arranged)).count();
        let n_playing =
            self.crowd.values().filter(|player| player.part == Part::Regular && player.game().is_some()).count();
        let n_missing = self.options.games.saturating_sub(n_playing.div_ceil(2) + n_arranged);
        for _ in 0..n_missing {
            let free = self.free(Part::Regular);
            // One seeks, one takes.
            let Some(&id) = self.random.pick(&free).filter(|_| free.len() > n_arranged + 1) else { return };
            self.seek(id, Ad::Arranged, "");
        }
    }

    fn seek_openly(&mut self, now: Instant) {
        let free = self.free(Part::Regular);
        let Some(&id) = self.random.pick(&free).filter(|_| free.len() > N_SPARE / 2) else { return };
        let kind = if self.random.below(5) == 0 { " crazyhouse" } else { "" };
        self.seek(id, Ad::Open, kind);
        let delay = self.delay(20_000, 90_000);
        self.agenda.set(Task::Unseek(id), now + delay);
    }

    fn seek(&mut self, id: ConnectionId, ad: Ad, kind: &str) {
        let (minutes, seconds) = self.random.pick(&TIMES).copied().unwrap_or((5, 0));
        let rated = if self.random.below(2) == 0 { "rated" } else { "unrated" };
        if let Some(player) = self.crowd.get_mut(&id) {
            player.ad = Some(ad);
        }
        self.command(id, format!("seek {minutes} {seconds} {rated}{kind}"));
    }

    /// Schedules the answer to a seek, if it is one that is to be answered.
    pub(super) fn arrange(&mut self, seeker: ConnectionId, number: u32, now: Instant) {
        if self.crowd.get(&seeker).is_none_or(|player| player.ad != Some(Ad::Arranged)) {
            return;
        }
        let free = self.free(Part::Regular);
        let Some(&taker) = self.random.pick(&free) else { return };
        if let Some(player) = self.crowd.get_mut(&taker) {
            player.is_promised = true;
        }
        let delay = self.delay(2_000, 15_000);
        self.agenda.set(Task::Take(taker, number), now + delay);
    }

    fn match_crazyhouse(&mut self) {
        if let [one, two] = *self.free(Part::Crazyhouse) {
            let name = self.name(two);
            self.command(one, format!("match {name} 5 0 crazyhouse"));
        }
    }

    fn match_bughouse(&mut self) {
        if let [one, _, three, _] = *self.free(Part::Bughouse) {
            let name = self.name(three);
            self.command(one, format!("match {name} 3 0 bughouse"));
        }
    }

    /// Makes one player talk in public, and schedules the next time.
    pub(super) fn chat(&mut self, now: Instant) {
        let ids: Vec<_> = self.crowd.iter().filter(|(_, p)| p.part == Part::Regular).map(|(&id, _)| id).collect();
        let remark = self.random.pick(&ids).copied().and_then(|id| Some((id, self.remark(id)?)));
        if let Some((id, line)) = remark {
            self.command(id, line);
        }
        let rest = self.delay(6_000, 25_000);
        self.agenda.set(Task::Chat, now + rest);
    }

    fn remark(&mut self, id: ConnectionId) -> Option<String> {
        match self.random.below(10) {
            0..4 => self.random.pick(&phrases::CHANNEL).map(|(channel, text)| format!("tell {channel} {text}")),
            4 => self.random.pick(&phrases::SHOUTS).map(|text| format!("shout {text}")),
            5 => self.random.pick(&phrases::ITS).map(|text| format!("it {text}")),
            _ => self.crowd.get(&id)?.kibitz(&mut self.random),
        }
    }

    /// Schedules talk to a player who is not simulated.
    pub(super) fn talk_later(&mut self, id: ConnectionId, whom: Handle, occasion: Occasion, now: Instant) {
        let is_simulated = self.crowd.values().any(|player| player.name == whom);
        let Some(player) = self.crowd.get_mut(&id) else { return };
        if is_simulated || !self.options.has(Pastime::Talk) {
            player.partner_in_talk = None;
            return;
        }
        player.partner_in_talk = Some(whom);
        let delay = self.delay(1_500, 5_000);
        self.agenda.set(Task::Talk(id, occasion), now + delay);
    }

    pub(super) fn talk(&mut self, id: ConnectionId, occasion: Occasion) {
        let Some(whom) = self.crowd.get(&id).and_then(|player| player.partner_in_talk.clone()) else { return };
        let name = self.name(id);
        let text = match occasion {
            Occasion::GameStarted => self.random.pick(&phrases::GREETINGS),
            Occasion::GameEnded => self.random.pick(&phrases::FAREWELLS),
            Occasion::Told => self.random.pick(&phrases::ANSWERS),
            Occasion::Arrived => None,
        };
        let welcome = format!("welcome! For a game, type: match {name} 5 0");
        self.command(id, format!("tell {whom} {}", text.copied().unwrap_or(&welcome)));
    }
}
