//! How long an engine may think about a move.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::text::Scalar;
use crate::protocol::quote;

/// The longest time for a move that can be asked for, in milliseconds: a year.
pub const MAX_MOVE_TIME: u64 = 366 * 24 * 3600 * 1000;

/// The longest time on a clock that can be asked for: a year.
const MAX_SECONDS: f64 = 366.0 * 24.0 * 3600.0;

/// A clock's rule: so much time for so many moves, or for the whole game, and more with each move.
///
/// The text form is that of cutechess, `[moves/][minutes:]seconds[+increment]`, in seconds with up to
/// three decimals:
///
/// ```
/// use std::time::Duration;
/// use physarum::referee::TimeControl;
///
/// let tc: TimeControl = "40/1:30+0.5".parse().unwrap();
/// assert_eq!(tc.moves(), Some(40));
/// assert_eq!(tc.base(), Duration::from_secs(90));
/// assert_eq!(tc.increment(), Duration::from_millis(500));
/// assert_eq!(tc.to_string(), "40/90+0.5");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Scalar", into = "String")]
pub struct TimeControl {
    moves: Option<u32>,
    base: Duration,
    increment: Duration,
}

/// Why a text is no time control.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} is no time control: [moves/][minutes:]seconds[+increment] is expected, such as 1+0.01", quote(.0))]
pub struct TimeControlError(String);

impl TimeControl {
    /// The moves that the time is for; `None` for the whole game.
    pub const fn moves(&self) -> Option<u32> {
        self.moves
    }

    /// The time on the clock at the beginning, and again after each [`moves`](Self::moves).
    pub const fn base(&self) -> Duration {
        self.base
    }

    /// What each move adds.
    pub const fn increment(&self) -> Duration {
        self.increment
    }
}

/// Reads seconds; no sign, no exponent.
fn seconds(text: &str) -> Option<Duration> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let seconds: f64 = text.parse().ok().filter(|_| plain)?;
    (seconds <= MAX_SECONDS).then(|| Duration::from_millis((seconds * 1000.0).round() as u64))
}

fn parse_time_control(text: &str) -> Option<TimeControl> {
    let (moves, rest) = match text.split_once('/') {
        Some((moves, rest)) => (Some(moves), rest),
        None => (None, text),
    };
    let moves = match moves {
        Some(moves) => {
            let digits = moves.bytes().all(|byte| byte.is_ascii_digit());
            Some(moves.parse().ok().filter(|&moves: &u32| digits && moves > 0)?)
        }
        None => None,
    };
    let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
    let base = match base.split_once(':') {
        Some((minutes, rest)) => {
            let minutes: u32 = minutes.parse().ok().filter(|_| !minutes.starts_with('+'))?;
            Duration::from_secs(u64::from(minutes) * 60) + seconds(rest)?
        }
        None => seconds(base)?,
    };
    let increment = seconds(increment)?;
    let usable = !(base + increment).is_zero() && base.as_secs_f64() <= MAX_SECONDS;
    usable.then_some(TimeControl { moves, base, increment })
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_time_control(text).ok_or_else(|| TimeControlError(text.to_owned()))
    }
}

impl TryFrom<Scalar> for TimeControl {
    type Error = TimeControlError;

    fn try_from(value: Scalar) -> Result<Self, Self::Error> {
        value.to_string().parse()
    }
}

impl From<TimeControl> for String {
    fn from(tc: TimeControl) -> Self {
        tc.to_string()
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", self.base.as_secs_f64())?;
        if self.increment.is_zero() {
            Ok(())
        } else {
            write!(f, "+{}", self.increment.as_secs_f64())
        }
    }
}

/// What bounds an engine's thinking; all that is given holds together, and something must be given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Limit {
    /// A clock.
    pub clock: Option<TimeControl>,
    /// The time for each move.
    pub move_time: Option<Duration>,
    /// Positions to visit for each move.
    pub nodes: Option<u64>,
    /// Plies to search for each move.
    pub depth: Option<u32>,
}

impl Limit {
    /// Whether nothing is limited.
    pub const fn is_empty(&self) -> bool {
        let Self { clock, move_time, nodes, depth } = self;
        clock.is_none() && move_time.is_none() && nodes.is_none() && depth.is_none()
    }
}

impl fmt::Display for Limit {
    /// `1+0.01`, `100 ms/move`, `20000 nodes`, `depth 8`, joined by commas.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.clock.map(|clock| clock.to_string()),
            self.move_time.map(|time| format!("{} ms/move", time.as_millis())),
            self.nodes.map(|nodes| format!("{nodes} nodes")),
            self.depth.map(|depth| format!("depth {depth}")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        f.write_str(if parts.is_empty() { "no limit" } else { "" })?;
        f.write_str(&parts.join(", "))
    }
}

/// A running clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    control: TimeControl,
    /// What is left.
    left: Duration,
    /// The moves until there is more.
    moves_to_go: Option<u32>,
}

impl Clock {
    /// The clock at the beginning of a game.
    pub(crate) const fn new(control: TimeControl) -> Self {
        Self { control, left: control.base, moves_to_go: control.moves }
    }

    pub(crate) const fn left(&self) -> Duration {
        self.left
    }

    pub(crate) const fn increment(&self) -> Duration {
        self.control.increment
    }

    pub(crate) const fn moves_to_go(&self) -> Option<u32> {
        self.moves_to_go
    }

    /// A move was made in time; what it took beyond the time left was forgiven.
    pub(crate) fn punch(&mut self, taken: Duration) {
        self.left = self.left.saturating_sub(taken) + self.control.increment;
        if let Some(moves) = &mut self.moves_to_go {
            *moves -= 1;
            if *moves == 0 {
                self.left += self.control.base;
                self.moves_to_go = self.control.moves;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn all_forms_of_cutechess_are_read() {
        for (text, moves, base, increment) in [
            ("1+0.01", None, 1000, 10),
            ("10", None, 10_000, 0),
            ("40/60", Some(40), 60_000, 0),
            ("40/1:30+0.5", Some(40), 90_000, 500),
            ("0:01", None, 1000, 0),
            ("0+1", None, 0, 1000),
            (".5", None, 500, 0),
        ] {
            let tc = TimeControl { moves, base: ms(base), increment: ms(increment) };
            assert_eq!(text.parse(), Ok(tc), "{text}");
        }
    }

    #[test]
    fn what_is_none_is_refused() {
        for text in [
            "",
            "x",
            "+1",
            "-1",
            "0",
            "0+0",
            "1e3",
            "1+",
            "1+-1",
            "0/1",
            "/1",
            "+4/1",
            "4/",
            "1:",
            ":1",
            "1:2:3",
            "nan",
            "inf",
            "99999999999",
            "1.2.3",
            "9999999999:0",
        ] {
            let error = text.parse::<TimeControl>().unwrap_err();
            assert!(error.to_string().contains("is no time control"), "{text}");
        }
    }

    #[test]
    fn a_clock_runs_and_is_wound_up() {
        let mut clock = Clock::new("2/1+0.1".parse().unwrap());
        clock.punch(ms(300));
        assert_eq!((clock.left(), clock.moves_to_go()), (ms(800), Some(1)));
        clock.punch(ms(850));
        assert_eq!((clock.left(), clock.moves_to_go()), (ms(1100), Some(2)));
        let mut clock = Clock::new("1".parse().unwrap());
        clock.punch(ms(999));
        assert_eq!((clock.left(), clock.moves_to_go()), (ms(1), None));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            moves in proptest::option::of(1u32..1000), base in 0u64..100_000_000, increment in 1u64..100_000,
        ) {
            let tc = TimeControl { moves, base: ms(base), increment: ms(increment) };
            prop_assert_eq!(tc.to_string().parse(), Ok(tc));
        }

        #[test]
        fn no_text_makes_it_panic(text in "[0-9/:+.]{0,20}|\\PC*") {
            let _ = text.parse::<TimeControl>();
        }
    }
}
