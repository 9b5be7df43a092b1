//! News that came in a datagram, in words.

use std::fmt;

use kibitzer::core::message::{Challenge, GameEnded, Offer, OfferAnswer, Talk, TalkKind};

use super::Shown;
use super::entry::Entry;

/// What the server would have said in a line; nothing for entries that are shown otherwise.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told<'a>(pub(super) &'a Entry<'a>);

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Entry::GameCreated(created) => {
                let players = (Shown(created.white.as_str()), Shown(created.black.as_str()));
                write!(
                    f,
                    "game {}: {} against {}, {}",
                    created.game,
                    players.0,
                    players.1,
                    Shown(created.kind.as_str())
                )
            }
            Entry::GameEnded(ended) => write_ended(f, ended),
            Entry::Observing(observing) if observing.is_observed() => write!(f, "observing game {}", observing.game),
            Entry::Observing(observing) => write!(f, "no longer observing game {}", observing.game),
            Entry::Talk(talk) => write_talk(f, talk),
            Entry::Challenge(challenge) => write_challenge(f, challenge),
            Entry::Offer(offer) => write_offer(f, offer),
            Entry::LoggedIn(login) => write!(f, "logged in as {}", Shown(login.name.as_str())),
            Entry::LoginRefused { reason, text } | Entry::Refused { reason, text } => {
                write!(f, "{}: {}", reason.replace('_', " "), Shown(text))
            }
            _ => Ok(()),
        }
    }
}

fn write_ended(f: &mut fmt::Formatter<'_>, ended: &GameEnded) -> fmt::Result {
    write!(f, "game {}: {}", ended.game, ended.result)?;
    if !ended.text.as_str().is_empty() {
        write!(f, ", {}", Shown(ended.text.as_str()))?;
    }
    Ok(())
}

/// The text is left as it is: whoever prints the line looks for it at the end.
fn write_talk(f: &mut fmt::Formatter<'_>, talk: &Talk) -> fmt::Result {
    if let Some(from) = &talk.from {
        write!(f, "{from}")?;
    }
    write!(f, "{}", talk.titles)?;
    match talk.kind {
        TalkKind::ChannelTell { channel } => write!(f, "({channel})")?,
        TalkKind::Kibitz { game: Some(game), .. } => write!(f, "[{game}] kibitzes")?,
        TalkKind::Whisper { game: Some(game), .. } => write!(f, "[{game}] whispers")?,
        TalkKind::Say { .. } => f.write_str(" says")?,
        TalkKind::Shout => f.write_str(" shouts")?,
        TalkKind::CShout => f.write_str(" s-shouts")?,
        TalkKind::ItShout => return write!(f, " {}", talk.text),
        TalkKind::Announcement => f.write_str(" announces")?,
        _ => f.write_str(" tells you")?,
    }
    write!(f, ": {}", talk.text)
}

fn write_challenge(f: &mut fmt::Formatter<'_>, challenge: &Challenge) -> fmt::Result {
    let rated = if challenge.rated { "rated" } else { "unrated" };
    let (from, kind) = (Shown(challenge.from.as_str()), Shown(challenge.kind.as_str()));
    write!(f, "challenge: {from} ({}), {rated} {kind}", challenge.from_rating)?;
    match (challenge.initial_min, challenge.increment_s) {
        (Some(initial), Some(increment)) => write!(f, " {initial}+{increment}"),
        _ => Ok(()),
    }
}

fn write_offer(f: &mut fmt::Formatter<'_>, offer: &Offer) -> fmt::Result {
    if let Some(game) = offer.game {
        write!(f, "game {game}: ")?;
    }
    let from = offer.from.as_ref().map_or("you", |from| from.as_str());
    write!(f, "offer of {}: {}", Shown(from), offer.kind.as_str())?;
    match offer.answer.map(OfferAnswer::as_str) {
        Some(answer) => write!(f, ", {answer}"),
        None => Ok(()),
    }
}
