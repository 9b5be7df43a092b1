//! The list of all commands: each entry makes a function of [`command`](super), a method of [`Client`] and a row of its table.

use kibitzer_core::event::RequestError;
use kibitzer_core::message::{ChallengeChange, listing};
use kibitzer_core::message::{GameEnded, GameId, Handle, Ivar, OfferAnswer, OfferKind, Style12};
use kibitzer_core::text::{PlayerText, ServerText};
use std::sync::Arc;

use super::{
    ExamineStep, GameRef, GameTerms, MoveMade, MoveText, ObservedGame, OfferOutcome, OfferRef, Request, in_game, info,
    new_game, offers, reply, typed_command, with_argument,
};
use crate::Client;

/// Declares the commands.
///
/// An entry reads: documentation, name on the server, method and arguments, answer, and the command that the arguments make.
macro_rules! commands {
    ($($(#[doc = $doc:literal])+ $line:literal $name:ident($($argument:ident: $kind:ty),*) -> $answer:ty = $command:expr;)+) => {
        $(
            $(#[doc = $doc])+
            ///
            #[doc = concat!(" [`Client::", stringify!($name), "`] sends it.")]
            pub fn $name($($argument: $kind),*) -> impl Request<Answer = $answer> + Send + Sync {
                $command
            }
        )+

        /// # Typed commands
        ///
        /// Every method returns the errors of [`request`](Self::request), and is cancel safe as it is.
        ///
        /// | command | method | answer |
        /// |---|---|---|
        $(#[doc = concat!(" | `", $line, "` | [`", stringify!($name), "`](Self::", stringify!($name), ") | `", stringify!($answer), "` |")])+
        /// | `(move)` | [`make_move`](Self::make_move) | `MoveMade` |
        ///
        /// ```no_run
        /// # async fn run(client: kibitzer::Client) -> Result<(), Box<dyn std::error::Error>> {
        /// for game in client.games().await?.games {
        ///     println!("{}", client.moves(game.game).await?.moves.len());
        /// }
        /// client.tell(&"Newton".parse()?, "hello").await?;
        /// # Ok(())
        /// # }
        /// ```
        impl Client {
            $(
                $(#[doc = $doc])+
                ///
                /// # Errors
                ///
                /// As [`request`](Self::request).
                ///
                /// # Cancel safety
                ///
                /// As [`request`](Self::request).
                pub async fn $name(&self, $($argument: $kind),*) -> Result<$answer, RequestError> {
                    self.request(&$name($($argument),*)).await
                }
            )+
        }
    };
}

commands! {
    /// Requests all games that are played or examined.
    "games" games() -> listing::GameList = typed_command("games", reply::parse_listing);
    /// Requests the listing row of one game, or of the games of players whose names begin with this one.
    "games" games_of(game: impl Into<GameRef>) -> listing::GameList
        = typed_command(GameRef::command_line(&game.into(), "games"), reply::parse_listing);
    /// Requests the players who are logged in.
    "who" who() -> listing::WhoList = typed_command("who", reply::parse_listing);
    /// Requests all seeks.
    "sought all" sought() -> listing::SoughtList = typed_command("sought all", reply::parse_listing);
    /// Requests the seeks that this login may answer.
    "sought" suitable_seeks() -> listing::SoughtList = typed_command("sought", reply::parse_listing);
    /// Requests the moves of a game.
    "moves" moves(game: impl Into<GameRef>) -> listing::MoveList
        = typed_command(GameRef::command_line(&game.into(), "moves"), reply::parse_listing);
    /// Requests the moves of the game that this login plays, otherwise of the one it examines or observes.
    "moves" own_moves() -> listing::MoveList = typed_command("moves", reply::parse_listing);
    /// Requests the profile of a player; with `None`, of this login.
    "finger" finger(player: impl Into<Option<Handle>>) -> listing::Finger
        = typed_command(with_argument("finger", player.into()), reply::parse_listing);
    /// Requests the last games of a player; with `None`, of this login.
    ///
    /// One server does not name the owner of an empty history: it is `player` then, or empty.
    "history" history(player: impl Into<Option<Handle>>) -> listing::History = info::history(player.into());
    /// Requests the adjourned games of a player; with `None`, of this login.
    "stored" stored(player: impl Into<Option<Handle>>) -> listing::StoredGames
        = typed_command(with_argument("stored", player.into()), reply::parse_listing);
    /// Requests the variables of a player; with `None`, of this login.
    "variables" variables(player: impl Into<Option<Handle>>) -> listing::Variables
        = typed_command(with_argument("variables", player.into()), reply::parse_listing);
    /// Requests the interface variables (ivars) of this session.
    "ivariables" interface_variables() -> listing::Variables = typed_command("ivariables", reply::parse_listing);
    /// Requests the members of a channel.
    "inchannel" in_channel(channel: u16) -> listing::ChannelList
        = typed_command(format!("inchannel {channel}"), reply::parse_listing);
    /// Requests the server's clocks: the time in the time zone of this login, and that of the server or, if it reports no
    /// such time, Greenwich time; `None` without either. They are text, because each server has its own format.
    ///
    /// The command has no side effect, so it also tests whether the server answers.
    "date" date() -> (ServerText, Option<ServerText>) = typed_command("date", info::parse_dates);

    /// Observes a game: its boards, moves and end arrive as events. After a lost connection the session observes it again.
    ///
    /// To observe a game again is a refusal on most servers. uhlin-fics stops observing it instead, with a text that is in
    /// [`RequestError::Unexpected`].
    "observe" observe(game: impl Into<GameRef>) -> ObservedGame = in_game::observe(game.into());
    /// Stops observing a game. Returns the games that are no longer observed, at least one.
    "unobserve" unobserve(game: impl Into<GameRef>) -> Vec<GameId>
        = typed_command(GameRef::command_line(&game.into(), "unobserve"), in_game::parse_unobserved_games);
    /// Stops observing all games. Returns their numbers, at least one.
    "unobserve" unobserve_all() -> Vec<GameId> = typed_command("unobserve", in_game::parse_unobserved_games);

    /// Examines an empty game from the start position.
    "examine" examine_scratch() -> Arc<Style12> = typed_command("examine", in_game::parse_examined_board);
    /// Examines the game with this index in a player's history.
    "examine" examine(player: Handle, index: u32) -> Arc<Style12>
        = typed_command(format!("examine {player} {index}"), in_game::parse_examined_board);
    /// Goes this many plies forward, at least 1, in the examined game.
    "forward" forward(plies: u32) -> ExamineStep
        = typed_command(format!("forward {plies}"), in_game::parse_examine_step);
    /// Goes this many plies back, at least 1, in the examined game.
    "backward" backward(plies: u32) -> ExamineStep
        = typed_command(format!("backward {plies}"), in_game::parse_examine_step);
    /// Leaves a variation of the examined game: goes back to its last position in the original game.
    "revert" revert() -> ExamineStep = typed_command("revert", in_game::parse_examine_step);
    /// Stops examining.
    "unexamine" unexamine() -> () = typed_command("unexamine", in_game::parse_examination_end);

    /// Withdraws the seek with this number; see [`OfferOutcome::Posted`].
    "unseek" unseek(index: u32) -> () = typed_command(format!("unseek {index}"), new_game::parse_seeks_removed);
    /// Withdraws all seeks of this login.
    "unseek" unseek_all() -> () = typed_command("unseek", new_game::parse_seeks_removed);
    /// Answers the seek with this number.
    "play" play(index: u32) -> OfferOutcome
        = typed_command(format!("play {index}"), |reply| new_game::parse_challenge_outcome(reply, None));
    /// Answers the only seek of a player.
    "play" play_seek_of(player: Handle) -> OfferOutcome
        = typed_command(format!("play {player}"), move |reply| new_game::parse_challenge_outcome(reply, Some(&player)));

    /// Challenges an opponent to resume an adjourned game. Returns one challenge, or the game that goes on.
    ///
    /// uhlin-fics and FatICS do not know the command; on every server [`challenge`] with the opponent's name does the same.
    "resume" resume(opponent: Handle) -> Vec<OfferOutcome> = new_game::resume(Some(opponent));
    /// Challenges every opponent of an adjourned game who is logged in. Returns one challenge each, or the game that goes on.
    ///
    /// uhlin-fics and FatICS do not know the command.
    "resume" resume_all() -> Vec<OfferOutcome> = new_game::resume(None);
    /// Challenges the last opponent to the same game again. uhlin-fics does not know the command.
    "rematch" rematch() -> OfferOutcome
        = typed_command("rematch", |reply| new_game::parse_challenge_outcome(reply, None));

    /// Accepts a challenge, a partnership or an offer in the game.
    ///
    /// uhlin-fics does not confirm it: the outcome is derived from the boards and results in the reply.
    "accept" accept(offer: OfferRef) -> OfferOutcome
        = typed_command(offer.command_line("accept"), offers::parse_accepted_offer);
    /// Declines a challenge or an offer in the game.
    "decline" decline(offer: OfferRef) -> OfferOutcome = typed_command(offer.command_line("decline"), |reply| {
        offers::parse_closed_offer(reply, OfferAnswer::Declined, ChallengeChange::Declined)
    });
    /// Withdraws a challenge or an offer of this login.
    "withdraw" withdraw(offer: OfferRef) -> OfferOutcome = typed_command(offer.command_line("withdraw"), |reply| {
        offers::parse_closed_offer(reply, OfferAnswer::Withdrawn, ChallengeChange::Withdrawn)
    });
    /// Offers a bughouse partnership to a player, or accepts the player's offer.
    "partner" partner(player: Handle) -> OfferOutcome
        = typed_command(format!("partner {player}"), offers::parse_partner_request);
    /// Ends the bughouse partnership, or withdraws the offer of one.
    "partner" end_partnership() -> () = typed_command("partner", offers::parse_partnership_end);

    /// Offers a draw, accepts one, or claims one by the rules.
    "draw" draw() -> OfferOutcome
        = typed_command("draw", |reply| offers::parse_offer_outcome(reply, OfferKind::Draw));
    /// Offers to end the game without a result, or accepts such an offer. At the start of a game the server ends it at
    /// once, without the opponent's agreement.
    "abort" abort() -> OfferOutcome
        = typed_command("abort", |reply| offers::parse_offer_outcome(reply, OfferKind::Abort));
    /// Offers to interrupt the game, so that it can be resumed later, or accepts such an offer.
    "adjourn" adjourn() -> OfferOutcome
        = typed_command("adjourn", |reply| offers::parse_offer_outcome(reply, OfferKind::Adjourn));
    /// Offers to take back this many plies, at least 1, or accepts such an offer.
    "takeback" takeback(plies: u32) -> OfferOutcome
        = typed_command(format!("takeback {plies}"), |reply| offers::parse_offer_outcome(reply, OfferKind::Takeback));
    /// Resigns the game.
    "resign" resign() -> GameEnded = typed_command("resign", offers::parse_game_end);
    /// Claims that the opponent's time is up.
    "flag" flag() -> GameEnded = typed_command("flag", offers::parse_game_end);

    /// Sets a variable of the account. Returns the server's confirmation, which uhlin-fics leaves empty for the prompt.
    "set" set(name: &str, value: &str) -> PlayerText
        = typed_command(format!("set {name} {value}"), info::parse_variable_confirmation);
    /// Clears a variable of the account, such as a note or the formula. Returns the server's confirmation.
    "set" unset(name: &str) -> PlayerText = typed_command(format!("set {name}"), info::parse_variable_confirmation);
    /// Sets the style of boards. This library requires style 12; it parses style 10, too, but does not update games from it.
    "set style" style(number: u8) -> () = info::style(number);
    /// Switches on an interface variable for this session.
    ///
    /// The session sets the ivars of its options; uhlin-fics ignores the command, which is [`RequestError::Unexpected`].
    "iset" enable_ivar(ivar: Ivar) -> ()
        = typed_command(format!("iset {} 1", ivar.as_str()), |reply| info::parse_ivar_confirmation(reply, b" set."));
    /// Switches off an interface variable for this session. Without block mode, replies are delimited by fences.
    "iset" disable_ivar(ivar: Ivar) -> ()
        = typed_command(format!("iset {} 0", ivar.as_str()), |reply| info::parse_ivar_confirmation(reply, b" unset."));

    /// Advertises a game to all players. After a lost connection the session posts it again.
    "seek" seek(terms: GameTerms) -> OfferOutcome = typed_command(terms.seek_line(), new_game::parse_seek_outcome);
    /// Challenges a player. If a game with this player is adjourned, the challenge is to resume it, whatever the terms are.
    "match" challenge(opponent: Handle, terms: GameTerms) -> OfferOutcome
        = typed_command(terms.challenge_line(&opponent), move |reply| new_game::parse_challenge_outcome(reply, Some(&opponent)));
}

impl Client {
    /// Makes a move in the game that this login plays or examines. An illegal move is a refusal.
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    ///
    /// As [`request`](Self::request).
    pub async fn make_move(&self, played: &MoveText) -> Result<MoveMade, RequestError> {
        self.request(played).await
    }
}
