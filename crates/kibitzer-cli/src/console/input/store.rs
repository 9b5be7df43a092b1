//! What stays from run to run: small text files in the user's own folder.

use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;

/// More of a file is not read, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// A folder for the console's files.
///
/// Not being able to read or write them is no failure: a console without a home forgets.
#[derive(Clone, Debug)]
pub(in crate::console) struct Store {
    folder: PathBuf,
}

impl Store {
    /// `$XDG_STATE_HOME/kibitzer`, or `~/.local/state/kibitzer`; `None` if there is no home.
    pub(in crate::console) fn of_user() -> Option<Self> {
        let path = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let state = path("XDG_STATE_HOME").or_else(|| path("HOME").map(|home| home.join(".local/state")))?;
        Some(Self { folder: state.join("kibitzer") })
    }

    /// A file's text; empty if there is none.
    pub(in crate::console) fn read(&self, name: &str) -> String {
        let mut bytes = Vec::new();
        let file = fs::File::open(self.folder.join(name));
        let _ = file.and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn write(&self, name: &str, text: &str) {
        let _ = self
            .open(name, OpenOptions::new().write(true).truncate(true))
            .and_then(|mut file| file.write_all(text.as_bytes()));
    }

    /// Replaces a file by these lines.
    pub(in crate::console) fn write_lines(&self, name: &str, lines: impl Iterator<Item = String>) {
        let mut text = String::new();
        for line in lines {
            text.push_str(&line);
            text.push('\n');
        }
        self.write(name, &text);
    }

    /// Adds to a file.
    pub(in crate::console) fn append(&self, name: &str, text: &str) {
        let _ = self.open(name, OpenOptions::new().append(true)).and_then(|mut file| file.write_all(text.as_bytes()));
    }

    /// Makes folder and file if they are not there. The file is its owner's alone: it has what was said in private.
    fn open(&self, name: &str, options: &mut OpenOptions) -> io::Result<fs::File> {
        fs::create_dir_all(&self.folder)?;
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
        options.create(true).open(self.folder.join(name))
    }
}

#[cfg(test)]
impl Store {
    /// A folder of a test's own.
    pub(in crate::console) fn temporary(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("kibitzer-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        Self { folder }
    }

    pub(in crate::console) fn remove(&self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_their_owners_alone() {
        let store = Store::temporary("store");
        assert_eq!(store.read("x"), "");
        store.append("x", "a\n");
        store.append("x", "b\n");
        assert_eq!(store.read("x"), "a\nb\n");
        store.write("x", "c\n");
        assert_eq!(store.read("x"), "c\n");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(store.folder.join("x")).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        store.remove();
    }
}
