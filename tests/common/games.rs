//! Random positions and games, the same ones in every run.

use physarum::game::{Bitboard, Color, Move, MoveKind, Position, Rules, Square};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{RngSeed, TestCaseResult, TestRunner};

/// Settings that try the same cases in every run and leave no files behind.
pub fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(49),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Tries a property in so many cases: what `proptest!` does, for properties that count what they
/// see.
#[track_caller]
pub fn check<S: Strategy>(cases: u32, strategy: S, property: impl Fn(S::Value) -> TestCaseResult) {
    if let Err(error) = TestRunner::new(config(cases)).run(&strategy, property) {
        panic!("{error}");
    }
}

/// Every move that some position could have.
pub fn all_moves() -> Vec<Move> {
    let jumps = Square::all().flat_map(|from| {
        let far = Square::all().filter(move |&to| from.distance(to) == 2);
        far.map(move |to| Move::jump(from, to))
    });
    Square::all().map(Move::clone_to).chain(jumps).chain([Move::PASS]).collect()
}

/// What stands on the squares `a1`, `b1`, ..., `g7`: `x`, `o`, `-` or `.`, with few or many empty.
pub fn squares() -> impl Strategy<Value = Vec<char>> {
    let gaps = prop_oneof![Just(0), 0..40u8];
    let rolls = vec((0..100u8, select(vec!['x', 'o'])), Square::COUNT);
    (gaps, 0..=100u8, rolls).prop_map(|(gaps, stones, rolls)| {
        let symbol = |(roll, stone)| match roll {
            _ if roll < gaps => '-',
            _ if roll - gaps < stones => stone,
            _ => '.',
        };
        rolls.into_iter().map(symbol).collect()
    })
}

pub fn color() -> impl Strategy<Value = Color> {
    select(Color::ALL.to_vec())
}

/// A halfmove clock or fullmove number.
pub fn clock() -> impl Strategy<Value = u16> {
    prop_oneof![0..110u16, any::<u16>()]
}

/// The position with what [`squares`] says.
pub fn from_squares(squares: &[char], side: Color, halfmove: u16, fullmove: u16) -> Position {
    let set = |wanted| -> Bitboard {
        Square::all().filter(|square| squares[square.index()] == wanted).collect()
    };
    Position::new([set('x'), set('o')], set('-'), side, halfmove, fullmove)
}

/// Any position, most of them not to be met in a game.
pub fn position() -> impl Strategy<Value = Position> {
    (squares(), color(), clock(), clock()).prop_map(|(squares, side, halfmove, fullmove)| {
        from_squares(&squares, side, halfmove, fullmove)
    })
}

/// A position to start a game from: the usual one, the usual one with gaps, or any.
fn start() -> impl Strategy<Value = Position> {
    let usual = Position::default();
    let stones = Color::ALL.map(|color| usual.stones(color));
    let with_gaps = (any::<u64>(), any::<u64>()).prop_map(move |(a, b)| {
        let gaps = Bitboard::from_bits(a & b).without(stones[0] | stones[1]);
        Position::new(stones, gaps, Color::Black, 0, 1)
    });
    let any = position().prop_map(|p| {
        let stones = Color::ALL.map(|color| p.stones(color));
        Position::new(stones, p.gaps(), p.side_to_move(), p.halfmove_clock() % 100, 1)
    });
    prop_oneof![Just(usual), with_gaps, any]
}

/// A game, as far as it was played.
#[derive(Clone, Debug)]
pub struct RandomGame {
    /// The positions with the moves played from them.
    pub plies: Vec<(Position, Move)>,
    /// The position after the last move.
    pub last: Position,
}

impl RandomGame {
    pub fn positions(&self) -> impl Iterator<Item = &Position> {
        self.plies.iter().map(|(position, _)| position).chain([&self.last])
    }
}

/// Which moves a player likes. Lovers of clones fill the board and have to pass, lovers of jumps
/// come to 100 halfmoves without a clone; indifferent play does neither.
#[derive(Clone, Copy, Debug)]
enum Taste {
    Clones,
    Jumps,
    Anything,
}

impl Taste {
    fn likes(self, mv: Move) -> bool {
        match mv.kind() {
            MoveKind::Clone { .. } => !matches!(self, Self::Jumps),
            MoveKind::Jump { .. } => !matches!(self, Self::Clones),
            MoveKind::Pass => true,
        }
    }
}

/// A random game under a rule set, which may stop anywhere or go on to its end.
pub fn game(rules: Rules) -> impl Strategy<Value = RandomGame> {
    let taste = select(vec![Taste::Clones, Taste::Jumps, Taste::Anything]);
    let picks = vec(any::<Index>(), 0..200);
    (start(), taste, picks).prop_map(move |(mut position, taste, picks)| {
        let mut plies = Vec::new();
        for pick in picks {
            let mut moves = position.legal_moves(rules).to_vec();
            if moves.iter().any(|&mv| taste.likes(mv)) {
                moves.retain(|&mv| taste.likes(mv));
            }
            if moves.is_empty() {
                break;
            }
            let mv = *pick.get(&moves);
            plies.push((position, mv));
            position = position.play(mv);
        }
        RandomGame { plies, last: position }
    })
}
