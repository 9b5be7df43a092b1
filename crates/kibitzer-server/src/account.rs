//! Who is registered.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use kibitzer_core::message::Handle;
use serde::Deserialize;
use thiserror::Error;

/// Shortest and longest name a player may have.
///
/// Source: transport §7.
pub(crate) const NAME_LENGTH: std::ops::RangeInclusive<usize> = 3..=17;

/// A registered player.
#[derive(Clone, PartialEq, Eq)]
pub struct Account {
    pub(crate) handle: Handle,
    pub(crate) password: String,
    pub(crate) titles: Vec<String>,
    pub(crate) ratings: BTreeMap<String, u16>,
    pub(crate) is_banned: bool,
}

impl Account {
    /// An account without titles and ratings.
    pub fn new(handle: Handle, password: impl Into<String>) -> Self {
        Self { handle, password: password.into(), titles: Vec::new(), ratings: BTreeMap::new(), is_banned: false }
    }

    /// Adds a title as it stands behind the name: `GM`, `*`, `TD`.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.titles.push(title.into());
        self
    }

    /// Sets the rating of one kind of game: `blitz`, `lightning`, `standard`, or a variant such as `crazyhouse`.
    #[must_use]
    pub fn rating(mut self, kind: impl Into<String>, rating: u16) -> Self {
        self.ratings.insert(kind.into(), rating);
        self
    }

    /// `(GM)(*)`, as it stands behind the name.
    pub(crate) fn titles_shown(&self) -> String {
        self.titles.iter().map(|title| format!("({title})")).collect::<Vec<_>>().concat()
    }

    /// Shuts the account out: its name is refused at the login.
    #[must_use]
    pub const fn banned(mut self) -> Self {
        self.is_banned = true;
        self
    }
}

/// The password is not shown.
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

/// All registered players, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accounts(BTreeMap<String, Account>);

/// Why a file of accounts was not taken.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AccountsError {
    /// The file cannot be read.
    #[error("cannot read the accounts")]
    Read(#[source] std::io::Error),
    /// The text is no TOML, or has a key that is not known; the source names the line.
    #[error("cannot understand the accounts")]
    Parse(#[source] toml::de::Error),
    /// This name is none: 3 to 17 letters are.
    #[error("an account's name is not 3 to 17 letters: {0:?}")]
    Name(String),
    /// Two accounts have this name.
    #[error("two accounts are named {0}")]
    Twice(Handle),
}

impl Accounts {
    /// Reads accounts from a TOML text.
    ///
    /// ```
    /// let accounts = kibitzer_server::Accounts::parse(
    ///     r#"
    ///     [[account]]
    ///     handle = "Newton"
    ///     password = "apple"
    ///     titles = ["GM"]           # may be left out
    ///     ratings = { blitz = 2100 } # may be left out
    ///     banned = false             # may be left out
    ///     "#,
    /// )?;
    /// assert!(accounts.contains("newton"));
    /// # Ok::<_, kibitzer_server::AccountsError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`AccountsError`], of every kind except `Read`.
    pub fn parse(text: &str) -> Result<Self, AccountsError> {
        let file: AccountsFile = toml::from_str(text).map_err(AccountsError::Parse)?;
        let mut accounts = Self::default();
        for entry in file.account {
            let account = entry.checked()?;
            if accounts.contains(account.handle.as_str()) {
                return Err(AccountsError::Twice(account.handle));
            }
            accounts.insert(account);
        }
        Ok(accounts)
    }

    /// Reads accounts from a TOML file.
    ///
    /// # Errors
    ///
    /// [`AccountsError`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self, AccountsError> {
        Self::parse(&std::fs::read_to_string(path).map_err(AccountsError::Read)?)
    }

    /// Adds an account; one of the same name, in any case of letters, is replaced.
    pub fn insert(&mut self, account: Account) {
        self.0.insert(key(account.handle.as_str()), account);
    }

    /// Whether that name is registered, in any case of letters.
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Account> {
        self.0.get(&key(name))
    }

    /// The only account whose name starts so.
    pub(crate) fn starting_with(&self, prefix: &str) -> Option<&Account> {
        let prefix = key(prefix);
        let mut fitting = self.0.range(prefix.clone()..).take_while(|(name, _)| name.starts_with(&prefix));
        let (_, account) = fitting.next()?;
        fitting.next().is_none().then_some(account)
    }
}

/// A name as it is compared: servers do not tell upper case from lower case.
pub(crate) fn key(name: &str) -> String {
    name.to_ascii_lowercase()
}

/// Whether a player may have this name.
pub(crate) fn is_name(name: &str) -> bool {
    NAME_LENGTH.contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphabetic())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AccountsFile {
    #[serde(default)]
    account: Vec<AccountEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AccountEntry {
    handle: String,
    password: String,
    #[serde(default)]
    titles: Vec<String>,
    #[serde(default)]
    ratings: BTreeMap<String, u16>,
    #[serde(default)]
    banned: bool,
}

impl AccountEntry {
    fn checked(self) -> Result<Account, AccountsError> {
        let Self { handle, password, titles, ratings, banned } = self;
        let Some(handle) = Some(&handle).filter(|name| is_name(name)).and_then(|name| name.parse().ok()) else {
            return Err(AccountsError::Name(handle));
        };
        Ok(Account { handle, password, titles, ratings, is_banned: banned })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_accounts_is_read() {
        let accounts = Accounts::parse(
            "[[account]]\nhandle = 'Newton'\npassword = 'apple'\ntitles = ['GM', '*']\n[account.ratings]\nblitz = 2100\n\
             [[account]]\nhandle = 'Leibniz'\npassword = 'dx'\nbanned = true\n",
        );
        let newton = Account::new("Newton".parse().unwrap(), "apple").title("GM").title("*").rating("blitz", 2100);
        let leibniz = Account::new("Leibniz".parse().unwrap(), "dx").banned();
        let mut want = Accounts::default();
        want.insert(newton);
        want.insert(leibniz);
        assert_eq!(accounts.unwrap(), want);
        assert!(want.contains("NEWTON"));
        assert_eq!(want.starting_with("new").map(|account| account.handle.as_str()), Some("Newton"));
    }

    #[test]
    fn what_is_wrong_in_a_file_is_told() {
        let error = |text: &str| Accounts::parse(text).unwrap_err();
        let unknown = error("[[account]]\nhandle = 'Newton'\npassword = 'x'\nraitngs = {}\n");
        assert!(
            matches!(&unknown, AccountsError::Parse(source) if source.to_string().contains("line 4")),
            "{unknown:?}"
        );
        assert!(
            matches!(error("[[account]]\nhandle = 'No'\npassword = 'x'\n"), AccountsError::Name(name) if name == "No")
        );
        let twice = "[[account]]\nhandle = 'Newton'\npassword = 'x'\n[[account]]\nhandle = 'newton'\npassword = 'x'\n";
        assert!(matches!(error(twice), AccountsError::Twice(_)));
        assert!(matches!(Accounts::load("/nonexistent"), Err(AccountsError::Read(_))));
    }

    #[test]
    fn a_password_is_not_shown() {
        let shown = format!("{:?}", Account::new("Newton".parse().unwrap(), "apple"));
        assert!(!shown.contains("apple"), "{shown}");
    }
}
