//! Interface variables: what a client's program asks for.

/// An interface variable, by its place in the string of a login.
///
/// Source: datagrams §1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ivar {
    Compressmove = 0,
    Audiochat,
    Seekremove,
    Defprompt,
    Lock,
    Startpos,
    Block,
    Gameinfo,
    Xdr,
    Pendinfo,
    Graph,
    Seekinfo,
    Extascii,
    Nohighlight,
    Vthighlight,
    Showserver,
    Pin,
    Ms,
    Pinginfo,
    Boardinfo,
    Extuserinfo,
    Seekca,
    Showownseek,
    Premove,
    Smartmove,
    Movecase,
    Suicide,
    Crazyhouse,
    Losers,
    Wildcastle,
    Fr,
    Nowrap,
    Allresults,
    Obsping,
    Singleboard,
    Atomic,
}

impl Ivar {
    /// In the order of their numbers.
    const ALL: [(Self, &'static str); 36] = [
        (Self::Compressmove, "compressmove"),
        (Self::Audiochat, "audiochat"),
        (Self::Seekremove, "seekremove"),
        (Self::Defprompt, "defprompt"),
        (Self::Lock, "lock"),
        (Self::Startpos, "startpos"),
        (Self::Block, "block"),
        (Self::Gameinfo, "gameinfo"),
        (Self::Xdr, "xdr"),
        (Self::Pendinfo, "pendinfo"),
        (Self::Graph, "graph"),
        (Self::Seekinfo, "seekinfo"),
        (Self::Extascii, "extascii"),
        (Self::Nohighlight, "nohighlight"),
        (Self::Vthighlight, "vthighlight"),
        (Self::Showserver, "showserver"),
        (Self::Pin, "pin"),
        (Self::Ms, "ms"),
        (Self::Pinginfo, "pinginfo"),
        (Self::Boardinfo, "boardinfo"),
        (Self::Extuserinfo, "extuserinfo"),
        (Self::Seekca, "seekca"),
        (Self::Showownseek, "showownseek"),
        (Self::Premove, "premove"),
        (Self::Smartmove, "smartmove"),
        (Self::Movecase, "movecase"),
        (Self::Suicide, "suicide"),
        (Self::Crazyhouse, "crazyhouse"),
        (Self::Losers, "losers"),
        (Self::Wildcastle, "wildcastle"),
        (Self::Fr, "fr"),
        (Self::Nowrap, "nowrap"),
        (Self::Allresults, "allresults"),
        (Self::Obsping, "obsping"),
        (Self::Singleboard, "singleboard"),
        (Self::Atomic, "atomic"),
    ];

    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find(|&&(ivar, _)| ivar == self).map_or("", |&(_, name)| name)
    }

    /// The variables whose names start so; the one of exactly that name alone if there is one.
    pub(crate) fn starting_with(prefix: &str) -> Vec<Self> {
        if let Some(&(exact, _)) = Self::ALL.iter().find(|&&(_, name)| name == prefix) {
            return vec![exact];
        }
        Self::ALL.iter().filter(|(_, name)| name.starts_with(prefix)).map(|&(ivar, _)| ivar).collect()
    }
}

/// The values of all interface variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ivars(u64);

impl Default for Ivars {
    /// As the recorded server starts a session: the own seeks are shown, and atomic games.
    fn default() -> Self {
        let mut ivars = Self(0);
        ivars.set(Ivar::Showownseek, true);
        ivars.set(Ivar::Atomic, true);
        ivars
    }
}

/// How many digits a login string has at least.
///
/// Source: transcripts fatics-login-failed-retry (three are not taken), fatics-login-registered-ivarstring.
const MIN_LOGIN_DIGITS: usize = 32;

impl Ivars {
    pub(crate) const fn is_set(self, ivar: Ivar) -> bool {
        self.0 & Self::bit(ivar) != 0
    }

    pub(crate) const fn set(&mut self, ivar: Ivar, value: bool) {
        if value {
            self.0 |= Self::bit(ivar);
        } else {
            self.0 &= !Self::bit(ivar);
        }
    }

    /// Reads the digits behind `%b`; `None` if they are too few or something else is among them. What is behind the last
    /// variable is ignored.
    pub(crate) fn from_login(digits: &str) -> Option<Self> {
        let is_string = digits.len() >= MIN_LOGIN_DIGITS && digits.bytes().all(|digit| matches!(digit, b'0' | b'1'));
        is_string.then(|| {
            let mut ivars = Self::default();
            for (&(ivar, _), digit) in Ivar::ALL.iter().zip(digits.bytes()) {
                ivars.set(ivar, digit == b'1');
            }
            ivars
        })
    }

    const fn bit(ivar: Ivar) -> u64 {
        1 << (ivar as u64)
    }

    /// The table of `ivariables`, behind its heading.
    ///
    /// Source: transcripts fatics-login-registered-plain, fatics-block-client.
    pub(crate) fn table(self) -> String {
        const ROWS: [&[Ivar]; 9] = [
            &[Ivar::Compressmove, Ivar::Defprompt, Ivar::Lock, Ivar::Ms],
            &[Ivar::Seekremove, Ivar::Startpos, Ivar::Block, Ivar::Gameinfo],
            &[Ivar::Pendinfo, Ivar::Graph, Ivar::Seekinfo, Ivar::Extascii],
            &[Ivar::Showserver, Ivar::Nohighlight, Ivar::Vthighlight, Ivar::Pin],
            &[Ivar::Pinginfo, Ivar::Boardinfo, Ivar::Extuserinfo, Ivar::Audiochat],
            &[Ivar::Seekca, Ivar::Showownseek, Ivar::Premove, Ivar::Smartmove],
            &[Ivar::Movecase, Ivar::Nowrap, Ivar::Allresults],
            &[Ivar::Singleboard],
            &[Ivar::Suicide, Ivar::Crazyhouse, Ivar::Losers, Ivar::Wildcastle],
        ];
        let mut table = String::new();
        for row in ROWS.into_iter().chain([&[Ivar::Fr, Ivar::Atomic][..]]) {
            let cells: Vec<_> = row.iter().map(|&ivar| format!("{:<19}", self.cell(ivar))).collect();
            table += cells.concat().trim_end();
            table.push('\n');
        }
        table + "xml=?\n"
    }

    fn cell(self, ivar: Ivar) -> String {
        format!("{}={}", ivar.name(), u8::from(self.is_set(ivar)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_in_the_order_of_the_numbers() {
        for (number, (ivar, name)) in Ivar::ALL.into_iter().enumerate() {
            assert_eq!(ivar as usize, number, "{name}");
        }
    }

    #[test]
    fn a_login_string_sets_each_variable_by_its_place() {
        let ivars = Ivars::from_login("00010000000001000000000000000001").unwrap();
        let set: Vec<_> = Ivar::ALL.iter().filter(|&&(ivar, _)| ivars.is_set(ivar)).map(|&(_, name)| name).collect();
        assert_eq!(set, ["defprompt", "nohighlight", "nowrap", "atomic"]);
        assert_eq!(Ivars::from_login("101"), None);
        assert_eq!(Ivars::from_login(&"2".repeat(32)), None);
        assert!(Ivars::from_login(&"1".repeat(60)).is_some());
    }

    #[test]
    fn names_may_be_cut_short() {
        assert_eq!(Ivar::starting_with("ms"), [Ivar::Ms]);
        assert_eq!(Ivar::starting_with("comp"), [Ivar::Compressmove]);
        assert_eq!(Ivar::starting_with("se"), [Ivar::Seekremove, Ivar::Seekinfo, Ivar::Seekca]);
        assert_eq!(Ivar::starting_with("zz"), []);
    }
}
