//! Positions.

use super::{
    Bitboard, Color, HALFMOVE_LIMIT, IllegalMove, Move, MoveKind, Outcome, Rules, Square, zobrist,
};

/// The largest halfmove clock and fullmove number.
///
/// A game that goes on beyond it keeps this number.
pub const MAX_CLOCK: u16 = u16::MAX;

/// A position: stones, gaps, side to move, halfmove clock and fullmove number, with its hash.
///
/// A small value to be copied: [`play`](Self::play) returns the position after a move. The rules
/// are not part of it; what depends on them takes them as an argument.
///
/// Positions are equal if all but the clocks is equal, hashes included.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    stones: [Bitboard; 2],
    gaps: Bitboard,
    hash: u64,
    halfmove_clock: u16,
    fullmove_number: u16,
    side_to_move: Color,
}

const _: () = assert!(size_of::<Position>() <= 48);

impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        self.stones == other.stones
            && self.gaps == other.gaps
            && self.side_to_move == other.side_to_move
    }
}

impl Eq for Position {}

impl Default for Position {
    /// The start of a game: black on `a7` and `g1`, white on `a1` and `g7`, black to move.
    fn default() -> Self {
        let corner = |file, rank| Square::new(file, rank).into_iter().collect::<Bitboard>();
        let stones = [corner(0, 6) | corner(6, 0), corner(0, 0) | corner(6, 6)];
        Self::new(stones, Bitboard::EMPTY, Color::Black, 0, 1)
    }
}

impl Position {
    /// Puts a position together.
    ///
    /// # Panics
    ///
    /// In debug builds, when two of the three sets share a square.
    pub fn new(
        stones: [Bitboard; 2],
        gaps: Bitboard,
        side_to_move: Color,
        halfmove_clock: u16,
        fullmove_number: u16,
    ) -> Self {
        debug_assert!((stones[0] & stones[1]).is_empty());
        debug_assert!((gaps & (stones[0] | stones[1])).is_empty());
        let hash = zobrist::hash(stones, gaps, side_to_move);
        Self { stones, gaps, hash, halfmove_clock, fullmove_number, side_to_move }
    }

    /// The stones of a side.
    #[inline(always)]
    pub const fn stones(&self, color: Color) -> Bitboard {
        self.stones[color.index()]
    }

    /// The squares where nobody ever stands.
    #[inline(always)]
    pub const fn gaps(&self) -> Bitboard {
        self.gaps
    }

    /// The squares where a stone can land: neither stone nor gap.
    #[inline(always)]
    pub fn empty(&self) -> Bitboard {
        !(self.stones[0] | self.stones[1] | self.gaps)
    }

    /// The side whose turn it is.
    #[inline(always)]
    pub const fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    /// Halfmoves since the last clone.
    #[inline(always)]
    pub const fn halfmove_clock(&self) -> u16 {
        self.halfmove_clock
    }

    /// The number of the current move, which grows after white has moved.
    pub const fn fullmove_number(&self) -> u16 {
        self.fullmove_number
    }

    /// A Zobrist hash of stones, gaps and side to move; the clocks have no part in it.
    #[inline(always)]
    pub const fn hash(&self) -> u64 {
        self.hash
    }

    /// Whether a side has a clone or a jump, were it its turn.
    #[inline(always)]
    pub fn can_move(&self, color: Color) -> bool {
        !(self.stones(color).dilate().dilate() & self.empty()).is_empty()
    }

    /// How the game has ended, `None` while it goes on.
    ///
    /// ```
    /// use physarum::game::{Color, Outcome, Position, Rules};
    ///
    /// let shut_in: Position = "7/7/7/7/4ooo/4ooo/4oox x 0 30".parse().unwrap();
    /// assert_eq!(shut_in.outcome(Rules::Assimilation), Some(Outcome::Win(Color::White)));
    /// assert_eq!(shut_in.outcome(Rules::Ataxx), None); // black passes
    ///
    /// let cut_off: Position =
    ///     "7/7/ooooooo/ooooooo/xxxxxxx/xxxxxxx/xxxxxxx x 0 30".parse().unwrap();
    /// assert_eq!(cut_off.outcome(Rules::Assimilation), Some(Outcome::Win(Color::Black)));
    /// assert_eq!(cut_off.outcome(Rules::Fill), Some(Outcome::Win(Color::White))); // 28 to 21
    /// ```
    #[inline]
    pub fn outcome(&self, rules: Rules) -> Option<Outcome> {
        self.board_outcome(rules).or_else(|| {
            let drawn = rules == Rules::Ataxx && self.halfmove_clock >= HALFMOVE_LIMIT;
            drawn.then_some(Outcome::Draw)
        })
    }

    /// How the game has ended on the board, whatever the halfmove clock says.
    ///
    /// ```
    /// use physarum::game::{Outcome, Position, Rules};
    ///
    /// let endless: Position = "x5o/7/7/7/7/7/o5x x 100 60".parse().unwrap();
    /// assert_eq!(endless.outcome(Rules::Ataxx), Some(Outcome::Draw));
    /// assert_eq!(endless.board_outcome(Rules::Ataxx), None);
    /// ```
    #[inline(always)]
    pub fn board_outcome(&self, rules: Rules) -> Option<Outcome> {
        let side = self.side_to_move;
        let bare = self.stones.iter().any(|stones| stones.is_empty());
        let over = bare || !self.can_move(side) && (rules != Rules::Ataxx || !self.can_move(!side));
        over.then(|| self.majority(rules))
    }

    /// The stones of black and of white that count when the game is over: those on the board and, with
    /// [`Rules::Fill`], the empty squares that a side without a move leaves to the other.
    ///
    /// ```
    /// use physarum::game::{Position, Rules};
    ///
    /// let cut_off: Position = "7/7/ooooooo/ooooooo/xxxxxxx/xxxxxxx/xxxxxxx x 0 30".parse().unwrap();
    /// assert_eq!(cut_off.final_stones(Rules::Assimilation), [21, 14]);
    /// assert_eq!(cut_off.final_stones(Rules::Fill), [21, 28]);
    /// ```
    pub fn final_stones(&self, rules: Rules) -> [u32; 2] {
        let mut stones = self.stones;
        if rules == Rules::Fill && !self.can_move(self.side_to_move) {
            stones[(!self.side_to_move).index()] |= self.empty();
        }
        stones.map(Bitboard::len)
    }

    /// Who has more stones when the game is over.
    fn majority(&self, rules: Rules) -> Outcome {
        let [black, white] = self.final_stones(rules);
        match black.cmp(&white) {
            std::cmp::Ordering::Greater => Outcome::Win(Color::Black),
            std::cmp::Ordering::Less => Outcome::Win(Color::White),
            std::cmp::Ordering::Equal => Outcome::Draw,
        }
    }

    /// Whether a move is legal.
    ///
    /// # Errors
    ///
    /// The reason why it is not.
    pub fn check(&self, mv: Move, rules: Rules) -> Result<(), IllegalMove> {
        let side = self.side_to_move;
        if self.outcome(rules).is_some() {
            return Err(IllegalMove::GameOver);
        }
        let can_move = self.can_move(side);
        let Some(to) = mv.to() else {
            return if can_move { Err(IllegalMove::MustNotPass(side)) } else { Ok(()) };
        };
        let own = self.stones(side);
        if !can_move {
            Err(IllegalMove::MustPass(side))
        } else if self.gaps.contains(to) {
            Err(IllegalMove::Gap(to))
        } else if !self.empty().contains(to) {
            Err(IllegalMove::Occupied(to))
        } else {
            match mv.from() {
                Some(from) if !own.contains(from) => Err(IllegalMove::NoOwnStone(side, from)),
                None if (own & Bitboard::adjacent(to)).is_empty() => {
                    Err(IllegalMove::OutOfReach(side, to))
                }
                _ => Ok(()),
            }
        }
    }

    /// The enemy stones that turn when the side to move lands on a square.
    #[inline(always)]
    pub fn captures(&self, to: Square) -> Bitboard {
        self.stones(!self.side_to_move) & Bitboard::adjacent(to)
    }

    /// The position after a legal move.
    ///
    /// What comes out for an illegal move is some position, but none of the game.
    ///
    /// # Panics
    ///
    /// In debug builds, when the target is not empty or the stone to jump is not there.
    #[inline]
    #[must_use]
    pub fn play(mut self, mv: Move) -> Self {
        let side = self.side_to_move;
        let (own, enemy) = (side.index(), (!side).index());
        let mut clock = self.halfmove_clock.saturating_add(1);
        match mv.kind() {
            MoveKind::Clone { to } => {
                clock = 0;
                self.land(to);
            }
            MoveKind::Jump { from, to } => {
                debug_assert!(self.stones[own].contains(from));
                self.stones[own] ^= from.into();
                self.hash ^= zobrist::stone(side, from);
                self.land(to);
            }
            MoveKind::Pass => {}
        }
        debug_assert!((self.stones[own] & self.stones[enemy]).is_empty());
        self.halfmove_clock = clock;
        if side == Color::White {
            self.fullmove_number = self.fullmove_number.saturating_add(1);
        }
        self.side_to_move = !side;
        self.hash ^= zobrist::side();
        self
    }

    /// A stone of the side to move appears on an empty square, and the enemy stones around it turn.
    #[inline(always)]
    fn land(&mut self, to: Square) {
        debug_assert!(self.empty().contains(to));
        let side = self.side_to_move;
        let captured = self.captures(to);
        self.stones[(!side).index()] ^= captured;
        self.stones[side.index()] |= captured | to.into();
        self.hash ^= zobrist::stone(side, to);
        for square in captured {
            self.hash ^= zobrist::turn(square);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Position {
        fen.parse().unwrap()
    }

    #[test]
    fn a_clone_adds_a_stone_and_turns_its_neighbours() {
        let before = position("x5o/7/7/7/2o4/2oo3/o2x3 x 7 9");
        let after = before.play("c1".parse().unwrap());
        assert_eq!(after.to_string(), "x5o/7/7/7/2o4/2xx3/o1xx3 o 0 9");
    }

    #[test]
    fn a_jump_moves_a_stone_and_counts_on_the_clock() {
        let before = position("x5o/7/7/7/2o4/2oo3/o2x3 x 7 9");
        let after = before.play("d1b2".parse().unwrap());
        assert_eq!(after.to_string(), "x5o/7/7/7/2x4/1xxo3/x6 o 8 9");
        let after = after.play("d2d4".parse().unwrap());
        assert_eq!(after.to_string(), "x5o/7/7/3o3/2o4/1xx4/x6 x 9 10");
    }

    #[test]
    fn a_pass_changes_only_side_and_clocks() {
        let before = position("7/7/7/7/4ooo/4ooo/4oox x 0 30");
        assert_eq!(before.play(Move::PASS).to_string(), "7/7/7/7/4ooo/4ooo/4oox o 1 30");
    }

    #[test]
    fn clocks_stop_at_their_limit() {
        let last = position("x5o/7/7/7/7/7/o5x o 65535 65535");
        let next = last.play("a1c3".parse().unwrap());
        assert_eq!((next.halfmove_clock(), next.fullmove_number()), (MAX_CLOCK, MAX_CLOCK));
    }
}
