//! The line in front of the name that sets ivars.

use crate::message::Ivar;
use crate::session::options::SessionOptions;

/// Positions in the login string. FatICS wants 32 at least and reads no more.
const IVAR_POSITIONS: u8 = 35;

/// `%b`, and a digit for each ivar. Two have to wait: a list of seeks comes only when `seekinfo` is set after the
/// login, and `lock` would forbid that.
///
/// Source: FICS help file `ivariables` for the order of the digits, FatICS for their number.
pub(crate) fn login_string(options: &SessionOptions) -> String {
    let is_on = |number: u8| options.ivars.iter().any(|&ivar| ivar.number() == Some(number) && is_for_string(ivar));
    let digits = (0..IVAR_POSITIONS).map(|number| if is_on(number) { '1' } else { '0' });
    "%b".chars().chain(digits).collect()
}

/// Whether an ivar may be set before the login.
pub(crate) fn is_for_string(ivar: Ivar) -> bool {
    ivar.number().is_some() && !matches!(ivar, Ivar::SeekInfo | Ivar::Lock)
}
