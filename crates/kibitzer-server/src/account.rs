//! Accounts of registered players.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::Path;

use kibitzer_core::message::{Handle, Titles};
use serde::{Deserialize, Deserializer};

use crate::family::ImitatedFamily;
use crate::rating::PlayerRating;

/// Account of a registered player.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Account {
    #[serde(deserialize_with = "deserialize_unchecked_handle")]
    pub(crate) handle: Handle,
    pub(crate) password: String,
    #[serde(default)]
    pub(crate) titles: Vec<String>,
    #[serde(default)]
    pub(crate) ratings: BTreeMap<String, PlayerRating>,
    #[serde(default, rename = "banned")]
    pub(crate) is_banned: bool,
}

/// Deserializes a name without checking it; [`Account::parse_list`] does that.
fn deserialize_unchecked_handle<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Handle, D::Error> {
    String::deserialize(deserializer).map(|name| Handle::from_wire(name.as_bytes()))
}

impl Account {
    /// Creates an account without titles and ratings. Nobody can log in to it if the password is empty, or if the name breaks the
    /// rule of the server's family, which is not checked here.
    pub fn new(handle: Handle, password: impl Into<String>) -> Self {
        Self { handle, password: password.into(), titles: Vec::new(), ratings: BTreeMap::new(), is_banned: false }
    }

    /// Adds a title, which is shown in parentheses after the name: `GM`, `*`, `TD`.
    pub fn add_title(mut self, title: impl Into<String>) -> Self {
        self.titles.push(title.into());
        self
    }

    /// Sets the rating of one kind of game, which is spelled as in seeks: `blitz`, `lightning`, `standard`, or a variant such as
    /// `crazyhouse` or `wild/fr`. Any other kind is only listed by `finger`. Rated games on the server change it, until the server
    /// ends.
    pub fn rating(mut self, kind: impl Into<String>, rating: u16) -> Self {
        self.ratings.insert(kind.into(), rating.into());
        self
    }

    pub(crate) fn titles(&self) -> Titles {
        Titles::from_codes(self.titles.join(" ").as_bytes())
    }

    /// Bans the account: logins with its name are refused.
    pub const fn banned(mut self) -> Self {
        self.is_banned = true;
        self
    }

    /// Parses accounts of a server of that family from TOML.
    ///
    /// ```
    /// use kibitzer_server::{Account, ImitatedFamily};
    ///
    /// let accounts = Account::parse_list(
    ///     r#"
    ///     [[account]]
    ///     handle = "Newton"
    ///     password = "apple"
    ///     titles = ["GM"]           # may be left out
    ///     ratings = { blitz = 2100 } # may be left out
    ///     banned = false             # may be left out
    ///     "#,
    ///     ImitatedFamily::Fics,
    /// )?;
    /// assert_eq!(accounts, [Account::new("Newton".parse()?, "apple").add_title("GM").rating("blitz", 2100)]);
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidData`](io::ErrorKind::InvalidData): the text is not valid TOML, has an unknown key, or a name that breaks the
    /// family's rule for names, or two accounts have the same name. The message says which line or name.
    pub fn parse_list(text: &str, family: ImitatedFamily) -> io::Result<Vec<Self>> {
        let invalid = |message: String| io::Error::new(io::ErrorKind::InvalidData, message);
        let file: Result<AccountsFile, _> = toml::from_str(text);
        let accounts = file.map_err(|error| invalid(format!("cannot parse the accounts: {error}")))?.account;
        let mut keys = BTreeSet::new();
        for Self { handle, .. } in &accounts {
            if family.name_failure(handle.as_str()).is_some() {
                let rule = family.texts().name_rule;
                return Err(invalid(format!("an account's name is not {rule}: {:?}", handle.as_str())));
            }
            if !keys.insert(name_key(handle.as_str())) {
                return Err(invalid(format!("two accounts are named {handle}")));
            }
        }
        Ok(accounts)
    }

    /// Reads accounts of a server of that family from a TOML file.
    ///
    /// # Errors
    ///
    /// As [`parse_list`](Self::parse_list); other kinds if the file cannot be read.
    pub fn load_list(path: impl AsRef<Path>, family: ImitatedFamily) -> io::Result<Vec<Self>> {
        let failed = |error: io::Error| io::Error::new(error.kind(), format!("cannot read the accounts: {error}"));
        Self::parse_list(&std::fs::read_to_string(path).map_err(failed)?, family)
    }
}

// Written by hand to omit the password.
impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { handle, password: _, titles, ratings, is_banned } = self;
        f.debug_struct("Account")
            .field("handle", handle)
            .field("password", &"…")
            .field("titles", titles)
            .field("ratings", ratings)
            .field("is_banned", is_banned)
            .finish()
    }
}

/// Accounts by name; case is ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Accounts(BTreeMap<String, Account>);

impl Accounts {
    /// Adds an account, replacing one of the same name.
    pub(crate) fn insert(&mut self, account: Account) {
        self.0.insert(name_key(account.handle.as_str()), account);
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Account> {
        self.0.get(&name_key(name))
    }

    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut Account> {
        self.0.get_mut(&name_key(name))
    }

    /// Returns the account with exactly this name, otherwise the only one whose name starts with it; `None` if there are none or
    /// several. Case is ignored.
    pub(crate) fn find_by_prefix(&self, prefix: &str) -> Option<&Account> {
        find_only_by_prefix(self.0.iter().map(|(name, account)| (name.as_str(), account)), &name_key(prefix)).ok()
    }
}

/// Returns the name in lower case, the form in which names are compared.
pub(crate) fn name_key(name: &str) -> String {
    name.to_ascii_lowercase()
}

/// Returns the item with exactly this name, otherwise the only one whose name starts with it. Case counts.
///
/// # Errors
///
/// The names that start with `prefix`: none, or several.
pub(crate) fn find_only_by_prefix<'a, T>(
    items: impl IntoIterator<Item = (&'a str, T)>,
    prefix: &str,
) -> Result<T, Vec<&'a str>> {
    let mut matches: Vec<_> = items.into_iter().filter(|(name, _)| name.starts_with(prefix)).collect();
    let exact = matches.iter().position(|(name, _)| *name == prefix);
    match exact.or_else(|| (matches.len() == 1).then_some(0)) {
        Some(found) => Ok(matches.swap_remove(found).1),
        None => Err(matches.into_iter().map(|(name, _)| name).collect()),
    }
}

/// Formats the reply to a name that [`find_only_by_prefix`] did not find, without a newline; `matches` is the error.
pub(crate) fn unknown_or_ambiguous_text(noun: &str, name: &str, matches: &[&str]) -> String {
    match matches {
        [] => format!("No such {noun} \"{name}\"."),
        several => format!("Ambiguous {noun} \"{name}\". Matches: {}", several.join(" ")),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AccountsFile {
    #[serde(default)]
    account: Vec<Account>,
}

#[cfg(test)]
mod tests;
