//! Commands: what a referee, a GUI or a user says to an engine.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::{FromStr, SplitWhitespace};

use thiserror::Error;

use super::{Dialect, quote};
use crate::game::{FenError, Game, Move, MoveError, MoveTextError, Position, Rules};

/// A command with its arguments.
///
/// Moves stay text: whether they are legal is a matter of the position.
///
/// ```
/// use physarum::protocol::Command;
///
/// let command: Command = "  go depth 5 ".parse().unwrap();
/// assert_eq!(command.to_string(), "go depth 5");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// The referee speaks a dialect and wants to know the engine.
    Introduce(Dialect),
    /// Are you there?
    IsReady,
    /// Sets an option.
    SetOption {
        /// Its name in any case, words separated by one space.
        name: String,
        /// Its value.
        value: Option<String>,
    },
    /// The next position is from another game.
    NewGame(Dialect),
    /// Sets the position.
    Position {
        /// Where it begins.
        start: Start,
        /// The moves played from there.
        moves: Vec<String>,
    },
    /// Plays moves from the current position, or lists the legal ones.
    Moves(Vec<String>),
    /// Asks about the current position.
    Query(Query),
    /// Searches.
    Go(Box<Go>),
    /// Ends the search.
    Stop,
    /// The move pondered on was played.
    PonderHit,
    /// Ends the program.
    Quit,
    /// Shows the board.
    Display,
    /// Shows the evaluation.
    Eval,
    /// Counts the leaves of the game tree.
    Perft(u32),
    /// Counts the leaves of the game tree after each move.
    Split(u32),
    /// Runs the bench, to a depth if one is given.
    Bench(Option<u32>),
    /// Lists the commands.
    Help,
    /// Whether the engine should explain itself.
    Debug(bool),
}

/// Where a `position` command begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At the start of a game.
    StartPos,
    /// At a given position.
    Fen(Position),
}

impl Start {
    /// The position.
    pub fn position(&self) -> Position {
        match self {
            Self::StartPos => Position::default(),
            Self::Fen(position) => *position,
        }
    }
}

/// What a referee may ask about the current position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// Whether the game is over.
    GameOver,
    /// Whether it is the first mover's turn.
    FirstMoversTurn,
    /// How the game has ended.
    Result,
}

impl Query {
    /// All of them.
    const ALL: [Self; 3] = [Self::GameOver, Self::FirstMoversTurn, Self::Result];

    const fn name(self) -> &'static str {
        match self {
            Self::GameOver => "gameover",
            Self::FirstMoversTurn => "p1turn",
            Self::Result => "result",
        }
    }
}

/// The arguments of `go`; times in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// Plies to search.
    pub depth: Option<u32>,
    /// Positions to visit.
    pub nodes: Option<u64>,
    /// The time to take.
    pub move_time: Option<i64>,
    /// The sides' clocks, black's first.
    pub time: [Option<i64>; 2],
    /// What each move adds to them, black's first.
    pub increment: [Option<i64>; 2],
    /// The moves that the clocks must last for.
    pub moves_to_go: Option<u32>,
    /// Look for a win in this many moves.
    pub mate: Option<u32>,
    /// End only when told to.
    pub infinite: bool,
    /// Don't answer before the move pondered on was played.
    pub ponder: bool,
    /// Don't search, but count the leaves of the game tree, after each move and in all.
    pub perft: Option<u32>,
    /// Consider only these moves.
    pub search_moves: Vec<String>,
    /// Words that mean nothing to this engine.
    pub unknown: Vec<String>,
}

/// Why a command cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CommandError {
    /// No such command.
    #[error("unknown command {} (help lists the commands)", quote(.0))]
    Unknown(String),
    /// Something must follow.
    #[error("{place}: {what} is missing")]
    Missing {
        /// The command, and the argument in question.
        place: String,
        /// What is missing.
        what: &'static str,
    },
    /// Something else must stand there.
    #[error("{place}: {expected} is expected, not {}", quote(.found))]
    Unexpected {
        /// The command.
        place: &'static str,
        /// What should stand there.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// Not a number, or out of range.
    #[error("{place}: {} is not a whole number from {range}", quote(.found))]
    Number {
        /// The command, and the argument in question.
        place: String,
        /// What stands there.
        found: String,
        /// The numbers that may.
        range: String,
    },
    /// Not a time.
    #[error("{place}: {} is not a number of milliseconds", quote(.found))]
    Milliseconds {
        /// The command, and the argument in question.
        place: String,
        /// What stands there.
        found: String,
    },
    /// `setoption` without `name`.
    #[error("setoption: \"name\" is expected, then the option's name")]
    OptionName,
    /// A position's text is wrong.
    #[error("position: fen: {0}")]
    Fen(#[from] FenError),
    /// A move's text is wrong, or the move is illegal.
    #[error("{place}: move {number} {}: {error}", quote(.text))]
    Move {
        /// The command, and the argument in question.
        place: &'static str,
        /// Which move, from 1.
        number: usize,
        /// Its text.
        text: String,
        /// What is wrong with it.
        error: MoveError,
    },
}

impl CommandError {
    fn missing(place: impl Into<String>, what: &'static str) -> Self {
        Self::Missing { place: place.into(), what }
    }

    /// A move is wrong, the one with this index.
    pub(super) fn of_move(place: &'static str, index: usize, text: &str, error: MoveError) -> Self {
        Self::Move { place, number: index + 1, text: text.to_owned(), error }
    }
}

/// Plays all moves of a command, or none.
pub(crate) fn play_moves(
    game: &mut Game,
    moves: &[String],
    rules: Rules,
    place: &'static str,
) -> Result<(), CommandError> {
    let texts = moves.iter().map(String::as_str);
    game.play_texts(texts, rules)
        .map_err(|(index, error)| CommandError::of_move(place, index, &moves[index], error))
}

/// The names of all commands, each with its arguments and its purpose.
pub(super) const HELP: &[(&str, &str)] = &[
    ("uai", "introduce yourself"),
    ("ugi", "introduce yourself as a UGI engine"),
    ("uci", "introduce yourself as a UCI engine"),
    ("isready", "answer readyok"),
    ("setoption name <name> [value <value>]", "set an option"),
    ("uainewgame, uginewgame, ucinewgame", "forget the last game"),
    ("position startpos|fen <FEN> [moves <move> …]", "set the position"),
    ("moves [<move> …]", "play moves, or list the legal ones"),
    (
        "go [depth|nodes|movetime|btime|wtime|binc|winc|movestogo|mate <n>] [infinite] [ponder] \
         [searchmoves <move> …]",
        "search",
    ),
    ("go perft <depth>", "the same as split"),
    ("query gameover|p1turn|result", "ask about the game"),
    ("stop", "end the search"),
    ("ponderhit", "the move pondered on was played"),
    ("d, display", "show the board"),
    ("eval", "show the evaluation"),
    ("perft <depth>", "count the ways to play <depth> plies"),
    ("split <depth>", "the same for each move"),
    ("bench [<depth>]", "search a fixed set of positions"),
    ("debug on|off", "say more, or less"),
    ("help", "this list"),
    ("quit", "end the program"),
];

impl FromStr for Command {
    type Err = CommandError;

    /// Reads a line of UAI that has at least one word.
    fn from_str(line: &str) -> Result<Self, Self::Err> {
        Self::parse(line, Dialect::default())
    }
}

impl Command {
    /// Reads a line that has at least one word. However positions are written, they are read; what
    /// depends on the dialect is whose clocks are meant.
    ///
    /// # Errors
    ///
    /// When there is no such command, or something is wrong with its arguments.
    ///
    /// ```
    /// use physarum::protocol::{Command, Dialect};
    ///
    /// let command = Command::parse("go wtime 500", Dialect::Uci).unwrap();
    /// assert_eq!(command.to_string(), "go btime 500");
    /// ```
    pub fn parse(line: &str, dialect: Dialect) -> Result<Self, CommandError> {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap_or_default();
        if let Some(dialect) = Dialect::with(name, Dialect::name) {
            return Ok(Self::Introduce(dialect));
        }
        if let Some(dialect) = Dialect::with(name, Dialect::new_game) {
            return Ok(Self::NewGame(dialect));
        }
        Ok(match name {
            "isready" => Self::IsReady,
            "setoption" => parse_set_option(line.trim_start().trim_start_matches("setoption"))?,
            "position" => parse_position(words)?,
            "moves" => Self::Moves(words.map(String::from).collect()),
            "query" => Self::Query(parse_query(words)?),
            "go" => Self::Go(Box::new(parse_go(words, dialect)?)),
            "stop" => Self::Stop,
            "ponderhit" => Self::PonderHit,
            "quit" => Self::Quit,
            "d" | "display" => Self::Display,
            "eval" => Self::Eval,
            "perft" => Self::Perft(only_number("perft", words)?),
            "split" => Self::Split(only_number("split", words)?),
            "bench" => Self::Bench(match words.next() {
                Some(word) => Some(number("bench", word, 1..=255)?),
                None => None,
            }),
            "help" => Self::Help,
            "debug" => match words.next() {
                Some("on") => Self::Debug(true),
                Some("off") => Self::Debug(false),
                Some(found) => {
                    let found = found.to_owned();
                    let (place, expected) = ("debug", "on or off");
                    return Err(CommandError::Unexpected { place, expected, found });
                }
                None => return Err(CommandError::missing("debug", "on or off")),
            },
            _ => return Err(CommandError::Unknown(name.to_owned())),
        })
    }
}

fn only_number(name: &str, mut words: SplitWhitespace<'_>) -> Result<u32, CommandError> {
    let word = words.next().ok_or_else(|| CommandError::missing(name, "a depth"))?;
    number(name, word, 0..=255)
}

/// Reads a whole number in a range.
fn number<T>(place: &str, text: &str, range: RangeInclusive<T>) -> Result<T, CommandError>
where
    T: FromStr + PartialOrd + fmt::Display,
{
    // `parse` alone would take a plus sign.
    let number = if text.starts_with('+') { None } else { text.parse().ok() };
    number.filter(|number| range.contains(number)).ok_or_else(|| CommandError::Number {
        place: place.to_owned(),
        found: text.to_owned(),
        range: format!("{} to {}", range.start(), range.end()),
    })
}

/// Reads what follows `setoption`; the value is taken as it is, spaces included.
fn parse_set_option(text: &str) -> Result<Command, CommandError> {
    let mut words = text.split_whitespace();
    if words.next() != Some("name") {
        return Err(CommandError::OptionName);
    }
    let mut name = Vec::new();
    let mut value = None;
    for word in words {
        if word == "value" {
            // Where the word ends within the text.
            let end = word.as_ptr().addr() + word.len() - text.as_ptr().addr();
            value = Some(text[end..].trim().to_owned());
            break;
        }
        name.push(word);
    }
    if name.is_empty() {
        return Err(CommandError::OptionName);
    }
    Ok(Command::SetOption { name: name.join(" "), value })
}

fn parse_position(mut words: SplitWhitespace<'_>) -> Result<Command, CommandError> {
    const PLACE: &str = "position";
    const EXPECTED: &str = "startpos or fen";
    let kind = words.next().ok_or_else(|| CommandError::missing(PLACE, EXPECTED))?;
    let words: Vec<&str> = words.collect();
    let end = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
    let (description, moves) = words.split_at(end);
    let start = match (kind, description) {
        ("startpos", []) | ("fen", ["startpos"]) => Start::StartPos,
        ("startpos", [found, ..]) => {
            let (expected, found) = ("moves", (*found).to_owned());
            return Err(CommandError::Unexpected { place: PLACE, expected, found });
        }
        ("fen", fields) => Start::Fen(fields.join(" ").parse()?),
        (found, _) => {
            let (expected, found) = (EXPECTED, found.to_owned());
            return Err(CommandError::Unexpected { place: PLACE, expected, found });
        }
    };
    let moves = moves.iter().skip(1).map(|&text| text.to_owned()).collect();
    Ok(Command::Position { start, moves })
}

fn parse_query(mut words: SplitWhitespace<'_>) -> Result<Query, CommandError> {
    const EXPECTED: &str = "gameover, p1turn or result";
    let word = words.next().ok_or_else(|| CommandError::missing("query", EXPECTED))?;
    let query = Query::ALL.into_iter().find(|query| query.name() == word);
    query.ok_or_else(|| {
        let found = word.to_owned();
        CommandError::Unexpected { place: "query", expected: EXPECTED, found }
    })
}

fn parse_go(words: SplitWhitespace<'_>, dialect: Dialect) -> Result<Go, CommandError> {
    let mut go = Go::default();
    let white = usize::from(!dialect.first_mover_is_white());
    let black = 1 - white;
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        let place = format!("go: {word}");
        let mut argument = || {
            let missing = || CommandError::missing(&*place, "a number");
            words.next().ok_or_else(missing)
        };
        // Referees may send clocks that have run out.
        let mut milliseconds = || {
            let text = argument()?;
            let error =
                || CommandError::Milliseconds { place: place.clone(), found: text.to_owned() };
            text.parse().map(Some).map_err(|_| error())
        };
        match word {
            "movetime" => go.move_time = milliseconds()?,
            "p1time" => go.time[0] = milliseconds()?,
            "p2time" => go.time[1] = milliseconds()?,
            "p1inc" => go.increment[0] = milliseconds()?,
            "p2inc" => go.increment[1] = milliseconds()?,
            "btime" => go.time[black] = milliseconds()?,
            "wtime" => go.time[white] = milliseconds()?,
            "binc" => go.increment[black] = milliseconds()?,
            "winc" => go.increment[white] = milliseconds()?,
            "depth" => go.depth = Some(number(&place, argument()?, 1..=65535)?),
            "nodes" => go.nodes = Some(number(&place, argument()?, 1..=u64::MAX)?),
            "movestogo" => go.moves_to_go = Some(number(&place, argument()?, 1..=65535)?),
            "mate" => go.mate = Some(number(&place, argument()?, 1..=65535)?),
            "perft" => go.perft = Some(number(&place, argument()?, 0..=255)?),
            "infinite" => go.infinite = true,
            "ponder" => go.ponder = true,
            "searchmoves" => {
                while let Some(text) = words.next_if(|word| is_like_a_move(word)) {
                    go.search_moves.push(text.to_owned());
                }
                if go.search_moves.is_empty() {
                    return Err(CommandError::missing(place, "a move"));
                }
            }
            _ => {
                go.unknown.push(word.to_owned());
                // What follows belongs to the unknown word.
                while words.next_if(|word| word.parse::<f64>().is_ok()).is_some() {}
            }
        }
    }
    Ok(go)
}

/// Whether a word after `searchmoves` is meant as a move, right or wrong.
fn is_like_a_move(word: &str) -> bool {
    !GO_WORDS.contains(&word) && word.parse::<Move>() != Err(MoveTextError::Malformed)
}

const GO_WORDS: [&str; 17] = [
    "depth",
    "nodes",
    "movetime",
    "btime",
    "wtime",
    "binc",
    "winc",
    "p1time",
    "p2time",
    "p1inc",
    "p2inc",
    "movestogo",
    "mate",
    "infinite",
    "ponder",
    "perft",
    "searchmoves",
];

impl fmt::Display for Command {
    /// The line in UAI, without its end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, Dialect::default())
    }
}

/// A command as it is said in a dialect; see [`Command::in_dialect`].
struct Spoken<'a> {
    command: &'a Command,
    dialect: Dialect,
}

impl fmt::Display for Spoken<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.command.write(f, self.dialect)
    }
}

impl Command {
    /// The line as it is said in a dialect, without its end. The texts of moves are taken as they
    /// are.
    ///
    /// ```
    /// use physarum::protocol::{Command, Dialect};
    ///
    /// let command: Command = "position fen x5o/7/7/7/7/7/o5x x 0 1".parse().unwrap();
    /// let line = command.in_dialect(Dialect::Uci).to_string();
    /// assert_eq!(line, "position fen P5p/7/7/7/7/7/p5P w - - 0 1");
    /// ```
    pub fn in_dialect(&self, dialect: Dialect) -> impl fmt::Display {
        Spoken { command: self, dialect }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, dialect: Dialect) -> fmt::Result {
        match self {
            Self::Introduce(dialect) => f.write_str(dialect.name()),
            Self::IsReady => f.write_str("isready"),
            Self::SetOption { name, value: None } => write!(f, "setoption name {name}"),
            Self::SetOption { name, value: Some(value) } => {
                write!(f, "setoption name {name} value {value}")
            }
            Self::NewGame(dialect) => f.write_str(dialect.new_game()),
            Self::Position { start, moves } => {
                match start {
                    Start::StartPos => f.write_str("position startpos")?,
                    Start::Fen(position) => {
                        write!(f, "position fen {}", dialect.position_text(position))?;
                    }
                }
                if moves.is_empty() { Ok(()) } else { write!(f, " moves {}", moves.join(" ")) }
            }
            Self::Moves(moves) if moves.is_empty() => f.write_str("moves"),
            Self::Moves(moves) => write!(f, "moves {}", moves.join(" ")),
            Self::Query(query) => write!(f, "query {}", query.name()),
            Self::Go(go) => go.write(f, dialect),
            Self::Stop => f.write_str("stop"),
            Self::PonderHit => f.write_str("ponderhit"),
            Self::Quit => f.write_str("quit"),
            Self::Display => f.write_str("d"),
            Self::Eval => f.write_str("eval"),
            Self::Perft(depth) => write!(f, "perft {depth}"),
            Self::Split(depth) => write!(f, "split {depth}"),
            Self::Bench(None) => f.write_str("bench"),
            Self::Bench(Some(depth)) => write!(f, "bench {depth}"),
            Self::Help => f.write_str("help"),
            Self::Debug(on) => write!(f, "debug {}", if *on { "on" } else { "off" }),
        }
    }
}

impl Go {
    /// The whole command; unknown words are left out.
    fn write(&self, f: &mut fmt::Formatter<'_>, dialect: Dialect) -> fmt::Result {
        f.write_str("go")?;
        let white = usize::from(!dialect.first_mover_is_white());
        let black = 1 - white;
        let mut limit = |name: &str, value: Option<&dyn fmt::Display>| match value {
            Some(value) => write!(f, " {name} {value}"),
            None => Ok(()),
        };
        fn some<T: fmt::Display>(value: &Option<T>) -> Option<&dyn fmt::Display> {
            value.as_ref().map(|value| value as _)
        }
        limit("btime", some(&self.time[black]))?;
        limit("wtime", some(&self.time[white]))?;
        limit("binc", some(&self.increment[black]))?;
        limit("winc", some(&self.increment[white]))?;
        limit("movestogo", some(&self.moves_to_go))?;
        limit("movetime", some(&self.move_time))?;
        limit("depth", some(&self.depth))?;
        limit("nodes", some(&self.nodes))?;
        limit("mate", some(&self.mate))?;
        limit("perft", some(&self.perft))?;
        if self.infinite {
            f.write_str(" infinite")?;
        }
        if self.ponder {
            f.write_str(" ponder")?;
        }
        if !self.search_moves.is_empty() {
            write!(f, " searchmoves {}", self.search_moves.join(" "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_are_read_and_written() {
        for line in [
            "uai",
            "isready",
            "setoption name Move Overhead value 20",
            "setoption name Clear Hash",
            "uainewgame",
            "ugi",
            "uginewgame",
            "query gameover",
            "query p1turn",
            "query result",
            "position startpos",
            "position startpos moves f1 a1c3",
            "position fen x5o/7/2-1-2/7/2-1-2/7/o5x o 3 9",
            "position fen x5o/7/7/7/7/7/o5x x 0 1 moves f1",
            "moves",
            "moves f1 a1c3",
            "go",
            "go infinite",
            "go btime -5 wtime 300000 binc 0 winc 2000 movestogo 40",
            "go movetime 100 depth 5 nodes 18446744073709551615 mate 3 ponder",
            "go depth 1 searchmoves f1 g1e1",
            "stop",
            "ponderhit",
            "quit",
            "d",
            "eval",
            "perft 6",
            "split 0",
            "bench",
            "bench 12",
            "help",
            "debug on",
            "debug off",
        ] {
            assert_eq!(line.parse::<Command>().map(|c| c.to_string()), Ok(line.into()));
        }
    }

    #[test]
    fn other_spellings_are_read() {
        for (line, meaning) in [
            ("display", "d"),
            ("position fen startpos moves f1", "position startpos moves f1"),
            ("position startpos moves", "position startpos"),
            (
                " setoption\tname  move   overhead  value  20 ",
                "setoption name move overhead value 20",
            ),
            ("setoption name Log File value", "setoption name Log File value "),
            ("isready now", "isready"),
            (
                "setoption name Log File value my  log.txt",
                "setoption name Log File value my  log.txt",
            ),
            ("go searchmoves f1 simulations 500 depth 1", "go depth 1 searchmoves f1"),
            ("go searchmoves f1 g2 depth 3", "go depth 3 searchmoves f1 g2"),
            ("go nodes 7 simulations 7 depth 2", "go depth 2 nodes 7"),
            (
                "go p1time 900 p2time 800 p1inc 10 p2inc 20",
                "go btime 900 wtime 800 binc 10 winc 20",
            ),
        ] {
            assert_eq!(line.parse::<Command>().map(|c| c.to_string()), Ok(meaning.into()));
        }
    }

    #[test]
    fn everything_else_is_refused_with_the_reason() {
        for (line, error) in [
            ("UAI", "unknown command \"UAI\" (help lists the commands)"),
            ("setoption", "setoption: \"name\" is expected, then the option's name"),
            ("setoption name", "setoption: \"name\" is expected, then the option's name"),
            ("setoption name value 3", "setoption: \"name\" is expected, then the option's name"),
            ("position", "position: startpos or fen is missing"),
            ("position f1", "position: startpos or fen is expected, not \"f1\""),
            ("position startpos f1", "position: moves is expected, not \"f1\""),
            (
                "position fen",
                "position: fen: empty FEN: a board, a side, and two clocks are expected",
            ),
            ("position fen x", "position: fen: 1 ranks on the board: 7 are expected"),
            ("go depth", "go: depth: a number is missing"),
            ("go depth 0", "go: depth: \"0\" is not a whole number from 1 to 65535"),
            ("go depth -3", "go: depth: \"-3\" is not a whole number from 1 to 65535"),
            (
                "go nodes 1e6",
                "go: nodes: \"1e6\" is not a whole number from 1 to 18446744073709551615",
            ),
            ("go movetime soon", "go: movetime: \"soon\" is not a number of milliseconds"),
            (
                "go btime 9223372036854775808",
                "go: btime: \"9223372036854775808\" is not a number of milliseconds",
            ),
            ("go searchmoves", "go: searchmoves: a move is missing"),
            ("go depth +2", "go: depth: \"+2\" is not a whole number from 1 to 65535"),
            ("go searchmoves depth 2", "go: searchmoves: a move is missing"),
            ("query", "query: gameover, p1turn or result is missing"),
            ("query winner", "query: gameover, p1turn or result is expected, not \"winner\""),
            ("go p1time soon", "go: p1time: \"soon\" is not a number of milliseconds"),
            ("perft", "perft: a depth is missing"),
            ("perft -1", "perft: \"-1\" is not a whole number from 0 to 255"),
            ("split 256", "split: \"256\" is not a whole number from 0 to 255"),
            ("bench 0", "bench: \"0\" is not a whole number from 1 to 255"),
            ("debug", "debug: on or off is missing"),
            ("debug perhaps", "debug: on or off is expected, not \"perhaps\""),
        ] {
            assert_eq!(
                line.parse::<Command>().map_err(|e| e.to_string()),
                Err(error.into()),
                "{line}"
            );
        }
    }

    #[test]
    fn help_names_only_commands() {
        for (usage, _) in HELP {
            let name = usage.split([',', ' ']).next().unwrap();
            let error = name.parse::<Command>().err();
            assert!(!matches!(error, Some(CommandError::Unknown(_))), "{name}");
        }
    }

    #[test]
    fn every_word_of_go_is_known() {
        for word in GO_WORDS {
            let argument = if word == "searchmoves" { "f1" } else { "5" };
            let Ok(Command::Go(go)) = format!("go {word} {argument}").parse::<Command>() else {
                panic!("{word}");
            };
            assert!(!go.unknown.contains(&word.to_owned()));
        }
    }

    proptest! {
        #[test]
        fn no_line_makes_it_panic(line in "\\PC*") {
            let _ = line.parse::<Command>();
        }

        #[test]
        fn what_is_read_is_written_and_read_again(
            words in proptest::collection::vec(proptest::sample::select(vec![
                "go", "position", "setoption", "startpos", "fen", "moves", "name", "value", "depth",
                "nodes", "btime", "winc", "movetime", "mate", "infinite", "ponder", "searchmoves",
                "f1", "a1c3", "0000", "7", "-3", "ugi", "query", "result", "p2inc", "x5o/7/7/7/7/7/o5x", "x", "Hash", "perft", "debug", "on",
            ]), 1..8),
        ) {
            if let Ok(command) = words.join(" ").parse::<Command>() {
                let mut again = command.to_string().parse::<Command>();
                if let (Command::Go(read), Ok(Command::Go(again))) = (&command, &mut again) {
                    again.unknown = read.unknown.clone();
                }
                prop_assert_eq!(Ok(command), again);
            }
        }
    }
}
