//! Who wins, by how much, and how.

use std::time::{Duration, Instant};

use super::single::{AnalysedLine, Analysis, analyze};
use crate::game::{Color, Game, Move, Outcome};
use crate::search::{Control, Limits, MarginLimits, Request, Score, Table, solve_margin};

/// What is proven about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solution {
    /// How the game ends with best play.
    pub outcome: Outcome,
    /// How many stones more the side to move has in the end, or fewer, if negative, when both sides care for
    /// the number of stones; `None` where that is not proven.
    pub margin: Option<i32>,
}

/// What a search for proofs may visit where no limit of nodes or time is given.
pub const SOLVE_NODES: u64 = 10_000_000;

/// Searches for a proof of how the game ends, and then of by how many stones.
///
/// Half of the nodes and of the time that the request allows may go into the first, what is left into the
/// second, which can also prove draws. What is not proven is as [`analyze`] finds it. The first line is, as far
/// as the limits let it, one to the end of the game: where the margin is known, one of play for it.
///
/// ```
/// use std::time::Instant;
/// use physarum::analysis::solve;
/// use physarum::eval::Evaluation;
/// use physarum::game::{Color, Game, Outcome};
/// use physarum::search::{Control, Limits, Request, Settings, Table};
///
/// // Between the gaps, white has one square left.
/// let fen = "-------/-------/-------/-------/ox1----/oox----/xx----- o 0 20";
/// let request = Request {
///     game: &Game::new(fen.parse().unwrap()),
///     limits: &Limits { nodes: Some(10_000), ..Limits::default() },
///     settings: &Settings::default(),
///     evaluation: &Evaluation::default(),
/// };
/// let control = Control::new(Instant::now(), false);
/// let (analysis, solution) = solve(&request, &Table::new(1).unwrap(), &control);
/// let solution = solution.unwrap();
/// assert_eq!((solution.outcome, solution.margin), (Outcome::Win(Color::White), Some(4)));
/// assert_eq!(analysis.lines[0].moves.len(), 1);
/// ```
pub fn solve(
    request: &Request<'_>,
    table: &Table,
    control: &Control,
) -> (Analysis, Option<Solution>) {
    let rules = request.settings.rules;
    let position = request.game.position();
    let side = position.side_to_move();
    let begun = control.elapsed();
    let Limits { nodes, move_time, .. } = *request.limits;
    let nodes = match (nodes, move_time) {
        (None, None) => SOLVE_NODES,
        (nodes, _) => nodes.unwrap_or(u64::MAX),
    };
    let limits = Limits {
        nodes: Some(nodes.div_ceil(2)),
        move_time: move_time.map(|time| time / 2),
        until_proven: true,
        ..request.limits.clone()
    };
    let mut analysis = analyze(&Request { limits: &limits, ..*request }, table, control);
    if let Some(outcome) = analysis.outcome {
        let [black, white] = position.final_stones(rules).map(|stones| stones as i32);
        let margin = match (outcome, side) {
            (Outcome::Draw, _) => 0,
            (_, Color::Black) => black - white,
            (_, Color::White) => white - black,
        };
        return (analysis, Some(Solution { outcome, margin: Some(margin) }));
    }
    let time_left = || move_time.map(|time| (begun + time).saturating_sub(control.elapsed()));
    let margin = solve_margin(
        position,
        rules,
        &MarginLimits {
            nodes: nodes.saturating_sub(analysis.result.nodes),
            until: time_left().map(|time| Instant::now() + time),
            control,
        },
    );
    analysis.result.nodes += margin.nodes;
    let outcome = match (margin.at_least, margin.at_most, analysis.result.score) {
        (Some(1..), ..) | (_, _, Score::Win(_)) => Some(Outcome::Win(side)),
        (_, Some(..0), _) | (_, _, Score::Loss(_)) => Some(Outcome::Win(!side)),
        (Some(0), Some(0), _) => Some(Outcome::Draw),
        _ => None,
    };
    let solution = outcome.map(|outcome| Solution { outcome, margin: margin.exact() });
    let line = if margin.line.is_empty() {
        let known = analysis.lines.first().filter(|_| analysis.result.score.is_proven());
        known.map(|line| complete(request, table, control, &line.moves, &time_left))
    } else {
        Some(margin.line)
    };
    if let (Some(moves), Some(solution)) = (line, solution) {
        let score = score(solution.outcome, side, moves.len());
        analysis.result.best = moves.first().copied();
        analysis.result.ponder = moves.get(1).copied();
        let length = moves.len();
        // A search that was broken off tells of the shortest win; a line for the margin may be longer.
        let proven = analysis.result.score.is_proven();
        let score = if proven && solution.margin.is_none() { analysis.result.score } else { score };
        analysis.result.score = score;
        analysis.selective_depth = analysis.selective_depth.max(length);
        let best = AnalysedLine { score, moves };
        analysis.lines.retain(|line| line.moves.first() != best.moves.first());
        analysis.lines.insert(0, best);
        analysis.lines.truncate(request.settings.multi_pv.max(1));
    }
    analysis.time = control.elapsed();
    (analysis, solution)
}

/// The score of a line to the end of the game.
fn score(outcome: Outcome, side: Color, plies: usize) -> Score {
    let plies = u32::try_from(plies).unwrap_or(u32::MAX);
    match outcome {
        Outcome::Draw => Score::Cp(0),
        Outcome::Win(winner) if winner == side => Score::Win(plies.div_ceil(2)),
        Outcome::Win(_) => Score::Loss(plies / 2),
    }
}

/// A line of proven play as far as the end of the game, if it can be found.
fn complete(
    request: &Request<'_>,
    table: &Table,
    control: &Control,
    known: &[Move],
    time_left: &dyn Fn() -> Option<Duration>,
) -> Vec<Move> {
    /// Where the way is known it is soon found again.
    const NODES: u64 = 200_000;
    /// More than a line can need.
    const MOST: usize = 200;
    let rules = request.settings.rules;
    let mut game: Game = request.game.clone();
    let mut line = known.to_vec();
    line.iter().for_each(|&mv| game.play(mv));
    while game.position().outcome(rules).is_none() && line.len() < MOST {
        let limits = Limits {
            nodes: Some(NODES),
            move_time: time_left(),
            until_proven: true,
            ..Limits::default()
        };
        let next = analyze(&Request { game: &game, limits: &limits, ..*request }, table, control);
        let Some(more) = next.lines.first().filter(|_| next.result.score.is_proven()) else {
            break;
        };
        more.moves.iter().for_each(|&mv| game.play(mv));
        line.extend(&more.moves);
    }
    line
}
