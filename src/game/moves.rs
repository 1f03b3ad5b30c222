//! Moves and their text.

use std::fmt;
use std::num::NonZeroU16;
use std::str::FromStr;

use thiserror::Error;

use super::{Color, Position, Rules, Square};

/// A clone, a jump or a pass.
///
/// A clone is named by its target alone: from wherever the stone comes, the position after it is
/// the same. Whether a move is legal is a [`Position`]'s affair.
///
/// ```
/// use physarum::game::{Move, MoveKind};
///
/// let jump: Move = "a1c3".parse().unwrap();
/// assert!(matches!(jump.kind(), MoveKind::Jump { .. }));
/// assert_eq!(jump.to_string(), "a1c3");
/// assert_eq!("P@B2".parse::<Move>().unwrap().to_string(), "b2");
/// assert_eq!("pass".parse::<Move>().unwrap(), Move::PASS);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(NonZeroU16);

/// What a [`Move`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveKind {
    /// A new stone appears on `to`, next to one of the mover's.
    Clone {
        /// The target.
        to: Square,
    },
    /// A stone goes from `from` to `to`, two squares away.
    Jump {
        /// The square that is left.
        from: Square,
        /// The target.
        to: Square,
    },
    /// Nothing moves.
    Pass,
}

/// Set in every move, so that `Option<Move>` is no larger than `Move`.
const MARK: u16 = 1 << 15;
const SQUARE_BITS: u16 = 6;
const SQUARE_MASK: u16 = (1 << SQUARE_BITS) - 1;

impl Move {
    /// The pass, written `0000`.
    pub const PASS: Self = Self::encode(SQUARE_MASK, SQUARE_MASK);

    const fn encode(from: u16, to: u16) -> Self {
        match NonZeroU16::new(MARK | (from << SQUARE_BITS) | to) {
            Some(bits) => Self(bits),
            None => unreachable!(),
        }
    }

    /// The clone to a square.
    #[inline(always)]
    pub const fn clone_to(to: Square) -> Self {
        Self::encode(to.index() as u16, to.index() as u16)
    }

    /// The jump between two squares.
    ///
    /// # Panics
    ///
    /// In debug builds, when the squares are not at king distance 2.
    #[inline(always)]
    pub const fn jump(from: Square, to: Square) -> Self {
        debug_assert!(from.distance(to) == 2);
        Self::encode(from.index() as u16, to.index() as u16)
    }

    /// What the move does.
    #[inline(always)]
    pub const fn kind(self) -> MoveKind {
        let bits = self.0.get();
        let from = Square::from_index(((bits >> SQUARE_BITS) & SQUARE_MASK) as usize);
        let to = Square::from_index((bits & SQUARE_MASK) as usize);
        match (from, to) {
            (Some(from), Some(to)) if from.index() == to.index() => MoveKind::Clone { to },
            (Some(from), Some(to)) => MoveKind::Jump { from, to },
            _ => MoveKind::Pass,
        }
    }

    /// The target, `None` for a pass.
    #[inline(always)]
    pub const fn to(self) -> Option<Square> {
        Square::from_index((self.0.get() & SQUARE_MASK) as usize)
    }

    /// The square that a jump leaves; `None` for a clone and a pass.
    #[inline(always)]
    pub const fn from(self) -> Option<Square> {
        match self.kind() {
            MoveKind::Jump { from, .. } => Some(from),
            _ => None,
        }
    }

    /// The move as a non-zero number, for compact storage.
    #[inline(always)]
    pub const fn to_bits(self) -> u16 {
        self.0.get()
    }

    /// The move that [`to_bits`](Self::to_bits) made into a number, `None` for any other number.
    #[inline(always)]
    pub const fn from_bits(bits: u16) -> Option<Self> {
        let from = Square::from_index(((bits >> SQUARE_BITS) & SQUARE_MASK) as usize);
        let to = Square::from_index((bits & SQUARE_MASK) as usize);
        let valid = match (from, to) {
            (Some(from), Some(to)) => matches!(from.distance(to), 0 | 2),
            _ => bits == Self::PASS.to_bits(),
        };
        match NonZeroU16::new(bits) {
            Some(nonzero) if valid && bits >> 12 == MARK >> 12 => Some(Self(nonzero)),
            _ => None,
        }
    }
}

impl fmt::Display for Move {
    /// The canonical text: `b1` (clone), `a1c3` (jump), `0000` (pass).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            MoveKind::Clone { to } => write!(f, "{to}"),
            MoveKind::Jump { from, to } => write!(f, "{from}{to}"),
            MoveKind::Pass => f.write_str("0000"),
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not that of a move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MoveTextError {
    /// Neither a square, two squares nor a word for passing.
    #[error("not a move: b1 (clone), a1c3 (jump) or 0000 (pass) is expected")]
    Malformed,
    /// A square's name is wrong.
    #[error("no such square: {0}{1}")]
    NoSuchSquare(char, char),
    /// The two squares are too far apart.
    #[error("too far: {0} and {1} are more than two squares apart")]
    TooFar(Square, Square),
}

/// The move is not legal in the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IllegalMove {
    /// The target holds a stone.
    #[error("{0} is occupied")]
    Occupied(Square),
    /// The target is a gap.
    #[error("{0} is a gap")]
    Gap(Square),
    /// No stone of the mover is next to the target of a clone.
    #[error("no stone of {0} can reach {1}")]
    OutOfReach(Color, Square),
    /// The square that a stone would leave, or clone from, holds no stone of the mover.
    #[error("no stone of {0} on {1}")]
    NoOwnStone(Color, Square),
    /// The game is over.
    #[error("the game is over")]
    GameOver,
    /// Only a pass is legal.
    #[error("{0} has no move and must pass (0000)")]
    MustPass(Color),
    /// A pass, where there is a move to make.
    #[error("{0} must not pass: it has a move")]
    MustNotPass(Color),
}

/// A text is no legal move in a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MoveError {
    /// It isn't the text of a move at all.
    #[error(transparent)]
    Text(#[from] MoveTextError),
    /// It is, but the move isn't legal.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
}

/// A move as written: unlike a [`Move`], it remembers which stone a clone was said to come from.
#[derive(Clone, Copy, PartialEq, Eq)]
struct WrittenMove {
    mv: Move,
    parent: Option<Square>,
}

impl FromStr for WrittenMove {
    type Err = MoveTextError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let plain = |mv| Self { mv, parent: None };
        let lower = text.to_ascii_lowercase();
        if matches!(lower.as_str(), "0000" | "pass" | "null") {
            return Ok(plain(Move::PASS));
        }
        let chars: Vec<char> = lower.chars().take(6).collect();
        match *chars.as_slice() {
            [file, rank] | ['p', '@', file, rank] => Ok(plain(Move::clone_to(square(file, rank)?))),
            [f1, r1, f2, r2] | [f1, r1, '-', f2, r2] => {
                let (from, to) = (square(f1, r1)?, square(f2, r2)?);
                match from.distance(to) {
                    0 => Ok(plain(Move::PASS)),
                    1 => Ok(Self { mv: Move::clone_to(to), parent: Some(from) }),
                    2 => Ok(plain(Move::jump(from, to))),
                    _ => Err(MoveTextError::TooFar(from, to)),
                }
            }
            _ => Err(MoveTextError::Malformed),
        }
    }
}

/// The square with a name of two characters; if it could not even be meant as one, the move is malformed.
fn square(file: char, rank: char) -> Result<Square, MoveTextError> {
    let digit = |c: char, first: char| (c as usize).wrapping_sub(first as usize);
    match Square::new(digit(file, 'a'), digit(rank, '1')) {
        Some(square) => Ok(square),
        None if file.is_ascii_alphabetic() && rank.is_ascii_digit() => {
            Err(MoveTextError::NoSuchSquare(file, rank))
        }
        None => Err(MoveTextError::Malformed),
    }
}

impl FromStr for Move {
    type Err = MoveTextError;

    /// Reads `b1`, `a1b1` and `P@b1` (clones), `a1c3` and `a1-c3` (jumps), `0000`, `pass`, `null`
    /// and `a1a1` (passes), in any case.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(|written: WrittenMove| written.mv)
    }
}

impl Position {
    /// Reads a move in any of the forms that [`Move`] knows and checks that it is legal here.
    ///
    /// # Errors
    ///
    /// [`MoveError::Text`] if the text is no move, [`MoveError::Illegal`] with the reason if it
    /// is not legal; `a1b1` is legal only if a stone of the mover is on `a1`.
    pub fn parse_move(&self, text: &str, rules: Rules) -> Result<Move, MoveError> {
        let written: WrittenMove = text.parse()?;
        self.check(written.mv, rules)?;
        match written.parent {
            Some(from) if !self.stones(self.side_to_move()).contains(from) => {
                Err(IllegalMove::NoOwnStone(self.side_to_move(), from).into())
            }
            _ => Ok(written.mv),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_moves() -> impl Iterator<Item = Move> {
        let jumps = Square::all().flat_map(|from| {
            Square::all()
                .filter(move |&to| from.distance(to) == 2)
                .map(move |to| Move::jump(from, to))
        });
        Square::all().map(Move::clone_to).chain(jumps).chain([Move::PASS])
    }

    #[test]
    fn text_and_bits_round_trip() {
        for mv in all_moves() {
            assert_eq!(mv.to_string().parse(), Ok(mv));
            assert_eq!(Move::from_bits(mv.to_bits()), Some(mv));
        }
        let valid = (0..=u16::MAX).filter(|&bits| Move::from_bits(bits).is_some()).count();
        assert_eq!(valid, all_moves().count());
    }

    #[test]
    fn other_forms_are_read() {
        for (text, canonical) in [
            ("B1", "b1"),
            ("a1b1", "b1"),
            ("A1-B2", "b2"),
            ("P@b1", "b1"),
            ("p@B1", "b1"),
            ("a1-c3", "a1c3"),
            ("A1C2", "a1c2"),
            ("pass", "0000"),
            ("NULL", "0000"),
            ("d4d4", "0000"),
        ] {
            assert_eq!(
                text.parse::<Move>().map(|mv| mv.to_string()),
                Ok(canonical.into()),
                "{text}"
            );
        }
    }

    #[test]
    fn other_texts_are_refused() {
        use MoveTextError::*;
        for (text, error) in [
            ("", Malformed),
            ("b", Malformed),
            ("11", Malformed),
            ("b1c", Malformed),
            ("a1-c3-e5", Malformed),
            ("a1--c3", Malformed),
            ("@@b1", Malformed),
            ("\u{e9}1", Malformed),
            ("h1", NoSuchSquare('h', '1')),
            ("a0", NoSuchSquare('a', '0')),
            ("a1a8", NoSuchSquare('a', '8')),
            ("P@h9", NoSuchSquare('h', '9')),
        ] {
            assert_eq!(text.parse::<Move>(), Err(error), "{text:?}");
        }
        assert!(matches!("a1d4".parse::<Move>(), Err(TooFar(..))));
    }

    #[test]
    fn an_illegal_move_is_refused_with_the_reason() {
        let reason = |fen: &str, mv: &str, rules| {
            let position: Position = fen.parse().unwrap();
            position.parse_move(mv, rules).map_err(|e| e.to_string())
        };
        let refused = |fen: &str, mv: &str, rules, why: &str| {
            assert_eq!(reason(fen, mv, rules), Err(why.into()), "{fen} {mv}");
        };
        let start = "x5o/7/7/7/7/7/o5x x 0 1";
        refused(start, "a1", Rules::Ataxx, "a1 is occupied");
        refused(start, "g1g7", Rules::Ataxx, "too far: g1 and g7 are more than two squares apart");
        refused(start, "g1d1", Rules::Ataxx, "too far: g1 and d1 are more than two squares apart");
        refused(start, "d4", Rules::Ataxx, "no stone of x can reach d4");
        refused(start, "a1c1", Rules::Ataxx, "no stone of x on a1");
        refused(start, "e1f1", Rules::Ataxx, "no stone of x on e1");
        refused(start, "a1b1", Rules::Ataxx, "no stone of x can reach b1");
        refused(start, "0000", Rules::Ataxx, "x must not pass: it has a move");
        refused(start, "h1", Rules::Ataxx, "no such square: h1");
        refused("x5o/7/7/7/7/5-1/o5x x 0 1", "f2", Rules::Ataxx, "f2 is a gap");
        let shut_in = "7/7/7/7/4ooo/4ooo/4oox x 0 30";
        refused(shut_in, "f1", Rules::Ataxx, "x has no move and must pass (0000)");
        refused(shut_in, "0000", Rules::Assimilation, "the game is over");
        refused("x6/7/7/7/7/7/7 x 0 1", "a6", Rules::Ataxx, "the game is over");
        assert_eq!(reason(shut_in, "g1g1", Rules::Ataxx), Ok(Move::PASS));
        assert_eq!(reason(start, "g1f1", Rules::Ataxx), Ok("f1".parse().unwrap()));
    }
}
