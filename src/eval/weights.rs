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
    stones: [[28, 211], [-16, 244], [-26, 240], [-10, 199], [-35, 193]],
    reachable: [13, 28],
    safe: [133, -41],
    exposed: [15, -17],
    exposed_many: [82, -120],
    can_turn: [
        [146, 360],
        [0, 0],
        [-29, 598],
        [26, 767],
        [119, 802],
        [77, 1097],
        [100, 1161],
        [431, 1331],
        [948, 2082],
    ],
    can_lose: [
        [-106, -295],
        [0, 0],
        [68, -187],
        [37, -259],
        [-115, -177],
        [26, -275],
        [258, -464],
        [588, -782],
        [578, -1027],
    ],
    tempo: [25, -131],
};
