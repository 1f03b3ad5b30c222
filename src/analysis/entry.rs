//! Positions from text.

use std::io::BufRead;

use serde_json::{Map, Value};
use thiserror::Error;

use crate::game::{Game, ParseRulesError, Rules};
use crate::protocol::{Command, CommandError, Input, InputError, play_moves};

/// A position to be analysed.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The file, where there are several.
    pub file: Option<String>,
    /// The number of the line where it stands, from 1.
    pub line: u64,
    /// What the user calls it.
    pub id: Option<Value>,
    /// What else the user has said of it, to be passed on.
    pub fields: Map<String, Value>,
    /// The position, with the moves that led to it.
    pub game: Game,
    /// The rules that are played.
    pub rules: Rules,
}

/// A line that is no position.
#[derive(Debug)]
pub struct BadEntry {
    /// The file, where there are several.
    pub file: Option<String>,
    /// The number of the line, from 1.
    pub line: u64,
    /// What the user calls it, as far as that can be seen.
    pub id: Option<Value>,
    /// What else the user has said of it.
    pub fields: Map<String, Value>,
    /// What is wrong with it.
    pub error: EntryError,
}

/// Why a line is no position.
#[derive(Debug, Error)]
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
    /// A JSON object lacks the position.
    #[error("fen: a text is expected")]
    NoFen,
    /// Moves of a JSON object are neither a text nor a list of texts.
    #[error("moves: a text or a list of texts is expected")]
    Moves,
    /// The rules of a JSON object are not known.
    #[error("rules: {0}")]
    Rules(#[from] ParseRulesError),
}

/// A command's complaint without the command, which nobody has given.
fn without_command(error: &CommandError) -> String {
    let text = error.to_string();
    text.strip_prefix("position: ").map(str::to_owned).unwrap_or(text)
}

/// The positions of a text, one in a line:
///
/// - a FEN, or a FEN, `moves` and moves, perhaps with ` ; ` and a name after it;
/// - a command `position …`, the same;
/// - a JSON object with a text `fen` and, if wanted, `moves` (a text or a list), `rules` and `id`; whatever
///   else it holds is passed on.
///
/// Blank lines, and what comes after a `#`, are comments.
///
/// ```
/// use physarum::analysis::Entries;
/// use physarum::game::Rules;
///
/// let text = "# openings\nx5o/7/7/7/7/7/o5x x 0 1 moves f1 ; first\n{\"fen\": \"x5o/7/7/7/7/7/o5x x 0 1\"}\n";
/// let entries: Vec<_> = Entries::new(text.as_bytes(), Rules::Ataxx).map(Result::unwrap).collect();
/// assert_eq!(entries[0].game.position().to_string(), "x5o/7/7/7/7/7/o4xx o 0 1");
/// assert_eq!(entries[1].line, 3);
/// ```
#[derive(Debug)]
pub struct Entries<R> {
    input: Input<R>,
    file: Option<String>,
    line: u64,
    rules: Rules,
    ended: bool,
}

impl<R: BufRead> Entries<R> {
    /// Reads positions; where a line does not name the rules, these are meant.
    pub const fn new(reader: R, rules: Rules) -> Self {
        Self { input: Input::new(reader), file: None, line: 0, rules, ended: false }
    }

    /// Tells with each position in which file it stands.
    #[must_use]
    pub fn of_file(self, file: Option<String>) -> Self {
        Self { file, ..self }
    }

    /// How many positions are left, errors included; none is read for that.
    pub fn count_unread(mut self) -> usize {
        std::iter::from_fn(|| self.next_text()).count()
    }

    /// The next line with something on it.
    fn next_text(&mut self) -> Option<Result<String, InputError>> {
        while !self.ended {
            self.line += 1;
            let text = match self.input.next_line() {
                Ok(None) => break,
                Ok(Some(text)) => text,
                Err(error) => {
                    self.ended = matches!(error, InputError::Io(_));
                    return Some(Err(error));
                }
            };
            let text = text.trim_start_matches('\u{feff}').trim();
            // In JSON, a # may stand in a text.
            let comment = if text.starts_with('{') { None } else { text.find('#') };
            let text = text[..comment.unwrap_or(text.len())].trim();
            if !text.is_empty() {
                return Some(Ok(text.to_owned()));
            }
        }
        self.ended = true;
        None
    }

    /// A line as far as nothing is known of it but where it stands.
    fn draft(&self, error: EntryError) -> BadEntry {
        let (file, line) = (self.file.clone(), self.line);
        BadEntry { file, line, id: None, fields: Map::new(), error }
    }

    #[expect(clippy::result_large_err, reason = "what is right is as large")]
    fn read(&self, text: &str) -> Result<Entry, BadEntry> {
        let mut draft = self.draft(EntryError::NoFen);
        let result = if text.starts_with('{') {
            self.read_json(text, &mut draft)
        } else {
            self.read_text(text, &mut draft)
        };
        let BadEntry { file, line, id, fields, .. } = draft;
        match result {
            Ok((game, rules)) => Ok(Entry { file, line, id, fields, game, rules }),
            Err(error) => Err(BadEntry { file, line, id, fields, error }),
        }
    }

    fn read_text(&self, text: &str, draft: &mut BadEntry) -> Result<(Game, Rules), EntryError> {
        let (text, name) = text.split_once(';').unwrap_or((text, ""));
        draft.id = Some(name.trim()).filter(|name| !name.is_empty()).map(Value::from);
        let game = if text.split_whitespace().next() == Some("position") {
            play(text, self.rules)?
        } else {
            play(&format!("position fen {text}"), self.rules)?
        };
        Ok((game, self.rules))
    }

    fn read_json(&self, text: &str, draft: &mut BadEntry) -> Result<(Game, Rules), EntryError> {
        draft.fields = serde_json::from_str(text)?;
        let fields = &mut draft.fields;
        draft.id = fields.remove("id");
        let rules = match fields.get("rules") {
            None => self.rules,
            Some(rules) => rules.as_str().unwrap_or_default().parse()?,
        };
        let fen = fields.get("fen").and_then(Value::as_str).ok_or(EntryError::NoFen)?;
        let moves = match fields.get("moves") {
            None => String::new(),
            Some(Value::String(moves)) => moves.clone(),
            Some(Value::Array(moves)) => {
                let texts = moves.iter().map(|mv| mv.as_str().ok_or(EntryError::Moves));
                texts.collect::<Result<Vec<_>, _>>()?.join(" ")
            }
            Some(_) => return Err(EntryError::Moves),
        };
        let game = play(&format!("position fen {fen} moves {moves}"), rules)?;
        // What it says of the position is told anew.
        for key in ["fen", "moves", "rules"] {
            fields.remove(key);
        }
        Ok((game, rules))
    }
}

/// The game of a command `position`.
fn play(command: &str, rules: Rules) -> Result<Game, CommandError> {
    let Command::Position { start, moves } = command.parse()? else {
        return Err(CommandError::Unknown(command.to_owned()));
    };
    let mut game = Game::new(start.position());
    play_moves(&mut game, &moves, rules, "position")?;
    Ok(game)
}

impl<R: BufRead> Iterator for Entries<R> {
    type Item = Result<Entry, BadEntry>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(match self.next_text()? {
            Ok(text) => self.read(&text),
            Err(error) => Err(self.draft(error.into())),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Vec<Result<Entry, BadEntry>> {
        Entries::new(text.as_bytes(), Rules::Ataxx).collect()
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
            assert_eq!(entry.id, id.map(Value::from), "{text}");
            assert_eq!((entry.rules, entry.fields.len()), (Rules::Ataxx, 0), "{text}");
        }
        assert!(read("\n# nothing\n   \n").is_empty());
    }

    #[test]
    fn what_json_says_besides_is_kept() {
        let text =
            "{\"fen\": \"x5o/7/7/7/7/7/o5x x 0 1\", \"id\": 5, \"rules\": \"fill\", \"a\": [1]}";
        let entry = read(text).remove(0).unwrap();
        assert_eq!((entry.id, entry.rules), (Some(Value::from(5)), Rules::Fill));
        assert_eq!(Value::from(entry.fields).to_string(), "{\"a\":[1]}");
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
        let mut bytes = b"\xff\n".to_vec();
        bytes.extend(vec![b'x'; crate::protocol::MAX_LINE + 1]);
        bytes.extend(b"\nx5o/7/7/7/7/7/o5x x 0 1\n");
        let entries: Vec<_> = Entries::new(&bytes[..], Rules::Ataxx).collect();
        assert!(matches!(&entries[..], [Err(_), Err(_), Ok(_)]), "{entries:?}");
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(\\{\"fen\": \"|position |x5o/7)?\\PC*(\n\\PC*){0,3}") {
            let _ = read(&text);
        }
    }
}
