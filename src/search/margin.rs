//! By how many stones an ending is won.

use std::time::Instant;

use super::Control;
use crate::game::{Color, HALFMOVE_LIMIT, Move, Position, Rules};

/// How a game that nobody can force an end of counts: as worse than any end.
const UNKNOWN: i32 = -50;
/// Better than any end.
const BEST: i32 = 50;
/// The deepest proof, in plies: where nobody can make progress, the rule of 100 halfmoves ends the game.
const MAX_DEPTH: u32 = 110;
/// The largest table: entries of 16 bytes.
const MOST_ENTRIES: u64 = 1 << 20;
/// After so many positions, a look at the clock.
const CHECK_INTERVAL: u64 = 1024;

/// When to give up.
#[derive(Clone, Copy, Debug)]
pub struct MarginLimits<'a> {
    /// Look at so many positions.
    pub nodes: u64,
    /// Go on no longer.
    pub until: Option<Instant>,
    /// Ends it as soon as it is stopped.
    pub control: &'a Control,
}

/// What is proven of how a game ends when both sides care for the number of stones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Margin {
    /// The side to move can get so many stones more than the other in the end (or fewer, if negative).
    pub at_least: Option<i32>,
    /// The other side can see to it that it is not more.
    pub at_most: Option<i32>,
    /// A move by which the side to move gets `at_least` so many, or, where only `at_most` is known, one
    /// that the other side has the most trouble with.
    pub best: Option<Move>,
    /// Within so many plies the side that wins can end the game, if one does.
    pub plies: Option<u32>,
    /// The moves to the end when both play for the margin; none if it is not known exactly.
    pub line: Vec<Move>,
    /// Positions looked at.
    pub nodes: u64,
}

impl Margin {
    /// The margin, where it is known exactly.
    pub fn exact(&self) -> Option<i32> {
        self.at_least.filter(|_| self.at_least == self.at_most)
    }
}

/// Finds out by how many stones a position is won or lost, as far as the limits let it.
///
/// A draw by the rule of 100 halfmoves is a margin of 0, and with [`Rules::Fill`] the squares that are filled
/// count.
///
/// Each side in turn tries to force an end within more and more plies; what it can force is a bound, and
/// where the two bounds meet the margin is exact. First comes who wins, then by how much.
///
/// ```
/// use std::time::Instant;
///
/// use physarum::game::{Position, Rules};
/// use physarum::search::{Control, MarginLimits, solve_margin};
///
/// // Between the gaps, white has one square left: c3.
/// let position: Position = "-------/-------/-------/-------/ox1----/oox----/xx----- o 0 20".parse()?;
/// let control = Control::new(Instant::now(), false);
/// let limits = MarginLimits { nodes: 100_000, until: None, control: &control };
/// let margin = solve_margin(&position, Rules::Assimilation, &limits);
/// assert_eq!(margin.exact(), Some(4));
/// assert_eq!(margin.line, ["c3".parse()?]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve_margin(position: &Position, rules: Rules, limits: &MarginLimits<'_>) -> Margin {
    let entries = limits.nodes.min(MOST_ENTRIES / 2).next_power_of_two() * 2;
    let mut prover = Prover {
        rules,
        limits: *limits,
        nodes: 0,
        is_over: false,
        best_move: None,
        table: vec![Entry::default(); entries as usize].into_boxed_slice(),
    };
    let side = position.side_to_move();
    let (mut least, mut most) = (UNKNOWN, BEST);
    let (mut best, mut defence, mut plies) = (None, None, None);
    // First who wins, which is proven sooner; then by how much.
    for (low, high) in [(-1, 1), (UNKNOWN, BEST)] {
        for depth in 0..=MAX_DEPTH {
            let is_settled = |least: i32, most: i32| least >= most || least >= high || most <= low;
            if is_settled(least, most) {
                break;
            }
            let forced = prover.force(position, side, least.max(low), most.min(high), depth);
            if prover.is_over {
                break;
            }
            if forced > low && forced > least {
                (least, best) = (forced, prover.best_move);
                if least > 0 {
                    plies = plies.or(Some(depth));
                }
            }
            if is_settled(least, most) {
                break;
            }
            let forced =
                prover.force(position, !side, (-most).max(-high), (-least).min(-low), depth);
            if prover.is_over {
                break;
            }
            if forced > -high && -forced < most {
                (most, defence) = (-forced, prover.best_move);
                if most < 0 {
                    plies = plies.or(Some(depth));
                }
            }
        }
    }
    let known = |bound: i32| (bound.abs() < BEST).then_some(bound);
    let mut margin = Margin {
        at_least: known(least),
        at_most: known(most),
        best: best.or(defence),
        plies,
        line: Vec::new(),
        nodes: 0,
    };
    if let Some(exact) = margin.exact() {
        margin.line = prover.line(position, exact);
    }
    margin.nodes = prover.nodes;
    margin
}

/// What is known of a position and the side that tries to force an end.
#[derive(Clone, Copy, Debug)]
struct Entry {
    key: u64,
    /// The side can force at least so much …
    low: i8,
    /// … within so many plies.
    low_depth: u8,
    /// It cannot force more than so much …
    high: i8,
    /// … within so many plies.
    high_depth: u8,
    mv: Option<Move>,
}

impl Default for Entry {
    fn default() -> Self {
        let (low, high) = (UNKNOWN as i8, BEST as i8);
        Self { key: 0, low, low_depth: 0, high, high_depth: 0, mv: None }
    }
}

struct Prover<'a> {
    rules: Rules,
    limits: MarginLimits<'a>,
    nodes: u64,
    /// A limit has been reached: what is returned is worth nothing.
    is_over: bool,
    /// What was best in the position that was searched last.
    best_move: Option<Move>,
    table: Box<[Entry]>,
}

/// Spreads the halfmove clock over the bits of a key.
const CLOCK_SALT: u64 = 0x9e37_79b9_7f4a_7c15;
/// Tells apart the entries for the two sides that may try.
const ATTACKER_SALT: [u64; 2] = [0, 0x9d3f_51c6_4b82_e0a7];

impl Prover<'_> {
    /// How much `attacker` can force within `depth` plies: the margin in its favour, [`UNKNOWN`] if it cannot
    /// force an end. Exact between `alpha` and `beta`, else a bound.
    fn force(
        &mut self,
        position: &Position,
        attacker: Color,
        alpha: i32,
        beta: i32,
        depth: u32,
    ) -> i32 {
        if let Some(margin) = final_margin(position, attacker, self.rules) {
            return margin;
        }
        if depth == 0 || self.is_spent() {
            return UNKNOWN;
        }
        // Where the halfmove clock can run out it counts as much as the position.
        let clock = u32::from(position.halfmove_clock());
        let may_run_out = self.rules == Rules::Ataxx && clock + depth >= HALFMOVE_LIMIT.into();
        let clock_salt =
            if may_run_out { u64::from(clock + 1).wrapping_mul(CLOCK_SALT) } else { 0 };
        let key = position.hash() ^ ATTACKER_SALT[attacker.index()] ^ clock_salt;
        let slot = key as usize & (self.table.len() - 1);
        let mut entry = Entry { key, ..Entry::default() };
        if self.table[slot].key == key {
            entry = self.table[slot];
            let (low, high) = (entry.low.into(), entry.high.into());
            let (has_low, has_high) =
                (u32::from(entry.low_depth) <= depth, u32::from(entry.high_depth) >= depth);
            self.best_move = entry.mv;
            if has_low && low > UNKNOWN && (low >= beta || has_high && low >= high) {
                return low;
            }
            if has_high && high <= alpha {
                return high;
            }
        }
        let tries = position.side_to_move() == attacker;
        let (mut low, mut high) = (alpha, beta);
        let mut best = if tries { UNKNOWN } else { BEST };
        let mut best_move = None;
        for (mv, child) in self.children(position, tries, entry.mv) {
            let forced = self.force(&child, attacker, low, high, depth - 1);
            if self.is_over {
                return UNKNOWN;
            }
            if tries && forced > best {
                (best, best_move) = (forced, Some(mv));
                low = low.max(best);
            } else if !tries && forced < best {
                (best, best_move) = (forced, Some(mv));
                high = high.min(best);
            }
            // Not even an end is worse for the attacker than none.
            if low >= high {
                break;
            }
        }
        let depth = depth as u8;
        if best > alpha && best > entry.low.into() {
            (entry.low, entry.low_depth) = (best as i8, depth);
        }
        if best < beta && (depth > entry.high_depth || best < entry.high.into()) {
            (entry.high, entry.high_depth) = (best as i8, depth);
        }
        entry.mv = best_move.or(entry.mv);
        self.best_move = entry.mv;
        self.table[slot] = entry;
        best
    }

    /// The moves and what they lead to, the most promising first.
    fn children(
        &self,
        position: &Position,
        tries: bool,
        first: Option<Move>,
    ) -> Vec<(Move, Position)> {
        let side = position.side_to_move();
        let mut children: Vec<(u32, Move, Position)> = position
            .legal_moves(self.rules)
            .into_iter()
            .map(|mv| {
                let child = position.play(mv);
                // The side that does not want the end had rather leave squares empty.
                let open = child.empty().len();
                let worth = 2 * child.stones(side).len() + if tries { 49 - open } else { open };
                (if Some(mv) == first { u32::MAX } else { worth }, mv, child)
            })
            .collect();
        children.sort_by_key(|&(worth, ..)| std::cmp::Reverse(worth));
        children.into_iter().map(|(_, mv, child)| (mv, child)).collect()
    }

    fn is_spent(&mut self) -> bool {
        self.nodes += 1;
        let MarginLimits { nodes, until, control } = self.limits;
        if self.nodes >= nodes {
            self.is_over = true;
        } else if self.nodes.is_multiple_of(CHECK_INTERVAL) {
            self.is_over |=
                control.is_stopped() || until.is_some_and(|until| Instant::now() >= until);
        }
        self.is_over
    }

    /// The moves to the end when both sides see to it that the margin, for the side to move, is this one.
    fn line(&mut self, position: &Position, margin: i32) -> Vec<Move> {
        let (mut position, mut margin) = (*position, margin);
        let mut line = Vec::new();
        'moves: while position.outcome(self.rules).is_none() {
            let side = position.side_to_move();
            let children = self.children(&position, true, None);
            // Who forces it soonest comes to the end.
            for depth in 0..MAX_DEPTH {
                for (mv, child) in &children {
                    let forced = self.force(child, side, margin - 1, margin, depth);
                    if self.is_over {
                        return Vec::new();
                    }
                    if forced >= margin {
                        line.push(*mv);
                        (position, margin) = (*child, -margin);
                        continue 'moves;
                    }
                }
            }
            return Vec::new();
        }
        line
    }
}

/// How many stones more a side has when the game is over; nothing if it is not.
fn final_margin(position: &Position, side: Color, rules: Rules) -> Option<i32> {
    if position.board_outcome(rules).is_some() {
        let stones = position.final_stones(rules);
        return Some(stones[side.index()] as i32 - stones[(!side).index()] as i32);
    }
    position.outcome(rules).map(|_| 0)
}
