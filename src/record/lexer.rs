//! Bytes into tokens.

use std::io::{self, BufRead};

use super::source::{Source, is_blank};
use super::{MAX_COMMENT, MAX_TAG, MAX_WORD, PgnErrorKind};

/// What PGN is made of.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// The end of the input.
    End,
    /// A bracket, which has not been used yet, and whether it is the first thing on its line.
    Bracket { first: bool },
    /// What stands between braces, or behind a semicolon.
    Comment(String),
    /// A move, a move number, a result.
    Word(String),
    /// `(`
    Open,
    /// `)`
    Close,
    /// `$` with a number.
    Glyph,
}

/// These end a word.
const DELIMITERS: &[u8] = b"[]{}()<>;$\"*";

/// Bytes into tokens.
#[derive(Debug)]
pub(super) struct Lexer<R> {
    source: Source<R>,
    line: u64,
}

impl<R: BufRead> Lexer<R> {
    pub(super) const fn new(reader: R) -> Self {
        Self { source: Source::new(reader), line: 1 }
    }

    /// The number of the line where the last token begins.
    pub(super) const fn line(&self) -> u64 {
        self.line
    }

    /// The next token.
    ///
    /// # Errors
    ///
    /// What is wrong with it; the next call goes on behind it.
    pub(super) fn token(&mut self) -> Result<Token, PgnErrorKind> {
        self.skip_blanks()?;
        self.line = self.source.line();
        let Some(byte) = self.source.peek()? else { return Ok(Token::End) };
        match byte {
            b'[' => Ok(Token::Bracket { first: self.source.is_first_but_blanks() }),
            b'{' => self.comment(),
            b';' => self.comment_to_line_end(),
            b'(' => Ok(self.single(Token::Open)),
            b')' => Ok(self.single(Token::Close)),
            b'*' => Ok(self.single(Token::Word("*".into()))),
            b'$' => self.glyph(),
            b']' | b'}' | b'<' | b'>' | b'"' => {
                self.source.advance();
                Err(PgnErrorKind::Unexpected(char::from(byte)))
            }
            _ => self.word(),
        }
    }

    /// Whether the bracket that comes next is that of a game's first tag.
    pub(super) fn begins_game(&self) -> bool {
        self.source.begins_game()
    }

    /// Uses a bracket that is none of a tag.
    pub(super) fn skip_bracket(&mut self) {
        self.source.advance();
    }

    /// Name and value of the tag whose bracket comes next.
    ///
    /// # Errors
    ///
    /// When it is no tag; the next token is on another line then.
    pub(super) fn tag(&mut self) -> Result<(String, String), PgnErrorKind> {
        self.source.advance();
        let tag = self.tag_behind_bracket();
        if tag.is_err() {
            self.source.skip_line()?;
        }
        tag
    }

    fn tag_behind_bracket(&mut self) -> Result<(String, String), PgnErrorKind> {
        self.skip_spaces()?;
        let mut name = Text::new("name of a tag", MAX_WORD);
        self.take_while(&mut name, |byte| byte.is_ascii_alphanumeric() || byte == b'_')?;
        let name = name.finish()?;
        self.skip_spaces()?;
        if name.is_empty() || self.source.peek()? != Some(b'"') {
            return Err(PgnErrorKind::MalformedTag);
        }
        self.source.advance();
        Ok((name, self.value()?))
    }

    /// A tag's value up to the quote before the closing bracket, and both of these.
    ///
    /// A backslash makes the quote or backslash behind it a part of the value. So that values
    /// nobody has escaped are read as well, other backslashes, and quotes that no bracket follows,
    /// stand for themselves.
    fn value(&mut self) -> Result<String, PgnErrorKind> {
        let mut value = Text::new("tag", MAX_TAG);
        // Where the value ends if a bracket comes next.
        let mut end = None;
        loop {
            let byte = self.source.peek()?.unwrap_or(b'\n');
            if byte == b'\n' {
                return Err(PgnErrorKind::MalformedTag);
            }
            self.source.advance();
            match byte {
                b']' if end.is_some() => break,
                b'"' => end = Some(value.bytes.len()),
                b' ' | b'\t' => {}
                _ => end = None,
            }
            value.push(self.unescaped(byte)?);
        }
        value.bytes.truncate(end.unwrap_or_default());
        value.finish()
    }

    /// The byte itself or, if it is a backslash, what it escapes.
    fn unescaped(&mut self, byte: u8) -> io::Result<u8> {
        if byte == b'\\'
            && let Some(escaped @ (b'\\' | b'"')) = self.source.peek()?
        {
            self.source.advance();
            return Ok(escaped);
        }
        Ok(byte)
    }

    fn single(&mut self, token: Token) -> Token {
        self.source.advance();
        token
    }

    fn comment(&mut self) -> Result<Token, PgnErrorKind> {
        self.source.advance();
        let mut text = Text::new("comment", MAX_COMMENT);
        loop {
            let byte = self.source.peek()?.ok_or(PgnErrorKind::UnclosedComment)?;
            // The next game is not to be taken for a part of the comment.
            if self.source.begins_game() {
                return Err(PgnErrorKind::UnclosedComment);
            }
            self.source.advance();
            if byte == b'}' {
                return text.finish().map(Token::Comment);
            }
            text.push(byte);
        }
    }

    fn comment_to_line_end(&mut self) -> Result<Token, PgnErrorKind> {
        self.source.advance();
        let mut text = Text::new("comment", MAX_COMMENT);
        self.take_while(&mut text, |byte| byte != b'\n')?;
        text.finish().map(Token::Comment)
    }

    fn glyph(&mut self) -> Result<Token, PgnErrorKind> {
        self.source.advance();
        let mut digits = Text::new("glyph", MAX_WORD);
        self.take_while(&mut digits, |byte| byte.is_ascii_digit())?;
        if digits.finish()?.is_empty() {
            return Err(PgnErrorKind::Unexpected('$'));
        }
        Ok(Token::Glyph)
    }

    fn word(&mut self) -> Result<Token, PgnErrorKind> {
        let mut word = Text::new("word", MAX_WORD);
        self.take_while(&mut word, |byte| !is_blank(byte) && !DELIMITERS.contains(&byte))?;
        word.finish().map(Token::Word)
    }

    fn take_while(&mut self, text: &mut Text, belongs: impl Fn(u8) -> bool) -> io::Result<()> {
        while let Some(byte) = self.source.peek()?
            && belongs(byte)
        {
            text.push(byte);
            self.source.advance();
        }
        Ok(())
    }

    /// Skips blanks, line ends and lines that begin with `%`.
    fn skip_blanks(&mut self) -> io::Result<()> {
        while let Some(byte) = self.source.peek()? {
            if byte == b'%' && self.source.is_first() {
                self.source.skip_line()?;
            } else if is_blank(byte) {
                self.source.advance();
            } else {
                break;
            }
        }
        Ok(())
    }

    /// Skips blanks on the same line.
    fn skip_spaces(&mut self) -> io::Result<()> {
        while let Some(b' ' | b'\t') = self.source.peek()? {
            self.source.advance();
        }
        Ok(())
    }
}

/// Bytes of which no more are kept than allowed.
struct Text {
    what: &'static str,
    limit: usize,
    bytes: Vec<u8>,
}

impl Text {
    const fn new(what: &'static str, limit: usize) -> Self {
        Self { what, limit, bytes: Vec::new() }
    }

    #[inline]
    fn push(&mut self, byte: u8) {
        // One more than allowed shows that there were too many.
        if self.bytes.len() <= self.limit {
            self.bytes.push(byte);
        }
    }

    /// The bytes as UTF-8 or, where they are none, as Latin-1, which PGN once was.
    fn finish(self) -> Result<String, PgnErrorKind> {
        if self.bytes.len() > self.limit {
            return Err(PgnErrorKind::TooLong { what: self.what, limit: self.limit });
        }
        Ok(String::from_utf8(self.bytes)
            .unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexer(text: &[u8]) -> Lexer<&[u8]> {
        Lexer::new(text)
    }

    /// All tokens with their lines, errors as text.
    fn tokens(text: &str) -> Vec<String> {
        let mut lexer = lexer(text.as_bytes());
        let mut seen = Vec::new();
        loop {
            let token = lexer.token();
            let text = match token {
                Ok(Token::End) => return seen,
                Ok(Token::Bracket { .. }) => format!("{:?}", lexer.tag()),
                Ok(token) => format!("{token:?}"),
                Err(error) => error.to_string(),
            };
            seen.push(format!("{} {text}", lexer.line()));
        }
    }

    #[test]
    fn tokens_and_their_lines() {
        assert_eq!(
            tokens("%[x\n1.f1!{a\n %b}(c)$12*1-0;d}\r\n %x"),
            [
                r#"2 Word("1.f1!")"#,
                r#"2 Comment("a\n %b")"#,
                "3 Open",
                r#"3 Word("c")"#,
                "3 Close",
                "3 Glyph",
                r#"3 Word("*")"#,
                r#"3 Word("1-0")"#,
                r#"3 Comment("d}\r")"#,
                r#"4 Word("%x")"#,
            ]
        );
        assert_eq!(tokens(""), [""; 0]);
        assert_eq!(tokens(" \n\n% x"), [""; 0]);
    }

    #[test]
    fn characters_without_a_meaning() {
        for c in [']', '}', '<', '>', '"', '$'] {
            let unexpected = format!("1 unexpected {c:?}");
            assert_eq!(tokens(&format!("{c}x")), [&unexpected, r#"1 Word("x")"#]);
        }
    }

    #[test]
    fn values_of_tags() {
        let value = |text: &[u8]| {
            let mut lexer = lexer(text);
            lexer.token().unwrap();
            lexer.tag().map(|(name, value)| format!("{name}={value}")).map_err(|e| e.to_string())
        };
        for (text, wanted) in [
            (r#"[A "b"]"#, "A=b"),
            (r#"[A"b"]"#, "A=b"),
            (r#"[ A_1  "b c " ]"#, "A_1=b c "),
            (r#"[A ""]"#, "A="),
            (r#"[A "\"b\" \\c"]"#, r#"A="b" \c"#),
            (r#"[A "a "b" c"]"#, r#"A=a "b" c"#),
            (r#"[A "\b"]"#, r"A=\b"),
            (r#"[A "b\"] c"]"#, r#"A=b"] c"#),
            (r#"[A "[b] ]"]"#, "A=[b] ]"),
            ("[A \"b\"\t]", "A=b"),
            ("[A \"\u{e9}\"]", "A=\u{e9}"),
        ] {
            assert_eq!(value(text.as_bytes()), Ok(wanted.into()), "{text}");
        }
        assert_eq!(value(b"[A \"\xe9\"]"), Ok("A=\u{e9}".into()));
        let malformed = PgnErrorKind::MalformedTag.to_string();
        for text in ["[", "[]", "[A]", "[A b]", "[A \"b]", "[A \"b\"", "[\"b\"]", "[A \"b\n\"]"] {
            assert_eq!(value(text.as_bytes()), Err(malformed.clone()), "{text}");
        }
    }

    #[test]
    fn a_malformed_tag_ends_with_its_line() {
        assert_eq!(
            tokens("[A \"b]\n[A b] c\n[C \"d\"] e"),
            ["1 Err(MalformedTag)", "2 Err(MalformedTag)", r#"3 Ok(("C", "d"))"#, r#"3 Word("e")"#]
        );
    }

    #[test]
    fn an_unclosed_comment_ends_with_the_next_game() {
        assert_eq!(
            tokens("{a\n[x]\n[Event \"b\"]"),
            ["1 comment without }", r#"3 Ok(("Event", "b"))"#]
        );
        assert_eq!(tokens("{a"), ["1 comment without }"]);
    }

    #[test]
    fn what_is_too_long_is_refused_and_passed_over() {
        let x = |n| "x".repeat(n);
        let too_long = |what, limit| format!("1 {what} of more than {limit} bytes");
        assert_eq!(
            tokens(&format!("{} y", x(MAX_WORD + 1))),
            [&too_long("word", MAX_WORD), r#"1 Word("y")"#]
        );
        assert_eq!(
            tokens(&format!("{{{}}} y", x(3 * MAX_COMMENT))),
            [&too_long("comment", MAX_COMMENT), r#"1 Word("y")"#]
        );
        assert_eq!(tokens(&format!("{{{}}}", x(MAX_COMMENT))).len(), 1);
        assert_eq!(
            tokens(&format!("[A \"{}\"] y\nz", x(2 * MAX_TAG))),
            [&format!("1 Err(TooLong {{ what: \"tag\", limit: {MAX_TAG} }})"), r#"2 Word("z")"#]
        );
    }
}
