//! What bounds a search.

use std::time::Duration;

use crate::game::Move;

/// The deepest search, in plies.
pub const MAX_DEPTH: u32 = 120;

/// What bounds a search; all that are given hold together.
///
/// Without any, a search ends when it is stopped or when there is nothing left to search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Search this many plies deep; more than [`MAX_DEPTH`] is [`MAX_DEPTH`].
    pub depth: Option<u32>,
    /// Visit this many positions, all threads together.
    pub nodes: Option<u64>,
    /// Begin no deeper search once this many positions have been visited: the last depth is
    /// completed, and the search so visits as many or somewhat more.
    pub soft_nodes: Option<u64>,
    /// Take this long.
    pub move_time: Option<Duration>,
    /// The side to move's clock.
    pub clock: Option<Clock>,
    /// Look for a win in this many moves: the search ends when it has one, or when it has proven
    /// that there is none; beyond half of [`MAX_DEPTH`] it proves nothing.
    pub mate: Option<u32>,
    /// End as soon as the game is known to be won or lost by force.
    pub until_proven: bool,
    /// Even when there is nothing left to search, don't end before being told to.
    pub infinite: bool,
    /// Consider only these moves; all legal ones if there are none.
    pub search_moves: Vec<Move>,
}

impl Limits {
    /// Whether nothing here ends a search before long.
    pub fn is_endless(&self) -> bool {
        let Self { depth, nodes, soft_nodes, move_time, clock, mate, infinite, .. } = self;
        let bounded = depth.is_some()
            || nodes.is_some()
            || soft_nodes.is_some()
            || move_time.is_some()
            || clock.is_some()
            || mate.is_some();
        *infinite || !bounded
    }
}

/// A clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// What is left on it.
    pub left: Duration,
    /// What each move adds.
    pub increment: Duration,
    /// How many moves it must last for; `None` for the rest of the game.
    pub moves_to_go: Option<u32>,
}
