//! Bytes with their lines.

use std::io::{self, BufRead, ErrorKind};

/// As much of a line as is held at a time, in bytes.
const CHUNK: usize = 1 << 13;

/// With this a game begins, even where a comment should have been closed first.
const GAME_START: &[u8] = b"[Event ";

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Bytes, one after the other, of which one line is held, or a part of it if it is long.
#[derive(Debug)]
pub(super) struct Source<R> {
    reader: R,
    chunk: Vec<u8>,
    /// How much of the chunk has been used.
    at: usize,
    /// The number of the line that the chunk belongs to; 0 before the first.
    line: u64,
    begins_line: bool,
    only_blanks: bool,
}

impl<R: BufRead> Source<R> {
    pub(super) const fn new(reader: R) -> Self {
        Self { reader, chunk: Vec::new(), at: 0, line: 0, begins_line: true, only_blanks: true }
    }

    /// The number of the line where the next byte is, or was the last one; the first is 1.
    pub(super) fn line(&self) -> u64 {
        self.line.max(1)
    }

    /// The next byte, `None` at the end.
    #[inline]
    pub(super) fn peek(&mut self) -> io::Result<Option<u8>> {
        if self.at == self.chunk.len() {
            self.next_chunk()?;
        }
        Ok(self.chunk.get(self.at).copied())
    }

    /// Goes on to the byte behind the one that [`peek`](Self::peek) has returned.
    #[inline]
    pub(super) fn advance(&mut self) {
        if let Some(&byte) = self.chunk.get(self.at) {
            self.only_blanks &= is_blank(byte);
            self.at += 1;
        }
    }

    /// Whether the byte that [`peek`](Self::peek) has returned is the first of its line.
    #[inline]
    pub(super) const fn is_first(&self) -> bool {
        self.begins_line && self.at == 0
    }

    /// Whether nothing but blanks comes before the byte that [`peek`](Self::peek) has returned.
    pub(super) const fn is_first_but_blanks(&self) -> bool {
        self.only_blanks
    }

    /// Whether a game begins with the byte that [`peek`](Self::peek) has returned.
    #[inline]
    pub(super) fn begins_game(&self) -> bool {
        self.is_first() && self.chunk.starts_with(GAME_START)
    }

    /// Goes on to the next line.
    pub(super) fn skip_line(&mut self) -> io::Result<()> {
        while self.peek()?.is_some_and(|byte| byte != b'\n') {
            self.at = self.chunk.len() - usize::from(self.chunk.ends_with(b"\n"));
        }
        Ok(())
    }

    /// Reads the rest of the line, or a part of it, or the next line.
    fn next_chunk(&mut self) -> io::Result<()> {
        let begins_line = self.line == 0 || self.chunk.ends_with(b"\n");
        if self.line > 0 && self.chunk.is_empty() {
            return Ok(());
        }
        self.chunk.clear();
        self.at = 0;
        self.fill_chunk()?;
        self.begins_line = begins_line;
        if begins_line && !self.chunk.is_empty() {
            self.line = self.line.saturating_add(1);
            self.only_blanks = true;
        }
        if self.line == 1 && begins_line && self.chunk.starts_with(BYTE_ORDER_MARK) {
            self.chunk.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(())
    }

    fn fill_chunk(&mut self) -> io::Result<()> {
        while self.chunk.len() < CHUNK && !self.chunk.ends_with(b"\n") {
            let buffer = match self.reader.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if buffer.is_empty() {
                break;
            }
            let room = buffer.len().min(CHUNK - self.chunk.len());
            let line_end = buffer[..room].iter().position(|&byte| byte == b'\n');
            let used = line_end.map_or(room, |end| end + 1);
            self.chunk.extend_from_slice(&buffer[..used]);
            self.reader.consume(used);
        }
        Ok(())
    }
}

/// White space between words.
pub(super) const fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == b'\x0b'
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes with their lines, whether they are first and first but blanks.
    fn bytes(input: &[u8], buffer: usize) -> Vec<(u8, u64, bool, bool)> {
        let mut source = Source::new(io::BufReader::with_capacity(buffer, input));
        let mut seen = Vec::new();
        while let Some(byte) = source.peek().unwrap() {
            seen.push((byte, source.line(), source.is_first(), source.is_first_but_blanks()));
            source.advance();
        }
        assert_eq!(source.peek().unwrap(), None);
        seen
    }

    #[test]
    fn lines_are_counted() {
        for buffer in [1, 2, 100] {
            assert_eq!(
                bytes(b" a\r\n\nb", buffer),
                [
                    (b' ', 1, true, true),
                    (b'a', 1, false, true),
                    (b'\r', 1, false, false),
                    (b'\n', 1, false, false),
                    (b'\n', 2, true, true),
                    (b'b', 3, true, true),
                ]
            );
            assert_eq!(bytes(b"", buffer), []);
            assert_eq!(bytes(b"\xef\xbb\xbf%", buffer), [(b'%', 1, true, true)]);
            assert_eq!(bytes(b"\n\xef\xbb\xbf", buffer).len(), 4);
        }
    }

    #[test]
    fn a_mark_with_nothing_behind_it_is_an_empty_input() {
        assert_eq!(bytes(b"\xef\xbb\xbf", 100), []);
    }

    #[test]
    fn a_long_line_comes_in_parts() {
        let text = [vec![b'a'; 2 * CHUNK], b"\nb\n".to_vec()].concat();
        let seen = bytes(&text, 1000);
        assert_eq!(seen.len(), text.len());
        assert_eq!(seen.iter().filter(|seen| seen.2).count(), 2);
        assert_eq!(seen[2 * CHUNK], (b'\n', 1, false, false));
        assert_eq!(seen[2 * CHUNK + 1], (b'b', 2, true, true));

        let mut source = Source::new(text.as_slice());
        source.peek().unwrap();
        source.skip_line().unwrap();
        assert_eq!((source.peek().unwrap(), source.line()), (Some(b'\n'), 1));
        assert!(source.chunk.capacity() <= 2 * CHUNK);
    }

    #[test]
    fn a_game_begins_only_with_a_line() {
        let mut source = Source::new(&b"[Event [Event \n[Event \"x\"]"[..]);
        let mut begins = Vec::new();
        while source.peek().unwrap().is_some() {
            begins.push(source.begins_game());
            source.advance();
        }
        let places: Vec<_> = (0..begins.len()).filter(|&at| begins[at]).collect();
        assert_eq!(places, [0, 15]);
    }
}
