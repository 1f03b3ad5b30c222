//! One thread's search: alpha-beta with iterative deepening at the root.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use super::Report;
use super::control::Control;
use super::history::History;
use super::params::Parameters;
use super::picker::{Expectations, Picker, is_forced};
use super::score::{DRAW, INFINITE, MATE, MAX_PLY, PROVEN, Score, is_proven, of_outcome, unproven};
use super::table::{Bound, Entry, Table};
use super::time::Budget;
use crate::eval::{Evaluation, Evaluator};
use crate::game::{Game, HALFMOVE_LIMIT, Move, Position, Rules};

/// What all threads of a search have in common.
pub(super) struct Shared<'a> {
    pub(super) table: &'a Table,
    pub(super) control: &'a Control,
    pub(super) game: &'a Game,
    pub(super) rules: Rules,
    pub(super) evaluation: &'a Evaluation,
    pub(super) parameters: &'a Parameters,
    pub(super) reductions: &'a Reductions,
    /// Exclusive-or'd to the keys of positions, so that searches whose scores mean different
    /// things do not meet in the table.
    pub(super) key_salt: u64,
    /// No pruning on guesses: what is not found is not there.
    pub(super) exhaustive: bool,
    pub(super) budget: Option<Budget>,
    /// Nodes that no thread has claimed yet; `None` without a limit.
    pub(super) unclaimed_nodes: Option<AtomicU64>,
    /// Set when the first thread has finished, or the time is up.
    pub(super) finished: AtomicBool,
    /// The nodes that each thread has visited, brought up to date now and then.
    pub(super) visited: Vec<Visited>,
}

/// A thread's count of nodes, on a cache line of its own.
#[derive(Default)]
#[repr(align(64))]
pub(super) struct Visited(AtomicU64);

impl Shared<'_> {
    /// The nodes visited by all threads.
    pub(super) fn nodes(&self) -> u64 {
        self.visited.iter().map(|visited| visited.0.load(Relaxed)).sum()
    }

    /// Takes nodes from what is left: fewer near the end, so that all threads get their share.
    fn claim_nodes(&self) -> u64 {
        let Some(unclaimed) = &self.unclaimed_nodes else { return CHECK_INTERVAL };
        let share = |left: u64| (left / self.visited.len() as u64).clamp(1, CHECK_INTERVAL);
        match unclaimed.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(share(left))) {
            Ok(left) => share(left),
            Err(_) => 0,
        }
    }
}

/// The clock is read, and nodes are claimed, once in this many nodes.
const CHECK_INTERVAL: u64 = 1024;

/// A line of moves.
type Line = arrayvec::ArrayVec<Move, MAX_PLY>;

/// A move at the root and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// From this iteration; `-INFINITE` as long as it has not been found best in it.
    pub(super) score: i32,
    /// The score in the iteration before.
    expected: i32,
    /// The line that the score stands for, beginning with the move.
    pub(super) line: Vec<Move>,
    /// The deepest ply reached when the score was found.
    pub(super) deepest: usize,
    /// The nodes that this thread has spent on it.
    pub(super) nodes: u64,
}

/// What is known of a node on the way from the root to the current one.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    /// The evaluation of its position.
    eval: i32,
    /// A move that has been good here or in a sibling.
    killer: Option<Move>,
    /// A move that the search must do without.
    excluded: Option<Move>,
}

/// A thread of a search.
pub(super) struct Worker<'a> {
    pub(super) shared: &'a Shared<'a>,
    index: usize,
    pub(super) root_moves: Vec<RootMove>,
    /// How many of the root moves have already been given a line in this iteration.
    fixed: usize,
    evaluator: Evaluator,
    pub(super) history: History,
    /// Hashes of the positions before the current one, from the last clone of the game on.
    path: Vec<u64>,
    lines: Vec<Line>,
    steps: Vec<Step>,
    deepest: usize,
    nodes: u64,
    /// When `nodes` gets here it is time to look at the clock and to claim more.
    next_check: u64,
    /// Whether this thread has a first result, and so may stop at any time.
    may_stop: bool,
    pub(super) stopped: bool,
}

impl<'a> Worker<'a> {
    pub(super) fn new(shared: &'a Shared<'a>, index: usize, root_moves: &[Move]) -> Self {
        let history = shared.table.take_history();
        let parameters = shared.parameters;
        let position = shared.game.position();
        // Without any search, the moves in the order of expectation.
        let expectations = || Expectations {
            parameters,
            history: history.of_side(position.side_to_move()),
            killer: None,
        };
        let mut picker = Picker::new(position, None, true);
        let order = std::iter::from_fn(|| picker.pick(position, expectations, true));
        let root_moves = order
            .filter(|candidate| root_moves.contains(&candidate.mv))
            .map(|candidate| RootMove {
                mv: candidate.mv,
                score: -INFINITE,
                expected: -INFINITE,
                line: vec![candidate.mv],
                deepest: 1,
                nodes: 0,
            })
            .collect();
        Self {
            shared,
            index,
            root_moves,
            fixed: 0,
            evaluator: Evaluator::new(shared.evaluation),
            history,
            path: shared.game.earlier_hashes().to_vec(),
            lines: vec![Line::new(); MAX_PLY + 1],
            steps: vec![Step::default(); MAX_PLY + 1],
            deepest: 0,
            nodes: 0,
            next_check: 0,
            may_stop: index > 0,
            stopped: false,
        }
    }

    /// Searches the root to a depth for the best `lines` moves, which are first in `root_moves`
    /// afterwards, best first. Then `line_done` hears of each with its number from 1.
    ///
    /// When the search is stopped, the lines begun keep what was found so far.
    pub(super) fn iterate(
        &mut self,
        depth: i32,
        lines: usize,
        line_done: &mut dyn FnMut(&Self, usize),
    ) {
        let lines = lines.min(self.root_moves.len());
        for root_move in &mut self.root_moves {
            root_move.expected = root_move.score;
        }
        for fixed in 0..lines {
            self.fixed = fixed;
            self.aspirate(depth);
            sort_by_score(&mut self.root_moves[..=fixed]);
            if self.stopped {
                return;
            }
            self.may_stop = true;
        }
        self.publish_nodes();
        for number in 1..=lines {
            line_done(self, number);
        }
    }

    /// Searches every root move to a depth of its own, so that each has its true score, and sorts them,
    /// the best first. When the search is stopped, the scores of the depth before stay, if there are any.
    pub(super) fn score_all(&mut self, depth: i32) {
        let position = self.shared.game.position();
        self.path.push(position.hash());
        let mut scored = self.root_moves.clone();
        for root_move in &mut scored {
            self.deepest = 0;
            let child = position.play(root_move.mv);
            let score = -self.search::<true>(&child, depth - 1, 1, -INFINITE, INFINITE, false);
            if self.stopped {
                break;
            }
            root_move.score = score;
            root_move.deepest = self.deepest;
            root_move.line.truncate(1);
            root_move.line.extend_from_slice(&self.lines[1]);
            self.may_stop = true;
        }
        self.path.pop();
        if !self.stopped || depth == 1 {
            sort_by_score(&mut scored);
            self.root_moves = scored;
        }
        self.publish_nodes();
    }

    /// What is told of a root move.
    pub(super) fn report<'b>(
        &self,
        depth: u32,
        multi_pv: usize,
        root_move: &'b RootMove,
    ) -> Report<'b> {
        Report {
            depth,
            selective_depth: root_move.deepest,
            multi_pv,
            score: Score::from_raw(root_move.score),
            nodes: self.shared.nodes(),
            time: self.shared.control.elapsed(),
            hashfull: self.shared.table.hashfull(),
            line: &root_move.line,
        }
    }

    /// How many plies ahead of the first thread this one searches.
    pub(super) const fn head_start(&self) -> u32 {
        self.index as u32 % 2
    }

    /// Searches the root in a window around the last score, widened until the score is inside.
    fn aspirate(&mut self, depth: i32) {
        let mut favourite = self.root_moves[self.fixed].clone();
        // What is left is no better than the line before.
        let bound = self.fixed.checked_sub(1).map_or(INFINITE, |line| self.root_moves[line].score);
        let expected = favourite.expected.min(bound);
        favourite.score = expected;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        let parameters = self.shared.parameters;
        let mut delta = parameters.aspiration_delta;
        let mut reduced = 0;
        // A win that was proven stays so, even if it is not seen again.
        let is_more_than = |known: &RootMove, score| known.score >= PROVEN && score < known.score;
        if depth >= parameters.aspiration_depth && !is_proven(expected) {
            (alpha, beta) = (expected - delta, expected + delta);
        }
        loop {
            self.deepest = 0;
            let score = self.search_root(depth - reduced, alpha, beta);
            if self.stopped {
                // Nothing better than the window, or than a loss: moves not yet searched may be.
                if score <= alpha || score <= -PROVEN || is_more_than(&favourite, score) {
                    self.restore(favourite);
                }
                return;
            }
            // The best so far leads, also into the next attempt; the order is else kept.
            sort_by_score(&mut self.root_moves[self.fixed..]);
            delta = delta * parameters.aspiration_growth / 100;
            let is_wide = delta > parameters.aspiration_max;
            // An open window always holds the score; one that fails is opened after a few steps,
            // and at once where the score is proven.
            if score <= alpha && alpha > -INFINITE {
                alpha = if is_proven(score) || is_wide { -INFINITE } else { score - delta };
                reduced = 0;
            } else if score >= beta && beta < INFINITE {
                beta = if is_proven(score) || is_wide { INFINITE } else { score + delta };
                // Better than what was expected, however the next attempt ends.
                favourite = self.root_moves[self.fixed].clone();
                // What is above the window is good enough to be looked at less closely first, but a
                // shallower search may not see the proof again.
                if !is_proven(score) {
                    reduced = (reduced + parameters.aspiration_shrink).min(depth / 2);
                }
            } else {
                if is_more_than(&favourite, score) {
                    self.restore(favourite);
                }
                return;
            }
        }
    }

    /// Puts a root move back in its place with what was known of it.
    fn restore(&mut self, known: RootMove) {
        let open = &mut self.root_moves[self.fixed..];
        if let Some(index) = open.iter().position(|root_move| root_move.mv == known.mv) {
            open[..=index].rotate_right(1);
            open[0] = known;
        }
    }

    fn search_root(&mut self, depth: i32, alpha: i32, beta: i32) -> i32 {
        let position = self.shared.game.position();
        let mut best = -INFINITE;
        if self.count_node() {
            return best;
        }
        self.path.push(position.hash());
        let raw_eval = self.evaluate(position);
        self.steps[0].eval = self.corrected(position, raw_eval);
        let mut floor = alpha;
        for root_move in &mut self.root_moves[self.fixed + 1..] {
            root_move.score = -INFINITE;
        }
        for index in self.fixed..self.root_moves.len() {
            let mv = self.root_moves[index].mv;
            let number = index - self.fixed;
            let child = position.play(mv);
            let nodes_before = self.nodes;
            let score = if number == 0 {
                -self.search::<true>(&child, depth - 1, 1, -beta, -floor, false)
            } else {
                let full_moves = self.fixed as i32 + self.shared.parameters.lmr_root_moves;
                let reduction = self.reduction(depth, number, full_moves) / 100;
                self.search_later::<true>(&child, depth - 1, reduction, 0, floor, beta, false)
            };
            self.root_moves[index].nodes += self.nodes - nodes_before;
            if self.stopped {
                break;
            }
            let root_move = &mut self.root_moves[index];
            if number == 0 || score > floor {
                root_move.score = score;
                root_move.deepest = self.deepest;
                root_move.line.clear();
                root_move.line.push(mv);
                root_move.line.extend_from_slice(&self.lines[1]);
            }
            best = best.max(score);
            floor = floor.max(score);
            if score >= beta {
                break;
            }
        }
        self.path.pop();
        if self.stopped && best > alpha {
            // A better move found before the stop counts.
            sort_by_score(&mut self.root_moves[self.fixed..]);
        }
        best
    }

    /// A move after the first: searched with a null window and, where late, shallower than `full`
    /// plies; and again for each doubt. `floor` and `beta` bound the score of the node, `ply` plies
    /// from the root.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "the bounds of a search, none of them optional")]
    fn search_later<const PV: bool>(
        &mut self,
        child: &Position,
        full: i32,
        reduction: i32,
        ply: usize,
        floor: i32,
        beta: i32,
        cut: bool,
    ) -> i32 {
        let reduced = (full - reduction).clamp(1.min(full), full);
        let mut score =
            -self.search::<false>(child, reduced, ply + 1, -floor - 1, -floor, !cut || PV);
        if score > floor && reduced < full {
            score = -self.search::<false>(child, full, ply + 1, -floor - 1, -floor, !cut);
        }
        if PV && score > floor && score < beta {
            score = -self.search::<true>(child, full, ply + 1, -beta, -floor, false);
        }
        score
    }

    /// How many hundredths of a ply shallower a late move is searched.
    #[inline(always)]
    fn reduction(&self, depth: i32, number: usize, full_moves: i32) -> i32 {
        let from = self.shared.parameters.lmr_depth;
        if self.shared.exhaustive || depth < from || (number as i32) < full_moves {
            return 0;
        }
        self.shared.reductions.of(depth, number)
    }

    /// The score of a position `ply` plies from the root, from its side to move's point of view:
    /// exact between `alpha` and `beta`, a bound outside.
    ///
    /// `PV` nodes have an open window; their lines are kept in `self.lines[ply]`. Where a `cut` is
    /// expected, the score is most likely at least `beta`.
    fn search<const PV: bool>(
        &mut self,
        position: &Position,
        mut depth: i32,
        ply: usize,
        mut alpha: i32,
        mut beta: i32,
        cut: bool,
    ) -> i32 {
        self.lines[ply].clear();
        if self.count_node() {
            return DRAW;
        }
        let rules = self.shared.rules;
        self.deepest = self.deepest.max(ply);
        if let Some(outcome) = position.outcome(rules) {
            return of_outcome(outcome, position.side_to_move(), ply);
        }
        // No rule makes a repetition a draw: a proof takes no notice of it.
        if !self.shared.exhaustive && self.is_repetition(position) {
            return DRAW;
        }
        let parameters = self.shared.parameters;
        if depth <= 0 || ply >= MAX_PLY - 1 {
            let eval = self.evaluate(position);
            return self.corrected(position, eval);
        }
        // A win found nearer to the root cannot be bettered here.
        alpha = alpha.max(ply as i32 - MATE);
        beta = beta.min(MATE - ply as i32 - 1);
        if alpha >= beta {
            return alpha;
        }

        let exhaustive = self.shared.exhaustive;
        let excluded = self.steps[ply].excluded;
        let key = position.hash() ^ self.shared.key_salt;
        let clock = position.halfmove_clock();
        // Before the table, which takes a while to be fetched.
        let raw_eval = self.evaluate(position);
        let known = self.shared.table.probe(key, ply);
        if let Some(entry) = known
            && !PV
            && excluded.is_none()
            && entry.depth >= depth
            && entry.bound.decides(entry.score, alpha, beta)
            && self.clock_allows(clock, entry.score, ply, depth)
        {
            return entry.score;
        }
        let eval = self.corrected(position, raw_eval);
        self.steps[ply].eval = eval;
        self.steps[ply + 1].killer = None;
        let improving = ply < 2 || eval > self.steps[ply - 2].eval;
        let table_move = known.and_then(|entry| entry.mv);
        // The table's score is a better guess than the evaluation where its bound allows.
        let guess = match known {
            Some(entry) if !is_proven(entry.score) => match entry.bound {
                Bound::Exact => entry.score,
                Bound::Lower => eval.max(entry.score),
                Bound::Upper => eval.min(entry.score),
            },
            _ => eval,
        };

        let empty = position.empty().len() as i32;
        let may_prune = !exhaustive && empty > parameters.pruning_empty;
        if !PV && !exhaustive && excluded.is_none() && beta.abs() < PROVEN {
            let margin = parameters.rfp_margin * depth
                - if improving { parameters.rfp_improving } else { 0 };
            if depth <= parameters.rfp_depth && may_prune && guess - margin >= beta {
                return guess;
            }
            if depth >= parameters.null_depth
                && empty >= parameters.null_empty
                && guess >= beta
                && !self.last_was_pass(position)
            {
                self.path.push(position.hash());
                let reduced = depth
                    - 1
                    - parameters.null_reduction
                    - depth / parameters.null_divisor
                    - ((guess - beta) / parameters.null_margin).min(3);
                let child = position.play(Move::PASS);
                self.shared.table.prefetch(child.hash() ^ self.shared.key_salt);
                let score = -self.search::<false>(&child, reduced, ply + 1, -beta, 1 - beta, !cut);
                self.path.pop();
                if self.stopped {
                    return DRAW;
                }
                if score >= beta {
                    // What is proven after a pass is not proven here.
                    return if is_proven(score) { beta } else { score };
                }
            }
            if depth >= parameters.probcut_depth && may_prune {
                let shallow = depth - parameters.probcut_reduction;
                let margin = parameters.probcut_margin;
                let (high, low) = (beta + margin, alpha - margin);
                if guess >= high && high < PROVEN {
                    let score = self.search::<false>(position, shallow, ply, high - 1, high, cut);
                    if self.stopped {
                        return DRAW;
                    }
                    if score >= high {
                        return if is_proven(score) { score } else { score - margin };
                    }
                } else if guess <= low && low > -PROVEN {
                    let score = self.search::<false>(position, shallow, ply, low, low + 1, cut);
                    if self.stopped {
                        return DRAW;
                    }
                    if score <= low {
                        return if is_proven(score) { score } else { score + margin };
                    }
                }
            }
        }
        if table_move.is_none() && depth >= parameters.iir_depth && !exhaustive {
            depth -= 1;
        }

        // Whether the table's move is better than all others, by a shallower search without it.
        let mut extension = 0;
        if let Some(entry) = known
            && let Some(mv) = entry.mv
            && depth >= parameters.singular_depth
            && excluded.is_none()
            && !exhaustive
            && ply < MAX_PLY / 2
            && entry.depth >= depth - parameters.singular_table
            && entry.bound != Bound::Upper
            && !is_proven(entry.score)
        {
            let target = entry.score - depth * parameters.singular_margin / 100;
            self.steps[ply].excluded = Some(mv);
            let score =
                self.search::<false>(position, (depth - 1) / 2, ply, target - 1, target, cut);
            self.steps[ply].excluded = None;
            if self.stopped {
                return DRAW;
            }
            if score < target {
                extension = 1;
                if !PV && score < target - parameters.singular_double {
                    extension = 2;
                }
            } else if !PV && target >= beta && !is_proven(target) {
                // Another move is good enough too.
                return target;
            } else if entry.score >= beta {
                extension = -1;
            }
        }

        // A forced move costs no depth, but lines have an end.
        if is_forced(position) && ply < MAX_PLY / 2 {
            depth += 1;
        }
        let mut picker = Picker::new(position, table_move, !may_prune);
        let side = position.side_to_move();
        let killer = self.steps[ply].killer;
        let mut best = -INFINITE;
        let mut best_move = None;
        let mut tried = arrayvec::ArrayVec::<Move, 32>::new();
        let old_alpha = alpha;
        self.path.push(position.hash());
        for number in 0.. {
            // As long as everything loses by force nothing is left out: proofs stay proofs.
            let leave_out = may_prune && best > -PROVEN;
            let quiet = !leave_out || number < parameters.quiet_jumps;
            let expectations =
                || Expectations { parameters, history: self.history.of_side(side), killer };
            let Some(candidate) = picker.pick(position, expectations, quiet) else { break };
            let mv = candidate.mv;
            if excluded == Some(mv) {
                continue;
            }
            if leave_out && !PV {
                let mut most = parameters.lmp_base * 100 + parameters.lmp_factor * depth * depth;
                if parameters.lmp_improving != 0 && !improving {
                    most /= 2;
                }
                if depth <= parameters.lmp_depth && number * 100 >= most {
                    break;
                }
                if depth <= parameters.futility_depth
                    && eval
                        + i32::from(candidate.gain) * parameters.futility_gain
                        + parameters.futility_base
                        + parameters.futility_margin * depth
                        <= alpha
                {
                    continue;
                }
            }
            let child = position.play(mv);
            if depth > 1 {
                self.shared.table.prefetch(child.hash() ^ self.shared.key_salt);
            }
            let score = if number == 0 {
                let full = depth - 1 + extension;
                -self.search::<PV>(&child, full, ply + 1, -beta, -alpha, !PV && !cut)
            } else {
                let mut reduction = self.reduction(depth, number as usize, parameters.lmr_moves);
                if reduction > 0 {
                    reduction -= self.history.get(side, mv) * 100 / parameters.lmr_history;
                    if PV {
                        reduction -= parameters.lmr_pv;
                    }
                    if cut {
                        reduction += parameters.lmr_cut;
                    }
                    if !improving {
                        reduction += parameters.lmr_worsening;
                    }
                    if candidate.gain <= 1 {
                        reduction += parameters.lmr_quiet;
                    }
                    reduction /= 100;
                }
                self.search_later::<PV>(&child, depth - 1, reduction, ply, alpha, beta, cut)
            };
            if self.stopped {
                break;
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(mv);
                    alpha = score;
                    if PV {
                        self.extend_line(ply, mv);
                    }
                    if score >= beta {
                        self.steps[ply].killer = Some(mv);
                        self.history.learn(side, depth, mv, &tried, parameters);
                        break;
                    }
                }
            }
            if !tried.is_full() {
                tried.push(mv);
            }
        }
        self.path.pop();
        if self.stopped {
            return DRAW;
        }
        if best == -INFINITE {
            // Without the one legal move nothing is left.
            return alpha;
        }
        let bound = match best {
            _ if best >= beta => Bound::Lower,
            _ if best > old_alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        if excluded.is_none() {
            if self.clock_allows(clock, best, ply, depth) {
                let entry = Entry { mv: best_move, score: best, eval: raw_eval, depth, bound };
                self.shared.table.store(key, ply, entry, parameters);
            }
            let says_more = match bound {
                Bound::Exact => true,
                Bound::Lower => best > eval,
                Bound::Upper => best < eval,
            };
            if parameters.correction_weight > 0 && says_more && !is_proven(best) {
                self.history.correct(position, depth, best - raw_eval);
            }
        }
        best
    }

    /// An evaluation with what the search has learnt about it.
    #[inline(always)]
    fn corrected(&self, position: &Position, eval: i32) -> i32 {
        let weight = self.shared.parameters.correction_weight;
        if weight == 0 {
            return unproven(eval);
        }
        unproven(eval + self.history.correction(position, weight))
    }

    /// The evaluation, kept clear of proven scores.
    #[inline(always)]
    fn evaluate(&mut self, position: &Position) -> i32 {
        unproven(self.evaluator.evaluate(position))
    }

    /// Whether a score holds whatever the halfmove clock, of which the table knows nothing: only if
    /// the hundredth halfmove lies beyond the proven result, or else beyond what the search most
    /// likely sees. So proofs are exact, and only unproven scores may take a draw for granted.
    #[inline(always)]
    fn clock_allows(&self, clock: u16, score: i32, ply: usize, depth: i32) -> bool {
        // Forced moves make lines longer than the depth.
        const BEYOND: i32 = 15;
        if self.shared.rules != Rules::Ataxx {
            return true;
        }
        let plies = if is_proven(score) { MATE - score.abs() - ply as i32 } else { depth + BEYOND };
        i32::from(clock) + plies < HALFMOVE_LIMIT.into()
    }

    /// Whether the position has been on the board before, in the game or on the way here.
    #[inline]
    fn is_repetition(&self, position: &Position) -> bool {
        // Only the plies since the last clone count. The side to move is the same every second
        // ply, and after two plies of jumps at least one stone stands elsewhere.
        let back = usize::from(position.halfmove_clock()).min(self.path.len());
        let hash = position.hash();
        self.path[self.path.len() - back..].iter().rev().skip(3).step_by(2).any(|&h| h == hash)
    }

    /// Whether the position came about by a null move (or a real pass).
    fn last_was_pass(&self, position: &Position) -> bool {
        let unmoved = position.play(Move::PASS).hash();
        self.path.last() == Some(&unmoved)
    }

    #[inline]
    fn extend_line(&mut self, ply: usize, mv: Move) {
        let (head, tail) = self.lines.split_at_mut(ply + 1);
        let line = &mut head[ply];
        line.clear();
        line.push(mv);
        line.extend(tail[0].iter().copied().take(MAX_PLY - 1));
    }

    /// Counts a node; true if the search is over.
    #[inline(always)]
    fn count_node(&mut self) -> bool {
        if self.nodes >= self.next_check {
            self.check();
        }
        if self.may_stop && self.is_halted() {
            self.stopped = true;
        }
        if !self.stopped {
            self.nodes += 1;
        }
        self.stopped
    }

    /// Whether the search should stop as soon as it has a move.
    #[inline(always)]
    fn is_halted(&self) -> bool {
        self.shared.control.is_stopped() || self.shared.finished.load(Relaxed)
    }

    #[cold]
    fn check(&mut self) {
        self.publish_nodes();
        let claimed = self.shared.claim_nodes();
        self.next_check = self.nodes + claimed;
        self.stopped |= claimed == 0;
        // Every thread looks at the clock: where there are more of them than processors, the first
        // one may not get to it in time.
        let is_late = |(budget, elapsed): (&Budget, Duration)| elapsed >= budget.hard;
        if self.may_stop && self.clock_elapsed().is_some_and(is_late) {
            self.shared.finished.store(true, Relaxed);
        }
    }

    /// The nodes that this thread has visited.
    pub(super) const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Brings the shared count of this thread's nodes up to date.
    pub(super) fn publish_nodes(&self) {
        self.shared.visited[self.index].0.store(self.nodes, Relaxed);
    }

    /// The time limits, if there are any and the clock runs, with the time it has run.
    pub(super) fn clock_elapsed(&self) -> Option<(&'a Budget, Duration)> {
        Some((self.shared.budget.as_ref()?, self.shared.control.clock_elapsed()?))
    }
}

/// The plies, in hundredths, by which a late move is searched shallower: by depth and number.
pub(super) struct Reductions([[i32; 64]; 64]);

impl Reductions {
    pub(super) fn new(parameters: &Parameters) -> Self {
        // Not the standard library's logarithm, which may differ from system to system.
        let logarithms: [f64; 64] = std::array::from_fn(|n| libm::log(n.max(1) as f64));
        let factor = 10_000.0 / f64::from(parameters.lmr_divisor);
        Self(std::array::from_fn(|depth| {
            std::array::from_fn(|number| {
                let product = logarithms[depth] * logarithms[number];
                parameters.lmr_base + (product * factor) as i32
            })
        }))
    }

    #[inline(always)]
    fn of(&self, depth: i32, number: usize) -> i32 {
        self.0[(depth as usize).min(63)][number.min(63)]
    }
}

/// Best first; where there is nothing to choose the order stays.
fn sort_by_score(root_moves: &mut [RootMove]) {
    root_moves.sort_by_key(|root_move| Reverse(root_move.score));
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    /// Lets a worker do something that ends after so many nodes, in a search of its own.
    fn with_worker<T>(fen: &str, nodes: Option<u64>, work: impl FnOnce(&mut Worker<'_>) -> T) -> T {
        let parameters = Parameters::default();
        let shared = Shared {
            table: &Table::new(1).unwrap(),
            control: &Control::new(Instant::now(), false),
            game: &Game::new(fen.parse().unwrap()),
            rules: Rules::Ataxx,
            evaluation: &Evaluation::Handcrafted,
            parameters: &parameters,
            reductions: &Reductions::new(&parameters),
            key_salt: 0,
            exhaustive: false,
            budget: None,
            unclaimed_nodes: nodes.map(AtomicU64::new),
            finished: AtomicBool::new(false),
            visited: vec![Visited::default()],
        };
        let legal = shared.game.position().legal_moves(shared.rules);
        work(&mut Worker::new(&shared, 0, &legal))
    }

    /// Black can fill the board, or leave it to white.
    const WON: &str = "xxxxxxx/xxxxxxx/xxxxxxx/ooooooo/ooooooo/ooooooo/xxxxx1x x 0 40";

    /// Black's two moves leave white to fill the board and win.
    const LOST: &str = "xoooooo/1oooooo/1oooooo/ooooooo/ooooooo/ooooooo/ooooooo x 0 40";

    #[test]
    fn what_was_above_the_window_stays_when_the_next_attempt_is_broken_off() {
        // As if the iteration before had found a move that does not win, and little to hope for.
        let prepare = |worker: &mut Worker<'_>| {
            let wins = |root_move: &RootMove| root_move.mv.from().is_none();
            worker.root_moves.sort_by_key(wins);
            worker.root_moves.iter_mut().for_each(|root_move| root_move.score = -5000);
            worker.may_stop = true;
        };
        let first_attempt = with_worker(WON, None, |worker| {
            prepare(worker);
            assert!(worker.search_root(4, -5060, -4940) >= -4940);
            worker.nodes()
        });
        with_worker(WON, Some(first_attempt + 1), |worker| {
            prepare(worker);
            worker.iterate(4, 1, &mut |_, _| {});
            assert!(worker.stopped);
            let best = &worker.root_moves[0];
            assert!(best.score >= -4940, "{best:?}");
        });
    }

    #[test]
    fn a_line_that_was_not_searched_is_no_better_than_the_one_before() {
        // As if the iteration before had seen no loss.
        let prepare = |worker: &mut Worker<'_>| {
            worker.root_moves.iter_mut().for_each(|root_move| root_move.score = 50);
        };
        let first_line = with_worker(LOST, None, |worker| {
            prepare(worker);
            worker.iterate(6, 1, &mut |_, _| {});
            assert!(worker.root_moves[0].score <= -PROVEN, "{:?}", worker.root_moves);
            worker.nodes()
        });
        with_worker(LOST, Some(first_line + 1), |worker| {
            prepare(worker);
            worker.iterate(6, 2, &mut |_, _| {});
            assert!(worker.stopped);
            let best = &worker.root_moves[0];
            assert!((-MATE..=-PROVEN).contains(&best.score), "{:?}", worker.root_moves);
        });
    }
}
