//! The positions of recorded games.

use std::io::BufRead;
use std::sync::Arc;

use super::entry::Fields;
use super::{BadEntry, Entry, EntryError, Ply};
use crate::game::{Game, Rules};
use crate::record::{GameRecord, PgnError, PgnReader};

/// The positions of games in PGN, one after the other.
#[derive(Debug)]
pub(super) struct Games<R> {
    reader: PgnReader<R>,
    file: Option<String>,
    /// The games read so far.
    number: u64,
    /// The game that is being taken apart.
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    record: Arc<GameRecord>,
    line: u64,
    /// As far as the next position.
    course: Game,
    /// The number of the move made there, from 1.
    ply: usize,
}

impl<R: BufRead> Games<R> {
    pub(super) fn new(reader: R, file: Option<String>, rules: Option<Rules>) -> Self {
        let mut reader = PgnReader::new(reader);
        if let Some(rules) = rules {
            reader = reader.with_default_rules(rules);
        }
        Self { reader, file, number: 0, open: None }
    }

    /// How many positions the next game has.
    pub(super) fn next_size(&mut self) -> Option<usize> {
        Some(self.reader.next()?.map_or(1, |game| game.moves().len() + 1))
    }

    fn bad(&self, error: PgnError) -> BadEntry {
        let PgnError { line, game: number, kind } = error;
        let error = EntryError::Game { number, kind };
        BadEntry { file: self.file.clone(), line, id: None, fields: Fields::new(), error }
    }
}

impl<R: BufRead> Iterator for Games<R> {
    type Item = Result<Entry, BadEntry>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.open.is_none() {
            self.number += 1;
            match self.reader.next()? {
                Err(error) => return Some(Err(self.bad(error))),
                Ok(record) => {
                    let course = Game::new(*record.start());
                    let line = self.reader.line();
                    self.open = Some(Open { record: Arc::new(record), line, course, ply: 1 });
                }
            }
        }
        let open = self.open.as_mut()?;
        let ply = Ply { game: self.number, number: open.ply, record: Arc::clone(&open.record) };
        let (line, game, rules) = (open.line, open.course.clone(), open.record.rules());
        match ply.played() {
            Some(played) => {
                open.course.play(played.mv);
                open.ply += 1;
            }
            None => self.open = None,
        }
        let (file, fields) = (self.file.clone(), Fields::new());
        Some(Ok(Entry { file, line, id: None, ply: Some(ply), fields, game, rules }))
    }
}
