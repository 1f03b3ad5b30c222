//! Files that are there whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A path with something added to its last part.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// Where a file is written before it takes its place.
fn draft_of(path: &Path) -> PathBuf {
    with_suffix(path, &format!(".{}.tmp", std::process::id()))
}

/// Writes a file in place of what may be there; whatever happens, there is the old one or the new
/// one.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = draft_of(path);
    let written = File::create(&draft).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    let replaced = written.and_then(|()| fs::rename(&draft, path));
    if replaced.is_err() {
        // What is left of it is of no use; that it may not be there is no news.
        let _ = fs::remove_file(&draft);
    }
    replaced
}

/// Whether a file can be written, before the work that it is to hold is done.
pub(super) fn check_writable(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let draft = draft_of(path);
    File::create(&draft)?;
    fs::remove_file(&draft)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("net.bin");
        check_writable(&path).unwrap();
        for text in ["one", "two"] {
            replace(&path, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_written_is_told_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        assert!(check_writable(folder.path()).is_err());
        assert!(replace(folder.path(), b"x").is_err());
        let nowhere = folder.path().join("none").join("net.bin");
        assert!(check_writable(&nowhere).is_err());
        assert!(replace(&nowhere, b"x").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
