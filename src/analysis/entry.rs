//! Positions to be analysed, from text.

use std::collections::BTreeMap;
use std::io::{BufRead, Chain, Cursor, Read};
use std::sync::Arc;

use serde_json::value::RawValue;
use thiserror::Error;

use super::games::Games;
use super::lines::Lines;
use crate::game::{Game, ParseRulesError, Rules};
use crate::protocol::{CommandError, InputError};
use crate::record::{GameRecord, PgnErrorKind, RecordedMove};

/// What a user says of a position besides, as it stands in the JSON.
pub type Fields = BTreeMap<String, Box<RawValue>>;

/// A position to be analysed.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The file, where there are several.
    pub file: Option<String>,
    /// The number of the line where it stands, from 1; of a game's positions, where the game begins.
    pub line: u64,
    /// What the user calls it, as JSON.
    pub id: Option<Box<RawValue>>,
    /// Where in which game it stands, if in any.
    pub ply: Option<Ply>,
    /// What else the user has said of it, to be passed on.
    pub fields: Fields,
    /// The position, with the moves that led to it.
    pub game: Game,
    /// The rules that are played.
    pub rules: Rules,
}

/// A place in a recorded game.
#[derive(Clone, Debug)]
pub struct Ply {
    /// The number of the game in its file, from 1.
    pub game: u64,
    /// The number of the move that was made here, from 1; behind the last move, one more.
    pub number: usize,
    /// The game.
    pub record: Arc<GameRecord>,
}

impl Ply {
    /// The move that was made here; `None` behind the last.
    pub fn played(&self) -> Option<&RecordedMove> {
        self.record.moves().get(self.number - 1)
    }
}

/// Text that is no position.
#[derive(Debug)]
pub struct BadEntry {
    /// The file, where there are several.
    pub file: Option<String>,
    /// The number of the line, from 1.
    pub line: u64,
    /// What the user calls it, as far as that can be seen.
    pub id: Option<Box<RawValue>>,
    /// What else the user has said of it.
    pub fields: Fields,
    /// What is wrong with it.
    pub error: EntryError,
}

/// Why a text is no position.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EntryError {
    /// The line cannot be read; of the kinds of this error, only [`InputError::Io`] ends the input.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A position or a move is wrong.
    #[error("{}", without_command(.0))]
    Position(#[from] CommandError),
    /// It is not JSON.
    #[error("not JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// It is JSON, but no object.
    #[error("a JSON object is expected")]
    NoObject,
    /// A game stands where a position is expected.
    #[error("PGN among lines: what holds games must begin with a tag or a move number")]
    Pgn,
    /// A JSON object lacks the position.
    #[error("the field fen is missing")]
    NoFen,
    /// A JSON object's position is no text.
    #[error("fen: a text is expected")]
    Fen,
    /// Moves of a JSON object are neither a text nor a list of texts.
    #[error("moves: a text or a list of texts is expected")]
    Moves,
    /// The rules of a JSON object are not known.
    #[error("rules: {0}")]
    Rules(#[from] ParseRulesError),
    /// A game is wrong.
    #[error("game {number}: {kind}")]
    Game {
        /// Its number in the file, from 1.
        number: u64,
        /// What is wrong with it.
        kind: PgnErrorKind,
    },
}

/// A command's complaint without the command, which nobody has given.
fn without_command(error: &CommandError) -> String {
    let text = error.to_string();
    text.strip_prefix("position: ").map(str::to_owned).unwrap_or(text)
}

/// The positions of a text, which is either games in PGN (see [`PgnReader`](crate::record::PgnReader)),
/// all positions of each game, that behind the last move included; or one position in a line:
///
/// - a FEN, or a FEN, `moves` and moves, perhaps with ` ; ` and a name after it;
/// - a command `position …`, the same;
/// - a JSON object with a text `fen` and, if wanted, `moves` (a text or a list), `rules` and `id`; whatever
///   else it holds is passed on.
///
/// Between lines, blank ones, and what comes after a `#`, are comments. A text is PGN if it begins with a
/// tag, such as `[Event "?"]`, or a move number, such as `1.`, perhaps behind lines of comment.
///
/// ```
/// use physarum::analysis::Entries;
///
/// let text = "# openings\nx5o/7/7/7/7/7/o5x x 0 1 moves f1 ; first\n{\"fen\": \"x5o/7/7/7/7/7/o5x x 0 1\"}\n";
/// let entries: Vec<_> = Entries::new(text.as_bytes()).map(Result::unwrap).collect();
/// assert_eq!(entries[0].game.position().to_string(), "x5o/7/7/7/7/7/o4xx o 0 1");
/// assert_eq!(entries[1].line, 3);
///
/// let entries: Vec<_> = Entries::new("1. f1 a2 *".as_bytes()).map(Result::unwrap).collect();
/// assert_eq!(entries.len(), 3);
/// ```
#[derive(Debug)]
pub struct Entries<R> {
    source: Source<R>,
    file: Option<String>,
    rules: Option<Rules>,
}

/// A text of which the beginning has been read already.
type Whole<R> = Chain<Cursor<Vec<u8>>, R>;

#[derive(Debug)]
enum Source<R> {
    /// Nobody knows yet what it is; `None` only for a moment.
    Unread(Option<R>),
    Lines(Lines<Whole<R>>),
    Games(Games<Whole<R>>),
}

impl<R: BufRead> Entries<R> {
    /// Reads positions. Where a line does not name the rules, [`Rules::default`] are meant; where a game does
    /// not, [`Rules::Ataxx`].
    pub const fn new(reader: R) -> Self {
        Self { source: Source::Unread(Some(reader)), file: None, rules: None }
    }

    /// Takes these rules where the text does not name others; `None` changes nothing.
    #[must_use]
    pub fn with_rules(self, rules: Option<Rules>) -> Self {
        Self { rules, ..self }
    }

    /// Tells with each position in which file it stands.
    #[must_use]
    pub fn of_file(self, file: Option<String>) -> Self {
        Self { file, ..self }
    }

    /// Of how many positions each line and each game consists, errors being one: what can be known
    /// without looking at the positions.
    pub fn sizes(mut self) -> impl Iterator<Item = usize> {
        self.recognise();
        std::iter::from_fn(move || match &mut self.source {
            Source::Lines(lines) => lines.next_text().map(|_| 1),
            Source::Games(games) => games.next_size(),
            Source::Unread(_) => None,
        })
    }

    /// Finds out what the text is.
    fn recognise(&mut self) {
        let Source::Unread(reader) = &mut self.source else { return };
        let Some(mut reader) = reader.take() else { return };
        let (file, rules) = (self.file.clone(), self.rules);
        let start = read_start(&mut reader);
        let is_pgn = begins_pgn(&start) == Some(true);
        let reader = Cursor::new(start).chain(reader);
        self.source = if is_pgn {
            Source::Games(Games::new(reader, file, rules))
        } else {
            Source::Lines(Lines::new(reader, file, rules.unwrap_or_default()))
        };
    }
}

/// As much of a text as shows whether it is PGN.
fn read_start(reader: &mut impl BufRead) -> Vec<u8> {
    /// What begins with more blank lines and comments is no PGN.
    const MOST: usize = 1 << 20;
    let mut start = Vec::new();
    while start.len() < MOST && begins_pgn(&start).is_none() {
        // What cannot be read is told of by whoever reads on.
        let Ok(part) = reader.fill_buf() else { break };
        if part.is_empty() {
            break;
        }
        start.extend_from_slice(part);
        let used = part.len();
        reader.consume(used);
    }
    start
}

/// Whether a text that begins like this holds games; `None` if more of it is needed to say so.
fn begins_pgn(bytes: &[u8]) -> Option<bool> {
    const MARK: &[u8] = "\u{feff}".as_bytes();
    if bytes.len() < MARK.len() && MARK.starts_with(bytes) {
        return None;
    }
    let mut rest = bytes.strip_prefix(MARK).unwrap_or(bytes).trim_ascii_start();
    // Lines for programs and comments, which may stand before the first game.
    while let Some(b'%' | b';') = rest.first() {
        let end = rest.iter().position(|&byte| byte == b'\n')?;
        rest = rest[end..].trim_ascii_start();
    }
    if let [b'[', more @ ..] = rest {
        return more.trim_ascii_start().first().map(u8::is_ascii_alphabetic);
    }
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    Some(*rest.get(digits)? == b'.' && digits > 0)
}

impl<R: BufRead> Iterator for Entries<R> {
    type Item = Result<Entry, BadEntry>;

    fn next(&mut self) -> Option<Self::Item> {
        self.recognise();
        match &mut self.source {
            Source::Lines(lines) => lines.next(),
            Source::Games(games) => games.next(),
            Source::Unread(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Vec<Result<Entry, BadEntry>> {
        Entries::new(text.as_bytes()).with_rules(Some(Rules::Ataxx)).collect()
    }

    #[test]
    fn positions_are_read_in_every_form() {
        let start = "x5o/7/7/7/7/7/o5x x 0 1";
        let after = "x5o/7/7/7/7/7/o4xx o 0 1";
        for (text, position, id) in [
            (start.to_owned(), start, None),
            (format!("  {start}\r\n"), start, None),
            ("x5o/7/7/7/7/7/o5x x".to_owned(), start, None),
            ("P5p/7/7/7/7/7/p5P w - - 0 1".to_owned(), start, None),
            (format!("\u{feff}{start} # the start"), start, None),
            (format!("{start} ; a name, with ; and all"), start, Some("a name, with ; and all")),
            (format!("{start} moves f1 ;b"), after, Some("b")),
            ("position startpos".to_owned(), start, None),
            ("position startpos moves f1".to_owned(), after, None),
            (format!("position fen {start} moves f1; 3"), after, Some("3")),
            (format!("{{\"fen\": \"{start}\", \"id\": \"#7\"}}"), start, Some("#7")),
            (format!("{{\"moves\": \"f1\", \"fen\": \"{start}\"}}"), after, None),
            (format!("{{\"moves\": [\"f1\"], \"fen\": \"{start}\"}}"), after, None),
        ] {
            let entries = read(&text);
            let [Ok(entry)] = &entries[..] else { panic!("{text}: {entries:?}") };
            assert_eq!(entry.game.position().to_string(), position, "{text}");
            let wanted = id.map(|id| format!("{id:?}"));
            assert_eq!(entry.id.as_ref().map(|id| id.get()), wanted.as_deref(), "{text}");
            assert_eq!((entry.rules, entry.fields.len()), (Rules::Ataxx, 0), "{text}");
        }
        assert!(read("\n# nothing\n   \n").is_empty());
    }

    /// Gives a few bytes at a time.
    struct Slowly<'a>(&'a [u8], usize);

    impl Read for Slowly<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let length = buffer.len().min(self.1);
            self.0.read(&mut buffer[..length])
        }
    }

    #[test]
    fn games_are_recognised_however_slowly_they_come() {
        let blank = "\n".repeat(20_000);
        for start in ["", "\u{feff}", "\n\n", "% x\n", "; y\n\n% z\n%\n", blank.as_str()] {
            for (text, count) in [
                ("[Event \"?\"]\n\n1. f1 *\n", 2),
                ("1. f1 a2 *\n", 3),
                ("12. f1 *", 2),
                ("x5o/7/7/7/7/7/o5x x 0 1\n", 1),
                ("7/7/7/7/7/7/x6 o 0 9", 1),
                ("", 0),
            ] {
                if start.trim_start().starts_with(['%', ';']) && !text.contains('.') {
                    // What is a comment in PGN is none between lines.
                    continue;
                }
                let text = format!("{start}{text}");
                for step in [1, 2, 7, 100_000] {
                    let reader = BufReader::new(Slowly(text.as_bytes(), step));
                    let entries: Vec<_> = Entries::new(reader).collect();
                    assert_eq!(entries.len(), count, "{text:?}");
                    assert!(entries.iter().all(Result::is_ok), "{text:?}: {entries:?}");
                }
            }
        }
    }

    #[test]
    fn what_json_says_besides_is_kept() {
        let text = "{\"fen\": \"x5o/7/7/7/7/7/o5x x 0 1\", \"id\": 5, \"rules\": \"fill\", \"a\": [1, 12345678901234567890.0], \"b\": 1e400}";
        let entry = read(text).remove(0).unwrap();
        assert_eq!((entry.id.unwrap().get(), entry.rules), ("5", Rules::Fill));
        assert_eq!(entry.fields.len(), 2);
        // Digits are kept, whatever they mean.
        assert_eq!(entry.fields["a"].get(), "[1, 12345678901234567890.0]");
        assert_eq!(entry.fields["b"].get(), "1e400");
    }

    #[test]
    fn bad_lines_are_told_with_their_number_and_end_nothing() {
        let start = "x5o/7/7/7/7/7/o5x x 0 1";
        let bad = [
            ("x5o/7 x 0 1", "fen: 2 ranks on the board: 7 are expected"),
            ("nonsense", "fen: "),
            ("position", "startpos or fen is missing"),
            ("position startpos moves zz", "move 1 \"zz\": not a move"),
            ("x5o/7/7/7/7/7/o5x x 0 1 moves f1 f1", "move 2 \"f1\": f1 is occupied"),
            ("{\"fen\": 3}", "fen: a text is expected"),
            ("{\"FEN\": 3}", "the field fen is missing"),
            ("[]", "a JSON object is expected"),
            ("\"x5o/7\"", "a JSON object is expected"),
            ("{\"fen\": \"x5o/7\"}", "fen: 2 ranks"),
            ("{\"fen\"}", "not JSON: "),
            ("{\"fen\": \"x5o/7/7/7/7/7/o5x x 0 1\", \"moves\": 1}", "moves: a text or"),
            ("{\"fen\": \"x5o/7/7/7/7/7/o5x x 0 1\", \"rules\": \"go\"}", "rules: not a rule set"),
        ];
        for (text, message) in bad {
            let entries = read(&format!("\n{text}\n{start}\n"));
            let [Err(error), Ok(good)] = &entries[..] else { panic!("{text}: {entries:?}") };
            let said = error.error.to_string();
            assert!(said.starts_with(message), "{text}: {said}");
            assert_eq!((error.line, good.line), (2, 3), "{text}");
        }
        let entries = read(&format!("{start}\n[Event \"x\"]\n"));
        assert!(matches!(&entries[1], Err(BadEntry { error: EntryError::Pgn, .. })), "{entries:?}");
        let mut bytes = b"\xff\n".to_vec();
        bytes.extend(vec![b'x'; crate::protocol::MAX_LINE + 1]);
        bytes.extend(b"\nx5o/7/7/7/7/7/o5x x 0 1\n");
        let entries: Vec<_> = Entries::new(&bytes[..]).collect();
        assert!(matches!(&entries[..], [Err(_), Err(_), Ok(_)]), "{entries:?}");
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(\\{\"fen\": \"|position |x5o/7)?\\PC*(\n\\PC*){0,3}") {
            let _ = read(&text);
        }
    }
}
