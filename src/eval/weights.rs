//! The weights of the hand-written evaluation.

use super::handcrafted::CLASSES;

/// What one of a thing is worth, in centi-stones: on an empty board, and on a full one.
pub(super) type Weight = [i16; 2];

/// The weight of everything that is counted.
pub(super) struct Weights {
    /// Stones, by the class of their square.
    pub(super) stones: [Weight; CLASSES],
    /// Empty squares in reach.
    pub(super) reachable: Weight,
    /// Stones that nothing can land next to.
    pub(super) safe: Weight,
    /// Pairs of a stone and a square next to it where the other side could land.
    pub(super) exposed: Weight,
    /// Squares where the other side could land next to four stones or more.
    pub(super) exposed_many: Weight,
    /// The most stones that the side to move can turn with one move, from 0 to 8.
    pub(super) can_turn: [Weight; 9],
    /// The most stones that the other side could turn, were it its turn.
    pub(super) can_lose: [Weight; 9],
    /// Being the side to move.
    pub(super) tempo: Weight,
}

/// Fitted by logistic regression to the results and the search scores of games of the engine
/// against itself.
pub(super) static WEIGHTS: Weights = Weights {
    stones: [[16, 240], [-61, 320], [-72, 294], [-50, 224], [-71, 210]],
    reachable: [4, 54],
    safe: [167, -40],
    exposed: [17, -21],
    exposed_many: [75, -117],
    can_turn: [
        [194, 45],
        [0, 0],
        [-97, 391],
        [-48, 601],
        [-23, 671],
        [-170, 963],
        [-228, 1092],
        [-168, 1276],
        [-172, 1769],
    ],
    can_lose: [
        [-192, -268],
        [0, 0],
        [130, -181],
        [159, -277],
        [76, -238],
        [111, -350],
        [297, -515],
        [196, -754],
        [-140, -539],
    ],
    tempo: [-24, 188],
};
