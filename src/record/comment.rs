//! Comments, and what programs say in them.

use std::fmt;
use std::time::Duration;

/// The longest comment that is read, in bytes.
pub const MAX_COMMENT: usize = 1 << 16;

/// The longest text, in bytes: there is room for the other parts of a comment beside it.
const MAX_TEXT: usize = MAX_COMMENT - 128;

/// A score as it stands in a record, from the point of view of the side that made the move.
///
/// ```
/// use physarum::record::RecordedScore;
///
/// assert_eq!(RecordedScore::Cp(-1235).to_string(), "-12.35");
/// assert_eq!(RecordedScore::Win(3).to_string(), "+M3");
/// assert_eq!(RecordedScore::Loss(0).to_string(), "-M0");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordedScore {
    /// Centi-stones; written in stones with two decimals.
    Cp(i32),
    /// Won by force in this many moves.
    Win(u32),
    /// Lost by force in this many moves.
    Loss(u32),
}

impl fmt::Display for RecordedScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Cp(cp) => {
                let sign = if cp < 0 { '-' } else { '+' };
                let size = cp.unsigned_abs();
                write!(f, "{sign}{}.{:02}", size / 100, size % 100)
            }
            Self::Win(moves) => write!(f, "+M{moves}"),
            Self::Loss(moves) => write!(f, "-M{moves}"),
        }
    }
}

impl RecordedScore {
    /// Reads what [`Display`](fmt::Display) writes, the plus sign being optional if `bare` is set.
    pub(crate) fn parse(text: &str, bare: bool) -> Option<Self> {
        let (negative, size) = match text.as_bytes().first()? {
            b'+' => (false, &text[1..]),
            b'-' => (true, &text[1..]),
            _ if bare => (false, text),
            _ => return None,
        };
        if let Some(moves) = size.strip_prefix('M') {
            let moves = number(moves)?.try_into().ok()?;
            return Some(if negative { Self::Loss(moves) } else { Self::Win(moves) });
        }
        let size = i64::try_from(decimal(size, 2)?).ok()?;
        i32::try_from(if negative { -size } else { size }).ok().map(Self::Cp)
    }
}

/// What is said about a move: a score, a depth and a time, as programs do, and free text. Each
/// part may be missing; an empty comment is none at all.
///
/// # Its form in PGN
///
/// `{score/depth time, text}`: the score in stones from the mover's point of view, always with its
/// sign (`+0.35`, `-12.00`), or, if the game is won or lost by force, `+M3` or `-M2`, in moves;
/// the depth in plies; the time in milliseconds, `12ms`. Thus `{+0.35/9 12ms, book ends}`,
/// `{-M2}`, `{/9}` (a depth alone), `{12ms}` and `{book ends}`. A text alone that looks as if it
/// began with one of the other parts, or that begins with a comma, has a comma before it:
/// `{, 12ms were enough}`.
///
/// Other programs' forms are read besides: `0.00/12` and `M5/20` without a sign, times in seconds
/// (`1.25s`), and cuteataxx's `movetime 12`. All else is text.
///
/// ```
/// use std::time::Duration;
/// use physarum::record::{Comment, RecordedScore};
///
/// let comment = Comment::parse("+0.35/9 12ms, book ends");
/// assert_eq!(comment.score(), Some(RecordedScore::Cp(35)));
/// assert_eq!(comment.depth(), Some(9));
/// assert_eq!(comment.time(), Some(Duration::from_millis(12)));
/// assert_eq!(comment.text(), "book ends");
/// assert_eq!(comment.to_string(), "+0.35/9 12ms, book ends");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comment {
    score: Option<RecordedScore>,
    depth: Option<u32>,
    milliseconds: Option<u64>,
    text: String,
}

impl Comment {
    /// Reads what stands between the braces. Everything is a comment.
    ///
    /// ```
    /// use std::time::Duration;
    /// use physarum::record::Comment;
    ///
    /// assert_eq!(Comment::parse(" movetime 12 ").time(), Some(Duration::from_millis(12)));
    /// assert_eq!(Comment::parse("a  blunder").text(), "a blunder");
    /// assert!(Comment::parse(" ").is_empty());
    /// ```
    pub fn parse(raw: &str) -> Self {
        let raw = clean(raw);
        let mut comment = Self::default();
        let text = match raw.strip_prefix(',') {
            Some(text) => text,
            None => match comment.read_movetime(&raw) {
                Some(text) => text,
                None => comment.read_fields(&raw),
            },
        };
        comment.text = cut(text.trim_start()).to_owned();
        comment
    }

    /// The score, from the point of view of the side that made the move.
    ///
    /// ```
    /// use physarum::record::{Comment, RecordedScore};
    ///
    /// assert_eq!(Comment::parse("-M2/11").score(), Some(RecordedScore::Loss(2)));
    /// ```
    pub const fn score(&self) -> Option<RecordedScore> {
        self.score
    }

    /// The depth of the search, in plies.
    ///
    /// ```
    /// assert_eq!(physarum::record::Comment::parse("+0.10/7").depth(), Some(7));
    /// ```
    pub const fn depth(&self) -> Option<u32> {
        self.depth
    }

    /// The time that the move has taken, in whole milliseconds.
    ///
    /// ```
    /// use std::time::Duration;
    /// use physarum::record::Comment;
    ///
    /// assert_eq!(Comment::parse("1.25s").time(), Some(Duration::from_millis(1250)));
    /// ```
    pub fn time(&self) -> Option<Duration> {
        self.milliseconds.map(Duration::from_millis)
    }

    /// The text: one line, no blanks at its ends and no two next to each other.
    ///
    /// ```
    /// assert_eq!(physarum::record::Comment::parse("+0.10, forced").text(), "forced");
    /// ```
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether nothing is said.
    ///
    /// ```
    /// use physarum::record::Comment;
    ///
    /// assert!(Comment::default().is_empty());
    /// assert!(!Comment::default().with_depth(3).is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && !self.has_fields()
    }

    /// The comment with a score, from the point of view of the side that made the move.
    ///
    /// ```
    /// use physarum::record::{Comment, RecordedScore};
    ///
    /// let comment = Comment::default().with_score(RecordedScore::Cp(-5));
    /// assert_eq!(comment.to_string(), "-0.05");
    /// ```
    #[must_use]
    pub const fn with_score(mut self, score: RecordedScore) -> Self {
        self.score = Some(score);
        self
    }

    /// The comment with the depth of the search, in plies.
    ///
    /// ```
    /// use physarum::record::Comment;
    ///
    /// assert_eq!(Comment::default().with_depth(9).to_string(), "/9");
    /// ```
    #[must_use]
    pub const fn with_depth(mut self, depth: u32) -> Self {
        self.depth = Some(depth);
        self
    }

    /// The comment with a time, of which whole milliseconds are kept.
    ///
    /// ```
    /// use std::time::Duration;
    /// use physarum::record::Comment;
    ///
    /// let comment = Comment::default().with_time(Duration::from_micros(12_999));
    /// assert_eq!(comment.to_string(), "12ms");
    /// assert_eq!(comment.time(), Some(Duration::from_millis(12)));
    /// ```
    #[must_use]
    pub fn with_time(mut self, time: Duration) -> Self {
        self.milliseconds = Some(time.as_millis().try_into().unwrap_or(u64::MAX));
        self
    }

    /// The comment with a text, made fit for PGN: braces, which PGN has no way to write, become
    /// parentheses, line ends and runs of blanks one blank each; what is longer than some 65,000
    /// bytes is cut off.
    ///
    /// ```
    /// use physarum::record::Comment;
    ///
    /// let comment = Comment::default().with_text("not {at all}\nplayable ");
    /// assert_eq!(comment.text(), "not (at all) playable");
    /// ```
    #[must_use]
    pub fn with_text(mut self, text: &str) -> Self {
        self.text = cut(&clean(text)).to_owned();
        self
    }

    const fn has_fields(&self) -> bool {
        self.score.is_some() || self.depth.is_some() || self.milliseconds.is_some()
    }

    /// Reads what cuteataxx says and returns the rest, `None` if it isn't that.
    fn read_movetime<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        let text = text.strip_prefix("movetime ")?;
        let (time, rest) = text.split_once(' ').unwrap_or((text, ""));
        self.milliseconds = Some(number(time)?);
        Some(rest)
    }

    /// Reads the fields at the beginning and returns the rest.
    fn read_fields<'a>(&mut self, text: &'a str) -> &'a str {
        let mut rest = text;
        for read in [Self::read_evaluation, Self::read_time] {
            let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
            let field = word.strip_suffix(',').unwrap_or(word);
            if read(self, field) {
                rest = after;
                if word.len() > field.len() {
                    break;
                }
            }
        }
        rest
    }

    /// Reads `score`, `score/depth` or `/depth`.
    fn read_evaluation(&mut self, word: &str) -> bool {
        let (score, depth) = match word.split_once('/') {
            None => (RecordedScore::parse(word, false), None),
            Some((score, depth)) => {
                let Some(depth) = number(depth).and_then(|depth| depth.try_into().ok()) else {
                    return false;
                };
                let parsed = RecordedScore::parse(score, true);
                if parsed.is_none() && !score.is_empty() {
                    return false;
                }
                (parsed, Some(depth))
            }
        };
        (self.score, self.depth) = (score, depth);
        score.is_some() || depth.is_some()
    }

    /// Reads `12ms` or `0.012s`.
    fn read_time(&mut self, word: &str) -> bool {
        self.milliseconds = match word.strip_suffix("ms") {
            Some(milliseconds) => number(milliseconds),
            None => word.strip_suffix('s').and_then(|seconds| decimal(seconds, 3)),
        };
        self.milliseconds.is_some()
    }

    /// Whether the text alone would be taken for something else.
    fn text_is_misleading(&self) -> bool {
        let read = Self::parse(&self.text);
        read.has_fields() || read.text != self.text
    }

    fn fmt_fields(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(score) = self.score {
            write!(f, "{score}")?;
        }
        if let Some(depth) = self.depth {
            write!(f, "/{depth}")?;
        }
        if let Some(milliseconds) = self.milliseconds {
            let blank = if self.score.is_some() || self.depth.is_some() { " " } else { "" };
            write!(f, "{blank}{milliseconds}ms")?;
        }
        Ok(())
    }
}

impl fmt::Display for Comment {
    /// What stands between the braces; [`Comment::parse`] reads it back.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_fields(f)?;
        if !self.text.is_empty() && (self.has_fields() || self.text_is_misleading()) {
            f.write_str(", ")?;
        }
        f.write_str(&self.text)
    }
}

/// The text on one line, without braces.
fn clean(text: &str) -> String {
    let plain = |c: char| match c {
        '{' => '(',
        '}' => ')',
        _ if c.is_control() => ' ',
        _ => c,
    };
    let plain: String = text.chars().map(plain).collect();
    let mut line = String::with_capacity(plain.len());
    for word in plain.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// As much of a text as may be kept.
fn cut(text: &str) -> &str {
    let fits = |end: &usize| *end <= MAX_TEXT;
    match text.len() {
        0..=MAX_TEXT => text,
        _ => {
            let end = text.char_indices().map(|(at, _)| at).take_while(fits).last().unwrap_or(0);
            text[..end].trim_end()
        }
    }
}

/// A number of nothing but digits; `parse` alone would take a plus sign.
fn number(digits: &str) -> Option<u64> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// A decimal number with up to so many decimals, in units of the last of them.
fn decimal(text: &str, places: usize) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    if fraction.is_empty() || fraction.len() > places {
        return None;
    }
    let unit = 10u64.pow(places.try_into().ok()?);
    let fraction = number(&format!("{fraction:0<places$}"))?;
    number(whole)?.checked_mul(unit)?.checked_add(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::option;
    use proptest::prelude::*;

    fn ms(comment: &str) -> Option<u64> {
        Comment::parse(comment).milliseconds
    }

    #[test]
    fn programs_forms_are_read() {
        use RecordedScore::*;
        for (text, score, depth, milliseconds, rest) in [
            ("+0.35/9 12ms", Some(Cp(35)), Some(9), Some(12), ""),
            ("+0.35/9 12ms, good move", Some(Cp(35)), Some(9), Some(12), "good move"),
            ("-12.00/30 0.012s, White wins", Some(Cp(-1200)), Some(30), Some(12), "White wins"),
            ("0.00/1 1s", Some(Cp(0)), Some(1), Some(1000), ""),
            ("+M3/20 3ms", Some(Win(3)), Some(20), Some(3), ""),
            ("M3/20", Some(Win(3)), Some(20), None, ""),
            ("-M0", Some(Loss(0)), None, None, ""),
            ("+1 ok", Some(Cp(100)), None, None, "ok"),
            ("+0.5, 12ms ago", Some(Cp(50)), None, None, "12ms ago"),
            ("/9 7ms x", None, Some(9), Some(7), "x"),
            ("12ms, +0.35", None, None, Some(12), "+0.35"),
            ("movetime 12", None, None, Some(12), ""),
            ("movetime 12 x", None, None, Some(12), "x"),
            (", movetime 12", None, None, None, "movetime 12"),
            ("+0.35,", Some(Cp(35)), None, None, ""),
            ("-21474836.48", Some(Cp(i32::MIN)), None, None, ""),
        ] {
            let wanted = Comment { score, depth, milliseconds, text: rest.into() };
            assert_eq!(Comment::parse(text), wanted, "{text}");
        }
    }

    #[test]
    fn all_else_is_text() {
        for text in [
            "0.35",
            "12",
            "M3",
            "+",
            "-",
            "+M",
            "+Mx",
            "/",
            "//",
            "/x",
            "+0.35/",
            "+0.355",
            "+.5",
            "x/9",
            "+0.35/-9",
            "++1",
            "+1.",
            "+21474836.48",
            "+M4294967296",
            "/4294967296",
            "ms",
            "s",
            "-1ms",
            "1.ms",
            "1.2345s",
            "movetime",
            "movetime x",
            "movetime 1, 2",
            "book",
            "99999999999999999999ms",
            "99999999999999999s",
            "+\u{b2}",
            "\u{e9}s",
        ] {
            let comment = Comment::parse(text);
            assert_eq!((comment.text(), comment.has_fields()), (text, false));
            assert_eq!(comment.to_string(), text);
        }
        assert_eq!(ms("18446744073709551615ms"), Some(u64::MAX));
    }

    #[test]
    fn misleading_text_is_marked() {
        for (text, written) in [
            ("12ms were enough", ", 12ms were enough"),
            ("+0.35", ", +0.35"),
            (", so what", ", , so what"),
            ("movetime 12", ", movetime 12"),
            ("more than 12ms", "more than 12ms"),
        ] {
            let comment = Comment::default().with_text(text);
            assert_eq!(comment.to_string(), written);
            assert_eq!(Comment::parse(written), comment);
        }
    }

    #[test]
    fn text_is_made_fit() {
        let text = |text: &str| Comment::default().with_text(text).text().to_owned();
        assert_eq!(text("\t a {b}\r\n\r\n c\u{0}d\u{a0}e "), "a (b) c d e");
        assert_eq!(text(&"x".repeat(MAX_COMMENT)).len(), MAX_TEXT);
        assert_eq!(text(&format!("{} x", "x".repeat(MAX_TEXT - 1))).len(), MAX_TEXT - 1);
        assert_eq!(text(&format!("x{}", "\u{e9}".repeat(MAX_TEXT))).len(), MAX_TEXT - 1);
        let longest = Comment::default()
            .with_score(RecordedScore::Cp(i32::MIN))
            .with_depth(u32::MAX)
            .with_time(Duration::MAX)
            .with_text(&"x".repeat(MAX_COMMENT));
        assert!(longest.to_string().len() <= MAX_COMMENT);
        assert_eq!(Comment::parse(&longest.to_string()), longest);
    }

    fn comment() -> impl Strategy<Value = Comment> {
        let score = prop_oneof![
            any::<i32>().prop_map(RecordedScore::Cp),
            any::<u32>().prop_map(RecordedScore::Win),
            any::<u32>().prop_map(RecordedScore::Loss),
        ];
        let text = prop_oneof!["[-+, /0-9Mms.]{0,12}", "movetime [0-9]", any::<String>()];
        (option::of(score), any::<Option<u32>>(), any::<Option<u64>>(), text).prop_map(
            |(score, depth, milliseconds, text)| {
                Comment { score, depth, milliseconds, text: String::new() }.with_text(&text)
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(comment in comment()) {
            prop_assert_eq!(Comment::parse(&comment.to_string()), comment);
        }
    }
}
