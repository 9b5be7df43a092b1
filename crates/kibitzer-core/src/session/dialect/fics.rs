//! Login string and variables of FICS.

use crate::message::Ivar;
use crate::session::options::SessionOptions;

/// Number of positions in the login string. FatICS requires at least 32 and reads no more.
const IVAR_POSITIONS: u8 = 35;

/// Variables that make boards readable for a program and keep lines whole and unpaged.
///
/// Source: FICS help file `variables`.
pub(super) const VARIABLES: [&str; 5] = ["style 12", "bell 0", "ptime 0", "width 240", "height 240"];

/// Returns the line before the name that sets ivars: `%b` and a digit for each.
///
/// Source: FICS help file `ivariables` for the order of the digits, FatICS for their number.
pub(super) fn login_string(options: &SessionOptions) -> String {
    let is_on = |number: u8| {
        options.ivars.iter().any(|&ivar| ivar.login_string_position() == Some(number) && is_in_login_string(ivar))
    };
    let digits = (0..IVAR_POSITIONS).map(|number| if is_on(number) { '1' } else { '0' });
    "%b".chars().chain(digits).collect()
}

/// Returns whether an ivar may be set before the login.
pub(crate) fn is_in_login_string(ivar: Ivar) -> bool {
    // The server sends its list of seeks only if `seekinfo` is set after the login, and `lock` would prevent that.
    ivar.login_string_position().is_some() && !matches!(ivar, Ivar::SeekInfo | Ivar::Lock)
}
