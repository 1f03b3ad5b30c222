//! Many openings.

use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::{Opening, OpeningError};
use crate::game::Rules;
use crate::protocol::{Input, InputError};
use crate::random::Random;

/// The largest book that is read, in bytes.
pub const MAX_BOOK: u64 = 1 << 30;

/// Openings from a text with one on each line, at least one.
///
/// `#` begins a comment, which goes on to the end of its line; empty lines are skipped; each other
/// line is an [`Opening`], as [`Opening::parse`] reads it. Lines may end with a line feed or with
/// carriage return and line feed; a byte order mark at the beginning is skipped. The books of
/// cuteataxx are such texts.
///
/// ```
/// use physarum::game::Rules;
/// use physarum::referee::Book;
///
/// let text = "# two openings\nstartpos\nx5o/7/7/7/7/7/o4xx o 0 1 # a clone\n";
/// let book = Book::parse(text, Rules::Ataxx)?;
/// assert_eq!(book.openings().len(), 2);
/// assert_eq!(book.order(None), [0, 1]);
///
/// let error = Book::parse("startpos\nstartpos moves b1\n", Rules::Ataxx).unwrap_err();
/// assert_eq!(error.to_string(), "line 2: move 1 \"b1\": no stone of x can reach b1");
/// # Ok::<(), physarum::referee::BookError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Book {
    openings: Vec<Opening>,
}

impl Default for Book {
    /// The start of a game, and nothing else.
    fn default() -> Self {
        Self { openings: vec![Opening::default()] }
    }
}

impl Book {
    /// Reads a book.
    ///
    /// # Errors
    ///
    /// At the first line that is no opening under the rules or longer than
    /// [`MAX_LINE`](crate::protocol::MAX_LINE), and when there is no opening at all.
    pub fn parse(text: &str, rules: Rules) -> Result<Self, BookError> {
        Self::collect(text.as_bytes(), rules)
    }

    /// Reads a book from a file.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse), and when the file cannot be read or has more than [`MAX_BOOK`]
    /// bytes. The error names the file.
    pub fn read(path: &Path, rules: Rules) -> Result<Self, BookError> {
        let in_file = |error| BookError { path: Some(path.to_owned()), ..error };
        let file = File::open(path).map_err(|error| in_file(BookErrorKind::Open(error).into()))?;
        // What is not a plain file does not tell its size beforehand.
        let mut bytes = BufReader::new(file).take(MAX_BOOK + 1);
        let book = Self::collect(&mut bytes, rules);
        if bytes.limit() == 0 {
            return Err(in_file(BookErrorKind::TooLarge.into()));
        }
        book.map_err(in_file)
    }

    fn collect(reader: impl BufRead, rules: Rules) -> Result<Self, BookError> {
        let mut input = Input::new(reader);
        let mut openings = Vec::new();
        for number in 1.. {
            let at_line = |kind| BookError { path: None, line: Some(number), kind };
            let line = match input.next_line() {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(error @ InputError::Io(_)) => return Err(BookErrorKind::Line(error).into()),
                Err(error) => return Err(at_line(error.into())),
            };
            let line = match number {
                1 => line.strip_prefix('\u{feff}').unwrap_or(&line),
                _ => &line,
            };
            let (text, _comment) = line.split_once('#').unwrap_or((line, ""));
            if !text.trim().is_empty() {
                let opening = Opening::parse(text, rules);
                openings.push(opening.map_err(|error| at_line(error.into()))?);
            }
        }
        if openings.is_empty() {
            return Err(BookErrorKind::Empty.into());
        }
        Ok(Self { openings })
    }

    /// The openings in the order of the text.
    pub fn openings(&self) -> &[Opening] {
        &self.openings
    }

    /// The indices of all openings, each once, in the order in which they shall be played: that of
    /// the text, or a random one that depends on nothing but the seed and the number of openings.
    pub fn order(&self, seed: Option<u64>) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.openings.len()).collect();
        if let Some(seed) = seed {
            Random::new(seed).shuffle(&mut order);
        }
        order
    }

    /// A number that tells whether two books have the same openings in the same order, however
    /// they are written down; it stays the same from version to version.
    ///
    /// FNV-1a in 64 bits (G. Fowler, L. C. Noll, K.-P. Vo and D. Eastlake, "The FNV
    /// Non-Cryptographic Hash Algorithm") of the openings as they are printed, a line feed after
    /// each.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = Fnv::default();
        for opening in &self.openings {
            // This writer never fails.
            let _ = writeln!(hash, "{opening}");
        }
        hash.0
    }
}

/// The state of FNV-1a.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl fmt::Write for Fnv {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Ok(())
    }
}

/// A book could not be read.
#[derive(Debug, Error)]
#[error("{}{kind}", Place(path.as_deref(), *line))]
pub struct BookError {
    /// The file, if it was one.
    pub path: Option<PathBuf>,
    /// The line, counted from 1, if it is a matter of one line.
    pub line: Option<u64>,
    /// What is wrong.
    pub kind: BookErrorKind,
}

impl From<BookErrorKind> for BookError {
    fn from(kind: BookErrorKind) -> Self {
        Self { path: None, line: None, kind }
    }
}

/// The beginning of a message: the file and the line, as far as they are known.
struct Place<'a>(Option<&'a Path>, Option<u64>);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.map(Path::display), self.1) {
            (Some(path), Some(line)) => write!(f, "{path}, line {line}: "),
            (Some(path), None) => write!(f, "{path}: "),
            (None, Some(line)) => write!(f, "line {line}: "),
            (None, None) => Ok(()),
        }
    }
}

/// What is wrong with a book.
#[derive(Debug, Error)]
pub enum BookErrorKind {
    /// The file cannot be opened.
    #[error("cannot open the book: {0}")]
    Open(io::Error),
    /// The next line cannot be read.
    #[error("{0}")]
    Line(#[from] InputError),
    /// A line is no opening.
    #[error("{0}")]
    Opening(#[from] OpeningError),
    /// No line holds an opening.
    #[error("no opening in the book")]
    Empty,
    /// The file has more than [`MAX_BOOK`] bytes.
    #[error("book of more than {MAX_BOOK} bytes")]
    TooLarge,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::START_FEN;
    use crate::protocol::MAX_LINE;
    use proptest::prelude::*;

    const RULES: Rules = Rules::Ataxx;

    fn lines(text: &str) -> Vec<String> {
        let book = Book::parse(text, RULES).unwrap();
        book.openings().iter().map(Opening::to_string).collect()
    }

    #[test]
    fn comments_blanks_and_line_ends_make_no_difference() {
        let clone = "x5o/7/7/7/7/7/o4xx o 0 1";
        for text in [
            format!("{START_FEN}\n{clone}\n"),
            format!("{START_FEN}\r\n{clone}\r\n"),
            format!("\u{feff}# a book\n\n \t\n{START_FEN} # the start\r\n#{clone}\n  {clone}#"),
            format!("\u{feff}startpos\n{clone}"),
        ] {
            assert_eq!(lines(&text), [START_FEN, clone], "{text:?}");
        }
    }

    #[test]
    fn books_of_cuteataxx_are_read() {
        // Written for this test in the form of cuteataxx's books: comments at the head, clocks,
        // gaps, and no line feed at the end.
        let text = "# 3 plies\n# depth 12\n\nx5o/7/7/7/7/4x2/oo3xx o 0 2\n\
                    x2-2o/3-3/2---2/7/2---2/3-3/o2-2x x 0 1\n\
                    x-3-o/1-1-1-1/1-1-1-1/3-3/1-1-1-1/1-1-1-1/o-3-x x 0 1";
        assert_eq!(lines(text), text.lines().skip(3).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let error = |text: &str| Book::parse(text, RULES).unwrap_err().to_string();
        assert_eq!(error(""), "no opening in the book");
        assert_eq!(error("\n# nothing\n"), "no opening in the book");
        assert_eq!(error("startpos\n\nx x\n"), "line 3: 1 ranks on the board: 7 are expected");
        let long = format!("startpos\n#{}\n", " ".repeat(MAX_LINE));
        assert_eq!(error(&long), format!("line 2: line of more than {MAX_LINE} bytes"));
    }

    #[test]
    fn what_is_wrong_with_a_file_is_told_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.txt");
        let error = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            Book::read(&path, RULES).unwrap_err().to_string()
        };
        let name = path.display();
        assert_eq!(error(b"# nothing"), format!("{name}: no opening in the book"));
        let two = b"startpos\nstartpos moves f9";
        assert_eq!(error(two), format!("{name}, line 2: move 1 \"f9\": no such square: f9"));
        let bytes = b"startpos\n\n\xff";
        let expected = format!("{name}, line 3: line that is not UTF-8: byte 1 is wrong");
        assert_eq!(error(bytes), expected);
        let missing = Book::read(&folder.path().join("none"), RULES).unwrap_err().to_string();
        assert!(missing.contains("none: cannot open the book: "), "{missing}");
        let folder = Book::read(folder.path(), RULES).unwrap_err();
        assert!(folder.path.is_some() && folder.line.is_none(), "{folder}");
        std::fs::write(&path, "startpos").unwrap();
        assert_eq!(Book::read(&path, RULES).unwrap(), Book::default());
    }

    #[test]
    fn the_fingerprint_is_that_of_the_openings() {
        let print = |text: &str| Book::parse(text, RULES).unwrap().fingerprint();
        // FNV-1a of the canonical text, worked out by another program.
        assert_eq!(Book::default().fingerprint(), FINGERPRINT_OF_START);
        assert_eq!(print("# a book\r\nposition startpos\r\n"), FINGERPRINT_OF_START);
        assert_ne!(print("startpos\nstartpos"), FINGERPRINT_OF_START);
        assert_ne!(print("x5o/7/7/7/7/7/o5x x 0 2"), FINGERPRINT_OF_START);
        let [one, other] = ["startpos\nstartpos moves f1", "startpos moves f1\nstartpos"];
        assert_ne!(print(one), print(other));
    }

    const FINGERPRINT_OF_START: u64 = 0x90a7_350f_525d_519d;

    #[test]
    fn the_order_is_the_same_everywhere() {
        let book = Book::parse(&"startpos\n".repeat(10), RULES).unwrap();
        assert_eq!(book.order(None), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        // Worked out by another program.
        assert_eq!(book.order(Some(0)), [8, 4, 2, 9, 1, 6, 5, 3, 0, 7]);
        assert_eq!(book.order(Some(1)), [5, 7, 9, 6, 3, 8, 2, 0, 1, 4]);
    }

    proptest! {
        #[test]
        fn every_order_has_each_opening_once(count in 1..300usize, seed in any::<Option<u64>>()) {
            let book = Book { openings: vec![Opening::default(); count] };
            let order = book.order(seed);
            prop_assert_eq!(&order, &book.order(seed));
            let mut sorted = order;
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..count).collect::<Vec<_>>());
        }

        #[test]
        fn no_text_is_too_strange(text in any::<String>(), at in any::<prop::sample::Index>()) {
            // Whatever it is, an error or a book; put into a good text, too.
            let good = "# a book\nstartpos\nx5o/7/7/7/7/7/o4xx o 0 1\n";
            let (before, after) = good.split_at(at.index(good.len()));
            for text in [&text, &format!("{before}{text}{after}")] {
                if let Ok(book) = Book::parse(text, RULES) {
                    let lines: Vec<String> = book.openings().iter().map(Opening::to_string).collect();
                    let again = Book::parse(&lines.join("\r\n"), RULES).unwrap();
                    prop_assert_eq!(again.fingerprint(), book.fingerprint());
                }
            }
        }
    }
}
