//! Between games: seeks, challenges to other players, rematches.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kibitzer::command::{self, Request};
use kibitzer::{Client, Handle, RequestError};
use kibitzer_core::message::listing::{Finger, WhoList, WhoRow, WhoStatus};
use kibitzer_core::message::{GameKind, Rating, Refusal};
use tokio::time::Instant;

use super::answers::{AnswerToOffer, OfferAnswerVerb};
use super::opponents::Opponents;
use super::output::Output;
use crate::config::{MatchmakingRules, MatchmakingTerms};
use crate::verdict::BotAction;

/// Time from the end of a game to the next seeks.
const SEEK_DELAY: Duration = Duration::from_secs(3);

/// Shortest time between two challenges.
const MIN_CHALLENGE_PAUSE: Duration = Duration::from_secs(10);

/// Number of players whose ratings are requested for one challenge.
const MAX_COMPARED_RATINGS: usize = 8;

/// Whether the bot may begin a game on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Availability {
    Free,
    /// It plays, has accepted a game, is paused or is stopping.
    Busy,
    NoEngine,
}

/// Planned and sent seeks and challenges, and the memory of other players.
pub(super) struct Matchmaking {
    pub(super) opponents: Opponents,
    /// The handles of all accounts.
    own_handles: Arc<Mutex<Vec<Handle>>>,
    /// Number of games since the start.
    pub(super) n_games_started: u32,
    /// When to post seeks.
    seeks_at: Option<Instant>,
    /// When to challenge a player.
    challenge_at: Option<Instant>,
    /// The player who was challenged and has not answered yet.
    challenged: Option<Handle>,
    /// The last opponent, and the number of rematches proposed to that player.
    rematches: Option<(Handle, u32)>,
    random: fastrand::Rng,
    out: Output,
}

impl Matchmaking {
    pub(super) fn new(own_handles: Arc<Mutex<Vec<Handle>>>, out: Output) -> Self {
        Self {
            opponents: Opponents::load(&out),
            own_handles,
            n_games_started: 0,
            seeks_at: None,
            challenge_at: None,
            challenged: None,
            rematches: None,
            random: fastrand::Rng::new(),
            out,
        }
    }

    /// Locks the handles of all accounts.
    fn own_handles(&self) -> MutexGuard<'_, Vec<Handle>> {
        self.own_handles.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the handle of a login to those of all accounts.
    pub(super) fn add_own_handle(&self, handle: Handle) {
        let mut known = self.own_handles();
        if !known.contains(&handle) {
            known.push(handle);
        }
    }

    /// Forgets the open challenge, and cancels planned seeks and challenges, as the connection is lost or a game starts.
    pub(super) fn reset(&mut self) {
        self.challenged = None;
        self.seeks_at = None;
        self.challenge_at = None;
    }

    /// Plans seeks and challenges after the end of a game, or when the session is ready.
    pub(super) fn plan(&mut self, now: Instant) {
        self.seeks_at = (!self.out.config.seek.ads.is_empty()).then(|| now + SEEK_DELAY);
        self.challenge_at = self.next_challenge_at(now);
    }

    /// Returns when to challenge the next player; `None` without `[matchmaking]`.
    fn next_challenge_at(&self, now: Instant) -> Option<Instant> {
        now.checked_add(self.out.config.matchmaking.as_ref()?.pause.max(MIN_CHALLENGE_PAUSE))
    }

    /// Cancels the planned seeks, which the session has posted again itself.
    pub(super) fn cancel_planned_seeks(&mut self) {
        self.seeks_at = None;
    }

    /// Returns when seeks or a challenge are due.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.seeks_at.into_iter().chain(self.challenge_at).min()
    }

    /// Records that a new game has started.
    pub(super) fn on_game_started(&mut self, opponent: &Handle, now: Instant) {
        self.n_games_started += 1;
        if self.rematches.as_ref().is_none_or(|(last, _)| last != opponent) {
            self.rematches = Some((opponent.clone(), 0));
        }
        self.opponents.record_game(opponent, now);
    }

    /// Removes the last game with an opponent from the counts, as it was aborted before it had begun.
    pub(super) fn forget_last_game(&mut self, opponent: &Handle) {
        if self.opponents.forget_last_game(opponent) {
            self.n_games_started = self.n_games_started.saturating_sub(1);
        }
    }

    /// Remembers for 24 hours that a player declined a challenge of the bot, and that no challenge of the bot is open.
    pub(super) fn on_decline_by(&mut self, player: &Handle) {
        self.challenged = None;
        self.opponents.record_decline_by(player, Instant::now());
    }

    /// Posts seeks and sends a challenge if they are due and a game may begin. Plans the next challenge in any case; postpones
    /// the seeks while no engine runs.
    pub(super) fn send_due(&mut self, now: Instant, availability: Availability) {
        if self.seeks_at.is_some_and(|at| at <= now) {
            self.seeks_at = (availability == Availability::NoEngine).then(|| now + SEEK_DELAY);
            if availability == Availability::Free {
                for ad in &self.out.config.seek.ads {
                    self.out.report(BotAction::Sought, &**ad);
                    // `m`: as manual ones, so that an answer is a challenge, which the policy judges.
                    self.out.send(None, format!("seek {ad} m"));
                }
            }
        }
        if self.challenge_at.is_some_and(|at| at <= now) {
            self.challenge_at = self.next_challenge_at(now);
            if availability == Availability::Free {
                self.challenge_or_list_players();
            }
        }
    }

    /// Challenges a random one of the configured players whom it may challenge; without configured players, requests the list of
    /// those who are logged in. Withdraws an unanswered challenge first; its player is not challenged again for a day.
    fn challenge_or_list_players(&mut self) {
        let config = Arc::clone(&self.out.config);
        let Some(rules) = &config.matchmaking else { return };
        if let Some(player) = self.challenged.take() {
            self.opponents.record_decline_by(&player, Instant::now());
            self.out.report_to(BotAction::Challenged, &player, "withdrawn, as there was no answer");
            AnswerToOffer::to_challenge(OfferAnswerVerb::Withdraw, player).send(&self.out);
        }
        if rules.players.is_empty() {
            return self.out.request(
                |client| async move { client.who().await },
                |bot, result| bot.matchmaking.on_list_of_players(result, bot.availability()),
            );
        }
        let players: Vec<_> = rules.players.iter().filter(|player| self.may_challenge(player)).collect();
        if let (Some(player), Some(terms)) = (self.random.choice(players), self.random.choice(&rules.terms)) {
            self.challenge_with_terms(player, terms);
        }
    }

    /// Remembers the titles of the list, and challenges a random suitable player if a game may still begin. Reports an error of the
    /// request.
    fn on_list_of_players(&mut self, result: Result<WhoList, RequestError>, availability: Availability) {
        let config = Arc::clone(&self.out.config);
        let Some(rules) = &config.matchmaking else { return };
        let list = match result {
            Ok(list) => list,
            Err(error) => return self.out.report(BotAction::ServerRefused, error.to_string()),
        };
        let now = Instant::now();
        list.players.iter().for_each(|row| self.opponents.record_titles(&row.player.name, &row.player.titles, now));
        if availability != Availability::Free {
            return;
        }
        let mut all_terms: Vec<_> = rules.terms.iter().collect();
        self.random.shuffle(&mut all_terms);
        for terms in all_terms {
            let suitable = suitable_players(&list, rules, terms).filter(|player| self.may_challenge(player));
            let mut players: Vec<_> = suitable.cloned().collect();
            self.random.shuffle(&mut players);
            match (players.first(), terms.rating_difference.or(rules.rating_difference)) {
                (None, _) => continue,
                (Some(player), None) => self.challenge_with_terms(player, terms),
                (Some(_), Some(limit)) => self.challenge_one_of_similar_rating(players, terms, limit),
            }
            return;
        }
    }

    /// Requests the ratings of the first players one after the other, and challenges the first one whose rating for the kind of game
    /// differs from the bot's own by at most `limit`. Reports an error of a request.
    fn challenge_one_of_similar_rating(&mut self, mut players: Vec<Handle>, terms: &MatchmakingTerms, limit: u16) {
        players.truncate(MAX_COMPARED_RATINGS);
        let (kind, terms) = (kind_of_terms(&terms.words), terms.clone());
        self.out.request(
            move |client| async move { find_similar_rating(&client, players, &kind, limit).await },
            move |bot, found| match found {
                Ok(Some(player)) if bot.availability() == Availability::Free => {
                    bot.matchmaking.challenge_with_terms(&player, &terms);
                }
                Ok(_) => {}
                Err(error) => bot.out.report(BotAction::ServerRefused, error.to_string()),
            },
        );
    }

    /// Returns whether the bot may challenge a player: one whom the lists of the settings allow, who is not one of its own accounts and
    /// has not declined recently.
    fn may_challenge(&self, player: &Handle) -> bool {
        let is_excluded = self.own_handles().contains(player) || !self.out.config.accept.may_play(player);
        !is_excluded && !self.opponents.has_declined_recently(player, Instant::now())
    }

    /// Challenges a player with these terms, and reports it.
    fn challenge_with_terms(&mut self, player: &Handle, terms: &MatchmakingTerms) {
        let words = &terms.words;
        self.out.report_to(BotAction::Challenged, player, &**words);
        self.challenge(player, format!("match {player} {words}"));
    }

    /// Sends a challenge, and remembers that the player has not answered yet. Forgets it if it fails; after a refusal that will not
    /// pass soon, the player is not challenged again for a day.
    fn challenge(&mut self, player: &Handle, command: impl Request + Send + Sync + 'static) {
        use Refusal::{AlreadyOffered, Examining, NoSuchPlayer, NotLoggedIn, PlayerBusy, Playing};
        let player = player.clone();
        self.challenged = Some(player.clone());
        self.out.request(
            |client| async move { client.request(&command).await.err() },
            move |bot, error| {
                let Some(failed) = &error else { return };
                bot.matchmaking.challenged = None;
                let passes = [NotLoggedIn, NoSuchPlayer, PlayerBusy, Playing, Examining, AlreadyOffered];
                if failed.refusal_reason().is_some_and(|reason| !passes.contains(&reason)) {
                    bot.matchmaking.on_decline_by(&player);
                }
                bot.out.report_error_if_any(None, Some(&player), error);
            },
        );
    }

    /// Withdraws seeks and challenges and cancels those that are planned, as no new game may begin.
    pub(super) fn withdraw_all(&mut self) {
        if let Some(player) = self.challenged.take() {
            AnswerToOffer::to_challenge(OfferAnswerVerb::Withdraw, player).send(&self.out);
        }
        self.reset();
        if !self.out.config.seek.ads.is_empty() {
            // Without an open seek the server refuses.
            self.out.request(|client| async move { drop(client.unseek_all().await) }, |_, ()| {});
        }
    }

    /// Proposes another game to an opponent who has not declined, within the limit of the settings.
    pub(super) fn propose_rematch_if_allowed(&mut self, opponent: &Handle) {
        let may_challenge = self.may_challenge(opponent);
        let Some((_, n_proposed)) = &mut self.rematches else { return };
        if *n_proposed >= self.out.config.rematch.propose || !may_challenge {
            return;
        }
        *n_proposed += 1;
        self.out.report_to(BotAction::Challenged, opponent, "rematch");
        self.challenge(opponent, command::rematch());
    }
}

/// Returns the free players of a list whom the rules allow to challenge with these terms.
fn suitable_players<'a>(
    list: &'a WhoList,
    rules: &'a MatchmakingRules,
    terms: &'a MatchmakingTerms,
) -> impl Iterator<Item = &'a Handle> {
    let computers = terms.computers.unwrap_or(rules.computers);
    let rating = terms.rating.as_ref().unwrap_or(&rules.rating);
    let suits = move |row: &&WhoRow| {
        row.status == WhoStatus::Free
            && computers.admits(&row.player.titles)
            && row.player.rating.and_then(Rating::value).is_some_and(|value| rating.contains(&value))
    };
    list.players.iter().filter(suits).map(|row| &row.player.name)
}

/// Returns the first of the players whose rating for a kind of game differs from that of the login by at most `limit`; `None`
/// without one. If the login has no rating, the first player. Skips players about whom the server refuses to answer, as they have left.
///
/// # Errors
///
/// [`RequestError`] of a request, except for a refusal about another player.
///
/// # Cancel safety
///
/// Cancel safe.
async fn find_similar_rating(
    client: &Client,
    players: Vec<Handle>,
    kind: &GameKind,
    limit: u16,
) -> Result<Option<Handle>, RequestError> {
    let Some(me) = client.handle() else { return Ok(None) };
    let Some(own) = rating_for(&client.finger(me).await?, kind) else { return Ok(players.into_iter().next()) };
    for player in players {
        let finger = match client.finger(player.clone()).await {
            Ok(finger) => finger,
            Err(error) if error.refusal_reason().is_some() => continue,
            Err(error) => return Err(error),
        };
        if rating_for(&finger, kind).is_some_and(|rating| rating.abs_diff(own) <= limit) {
            return Ok(Some(player));
        }
    }
    Ok(None)
}

/// Returns the rating of a player for a kind of game; `None` without one.
fn rating_for(finger: &Finger, kind: &GameKind) -> Option<u16> {
    let is_meant = |category: &str| {
        let listed = GameKind::parse(&category.to_lowercase().replace("bullet", "lightning"));
        listed.variant == kind.variant && (kind.speed.is_none() || listed.speed == kind.speed)
    };
    finger.ratings.iter().find(|row| is_meant(&row.category))?.rating?.value()
}

/// Returns the kind of game of the words of `match`: the variant that they name, otherwise chess at the speed of its clocks.
///
/// Source: FICS help files `match` and `etime`: a game lasts the minutes and forty times the seconds per move; below 3 minutes it is
/// lightning, below 15 blitz. Without numbers it has 2 minutes and 12 seconds.
fn kind_of_terms(words: &str) -> GameKind {
    let named = words.split_whitespace().map(GameKind::parse).find(|kind| kind.variant.is_some());
    let numbers: Vec<u32> = words.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let (minutes, seconds) = match numbers[..] {
        [] => (2, 12),
        [minutes] => (minutes, 0),
        [minutes, seconds, ..] => (minutes, seconds),
    };
    named.unwrap_or_else(|| match minutes.saturating_mul(60).saturating_add(seconds.saturating_mul(40)) {
        0..180 => GameKind::parse("lightning"),
        180..900 => GameKind::parse("blitz"),
        _ => GameKind::parse("standard"),
    })
}

#[cfg(test)]
mod tests {
    use kibitzer::{Dial, Profile};
    use kibitzer_core::session::Password;
    use kibitzer_server::{Account, Server, ServerOptions};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn player_who_has_left_is_skipped_and_without_an_own_rating_any_player_fits() {
        let account = |name: &str, rating| Account::new(name.parse().unwrap(), "secret").rating("blitz", rating);
        let options = ServerOptions::new().in_process();
        let options =
            options.account(account("Botvin", 1500)).account(account("Euwe", 1900)).account(account("Tal", 1600));
        let server = Arc::new(Server::start(options).await.unwrap());
        let dial = Dial::with(move || {
            let server = Arc::clone(&server);
            async move { server.connect().await }
        });
        let profile = Profile::demo().dial(dial);
        let profile = profile.account("Botvin".parse().unwrap(), Password::new("secret").unwrap());
        let client = Client::builder(profile).start().await.unwrap();
        client.ready().await.unwrap();
        let players: Vec<Handle> = ["Nobody", "Euwe", "Tal"].map(|name| name.parse().unwrap()).into();
        for (kind, limit, want) in
            [("blitz", 100, Some("Tal")), ("blitz", 10, None), ("crazyhouse", 10, Some("Nobody"))]
        {
            let found = find_similar_rating(&client, players.clone(), &GameKind::parse(kind), limit).await.unwrap();
            assert_eq!(found.as_ref().map(Handle::as_str), want, "{kind} {limit}");
        }
    }

    #[test]
    fn terms_have_the_kind_that_the_server_rates() {
        for (words, want) in [
            ("1 0 rated", "lightning"),
            ("2 1", "lightning"),
            ("3 0 unrated", "blitz"),
            ("rated", "blitz"),
            ("15 rated white", "standard"),
            ("5 0 crazyhouse", "crazyhouse"),
            ("99999999 99999999", "standard"),
        ] {
            assert_eq!(kind_of_terms(words), GameKind::parse(want), "{words}");
        }
    }
}
