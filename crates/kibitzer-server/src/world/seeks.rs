//! Seeks: players who look for an opponent.
//!
//! Source of the forms: transcripts fatics-seeks-*; datagrams §3.

use kibitzer_core::chess::Color;
use kibitzer_core::message::Datagram;

use super::icc::number::SEEK_REMOVED;
use super::offers::format_requested_color;
use super::{ConnectionId, Ivar, World};
use crate::play::{Terms, color_letter};

/// Maximum number of seeks of a player.
pub(crate) const MAX_SEEKS: usize = 3;

/// A seek: the terms on which a player looks for an opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seek {
    pub(crate) number: u32,
    pub(crate) from: ConnectionId,
    pub(crate) terms: Terms,
    /// The seeker's color.
    pub(crate) color: Option<Color>,
    /// Lowest and highest rating of an opponent, inclusive.
    pub(crate) rating_range: (u16, u16),
    /// Whether the seeker confirms before the game starts.
    pub(crate) is_manual: bool,
    /// Whether the seeker requested that answers are checked against the formula; this server does not check it.
    pub(crate) is_checked: bool,
}

impl World {
    /// Posts a seek under the lowest unused number, in place of its own, and shows it to the players. Returns the number and how
    /// many others saw it.
    pub(crate) fn post_seek(&mut self, seek: Seek) -> (u32, usize) {
        let mut taken: Vec<_> = self.seeks.iter().map(|seek| seek.number).collect();
        taken.sort_unstable();
        // The lowest unused number.
        let number = taken.into_iter().fold(1, |free, number| if number == free { free + 1 } else { free });
        let seek = Seek { number, ..seek };
        let (data, text) = (self.seekinfo_with_newline(&seek), self.seek_text(&seek));
        let mut viewers = self.lobby.players_where(|id, _| self.is_seek_shown_to(id, &seek));
        viewers.retain(|&id| self.show_seek(id, &seek, &data, &text) && id != seek.from);
        self.seeks.push(seek);
        (number, viewers.len())
    }

    /// Returns whether a seek is shown to a player: not during a game, rated ones not to guests, own ones only with the ivar
    /// `showownseek`.
    fn is_seek_shown_to(&self, id: ConnectionId, seek: &Seek) -> bool {
        let is_registered = self.lobby.player(id).is_some_and(|player| player.is_registered);
        let is_possible = self.game_played_by(id).is_none() && (is_registered || !seek.terms.rated);
        is_possible && (id != seek.from || self.lobby.has_ivar(id, Ivar::ShowOwnSeek))
    }

    /// Shows a seek as data, as text, or both, as the client has requested; returns whether it was shown at all. The seeker needs
    /// the variable `showownseek` to receive the text.
    ///
    /// The caller has to check [`is_seek_shown_to`](Self::is_seek_shown_to) first.
    fn show_seek(&mut self, id: ConnectionId, seek: &Seek, data: &str, text: &str) -> bool {
        let has_data = self.lobby.has_ivar(id, Ivar::SeekInfo);
        let is_own = id == seek.from;
        let has_text = self.lobby.has_flag(id, "seek") && (!is_own || self.lobby.has_flag(id, "showownseek"));
        if has_data {
            self.lobby.queue_unwrapped(id, data);
        }
        // A datagram is sent in addition, if the client has switched it on.
        let has_data = self.queue_seek_datagram_if_on(id, seek) || has_data;
        if has_text {
            self.lobby.notify_unwrapped(id, text);
        }
        has_data || has_text
    }

    /// Formats a seek for the ivar `seekinfo`: `<s> 3 w=Alekhine ti=00 rt=1882 t=5 i=0 r=r tp=blitz c=? rr=0-9999 a=t f=f`
    /// and a newline. Empty if the seeker is not logged in.
    pub(crate) fn seekinfo_with_newline(&self, seek: &Seek) -> String {
        let Some(player) = self.lobby.player(seek.from) else { return String::new() };
        let Seek { number, terms, rating_range: (least, most), .. } = seek;
        let kind = terms.kind();
        let color = seek.color.map_or('?', color_letter);
        let letter = |is: bool| if is { 't' } else { 'f' };
        format!(
            "<s> {number} w={} ti={:02x} rt={}  t={} i={} r={} tp={} c={color} rr={least}-{most} a={} f={}\n",
            player.name(),
            title_bits(&player.titles),
            player.rating(kind).value().unwrap_or_default(),
            terms.minutes,
            terms.increment_s,
            if terms.rated { 'r' } else { 'u' },
            kind,
            letter(!seek.is_manual),
            letter(seek.is_checked),
        )
    }

    /// Formats a seek as text: `Alekhine (1882) seeking 5 0 rated blitz ("play 3" to respond)` and a newline. Empty if
    /// the seeker is not logged in.
    fn seek_text(&self, seek: &Seek) -> String {
        let Some(player) = self.lobby.player(seek.from) else { return String::new() };
        let terms = seek.terms;
        let rating = player.rating(terms.kind());
        let mut words = format!("{} {} {} {}", terms.minutes, terms.increment_s, terms.rated_word(), terms.kind());
        words += &format_requested_color(seek.color);
        words += if seek.is_manual { " m" } else { "" };
        words += if seek.is_checked { " f" } else { "" };
        format!("{} ({:>4}) seeking {words} (\"play {}\" to respond)\n", player.name(), rating.to_string(), seek.number)
    }

    /// Formats the line `<sc>` and all visible seeks as data, for a client that has just switched `seekinfo` on.
    pub(crate) fn seekinfo_list(&self, to: ConnectionId) -> String {
        let shown = self.visible_seeks(to);
        shown.iter().fold("\n<sc>\n".to_owned(), |list, seek| list + &self.seekinfo_with_newline(seek))
    }

    /// Removes a player's seeks and reports each removal; returns their numbers, none if the player has no seek.
    pub(crate) fn remove_and_report_seeks_of(&mut self, from: ConnectionId) -> Vec<u32> {
        let numbers: Vec<_> = self.seeks.iter().filter(|seek| seek.from == from).map(|seek| seek.number).collect();
        for &number in &numbers {
            self.remove_and_report_seek(number);
        }
        numbers
    }

    /// Removes a seek and reports that to the clients that follow seeks as data: with both ivars `seekinfo` and `seekremove`, or
    /// by a datagram. Does nothing without such a seek.
    pub(crate) fn remove_and_report_seek(&mut self, number: u32) {
        let Some(at) = self.seeks.iter().position(|seek| seek.number == number) else { return };
        self.seeks.remove(at);
        let [info, removal] = [Ivar::SeekInfo, Ivar::SeekRemove];
        for id in self.lobby.players_where(|_, player| player.ivars.is_set(info) && player.ivars.is_set(removal)) {
            self.lobby.queue_unwrapped(id, &format!("<sr> {number}\n"));
        }
        for id in self.lobby.players_where(|_, _| true) {
            self.lobby.queue_datagram_if_on(id, &Datagram::new(SEEK_REMOVED, [&number.to_string(), "1"]));
        }
    }

    /// Returns the seeks that are shown to a player.
    pub(crate) fn visible_seeks(&self, to: ConnectionId) -> Vec<Seek> {
        self.seeks.iter().filter(|seek| self.is_seek_shown_to(to, seek)).copied().collect()
    }
}

/// Encodes titles as the bits of `ti=`.
///
/// Source: datagrams §3.
fn title_bits(titles: &str) -> u8 {
    // The highest bit first.
    const TITLES: [&str; 8] = ["(WFM)", "(WIM)", "(WGM)", "(FM)", "(IM)", "(GM)", "(C)", "(U)"];
    TITLES.iter().fold(0, |bits, title| (bits << 1) | u8::from(titles.contains(title)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_bits() {
        let cases = [("", 0), ("(U)", 1), ("(GM)(C)", 6), ("(*)(WFM)", 0x80), ("(WGM)", 0x20)];
        for (titles, want) in cases {
            assert_eq!(title_bits(titles), want, "{titles}");
        }
    }
}
