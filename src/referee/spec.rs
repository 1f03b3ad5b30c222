//! Which engines play, and how they are described.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::limit::{Limit, MAX_MOVE_TIME, TimeControl};
use super::text::Scalar;
use crate::protocol::{Dialect, DialectError, quote};

/// The most that all options of an engine may take, in bytes: it must fit into a pipe whose other
/// end nobody reads.
const MAX_OPTIONS: usize = 4096;
/// What a text of arguments must be.
const EXPECTED_ARGS: &str = "arguments with closed quotes are expected";
/// The longest name, in bytes.
const MAX_NAME: usize = 100;

/// An opponent that needs no program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Builtin {
    /// Plays any legal move.
    Random,
    /// Plays a move that gains most stones: one for a clone, and one for each that turns.
    Greedy,
}

impl Builtin {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Random, Self::Greedy];

    /// The name, as descriptions have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Greedy => "greedy",
        }
    }
}

/// How an engine is described: in part, as a user does; what is missing may come from elsewhere.
///
/// The text form is a list of `key=value` with commas between; a comma or a backslash in a value has a
/// backslash before it. The keys: `name`, `cmd`, `args` (divided as a shell does), `dir`, `proto`,
/// `builtin`, `restart`, `tc`, `movetime` (milliseconds), `nodes`, `depth`, and `option.NAME` for
/// the engine's own options.
///
/// ```
/// use physarum::referee::EngineDescription;
///
/// let engine: EngineDescription = "cmd=./zataxx,name=zataxx,option.Hash=64".parse().unwrap();
/// assert_eq!(engine.name.as_deref(), Some("zataxx"));
/// assert_eq!(engine.option["Hash"], "64");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EngineDescription {
    /// What reports and records call it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The program: a path, or a name to be looked for as a shell does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cmd: Option<String>,
    /// The program's arguments.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "read_args")]
    pub args: Option<Vec<String>>,
    /// The folder in which the program runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// What it speaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proto: Option<Dialect>,
    /// One of ours in place of a program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub builtin: Option<Builtin>,
    /// Whether to start the program anew for each game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart: Option<bool>,
    /// Its clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tc: Option<TimeControl>,
    /// Its time for each move, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movetime: Option<u64>,
    /// Its positions for each move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Its plies for each move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Its own options.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "read_options")]
    pub option: BTreeMap<String, String>,
}

/// Reads arguments: a list, or a text that is divided as a shell does.
fn read_args<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<String>>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a list of texts, or a text to be divided, is expected")]
    enum Args {
        List(Vec<String>),
        Line(String),
    }
    match Args::deserialize(from)? {
        Args::List(args) => Ok(Some(args)),
        Args::Line(line) => shlex::split(&line)
            .map(Some)
            .ok_or_else(|| D::Error::custom(format!("{EXPECTED_ARGS}, not {}", quote(&line)))),
    }
}

/// Reads options; numbers, true and false become text.
fn read_options<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, String>, D::Error> {
    let values = BTreeMap::<String, Scalar>::deserialize(from)?;
    Ok(values.into_iter().map(|(name, value)| (name, value.to_string())).collect())
}

/// The numbers that limit an engine: the key, the number in a description, and the greatest there may be.
fn number_limits(engine: &EngineDescription) -> [(&'static str, Option<u64>, u64); 3] {
    [
        ("movetime", engine.movetime, MAX_MOVE_TIME),
        ("nodes", engine.nodes, u64::MAX),
        ("depth", engine.depth.map(u64::from), u32::MAX.into()),
    ]
}

/// Why a description is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DescriptionError {
    /// A part is not `key=value`.
    #[error("{} has no value: KEY=VALUE is expected", quote(.0))]
    NoValue(String),
    /// No such key.
    #[error(
        "unknown key {}: name, cmd, args, dir, proto, builtin, restart, tc, movetime, nodes, depth or \
         option.NAME is expected", quote(.0)
    )]
    UnknownKey(String),
    /// A key was given twice.
    #[error("{0} is given twice")]
    Duplicate(String),
    /// A value is not what the key needs.
    #[error("{key}: {expected}, not {}", quote(.found))]
    Value {
        /// The key.
        key: String,
        /// What is expected.
        expected: String,
        /// What stands there.
        found: String,
    },
}

/// Divides at commas that have no backslash before them, and takes those backslashes away.
fn split_escaped(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let escaped = c == '\\'
            && chars.next_if(|&c| c == ',' || c == '\\').is_some_and(|c| {
                push_last(&mut parts, c);
                true
            });
        match c {
            _ if escaped => {}
            ',' => parts.push(String::new()),
            _ => push_last(&mut parts, c),
        }
    }
    parts
}

fn push_last(parts: &mut [String], c: char) {
    if let Some(last) = parts.last_mut() {
        last.push(c);
    }
}

impl FromStr for EngineDescription {
    type Err = DescriptionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut engine = Self::default();
        let mut seen = Vec::new();
        for part in split_escaped(text) {
            let Some((key, value)) = part.split_once('=') else {
                return Err(DescriptionError::NoValue(part));
            };
            let key = key.trim();
            if seen.iter().any(|seen| seen == key) {
                return Err(DescriptionError::Duplicate(key.to_owned()));
            }
            seen.push(key.to_owned());
            engine.set(key, value)?;
        }
        Ok(engine)
    }
}

impl EngineDescription {
    fn set(&mut self, key: &str, value: &str) -> Result<(), DescriptionError> {
        let wrong = |expected: &str| DescriptionError::Value {
            key: key.to_owned(),
            expected: expected.to_owned(),
            found: value.to_owned(),
        };
        let number = |max: u64| {
            let plain = value.bytes().all(|byte| byte.is_ascii_digit());
            let number = value.parse().ok().filter(|number| plain && (1..=max).contains(number));
            number.ok_or_else(|| wrong(&format!("a whole number from 1 to {max} is expected")))
        };
        match key {
            "name" => self.name = Some(value.to_owned()),
            "cmd" => self.cmd = Some(value.to_owned()),
            "args" => {
                let args = shlex::split(value);
                self.args = Some(args.ok_or_else(|| wrong(EXPECTED_ARGS))?);
            }
            "dir" => self.dir = Some(value.into()),
            "proto" => match value.parse() {
                Ok(dialect) => self.proto = Some(dialect),
                Err(DialectError) => return Err(wrong(DialectError::TEXT)),
            },
            "builtin" => {
                let known = Builtin::ALL.into_iter().find(|builtin| builtin.name() == value);
                self.builtin = Some(known.ok_or_else(|| wrong("random or greedy is expected"))?);
            }
            "restart" => match value {
                "true" | "on" => self.restart = Some(true),
                "false" | "off" => self.restart = Some(false),
                _ => return Err(wrong("true or false is expected")),
            },
            "tc" => match value.parse() {
                Ok(tc) => self.tc = Some(tc),
                Err(_) => {
                    return Err(wrong("[moves/][minutes:]seconds[+increment] is expected"));
                }
            },
            "movetime" => self.movetime = Some(number(MAX_MOVE_TIME)?),
            "nodes" => self.nodes = Some(number(u64::MAX)?),
            "depth" => {
                // The range has been seen to.
                self.depth = u32::try_from(number(u32::MAX.into())?).ok();
            }
            _ => match key.strip_prefix("option.") {
                Some(name) if !name.is_empty() => {
                    self.option.insert(name.to_owned(), value.to_owned());
                }
                _ => return Err(DescriptionError::UnknownKey(key.to_owned())),
            },
        }
        Ok(())
    }

    /// What is missing here is taken from `other`. A limit of any kind here makes those there mean
    /// nothing, and so does a `builtin` here for a program's keys there.
    #[must_use]
    pub fn or(self, other: &Self) -> Self {
        let mut option = other.option.clone();
        option.extend(self.option.clone());
        let limited = !self.limit().is_empty();
        let limits = if limited { &self } else { other };
        let (tc, movetime, nodes, depth) = (limits.tc, limits.movetime, limits.nodes, limits.depth);
        let programs = self.builtin.is_none();
        Self {
            name: self.name.or_else(|| other.name.clone()),
            builtin: self.builtin.or(other.builtin.filter(|_| self.cmd.is_none())),
            cmd: self.cmd.or_else(|| other.cmd.clone().filter(|_| programs)),
            args: self.args.or_else(|| other.args.clone().filter(|_| programs)),
            dir: self.dir.or_else(|| other.dir.clone().filter(|_| programs)),
            proto: self.proto.or(other.proto.filter(|_| programs)),
            restart: self.restart.or(other.restart.filter(|_| programs)),
            option: if programs { option } else { self.option },
            tc,
            movetime,
            nodes,
            depth,
        }
    }

    /// The limits.
    pub fn limit(&self) -> Limit {
        Limit {
            clock: self.tc,
            move_time: self.movetime.map(Duration::from_millis),
            nodes: self.nodes,
            depth: self.depth,
        }
    }

    /// The engine, when nothing is missing.
    fn resolve(self) -> Result<EngineSpec, EngineError> {
        let limit = self.limit();
        let numbers = number_limits(&self);
        let Self { name, cmd, args, dir, proto, builtin, restart, option, .. } = self;
        let shown = |name: Option<&String>| name.cloned().unwrap_or_else(|| "?".to_owned());
        let (launch, derived) = match (cmd, builtin) {
            (Some(_), Some(_)) => return Err(EngineError::Both(shown(name.as_ref()))),
            (None, None) => return Err(EngineError::Neither(shown(name.as_ref()))),
            (Some(cmd), None) if cmd.trim().is_empty() => {
                return Err(EngineError::EmptyCmd(shown(name.as_ref())));
            }
            (Some(cmd), None) => {
                let stem = Path::new(&cmd).file_stem();
                let stem = stem.map(|stem| stem.to_string_lossy().into_owned());
                let derived = stem.unwrap_or_else(|| cmd.clone());
                let proto = proto.unwrap_or_default();
                let program = Program { cmd, args: args.unwrap_or_default(), dir, proto };
                (Launch::Program(program), derived)
            }
            (None, Some(builtin)) => {
                let name = name.clone().unwrap_or_else(|| builtin.name().to_owned());
                let useless = [
                    ("args", args.is_some()),
                    ("dir", dir.is_some()),
                    ("proto", proto.is_some()),
                    ("restart", restart.is_some()),
                    ("option", !option.is_empty()),
                ];
                if let Some((key, _)) = useless.into_iter().find(|(_, given)| *given) {
                    return Err(EngineError::NoProgram { name, key });
                }
                (Launch::Builtin(builtin), builtin.name().to_owned())
            }
        };
        let named = name.is_some();
        let name = name.unwrap_or(derived);
        if name.trim().is_empty() || name.len() > MAX_NAME || name.chars().any(char::is_control) {
            return Err(EngineError::Name(name));
        }
        let one_line = |text: &str| !text.chars().any(char::is_control);
        let mut length = 0;
        for (key, value) in &option {
            length += key.len() + value.len();
            if key.trim().is_empty() || !one_line(key) || !one_line(value) {
                return Err(EngineError::OptionText { name, key: key.clone() });
            }
        }
        if length > MAX_OPTIONS {
            return Err(EngineError::TooManyOptions(name));
        }
        for (key, found, max) in numbers {
            if let Some(found) = found.filter(|found| !(1..=max).contains(found)) {
                return Err(EngineError::Range { name, key, found, max });
            }
        }
        if limit.is_empty() && matches!(launch, Launch::Program(_)) {
            return Err(EngineError::NoLimit(name));
        }
        let options = option.into_iter().collect();
        Ok(EngineSpec { name, named, launch, options, limit, restart: restart == Some(true) })
    }
}

/// Why an engine cannot play.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EngineError {
    /// Neither a program nor one of ours.
    #[error("engine {}: cmd=PROGRAM or builtin=NAME is missing", quote(.0))]
    Neither(String),
    /// A program and one of ours.
    #[error("engine {}: cmd and builtin exclude each other", quote(.0))]
    Both(String),
    /// A program without a name.
    #[error("engine {}: cmd is empty", quote(.0))]
    EmptyCmd(String),
    /// A limit that is too small or too great.
    #[error("engine {}: {key}: a whole number from 1 to {max} is expected, not {found}", quote(.name))]
    Range {
        /// The engine.
        name: String,
        /// The limit.
        key: &'static str,
        /// What it is.
        found: u64,
        /// The greatest that it may be.
        max: u64,
    },
    /// A key that only makes sense with a program.
    #[error("engine {}: {key} needs a program (cmd)", quote(.name))]
    NoProgram {
        /// The engine.
        name: String,
        /// The key.
        key: &'static str,
    },
    /// No good name.
    #[error("engine {}: a name has 1 to {MAX_NAME} bytes on one line, not only blanks", quote(.0))]
    Name(String),
    /// Two engines of one name.
    #[error("two engines have the name {}", quote(.0))]
    SameName(String),
    /// It could think for ever.
    #[error("engine {}: a limit is missing: tc, movetime, nodes or depth", quote(.0))]
    NoLimit(String),
    /// An option's name or value cannot be sent.
    #[error("engine {}: option {}: name and value must be on one line", quote(.name), quote(.key))]
    OptionText {
        /// The engine.
        name: String,
        /// The option.
        key: String,
    },
    /// The options are too long.
    #[error("engine {}: its options have more than {MAX_OPTIONS} bytes", quote(.0))]
    TooManyOptions(String),
}

/// A program to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// A path, or a name to be looked for as a shell does.
    pub cmd: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The folder in which it runs; `None` for the current one.
    pub dir: Option<PathBuf>,
    /// What it speaks.
    pub proto: Dialect,
}

/// What plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Launch {
    /// A program.
    Program(Program),
    /// One of ours.
    Builtin(Builtin),
}

/// An engine of a match, with nothing missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSpec {
    /// What reports and records call it; no other engine of the match has the same.
    pub name: String,
    /// Whether the name was given.
    named: bool,
    /// What plays.
    pub launch: Launch,
    /// The engine's own options, by name.
    pub options: Vec<(String, String)>,
    /// How long it may think.
    pub limit: Limit,
    /// Whether the program is started anew for each game.
    pub restart: bool,
}

impl EngineSpec {
    /// The engines of a match. What is missing in a description is taken from `each`; engines without
    /// a name get that of their program, and a number where there are several.
    ///
    /// # Errors
    ///
    /// When one of them cannot play, or two have the same name.
    pub fn all(
        descriptions: &[EngineDescription],
        each: &EngineDescription,
    ) -> Result<Vec<Self>, EngineError> {
        let resolve = |engine: &EngineDescription| engine.clone().or(each).resolve();
        let mut specs = descriptions.iter().map(resolve).collect::<Result<Vec<_>, _>>()?;
        for index in 0..specs.len() {
            let taken = |specs: &[Self], name: &str| {
                let earlier = specs.iter().take(index).any(|other| other.name == name);
                earlier
                    || specs.iter().skip(index + 1).any(|other| other.named && other.name == name)
            };
            let name = specs[index].name.clone();
            if !taken(&specs, &name) {
                continue;
            }
            if specs[index].named {
                return Err(EngineError::SameName(name));
            }
            let mut numbers = 2..;
            let fresh = numbers.find_map(|number| {
                let name = format!("{name}-{number}");
                (!taken(&specs, &name)).then_some(name)
            });
            specs[index].name = fresh.unwrap_or(name);
        }
        Ok(specs)
    }

    /// The description that makes this engine again.
    pub fn description(&self) -> EngineDescription {
        let mut description = EngineDescription {
            name: Some(self.name.clone()),
            tc: self.limit.clock,
            movetime: self.limit.move_time.map(|time| time.as_millis() as u64),
            nodes: self.limit.nodes,
            depth: self.limit.depth,
            option: self.options.iter().cloned().collect(),
            ..EngineDescription::default()
        };
        match &self.launch {
            Launch::Builtin(builtin) => description.builtin = Some(*builtin),
            Launch::Program(program) => {
                description.cmd = Some(program.cmd.clone());
                description.args = Some(program.args.clone()).filter(|args| !args.is_empty());
                description.dir = program.dir.clone();
                description.proto = Some(program.proto);
                description.restart = self.restart.then_some(true);
            }
        }
        description
    }
}

impl fmt::Display for EngineSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> EngineDescription {
        text.parse().unwrap()
    }

    fn all(texts: &[&str], each: &str) -> Result<Vec<EngineSpec>, String> {
        let each = if each.is_empty() { EngineDescription::default() } else { read(each) };
        let engines: Vec<_> = texts.iter().map(|text| read(text)).collect();
        EngineSpec::all(&engines, &each).map_err(|error| error.to_string())
    }

    #[test]
    fn every_key_is_read() {
        let engine = read(
            r"cmd=/a\,b/x,name=A\\B,args=-a 'b c',dir=/tmp,proto=uai,restart=on,tc=1+0.1,movetime=50,nodes=7,depth=3,option.Log File=x=y,option.Hash=1",
        );
        assert_eq!(engine.cmd.as_deref(), Some("/a,b/x"));
        assert_eq!(engine.name.as_deref(), Some(r"A\B"));
        assert_eq!(engine.args, Some(vec!["-a".into(), "b c".into()]));
        assert_eq!(engine.dir, Some("/tmp".into()));
        assert_eq!((engine.proto, engine.restart), (Some(Dialect::Uai), Some(true)));
        assert_eq!(engine.limit().to_string(), "1+0.1, 50 ms/move, 7 nodes, depth 3");
        assert_eq!(engine.option["Log File"], "x=y");
        assert_eq!(engine.option["Hash"], "1");
        assert_eq!(read("builtin=greedy").builtin, Some(Builtin::Greedy));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, message) in [
            ("", "\"\" has no value: KEY=VALUE is expected"),
            ("cmd", "\"cmd\" has no value: KEY=VALUE is expected"),
            ("cmd=a,cmd=b", "cmd is given twice"),
            (
                "nodes=0",
                "nodes: a whole number from 1 to 18446744073709551615 is expected, not \"0\"",
            ),
            (
                "nodes=+1",
                "nodes: a whole number from 1 to 18446744073709551615 is expected, not \"+1\"",
            ),
            (
                "depth=9999999999",
                "depth: a whole number from 1 to 4294967295 is expected, not \"9999999999\"",
            ),
            (
                "movetime=31622400001",
                "movetime: a whole number from 1 to 31622400000 is expected, not \"31622400001\"",
            ),
            ("args=\"a", "args: arguments with closed quotes are expected, not \"\\\"a\""),
            ("proto=xboard", "proto: uai, ugi or uci is expected, not \"xboard\""),
            ("restart=maybe", "restart: true or false is expected, not \"maybe\""),
            ("builtin=deep", "builtin: random or greedy is expected, not \"deep\""),
        ] {
            assert_eq!(text.parse::<EngineDescription>().unwrap_err().to_string(), message);
        }
        for text in ["cmmd=a", "option.=a", "=a"] {
            let error = text.parse::<EngineDescription>().unwrap_err();
            assert!(matches!(error, DescriptionError::UnknownKey(_)), "{text}: {error}");
        }
    }

    #[test]
    fn engines_get_names_of_their_own() {
        let engines = all(&["cmd=/a/x.exe", "cmd=b/x", "cmd=x,name=y"], "nodes=5").unwrap();
        let names: Vec<_> = engines.iter().map(|engine| engine.name.as_str()).collect();
        assert_eq!(names, ["x", "x-2", "y"]);
        let error = all(&["cmd=a,name=y", "cmd=b,name=y"], "nodes=5").unwrap_err();
        assert_eq!(error, "two engines have the name \"y\"");
        // A name that was given stays with who has it.
        let engines = all(&["cmd=x", "cmd=z,name=x"], "nodes=5").unwrap();
        assert_eq!(engines[0].name, "x-2");
    }

    #[test]
    fn what_all_share_is_filled_in_where_it_is_missing() {
        let each = "nodes=5,option.Hash=1,option.Threads=2,restart=true";
        let engines = all(&["cmd=a,tc=1,option.Hash=8", "cmd=b", "builtin=random"], each).unwrap();
        assert_eq!(engines[0].limit.to_string(), "1");
        assert_eq!(
            engines[0].options,
            [("Hash".into(), "8".into()), ("Threads".into(), "2".into())]
        );
        assert_eq!(engines[1].limit.to_string(), "5 nodes");
        assert!(engines[1].restart);
        assert_eq!(engines[2].options, []);
    }

    #[test]
    fn what_cannot_play_is_refused() {
        for (text, message) in [
            ("name=a,nodes=1", "engine \"a\": cmd=PROGRAM or builtin=NAME is missing"),
            ("cmd=a,builtin=random", "engine \"?\": cmd and builtin exclude each other"),
            ("builtin=random,dir=x", "engine \"random\": dir needs a program (cmd)"),
            ("cmd=a", "engine \"a\": a limit is missing: tc, movetime, nodes or depth"),
            (
                "cmd=a,name=,nodes=1",
                "engine \"\": a name has 1 to 100 bytes on one line, not only blanks",
            ),
            (
                "cmd=a,name=  ,nodes=1",
                "engine \"  \": a name has 1 to 100 bytes on one line, not only blanks",
            ),
            ("cmd=,nodes=1", "engine \"?\": cmd is empty"),
            ("cmd= ,name=a,nodes=1", "engine \"a\": cmd is empty"),
            (
                "cmd=a,nodes=1,option.x=a\nquit",
                "engine \"a\": option \"x\": name and value must be on one line",
            ),
        ] {
            assert_eq!(all(&[text], "").unwrap_err(), message);
        }
        let long = format!("cmd=a,nodes=1,option.x={}", "y".repeat(5000));
        assert_eq!(
            all(&[&long], "").unwrap_err(),
            "engine \"a\": its options have more than 4096 bytes"
        );
    }

    #[test]
    fn files_may_have_numbers_and_lines_where_there_is_text() {
        let read = |toml: &str| toml::from_str::<EngineDescription>(toml);
        let engine = read(
            "args = \"-a 'b c'\"\ntc = 1.5\n[option]\nHash = 64\nPonder = true\nContempt = -0.5\nLevel = -3\nName = \"x\"",
        )
        .unwrap();
        assert_eq!(engine.args, Some(vec!["-a".into(), "b c".into()]));
        assert_eq!(engine.tc, Some("1.5".parse().unwrap()));
        let options = [
            ("Contempt", "-0.5"),
            ("Hash", "64"),
            ("Level", "-3"),
            ("Name", "x"),
            ("Ponder", "true"),
        ];
        assert_eq!(engine.option, options.map(|(k, v)| (k.to_owned(), v.to_owned())).into());
        assert_eq!(read("tc = 1").unwrap().tc, Some("1".parse().unwrap()));
        assert_eq!(read("args = [\"a b\"]").unwrap().args, Some(vec!["a b".into()]));
        assert_eq!(read("").unwrap(), EngineDescription::default());
        for (toml, message) in [
            ("args = \"'a\"", "arguments with closed quotes are expected"),
            ("args = 1", "a list of texts, or a text to be divided, is expected"),
            ("option.Hash = [1]", "a text, a number, true or false is expected"),
            ("tc = -1", "\"-1\" is no time control"),
            ("tc = true", "\"true\" is no time control"),
        ] {
            let error = read(toml).unwrap_err().to_string();
            assert!(error.contains(message), "{toml}: {error}");
        }
    }

    #[test]
    fn limits_out_of_range_are_refused_wherever_they_come_from() {
        let two = |each: EngineDescription| {
            let engine = EngineDescription { cmd: Some("a".into()), ..Default::default() };
            EngineSpec::all(&[engine], &each).map(drop).map_err(|error| error.to_string())
        };
        for (key, found, max) in [
            ("movetime", 0, MAX_MOVE_TIME),
            ("movetime", u64::MAX, MAX_MOVE_TIME),
            ("nodes", 0, u64::MAX),
            ("depth", 0, u32::MAX.into()),
        ] {
            let each = serde_json::from_value(serde_json::json!({ key: found })).unwrap();
            let message = format!(
                "engine \"a\": {key}: a whole number from 1 to {max} is expected, not {found}"
            );
            assert_eq!(two(each), Err(message));
        }
        two(EngineDescription { movetime: Some(MAX_MOVE_TIME), ..Default::default() }).unwrap();
    }

    #[test]
    fn a_spec_describes_itself() {
        let engines = all(
            &["cmd=a,args=b c,dir=/tmp,restart=on,tc=3/1:00+1,option.Hash=1", "builtin=greedy"],
            "movetime=10,nodes=2,depth=3",
        );
        for engine in engines.unwrap() {
            let again = EngineSpec::all(&[engine.description()], &EngineDescription::default());
            assert_eq!(again.unwrap()[0].description(), engine.description());
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "((name|cmd|args|tc|nodes|option.x)=[a-z0-9\\\\,'\" ]{0,5},?){0,4}|\\PC*") {
            if let Ok(engine) = text.parse::<EngineDescription>() {
                let _ = EngineSpec::all(&[engine], &EngineDescription::default());
            }
        }
    }
}
