//! Forced results by trying everything. The rules are written down here once more, square by
//! square, so that neither the search nor the boards it works on can be wrong in the same way.
#![allow(dead_code)] // each test file is a program of its own and uses only a part

use std::cmp::Ordering;
use std::collections::HashMap;

use physarum::game::{Position, Rules};

const WIDTH: i32 = 7;
const SQUARES: usize = 49;
/// Halfmoves without a clone that make a draw under `Ataxx`.
const CLOCK_END: u16 = 100;

/// The stones of the side to move and those of the other, and the halfmove clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct State {
    own: u64,
    theirs: u64,
    clock: u16,
}

/// What is known of a state, in plies.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// Won within this many …
    won: Option<u32>,
    /// … but not within so many.
    not_won: Option<u32>,
    lost: Option<u32>,
    not_lost: Option<u32>,
}

/// Says what is won and lost within some plies, on a board with fixed gaps.
pub struct Prover {
    rules: Rules,
    gaps: u64,
    /// The squares at a distance of one and of two from each.
    near: [u64; SQUARES],
    far: [u64; SQUARES],
    known: HashMap<State, Known>,
    /// The states that may still be looked at for the current question.
    budget: usize,
}

/// A question would have taken too long to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooHard;

impl Prover {
    /// For the board of a position.
    pub fn new(position: &Position, rules: Rules) -> Self {
        let at = |distance: i32| {
            std::array::from_fn(|square| {
                let (x, y) = (square as i32 % WIDTH, square as i32 / WIDTH);
                let is_there = |&other: &usize| {
                    let (dx, dy) = (other as i32 % WIDTH - x, other as i32 / WIDTH - y);
                    dx.abs().max(dy.abs()) == distance
                };
                (0..SQUARES).filter(is_there).fold(0, |set, other| set | 1 << other)
            })
        };
        let (near, far) = (at(1), at(2));
        let gaps = position.gaps().bits();
        Self { rules, gaps, near, far, known: HashMap::new(), budget: 0 }
    }

    /// In how many plies the side to move wins by force, if it does within `plies`; `effort` is the
    /// number of states that may be looked at.
    pub fn win(
        &mut self,
        position: &Position,
        plies: u32,
        effort: usize,
    ) -> Result<Option<u32>, TooHard> {
        self.budget = effort;
        let state = self.state(position);
        for plies in 0..=plies {
            if self.is_won(state, plies)? {
                return Ok(Some(plies));
            }
        }
        Ok(None)
    }

    /// In how many plies the side to move loses by force, if it does within `plies`.
    pub fn loss(
        &mut self,
        position: &Position,
        plies: u32,
        effort: usize,
    ) -> Result<Option<u32>, TooHard> {
        self.budget = effort;
        let state = self.state(position);
        for plies in 0..=plies {
            if self.is_lost(state, plies)? {
                return Ok(Some(plies));
            }
        }
        Ok(None)
    }

    fn state(&self, position: &Position) -> State {
        assert_eq!(position.gaps().bits(), self.gaps, "the board has changed");
        let side = position.side_to_move();
        State {
            own: position.stones(side).bits(),
            theirs: position.stones(!side).bits(),
            clock: if self.rules == Rules::Ataxx { position.halfmove_clock() } else { 0 },
        }
    }

    fn is_won(&mut self, state: State, plies: u32) -> Result<bool, TooHard> {
        if let Some(result) = self.end(state) {
            return Ok(result == Ordering::Greater);
        }
        if plies == 0 {
            return Ok(false);
        }
        let state = forget_clock(state, plies);
        let known = self.known.get(&state).copied().unwrap_or_default();
        if known.won.is_some_and(|won| won <= plies) {
            return Ok(true);
        }
        if known.not_won.is_some_and(|not_won| not_won >= plies) {
            return Ok(false);
        }
        self.spend()?;
        let mut won = false;
        for child in self.children(state) {
            if self.is_lost(child, plies - 1)? {
                won = true;
                break;
            }
        }
        let known = self.known.entry(state).or_default();
        *(if won { &mut known.won } else { &mut known.not_won }) = Some(plies);
        Ok(won)
    }

    fn is_lost(&mut self, state: State, plies: u32) -> Result<bool, TooHard> {
        if let Some(result) = self.end(state) {
            return Ok(result == Ordering::Less);
        }
        if plies == 0 {
            return Ok(false);
        }
        let state = forget_clock(state, plies);
        let known = self.known.get(&state).copied().unwrap_or_default();
        if known.lost.is_some_and(|lost| lost <= plies) {
            return Ok(true);
        }
        if known.not_lost.is_some_and(|not_lost| not_lost >= plies) {
            return Ok(false);
        }
        self.spend()?;
        let mut lost = true;
        for child in self.children(state) {
            if !self.is_won(child, plies - 1)? {
                lost = false;
                break;
            }
        }
        let known = self.known.entry(state).or_default();
        *(if lost { &mut known.lost } else { &mut known.not_lost }) = Some(plies);
        Ok(lost)
    }

    fn spend(&mut self) -> Result<(), TooHard> {
        self.budget = self.budget.checked_sub(1).ok_or(TooHard)?;
        Ok(())
    }

    /// The result for the side to move, if the game is over.
    fn end(&self, state: State) -> Option<Ordering> {
        let State { own, theirs, clock } = state;
        let stuck = |stones| !self.can_move(stones, own | theirs);
        let is_over = own == 0
            || theirs == 0
            || match self.rules {
                Rules::Assimilation | Rules::Fill => stuck(own),
                Rules::Ataxx => stuck(own) && stuck(theirs),
            };
        if is_over {
            let filled = self.rules == Rules::Fill && stuck(own);
            let more = if filled { self.empty(own | theirs).count_ones() } else { 0 };
            return Some(own.count_ones().cmp(&(theirs.count_ones() + more)));
        }
        (self.rules == Rules::Ataxx && clock >= CLOCK_END).then_some(Ordering::Equal)
    }

    fn can_move(&self, stones: u64, occupied: u64) -> bool {
        let empty = self.empty(occupied);
        squares(stones).any(|from| (self.near[from] | self.far[from]) & empty != 0)
    }

    fn empty(&self, occupied: u64) -> u64 {
        !(occupied | self.gaps) & ((1 << SQUARES) - 1)
    }

    /// The states after each move, those with the most stones for the mover first.
    fn children(&self, state: State) -> Vec<State> {
        let State { own, theirs, clock } = state;
        let mut children = Vec::new();
        for to in squares(self.empty(own | theirs)) {
            let turned = theirs & self.near[to];
            let mut add = |left: u64, clock| {
                let stones = left | turned | 1 << to;
                children.push(State { own: theirs & !turned, theirs: stones, clock });
            };
            if own & self.near[to] != 0 {
                add(own, 0);
            }
            for from in squares(own & self.far[to]) {
                add(own & !(1 << from), self.tick(clock));
            }
        }
        if children.is_empty() {
            // Only under `Ataxx` does the game go on.
            children.push(State { own: theirs, theirs: own, clock: self.tick(clock) });
        }
        children.sort_by_key(|child| {
            (child.own.count_ones(), SQUARES as u32 - child.theirs.count_ones())
        });
        children
    }

    fn tick(&self, clock: u16) -> u16 {
        if self.rules == Rules::Ataxx { clock + 1 } else { 0 }
    }
}

/// A clock that cannot run out within some plies makes no difference.
fn forget_clock(state: State, plies: u32) -> State {
    let matters = u32::from(state.clock) + plies >= CLOCK_END.into();
    State { clock: if matters { state.clock } else { 0 }, ..state }
}

fn squares(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let square = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (square < SQUARES).then_some(square)
    })
}
