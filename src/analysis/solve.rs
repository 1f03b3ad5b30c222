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
/// Half of the nodes and of the time that the request allows may go into the first, what is left, but for an
/// eighth, into the second, which can also prove draws. What is not proven is as [`analyze`] finds it. The
/// first line is, as far as the limits let it, one to the end of the game: where the margin is known, one of
/// play for it, which may be shorter or longer than what its score tells of. A depth that the request limits
/// is that of the first search alone.
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
    let elapsed = || control.elapsed().saturating_sub(begun);
    let time_left = || move_time.map(|time| time.saturating_sub(elapsed()));
    // An eighth is for the line.
    let for_margin = time_left().zip(move_time).map(|(left, time)| left.saturating_sub(time / 8));
    let margin = solve_margin(
        position,
        rules,
        &MarginLimits {
            nodes: (nodes - nodes / 8).saturating_sub(analysis.result.nodes),
            until: for_margin.map(|time| Instant::now() + time),
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
    if let Some(Solution { outcome, .. }) = solution {
        let found = analysis.result.score;
        // A line for the margin may be shorter or longer than what forces the end soonest.
        let score = if found.is_proven() { found } else { score(outcome, side, margin.plies) };
        let moves = if margin.line.is_empty() {
            let known = match analysis.lines.first() {
                Some(line) if found.is_proven() => line.moves.clone(),
                _ => margin.best.into_iter().collect(),
            };
            let nodes = nodes.saturating_sub(analysis.result.nodes);
            let (moves, nodes) = complete(request, table, control, known, nodes, &time_left);
            analysis.result.nodes += nodes;
            moves
        } else {
            margin.line
        };
        analysis.result.score = score;
        analysis.result.best = moves.first().copied();
        analysis.result.ponder = moves.get(1).copied();
        analysis.selective_depth = analysis.selective_depth.max(moves.len());
        let best = AnalysedLine { score, moves };
        analysis.lines.retain(|line| line.moves.first() != best.moves.first());
        analysis.lines.iter_mut().for_each(|line| line.score = at_most(line.score, score));
        analysis.lines.insert(0, best);
        analysis.lines.truncate(request.settings.multi_pv.max(1));
    }
    analysis.time = control.elapsed();
    (analysis, solution)
}

/// The score of a position whose end can be forced within so many plies, if that is known.
fn score(outcome: Outcome, side: Color, plies: Option<u32>) -> Score {
    let moves = plies.map_or(u32::MAX, |plies| plies.div_ceil(2));
    match outcome {
        Outcome::Draw => Score::Cp(0),
        Outcome::Win(winner) if winner == side => Score::Win(moves),
        Outcome::Win(_) => Score::Loss(moves),
    }
}

/// What can be said of a move that was thought to have a score, but is no better than the best, whose score
/// is proven.
fn at_most(score: Score, best: Score) -> Score {
    match (score, best) {
        (Score::Cp(_), Score::Loss(_)) => best,
        (Score::Cp(cp), Score::Cp(best)) => Score::Cp(cp.min(best)),
        _ => score,
    }
}

/// A line of proven play as far as the end of the game, or as far as it can be found within so many nodes; and
/// how many it took.
fn complete(
    request: &Request<'_>,
    table: &Table,
    control: &Control,
    mut line: Vec<Move>,
    nodes: u64,
    time_left: &dyn Fn() -> Option<Duration>,
) -> (Vec<Move>, u64) {
    /// More than a line can need.
    const MOST: usize = 200;
    let rules = request.settings.rules;
    let mut game: Game = request.game.clone();
    let mut used = 0;
    line.iter().for_each(|&mv| game.play(mv));
    while game.position().outcome(rules).is_none() && line.len() < MOST && used < nodes {
        let limits = Limits {
            nodes: Some(nodes - used),
            move_time: time_left(),
            until_proven: true,
            ..Limits::default()
        };
        let next = analyze(&Request { game: &game, limits: &limits, ..*request }, table, control);
        used += next.result.nodes;
        let Some(more) = next.lines.first().filter(|_| next.result.score.is_proven()) else {
            break;
        };
        more.moves.iter().for_each(|&mv| game.play(mv));
        line.extend(&more.moves);
    }
    (line, used)
}
