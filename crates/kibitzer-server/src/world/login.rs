//! Login of clients, and the end of sessions.
//!
//! | stage of the connection | input | next stage |
//! |---|---|---|
//! | `Name` | `guest`, or an unused name | `Return`; closed if guests are refused |
//! | `Name` | name of an account | `Password`; closed if it is banned |
//! | `Name` | invalid or used name, level setting of ICC, `%b` | `Name` |
//! | `Name` | name and password (ICC) | `LoggedIn`, `Paused` or `Name` |
//! | `Name` | `%q`, `GET ` | closed |
//! | `Return` | any line | `LoggedIn`; `Name` if the name was taken meanwhile |
//! | `Password` | the password | `LoggedIn`; another session of the player is closed |
//! | `Password` | empty line | `Name` |
//! | `Password` | another line | `Paused` |
//! | `Paused` | end of the pause | `Name` |
//! | any before `LoggedIn` | end of the login timeout | closed |
//!
//! Source: transport §7, whose texts are freechess.org's; the blank lines and the telnet commands are those of
//! the `fatics-login-*` transcripts.

use std::time::Duration;

use kibitzer_core::message::{Datagram, Handle, Titles};

use super::icc::datagrams::number;
use super::{Connection, ConnectionId, Deadline, Ivar, Ivars, LoginStage, Player, World};
use crate::account::name_key;
use crate::family::LoginFailure;
use crate::fault::LoginObstacle;
use crate::options::Feature;

/// Telnet commands that switch the client's local echo off and on.
const WILL_ECHO: &[u8] = b"\xff\xfb\x01";
const WONT_ECHO: &[u8] = b"\xff\xfc\x01";

/// How long nothing is processed after a wrong password.
const PASSWORD_PAUSE: Duration = Duration::from_secs(3);

/// Time without a command after which a player without a game is logged out.
const IDLE_TIMEOUT: Duration = Duration::from_hours(1);

const INVITATION: &str = "If you are not a registered player, enter the login name \"guest\".\n\n";

const MESSAGE_OF_THE_DAY: &str = "This server runs inside a program on this machine; nothing here outlives it.\nType \"help\" for a list of commands.\n\n";

impl World {
    /// Queues a line about guests and the login prompt, and sets the login stage to [`LoginStage::Name`].
    pub(super) fn ask_name_after_invitation(&mut self, id: ConnectionId) {
        self.lobby.queue_text(id, INVITATION);
        self.ask_name(id);
    }

    /// Queues the login prompt, and sets the login stage to [`LoginStage::Name`].
    fn ask_name(&mut self, id: ConnectionId) {
        self.lobby.queue_text(id, "\nlogin: ");
        self.lobby.set_login_stage(id, LoginStage::Name);
    }

    /// Processes a line in place of a name: a directive, level settings, or a name with an optional password. Closes the
    /// connection of a web browser. Refuses any name if the operator has set an obstacle.
    pub(super) fn receive_name_line(&mut self, id: ConnectionId, name: &str) {
        if let Some(directive) = name.strip_prefix('%').filter(|_| self.options.has_feature(Feature::LoginIvars)) {
            return self.receive_directive(id, directive);
        }
        // A web browser.
        if name.starts_with("GET ") {
            return self.end_session(id);
        }
        let connection = self.lobby.queue_for_output(id).filter(|connection| connection.family.has_levels());
        if connection.is_some_and(|connection| connection.levels.apply_if_level_line(name)) {
            return self.ask_name(id);
        }
        let obstacle = self.lobby.connection(id).and_then(|connection| connection.obstacle);
        let (name, password) = self.options.family.split_login_line(name);
        match obstacle.filter(|_| !name.is_empty()) {
            Some(obstacle) => self.apply_login_obstacle(id, name, password, obstacle),
            None => self.continue_login_with_name(id, name, password),
        }
    }

    /// Processes a line that begins with `%` before the name, without that sign: `q` closes the connection, and `b` with digits
    /// sets ivars. All but `q` repeat the login prompt.
    fn receive_directive(&mut self, id: ConnectionId, directive: &str) {
        if directive == "q" {
            return self.end_session(id);
        }
        if let Some(ivars) = directive.strip_prefix('b').and_then(Ivars::parse_login_digits) {
            self.lobby.update_connection(id, |connection| connection.ivars = Some(ivars));
            self.lobby.queue_text(id, "\n#Ivars set.\n");
        }
        self.ask_name(id);
    }

    /// Continues the login after a name was received: asks a guest to press return, asks for the password of a registered name,
    /// or refuses. A password that came with the name is checked at once. If the name is empty, asks for it again.
    fn continue_login_with_name(&mut self, id: ConnectionId, name: &str, password: Option<&str>) {
        let account = self.options.accounts.get(name).map(|account| (account.handle.clone(), account.is_banned));
        if name.is_empty() {
            self.ask_name(id);
        } else if password.is_some() && account.is_none() {
            self.refuse_login(id, LoginFailure::NotRegistered, name);
        } else if matches!(name_key(name).as_str(), "guest" | "g") {
            let Self { options, random, lobby, .. } = self;
            let name = options.family.unused_guest_name(random, |name| {
                // Also the names of guests who have not pressed return yet.
                let is_reserved = |connection: &Connection| match &connection.stage {
                    LoginStage::Return(handle) => *handle == *name,
                    _ => false,
                };
                lobby.connection_of_player(name).is_some() || lobby.connections.values().any(is_reserved)
            });
            let text = format!("Logging you in as \"{name}\"; you");
            self.ask_guest_for_return(id, &name, &text);
        } else if let Some(failure) = self.options.family.name_failure(name) {
            self.refuse_login(id, failure, name);
        } else if let Some((handle, true)) = account {
            self.refuse_login(id, LoginFailure::Banned, handle.as_str());
        } else if let Some((handle, _)) = account {
            self.ask_or_check_password(id, handle, password);
        } else if self.lobby.connection_of_player(name).is_some() {
            self.refuse_login(id, LoginFailure::NameInUse, name);
        } else {
            self.ask_guest_for_return(id, name, &format!("\"{name}\" is not a registered name.  You"));
        }
    }

    /// Refuses a login as ordered by the operator. For `NameRegistered` and `InvalidPassword` asks for a password first; for
    /// `Silence` sends nothing.
    fn apply_login_obstacle(&mut self, id: ConnectionId, name: &str, password: Option<&str>, obstacle: LoginObstacle) {
        let failure = match obstacle {
            LoginObstacle::BadName => LoginFailure::BadCharacters,
            LoginObstacle::InUse => LoginFailure::NameInUse,
            LoginObstacle::Banned => LoginFailure::Banned,
            LoginObstacle::Guests => LoginFailure::GuestsRefused,
            LoginObstacle::Full => LoginFailure::Full,
            LoginObstacle::Registered | LoginObstacle::Password => {
                return self.ask_or_check_password(id, Handle::from_wire(name.as_bytes()), password);
            }
            LoginObstacle::Silence => return,
        };
        self.refuse_login(id, failure, name);
    }

    /// Reports a failed login: as a datagram if the client has it switched on, and as text. Then asks for another name, pauses
    /// the login after a wrong password, or closes the connection if another name would not help.
    pub(super) fn refuse_login(&mut self, id: ConnectionId, failure: LoginFailure, name: &str) {
        let text = failure.refusal_text(name, self.options.family.texts());
        let arguments = [(failure as u8).to_string(), text.trim().to_owned()];
        self.lobby.queue_datagram_if_on(id, &Datagram::new(number::LOGIN_FAILED, arguments));
        self.lobby.queue_text(id, &text);
        match failure {
            LoginFailure::Banned | LoginFailure::Full | LoginFailure::GuestsRefused => self.end_session(id),
            LoginFailure::InvalidPassword => {
                self.lobby.set_login_stage(id, LoginStage::Paused);
                self.schedule.set(Deadline::Pause(id), self.now() + PASSWORD_PAUSE);
            }
            _ => self.ask_name(id),
        }
    }

    /// Asks for a password, or checks the one that came with the name.
    fn ask_or_check_password(&mut self, id: ConnectionId, handle: Handle, password: Option<&str>) {
        if let Some(password) = password {
            return self.receive_password(id, &handle, password);
        }
        self.lobby
            .queue_text(id, &format!("\n\"{handle}\" is a registered name.  If it is yours, type the password.\n"));
        self.lobby.queue_text(id, "If not, just hit return to try another name.\n\npassword: ");
        self.lobby.queue_bytes(id, WILL_ECHO);
        self.lobby.set_login_stage(id, LoginStage::Password(handle));
    }

    /// Asks a guest to press return, or refuses the login if guests are refused. `start` begins the sentence about the name.
    fn ask_guest_for_return(&mut self, id: ConnectionId, name: &str, start: &str) {
        if self.options.are_guests_refused {
            return self.refuse_login(id, LoginFailure::GuestsRefused, name);
        }
        self.lobby.queue_text(id, &format!("\n{start} may use this name to play unrated games.\n"));
        self.lobby.queue_text(id, "(After logging in, do \"help register\" for more info on how to register.)\n\n");
        self.lobby.queue_text(id, &format!("Press return to enter the server as \"{name}\":\n"));
        self.lobby.queue_bytes(id, WILL_ECHO);
        self.lobby.set_login_stage(id, LoginStage::Return(Handle::from_wire(name.as_bytes())));
    }

    /// Logs in a guest who has pressed return; asks for another name if this one was taken meanwhile.
    pub(super) fn log_in_guest_or_refuse(&mut self, id: ConnectionId, handle: Handle) {
        self.lobby.queue_bytes(id, WONT_ECHO);
        // The client did not echo the line end.
        self.lobby.queue_text(id, "\n");
        if self.lobby.connection_of_player(handle.as_str()).is_some() {
            // Another guest of that name has logged in meanwhile.
            return self.refuse_login(id, LoginFailure::NameInUse, handle.as_str());
        }
        let ivars = self.login_ivars(id);
        let titles = Titles::from_codes(self.options.family.texts().guest_titles.as_bytes());
        let player = Player::guest(handle, titles, ivars, self.now());
        self.complete_login(id, player);
    }

    /// Returns the ivars with which a session starts: those of the login string, otherwise the defaults. Block mode is off if
    /// the server does not support it.
    fn login_ivars(&self, id: ConnectionId) -> Ivars {
        let mut ivars = self.lobby.connection(id).and_then(|connection| connection.ivars).unwrap_or_default();
        if !self.options.has_feature(Feature::BlockMode) {
            ivars.set(Ivar::Block, false);
        }
        ivars
    }

    /// Processes a password: logs the player in and ends an earlier session of the account, asks for another name if the password
    /// is empty, or refuses the login. An obstacle that the operator set makes every password wrong.
    pub(super) fn receive_password(&mut self, id: ConnectionId, handle: &Handle, password: &str) {
        self.lobby.queue_bytes(id, WONT_ECHO);
        self.lobby.queue_text(id, "\n");
        // Also if the account has an empty password, as those of simulated players.
        if password.is_empty() {
            return self.ask_name_after_invitation(id);
        }
        let is_refused = self.lobby.connection(id).is_some_and(|connection| connection.obstacle.is_some());
        let account =
            self.options.accounts.get(handle.as_str()).filter(|account| !is_refused && account.password == password);
        if let Some(account) = account.cloned() {
            if let Some(former) = self.lobby.connection_of_player(handle.as_str()) {
                let text = format!("**** {} is already logged in - kicking them out. ****\n", account.handle);
                self.lobby.queue_text(id, &text);
                self.end_displaced_session(former);
            }
            let saved = self.lobby.saved.get(&name_key(handle.as_str())).cloned().unwrap_or_default();
            let player = Player::registered(&account, saved, self.login_ivars(id), self.now());
            return self.complete_login(id, player);
        }
        self.refuse_login(id, LoginFailure::InvalidPassword, handle.as_str());
    }

    /// Logs a player in, sends the texts of the login, and announces the arrival. Replaces the deadline of the login by that of
    /// idleness. Executes a kick that waited for the login.
    fn complete_login(&mut self, id: ConnectionId, player: Player) {
        self.schedule.cancel(Deadline::Login(id));
        self.schedule.set(Deadline::Idle(id), self.now() + IDLE_TIMEOUT);
        let greeting = self.options.family.texts().session_line.replace('@', &player.name_with_titles());
        self.lobby.log_in(id, player);
        self.queue_login_datagrams_if_on(id);
        self.lobby.queue_text(id, &greeting);
        self.lobby.queue_text(id, MESSAGE_OF_THE_DAY);
        self.lobby.queue_prompt_if_on(id);
        self.announce_arrival(id);
        if let Some(reason) = self.lobby.queue_for_output(id).and_then(|connection| connection.kick.take()) {
            self.kick_now_or_after_login(id, reason, self.now());
        }
    }

    /// Announces an arrival to those who are notified of this player, and to the opponents of adjourned games who are online.
    fn announce_arrival(&mut self, id: ConnectionId) {
        let name = self.lobby.player_name(id);
        self.lobby.announce_presence_change(&name, ["connected", "arrived"]);
        for opponent in self.games.adjourned_opponents(&name) {
            if let Some(opponent) = self.lobby.connection_of_player(opponent.as_str()) {
                let text = format!("Notification: {name}, who has an adjourned game with you, has arrived.\n");
                self.lobby.notify(opponent, &text);
            }
        }
    }
}

impl World {
    /// Ends the earlier session of a player who has logged in on another connection, with the text that recorded servers send.
    pub(super) fn end_displaced_session(&mut self, former: ConnectionId) {
        let name = self.lobby.player_name(former);
        self.lobby.queue_text(former, &format!("**** {name} has arrived - you can't both be logged in. ****\n\n"));
        self.end_session(former);
    }

    /// Logs out a player who was idle for too long and has no game, and closes the connection. Otherwise sets the next deadline.
    /// Does nothing for a connection without a player.
    pub(super) fn log_out_if_idle_or_reschedule(&mut self, id: ConnectionId) {
        let Some(player) = self.lobby.player(id) else { return };
        let limit = player.last_command + IDLE_TIMEOUT;
        if limit > self.now() {
            return self.schedule.set(Deadline::Idle(id), limit);
        }
        // A player of a game is not logged out.
        if self.lobby.own_game(id).is_some() {
            return self.schedule.set(Deadline::Idle(id), self.now() + IDLE_TIMEOUT);
        }
        self.lobby.queue_text(id, "\n**** Auto-logout because you were idle more than 60 minutes. ****\n");
        self.end_session(id);
    }

    /// Logs out the player of a connection: ends or leaves the player's games, removes seeks, offers and the partnership, and
    /// announces the departure. Removes a guest's history. The connection remains and waits for a name. Without a player, only
    /// sets that stage.
    pub(super) fn log_out_player(&mut self, id: ConnectionId) {
        self.leave_all_games(id);
        if !self.remove_seeks_of(id).is_empty() {
            self.lobby.queue_text(id, "Your seeks have been removed.\n");
        }
        self.remove_offers_of_departing(id);
        if self.lobby.end_partnership(id) {
            self.lobby.queue_text(id, "You no longer have a bughouse partner.\n");
        }
        let Some(player) = self.lobby.log_out(id) else { return };
        self.lobby.announce_presence_change(player.name(), ["disconnected", "departed"]);
        if !player.is_registered {
            self.games.history.remove(&name_key(player.name()));
        }
    }
}
