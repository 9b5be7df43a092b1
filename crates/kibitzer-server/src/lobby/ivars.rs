//! Interface variables.

use kibitzer_core::message::Ivar;

/// Returns the variables that can be set: all but `xml`.
pub(crate) fn settable_ivars() -> impl Iterator<Item = Ivar> {
    Ivar::ALL.iter().copied().filter(|&ivar| ivar != Ivar::Xml)
}

/// The values of all interface variables, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ivars(u64);

impl Default for Ivars {
    /// Returns the values at the start of a session on the recorded server.
    fn default() -> Self {
        let mut ivars = Self(0);
        ivars.set(Ivar::ShowOwnSeek, true);
        ivars.set(Ivar::Atomic, true);
        ivars
    }
}

/// Minimum number of digits in a login string.
///
/// Source: transcripts fatics-login-failed-retry (three are ignored), fatics-login-registered-ivarstring.
const MIN_LOGIN_DIGITS: usize = 32;

impl Ivars {
    pub(crate) const fn is_set(self, ivar: Ivar) -> bool {
        self.0 & Self::mask(ivar) != 0
    }

    pub(crate) const fn set(&mut self, ivar: Ivar, value: bool) {
        if value {
            self.0 |= Self::mask(ivar);
        } else {
            self.0 &= !Self::mask(ivar);
        }
    }

    /// Parses the digits after `%b`, each 0 or 1, of which the variables define the order; variables without a digit keep their
    /// defaults. `None` for fewer than [`MIN_LOGIN_DIGITS`], or with any other character. Digits after the last variable are
    /// ignored.
    pub(crate) fn parse_login_digits(digits: &str) -> Option<Self> {
        let is_string = digits.len() >= MIN_LOGIN_DIGITS && digits.bytes().all(|digit| matches!(digit, b'0' | b'1'));
        is_string.then(|| {
            let mut ivars = Self::default();
            for ivar in settable_ivars() {
                if let Some(&digit) =
                    ivar.login_string_position().and_then(|number| digits.as_bytes().get(usize::from(number)))
                {
                    ivars.set(ivar, digit == b'1');
                }
            }
            ivars
        })
    }

    const fn mask(ivar: Ivar) -> u64 {
        // There are fewer than 64 variables.
        1 << ivar as u8
    }

    /// Formats the table of `ivariables`, without its heading.
    ///
    /// Source: transcripts fatics-login-registered-plain, fatics-block-client.
    pub(crate) fn format_table(self) -> String {
        const ROWS: [&[Ivar]; 9] = [
            &[Ivar::CompressMove, Ivar::DefPrompt, Ivar::Lock, Ivar::Ms],
            &[Ivar::SeekRemove, Ivar::StartPos, Ivar::Block, Ivar::GameInfo],
            &[Ivar::PendInfo, Ivar::Graph, Ivar::SeekInfo, Ivar::ExtAscii],
            &[Ivar::ShowServer, Ivar::NoHighlight, Ivar::VtHighlight, Ivar::Pin],
            &[Ivar::PingInfo, Ivar::BoardInfo, Ivar::ExtUserInfo, Ivar::AudioChat],
            &[Ivar::SeekCa, Ivar::ShowOwnSeek, Ivar::Premove, Ivar::SmartMove],
            &[Ivar::MoveCase, Ivar::NoWrap, Ivar::AllResults],
            &[Ivar::SingleBoard],
            &[Ivar::Suicide, Ivar::Crazyhouse, Ivar::Losers, Ivar::WildCastle],
        ];
        let mut table = String::new();
        for row in ROWS.into_iter().chain([&[Ivar::Fr, Ivar::Atomic][..]]) {
            let cell = |&ivar: &Ivar| format!("{:<19}", format!("{}={}", ivar.as_str(), u8::from(self.is_set(ivar))));
            table += row.iter().map(cell).collect::<String>().trim_end();
            table.push('\n');
        }
        table + "xml=?\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::find_only_by_prefix;

    #[test]
    fn a_login_string_sets_each_variable_by_its_number() {
        let ivars = Ivars::parse_login_digits("00010000000001000000000000000001").unwrap();
        let set: Vec<_> = settable_ivars().filter(|&ivar| ivars.is_set(ivar)).map(Ivar::as_str).collect();
        assert_eq!(set, ["defprompt", "nohighlight", "nowrap", "atomic"]);
        assert_eq!(Ivars::parse_login_digits("101"), None);
        assert_eq!(Ivars::parse_login_digits(&"2".repeat(32)), None);
        assert!(Ivars::parse_login_digits(&"1".repeat(60)).is_some());
    }

    #[test]
    fn names_may_be_abbreviated() {
        let find = |prefix| find_only_by_prefix(settable_ivars().map(|ivar| (ivar.as_str(), ivar)), prefix);
        assert_eq!(find("ms"), Ok(Ivar::Ms));
        assert_eq!(find("comp"), Ok(Ivar::CompressMove));
        assert_eq!(find("se"), Err(vec!["seekremove", "seekinfo", "seekca"]));
        assert_eq!(find("zz"), Err(vec![]));
        assert_eq!(find("xml"), Err(vec![]), "it is listed, and cannot be set");
    }
}
