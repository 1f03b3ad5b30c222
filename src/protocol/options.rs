//! Options: what a user can set.

use std::fmt;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use super::{Dialect, quote};
use crate::game::{MAX_MOVES, Rules};
use crate::search::{Parameters, Settings, Strength};

/// The values that a session starts with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The size of the transposition table in MiB, 1 to 65536.
    pub hash: usize,
    /// Threads that search side by side, 1 to 256.
    pub threads: usize,
    /// The rules, whoever the referee is; `None` to let that decide.
    pub rules: Option<Rules>,
    /// The file of the network that evaluates; `None` for the default evaluation.
    pub eval_file: Option<PathBuf>,
    /// Where every line in and out is logged.
    pub log_file: Option<PathBuf>,
    /// The constants of the search.
    pub parameters: Parameters,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            hash: 64,
            threads: 1,
            rules: None,
            eval_file: None,
            log_file: None,
            parameters: Parameters::default(),
        }
    }
}

/// The sizes of a transposition table in MiB.
pub(crate) const HASH_RANGE: RangeInclusive<usize> = 1..=65536;
/// The numbers of threads.
pub(crate) const THREADS_RANGE: RangeInclusive<usize> = 1..=256;
const MULTI_PV_RANGE: RangeInclusive<usize> = 1..=MAX_MOVES;
/// In milliseconds.
const OVERHEAD_RANGE: RangeInclusive<usize> = 0..=10_000;

/// An option as an engine announces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionSpec {
    /// Its name.
    pub name: String,
    /// What may be its value.
    pub kind: OptionKind,
}

/// What may be an option's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// A whole number.
    Spin {
        /// The value at the start.
        default: i64,
        /// The smallest value.
        min: i64,
        /// The largest value.
        max: i64,
    },
    /// Yes or no.
    Check {
        /// The value at the start.
        default: bool,
    },
    /// One of several words.
    Combo {
        /// The value at the start.
        default: String,
        /// All values.
        vars: Vec<String>,
    },
    /// Any text.
    Text {
        /// The value at the start.
        default: String,
    },
    /// Nothing: something happens.
    Button,
}

impl OptionKind {
    /// Whether a value is one of those that an engine lists.
    pub fn accepts(&self, value: &str) -> bool {
        match self {
            Self::Spin { min, max, .. } => {
                value.parse().is_ok_and(|number: i64| (*min..=*max).contains(&number))
            }
            Self::Check { .. } => {
                ["true", "false"].iter().any(|known| known.eq_ignore_ascii_case(value))
            }
            Self::Combo { vars, .. } => {
                vars.is_empty() || vars.iter().any(|var| var.eq_ignore_ascii_case(value))
            }
            Self::Text { .. } => true,
            Self::Button => value.is_empty(),
        }
    }
}

impl fmt::Display for OptionSpec {
    /// `name … type …`, what follows `option`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "name {} type ", self.name)?;
        match &self.kind {
            OptionKind::Spin { default, min, max } => {
                write!(f, "spin default {default} min {min} max {max}")
            }
            OptionKind::Check { default } => write!(f, "check default {default}"),
            OptionKind::Combo { default, vars } => {
                write!(f, "combo default {default}")?;
                vars.iter().try_for_each(|var| write!(f, " var {var}"))
            }
            OptionKind::Text { default } if default.is_empty() => {
                write!(f, "string default <empty>")
            }
            OptionKind::Text { default } => write!(f, "string default {default}"),
            OptionKind::Button => f.write_str("button"),
        }
    }
}

/// Why a line does not describe an option.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OptionSpecError {
    /// It must begin with `name`, and a name.
    #[error("option: a name is missing")]
    Name,
    /// There must be a type, and one of those that there are.
    #[error("option {}: a type is missing: spin, check, combo, string or button", quote(.0))]
    Type(String),
    /// A default, or the range, is not what the type needs.
    #[error("option {}: its default, or its range, is wrong", quote(.0))]
    Value(String),
}

impl FromStr for OptionSpec {
    type Err = OptionSpecError;

    /// Reads `name … type …`, what follows `option`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // The name goes on to `type`, which is followed by one word; defaults and values may have
        // several words, and go on to the next keyword.
        let mut parts: Vec<(&str, Vec<&str>)> = Vec::new();
        let mut typed = false;
        for word in text.split_whitespace() {
            match (word, parts.last_mut()) {
                ("name", None) => parts.push((word, Vec::new())),
                ("type", Some(_)) if !typed => {
                    parts.push((word, Vec::new()));
                    typed = true;
                }
                ("default" | "min" | "max" | "var", Some(_)) if typed => {
                    parts.push((word, Vec::new()));
                }
                (_, Some((_, words))) => words.push(word),
                (_, None) => return Err(OptionSpecError::Name),
            }
        }
        let all = |key: &'static str| {
            parts.iter().filter(move |(k, _)| *k == key).map(|(_, words)| words.join(" "))
        };
        let part = |key| all(key).next();
        let name = part("name").filter(|name| !name.is_empty()).ok_or(OptionSpecError::Name)?;
        let wrong = || OptionSpecError::Value(name.clone());
        // What is not told is not known, but no reason to know nothing of the option.
        let number = |key, unknown: i64| match part(key) {
            Some(text) => text.parse().map_err(|_| wrong()),
            None => Ok(unknown),
        };
        let kind = match part("type").unwrap_or_default().as_str() {
            "spin" => OptionKind::Spin {
                default: number("default", 0)?,
                min: number("min", i64::MIN)?,
                max: number("max", i64::MAX)?,
            },
            "check" => match part("default").as_deref() {
                Some("true") => OptionKind::Check { default: true },
                Some("false") | None => OptionKind::Check { default: false },
                _ => return Err(wrong()),
            },
            "combo" => OptionKind::Combo {
                default: part("default").unwrap_or_default(),
                vars: all("var").collect(),
            },
            "string" => OptionKind::Text {
                default: part("default").filter(|text| text != "<empty>").unwrap_or_default(),
            },
            "button" => OptionKind::Button,
            _ => return Err(OptionSpecError::Type(name)),
        };
        Ok(Self { name, kind })
    }
}

/// Why an option was not set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OptionError {
    /// There is none of that name.
    #[error("setoption: no option {}", quote(.0))]
    Unknown(String),
    /// It needs a value.
    #[error("setoption: {0}: a value is missing")]
    NoValue(&'static str),
    /// The value is none of those that it may have.
    #[error("setoption: {name}: {} {wrong}", quote(.value))]
    Value {
        /// The option's name.
        name: &'static str,
        /// The value that was given.
        value: String,
        /// What is wrong with it.
        wrong: String,
    },
}

/// A change to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Setting {
    Hash(usize),
    Threads(usize),
    MultiPv(usize),
    Ponder(bool),
    MoveOverhead(Duration),
    Rules(Rules),
    ClearHash,
    EvalFile(Option<PathBuf>),
    LogFile(Option<PathBuf>),
    /// The game is the one that is played anyway.
    Variant,
    ShowChances(bool),
    LimitStrength(bool),
    Elo(i32),
    SkillLevel(usize),
    AnalyseMode(bool),
    /// What says nothing to this engine, and is no reason to complain.
    Ignored,
}

const HASH: &str = "Hash";
const THREADS: &str = "Threads";
const MULTI_PV: &str = "MultiPV";
const PONDER: &str = "Ponder";
const MOVE_OVERHEAD: &str = "Move Overhead";
const RULES: &str = "Rules";
const CLEAR_HASH: &str = "Clear Hash";
const EVAL_FILE: &str = "EvalFile";
const LOG_FILE: &str = "Log File";
/// The option by which an engine that plays many games is told which.
pub(crate) const VARIANT: &str = "UCI_Variant";
const ANALYSE_MODE: &str = "UCI_AnalyseMode";
const SHOW_WDL: &str = "UCI_ShowWDL";
const LIMIT_STRENGTH: &str = "UCI_LimitStrength";
const ELO: &str = "UCI_Elo";
const SKILL_LEVEL: &str = "Skill Level";
/// The last level plays as well as can be.
pub(super) const SKILL_RANGE: RangeInclusive<usize> = 0..=Strength::LEVELS;
const ELO_RANGE: RangeInclusive<usize> = Strength::MIN_ELO as usize..=Strength::MAX_ELO as usize;
/// The one variant that is played, as Fairy-Stockfish calls it.
pub(crate) const ATAXX: &str = "ataxx";

/// What GUIs of chess set without asking, and what changes nothing here.
const IGNORED: [&str; 4] = ["UCI_Chess960", "UCI_Opponent", "UCI_EngineAbout", "Use NNUE"];

impl Setting {
    /// Reads an option's name and value.
    pub(super) fn parse(name: &str, value: Option<&str>) -> Result<Self, OptionError> {
        let is = |known: &str| known.eq_ignore_ascii_case(name);
        let needed = |name| value.filter(|v| !v.is_empty()).ok_or(OptionError::NoValue(name));
        let wrong = |name, value: &str, wrong: String| OptionError::Value {
            name,
            value: value.to_owned(),
            wrong,
        };
        let path = || {
            let is_path = |path: &&str| !path.is_empty() && !path.eq_ignore_ascii_case("<empty>");
            value.filter(is_path).map(PathBuf::from)
        };
        let number = |name, range: RangeInclusive<usize>| {
            let value = needed(name)?;
            match value.parse::<usize>() {
                // `parse` alone would take a plus sign.
                Ok(number) if range.contains(&number) && !value.starts_with('+') => Ok(number),
                _ => {
                    let (min, max) = range.into_inner();
                    Err(wrong(name, value, format!("is not a whole number from {min} to {max}")))
                }
            }
        };
        let flag = |name| {
            let value = needed(name)?;
            match value.to_ascii_lowercase().as_str() {
                "true" => Ok(true),
                "false" => Ok(false),
                _ => Err(wrong(name, value, "is neither true nor false".into())),
            }
        };
        if is(HASH) {
            number(HASH, HASH_RANGE).map(Self::Hash)
        } else if is(THREADS) {
            number(THREADS, THREADS_RANGE).map(Self::Threads)
        } else if is(MULTI_PV) {
            number(MULTI_PV, MULTI_PV_RANGE).map(Self::MultiPv)
        } else if is(MOVE_OVERHEAD) {
            let milliseconds = number(MOVE_OVERHEAD, OVERHEAD_RANGE)?;
            Ok(Self::MoveOverhead(Duration::from_millis(milliseconds as u64)))
        } else if is(PONDER) {
            flag(PONDER).map(Self::Ponder)
        } else if is(SHOW_WDL) {
            flag(SHOW_WDL).map(Self::ShowChances)
        } else if is(LIMIT_STRENGTH) {
            flag(LIMIT_STRENGTH).map(Self::LimitStrength)
        } else if is(ELO) {
            number(ELO, ELO_RANGE).map(|elo| Self::Elo(elo as i32))
        } else if is(SKILL_LEVEL) {
            number(SKILL_LEVEL, SKILL_RANGE).map(Self::SkillLevel)
        } else if is(ANALYSE_MODE) {
            flag(ANALYSE_MODE).map(Self::AnalyseMode)
        } else if is(RULES) {
            let value = needed(RULES)?;
            match value.parse() {
                Ok(rules) => Ok(Self::Rules(rules)),
                Err(_) => {
                    let names = Rules::ALL.map(Rules::name).join(", ");
                    Err(wrong(RULES, value, format!("is none of {names}")))
                }
            }
        } else if is(CLEAR_HASH) {
            Ok(Self::ClearHash)
        } else if is(EVAL_FILE) {
            Ok(Self::EvalFile(path()))
        } else if is(LOG_FILE) {
            Ok(Self::LogFile(path()))
        } else if is(VARIANT) {
            let value = needed(VARIANT)?;
            if value.eq_ignore_ascii_case(ATAXX) {
                Ok(Self::Variant)
            } else {
                Err(wrong(VARIANT, value, format!("is not {ATAXX}, the one variant there is")))
            }
        } else if IGNORED.iter().any(|known| is(known)) {
            Ok(Self::Ignored)
        } else {
            Err(OptionError::Unknown(name.to_owned()))
        }
    }
}

/// All options that are told of in a dialect, with the values that the session started with; `rules`
/// are those in force.
pub(super) fn specs(config: &Config, rules: Rules, dialect: Dialect) -> Vec<OptionSpec> {
    let spin = |name: &str, default: usize, range: RangeInclusive<usize>| {
        let [default, min, max] = [default, *range.start(), *range.end()].map(|n| n as i64);
        OptionSpec { name: name.to_owned(), kind: OptionKind::Spin { default, min, max } }
    };
    let other = |name: &str, kind| OptionSpec { name: name.to_owned(), kind };
    let defaults = Settings::default();
    // Whatever the name of the file, it is one line.
    let shown = |path: &PathBuf| path.display().to_string().replace(char::is_control, "?");
    let path = |file: &Option<PathBuf>| OptionKind::Text {
        default: file.as_ref().map(shown).unwrap_or_default(),
    };
    let mut specs = vec![
        spin(HASH, config.hash, HASH_RANGE),
        spin(THREADS, config.threads, THREADS_RANGE),
        spin(MULTI_PV, defaults.multi_pv, MULTI_PV_RANGE),
        other(PONDER, OptionKind::Check { default: false }),
        spin(MOVE_OVERHEAD, defaults.move_overhead.as_millis() as usize, OVERHEAD_RANGE),
        other(
            RULES,
            OptionKind::Combo {
                default: rules.to_string(),
                vars: Rules::ALL.map(|rules| rules.to_string()).into(),
            },
        ),
        other(CLEAR_HASH, OptionKind::Button),
        other(SHOW_WDL, OptionKind::Check { default: false }),
        spin(SKILL_LEVEL, *SKILL_RANGE.end(), SKILL_RANGE),
        other(LIMIT_STRENGTH, OptionKind::Check { default: false }),
        spin(ELO, *ELO_RANGE.end(), ELO_RANGE),
        other(ANALYSE_MODE, OptionKind::Check { default: false }),
        other(EVAL_FILE, path(&config.eval_file)),
        other(LOG_FILE, path(&config.log_file)),
    ];
    if dialect == Dialect::Uci {
        let (default, vars) = (ATAXX.to_owned(), vec![ATAXX.to_owned()]);
        specs.push(other(VARIANT, OptionKind::Combo { default, vars }));
    }
    specs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_option_announced_can_be_set_to_its_default() {
        for spec in specs(&Config::default(), Rules::Ataxx, Dialect::Uci) {
            let value = match spec.kind {
                OptionKind::Spin { default, .. } => Some(default.to_string()),
                OptionKind::Check { default } => Some(default.to_string()),
                OptionKind::Combo { default, .. } => Some(default),
                OptionKind::Text { default } => Some(default),
                OptionKind::Button => None,
            };
            for name in [spec.name.to_uppercase(), spec.name.to_lowercase()] {
                Setting::parse(&name, value.as_deref()).unwrap();
            }
        }
    }

    #[test]
    fn limits_are_included_and_nothing_beyond() {
        for spec in specs(&Config::default(), Rules::Ataxx, Dialect::Uci) {
            if let OptionKind::Spin { min, max, .. } = spec.kind {
                let set = |value: i64| Setting::parse(&spec.name, Some(&value.to_string()));
                assert!(set(min).is_ok() && set(max).is_ok(), "{}", spec.name);
                assert!(set(min - 1).is_err() && set(max + 1).is_err(), "{}", spec.name);
            }
        }
    }

    #[test]
    fn foreign_options_are_read_as_far_as_they_are_told() {
        let read = |text: &str| text.parse::<OptionSpec>().map_err(|error| error.to_string());
        let rules = read("name Rules type combo var Ataxx var Assimilation").unwrap();
        assert!(rules.kind.accepts("ataxx") && !rules.kind.accepts("chess"));
        let book = read("name Use default book type check default true").unwrap();
        assert_eq!(book.name, "Use default book");
        assert!(book.kind.accepts("false") && !book.kind.accepts("yes"));
        let hash = read("name Hash type spin min 1 max 64").unwrap();
        assert!(hash.kind.accepts("64") && !hash.kind.accepts("65") && !hash.kind.accepts("x"));
        assert!(read("name Clear type button").unwrap().kind.accepts(""));
        for (text, message) in [
            ("", "option: a name is missing"),
            ("Hash type spin", "option: a name is missing"),
            ("name type spin", "option: a name is missing"),
            ("name Hash", "option \"Hash\": a type is missing"),
            ("name Hash type number", "option \"Hash\": a type is missing"),
            ("name Hash type spin min x", "option \"Hash\": its default, or its range, is wrong"),
        ] {
            assert!(read(text).unwrap_err().starts_with(message), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(
            name in "UCI_ShowWDL|UCI_LimitStrength|UCI_Elo|Skill Level|UCI_Variant|UCI_AnalyseMode|Hash|Threads|MultiPV|Ponder|Move Overhead|Rules|Clear Hash|EvalFile|Log File|\\PC*",
            value in proptest::option::of("\\PC*|[0-9]{1,30}"),
        ) {
            let _ = Setting::parse(&name, value.as_deref());
        }
    }
}
