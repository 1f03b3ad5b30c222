//! Messages: what an engine answers.

use std::fmt;
use std::time::Duration;

use super::OptionSpec;
use crate::game::Move;
use crate::search::{Report, Score};

/// A line from an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// The engine's name.
    IdName(String),
    /// Who made it.
    IdAuthor(String),
    /// An option that it has.
    Option(OptionSpec),
    /// It speaks UAI and has said what it had to say about itself.
    UaiOk,
    /// It is there.
    ReadyOk,
    /// News from its search.
    Info(Info),
    /// Something for people to read.
    Text(String),
    /// It chooses a move, and expects a reply.
    BestMove {
        /// The move.
        best: Move,
        /// The reply.
        ponder: Option<Move>,
    },
    /// The legal moves.
    Moves(Vec<Move>),
}

/// News from a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// The depth of the search, in plies.
    pub depth: u32,
    /// The longest line looked at, in plies.
    pub selective_depth: usize,
    /// 1 for the best line, 2 for the second best, …
    pub multi_pv: usize,
    /// The score, from the point of view of the side to move.
    pub score: Score,
    /// Positions visited.
    pub nodes: u64,
    /// How full the table is, in per mille.
    pub hashfull: usize,
    /// The time that the search has taken.
    pub time: Duration,
    /// The line.
    pub line: Vec<Move>,
}

impl From<&Report<'_>> for Info {
    fn from(report: &Report<'_>) -> Self {
        Self {
            depth: report.depth,
            selective_depth: report.selective_depth,
            multi_pv: report.multi_pv,
            score: report.score,
            nodes: report.nodes,
            hashfull: report.hashfull,
            time: report.time,
            line: report.line.to_vec(),
        }
    }
}

/// A score as the protocol writes it: `cp 35`, `mate 3`, `mate -2`.
struct ScoreText(Score);

impl fmt::Display for ScoreText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Score::Cp(cp) => write!(f, "cp {cp}"),
            Score::Win(moves) => write!(f, "mate {moves}"),
            Score::Loss(0) => f.write_str("mate 0"),
            Score::Loss(moves) => write!(f, "mate -{moves}"),
        }
    }
}

/// Nodes per second.
pub(crate) fn nodes_per_second(nodes: u64, time: Duration) -> u64 {
    let nanoseconds = time.as_nanos().max(1);
    (u128::from(nodes) * 1_000_000_000 / nanoseconds).try_into().unwrap_or(u64::MAX)
}

impl fmt::Display for Info {
    /// `depth …`, what follows `info`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { depth, selective_depth, multi_pv, score, nodes, hashfull, time, line } = self;
        let nps = nodes_per_second(*nodes, *time);
        let score = ScoreText(*score);
        write!(f, "depth {depth} seldepth {selective_depth} multipv {multi_pv} score {score} ")?;
        write!(f, "nodes {nodes} nps {nps} hashfull {hashfull} time {} pv", time.as_millis())?;
        line.iter().try_for_each(|mv| write!(f, " {mv}"))
    }
}

impl fmt::Display for Message {
    /// The line, without its end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IdName(name) => write!(f, "id name {name}"),
            Self::IdAuthor(author) => write!(f, "id author {author}"),
            Self::Option(spec) => write!(f, "option {spec}"),
            Self::UaiOk => f.write_str("uaiok"),
            Self::ReadyOk => f.write_str("readyok"),
            Self::Info(info) => write!(f, "info {info}"),
            Self::Text(text) => write!(f, "info string {text}"),
            Self::BestMove { best, ponder: None } => write!(f, "bestmove {best}"),
            Self::BestMove { best, ponder: Some(reply) } => {
                write!(f, "bestmove {best} ponder {reply}")
            }
            Self::Moves(moves) => {
                f.write_str("moves")?;
                moves.iter().try_for_each(|mv| write!(f, " {mv}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_look_as_documented() {
        let info = Info {
            depth: 5,
            selective_depth: 7,
            multi_pv: 1,
            score: Score::Cp(-30),
            nodes: 12_000,
            hashfull: 3,
            time: Duration::from_millis(4),
            line: vec![Move::PASS, Move::PASS],
        };
        assert_eq!(
            Message::Info(info).to_string(),
            "info depth 5 seldepth 7 multipv 1 score cp -30 nodes 12000 nps 3000000 hashfull 3 \
             time 4 pv 0000 0000"
        );
        let best = Message::BestMove { best: Move::PASS, ponder: None };
        assert_eq!(best.to_string(), "bestmove 0000");
    }

    #[test]
    fn scores_have_their_text() {
        let text = |score| ScoreText(score).to_string();
        assert_eq!(text(Score::Cp(-250)), "cp -250");
        assert_eq!(text(Score::Win(2)), "mate 2");
        assert_eq!(text(Score::Loss(1)), "mate -1");
        assert_eq!(text(Score::Loss(0)), "mate 0");
    }

    #[test]
    fn no_time_is_no_division_by_zero() {
        assert_eq!(nodes_per_second(5, Duration::ZERO), 5_000_000_000);
        assert_eq!(nodes_per_second(u64::MAX, Duration::ZERO), u64::MAX);
    }
}
