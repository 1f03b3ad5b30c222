//! The order in which moves are tried.

use arrayvec::ArrayVec;

use super::history::Points;
use super::params::Parameters;
use crate::game::{Bitboard, MAX_MOVES, Move, MoveKind, Position, Square};

/// A move and what is expected of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) mv: Move,
    /// By how many stones the difference grows: one for a clone, two for each stone that turns.
    pub(super) gain: i8,
}

/// What orders the moves of one position.
#[derive(Clone, Copy)]
pub(super) struct Expectations<'a> {
    pub(super) parameters: &'a Parameters,
    pub(super) history: &'a Points,
    /// A move that has been good in another position.
    pub(super) killer: Option<Move>,
}

impl Expectations<'_> {
    #[inline(always)]
    fn of(&self, mv: Move, from: Square, to: Square, gain: i8) -> i32 {
        let parameters = self.parameters;
        let points = i32::from(self.history[from.index()][to.index()]);
        let mut order = i32::from(gain) * parameters.order_gain + points;
        if from == to {
            order += parameters.order_clone;
        }
        if self.killer == Some(mv) {
            order += parameters.order_killer;
        }
        order
    }
}

/// What a picker does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Show the move that has been given.
    First,
    /// List the moves.
    List,
    /// Show them; the jumps that turn no stone have not been listed.
    ShowMost,
    /// Show them; there are no more.
    ShowAll,
}

/// The legal moves of a position, best expectations first; listed only when they are needed.
pub(super) struct Picker {
    first: Option<Move>,
    candidates: ArrayVec<Candidate, MAX_MOVES>,
    /// For each candidate what is expected of it, in the high bits, and its index, so that equals
    /// come in the order of the list; or 0 if it has been shown. One number is all that is looked
    /// at to find the best.
    keys: ArrayVec<i32, MAX_MOVES>,
    left: usize,
    stage: Stage,
    /// Whether jumps that turn no stone take their place among the others, instead of the last.
    mixed: bool,
}

impl Picker {
    /// Shows the moves of an undecided position: `first` (if legal), then by stones gained and
    /// history. Jumps that turn no stone come last if they are not `mixed` with the others.
    #[inline(always)]
    pub(super) fn new(position: &Position, first: Option<Move>, mixed: bool) -> Self {
        let first = first.filter(|&mv| is_legal(position, mv));
        let candidates = ArrayVec::new();
        let keys = ArrayVec::new();
        Self { first, candidates, keys, left: 0, stage: Stage::First, mixed }
    }

    /// The best of the moves left: most nodes need only the first few, so nothing is sorted.
    ///
    /// Without `quiet`, jumps that turn no stone may be left out.
    #[inline(always)]
    pub(super) fn pick<'a>(
        &mut self,
        position: &Position,
        expectations: impl Fn() -> Expectations<'a>,
        quiet: bool,
    ) -> Option<Candidate> {
        if self.stage == Stage::First {
            self.stage = Stage::List;
            if let Some(mv) = self.first {
                let turned = mv.to().map_or(0, |to| position.captures(to).len()) as i8;
                let gain = 2 * turned + i8::from(matches!(mv.kind(), MoveKind::Clone { .. }));
                return Some(Candidate { mv, gain });
            }
        }
        if self.stage == Stage::List {
            self.list(position, &expectations());
        }
        if self.stage == Stage::ShowMost && quiet && self.left == 0 {
            self.list_quiet(position, &expectations());
        }
        let best = self.keys.iter().fold(0, |best, &key| best.max(key));
        if best == 0 {
            return None;
        }
        let index = (INDEX_MASK - (best & INDEX_MASK)) as usize;
        self.keys[index] = 0;
        self.left -= 1;
        Some(self.candidates[index])
    }

    #[inline(always)]
    fn list(&mut self, position: &Position, expectations: &Expectations<'_>) {
        let side = position.side_to_move();
        let own = position.stones(side);
        let theirs = position.stones(!side);
        let near = own.dilate();
        let reached = near.dilate() & position.empty();
        let targets = if self.mixed { reached } else { reached & (near | theirs.dilate()) };
        // All moves to one target turn the same stones.
        for to in targets {
            let gain = 2 * position.captures(to).len() as i8;
            if near.contains(to) {
                self.add(Move::clone_to(to), to, to, gain + 1, expectations);
            }
            if self.mixed || gain > 0 {
                for from in own & Bitboard::ring(to) {
                    self.add(Move::jump(from, to), from, to, gain, expectations);
                }
            }
        }
        self.stage = if self.mixed { Stage::ShowAll } else { Stage::ShowMost };
        if reached.is_empty() && self.first.is_none() {
            self.push(Candidate { mv: Move::PASS, gain: 0 }, 0);
        }
    }

    /// Lists the jumps that turn no stone.
    #[inline(never)]
    fn list_quiet(&mut self, position: &Position, expectations: &Expectations<'_>) {
        let side = position.side_to_move();
        let own = position.stones(side);
        let targets = position.empty().without(position.stones(!side).dilate());
        for to in own.dilate().dilate() & targets {
            for from in own & Bitboard::ring(to) {
                self.add(Move::jump(from, to), from, to, 0, expectations);
            }
        }
        self.stage = Stage::ShowAll;
    }

    #[inline(always)]
    fn push(&mut self, candidate: Candidate, order: i32) {
        self.keys.push(key(order, self.candidates.len()));
        self.candidates.push(candidate);
        self.left += 1;
    }

    #[inline(always)]
    fn add(
        &mut self,
        mv: Move,
        from: Square,
        to: Square,
        gain: i8,
        expectations: &Expectations<'_>,
    ) {
        if self.first != Some(mv) {
            self.push(Candidate { mv, gain }, expectations.of(mv, from, to, gain));
        }
    }
}

/// Has an expectation and an index in one positive number.
#[inline(always)]
fn key(order: i32, index: usize) -> i32 {
    (order.clamp(-ORDER_LIMIT, ORDER_LIMIT - 1) + ORDER_LIMIT) << INDEX_BITS
        | (INDEX_MASK - index as i32)
}

/// Expectations are less than this from zero.
const ORDER_LIMIT: i32 = 1 << 20;
const INDEX_BITS: u32 = 9;
const INDEX_MASK: i32 = (1 << INDEX_BITS) - 1;
const _: () = assert!(MAX_MOVES < INDEX_MASK as usize);

/// Whether a move is legal in an undecided position.
#[inline(always)]
fn is_legal(position: &Position, mv: Move) -> bool {
    let side = position.side_to_move();
    let own = position.stones(side);
    let is_empty = |to| position.empty().contains(to);
    match mv.kind() {
        MoveKind::Clone { to } => is_empty(to) && own.dilate().contains(to),
        MoveKind::Jump { from, to } => is_empty(to) && own.contains(from),
        MoveKind::Pass => !position.can_move(side),
    }
}

/// Whether an undecided position has but one legal move.
#[inline(always)]
pub(super) fn is_forced(position: &Position) -> bool {
    let own = position.stones(position.side_to_move());
    let near = own.dilate();
    let targets = near.dilate() & position.empty();
    match targets.len() {
        0 => true,
        1 => targets.into_iter().all(|to| {
            let jumps = (own & Bitboard::ring(to)).len();
            jumps + u32::from(near.contains(to)) == 1
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::history::History;
    use super::*;
    use crate::game::{Color, Rules};
    use crate::random::Random;

    const BUSY: &str = "x1o3o/2o4/1x1oo2/7/2xx3/7/o5x x 0 9";

    fn order(
        position: &Position,
        first: Option<Move>,
        mixed: bool,
        history: &History,
    ) -> Vec<Candidate> {
        let parameters = Parameters::default();
        let expectations = || Expectations {
            parameters: &parameters,
            history: history.of_side(position.side_to_move()),
            killer: None,
        };
        let mut picker = Picker::new(position, first, mixed);
        std::iter::from_fn(|| picker.pick(position, expectations, true)).collect()
    }

    #[test]
    fn every_legal_move_comes_once_the_first_first() {
        let mut random = Random::new(5);
        let mut positions = vec![BUSY.parse::<Position>().unwrap()];
        for _ in 0..300 {
            let position = positions[positions.len() - 1];
            let legal = position.legal_moves(Rules::Ataxx);
            positions.push(match legal.len() {
                0 => Position::default(),
                count => position.play(legal[random.below(count)]),
            });
        }
        let history = History::new();
        for position in positions {
            let mut legal = position.legal_moves(Rules::Ataxx).to_vec();
            if legal.is_empty() {
                continue;
            }
            legal.sort();
            assert_eq!(is_forced(&position), legal.len() == 1, "{position}");
            let first = legal[random.below(legal.len())];
            for mixed in [false, true] {
                let order = order(&position, Some(first), mixed, &history);
                assert_eq!(order[0].mv, first);
                let mut moves: Vec<_> = order.iter().map(|candidate| candidate.mv).collect();
                moves.sort();
                assert_eq!(moves, legal, "{position}");
            }
        }
    }

    #[test]
    fn gains_and_history_decide_the_order() {
        let position: Position = BUSY.parse().unwrap();
        let mut history = History::new();
        let favourite = "d3b4".parse().unwrap();
        let parameters = Parameters::default();
        history.learn(Color::Black, 9, favourite, &[], &parameters);
        let all = order(&position, None, true, &history);
        assert!(all.windows(2).all(|pair| pair[0].gain >= pair[1].gain));
        let rank = |mv| all.iter().position(|candidate| candidate.mv == mv).unwrap();
        let gain = all[rank(favourite)].gain;
        assert!(all[..rank(favourite)].iter().all(|candidate| candidate.gain > gain));
        // Without the mixture, what turns no stone is last.
        let parted = order(&position, None, false, &history);
        let is_quiet = |candidate: &Candidate| candidate.gain == 0;
        assert!(parted.is_sorted_by_key(is_quiet));
    }

    #[test]
    fn moves_of_other_positions_are_not_shown() {
        let position: Position = BUSY.parse().unwrap();
        for text in
            ["0000", "g2", "b1b3", "c4", "a7a5x"].iter().filter_map(|text| text.parse().ok())
        {
            let mv: Move = text;
            let legal = position.legal_moves(Rules::Ataxx).contains(&mv);
            assert_eq!(is_legal(&position, mv), legal, "{mv}");
        }
        assert!(is_legal(&"7/7/7/7/4ooo/4ooo/4oox x 0 30".parse().unwrap(), Move::PASS));
    }

    #[test]
    fn the_gain_is_the_change_of_the_stone_difference() {
        let position: Position = BUSY.parse().unwrap();
        let difference = |position: &Position| {
            let [black, white] = Color::ALL.map(|color| position.stones(color).len() as i32);
            black - white
        };
        let first = "a7b5".parse().ok();
        for candidate in order(&position, first, false, &History::new()) {
            let after = difference(&position.play(candidate.mv));
            let gain = i32::from(candidate.gain);
            assert_eq!(after - difference(&position), gain, "{}", candidate.mv);
        }
    }
}
