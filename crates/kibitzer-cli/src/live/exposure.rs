//! Arguments for the socket on which other processes attach to a session.

use std::path::PathBuf;

use kibitzer::Profile;
use kibitzer_attach::AttachAccess;

/// Options for the socket on which other processes attach to a session.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ExposureArgs {
    /// Let other processes of yours look at the session, on this new socket: see `kibitzer console --attach`
    #[arg(long, value_name = "PATH")]
    pub(crate) attach_socket: Option<PathBuf>,
    /// Let them send lines, too
    #[arg(long)]
    attach_write: bool,
}

impl ExposureArgs {
    /// Replaces the socket and the access of the profile by those of the arguments that are given.
    pub(crate) fn apply_to(&self, profile: &mut Profile) {
        if self.attach_socket.is_some() {
            profile.program.attach_socket.clone_from(&self.attach_socket);
        }
        if self.attach_write {
            profile.program.attach_access = AttachAccess::Write;
        }
    }
}
