//! Ending games that are decided.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::game::{Color, Outcome, Position, Rules};
use crate::protocol::quote;
use crate::search::Score;

/// When a game ends although the rules would let it go on. Without any of these it never does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Adjudication {
    /// Both engines say for some moves in a row that the same one of them is ahead by so much.
    pub score: Option<Held>,
    /// One side has for some moves in a row so many stones more.
    pub lead: Option<Held>,
    /// Whatever both sides play, the same one wins on the board (or nobody does). A draw by 100
    /// halfmoves or by the length of the game is not thought of.
    pub decided: bool,
}

/// A value that must be reached or surpassed after so many moves of each side in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Held {
    /// Centi-stones, or stones.
    pub least: u32,
    /// Moves of each side.
    pub moves: u32,
}

/// Why a text is no such value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} is not VALUE,MOVES: two whole numbers from 1", quote(.0))]
pub struct HeldError(String);

impl FromStr for Held {
    type Err = HeldError;

    /// Reads `VALUE,MOVES`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |text: &str| {
            let plain = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|&number: &u32| plain && number > 0)
        };
        let read = || {
            let (least, moves) = text.split_once(',')?;
            Some(Self { least: number(least.trim())?, moves: number(moves.trim())? })
        };
        read().ok_or_else(|| HeldError(text.to_owned()))
    }
}

impl TryFrom<String> for Held {
    type Error = HeldError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Held> for String {
    fn from(held: Held) -> Self {
        held.to_string()
    }
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.least, self.moves)
    }
}

/// Which rule has ended a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ruling {
    /// Both engines agreed.
    Score,
    /// One side had many more stones.
    Lead,
    /// Nothing could change the outcome any more.
    Decided,
}

impl fmt::Display for Ruling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Score => "both engines agreed on the score",
            Self::Lead => "lead in stones",
            Self::Decided => "nothing could change the outcome",
        })
    }
}

/// What the engine whose turn it was has said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Statement {
    /// A score, or nothing, with its move.
    Said(Option<Score>),
    /// It had to pass.
    NotAsked,
}

/// Watches a game.
#[derive(Clone, Debug)]
pub(crate) struct Adjudicator {
    terms: Adjudication,
    rules: Rules,
    score: Streak,
    lead: Streak,
}

/// Who is ahead, and for how many moves of each side without a break.
#[derive(Clone, Copy, Debug, Default)]
struct Streak {
    leader: Option<Color>,
    moves: [u32; 2],
}

impl Streak {
    /// Counts a move; `Some` when it has lasted for so many of each side.
    fn count(&mut self, mover: Color, leader: Option<Color>, held: Held) -> Option<Outcome> {
        if self.leader != leader {
            *self = Self { leader, moves: [0; 2] };
        }
        let moves = &mut self.moves[mover.index()];
        *moves = moves.saturating_add(1);
        let lasted = self.moves.iter().all(|&moves| moves >= held.moves);
        leader.filter(|_| lasted).map(Outcome::Win)
    }
}

impl Adjudicator {
    pub(crate) fn new(terms: Adjudication, rules: Rules) -> Self {
        Self { terms, rules, score: Streak::default(), lead: Streak::default() }
    }

    /// A move or a pass was made, and this is the position now; the game goes on by the rules.
    pub(crate) fn after_ply(
        &mut self,
        mover: Color,
        statement: Statement,
        position: &Position,
    ) -> Option<(Outcome, Ruling)> {
        // Who was not asked has neither agreed nor disagreed.
        if let (Some(held), Statement::Said(score)) = (self.terms.score, statement) {
            let leader = match score {
                Some(Score::Win(_)) => Some(mover),
                Some(Score::Loss(_)) => Some(!mover),
                Some(Score::Cp(cp)) if cp.unsigned_abs() >= held.least => {
                    Some(if cp > 0 { mover } else { !mover })
                }
                _ => None,
            };
            if let Some(outcome) = self.score.count(mover, leader, held) {
                return Some((outcome, Ruling::Score));
            }
        }
        if let Some(held) = self.terms.lead {
            let [black, white] = [Color::Black, Color::White].map(|c| position.stones(c).len());
            let leader = match black.abs_diff(white) >= held.least {
                true if black > white => Some(Color::Black),
                true if black < white => Some(Color::White),
                _ => None,
            };
            if let Some(outcome) = self.lead.count(mover, leader, held) {
                return Some((outcome, Ruling::Lead));
            }
        }
        if self.terms.decided {
            return sure_outcome(position, self.rules).map(|outcome| (outcome, Ruling::Decided));
        }
        None
    }
}

/// Looking for another outcome is given up after so many positions.
const MOST_POSITIONS: usize = 5_000;
/// With more empty squares than this it is not tried.
const MOST_EMPTY: u32 = 6;

/// The outcome on the board if all play from here leads to the same, and that can be found out with
/// little effort.
pub(super) fn sure_outcome(position: &Position, rules: Rules) -> Option<Outcome> {
    if position.empty().len() > MOST_EMPTY {
        return None;
    }
    let mut sure = None;
    let mut seen = HashSet::from([position.hash()]);
    let mut open = vec![without_clock(position)];
    while let Some(position) = open.pop() {
        match position.outcome(rules) {
            Some(outcome) if *sure.get_or_insert(outcome) != outcome => return None,
            Some(_) => {}
            None => {
                for mv in position.legal_moves(rules) {
                    let next = without_clock(&position.play(mv));
                    if seen.insert(next.hash()) {
                        open.push(next);
                    }
                }
                if seen.len() > MOST_POSITIONS {
                    return None;
                }
            }
        }
    }
    sure
}

/// The same position with no halfmove on the clock.
fn without_clock(position: &Position) -> Position {
    let [black, white] = [Color::Black, Color::White].map(|color| position.stones(color));
    Position::new([black, white], position.gaps(), position.side_to_move(), 0, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Position {
        fen.parse().unwrap()
    }

    #[test]
    fn both_must_agree_for_long_enough() {
        let terms =
            Adjudication { score: Some(Held { least: 500, moves: 2 }), ..Adjudication::default() };
        let start = Position::default();
        let play = |scores: &[Score]| {
            let mut judge = Adjudicator::new(terms, Rules::Ataxx);
            let sides = [Color::Black, Color::White].into_iter().cycle();
            let verdicts = sides
                .zip(scores)
                .map(|(side, score)| judge.after_ply(side, Statement::Said(Some(*score)), &start));
            verdicts.collect::<Vec<_>>()
        };
        use Score::{Cp, Loss, Win};
        let black = Some((Outcome::Win(Color::Black), Ruling::Score));
        assert_eq!(play(&[Cp(500), Cp(-501), Win(3), Loss(2)]), [None, None, None, black]);
        assert_eq!(play(&[Cp(500), Cp(-499), Cp(900), Cp(-900)]), [None; 4]);
        assert_eq!(play(&[Cp(500), Cp(500), Cp(500), Cp(500)]), [None; 4]);
        assert_eq!(play(&[Cp(0), Cp(0), Cp(0), Cp(0)]), [None; 4]);
    }

    #[test]
    fn silence_is_no_agreement() {
        let terms = Adjudication { score: Some(Held { least: 1, moves: 1 }), ..Default::default() };
        let mut judge = Adjudicator::new(terms, Rules::Ataxx);
        let start = Position::default();
        let mut hear = |mover, score| judge.after_ply(mover, Statement::Said(score), &start);
        assert_eq!(hear(Color::Black, Some(Score::Cp(5))), None);
        assert_eq!(hear(Color::White, None), None);
        assert_eq!(hear(Color::Black, Some(Score::Cp(5))), None);
    }

    #[test]
    fn who_must_pass_agrees_to_nothing() {
        let terms = Adjudication { score: Some(Held { least: 1, moves: 2 }), ..Default::default() };
        let mut judge = Adjudicator::new(terms, Rules::Ataxx);
        let start = Position::default();
        for _ in 0..5 {
            let said = Statement::Said(Some(Score::Cp(5)));
            assert_eq!(judge.after_ply(Color::White, said, &start), None);
            assert_eq!(judge.after_ply(Color::Black, Statement::NotAsked, &start), None);
        }
    }

    #[test]
    fn a_lead_must_last() {
        let lead = Some(Held { least: 5, moves: 1 });
        let mut judge = Adjudicator::new(Adjudication { lead, ..Default::default() }, Rules::Ataxx);
        let ahead = position("xxxxx1o/x6/7/7/7/7/7 o 0 5");
        let level = position("xxxxx1o/x5o/7/7/7/7/7 o 0 5");
        let mut see = |mover, position| judge.after_ply(mover, Statement::NotAsked, position);
        assert_eq!(see(Color::Black, &ahead), None);
        assert_eq!(see(Color::White, &level), None);
        assert_eq!(see(Color::Black, &ahead), None);
        let verdict = Some((Outcome::Win(Color::Black), Ruling::Lead));
        assert_eq!(see(Color::White, &ahead), verdict);
    }

    #[test]
    fn what_is_decided_is_seen_under_either_rules() {
        // Black clones to the last square, or jumps to and fro; white is out of reach.
        let nearly = position("xx1----/-------/-------/-------/-------/-------/------o x 90 40");
        for rules in Rules::ALL {
            let sure = sure_outcome(&nearly, rules);
            assert_eq!(sure, Some(Outcome::Win(Color::Black)), "{rules}");
        }
        let open = position("xxxxxxx/xxxxxxx/xxxxxxx/xxx1ooo/ooooooo/ooooooo/ooooooo x 0 40");
        assert_eq!(sure_outcome(&open, Rules::Ataxx), None);
        assert_eq!(sure_outcome(&Position::default(), Rules::Ataxx), None);
    }
}
