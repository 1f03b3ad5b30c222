//! Lines in and out.

use std::fs::File;
use std::io::{self, BufRead, ErrorKind, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use thiserror::Error;

/// The longest line that is read, in bytes, its end not counted.
pub const MAX_LINE: usize = 1 << 18;

/// Why a line could not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum InputError {
    /// Longer than [`MAX_LINE`].
    #[error("line of more than {MAX_LINE} bytes")]
    TooLong,
    /// Bytes that are not text.
    #[error("line that is not UTF-8: byte {0} is wrong")]
    NotUtf8(usize),
    /// The input failed.
    #[error("cannot read the input: {0}")]
    Io(#[from] io::Error),
}

/// Lines of text from a stream of bytes that may be anything.
#[derive(Debug)]
pub struct Input<R> {
    reader: R,
    line: Vec<u8>,
}

impl<R: BufRead> Input<R> {
    /// Reads lines from `reader`.
    pub const fn new(reader: R) -> Self {
        Self { reader, line: Vec::new() }
    }

    /// The next line without its end, `None` at the end of the input.
    ///
    /// Never holds more than [`MAX_LINE`] bytes and what the reader buffers.
    ///
    /// # Errors
    ///
    /// When the line is too long or isn't text; the next call reads the line after it. When the input
    /// fails; there is nothing to be read any more then.
    pub fn next_line(&mut self) -> Result<Option<String>, InputError> {
        self.line.clear();
        let mut length = 0usize;
        loop {
            let buffer = match self.reader.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                // Somebody has made the input non-blocking: there is just nothing there yet.
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    thread::sleep(Duration::from_millis(5));
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            if buffer.is_empty() {
                if length == 0 {
                    return Ok(None);
                }
                break;
            }
            let end = buffer.iter().position(|&byte| byte == b'\n');
            let part = &buffer[..end.unwrap_or(buffer.len())];
            let used = end.map_or(buffer.len(), |end| end + 1);
            // One byte more than allowed shows that the line is too long; a CR may be it.
            let room = (MAX_LINE + 1).saturating_sub(self.line.len());
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            length = length.saturating_add(used);
            self.reader.consume(used);
            if end.is_some() {
                length = length.saturating_sub(1);
                break;
            }
        }
        if self.line.last() == Some(&b'\r') && length == self.line.len() {
            self.line.pop();
        } else if length > MAX_LINE {
            return Err(InputError::TooLong);
        }
        match std::str::from_utf8(&self.line) {
            Ok(text) => Ok(Some(text.to_owned())),
            Err(error) => Err(InputError::NotUtf8(error.valid_up_to() + 1)),
        }
    }
}

/// Hears why nothing can be written any more.
type Failed = Box<dyn FnOnce(io::Error) + Send>;

/// Where answers go, from whatever thread: each line at once and whole, and into the log.
#[derive(Clone)]
pub(super) struct Output(Arc<Mutex<Sinks>>);

struct Sinks {
    writer: Box<dyn Write + Send>,
    log: Option<File>,
    /// Told once when nothing can be written any more.
    failed: Option<Failed>,
}

impl Output {
    /// Writes to `writer`; `failed` is called when that fails.
    pub(super) fn new(
        writer: impl Write + Send + 'static,
        failed: impl FnOnce(io::Error) + Send + 'static,
    ) -> Self {
        let failed: Failed = Box::new(failed);
        Self(Arc::new(Mutex::new(Sinks {
            writer: Box::new(writer),
            log: None,
            failed: Some(failed),
        })))
    }

    fn sinks(&self) -> MutexGuard<'_, Sinks> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes lines, with no other thread's between them.
    pub(super) fn lines(&self, lines: &str) {
        let mut sinks = self.sinks();
        for line in lines.lines() {
            sinks.log('<', line);
        }
        sinks.write(lines);
    }

    /// Writes one line.
    pub(super) fn line(&self, line: impl ToString) {
        self.lines(&line.to_string());
    }

    /// Notes a line that came in.
    pub(super) fn log_input(&self, line: &str) {
        self.sinks().log('>', line);
    }

    /// Logs to another file, or no more.
    pub(super) fn set_log(&self, log: Option<File>) {
        self.sinks().log = log;
    }
}

impl Sinks {
    fn write(&mut self, lines: &str) {
        let Some(failed) = self.failed.take() else { return };
        let mut text = String::with_capacity(lines.len() + 1);
        text.push_str(lines);
        text.push('\n');
        match self.writer.write_all(text.as_bytes()).and_then(|()| self.writer.flush()) {
            Ok(()) => self.failed = Some(failed),
            Err(error) => failed(error),
        }
    }

    fn log(&mut self, direction: char, line: &str) {
        let Some(file) = &mut self.log else { return };
        let line = format!("{:.6} {direction} {line}\n", jiff::Timestamp::now());
        if let Err(error) = file.write_all(line.as_bytes()) {
            self.log = None;
            self.write(&format!("info string error: cannot write the log file any more: {error}"));
        }
    }
}

/// How much input waits to be dealt with; keeps a flood of commands from filling the memory.
#[derive(Default)]
pub(super) struct Backlog {
    bytes: Mutex<usize>,
    freed: Condvar,
}

impl Backlog {
    /// While more than this waits nothing more is read.
    const LIMIT: usize = 1 << 24;

    /// About what a line takes, in bytes.
    fn weight(line: &str) -> usize {
        line.len() + 128
    }

    /// A line was read. Waits as long as there is too much.
    pub(super) fn add(&self, line: &str) {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        *bytes += Self::weight(line);
        while *bytes > Self::LIMIT {
            bytes = self.freed.wait(bytes).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A line was dealt with.
    pub(super) fn remove(&self, line: &str) {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        *bytes = bytes.saturating_sub(Self::weight(line));
        self.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(bytes: &[u8]) -> Vec<Result<String, String>> {
        // A small buffer, so that lines come in parts.
        let mut input = Input::new(io::BufReader::with_capacity(7, bytes));
        std::iter::from_fn(|| input.next_line().map_err(|e| e.to_string()).transpose()).collect()
    }

    #[test]
    fn line_ends_may_be_either_and_the_last_may_have_none() {
        let ok = |text: &str| Ok(text.to_owned());
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"\n"), [ok("")]);
        assert_eq!(
            lines(b"uai\nisready now\r\n\nquit"),
            [ok("uai"), ok("isready now"), ok(""), ok("quit")]
        );
        assert_eq!(lines(b"a\rb\n"), [ok("a\rb")]);
    }

    #[test]
    fn a_bad_line_is_reported_and_the_next_one_read() {
        let text = |line: &str| Err(line.to_owned());
        let bad = lines(b"go \xff\nuai\n");
        assert_eq!(bad, [text("line that is not UTF-8: byte 4 is wrong"), Ok("uai".into())]);
        for end in ["\n", "\r\n", ""] {
            let fits = format!("{}{end}", "x".repeat(MAX_LINE));
            assert_eq!(lines(fits.as_bytes()), [Ok("x".repeat(MAX_LINE))]);
        }
        let long = format!("{}\nuai", "x".repeat(MAX_LINE + 1));
        assert_eq!(
            lines(long.as_bytes()),
            [text("line of more than 262144 bytes"), Ok("uai".into())]
        );
        let huge = format!("{}\r\nuai", "x".repeat(3 * MAX_LINE));
        assert_eq!(
            lines(huge.as_bytes()),
            [text("line of more than 262144 bytes"), Ok("uai".into())]
        );
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(0u8..=255, 0..200)) {
            let newlines = bytes.iter().filter(|&&byte| byte == b'\n').count();
            let unfinished = usize::from(bytes.last().is_some_and(|&byte| byte != b'\n'));
            prop_assert_eq!(lines(&bytes).len(), newlines + unfinished);
        }
    }
}
