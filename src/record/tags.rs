//! Tags: what is known of a game beside its moves.

use thiserror::Error;

/// The longest value of a tag, in bytes.
pub const MAX_TAG: usize = 1 << 12;

/// The most tags that a game may have.
pub const MAX_TAGS: usize = 256;

/// The longest name of a tag, in bytes.
const MAX_NAME: usize = 64;

/// The tags that every record has, in the order in which they are written.
pub(super) const ROSTER: [&str; 6] = ["Event", "Site", "Date", "Round", "Black", "White"];

/// The tags that are made from a record's other parts.
pub(super) const TYPED: [&str; 3] = ["Result", "FEN", "Rules"];

/// Why a tag cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TagError {
    /// The name has other characters than letters, digits and `_`, none at all or too many.
    #[error("not the name of a tag: up to {MAX_NAME} of A-Z, a-z, 0-9 and _ are expected")]
    Name,
    /// The tag is one of those that are made from a record's other parts.
    #[error("the tag {0} is made from the record itself")]
    Typed(&'static str),
    /// The value has more than [`MAX_TAG`] bytes.
    #[error("value of {0} bytes: at most {MAX_TAG} are allowed")]
    TooLong(usize),
    /// There are [`MAX_TAGS`] already.
    #[error("more than {MAX_TAGS} tags")]
    TooMany,
}

/// Names and values in the order in which they are written: first, as far as they are known,
/// `Event`, `Site`, `Date`, `Round`, `Black`, `White`, then others as they came.
///
/// Names are the same in any case. `Result`, `FEN` and `Rules` are not here: a
/// [`GameRecord`](super::GameRecord) has them as values of their own.
///
/// ```
/// use physarum::record::Tags;
///
/// let mut tags = Tags::default();
/// tags.set("TimeControl", "1+0.01")?;
/// tags.set("black", "Physarum")?;
/// assert_eq!(tags.get("Black"), Some("Physarum"));
/// let all: Vec<_> = tags.iter().collect();
/// assert_eq!(all, [("Black", "Physarum"), ("TimeControl", "1+0.01")]);
/// assert!(tags.set("FEN", "x5o/7/7/7/7/7/o5x x 0 1").is_err());
/// # Ok::<(), physarum::record::TagError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags(Vec<(String, String)>);

impl Tags {
    /// The value of a tag, `None` if it is unknown.
    ///
    /// ```
    /// assert_eq!(physarum::record::Tags::default().get("Event"), None);
    /// ```
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Sets a tag. Control characters in the value, line ends among them, become blanks.
    ///
    /// `?` (for `Date`, `????.??.??`) is how PGN says that one of the first six is unknown: it
    /// removes the tag.
    ///
    /// ```
    /// use physarum::record::Tags;
    ///
    /// let mut tags = Tags::default();
    /// tags.set("Event", "Club\nchampionship")?;
    /// assert_eq!(tags.get("Event"), Some("Club championship"));
    /// tags.set("Event", "?")?;
    /// assert_eq!(tags, Tags::default());
    /// # Ok::<(), physarum::record::TagError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When name or value are unfit, or there are too many tags; nothing has changed then.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), TagError> {
        check(name, value)?;
        let rank = rank(name);
        if rank < ROSTER.len() && is_unknown(value) {
            self.remove(name);
            return Ok(());
        }
        let value = value.replace(char::is_control, " ");
        if let Some((_, old)) =
            self.0.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name))
        {
            *old = value;
        } else if self.0.len() == MAX_TAGS {
            return Err(TagError::TooMany);
        } else {
            let name = ROSTER.get(rank).copied().unwrap_or(name);
            let place = self.0.partition_point(|(known, _)| self::rank(known) <= rank);
            self.0.insert(place, (name.to_owned(), value));
        }
        Ok(())
    }

    /// Removes a tag and returns its value, `None` if it wasn't there.
    ///
    /// ```
    /// use physarum::record::Tags;
    ///
    /// let mut tags = Tags::default();
    /// tags.set("PlyCount", "66")?;
    /// assert_eq!(tags.remove("PlyCount").as_deref(), Some("66"));
    /// assert_eq!(tags.remove("PlyCount"), None);
    /// # Ok::<(), physarum::record::TagError>(())
    /// ```
    pub fn remove(&mut self, name: &str) -> Option<String> {
        let place = self.0.iter().position(|(known, _)| known.eq_ignore_ascii_case(name))?;
        Some(self.0.remove(place).1)
    }

    /// Names and values in order.
    ///
    /// ```
    /// use physarum::record::Tags;
    ///
    /// let mut tags = Tags::default();
    /// tags.set("Round", "1.2")?;
    /// assert_eq!(tags.iter().next(), Some(("Round", "1.2")));
    /// # Ok::<(), physarum::record::TagError>(())
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// Where a tag's name stands among the first six; all others stand behind them.
fn rank(name: &str) -> usize {
    ROSTER.iter().position(|known| known.eq_ignore_ascii_case(name)).unwrap_or(ROSTER.len())
}

/// Whether a value is PGN's way to say nothing.
fn is_unknown(value: &str) -> bool {
    matches!(value, "?" | "????.??.??")
}

/// Whether name and value may be those of a tag.
fn check(name: &str, value: &str) -> Result<(), TagError> {
    let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if name.is_empty() || name.len() > MAX_NAME || !name.bytes().all(is_fit) {
        return Err(TagError::Name);
    }
    if let Some(typed) = TYPED.iter().find(|known| known.eq_ignore_ascii_case(name)) {
        return Err(TagError::Typed(typed));
    }
    if value.len() > MAX_TAG {
        return Err(TagError::TooLong(value.len()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_six_come_first_in_their_order() {
        let mut tags = Tags::default();
        for (name, value) in
            [("B", "1"), ("WHITE", "w"), ("A", "2"), ("Site", "s"), ("black", "b"), ("Date", "d")]
        {
            tags.set(name, value).unwrap();
        }
        tags.set("b", "3").unwrap();
        let text: Vec<_> = tags.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(text.join(" "), "Site=s Date=d Black=b White=w B=3 A=2");
    }

    #[test]
    fn what_is_unknown_is_not_there() {
        let mut tags = Tags::default();
        for name in ROSTER {
            tags.set(name, "x").unwrap();
            tags.set(name, "?").unwrap();
        }
        tags.set("Date", "????.??.??").unwrap();
        assert_eq!(tags, Tags::default());
        // A round can be said not to exist, and other tags can have any value.
        tags.set("Round", "-").unwrap();
        tags.set("Opening", "?").unwrap();
        assert_eq!((tags.get("Round"), tags.get("Opening")), (Some("-"), Some("?")));
    }

    #[test]
    fn unfit_tags_are_refused() {
        let mut tags = Tags::default();
        for name in ["", "Black Elo", "Bl\u{e4}ck", "A-B", "a\n", &"N".repeat(MAX_NAME + 1)] {
            assert_eq!(tags.set(name, "x"), Err(TagError::Name), "{name}");
        }
        assert_eq!(tags.set("fen", "x"), Err(TagError::Typed("FEN")));
        assert_eq!(tags.set("Result", "1-0"), Err(TagError::Typed("Result")));
        let long = "x".repeat(MAX_TAG + 1);
        assert_eq!(tags.set("Event", &long), Err(TagError::TooLong(MAX_TAG + 1)));
        assert_eq!(tags, Tags::default());
        for i in 0..MAX_TAGS {
            tags.set(&format!("T{i}"), &long[1..]).unwrap();
        }
        assert_eq!(tags.set("More", ""), Err(TagError::TooMany));
        assert_eq!(tags.set("T0", ""), Ok(()));
    }
}
