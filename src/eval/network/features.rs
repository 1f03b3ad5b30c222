//! What the network sees: the 36 overlapping windows of 2x2 squares.
//!
//! Each square of a window is empty, the side to move's, the other side's or a gap, so a window
//! has 256 states, and the first layer of the network a row of weights for each state of each
//! window: [`ROWS`] in all. Of a position exactly one row per window counts.
//!
//! On a board without gaps only 81 states of a window can come up. Their rows come first and close
//! together, so that they fit in a processor's caches; those with gaps follow.

use crate::game::{Bitboard, Position, Square, Symmetry};

/// How many windows the board has in a row, and how many rows of them.
const ACROSS: usize = Square::WIDTH - 1;
/// How many windows of 2x2 squares the board has.
pub const WINDOWS: usize = ACROSS * ACROSS;
/// How many states a window has.
pub const STATES: usize = 256;
/// How many states a window without gaps has.
pub const OPEN_STATES: usize = 81;
/// How many rows of weights there are.
pub const ROWS: usize = WINDOWS * STATES;
/// How many rows belong to windows without gaps; they come first.
pub const OPEN_ROWS: usize = WINDOWS * OPEN_STATES;

/// A row of weights for each window, in the order of the windows.
pub type ActiveRows = [u16; WINDOWS];

/// What can be on a square, from the side to move's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SquareState {
    /// Nothing.
    Empty = 0,
    /// A stone of the side to move.
    Own = 1,
    /// A stone of the other side.
    Theirs = 2,
    /// A gap.
    Gap = 3,
}

impl SquareState {
    /// All four, by number.
    pub const ALL: [Self; 4] = [Self::Empty, Self::Own, Self::Theirs, Self::Gap];
}

/// The three sets of squares that the network sees; the rest is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// The stones of the side to move.
    pub own: Bitboard,
    /// The stones of the other side.
    pub theirs: Bitboard,
    /// The gaps.
    pub gaps: Bitboard,
}

impl View {
    /// A position as the side to move sees it.
    #[inline(always)]
    pub fn of(position: &Position) -> Self {
        let side = position.side_to_move();
        Self { own: position.stones(side), theirs: position.stones(!side), gaps: position.gaps() }
    }

    /// The squares with nothing on them.
    pub fn empty(&self) -> Bitboard {
        !(self.own | self.theirs | self.gaps)
    }

    /// The rows that count.
    #[inline(always)]
    pub fn rows(&self) -> ActiveRows {
        if self.gaps.is_empty() { self.open_rows() } else { self.gapped_rows() }
    }

    #[inline(always)]
    fn open_rows(&self) -> ActiveRows {
        let pairs = |rank| {
            let of = |set: Bitboard| PAIRS_OF_THREE[bits_of_rank(set, rank)];
            of(self.own) + 2 * of(self.theirs)
        };
        let mut rows = [0; WINDOWS];
        let mut low = pairs(0);
        for rank in 0..ACROSS {
            let high = pairs(rank + 1);
            // Six states, a byte each, of which none overflows: 8 + 9 * 8 = 80.
            let states = (low + 9 * high).to_le_bytes();
            for (file, &state) in states[..ACROSS].iter().enumerate() {
                let window = rank * ACROSS + file;
                rows[window] = (window * OPEN_STATES) as u16 + u16::from(state);
            }
            low = high;
        }
        rows
    }

    #[inline(never)]
    fn gapped_rows(&self) -> ActiveRows {
        let pairs = |rank| {
            let of = |set: Bitboard| PAIRS_OF_FOUR[bits_of_rank(set, rank)];
            of(self.own) + 2 * of(self.theirs) + 3 * of(self.gaps)
        };
        let mut rows = [0; WINDOWS];
        let mut low = pairs(0);
        for rank in 0..ACROSS {
            let high = pairs(rank + 1);
            // As above: 15 + 16 * 15 = 255.
            let codes = (low + 16 * high).to_le_bytes();
            for (file, &code) in codes[..ACROSS].iter().enumerate() {
                let window = rank * ACROSS + file;
                rows[window] = row_of_code(window, code);
            }
            low = high;
        }
        rows
    }
}

/// A rank's seven bits.
#[inline(always)]
fn bits_of_rank(set: Bitboard, rank: usize) -> usize {
    (set.bits() >> (rank * Square::WIDTH) & 0x7f) as usize
}

/// For each set of squares of a rank, and each of the six pairs of neighbours in it, a byte: 1 if
/// the left one is in the set, plus `base` if the right one is.
const fn pairs(base: u64) -> [u64; 128] {
    let mut table = [0; 128];
    let mut bits = 0;
    while bits < table.len() {
        let mut pair = 0;
        while pair < ACROSS {
            let (left, right) = ((bits >> pair & 1) as u64, (bits >> (pair + 1) & 1) as u64);
            table[bits] |= (left + base * right) << (8 * pair);
            pair += 1;
        }
        bits += 1;
    }
    table
}

static PAIRS_OF_THREE: [u64; 128] = pairs(3);
static PAIRS_OF_FOUR: [u64; 128] = pairs(4);

/// The states of a window by their code, two bits for each square: those without gaps are numbered
/// from 0 to 80 with the squares as digits to the base 3, the others from 81 on.
static STATE_OF_CODE: [u8; STATES] = {
    let mut states = [0; STATES];
    let mut gapped = OPEN_STATES;
    let mut code = 0;
    while code < STATES {
        let digits = [code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6];
        let [a, b, c, d] = digits;
        if a == 3 || b == 3 || c == 3 || d == 3 {
            states[code] = gapped as u8;
            gapped += 1;
        } else {
            states[code] = (a + 3 * b + 9 * c + 27 * d) as u8;
        }
        code += 1;
    }
    states
};

#[inline(always)]
fn row_of_code(window: usize, code: u8) -> u16 {
    let state = usize::from(STATE_OF_CODE[usize::from(code)]);
    let row = match state.checked_sub(OPEN_STATES) {
        None => window * OPEN_STATES + state,
        Some(gapped) => OPEN_ROWS + window * (STATES - OPEN_STATES) + gapped,
    };
    row as u16
}

/// The four squares of a window: the lower left one, its right neighbour, and the two above.
///
/// # Panics
///
/// When there is no such window: `window` must be less than [`WINDOWS`].
pub fn squares_of_window(window: usize) -> [Square; 4] {
    assert!(window < WINDOWS, "no window {window}");
    let (file, rank) = (window % ACROSS, window / ACROSS);
    let all = [(file, rank), (file + 1, rank), (file, rank + 1), (file + 1, rank + 1)];
    // A window's files and ranks are on the board.
    all.map(|(file, rank)| Square::new(file, rank).unwrap_or_else(|| unreachable!()))
}

/// The row for a window whose squares are in these states, in the order of
/// [`squares_of_window`].
///
/// # Panics
///
/// When there is no such window: `window` must be less than [`WINDOWS`].
pub fn row_of(window: usize, squares: [SquareState; 4]) -> u16 {
    assert!(window < WINDOWS, "no window {window}");
    let code = squares.iter().rev().fold(0, |code, &state| code << 2 | state as u8);
    row_of_code(window, code)
}

/// For each row, the window that it belongs to and the states of the window's squares.
pub fn describe_rows() -> Vec<(usize, [SquareState; 4])> {
    let nothing = (0, [SquareState::Empty; 4]);
    let mut rows = vec![nothing; ROWS];
    for window in 0..WINDOWS {
        for code in 0..STATES {
            let squares = [0, 2, 4, 6].map(|shift| SquareState::ALL[code >> shift & 3]);
            rows[usize::from(row_of(window, squares))] = (window, squares);
        }
    }
    rows
}

/// Where each row goes when the board is turned: the row that counts on the turned board if the
/// one before counts now.
pub fn rows_turned(symmetry: Symmetry) -> Vec<u16> {
    let window_of = |squares: [Square; 4]| {
        let file = squares.iter().map(|square| square.file()).min().unwrap_or(0);
        let rank = squares.iter().map(|square| square.rank()).min().unwrap_or(0);
        rank * ACROSS + file
    };
    let turned = describe_rows().into_iter().map(|(window, states)| {
        let images = squares_of_window(window).map(|square| symmetry.square(square));
        let image = window_of(images);
        let state_of = |square: Square| {
            let from = images.iter().position(|&image| image == square);
            // The images of a window's squares are the squares of its image.
            states[from.unwrap_or_else(|| unreachable!())]
        };
        row_of(image, squares_of_window(image).map(state_of))
    });
    turned.collect()
}

#[cfg(test)]
mod tests {
    use super::super::test_positions::random_positions;
    use super::*;

    /// The rows of a position, square by square.
    fn naive_rows(position: &Position) -> ActiveRows {
        let view = View::of(position);
        std::array::from_fn(|window| {
            let states = squares_of_window(window).map(|square| match square {
                _ if view.own.contains(square) => SquareState::Own,
                _ if view.theirs.contains(square) => SquareState::Theirs,
                _ if view.gaps.contains(square) => SquareState::Gap,
                _ => SquareState::Empty,
            });
            row_of(window, states)
        })
    }

    #[test]
    fn every_state_of_every_window_has_a_row_of_its_own() {
        let rows = describe_rows();
        for (row, &(window, squares)) in rows.iter().enumerate() {
            assert_eq!(usize::from(row_of(window, squares)), row);
            assert_eq!(row < OPEN_ROWS, !squares.contains(&SquareState::Gap));
        }
    }

    #[test]
    fn rows_are_those_of_the_squares() {
        for position in random_positions(2000, 1) {
            assert_eq!(View::of(&position).rows(), naive_rows(&position), "{position}");
        }
    }

    #[test]
    fn rows_of_a_turned_board_are_the_rows_turned() {
        let positions = random_positions(200, 2);
        for symmetry in Symmetry::ALL {
            let turned = rows_turned(symmetry);
            for position in &positions {
                let mut images = View::of(position).rows().map(|row| turned[usize::from(row)]);
                images.sort_unstable();
                let mut expected = View::of(&symmetry.position(position)).rows();
                expected.sort_unstable();
                assert_eq!(images, expected, "{position} {symmetry:?}");
            }
        }
    }
}
