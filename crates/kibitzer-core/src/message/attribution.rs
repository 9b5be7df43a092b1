//! Whom and which game a message is about.

use super::{GameId, Handle, Message, ObservingRefusal, Partner, Talk, TalkKind};

impl Message {
    /// The game it names.
    ///
    /// A line about the game being played names none on most servers (`Foo offers you a draw.`). The board in style 10 is
    /// numbered otherwise than all else, and counts as naming none.
    pub fn game(&self) -> Option<GameId> {
        match self {
            Self::Style12(board) => Some(board.game()),
            Self::Holding(holding) => Some(holding.game),
            Self::Delta(delta) => Some(delta.game),
            Self::GameInfo(info) => Some(info.game),
            Self::GameCreated(created) => Some(created.game),
            Self::GameEnded(ended) => Some(ended.game),
            Self::Observing(observing) => Some(observing.game),
            Self::ObservingRefused(refusal) => refused_game(*refusal),
            Self::Focus(focus) => Some(focus.game),
            Self::Examine(examine) => examine.game,
            Self::GameUpdate(update) => Some(update.game),
            Self::Mark(mark) => Some(mark.game),
            Self::Talk(talk) => talk.kind.game(),
            Self::Offer(offer) => offer.game,
            Self::Partner(Partner::Playing { game, .. }) => Some(*game),
            _ => None,
        }
    }

    /// Who speaks, if somebody does and the line tells who.
    pub const fn speaker(&self) -> Option<&Handle> {
        match self {
            Self::Talk(Talk { from: Some(from), .. }) => Some(from),
            _ => None,
        }
    }
}

impl TalkKind {
    /// The game it was said in, if the line names it.
    pub const fn game(self) -> Option<GameId> {
        match self {
            Self::Say { game } | Self::Kibitz { game, .. } | Self::Whisper { game, .. } => game,
            _ => None,
        }
    }
}

const fn refused_game(refusal: ObservingRefusal) -> Option<GameId> {
    match refusal {
        ObservingRefusal::AlreadyObserving(game)
        | ObservingRefusal::Private(game)
        | ObservingRefusal::NotObserving(game) => Some(game),
        ObservingRefusal::NoSuchGame | ObservingRefusal::NoneObserved => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::message::{Message, Reader};

    fn read(line: &str) -> Message {
        let (mut reader, stream) = (Reader::default(), format!("{line}\n\r"));
        reader.next(&mut stream.as_bytes()).or_else(|| reader.finish()).unwrap().message
    }

    #[test]
    fn lines_name_their_game_and_their_speaker() {
        let cases = [
            ("<b1> game 52 white [NB] black []", Some(52), None),
            ("<g1> 482 p=0 t=blitz r=1 u=0,1 it=180,2 i=120,0 pt=481 rt=2009,0 ts=1,0", Some(482), None),
            ("{Game 107 (Foo vs. Bar) Creating unrated blitz match.}", Some(107), None),
            ("{Game 39 (Foo vs. Bar) Bar checkmated} 1-0", Some(39), None),
            ("You are now observing game 12.", Some(12), None),
            ("You are already observing game 463.", Some(463), None),
            ("There is no such game.", None, None),
            ("Your primary game is now game 3.", Some(3), None),
            ("Game 29: Foo backs up 4 moves.", Some(29), None),
            ("Foo(C)(1882)[1] kibitzes: hi", Some(1), Some("Foo")),
            ("Foo(1882)[2] whispers: hi", Some(2), Some("Foo")),
            ("Foo[26] says: hi", Some(26), Some("Foo")),
            ("Foo(50): hi", None, Some("Foo")),
            (":Foo is near", None, None),
            ("Game 39: Foo offers a draw.", Some(39), None),
            ("Foo offers you a draw.", None, None),
            ("Your partner is playing game 75 (Foo vs. Bar).", Some(75), None),
            ("Foo has left.", None, None),
        ];
        for (line, game, speaker) in cases {
            let message = read(line);
            assert_eq!(message.game().map(|game| game.0), game, "{line}");
            assert_eq!(message.speaker().map(super::Handle::as_str), speaker, "{line}");
        }
    }
}
