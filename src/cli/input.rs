//! Input that does not keep a program from ending.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A stream that may have to be waited for, such as standard input or a pipe; it ends when the user
/// interrupts the program. Nobody else may read from it.
pub(super) struct InterruptibleInput<R> {
    source: R,
    #[cfg_attr(not(unix), expect(dead_code, reason = "only there can it be waited for"))]
    interrupted: Arc<AtomicBool>,
}

impl<R> InterruptibleInput<R> {
    pub(super) const fn new(source: R, interrupted: Arc<AtomicBool>) -> Self {
        Self { source, interrupted }
    }
}

#[cfg(unix)]
impl<R: std::os::fd::AsFd> Read for InterruptibleInput<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        use std::sync::atomic::Ordering;

        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        use rustix::io::Errno;

        // How long the user waits at most.
        let wait = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
        loop {
            if self.interrupted.load(Ordering::Relaxed) {
                return Ok(0);
            }
            match poll(&mut [PollFd::new(&self.source, PollFlags::IN)], Some(&wait)) {
                Ok(0) | Err(Errno::INTR) => continue,
                Ok(_) => {}
                Err(error) => return Err(error.into()),
            }
            // Past what `Stdin` would keep for itself: what it keeps cannot be waited for.
            match rustix::io::read(&self.source, &mut *buffer) {
                // Somebody else has made it non-blocking and been quicker.
                Err(Errno::INTR | Errno::AGAIN) => {}
                result => return Ok(result?),
            }
        }
    }
}

#[cfg(not(unix))]
impl<R: Read> Read for InterruptibleInput<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.source.read(buffer)
    }
}

/// A regular file that is opened when it is first read from, as not all of many files can be open at once.
pub(super) struct LateFile {
    path: PathBuf,
    file: Option<File>,
}

impl LateFile {
    /// Fails as soon as it is clear that the file cannot be read.
    pub(super) fn new(path: &Path) -> io::Result<Self> {
        File::open(path)?;
        Ok(Self { path: path.to_owned(), file: None })
    }
}

impl Read for LateFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let file = match &mut self.file {
            Some(file) => file,
            file @ None => file.insert(File::open(&self.path)?),
        };
        file.read(buffer)
    }
}

/// Opens a pipe for reading without waiting for somebody to write to it.
pub(super) fn open_at_once(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;

        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    }
    options.open(path)
}
