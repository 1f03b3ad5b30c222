//! Positions for the tests of the network.

use crate::game::{Bitboard, Color, Position, Square};

/// Random boards, some with gaps, some full, for either side to move.
pub(crate) fn random_positions(count: usize, seed: u64) -> Vec<Position> {
    let mut state = seed;
    // SplitMix64.
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    };
    let positions = (0..count).map(|_| {
        let [stones, gaps, black] = [next() % 256, next() % 3 * 20, next() % 256];
        let (mut sets, mut holes) = ([Bitboard::EMPTY; 2], Bitboard::EMPTY);
        for square in Square::all() {
            let random = next();
            if random & 0xff < gaps {
                holes |= square.into();
            } else if random >> 8 & 0xff <= stones {
                sets[usize::from(random >> 16 & 0xff > black)] |= square.into();
            }
        }
        let side = if next() & 1 == 0 { Color::Black } else { Color::White };
        Position::new(sets, holes, side, 0, 1)
    });
    positions.collect()
}
