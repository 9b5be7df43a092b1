//! Arguments for the account of a session and its password.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use kibitzer::{PasswordSource, Profile};
use kibitzer_core::message::Handle;
use kibitzer_core::session::{Password, Reconnect};

use super::Target;
use crate::failure::Failure;

/// Environment variable with the password for `--user`.
const PASSWORD_VARIABLE: &str = "KIBITZER_PASSWORD";

/// Options for the account of a session and its password.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct LoginArgs {
    /// Log in as a guest; with --user, as a guest of this name
    #[arg(long, conflicts_with_all = ["password_command", "password_file"])]
    guest: bool,
    /// Log in to this account; without another source of its password, it is asked for
    #[arg(long, value_name = "NAME")]
    user: Option<Handle>,
    /// Take the password from the first line this program prints, such as `pass show fics` (no shell: split at blanks)
    #[arg(long, value_name = "COMMAND", conflicts_with = "password_file")]
    password_command: Option<String>,
    /// Take the password from the first line of this file, which other users must not be able to read (mode 0600)
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// End the session at the first loss of the connection, instead of reconnecting
    #[arg(long)]
    no_reconnect: bool,
}

impl LoginArgs {
    /// Loads the profile of the target, overridden by the environment, and applies the arguments. If `--user` names an account
    /// without a password, asks for it on the terminal.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the profile is not valid, there is no password for `--user`, or a source of a password but no account.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the password prompt and restores the terminal.
    pub(crate) async fn load_profile_and_ask_password(&self, target: &Target) -> Result<Profile, Failure> {
        let mut profile = target.load_profile()?;
        if self.no_reconnect {
            profile = profile.session(|session| session.reconnect(Reconnect::never()));
        }
        if self.guest {
            return Ok(match &self.user {
                Some(handle) => profile.guest_as(handle.clone()),
                None => profile.guest(),
            });
        }
        let handle = self.user.as_ref().or(profile.handle()).cloned();
        match (handle, self.password_source()) {
            (None, None) => Ok(profile),
            (None, Some(_)) => Err(Failure::local("a password, but no account: use --user NAME")),
            (Some(handle), Some(source)) => Ok(profile.account_from(handle, source)),
            (Some(handle), None) => {
                let is_profiles = profile.handle() == Some(&handle);
                if self.user.is_none() || (is_profiles && profile.has_password()) {
                    return Ok(profile);
                }
                add_password(handle, profile).await
            }
        }
    }

    /// Returns the source of the password that the arguments name; `None` if they name none.
    fn password_source(&self) -> Option<PasswordSource> {
        let words = |command: &String| command.split_whitespace().map(str::to_owned).collect();
        let command = self.password_command.as_ref().map(|command| PasswordSource::Command(words(command)));
        command.or_else(|| self.password_file.clone().map(PasswordSource::File))
    }
}

/// Sets the account and its password in the profile: the password comes from the environment or, if that has none and standard
/// input is a terminal, from a prompt.
///
/// # Cancel safety
///
/// As [`LoginArgs::load_profile_and_ask_password`].
async fn add_password(handle: Handle, profile: Profile) -> Result<Profile, Failure> {
    if std::env::var_os(PASSWORD_VARIABLE).is_some() {
        return Ok(profile.account_from(handle, PasswordSource::Variable(PASSWORD_VARIABLE.to_owned())));
    }
    if !io::stdin().is_terminal() {
        return Err(no_password_failure(&handle));
    }
    let password = ask_for_password(&handle).await?;
    Ok(profile.account(handle, password))
}

fn no_password_failure(handle: &Handle) -> Failure {
    Failure::local(format!(
        "no password for {handle}: use --password-command, --password-file or the variable {PASSWORD_VARIABLE}"
    ))
}

/// Asks for the password on the terminal.
///
/// # Cancel safety
///
/// As [`LoginArgs::load_profile_and_ask_password`].
#[cfg(unix)]
async fn ask_for_password(handle: &Handle) -> Result<Password, Failure> {
    let prompted = super::prompt::ask_for_password(handle).await;
    let typed = prompted.map_err(|error| Failure::local(format!("cannot ask for the password: {error}")))?;
    Password::new(typed.as_str()).map_err(|error| Failure::local(format!("not a valid password: {error}")))
}

/// Always fails: hiding typed text is implemented for Unix only.
///
/// # Cancel safety
///
/// Cancel safe.
#[cfg(not(unix))]
async fn ask_for_password(handle: &Handle) -> Result<Password, Failure> {
    Err(no_password_failure(handle))
}
