//! Writing PGN.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::tags::ROSTER;
use super::{Comment, GameRecord, RecordedMove};
use crate::game::Color;

/// Writes games as PGN, one at a time.
///
/// Each game is one call of the underlying `write_all`, and nothing is held back: what was written
/// stands even if the program dies.
///
/// ```
/// use physarum::game::{Position, Rules};
/// use physarum::record::{Comment, GameRecord, PgnWriter};
///
/// let start: Position = "x5o/7/7/7/7/7/o4xx o 0 1".parse()?;
/// let mut game = GameRecord::new(start, Rules::Ataxx);
/// for mv in ["g6", "f2", "a2"] {
///     game.push_text(mv, Comment::default())?;
/// }
/// let mut writer = PgnWriter::new(Vec::new());
/// writer.write(&game)?;
/// let pgn = String::from_utf8(writer.into_inner())?;
/// assert!(pgn.ends_with("\n\n1... g6 2. f2 a2 *\n\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PgnWriter<W> {
    writer: W,
    columns: usize,
}

impl<W: Write> PgnWriter<W> {
    /// Writes to `writer`, all moves of a game on one line, as cuteataxx and python-ataxx do.
    /// python-ataxx can read nothing else: it takes each line of moves for the game's beginning.
    pub const fn new(writer: W) -> Self {
        Self { writer, columns: usize::MAX }
    }

    /// Breaks lines of moves where they would have more than so many characters. Not for
    /// python-ataxx: see [`new`](Self::new).
    ///
    /// ```
    /// use physarum::game::{Position, Rules};
    /// use physarum::record::{Comment, GameRecord, PgnWriter};
    ///
    /// let mut game = GameRecord::new(Position::default(), Rules::Ataxx);
    /// for mv in ["f1", "g6", "f2", "a2"] {
    ///     game.push_text(mv, Comment::default())?;
    /// }
    /// let mut writer = PgnWriter::new(Vec::new()).wrapped(12);
    /// writer.write(&game)?;
    /// assert!(writer.into_inner().ends_with(b"\n1. f1 g6 2.\nf2 a2 *\n\n"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn wrapped(self, columns: usize) -> Self {
        Self { columns, ..self }
    }

    /// Writes a game and the empty line behind it.
    ///
    /// # Errors
    ///
    /// When the underlying writer fails.
    pub fn write(&mut self, game: &GameRecord) -> io::Result<()> {
        let mut text = render(game, self.columns);
        text.push('\n');
        self.writer.write_all(text.as_bytes())
    }

    /// Flushes the underlying writer.
    ///
    /// # Errors
    ///
    /// When that fails.
    pub fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }

    /// The underlying writer.
    pub fn into_inner(self) -> W {
        self.writer
    }
}

/// A game as PGN, with an empty line between tags and moves and none at its end.
pub(super) fn render(game: &GameRecord, columns: usize) -> String {
    let mut text = String::new();
    render_tags(game, &mut text);
    text.push('\n');
    let mut lines = Lines { text, column: 0, columns };
    lines.comment(&game.preface);
    let white_begins = game.start().side_to_move() == Color::White;
    let plies = usize::from(white_begins)..;
    for (ply, played) in plies.zip(game.moves()) {
        let first = ply == usize::from(white_begins);
        lines.ply(ply, first, played);
    }
    lines.word(game.result.name());
    lines.text.push('\n');
    lines.text
}

fn render_tags(game: &GameRecord, text: &mut String) {
    for name in ROSTER {
        let unknown = if name == "Date" { "????.??.??" } else { "?" };
        render_tag(name, game.tags.get(name).unwrap_or(unknown), text);
    }
    render_tag("Result", game.result.name(), text);
    render_tag("FEN", &game.start().to_string(), text);
    render_tag("Rules", game.rules().name(), text);
    for (name, value) in game.tags.iter().filter(|(name, _)| !ROSTER.contains(name)) {
        render_tag(name, value, text);
    }
}

fn render_tag(name: &str, value: &str, text: &mut String) {
    let value = value.replace('\\', r"\\").replace('"', r#"\""#);
    // Writing to a string cannot fail.
    let _ = writeln!(text, "[{name} \"{value}\"]");
}

/// Words between blanks or line ends.
struct Lines {
    text: String,
    column: usize,
    columns: usize,
}

impl Lines {
    /// Writes a move with its number, where it needs one, and its comment.
    fn ply(&mut self, ply: usize, first: bool, played: &RecordedMove) {
        let number = ply / 2 + 1;
        if ply.is_multiple_of(2) {
            self.word(&format!("{number}."));
        } else if first {
            self.word(&format!("{number}..."));
        }
        self.word(&played.mv.to_string());
        self.comment(&played.comment);
    }

    fn comment(&mut self, comment: &Comment) {
        if !comment.is_empty() {
            for word in format!("{{{comment}}}").split(' ') {
                self.word(word);
            }
        }
    }

    fn word(&mut self, word: &str) {
        let length = word.chars().count();
        let end = self.column.saturating_add(1).saturating_add(length);
        if self.column == 0 {
            self.column = length;
        } else if end > self.columns && may_begin_line(word) {
            self.text.push('\n');
            self.column = length;
        } else {
            self.text.push(' ');
            self.column = end;
        }
        self.text.push_str(word);
    }
}

/// Whether a word, which may be out of a comment, means nothing else at the beginning of a line.
fn may_begin_line(word: &str) -> bool {
    !word.starts_with(['[', '%', ';'])
}

#[cfg(test)]
mod tests {
    use super::super::RecordedScore;
    use super::*;
    use crate::game::{Position, Rules};

    fn game() -> GameRecord {
        let mut game = GameRecord::new(Position::default(), Rules::Ataxx);
        for mv in ["f1", "g6", "f2", "a2"] {
            game.push_text(mv, Comment::default()).unwrap();
        }
        game
    }

    #[test]
    fn tags_come_in_their_order_and_are_escaped() {
        let mut game = game();
        for (name, value) in
            [("Termination", "time"), ("White", r#"the "new" C:\x"#), ("Date", "2026.11.30")]
        {
            game.tags.set(name, value).unwrap();
        }
        assert_eq!(
            game.to_string(),
            r#"[Event "?"]
[Site "?"]
[Date "2026.11.30"]
[Round "?"]
[Black "?"]
[White "the \"new\" C:\\x"]
[Result "*"]
[FEN "x5o/7/7/7/7/7/o5x x 0 1"]
[Rules "Ataxx"]
[Termination "time"]

1. f1 g6 2. f2 a2 *
"#
        );
    }

    #[test]
    fn comments_stand_behind_their_moves() {
        let mut game = game();
        game.preface = Comment::default().with_text("A game.");
        *game.comment_mut(0).unwrap() =
            Comment::default().with_score(RecordedScore::Win(2)).with_depth(4);
        *game.comment_mut(3).unwrap() = Comment::default().with_text("oh");
        assert!(game.to_string().ends_with("\n{A game.} 1. f1 {+M2/4} g6 2. f2 a2 {oh} *\n"));
    }

    #[test]
    fn lines_are_broken_but_not_before_what_would_mean_something() {
        let mut game = game();
        let text = "see [Event or %x or ;y and so on with a_word_longer_than_a_line x";
        *game.comment_mut(1).unwrap() = Comment::default().with_text(text);
        let text = render(&game, 20);
        let moves: Vec<&str> = text.lines().skip_while(|line| !line.is_empty()).skip(1).collect();
        assert_eq!(
            moves,
            [
                "1. f1 g6 {see [Event",
                "or %x or ;y and so",
                "on with",
                "a_word_longer_than_a_line",
                "x} 2. f2 a2 *"
            ]
        );
        let text = "aaaaaaaaaa bbbbbbbbbbbbbbb [Event ccc";
        *game.comment_mut(1).unwrap() = Comment::default().with_text(text);
        let text = render(&game, 20);
        assert!(text.contains("\nbbbbbbbbbbbbbbb [Event\nccc}"));
        assert!(text.lines().skip(9).all(|line| !line.starts_with('[')));
    }

    #[test]
    fn a_game_without_moves_is_but_its_result() {
        let game = GameRecord::new(Position::default(), Rules::Ataxx);
        let mut writer = PgnWriter::new(Vec::new()).wrapped(80);
        writer.write(&game).unwrap();
        writer.write(&game).unwrap();
        writer.flush().unwrap();
        let text = String::from_utf8(writer.into_inner()).unwrap();
        assert_eq!(text, format!("{game}\n").repeat(2));
        assert!(text.ends_with("[Rules \"Ataxx\"]\n\n*\n\n"));
    }
}
