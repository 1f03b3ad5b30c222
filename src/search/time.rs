//! How long to think.

use std::time::Duration;

use super::Settings;
use super::limits::{Clock, Limits};
use super::params::Parameters;
use crate::game::Position;

/// The time for one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Budget {
    /// The share of the clock that a move should take; `None` when only `hard` counts.
    share: Option<Duration>,
    /// When the search is broken off.
    pub(super) hard: Duration,
    parameters: Parameters,
}

/// How a search is going.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Course {
    /// How many iterations have agreed on the best move.
    pub(super) stable: u32,
    /// The hundredths of all nodes that have gone into the best move.
    pub(super) effort: i32,
    /// By how many cp the score has fallen in the last iteration.
    pub(super) fallen: i32,
}

/// The hundredths of a duration.
fn hundredths(duration: Duration, count: i32) -> Duration {
    duration.saturating_mul(count.max(0) as u32) / 100
}

impl Budget {
    /// The time for a move under the limits, `None` if they say nothing of time.
    pub(super) fn new(limits: &Limits, position: &Position, settings: &Settings) -> Option<Self> {
        let overhead = settings.move_overhead;
        let parameters = settings.parameters;
        let clock =
            limits.clock.map(|clock| Self::from_clock(clock, position, overhead, parameters));
        let fixed = limits.move_time.map(|time| time.saturating_sub(overhead));
        match (clock, fixed) {
            (Some(budget), Some(fixed)) => Some(Self { hard: budget.hard.min(fixed), ..budget }),
            (Some(budget), None) => Some(budget),
            (None, Some(hard)) => Some(Self { share: None, hard, parameters }),
            (None, None) => None,
        }
    }

    fn from_clock(
        clock: Clock,
        position: &Position,
        overhead: Duration,
        parameters: Parameters,
    ) -> Self {
        let usable = clock.left.saturating_sub(overhead);
        // What a busy machine may take once in a game without losing it.
        let reserve = overhead.saturating_mul(parameters.reserve as u32).min(usable / 4);
        let empty = position.empty().len() as i32;
        let by_empty = parameters.moves_left_empty * empty / 100;
        let expected = (parameters.moves_left_base + by_empty).max(1) as u32;
        let moves = clock.moves_to_go.map_or(expected, |moves| moves.clamp(1, expected));
        let increment = hundredths(clock.increment, parameters.increment_share);
        let share = ((usable - reserve) / moves).saturating_add(increment).min(usable);
        // The last move before new time comes may use it all.
        let most =
            if moves == 1 { usable - reserve } else { hundredths(usable, parameters.hard_share) };
        let hard = hundredths(share, parameters.hard_factor).min(most);
        Self { share: Some(share.min(most)), hard, parameters }
    }

    /// Whether the time is too far gone to begin another iteration.
    pub(super) fn is_spent(&self, elapsed: Duration, course: Course) -> bool {
        let parameters = &self.parameters;
        let soft = self.share.map_or(self.hard, |share| {
            let steps = course.stable.min(100) as i32;
            let mut factor = (parameters.soft_unstable - parameters.soft_step * steps)
                .max(parameters.soft_stable);
            if parameters.soft_effort > 0 {
                factor = factor * (parameters.soft_effort - course.effort).max(20) / 100;
            }
            factor += parameters.soft_falling * course.fallen.clamp(0, 400) / 100;
            hundredths(share, factor).min(self.hard)
        });
        elapsed >= soft
    }

    /// Whether the time comes from a clock, which what isn't used now is left on.
    pub(super) const fn is_saving(&self) -> bool {
        self.share.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn budget(clock: Clock) -> Budget {
        let limits = Limits { clock: Some(clock), ..Limits::default() };
        Budget::new(&limits, &Position::default(), &Settings::default()).unwrap()
    }

    #[test]
    fn no_clock_no_budget() {
        assert_eq!(
            Budget::new(&Limits::default(), &Position::default(), &Settings::default()),
            None
        );
    }

    #[test]
    fn the_clock_is_never_overdrawn() {
        for left in [0, 1, 5, 10, 11, 20, 50, 100, 1_000, 60_000, 3_600_000] {
            for increment in [0, 1, 10, 1_000, 100_000] {
                for moves_to_go in [None, Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    let clock = Clock { left: ms(left), increment: ms(increment), moves_to_go };
                    let budget = budget(clock);
                    assert!(budget.hard <= ms(left.saturating_sub(10)), "{clock:?} {budget:?}");
                    assert!(
                        budget.is_spent(budget.hard, Course::default()),
                        "{clock:?} {budget:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_stable_move_takes_less() {
        let budget = budget(Clock { left: ms(10_000), ..Clock::default() });
        let soft = |stable| {
            let course = Course { stable, ..Course::default() };
            (0..).map(ms).find(|&t| budget.is_spent(t, course)).unwrap()
        };
        assert!(soft(5) < soft(1));
        assert!(soft(1) < soft(0));
        assert!(soft(1000) >= ms(50));
    }

    #[test]
    fn a_fixed_time_is_used_up() {
        let limits = Limits { move_time: Some(ms(100)), ..Limits::default() };
        let budget = Budget::new(&limits, &Position::default(), &Settings::default()).unwrap();
        assert!(!budget.is_spent(ms(89), Course { stable: 100, ..Course::default() }));
        assert!(budget.is_spent(ms(90), Course::default()));
        assert!(!budget.is_saving());
    }

    #[test]
    fn the_longest_times_do_not_overflow() {
        let longest = Duration::MAX;
        let clock = Clock { left: longest, increment: longest, moves_to_go: None };
        assert!(budget(clock).hard <= longest);
    }
}
