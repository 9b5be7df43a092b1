use super::*;
use crate::ServerOptions;
use std::time::{Instant, UNIX_EPOCH};

#[test]
fn an_adjourned_game_stays_stored_while_a_player_is_offline() {
    let now = Instant::now();
    let mut world = World::new(ServerOptions::new(), now, UNIX_EPOCH);
    let log_in = |world: &mut World, name: &str| {
        let id = world.open_connection(now);
        world.receive_bytes(id, format!("{name}\n\n").as_bytes(), now);
        id
    };
    let white = log_in(&mut world, "Alekhine");
    let black = log_in(&mut world, "Bogoljubov");
    let terms = Terms::unrated(3, 0);
    let seated_player = |id| world.lobby.seated_player(id, terms.kind()).unwrap();
    let seats = Sides { white: seated_player(white), black: seated_player(black) };
    let header = GameHeader { id: GameId(1), terms, seats, started: UNIX_EPOCH };
    let game = Game::new(header, Position::start(Variant::Standard), now);
    world.games.store_adjourned(game);
    world.remove_closed_client(black, now);
    world.resume_adjourned_game(0, None);
    assert_eq!((world.games.adjourned.len(), world.games.in_progress.len()), (1, 0));
    log_in(&mut world, "Bogoljubov");
    world.resume_adjourned_game(0, None);
    assert_eq!((world.games.adjourned.len(), world.games.in_progress.len()), (0, 1));
}
