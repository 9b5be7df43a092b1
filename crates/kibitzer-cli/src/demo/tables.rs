//! Joins channels and chooses the games that the demo observes.

use std::collections::BTreeSet;
use std::time::Duration;

use kibitzer::Client;
use kibitzer::core::Event;
use kibitzer::core::hub::Subscription;
use kibitzer::core::message::listing::GameRow;
use kibitzer::core::message::{GameId, Message};
use tokio::time::timeout;

/// Number of games observed at a time.
const OBSERVED_GAMES: usize = 3;

/// Maximum time until the next request for the list of games, while fewer than [`OBSERVED_GAMES`] are observed.
const PAUSE: Duration = Duration::from_secs(2);

/// Channels in which the simulated players talk.
const CHANNELS: [u16; 2] = [1, 50];

/// Joins the channels of the simulated players, then observes three games and replaces each that ends, until the session ends.
/// Failures are ignored.
///
/// # Cancel safety
///
/// Dropping the future leaves the games observed.
pub(super) async fn join_channels_and_observe(client: &Client) {
    if client.ready().await.is_ok() {
        for channel in CHANNELS {
            // A failure only means less talk.
            let _ = client.request(&format!("+channel {channel}")).await;
        }
    }
    while client.ready().await.is_ok()
        && let Ok((games, mut events)) = client.subscribe_with_games().await
    {
        let followed = games.iter().filter(|game| game.is_followed_and_ongoing()).map(|game| game.id()).collect();
        if observe_up_to_demo_count(client, followed).await < OBSERVED_GAMES {
            // The server does not announce new games to a guest, so poll.
            let _ = timeout(PAUSE, wait_for_possible_game_end(&mut events)).await;
        } else {
            wait_for_possible_game_end(&mut events).await;
        }
    }
}

/// Observes further games until [`OBSERVED_GAMES`] are observed, or the server has no others. `observed` are the games observed
/// already. Returns the number of observed games.
///
/// # Cancel safety
///
/// As [`join_channels_and_observe`].
async fn observe_up_to_demo_count(client: &Client, mut observed: BTreeSet<GameId>) -> usize {
    let mut candidates = client.games().await.map_or_else(|_| Vec::new(), |listing| listing.games);
    while observed.len() < OBSERVED_GAMES
        && let Some(game) = choose_next_game(&candidates, &observed)
    {
        if client.observe(game).await.is_ok() {
            observed.insert(game);
        } else {
            // A refusal usually means that the game has ended since the listing.
            candidates.retain(|row| row.game != game);
        }
    }
    observed.len()
}

/// Returns the next game to observe: a public game that is not observed, preferably of a group of which none is observed yet, and
/// only one board of bughouse. `None` if the list has no such game.
fn choose_next_game(games: &[GameRow], observed: &BTreeSet<GameId>) -> Option<GameId> {
    let kinds: Vec<_> = games.iter().filter(|row| observed.contains(&row.game)).map(variant_group).collect();
    let is_eligible = |row: &&GameRow| {
        row.terms.mark != Some('p')
            && !observed.contains(&row.game)
            && !(variant_group(row) == VariantGroup::Bughouse && kinds.contains(&VariantGroup::Bughouse))
    };
    let order = |row: &&GameRow| (kinds.contains(&variant_group(row)), variant_group(row), row.game);
    games.iter().filter(is_eligible).min_by_key(order).map(|row| row.game)
}

/// Groups of variants, most common first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum VariantGroup {
    Chess,
    Bughouse,
    Variant,
}

/// Returns the group of a game's variant.
const fn variant_group(row: &GameRow) -> VariantGroup {
    match row.terms.kind {
        Some('b' | 'l' | 's' | 'u' | 'e') => VariantGroup::Chess,
        Some('B') => VariantGroup::Bughouse,
        _ => VariantGroup::Variant,
    }
}

/// Waits until a game ends or is no longer observed, or the session is restored after a reconnect.
///
/// # Cancel safety
///
/// Cancel safe: nothing but waiting happens.
async fn wait_for_possible_game_end(events: &mut Subscription) {
    loop {
        match events.next().await {
            Ok(event) if !may_end_observation(&event) => {}
            // Missed events may include an end.
            _ => return,
        }
    }
}

/// Returns whether an event may leave fewer games observed.
fn may_end_observation(event: &Event) -> bool {
    match event.message() {
        Some(Message::GameEnded(_)) => true,
        Some(Message::Observing(observing)) => !observing.is_observed,
        _ => matches!(event, Event::Restored(_)),
    }
}

#[cfg(test)]
mod tests {
    use kibitzer::core::message::listing::{GameList, Listing as _};

    use super::*;

    const LISTING: &str = "  1 1496 Indigowood  1364 Fallowpike [ bu 10   0]   9:59 - 10:00 (33-32) W: 12
  2 1230 Hazelridge  2105 Yarrowmoor [ zr  5   0]   5:00 -  4:59 (43-35) B: 11
  3 1733 Nettlegate  2163 Brindledal [psu 15   5]  15:19 - 15:20 (38-38) W:  6
  4 1957 Willowbrook 1313 Ploverholt [ Br  3   0]   3:00 -  2:59 (48-43) B: 13
  5 2067 Fennelbeck  1561 Copperheat [ Br  3   0]   3:00 -  2:59 (30-35) B: 17
  6 1637 Ploverley   1267 Birchwood  [ br  3   0]   3:00 -  2:59 (38-36) B:  7

  6 games displayed.
";

    #[test]
    fn kinds_take_turns_and_one_board_of_bughouse_is_enough() {
        let games = GameList::parse(LISTING.lines().map(str::as_bytes)).unwrap().games;
        let mut observed = BTreeSet::new();
        let mut chosen = Vec::new();
        while let Some(game) = choose_next_game(&games, &observed) {
            observed.insert(game);
            chosen.push(game.0);
        }
        // Neither the private game nor the other board.
        assert_eq!(chosen, [1, 4, 2, 6]);
    }
}
