//! A game while it is being read.

use std::ops::ControlFlow;

use super::lexer::Token;
use super::tags::{ROSTER, TYPED, TagError};
use super::{
    Comment, GameRecord, GameResult, MAX_GAME, MAX_TAG, MAX_TAGS, PgnErrorKind, RecordedMove, Tags,
};
use crate::game::{Position, Rules};

/// What may stand behind a move to praise or blame it.
const SUFFIXES: [char; 2] = ['!', '?'];

/// The word in the tag `FEN` that python-ataxx takes for the usual start.
const USUAL_START: &str = "startpos";

/// How far a game has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Nothing has been seen of it.
    Nothing,
    Tags,
    Moves,
}

/// A game while it is being read, and the first thing that is wrong with it.
///
/// Of a broken game the rest is still gone through, to find its end.
pub(super) struct Draft {
    part: Part,
    /// The line of the last token.
    line: u64,
    error: Option<(u64, PgnErrorKind)>,
    /// How many bytes more the game may take.
    room: usize,

    names: Vec<String>,
    tags: Tags,
    start: Position,
    rules: Option<Rules>,
    variant: Option<(u64, String)>,
    default_rules: Rules,
    result: GameResult,

    /// What has been read, once moves have begun.
    record: Option<GameRecord>,
    /// Comments behind the last move.
    comment: String,
    /// How many variations are open.
    depth: u64,
    /// The line where the outermost of them begins.
    variation_line: u64,
}

impl Draft {
    pub(super) fn new(default_rules: Rules) -> Self {
        Self {
            part: Part::Nothing,
            line: 1,
            error: None,
            room: MAX_GAME,
            names: Vec::new(),
            tags: Tags::default(),
            start: Position::default(),
            rules: None,
            variant: None,
            default_rules,
            result: GameResult::Unknown,
            record: None,
            comment: String::new(),
            depth: 0,
            variation_line: 1,
        }
    }

    /// The game or what is wrong with it and where, `None` if there is none.
    pub(super) fn finish(self) -> Option<Result<GameRecord, (u64, PgnErrorKind)>> {
        match self.error {
            Some(error) => Some(Err(error)),
            None => self.record.map(Ok),
        }
    }

    /// Notes what is wrong with the game, unless something has been wrong before.
    pub(super) fn fail(&mut self, line: u64, kind: PgnErrorKind) {
        self.error.get_or_insert((line, kind));
        self.record = None;
        self.comment.clear();
    }

    /// A token that could not be read: what comes behind it can be no tag of this game.
    pub(super) fn bad_token(&mut self, line: u64, kind: PgnErrorKind) {
        self.fail(line, kind);
        self.part = Part::Moves;
        self.line = line;
    }

    /// The input has failed, which is worse than anything before.
    pub(super) fn break_off(&mut self, line: u64, kind: PgnErrorKind) {
        self.error = Some((line, kind));
    }

    /// The input or the game is over, and there was no result.
    pub(super) fn cut_off(&mut self) {
        if self.depth > 0 {
            self.fail(self.variation_line, PgnErrorKind::UnclosedVariation);
        } else if self.part != Part::Nothing {
            self.fail(self.line, PgnErrorKind::Unfinished);
        }
    }

    /// Whether the moves have begun, so that a tag belongs to the next game.
    pub(super) fn has_moves(&self) -> bool {
        self.part == Part::Moves
    }

    /// Whether a tag has been seen.
    pub(super) fn has_tag(&self, name: &str) -> bool {
        self.names.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// A tag, as far as it could be read.
    pub(super) fn tag(&mut self, line: u64, tag: Result<(String, String), PgnErrorKind>) {
        self.part = Part::Tags;
        self.line = line;
        if let Err(kind) = tag.and_then(|(name, value)| self.add_tag(line, name, value)) {
            self.fail(line, kind);
        }
    }

    fn add_tag(&mut self, line: u64, name: String, value: String) -> Result<(), PgnErrorKind> {
        if self.has_tag(&name) {
            return Err(PgnErrorKind::DuplicateTag(name));
        }
        // Those that every record has do not count when they say nothing.
        if self.names.len() == MAX_TAGS + ROSTER.len() + TYPED.len() {
            return Err(PgnErrorKind::TooManyTags);
        }
        self.spend(name.len() + value.len())?;
        match name.to_ascii_lowercase().as_str() {
            "fen" if value.trim() == USUAL_START => {}
            "fen" => self.start = value.parse().map_err(PgnErrorKind::Fen)?,
            "rules" => self.rules = Some(parse_rules("Rules", &value)?),
            "result" => self.result = parse_result(&value)?,
            _ => self.add_plain_tag(line, &name, value)?,
        }
        self.names.push(name);
        Ok(())
    }

    fn add_plain_tag(&mut self, line: u64, name: &str, value: String) -> Result<(), PgnErrorKind> {
        self.tags.set(name, &value).map_err(|error| match error {
            TagError::TooMany => PgnErrorKind::TooManyTags,
            // The lexer lets no other reasons pass.
            _ => PgnErrorKind::TooLong { what: "tag", limit: MAX_TAG },
        })?;
        if name.eq_ignore_ascii_case("variant") {
            self.variant = Some((line, value));
        }
        Ok(())
    }

    /// The next token, anything but a bracket; breaks with the end of the game.
    pub(super) fn token(&mut self, line: u64, token: Token) -> ControlFlow<()> {
        match token {
            Token::End => {
                self.cut_off();
                return ControlFlow::Break(());
            }
            Token::Bracket { .. } | Token::Glyph => {}
            Token::Comment(text) => self.add_comment(line, &text),
            Token::Open => self.open(line),
            Token::Close => self.close(line),
            Token::Word(word) => return self.word(line, &word),
        }
        ControlFlow::Continue(())
    }

    fn add_comment(&mut self, line: u64, text: &str) {
        // Before a game there is nothing that a comment could be about.
        if self.part == Part::Nothing || self.depth > 0 || self.error.is_some() {
            return;
        }
        self.line = line;
        match self.spend(text.len() + 1) {
            Ok(()) => {
                self.comment.push_str(text);
                self.comment.push(' ');
            }
            Err(kind) => self.fail(line, kind),
        }
    }

    fn open(&mut self, line: u64) {
        self.begin_moves(line);
        if self.depth == 0 {
            self.variation_line = line;
        }
        self.depth = self.depth.saturating_add(1);
    }

    fn close(&mut self, line: u64) {
        self.begin_moves(line);
        match self.depth.checked_sub(1) {
            Some(depth) => self.depth = depth,
            None => self.fail(line, PgnErrorKind::UnopenedVariation),
        }
    }

    fn word(&mut self, line: u64, word: &str) -> ControlFlow<()> {
        self.begin_moves(line);
        let word = without_number(word).trim_end_matches(SUFFIXES);
        if self.depth > 0 || word.is_empty() {
            return ControlFlow::Continue(());
        }
        if let Ok(result) = word.parse() {
            self.end(line, result);
            return ControlFlow::Break(());
        }
        if let Err(kind) = self.play(word) {
            self.fail(line, kind);
        }
        ControlFlow::Continue(())
    }

    /// There are no more tags: now the rules are known.
    fn begin_moves(&mut self, line: u64) {
        self.line = line;
        if self.part == Part::Moves {
            return;
        }
        self.part = Part::Moves;
        match self.rules() {
            Err((line, kind)) => self.fail(line, kind),
            Ok(rules) if self.error.is_none() => {
                let mut record = GameRecord::new(self.start, rules);
                record.tags = std::mem::take(&mut self.tags);
                self.record = Some(record);
            }
            Ok(_) => {}
        }
    }

    fn rules(&self) -> Result<Rules, (u64, PgnErrorKind)> {
        match (self.rules, &self.variant) {
            (Some(rules), _) => Ok(rules),
            (None, Some((line, value))) => {
                parse_rules("Variant", value).map_err(|kind| (*line, kind))
            }
            (None, None) => Ok(self.default_rules),
        }
    }

    fn play(&mut self, word: &str) -> Result<(), PgnErrorKind> {
        self.place_comment();
        self.spend(size_of::<RecordedMove>())?;
        let Some(record) = &mut self.record else { return Ok(()) };
        record.push_text(word, Comment::default()).map(drop).map_err(|error| PgnErrorKind::Move {
            ply: record.moves().len() + 1,
            text: word.to_owned(),
            error,
        })
    }

    fn end(&mut self, line: u64, result: GameResult) {
        self.place_comment();
        match merge_results(self.result, result) {
            Err(kind) => self.fail(line, kind),
            Ok(result) => {
                if let Some(record) = &mut self.record {
                    record.result = result;
                }
            }
        }
    }

    /// Puts what was said since the last move behind it, or before the first.
    fn place_comment(&mut self) {
        let Some(record) = &mut self.record else { return };
        if self.comment.is_empty() {
            return;
        }
        let comment = Comment::parse(&self.comment);
        self.comment.clear();
        match record.moves().len().checked_sub(1).and_then(|last| record.comment_mut(last)) {
            Some(place) => *place = comment,
            None => record.preface = comment,
        }
    }

    fn spend(&mut self, bytes: usize) -> Result<(), PgnErrorKind> {
        self.room = self.room.checked_sub(bytes).ok_or(PgnErrorKind::TooLarge)?;
        Ok(())
    }
}

/// A word without the move number that it is or begins with.
///
/// A number without a dot can be one too; `0000` is a pass.
fn without_number(word: &str) -> &str {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let without_dots = rest.trim_start_matches('.');
    if without_dots.len() < rest.len() || rest.is_empty() && word != "0000" {
        without_dots
    } else {
        word
    }
}

fn parse_rules(tag: &'static str, value: &str) -> Result<Rules, PgnErrorKind> {
    value.trim().parse().map_err(|_| PgnErrorKind::Rules { tag, value: value.to_owned() })
}

fn parse_result(value: &str) -> Result<GameResult, PgnErrorKind> {
    match value.trim() {
        "" | "?" => Ok(GameResult::Unknown),
        result => result.parse().map_err(|_| PgnErrorKind::Result(value.to_owned())),
    }
}

/// The result that one of the two places has, or both.
fn merge_results(tag: GameResult, moves: GameResult) -> Result<GameResult, PgnErrorKind> {
    match (tag, moves) {
        (known, GameResult::Unknown) | (GameResult::Unknown, known) => Ok(known),
        _ if tag == moves => Ok(moves),
        _ => Err(PgnErrorKind::ContradictoryResults { tag, moves }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_cut_off() {
        for (word, rest) in [
            ("1.", ""),
            ("12...", ""),
            ("...", ""),
            ("12", ""),
            ("1.f1", "f1"),
            ("1...f1", "f1"),
            ("3.0000", "0000"),
            ("0000", "0000"),
            ("1-0", "1-0"),
            ("9.1-0", "1-0"),
            ("1/2-1/2", "1/2-1/2"),
            ("f1", "f1"),
            ("f1.", "f1."),
            ("1f", "1f"),
        ] {
            assert_eq!(without_number(word), rest, "{word}");
        }
    }
}
