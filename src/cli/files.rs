//! Files that are written whole, and telling files apart.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

/// More links than this one after the other are a circle.
const MOST_LINKS: usize = 40;

/// Writes a file whole or not at all; what is no file but a device or a pipe is just written to.
///
/// What a link leads to is replaced, and the link stays. A file that was there keeps its mode, and one
/// that may not be written to is left alone.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let mut file = WholeFile::create(path)?;
    file.write(bytes)?;
    file.finish()
}

/// A file that is written piece by piece and appears as a whole when it is finished, or not at all; as
/// [`write_whole`] for the rest.
pub(super) struct WholeFile {
    path: PathBuf,
    file: BufWriter<File>,
    replacement: Option<Replacement>,
}

impl WholeFile {
    pub(super) fn create(path: &Path) -> anyhow::Result<Self> {
        let create = || match Replacement::new(path)? {
            Some((replacement, file)) => Ok((Some(replacement), file)),
            None => Ok((None, OpenOptions::new().write(true).open(path)?)),
        };
        let created: io::Result<_> = create();
        let (replacement, file) = created.with_context(|| path.display().to_string())?;
        Ok(Self { path: path.to_owned(), file: BufWriter::new(file), replacement })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.file.write_all(bytes).with_context(|| self.path.display().to_string())
    }

    pub(super) fn finish(self) -> anyhow::Result<()> {
        let Self { path, mut file, replacement } = self;
        let finish = || {
            file.flush()?;
            replacement.map_or(Ok(()), Replacement::finish)
        };
        finish().with_context(|| path.display().to_string())
    }
}

/// Whether [`write_whole`] can write there, as far as that can be seen without doing it.
pub(super) fn check_writable(path: &Path) -> anyhow::Result<()> {
    // A replacement that is not finished leaves nothing.
    Replacement::new(path).map(drop).with_context(|| path.display().to_string())
}

/// A file next to another that is to take its place; it goes away if it does not.
struct Replacement {
    target: PathBuf,
    temporary: PathBuf,
}

impl Replacement {
    /// Makes an empty one; `None` for what is no file but a device or a pipe.
    fn new(path: &Path) -> io::Result<Option<(Self, File)>> {
        let target = destination(path);
        let there = match fs::metadata(path) {
            Ok(there) if there.is_dir() => return Err(io::Error::other("this is a folder")),
            Ok(there) if !there.is_file() => return Ok(None),
            Ok(there) if there.permissions().readonly() => {
                return Err(io::Error::other("this file is read-only"));
            }
            Ok(there) => {
                // What belongs to somebody else is not replaced either.
                OpenOptions::new().write(true).open(&target)?;
                Some(there.permissions())
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        if !folder.is_dir() {
            let problem = format!("there is no folder {}", folder.display());
            return Err(io::Error::new(ErrorKind::NotFound, problem));
        }
        let (temporary, file) = create_temporary(folder)?;
        let replacement = Self { target, temporary };
        if let Some(permissions) = there {
            fs::set_permissions(&replacement.temporary, permissions)?;
        }
        Ok(Some((replacement, file)))
    }

    fn finish(self) -> io::Result<()> {
        fs::rename(&self.temporary, &self.target)
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        // Once it is in its place there is nothing here any more.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Makes a file in a folder under a short name that nobody has.
fn create_temporary(folder: &Path) -> io::Result<(PathBuf, File)> {
    let mut number = 0;
    loop {
        let path = folder.join(format!(".physarum-{}-{number}", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Where a file is, or will be when it is made: without links, as far as there is anything.
fn destination(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        if let Ok(found) = fs::canonicalize(&path) {
            return found;
        }
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        match fs::read_link(&path) {
            Ok(leads_to) => path = folder.join(leads_to),
            Err(_) => {
                let here = folder.as_os_str().is_empty();
                let folder = fs::canonicalize(if here { Path::new(".") } else { &folder });
                return match (folder, path.file_name()) {
                    (Ok(folder), Some(name)) => folder.join(name),
                    _ => path,
                };
            }
        }
    }
    path
}

/// Whether two paths lead to one file, that is there or will be. Devices and pipes are no files.
pub(super) fn are_same(one: &Path, other: &Path) -> bool {
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(one), Ok(other)) if !one.is_file() || !other.is_file() => return false,
        #[cfg(unix)]
        (Ok(one), Ok(other)) => {
            use std::os::unix::fs::MetadataExt;
            return (one.dev(), one.ino()) == (other.dev(), other.ino());
        }
        _ => {}
    }
    destination(one) == destination(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_is_written_whole_under_any_name() {
        let folder = folder();
        let name = "n".repeat(255);
        let path = folder.path().join(&name);
        for text in ["one", "two"] {
            check_writable(&path).unwrap();
            write_whole(&path, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(names(folder.path()), [name]);
        let long = folder.path().join("n".repeat(256));
        check_writable(&long).unwrap_err();
        write_whole(&long, b"three").unwrap_err();
        assert_eq!(names(folder.path()).len(), 1);
    }

    #[test]
    fn a_check_leaves_nothing() {
        let folder = folder();
        let path = folder.path().join("new");
        check_writable(&path).unwrap();
        assert_eq!(names(folder.path()), Vec::<String>::new());
        let error = format!("{:#}", check_writable(&path.join("file")).unwrap_err());
        assert!(error.contains("there is no folder"), "{error}");
        let error = format!("{:#}", check_writable(folder.path()).unwrap_err());
        assert!(error.contains("this is a folder"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn modes_and_links_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let folder = folder();
        let [target, link] = ["target", "link"].map(|name| folder.path().join(name));
        symlink("target", &link).unwrap();
        // It leads nowhere yet.
        write_whole(&link, b"one").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&target).unwrap(), b"one");
        for mode in [0o600, 0o664, 0o755] {
            fs::set_permissions(&target, fs::Permissions::from_mode(mode)).unwrap();
            write_whole(&link, b"two").unwrap();
            assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o7777, mode);
        }
        fs::set_permissions(&target, fs::Permissions::from_mode(0o444)).unwrap();
        let error = format!("{:#}", write_whole(&link, b"three").unwrap_err());
        assert!(error.contains("read-only"), "{error}");
        assert_eq!(fs::read(&target).unwrap(), b"two");
        assert!(link.is_symlink());
        assert_eq!(names(folder.path()).len(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn one_file_is_found_under_all_its_names() {
        use std::os::unix::fs::symlink;

        let folder = folder();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("file"), "").unwrap();
        fs::hard_link(path("file"), path("hard")).unwrap();
        symlink("file", path("soft")).unwrap();
        symlink("new", path("dangling")).unwrap();
        symlink(".", path("here")).unwrap();
        symlink("circle", path("circle")).unwrap();
        for (one, other) in [
            ("file", "hard"),
            ("file", "soft"),
            ("file", "./file"),
            ("file", "here/hard"),
            ("new", "new"),
            ("new", "here/./new"),
            ("new", "dangling"),
            ("new", "here/dangling"),
        ] {
            assert!(are_same(&path(one), &path(other)), "{one} {other}");
        }
        for (one, other) in [("file", "new"), ("new", "other"), ("file", "circle")] {
            assert!(!are_same(&path(one), &path(other)), "{one} {other}");
        }
        assert!(!are_same(Path::new("/dev/null"), Path::new("/dev/null")));
    }
}
