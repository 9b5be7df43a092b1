//! Who is told that a player comes or goes.

use super::{ConnectionId, Flag, List, Player, World};

impl World {
    pub(super) fn announce_arrival(&mut self, id: ConnectionId) {
        let Some(name) = self.player(id).map(|player| player.name().to_owned()) else { return };
        self.announce(&name, "connected", "arrived", Some(id));
        for opponent in self.stored_opponents(&name) {
            if let Some(opponent) = self.online(opponent.as_str()) {
                let text = format!("Notification: {name}, who has an adjourned game with you, has arrived.\n");
                self.notify(opponent, &text);
            }
        }
    }

    pub(super) fn announce_departure(&mut self, player: &Player) {
        self.announce(player.name(), "disconnected", "departed", None);
    }

    fn announce(&mut self, name: &str, logged: &str, noticed: &str, except: Option<ConnectionId>) {
        let others = self.players().filter(|&(id, _)| Some(id) != except);
        let told: Vec<_> = others.filter_map(|(id, other)| Some((id, interest(other, name)?))).collect();
        for (id, interest) in told {
            if interest.hears_logins {
                self.notify(id, &format!("[{name} has {logged}.]\n"));
            }
            if interest.has_on_list {
                self.ring(id);
                self.notify(id, &format!("Notification: {name} has {noticed}.\n"));
            }
        }
    }
}

/// Why somebody wants to hear of another.
struct Interest {
    hears_logins: bool,
    has_on_list: bool,
}

fn interest(player: &Player, name: &str) -> Option<Interest> {
    let hears_logins = player.keepsake.variables.is_set(Flag::Pin);
    let has_on_list = player.keepsake.lists(List::Notify, name);
    (hears_logins || has_on_list).then_some(Interest { hears_logins, has_on_list })
}
