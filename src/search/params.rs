//! The search's constants, each with the range in which it may be tuned.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What a constant is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParameterGroup {
    /// How the tree is searched: it counts whatever bounds the search.
    Search,
    /// What the table keeps: it counts where the table is too small for the search.
    Table,
    /// How long to think: it counts on a clock alone.
    Time,
}

impl fmt::Display for ParameterGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Search => "search",
            Self::Table => "table",
            Self::Time => "time",
        })
    }
}

/// What is known of one constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterInfo {
    /// Its name.
    pub name: &'static str,
    /// Its value when nothing else is said.
    pub default: i32,
    /// The range in which it may be tuned.
    pub range: RangeInclusive<i32>,
    /// What it is for.
    pub group: ParameterGroup,
}

/// Why a constant cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// There is no such constant.
    #[error("there is no parameter {0:?}")]
    Unknown(String),
    /// It may not have this value.
    #[error("{name} must be {} to {}, not {value}", range.start(), range.end())]
    OutOfRange {
        /// The constant's name.
        name: &'static str,
        /// The value that was wanted.
        value: i32,
        /// What it may be.
        range: RangeInclusive<i32>,
    },
    /// A setting in text is not of the form `name=value`, with a whole number.
    #[error("{0:?} is not of the form NAME=NUMBER")]
    Malformed(String),
}

/// Declares the constants, those of each group after its name.
macro_rules! parameters {
    ($([$group:ident] $(
        $(#[$doc:meta])* $name:ident = $value:literal in $min:literal..=$max:literal;
    )*)*) => {
        /// The search's constants: by default what games have shown to be best so far.
        ///
        /// Scores are in cp, depths and reductions in plies unless something else is said.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Parameters {
            $($($(#[$doc])* pub $name: i32,)*)*
        }

        impl Default for Parameters {
            fn default() -> Self {
                Self { $($($name: $value,)*)* }
            }
        }

        impl Parameters {
            /// All constants, in a fixed order.
            pub fn all() -> Vec<ParameterInfo> {
                vec![$($(ParameterInfo {
                    name: stringify!($name),
                    default: $value,
                    range: $min..=$max,
                    group: ParameterGroup::$group,
                },)*)*]
            }

            fn slot(&mut self, name: &str) -> Option<&mut i32> {
                match name {
                    $($(stringify!($name) => Some(&mut self.$name),)*)*
                    _ => None,
                }
            }
        }
    };
}

impl Parameters {
    /// A constant's value; `None` if there is no such constant.
    pub fn get(mut self, name: &str) -> Option<i32> {
        self.slot(name).map(|value| *value)
    }

    /// Sets a constant.
    ///
    /// ```
    /// use physarum::search::Parameters;
    ///
    /// let mut parameters = Parameters::default();
    /// parameters.set("lmr_divisor", 150).unwrap();
    /// assert_eq!(parameters.get("lmr_divisor"), Some(150));
    /// assert!(parameters.set("lmr_divisor", -1).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// When there is no such constant, or it may not have this value.
    pub fn set(&mut self, name: &str, value: i32) -> Result<(), ParameterError> {
        ParameterSetting::new(name, value)?.apply(self);
        Ok(())
    }
}

/// One constant's value, written `name=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterSetting {
    /// The constant's name.
    pub name: &'static str,
    /// Its value, in its range.
    pub value: i32,
}

impl ParameterSetting {
    /// The constant with this name, and this value for it.
    fn new(name: &str, value: i32) -> Result<Self, ParameterError> {
        let info = Parameters::all().into_iter().find(|info| info.name == name);
        let info = info.ok_or_else(|| ParameterError::Unknown(name.to_owned()))?;
        if !info.range.contains(&value) {
            return Err(ParameterError::OutOfRange { name: info.name, value, range: info.range });
        }
        Ok(Self { name: info.name, value })
    }

    /// Sets the constant.
    pub fn apply(&self, parameters: &mut Parameters) {
        if let Some(slot) = parameters.slot(self.name) {
            *slot = self.value;
        }
    }
}

impl FromStr for ParameterSetting {
    type Err = ParameterError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let malformed = || ParameterError::Malformed(text.to_owned());
        let (name, value) = text.split_once('=').ok_or_else(malformed)?;
        Self::new(name, value.parse().map_err(|_| malformed())?)
    }
}

impl fmt::Display for ParameterSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.value)
    }
}

parameters! {
    [Search]
    /// Half the width of the first aspiration window.
    aspiration_delta = 24 in 10..=400;
    /// By how many hundredths it grows at each failure …
    aspiration_growth = 150 in 120..=800;
    /// … until it is wider than this and is opened.
    aspiration_max = 4000 in 1000..=10000;
    /// Aspiration windows are used from this depth on.
    aspiration_depth = 4 in 2..=8;
    /// Whether the depth shrinks by a ply each time that the score is above the window, 1 or 0.
    aspiration_shrink = 0 in 0..=1;

    /// Reverse futility pruning: up to this depth …
    rfp_depth = 6 in 0..=12;
    /// … if the evaluation is above beta by this much per ply …
    rfp_margin = 80 in 20..=500;
    /// … less this much where the evaluation grows from move to move.
    rfp_improving = 25 in 0..=300;

    /// Null move: from this depth on …
    null_depth = 10 in 2..=100;
    /// … with this many empty squares or more (passing may be best on a full board) …
    null_empty = 10 in 4..=30;
    /// … searched shallower by this many plies …
    null_reduction = 2 in 1..=5;
    /// … and the depth divided by this …
    null_divisor = 3 in 2..=6;
    /// … and a ply for each time this much fits between beta and the evaluation, up to three.
    null_margin = 4000 in 100..=4000;

    /// Without a table move, nodes from this depth on are searched a ply shallower.
    iir_depth = 4 in 2..=8;

    /// Probability cut: from this depth on …
    probcut_depth = 100 in 4..=100;
    /// … a score above beta by this much …
    probcut_margin = 300 in 50..=1000;
    /// … in a search shallower by this many plies is believed.
    probcut_reduction = 4 in 2..=6;

    /// Singular extensions from this depth on …
    singular_depth = 6 in 4..=100;
    /// … if the table's entry is shallower by no more than this …
    singular_table = 3 in 1..=6;
    /// … and all other moves are below its score by this many hundredths per ply.
    singular_margin = 222 in 50..=2000;
    /// A move better than the others by this much more is extended twice.
    singular_double = 2000 in 20..=2000;

    /// Pruning of late moves only with more empty squares than this: near the end every move may
    /// be the one that counts.
    pruning_empty = 2 in 0..=12;
    /// Jumps that turn no stone are left out after this many moves.
    quiet_jumps = 2 in 1..=300;
    /// Late-move pruning: up to this depth …
    lmp_depth = 4 in 0..=12;
    /// … after this many moves …
    lmp_base = 6 in 1..=20;
    /// … and this many hundredths for each squared ply of depth; half of both where the evaluation
    /// doesn't grow from move to move, if `lmp_improving` is 1.
    lmp_factor = 329 in 20..=1000;
    /// See `lmp_factor`.
    lmp_improving = 0 in 0..=1;
    /// Futility pruning: up to this depth …
    futility_depth = 6 in 0..=12;
    /// … if evaluation and what the move gains are below alpha by this much …
    futility_base = 221 in 0..=800;
    /// … and this much per ply …
    futility_margin = 109 in 20..=500;
    /// … a stone gained counting this much.
    futility_gain = 13 in 0..=200;

    /// Late-move reductions from this depth on …
    lmr_depth = 2 in 2..=5;
    /// … after this many moves …
    lmr_moves = 2 in 1..=8;
    /// … at the root after this many …
    lmr_root_moves = 4 in 1..=12;
    /// … by this many hundredths of a ply …
    lmr_base = 81 in 0..=150;
    /// … and ln(depth) * ln(move number) divided by this, in hundredths …
    lmr_divisor = 243 in 80..=300;
    /// … and this many hundredths less on the principal variation …
    lmr_pv = 95 in 0..=250;
    /// … and more where a cut is expected …
    lmr_cut = 21 in 0..=250;
    /// … and more where the evaluation doesn't grow from move to move …
    lmr_worsening = 26 in 0..=200;
    /// … and more for a move that turns no stone …
    lmr_quiet = 22 in 0..=250;
    /// … and a ply less or more per this much history.
    lmr_history = 6378 in 1000..=32000;

    /// Move ordering: what a stone gained is worth, in points of history …
    order_gain = 4000 in 500..=16000;
    /// … what a clone is worth besides …
    order_clone = 3609 in 0..=32000;
    /// … and what a move that has refuted another move at the same distance from the root is.
    order_killer = 1636 in 0..=32000;
    /// The largest history of a move.
    history_max = 16000 in 4000..=30000;
    /// History bonus per ply of depth.
    history_bonus = 180 in 50..=600;
    /// The largest history bonus of one node.
    history_bonus_max = 1800 in 500..=4000;
    /// What moves lose that were tried before the best one, in hundredths of the bonus.
    history_malus = 101 in 10..=200;
    /// The weight of what the search has taught about the evaluation, in hundredths.
    correction_weight = 26 in 0..=200;

    [Table]
    /// The table keeps an entry for as many plies of depth less for each search that it is old …
    table_age = 8 in 1..=16;
    /// … and for the same position one that is deeper by more than this.
    table_keep = 3 in 0..=8;

    [Time]
    /// Time: how many moves the clock has to last for when nothing is said: this many …
    moves_left_base = 10 in 4..=40;
    /// … and this many hundredths for each empty square.
    moves_left_empty = 45 in 0..=150;
    /// This many times the move overhead, or a quarter of the clock if that is less, is kept for
    /// emergencies.
    reserve = 3 in 0..=10;
    /// Per cent of the increment that a move may use.
    increment_share = 80 in 40..=100;
    /// A search that is going badly may use this many hundredths of a move's share …
    hard_factor = 350 in 150..=800;
    /// … but no more than this many hundredths of the clock.
    hard_share = 40 in 10..=80;
    /// An iteration is begun while less than this many hundredths of the share are used, with a
    /// best move that has just changed.
    soft_unstable = 120 in 60..=300;
    /// Each iteration that kept the best move takes this many hundredths off …
    soft_step = 12 in 2..=60;
    /// … down to this many.
    soft_stable = 50 in 20..=100;
    /// All that is multiplied by this many hundredths, less those of the nodes that the best move
    /// took; 0: it is not.
    soft_effort = 0 in 0..=250;
    /// In hundredths, what is added for a score that has fallen by a hundred.
    soft_falling = 0 in 0..=100;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_lie_in_their_ranges() {
        for ParameterInfo { name, default, range, .. } in Parameters::all() {
            assert!(range.contains(&default), "{name} = {default} is not in {range:?}");
            assert_eq!(Parameters::default().get(name), Some(default));
        }
    }

    #[test]
    fn constants_are_in_the_groups_where_they_count() {
        let all = Parameters::all();
        let group = |name| all.iter().find(|info| info.name == name).unwrap().group;
        assert_eq!(group("lmr_divisor"), ParameterGroup::Search);
        assert_eq!(group("correction_weight"), ParameterGroup::Search);
        assert_eq!(group("table_age"), ParameterGroup::Table);
        assert_eq!(group("moves_left_base"), ParameterGroup::Time);
        assert_eq!(group("soft_falling"), ParameterGroup::Time);
    }

    #[test]
    fn settings_are_read_and_written() {
        let setting: ParameterSetting = "rfp_depth=7".parse().unwrap();
        assert_eq!(setting.to_string(), "rfp_depth=7");
        for (text, error) in [
            ("rfp_depth", r#""rfp_depth" is not of the form NAME=NUMBER"#),
            ("rfp_depth=x", r#""rfp_depth=x" is not of the form NAME=NUMBER"#),
            ("RFP_DEPTH=7", r#"there is no parameter "RFP_DEPTH""#),
            ("rfp_depth=99", "rfp_depth must be 0 to 12, not 99"),
        ] {
            assert_eq!(text.parse::<ParameterSetting>().unwrap_err().to_string(), error);
        }
    }
}
