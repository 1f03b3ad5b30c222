//! Reading PGN.

use std::io::BufRead;
use std::ops::ControlFlow;

use super::draft::Draft;
use super::lexer::{Lexer, Token};
use super::{GameRecord, PgnError, PgnErrorKind};
use crate::game::Rules;

/// The longest move, move number, result or name of a tag that is read, in bytes.
pub const MAX_WORD: usize = 64;

/// The most that the tags, moves and comments of one game may take, in bytes.
pub const MAX_GAME: usize = 1 << 24;

/// Reads games from PGN, one at a time: an iterator of games, and of what is wrong with the broken
/// ones, behind which it goes on with the next.
///
/// What it takes:
///
/// - tags in any order or none; the rules are those of the tag `Rules` or, without it, `Variant`,
///   else [`Rules::Ataxx`]; the start is the tag `FEN`'s, else the usual one;
/// - moves in every form that [`Position::parse_move`](crate::game::Position::parse_move) knows,
///   each of which must be legal; move numbers are not looked at;
/// - comments in braces, which may have several lines, and from `;` to the end of the line;
///   variations in parentheses, glyphs such as `$1`, marks such as `!?`, and lines that begin with
///   `%` are skipped;
/// - a result at the end of each game, which must not contradict the tag `Result`; where one of
///   the two is `*`, the other holds;
/// - line ends of both kinds, UTF-8 (with or without a byte order mark) and Latin-1.
///
/// A line that begins with `[Event ` always begins a game, so a forgotten brace costs one game.
/// What is held does not depend on the length of the input: one game of at most [`MAX_GAME`] bytes,
/// and a part of a line.
///
/// ```
/// use physarum::record::PgnReader;
///
/// let pgn = br#"
/// [Event "broken"]
///
/// 1. f1 a1a9 1-0
///
/// [Event "fine"]
///
/// 1. g1f1 $1 (1. g1e1 a2) b1 {movetime 12} 1/2-1/2
/// "#;
/// let mut games = PgnReader::new(pgn.as_slice());
/// let error = games.next().unwrap().unwrap_err();
/// assert_eq!(error.to_string(), "line 4, game 1: move \"a1a9\" at ply 2: no such square: a9");
/// let game = games.next().unwrap()?;
/// assert_eq!(game.tags.get("Event"), Some("fine"));
/// assert_eq!(game.moves().len(), 2);
/// assert!(games.next().is_none());
/// # Ok::<(), physarum::record::PgnError>(())
/// ```
#[derive(Debug)]
pub struct PgnReader<R> {
    lexer: Lexer<R>,
    rules: Rules,
    game: u64,
    line: u64,
    failed: bool,
}

impl<R: BufRead> PgnReader<R> {
    /// Reads games from `reader`.
    pub const fn new(reader: R) -> Self {
        Self { lexer: Lexer::new(reader), rules: Rules::Ataxx, game: 0, line: 1, failed: false }
    }

    /// Takes other rules than [`Rules::Ataxx`] for games that don't say theirs.
    ///
    /// ```
    /// use physarum::game::Rules;
    /// use physarum::record::PgnReader;
    ///
    /// let mut games = PgnReader::new("1. f1 *".as_bytes()).with_default_rules(Rules::Assimilation);
    /// assert_eq!(games.next().unwrap()?.rules(), Rules::Assimilation);
    /// # Ok::<(), physarum::record::PgnError>(())
    /// ```
    #[must_use]
    pub fn with_default_rules(self, rules: Rules) -> Self {
        Self { rules, ..self }
    }

    /// The line where the last game begins, counted from 1.
    ///
    /// ```
    /// use physarum::record::PgnReader;
    ///
    /// let mut games = PgnReader::new("\n1. f1 *\n\n1. f2 *\n".as_bytes());
    /// games.next().unwrap()?;
    /// assert_eq!(games.line(), 2);
    /// games.next().unwrap()?;
    /// assert_eq!(games.line(), 4);
    /// # Ok::<(), physarum::record::PgnError>(())
    /// ```
    pub const fn line(&self) -> u64 {
        self.line
    }

    /// Takes one token; breaks with the end of the game.
    fn step(&mut self, draft: &mut Draft) -> ControlFlow<()> {
        let token = self.lexer.token();
        let line = self.lexer.line();
        match token {
            Ok(Token::Bracket { first }) => self.bracket(draft, line, first),
            Ok(token) => draft.token(line, token),
            Err(kind @ PgnErrorKind::Io(_)) => self.fail(draft, line, kind),
            Err(kind) => {
                draft.bad_token(line, kind);
                ControlFlow::Continue(())
            }
        }
    }

    /// A bracket begins a tag of this game or of the next, or is out of place.
    fn bracket(&mut self, draft: &mut Draft, line: u64, first: bool) -> ControlFlow<()> {
        let next_game = if draft.has_moves() {
            first
        } else {
            draft.has_tag("Event") && self.lexer.begins_game()
        };
        if next_game {
            draft.cut_off();
            return ControlFlow::Break(());
        }
        if draft.has_moves() {
            self.lexer.skip_bracket();
            draft.bad_token(line, PgnErrorKind::Unexpected('['));
            return ControlFlow::Continue(());
        }
        match self.lexer.tag() {
            Err(kind @ PgnErrorKind::Io(_)) => self.fail(draft, line, kind),
            tag => {
                draft.tag(line, tag);
                ControlFlow::Continue(())
            }
        }
    }

    /// The input has failed.
    fn fail(&mut self, draft: &mut Draft, line: u64, kind: PgnErrorKind) -> ControlFlow<()> {
        self.failed = true;
        draft.break_off(line, kind);
        ControlFlow::Break(())
    }
}

impl<R: BufRead> Iterator for PgnReader<R> {
    type Item = Result<GameRecord, PgnError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let mut draft = Draft::new(self.rules);
        let mut goes_on = self.step(&mut draft).is_continue();
        self.line = self.lexer.line();
        while goes_on {
            goes_on = self.step(&mut draft).is_continue();
        }
        let game = draft.finish()?;
        self.game = self.game.saturating_add(1);
        Some(game.map_err(|(line, kind)| PgnError { line, game: self.game, kind }))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, BufReader, Read};

    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::super::{GameResult, MAX_COMMENT, MAX_TAG, MAX_TAGS};
    use super::*;

    /// What is read, through a small buffer: games as one line of text, errors as their text.
    fn read(pgn: &[u8]) -> Vec<String> {
        let games = PgnReader::new(BufReader::with_capacity(5, pgn));
        games.map(|game| game.map_or_else(|error| error.to_string(), |game| line(&game))).collect()
    }

    /// Moves, comments and result.
    fn line(game: &GameRecord) -> String {
        let text = game.to_string();
        text.split_once("\n\n").unwrap().1.trim_end().to_owned()
    }

    #[track_caller]
    fn check(pgn: &str, wanted: &[&str]) {
        assert_eq!(read(pgn.as_bytes()), wanted, "{pgn}");
        let with_cr = pgn.replace('\n', "\r\n");
        assert_eq!(read(with_cr.as_bytes()), wanted, "with CR LF: {pgn}");
    }

    #[test]
    fn what_is_not_a_move_is_skipped() {
        check(
            "% a line for others\n1.g1f1 $12 g6?? ; well\n%1. x\n2. f2!? (2. f3 (2. f4 {no}) 1-0)\n\
             !? a2 { movetime 7\n} ( 2... zz ) {so} 1/2-1/2 {the end} ; for all\n% yes\n",
            &["1. f1 g6 {well} 2. f2 a2 {7ms, so} 1/2-1/2"],
        );
        check("1 f1 1... g6 2 f2*", &["1. f1 g6 2. f2 *"]);
        check("f1 g6 1-0\n0-1\n*", &["1. f1 g6 1-0", "0-1", "*"]);
        check("", &[]);
        check("\n ; nothing\n{here}", &[]);
        assert_eq!(read(b"\xef\xbb\xbf1. f1 {\xe9} *"), ["1. f1 {\u{e9}} *"]);
    }

    #[test]
    fn comments_are_put_together() {
        check(
            "[Event \"x\"]\n{before}\n{it}1. {all} f1 {a} {b\nc} 0-1",
            &["{before it all} 1. f1 {a b c} 0-1"],
        );
        check("f1 {} g6 {+0.35/9 12ms} {x} *", &["1. f1 g6 {+0.35/9 12ms, x} *"]);
    }

    #[test]
    fn tags_are_kept_but_for_those_that_the_record_has_itself() {
        let pgn = "[Variant \"ataxx\"] [setup \"1\"]\n[fen \"7/7/7/7/4ooo/4ooo/4oox x 0 30\"]\n\
                   [Result \"0-1\"]\n[EVENT \"a \"b\" \\\"c\\\"\"]\n[Site \"?\"]\n1. 0000 *";
        let game = PgnReader::new(pgn.as_bytes()).next().unwrap().unwrap();
        let tags: Vec<_> = game.tags.iter().collect();
        assert_eq!(tags, [("Event", "a \"b\" \"c\""), ("Variant", "ataxx"), ("setup", "1")]);
        assert_eq!(game.start().to_string(), "7/7/7/7/4ooo/4ooo/4oox x 0 30");
        assert_eq!(game.result, GameResult::WhiteWins);
    }

    #[test]
    fn rules_come_from_a_tag_or_from_outside() {
        let rules = |tags: &str, default| {
            let pgn = format!("{tags}*");
            let mut games = PgnReader::new(pgn.as_bytes()).with_default_rules(default);
            games.next().unwrap().map(|game| game.rules()).map_err(|error| error.to_string())
        };
        use Rules::*;
        for default in Rules::ALL {
            assert_eq!(rules("", default), Ok(default));
            assert_eq!(rules("[Rules \"assimilation\"]", default), Ok(Assimilation));
            assert_eq!(rules("[Variant \"Ataxx\"]", default), Ok(Ataxx));
            assert_eq!(rules("[Variant \"x\"][Rules \"Ataxx\"]", default), Ok(Ataxx));
        }
        let error = "line 1, game 1: tag Variant: \"chess\" is not a rule set: Assimilation, \
                     Ataxx or Fill is expected";
        assert_eq!(rules("[Variant \"chess\"]\n", Ataxx), Err(error.into()));
    }

    #[test]
    fn broken_games_are_told_from_sound_ones() {
        let sound = "[Event \"next\"]\n\n1. f1 *\n";
        for (broken, line, error) in [
            ("1. f1 d4 1-0", 1, "move \"d4\" at ply 2: no stone of o can reach d4"),
            ("\n1. f1\n\n1... h8 1-0", 4, "move \"h8\" at ply 2: no such square: h8"),
            ("1. f1 {\n} 0000 *", 2, "move \"0000\" at ply 2: o must not pass: it has a move"),
            ("1. a1b1 *", 1, "move \"a1b1\" at ply 1: no stone of x can reach b1"),
            (
                "hello there *",
                1,
                "move \"hello\" at ply 1: not a move: b1 (clone), a1c3 (jump) or \
                                  0000 (pass) is expected",
            ),
            ("[FEN \"x6/7/7/7/7/7/7 x 0 1\"]\n\na6 *", 3, "move \"a6\" at ply 1: the game is over"),
            ("1. f1\n", 1, "the game has no result at its end: 1-0, 0-1, 1/2-1/2 or * is expected"),
            (
                "[Event \"x\"]\n",
                1,
                "the game has no result at its end: 1-0, 0-1, 1/2-1/2 or * is expected",
            ),
            ("1. f1 (1. f2\n", 1, "variation without )"),
            ("1. f1\n(1. f2 (x)\n*", 2, "variation without )"),
            ("1. f1) *", 1, "unexpected ): no variation has begun"),
            ("1. f1 {oh\n\n*", 1, "comment without }"),
            ("1. f1 } *", 1, "unexpected '}'"),
            ("1. f1 [x] *", 1, "unexpected '['"),
            ("1. f1 $ *", 1, "unexpected '$'"),
            ("\"f1\" *", 1, "unexpected '\"'"),
            ("[Event \"x\"\n[Site \"y\"]\n\n*", 1, "malformed tag: [Name \"value\"] is expected"),
            ("[Event]\n\n*", 1, "malformed tag: [Name \"value\"] is expected"),
            ("[Site \"x\"]\n[SITE \"y\"]\n*", 2, "tag SITE given twice"),
            ("[Site \"x\"]\n[FEN \"x5o\"]\n*", 2, "tag FEN: 1 ranks on the board: 7 are expected"),
            (
                "[Rules \"chess\"]\n*",
                1,
                "tag Rules: \"chess\" is not a rule set: Assimilation, \
                     Ataxx or Fill is expected",
            ),
            (
                "[Result \"won\"]\n*",
                1,
                "tag Result: \"won\" is not a result: 1-0, 0-1, 1/2-1/2 or * \
                                       is expected",
            ),
            (
                "[Result \"1-0\"]\n\nf1 0-1",
                3,
                "result 0-1 behind the moves, but 1-0 in the tag Result",
            ),
            // The first thing wrong is the one that is told.
            (
                "[FEN \"\"]\n[Rules \"x\"]\n\nx }\n*",
                1,
                "tag FEN: empty FEN: a board, a side, and two clocks are expected",
            ),
        ] {
            let wanted = format!("line {line}, game 1: {error}");
            check(broken, &[&wanted]);
            check(&format!("{broken}\n\n{sound}"), &[&wanted, "1. f1 *"]);
        }
    }

    #[test]
    fn games_are_counted_with_the_broken_ones() {
        check(
            "f1 *\nx *\nf1 *\ny *",
            &[
                "1. f1 *",
                "line 2, game 2: move \"x\" at ply 1: not a move: b1 (clone), a1c3 (jump) or 0000 \
             (pass) is expected",
                "1. f1 *",
                "line 4, game 4: move \"y\" at ply 1: not a move: b1 (clone), a1c3 (jump) or 0000 \
             (pass) is expected",
            ],
        );
    }

    #[test]
    fn tags_alone_are_an_unfinished_game() {
        let unfinished = "the game has no result at its end: 1-0, 0-1, 1/2-1/2 or * is expected";
        check(
            "[Event \"x\"]\n[Site \"x\"]\n\n[Event \"y\"]\n\n*",
            &[&format!("line 2, game 1: {unfinished}"), "*"],
        );
    }

    #[test]
    fn the_reader_goes_on_at_once_behind_a_result() {
        check(
            "1. f1 1-0 [Event \"x\"]\n1. f2 0-1[Event \"y\"] *",
            &["1. f1 1-0", "1. f2 0-1", "*"],
        );
    }

    #[test]
    fn nothing_grows_without_bounds() {
        let x = |n| "x".repeat(n);
        let sound = "1. f1 *";
        for (broken, error) in [
            (format!("f1 {} *", x(MAX_WORD + 1)), format!("word of more than {MAX_WORD} bytes")),
            (
                format!("f1 {{{}}} *", x(MAX_COMMENT + 1)),
                format!("comment of more than {MAX_COMMENT} bytes"),
            ),
            (format!("[A \"{}\"]\n*", x(MAX_TAG + 1)), format!("tag of more than {MAX_TAG} bytes")),
            (
                (0..=MAX_TAGS).map(|n| format!("[T{n} \"\"] ")).collect::<String>() + "*",
                format!("more than {MAX_TAGS} tags"),
            ),
            (
                "f1 ".to_owned() + &format!("{{{}}}", x(MAX_COMMENT)).repeat(300) + "*",
                format!("game of more than {MAX_GAME} bytes"),
            ),
            (
                "[Rules \"Assimilation\"] ".to_owned()
                    + &"g1e1 a1c1 e1g1 c1a1 ".repeat(MAX_GAME / 128)
                    + "*",
                format!("game of more than {MAX_GAME} bytes"),
            ),
        ] {
            let pgn = format!("{broken}\n{sound}");
            let games: Vec<_> = PgnReader::new(pgn.as_bytes()).collect();
            assert_eq!(games.len(), 2);
            let text = games[0].as_ref().unwrap_err().to_string();
            assert_eq!(text, format!("line 1, game 1: {error}"));
            assert_eq!(line(games[1].as_ref().unwrap()), sound);
        }
        let deep = format!("f1 {}{} *", "(".repeat(100_000), ")".repeat(100_000));
        check(&deep, &["1. f1 *"]);
        let endless = BufReader::new(io::repeat(b'{').take(1 << 22));
        let error = PgnReader::new(endless).next().unwrap().unwrap_err();
        assert!(matches!(error.kind, PgnErrorKind::UnclosedComment));
    }

    #[test]
    fn failing_input_is_told_once() {
        struct Failing;
        impl Read for Failing {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("gone"))
            }
        }
        for begin in ["f1 *\nf1 ", "f1 *\n[Event \"x", "f1 *\nx {", "f1 *\n"] {
            let input = BufReader::new(begin.as_bytes().chain(Failing));
            let games: Vec<_> = PgnReader::new(input).collect();
            assert!(games[0].is_ok());
            let errors: Vec<_> = games[1..].iter().map(|game| game.as_ref().unwrap_err()).collect();
            assert_eq!(errors.len(), 1, "{begin}");
            let text = errors[0].to_string();
            assert!(text.ends_with("game 2: cannot read the input: gone"), "{text}");
        }
    }

    /// Whatever comes in, games and errors are numbered, their lines exist, and games can be written
    /// and read again.
    fn survives(pgn: &[u8]) -> Result<(), TestCaseError> {
        let lines = pgn.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
        for (index, game) in PgnReader::new(BufReader::with_capacity(3, pgn)).enumerate() {
            prop_assert!(index < pgn.len());
            match game {
                Err(error) => {
                    prop_assert_eq!(error.game, index as u64 + 1);
                    prop_assert!((1..=lines).contains(&error.line), "{}", error);
                }
                Ok(game) => {
                    let text = game.to_string();
                    let again: Result<Vec<_>, _> = PgnReader::new(text.as_bytes()).collect();
                    prop_assert_eq!(again.unwrap(), [game]);
                }
            }
        }
        Ok(())
    }

    const PARTS: [&[u8]; 40] = [
        b"[Event \"a\"]",
        b"[Site \"b\\\"\"]",
        b"[FEN \"x5o/7/7/7/7/7/o4xx o 0 1\"]",
        b"[Result \"1-0\"]",
        b"[Rules \"Assimilation\"]",
        b"[Variant \"ataxx\"]",
        b"[FEN \"7/7/7/7/4ooo/4ooo/4oox x 0 1\"]",
        b"\n",
        b"\n",
        b"\n",
        b" ",
        b" ",
        b"\r\n",
        b"\n\n",
        b"1.",
        b"1...",
        b" f1 ",
        b" g6 ",
        b" f2 ",
        b" a2 ",
        b"g1f1",
        b" a1a1 ",
        b"0000",
        b"{",
        b"}",
        b"(",
        b")",
        b";",
        b"%",
        b"$3",
        b"!",
        b"*",
        b"1-0",
        b"0-1",
        b"1/2-1/2",
        b"{+0.35/9 12ms}",
        b"{text}",
        b"\xff",
        b"\"",
        b"[",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_bytes_make_it_panic(bytes in vec(any::<u8>(), 0..200)) {
            survives(&bytes)?;
        }

        #[test]
        fn no_parts_in_no_order_make_it_panic(parts in vec(select(PARTS.to_vec()), 0..60)) {
            survives(&parts.concat())?;
        }
    }
}
