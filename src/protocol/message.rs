//! Messages: what an engine answers.

use std::fmt;
use std::str::{FromStr, SplitWhitespace};
use std::time::Duration;

use thiserror::Error;

use super::options::OptionSpecError;
use super::{Dialect, OptionSpec};
use crate::game::{Move, Position};
use crate::search::{Chances, Report, Score};

/// A line from an engine.
///
/// The moves of an answer stay text: whether they are legal is a matter of the position.
///
/// ```
/// use physarum::protocol::Message;
///
/// let message: Message = "bestmove  f2 ponder f6".parse().unwrap();
/// assert_eq!(message.to_string(), "bestmove f2 ponder f6");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// The engine's name.
    IdName(String),
    /// Who made it.
    IdAuthor(String),
    /// An option that it has.
    Option(OptionSpec),
    /// It speaks the dialect and has said what it had to say about itself.
    Introduced(Dialect),
    /// It is there.
    ReadyOk,
    /// News from its search.
    Info(Info),
    /// Something for people to read.
    Text(String),
    /// It chooses a move, and expects a reply.
    BestMove {
        /// The move.
        best: String,
        /// The reply.
        ponder: Option<String>,
    },
    /// The legal moves.
    Moves(Vec<String>),
    /// The answer to a `query`.
    Response(String),
}

/// News from a search, as much as the engine tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// The depth of the search, in plies.
    pub depth: Option<u32>,
    /// The longest line looked at, in plies.
    pub selective_depth: Option<u32>,
    /// 1 for the best line, 2 for the second best, …
    pub multi_pv: Option<u32>,
    /// The score, from the point of view of the side to move.
    pub score: Option<Score>,
    /// The chances that go with it.
    pub chances: Option<Chances>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// Positions visited in a second.
    pub nps: Option<u64>,
    /// How full the table is, in per mille.
    pub hashfull: Option<u32>,
    /// The time that the search has taken; only whole milliseconds are written.
    pub time: Option<Duration>,
    /// The line.
    pub line: Vec<String>,
}

impl Info {
    /// What a search reports of a position.
    pub(super) fn new(
        report: &Report<'_>,
        dialect: Dialect,
        root: &Position,
        with_chances: bool,
    ) -> Self {
        let small = |number: usize| Some(number.try_into().unwrap_or(u32::MAX));
        Self {
            depth: Some(report.depth),
            selective_depth: small(report.selective_depth),
            multi_pv: small(report.multi_pv),
            score: Some(report.score),
            chances: with_chances.then(|| Chances::of(report.score)),
            nodes: Some(report.nodes),
            nps: Some(nodes_per_second(report.nodes, report.time)),
            hashfull: small(report.hashfull),
            time: Some(report.time),
            line: dialect.line_texts(report.line, root),
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

/// Chances as the protocol writes them: to win, to draw, to lose.
struct ChancesText(Chances);

impl fmt::Display for ChancesText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Chances { win, draw, loss } = self.0;
        write!(f, "{win} {draw} {loss}")
    }
}

/// Nodes per second.
pub(crate) fn nodes_per_second(nodes: u64, time: Duration) -> u64 {
    let nanoseconds = time.as_nanos().max(1);
    (u128::from(nodes) * 1_000_000_000 / nanoseconds).try_into().unwrap_or(u64::MAX)
}

impl fmt::Display for Info {
    /// What follows `info`, part by part; what is not told is left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { depth, selective_depth, multi_pv, score, chances, .. } = self;
        let Self { nodes, nps, hashfull, time, line, .. } = self;
        let time = time.map(|time| time.as_millis());
        let score = score.map(ScoreText);
        let chances = chances.map(ChancesText);
        let parts: [(&str, Option<&dyn fmt::Display>); 9] = [
            ("depth", depth.as_ref().map(|n| n as _)),
            ("seldepth", selective_depth.as_ref().map(|n| n as _)),
            ("multipv", multi_pv.as_ref().map(|n| n as _)),
            ("score", score.as_ref().map(|s| s as _)),
            ("wdl", chances.as_ref().map(|c| c as _)),
            ("nodes", nodes.as_ref().map(|n| n as _)),
            ("nps", nps.as_ref().map(|n| n as _)),
            ("hashfull", hashfull.as_ref().map(|n| n as _)),
            ("time", time.as_ref().map(|n| n as _)),
        ];
        let mut gap = "";
        for (name, value) in parts {
            if let Some(value) = value {
                write!(f, "{gap}{name} {value}")?;
                gap = " ";
            }
        }
        if !line.is_empty() {
            write!(f, "{gap}pv")?;
        }
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
            Self::Introduced(dialect) => f.write_str(dialect.ok()),
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
            Self::Response(text) => write!(f, "response {text}"),
        }
    }
}

/// Why a line is no message.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MessageError {
    /// No message begins like this.
    #[error("not a message of the protocol")]
    Unknown,
    /// `bestmove` without a move.
    #[error("bestmove: a move is missing")]
    NoMove,
    /// `option` with something wrong.
    #[error(transparent)]
    Option(#[from] OptionSpecError),
    /// `moves` with something that is no move.
    #[error("moves: {} is not a move", super::quote(.0))]
    Move(String),
}

impl FromStr for Message {
    type Err = MessageError;

    /// Reads a line of whatever engine. Parts of `info` that nobody knows, or that are not as they
    /// should be, are passed over.
    fn from_str(line: &str) -> Result<Self, Self::Err> {
        let (name, rest) = split_word(line);
        if let Some(dialect) = Dialect::with(name, Dialect::ok) {
            return Ok(Self::Introduced(dialect));
        }
        Ok(match name {
            "id" => match split_word(rest) {
                ("name", name) => Self::IdName(name.to_owned()),
                ("author", author) => Self::IdAuthor(author.to_owned()),
                _ => return Err(MessageError::Unknown),
            },
            "option" => Self::Option(rest.parse()?),
            "readyok" => Self::ReadyOk,
            "info" => match split_word(rest) {
                ("string", text) => Self::Text(text.to_owned()),
                _ => Self::Info(Info::parse(rest)),
            },
            "bestmove" => {
                let mut words = rest.split_whitespace().map(str::to_owned);
                let best = words.next().ok_or(MessageError::NoMove)?;
                let ponder = words.next().filter(|word| word == "ponder").and(words.next());
                Self::BestMove { best, ponder }
            }
            "moves" => {
                let read = |word: &str| match word.parse::<Move>() {
                    Ok(_) => Ok(word.to_owned()),
                    Err(_) => Err(MessageError::Move(word.to_owned())),
                };
                Self::Moves(rest.split_whitespace().map(read).collect::<Result<_, _>>()?)
            }
            "response" => Self::Response(rest.to_owned()),
            _ => return Err(MessageError::Unknown),
        })
    }
}

/// The first word of a text, and what follows it without the blanks at its ends.
fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim_start())
}

impl Info {
    fn parse(text: &str) -> Self {
        let mut info = Self::default();
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            match word {
                "depth" => info.depth = next_number(&mut words),
                "seldepth" => info.selective_depth = next_number(&mut words),
                "multipv" => info.multi_pv = next_number(&mut words),
                "score" => info.score = parse_score(&mut words),
                "wdl" => info.chances = parse_chances(&mut words),
                "nodes" => info.nodes = next_number(&mut words),
                "nps" => info.nps = next_number(&mut words),
                "hashfull" => info.hashfull = next_number(&mut words),
                "time" => info.time = next_number(&mut words).map(Duration::from_millis),
                "pv" => {
                    let moves = words.by_ref().take_while(|word| word.parse::<Move>().is_ok());
                    info.line = moves.map(str::to_owned).collect();
                }
                // The rest of the line is for people.
                "string" => break,
                _ => {}
            }
        }
        info
    }
}

/// The next word, if it is a number; otherwise it is left where it is.
fn next_number<T: FromStr>(words: &mut SplitWhitespace<'_>) -> Option<T> {
    let number = words.clone().next()?.parse().ok()?;
    words.next();
    Some(number)
}

fn parse_chances(words: &mut SplitWhitespace<'_>) -> Option<Chances> {
    let [win, draw, loss] = std::array::from_fn(|_| next_number(words));
    Some(Chances { win: win?, draw: draw?, loss: loss? })
}

fn parse_score(words: &mut SplitWhitespace<'_>) -> Option<Score> {
    match words.next()? {
        "cp" => next_number(words).map(Score::Cp),
        "mate" => next_number(words).map(|moves: i32| match moves {
            1.. => Score::Win(moves.unsigned_abs()),
            _ => Score::Loss(moves.unsigned_abs()),
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::OptionKind;
    use super::*;

    #[test]
    fn lines_look_as_documented() {
        let info = Info {
            depth: Some(5),
            selective_depth: Some(7),
            multi_pv: Some(1),
            score: Some(Score::Cp(-30)),
            chances: Some(Chances { win: 450, draw: 40, loss: 510 }),
            nodes: Some(12_000),
            nps: Some(3_000_000),
            hashfull: Some(3),
            time: Some(Duration::from_millis(4)),
            line: vec!["0000".into(), "g1g1".into()],
        };
        assert_eq!(
            Message::Info(info).to_string(),
            "info depth 5 seldepth 7 multipv 1 score cp -30 wdl 450 40 510 nodes 12000 nps 3000000 \
             hashfull 3 time 4 pv 0000 g1g1"
        );
        let best = Message::BestMove { best: "0000".into(), ponder: None };
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

    #[test]
    fn foreign_lines_are_read_as_far_as_they_mean_something() {
        let info = |line: &str| match line.parse() {
            Ok(Message::Info(info)) => info,
            other => panic!("{line}: {other:?}"),
        };
        assert_eq!(
            info(
                "info score mate -3 upperbound wdl 1 2 3 depth x nodes 17 nps pv f1 a1c3 (none) g2"
            ),
            Info {
                score: Some(Score::Loss(3)),
                chances: Some(Chances { win: 1, draw: 2, loss: 3 }),
                nodes: Some(17),
                line: vec!["f1".into(), "a1c3".into()],
                ..Info::default()
            }
        );
        assert_eq!(info("info depth 3 string depth 4").depth, Some(3));
        assert_eq!(info("info score cp").score, None);
        assert_eq!(info("info"), Info::default());
        let best = |line: &str| line.parse::<Message>();
        assert_eq!(best("bestmove"), Err(MessageError::NoMove));
        let plain = Message::BestMove { best: "(none)".into(), ponder: None };
        assert_eq!(best(" bestmove (none) ponder "), Ok(plain));
        assert_eq!("Zataxx by somebody".parse::<Message>(), Err(MessageError::Unknown));
        assert_eq!("id".parse::<Message>(), Err(MessageError::Unknown));
    }

    fn text() -> impl Strategy<Value = String> {
        // No word of the protocol.
        "[a-z]{1,4}w( [A-Z0-9]{1,8}){0,3}"
    }

    fn message() -> impl Strategy<Value = Message> {
        let moves = || {
            let some = ["f1", "a1c3", "0000", "P@g7", "g1g1"].map(str::to_owned);
            proptest::collection::vec(proptest::sample::select(some.to_vec()), 0..4)
        };
        let score = prop_oneof![
            (-3000..3000).prop_map(Score::Cp),
            (1u32..100).prop_map(Score::Win),
            (0u32..100).prop_map(Score::Loss),
        ];
        let small = || proptest::option::of(any::<u32>());
        let large = || proptest::option::of(any::<u64>());
        let counts = (small(), small(), small(), small(), large(), large(), large());
        let chances = any::<[u16; 3]>().prop_map(|[win, draw, loss]| Chances { win, draw, loss });
        let chances = proptest::option::of(chances);
        let info = (counts, proptest::option::of(score), chances, moves());
        let info = info.prop_map(|(counts, score, chances, line)| {
            let (depth, selective_depth, multi_pv, hashfull, nodes, nps, time) = counts;
            let time = time.map(Duration::from_millis);
            Info {
                depth,
                selective_depth,
                multi_pv,
                score,
                chances,
                nodes,
                nps,
                hashfull,
                time,
                line,
            }
        });
        let kind = prop_oneof![
            any::<[i64; 3]>().prop_map(|[default, min, max]| OptionKind::Spin {
                default,
                min,
                max
            }),
            any::<bool>().prop_map(|default| OptionKind::Check { default }),
            (text(), proptest::collection::vec(text(), 0..4))
                .prop_map(|(default, vars)| OptionKind::Combo { default, vars }),
            prop_oneof![Just(String::new()), text()]
                .prop_map(|default| OptionKind::Text { default }),
            Just(OptionKind::Button),
        ];
        prop_oneof![
            text().prop_map(Message::IdName),
            text().prop_map(Message::IdAuthor),
            (text(), kind).prop_map(|(name, kind)| Message::Option(OptionSpec { name, kind })),
            proptest::sample::select(&Dialect::ALL).prop_map(Message::Introduced),
            text().prop_map(Message::Response),
            Just(Message::ReadyOk),
            info.prop_map(Message::Info),
            text().prop_map(Message::Text),
            ("[a-g][1-7]", proptest::option::of("[a-g][1-7]"))
                .prop_map(|(best, ponder)| Message::BestMove { best, ponder }),
            moves().prop_map(Message::Moves),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(message in message()) {
            prop_assert_eq!(message.to_string().parse(), Ok(message));
        }

        #[test]
        fn no_line_makes_it_panic(
            line in "(info|bestmove|option|id|moves|option name [a-z]{0,3} type (spin|combo|check|string))? ?\\PC*",
        ) {
            let _ = line.parse::<Message>();
        }
    }
}
