//! One position.

use std::time::Duration;

use crate::game::{Move, Outcome};
use crate::search::{Control, Request, Score, SearchResult, Table, search};

/// A line and its score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnalysedLine {
    /// From the point of view of the side to move.
    pub score: Score,
    /// The moves, the one to be played first.
    pub moves: Vec<Move>,
}

/// What was found out about a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// How the game has ended; `None` while it goes on.
    pub outcome: Option<Outcome>,
    /// How many legal moves there are.
    pub legal_moves: usize,
    /// The search's result; its best move is the first line's.
    pub result: SearchResult,
    /// The longest line looked at, in plies.
    pub selective_depth: usize,
    /// The best lines, as many as were asked for and there are, the best first; none where the game
    /// is over. Where the search was broken off, the first ones come from its last depth, and the rest,
    /// in their own order, from the one before.
    pub lines: Vec<AnalysedLine>,
    /// What the search took.
    pub time: Duration,
}

/// Puts a line in its place, before those that had been there; what was known of its first move goes.
fn put(lines: &mut Vec<AnalysedLine>, place: usize, line: AnalysedLine) {
    let first = line.moves.first().copied();
    lines.insert(place, line);
    let mut number = 0;
    lines.retain(|line| {
        number += 1;
        number <= place + 1 || line.moves.first().copied() != first
    });
}

/// Searches a position and keeps what the search tells of its last depth.
///
/// ```
/// use std::time::Instant;
/// use physarum::analysis::analyze;
/// use physarum::eval::Evaluation;
/// use physarum::game::{Game, Position};
/// use physarum::search::{Control, Limits, Request, Score, Settings, Table};
///
/// let position: Position = "7/7/7/7/2oo3/1x5/7 x 0 20".parse().unwrap();
/// let request = Request {
///     game: &Game::new(position),
///     limits: &Limits { depth: Some(4), ..Limits::default() },
///     settings: &Settings { multi_pv: 2, ..Settings::default() },
///     evaluation: &Evaluation::default(),
/// };
/// let analysis = analyze(&request, &Table::new(1).unwrap(), &Control::new(Instant::now(), false));
/// assert_eq!(analysis.result.score, Score::Win(1));
/// assert_eq!(analysis.lines.len(), 2);
/// ```
pub fn analyze(request: &Request<'_>, table: &Table, control: &Control) -> Analysis {
    let rules = request.settings.rules;
    let position = request.game.position();
    // The lines of this depth so far, and behind them those of the one before.
    let mut lines: Vec<AnalysedLine> = Vec::new();
    let mut selective_depth = 0;
    let result = search(request, table, control, &mut |report| {
        let line = AnalysedLine { score: report.score, moves: report.line.to_vec() };
        if report.multi_pv == 1 {
            selective_depth = report.selective_depth;
        }
        let place = (report.multi_pv - 1).min(lines.len());
        put(&mut lines, place, line);
    });
    if let Some(best) = result.best {
        // The choice may be none that was told of.
        if lines.first().and_then(|line| line.moves.first()) != Some(&best) {
            let moves = [Some(best), result.ponder].into_iter().flatten().collect();
            put(&mut lines, 0, AnalysedLine { score: result.score, moves });
        }
        lines.truncate(request.settings.multi_pv.max(1));
    }
    Analysis {
        outcome: position.outcome(rules),
        legal_moves: position.count_legal_moves(rules),
        result,
        selective_depth,
        lines,
        time: control.elapsed(),
    }
}
