//! The list of all commands: each entry makes a function of [`command`](super), a method of [`Client`] and a row of its table.

use kibitzer_core::event::RequestError;
use kibitzer_core::message::{ChallengeChange, listing};
use kibitzer_core::message::{GameEnded, GameId, Ivar, OfferAnswer, OfferKind, Style12};
use kibitzer_core::text::PlayerText;
use std::sync::Arc;

use super::{
    ExamineStep, GameTerms, IntoGameRef, IntoHandle, MoveMade, MoveText, ObservedGame, OfferOutcome, OfferRef,
    ServerClocks, TypedCommand, command_about, in_game, info, new_game, offers, reply, typed_command,
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
            pub fn $name($($argument: $kind),*) -> TypedCommand<$answer> {
                $command
            }
        )+

        /// Every answer is serialized.
        const _: fn() = || {
            const fn assert_serialize<A: serde::Serialize>() {}
            $(assert_serialize::<$answer>();)+
        };

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
        /// client.tell("Newton", "hello").await?;
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
                    self.request($name($($argument),*)).await
                }
            )+
        }
    };
}

commands! {
    /// Requests all games that are played or examined.
    "games" games() -> listing::GameList = typed_command("games", reply::parse_listing);
    /// Requests the listing row of one game, or of the games of players whose names begin with this one.
    "games" games_of(game: impl IntoGameRef) -> listing::GameList
        = command_about(game.into_game_ref(), |game| game.command_line("games"), |reply, _| reply::parse_listing(reply));
    /// Requests the players who are logged in.
    "who" who() -> listing::WhoList = typed_command("who", reply::parse_listing);
    /// Requests all seeks.
    "sought all" sought() -> listing::SoughtList = typed_command("sought all", reply::parse_listing);
    /// Requests the seeks that this login may answer.
    "sought" suitable_seeks() -> listing::SoughtList = typed_command("sought", reply::parse_listing);
    /// Requests the moves of a game.
    "moves" moves(game: impl IntoGameRef) -> listing::MoveList
        = command_about(game.into_game_ref(), |game| game.command_line("moves"), |reply, _| reply::parse_listing(reply));
    /// Requests the moves of the game that this login plays, otherwise of the one it examines or observes.
    "moves" own_moves() -> listing::MoveList = typed_command("moves", reply::parse_listing);
    /// Requests the profile of a player.
    "finger" finger(player: impl IntoHandle) -> listing::Finger
        = command_about(player.into_handle(), |player| format!("finger {player}"), |reply, _| reply::parse_listing(reply));
    /// Requests the profile of this login.
    "finger" own_finger() -> listing::Finger = typed_command("finger", reply::parse_listing);
    /// Requests the last games of a player.
    "history" history(player: impl IntoHandle) -> listing::History
        = command_about(player.into_handle(), |player| format!("history {player}"), |reply, player| info::parse_history(reply, Some(player)));
    /// Requests the last games of this login. One server does not name the owner of an empty history: it is empty then.
    "history" own_history() -> listing::History = typed_command("history", |reply| info::parse_history(reply, None));
    /// Requests the adjourned games of a player.
    "stored" stored(player: impl IntoHandle) -> listing::StoredGames
        = command_about(player.into_handle(), |player| format!("stored {player}"), |reply, _| reply::parse_listing(reply));
    /// Requests the adjourned games of this login.
    "stored" own_stored() -> listing::StoredGames = typed_command("stored", reply::parse_listing);
    /// Requests the variables of a player.
    "variables" variables(player: impl IntoHandle) -> listing::Variables
        = command_about(player.into_handle(), |player| format!("variables {player}"), |reply, _| reply::parse_listing(reply));
    /// Requests the variables of this login.
    "variables" own_variables() -> listing::Variables = typed_command("variables", reply::parse_listing);
    /// Requests the interface variables (ivars) of this session.
    "ivariables" interface_variables() -> listing::Variables = typed_command("ivariables", reply::parse_listing);
    /// Requests the members of a channel.
    "inchannel" in_channel(channel: u16) -> listing::ChannelList
        = typed_command(format!("inchannel {channel}"), reply::parse_listing);
    /// Requests the server's clocks.
    ///
    /// The command has no side effect, so it also tests whether the server answers.
    "date" date() -> ServerClocks = typed_command("date", info::parse_clocks);

    /// Observes a game: its boards, moves and end arrive as events. After a lost connection the session observes it again.
    ///
    /// To observe a game again is a refusal on most servers. uhlin-fics stops observing it instead, with a text that is in
    /// [`RequestError::Unexpected`].
    "observe" observe(game: impl IntoGameRef) -> ObservedGame
        = command_about(game.into_game_ref(), |game| game.command_line("observe"), in_game::parse_observed_game);
    /// Stops observing a game. Returns the games that are no longer observed, at least one.
    "unobserve" unobserve(game: impl IntoGameRef) -> Vec<GameId>
        = command_about(game.into_game_ref(), |game| game.command_line("unobserve"), |reply, _| in_game::parse_unobserved_games(reply));
    /// Stops observing all games. Returns their numbers, at least one.
    "unobserve" unobserve_all() -> Vec<GameId> = typed_command("unobserve", in_game::parse_unobserved_games);

    /// Examines an empty game from the start position.
    "examine" examine_scratch() -> Arc<Style12> = typed_command("examine", in_game::parse_examined_board);
    /// Examines the game with this index in a player's history.
    "examine" examine(player: impl IntoHandle, index: u32) -> Arc<Style12>
        = command_about(player.into_handle(), |player| format!("examine {player} {index}"), |reply, _| in_game::parse_examined_board(reply));
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
    "play" play_seek_of(player: impl IntoHandle) -> OfferOutcome
        = command_about(player.into_handle(), |player| format!("play {player}"), |reply, player| new_game::parse_challenge_outcome(reply, Some(player)));

    /// Challenges an opponent to resume an adjourned game. Returns one challenge, or the game that goes on.
    ///
    /// uhlin-fics and FatICS do not know the command; on every server [`challenge`] with the opponent's name does the same.
    "resume" resume(opponent: impl IntoHandle) -> Vec<OfferOutcome>
        = command_about(opponent.into_handle(), |opponent| format!("resume {opponent}"), |reply, opponent| new_game::parse_resumptions(reply, Some(opponent)));
    /// Challenges every opponent of an adjourned game who is logged in. Returns one challenge each, or the game that goes on.
    ///
    /// uhlin-fics and FatICS do not know the command.
    "resume" resume_all() -> Vec<OfferOutcome>
        = typed_command("resume", |reply| new_game::parse_resumptions(reply, None));
    /// Challenges the last opponent to the same game again. uhlin-fics does not know the command.
    "rematch" rematch() -> OfferOutcome
        = typed_command("rematch", |reply| new_game::parse_challenge_outcome(reply, None));

    /// Accepts a challenge, a partnership or an offer in the game.
    ///
    /// uhlin-fics does not confirm it: the outcome is derived from the boards and results in the reply.
    "accept" accept(offer: OfferRef) -> OfferOutcome
        = command_about(offer.checked(), |offer| offer.command_line("accept"), |reply, _| offers::parse_accepted_offer(reply));
    /// Declines a challenge or an offer in the game.
    "decline" decline(offer: OfferRef) -> OfferOutcome
        = command_about(offer.checked(), |offer| offer.command_line("decline"), |reply, _| {
            offers::parse_closed_offer(reply, OfferAnswer::Declined, ChallengeChange::Declined)
        });
    /// Withdraws a challenge or an offer of this login.
    "withdraw" withdraw(offer: OfferRef) -> OfferOutcome
        = command_about(offer.checked(), |offer| offer.command_line("withdraw"), |reply, _| {
            offers::parse_closed_offer(reply, OfferAnswer::Withdrawn, ChallengeChange::Withdrawn)
        });
    /// Offers a bughouse partnership to a player, or accepts the player's offer.
    "partner" partner(player: impl IntoHandle) -> OfferOutcome
        = command_about(player.into_handle(), |player| format!("partner {player}"), |reply, _| offers::parse_partner_request(reply));
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
    "set style" style(number: u8) -> ()
        = typed_command(format!("set style {number}"), move |reply| info::parse_style_confirmation(reply, number));
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
    "match" challenge(opponent: impl IntoHandle, terms: GameTerms) -> OfferOutcome
        = command_about(opponent.into_handle(), |opponent| terms.challenge_line(opponent), |reply, opponent| new_game::parse_challenge_outcome(reply, Some(opponent)));
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
