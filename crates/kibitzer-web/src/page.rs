//! The files of the page, embedded in the program.

use kibitzer::internal::rules::OPENINGS;

/// A file of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageFile {
    /// Path after the address of the page, without a slash in front; `index.html` is also sent for the address itself.
    pub path: &'static str,
    /// Value of the header `Content-Type`.
    pub content_type: &'static str,
    /// The content, in UTF-8.
    pub text: &'static str,
}

const OPENINGS_FILE: PageFile =
    PageFile { path: "openings.txt", content_type: "text/plain; charset=utf-8", text: OPENINGS };

/// The rows of [`PageFile::ALL`]: a content type, and the files that have it.
macro_rules! page_files {
    ($($content_type:literal: $($path:literal)*;)*) => {
        &[OPENINGS_FILE, $($(PageFile { path: $path, content_type: $content_type, text: include_str!(concat!("../page/", $path)) }),*),*]
    };
}

impl PageFile {
    /// All files of the page.
    pub const ALL: &[Self] = page_files! {
        "text/html; charset=utf-8": "index.html";
        "text/css; charset=utf-8": "style.css";
        "image/svg+xml": "icon.svg";
        "text/javascript; charset=utf-8": "board.js" "chess.js" "clocks.js" "connection.js" "dom.js" "games.js" "graphs.js"
            "inspector.js" "main.js" "players.js" "state.js" "talk.js" "timeline.js" "words.js";
    };

    /// Finds the file for a path, such as `main.js`; an empty path is that of `index.html`.
    #[must_use]
    pub fn find(path: &str) -> Option<&'static Self> {
        let path = if path.is_empty() { "index.html" } else { path };
        Self::ALL.iter().find(|file| file.path == path)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn all_files_of_the_folder_are_embedded() {
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/page")).unwrap();
        let names: BTreeSet<String> = folder.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        let of_folder = PageFile::ALL.iter().filter(|file| **file != OPENINGS_FILE);
        let embedded: BTreeSet<String> = of_folder.map(|file| file.path.to_owned()).collect();
        assert_eq!(names, embedded);
        assert!(PageFile::ALL.iter().map(|file| file.text.len()).sum::<usize>() < 150_000);
        assert_eq!(PageFile::find(""), PageFile::find("index.html"));
        assert_eq!(PageFile::find("../Cargo.toml"), None);
    }
}
