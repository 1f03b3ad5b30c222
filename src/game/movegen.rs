//! Legal moves.

use arrayvec::ArrayVec;

use super::{Bitboard, Move, Position, Rules};

/// More legal moves than any position has.
///
/// 240 pairs of squares are at king distance 2, and a jump takes one of them; a clone takes an
/// empty square, of which at most 48 are left by the stone that clones.
pub const MAX_MOVES: usize = 240 + 48;

/// The legal moves of one position.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

impl Position {
    /// The targets of the side's clones.
    #[inline(always)]
    pub(super) fn clone_targets(&self) -> Bitboard {
        self.stones(self.side_to_move()).dilate() & self.empty()
    }

    /// The legal moves in a fixed order: clones by target, then jumps by origin and target; or
    /// nothing but the pass where that is legal; none where the game is over.
    ///
    /// ```
    /// use physarum::game::{Position, Rules};
    ///
    /// let moves = Position::default().legal_moves(Rules::Ataxx);
    /// assert_eq!(moves.len(), 16);
    /// assert_eq!(moves[0].to_string(), "f1");
    /// ```
    pub fn legal_moves(&self, rules: Rules) -> MoveList {
        let mut moves = MoveList::new();
        if self.outcome(rules).is_some() {
            return moves;
        }
        moves.extend(self.clone_targets().into_iter().map(Move::clone_to));
        let empty = self.empty();
        for from in self.stones(self.side_to_move()) {
            moves.extend((Bitboard::ring(from) & empty).into_iter().map(|to| Move::jump(from, to)));
        }
        if moves.is_empty() {
            moves.push(Move::PASS);
        }
        moves
    }

    /// How many clones and jumps the side to move has on the board.
    #[inline(always)]
    pub(super) fn count_stone_moves(&self) -> u32 {
        self.clone_targets().len() + jump_count(self.stones(self.side_to_move()), self.empty())
    }

    /// How many legal moves there are; the length of [`legal_moves`](Self::legal_moves), faster.
    pub fn count_legal_moves(&self, rules: Rules) -> usize {
        match self.outcome(rules) {
            Some(_) => 0,
            // Where the side to move has no clone and no jump it has the pass.
            None => self.count_stone_moves().max(1) as usize,
        }
    }
}

/// How many jumps a set of stones has to a set of squares.
#[inline(always)]
pub(super) fn jump_count(stones: Bitboard, targets: Bitboard) -> u32 {
    stones.into_iter().map(|from| (Bitboard::ring(from) & targets).len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Square;

    #[test]
    fn the_list_has_room_for_every_position() {
        let pairs: u32 = Square::all().map(|square| Bitboard::ring(square).len()).sum::<u32>() / 2;
        assert_eq!(pairs as usize + Square::COUNT - 1, MAX_MOVES);
    }
}
