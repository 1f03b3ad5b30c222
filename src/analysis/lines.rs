//! Positions, one in each line.

use std::io::BufRead;

use serde_json::value::{RawValue, to_raw_value};

use super::entry::Fields;
use super::{BadEntry, Entry, EntryError};
use crate::game::{Game, Rules};
use crate::protocol::{Command, CommandError, Input, InputError, play_moves};

/// Positions, one in each line.
#[derive(Debug)]
pub(super) struct Lines<R> {
    input: Input<R>,
    file: Option<String>,
    line: u64,
    rules: Rules,
    ended: bool,
}

impl<R: BufRead> Lines<R> {
    pub(super) const fn new(reader: R, file: Option<String>, rules: Rules) -> Self {
        Self { input: Input::new(reader), file, line: 0, rules, ended: false }
    }

    /// The next line with something on it.
    pub(super) fn next_text(&mut self) -> Option<Result<String, InputError>> {
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
        BadEntry { file, line, id: None, fields: Fields::new(), error }
    }

    #[expect(clippy::result_large_err, reason = "what is right is as large")]
    fn read(&self, text: &str) -> Result<Entry, BadEntry> {
        let mut draft = self.draft(EntryError::NoFen);
        let result = match text.as_bytes()[0] {
            b'{' => self.read_json(text, &mut draft),
            b'[' if text[1..].starts_with(|c: char| c.is_ascii_alphabetic()) => {
                Err(EntryError::Pgn)
            }
            b'[' | b'"' => Err(EntryError::NoObject),
            _ => self.read_text(text, &mut draft),
        };
        let BadEntry { file, line, id, fields, .. } = draft;
        match result {
            Ok((game, rules)) => Ok(Entry { file, line, id, ply: None, fields, game, rules }),
            Err(error) => Err(BadEntry { file, line, id, fields, error }),
        }
    }

    fn read_text(&self, text: &str, draft: &mut BadEntry) -> Result<(Game, Rules), EntryError> {
        let (text, name) = text.split_once(';').unwrap_or((text, ""));
        let name = name.trim();
        draft.id = if name.is_empty() { None } else { Some(to_raw_value(name)?) };
        let game = if text.split_whitespace().next() == Some("position") {
            play(text, self.rules)?
        } else {
            play(&format!("position fen {text}"), self.rules)?
        };
        Ok((game, self.rules))
    }

    fn read_json(&self, text: &str, draft: &mut BadEntry) -> Result<(Game, Rules), EntryError> {
        // Within a text it cannot stand; elsewhere it is as good as a blank, and a record is one line.
        draft.fields = serde_json::from_str(&text.replace('\r', " "))?;
        let fields = &mut draft.fields;
        draft.id = fields.remove("id").filter(|id| id.get() != "null");
        let rules = match fields.get("rules") {
            None => self.rules,
            Some(rules) if rules.get() == "null" => self.rules,
            Some(rules) => text_of(rules).unwrap_or_default().parse()?,
        };
        let fen = fields.get("fen").ok_or(EntryError::NoFen)?;
        let fen = text_of(fen).ok_or(EntryError::Fen)?;
        let moves = match fields.get("moves") {
            None => String::new(),
            Some(moves) if moves.get() == "null" => String::new(),
            Some(moves) => match text_of(moves) {
                Some(moves) => moves,
                None => serde_json::from_str::<Vec<String>>(moves.get())
                    .map_err(|_| EntryError::Moves)?
                    .join(" "),
            },
        };
        let game = play(&format!("position fen {fen} moves {moves}"), rules)?;
        // What it says of the position is told anew.
        for key in ["fen", "moves", "rules"] {
            fields.remove(key);
        }
        Ok((game, rules))
    }
}

/// The text that a value is, if it is one.
fn text_of(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
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

impl<R: BufRead> Iterator for Lines<R> {
    type Item = Result<Entry, BadEntry>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(match self.next_text()? {
            Ok(text) => self.read(&text),
            Err(error) => Err(self.draft(error.into())),
        })
    }
}
