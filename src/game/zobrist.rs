//! Random keys for hashing positions.
//!
//! The position's hash is the exclusive or of one key per stone, one per gap and one for the side
//! to move: A. L. Zobrist, "A New Hashing Method with Application for Game Playing", 1970.

use super::{Bitboard, Color, Square};
use crate::random::Random;

struct Keys {
    stone: [[u64; Square::COUNT]; 2],
    gap: [u64; Square::COUNT],
    white_to_move: u64,
}

static KEYS: Keys = {
    let mut keys =
        Keys { stone: [[0; Square::COUNT]; 2], gap: [0; Square::COUNT], white_to_move: 0 };
    let mut random = Random::new(0x5068_7973_6172_756d);
    let mut i = 0;
    while i < Square::COUNT {
        keys.stone[0][i] = random.next();
        keys.stone[1][i] = random.next();
        keys.gap[i] = random.next();
        i += 1;
    }
    keys.white_to_move = random.next();
    keys
};

/// The key of a stone.
#[inline(always)]
pub(super) fn stone(color: Color, square: Square) -> u64 {
    KEYS.stone[color.index()][square.index()]
}

/// The change when a stone on a square turns to the other colour.
#[inline(always)]
pub(super) fn turn(square: Square) -> u64 {
    KEYS.stone[0][square.index()] ^ KEYS.stone[1][square.index()]
}

/// The change when the other side comes to move.
#[inline(always)]
pub(super) fn side() -> u64 {
    KEYS.white_to_move
}

/// The hash of a whole position.
pub(super) fn hash(stones: [Bitboard; 2], gaps: Bitboard, side_to_move: Color) -> u64 {
    let mut hash = match side_to_move {
        Color::Black => 0,
        Color::White => side(),
    };
    for color in Color::ALL {
        for square in stones[color.index()] {
            hash ^= stone(color, square);
        }
    }
    for square in gaps {
        hash ^= KEYS.gap[square.index()];
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn keys_differ() {
        let mut seen = HashSet::from([0, KEYS.white_to_move]);
        for key in KEYS.stone.iter().flatten().chain(&KEYS.gap) {
            assert!(seen.insert(*key));
        }
    }
}
