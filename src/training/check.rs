//! Whether stored games make sense.

use thiserror::Error;

use super::{Sample, StoredGame};
use crate::game::{Color, Move, Position, Rules};

/// What is wrong with a game although its checksums are right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Inconsistency {
    /// It has no positions.
    #[error("there are no positions")]
    Empty,
    /// A position is marked as the first of a game and is not, or the other way round.
    #[error("position {0}: the mark of a game's first position is wrong")]
    Start(usize),
    /// The game is over in a position.
    #[error("position {0}: the game is over")]
    Over(usize),
    /// A position has no move but a pass.
    #[error("position {0}: the side to move has nothing but a pass")]
    Pass(usize),
    /// The rules, the gaps or the winner are not those of the first position.
    #[error("position {0}: rules, gaps or result are not those of the first position")]
    Changed(usize),
    /// No legal move leads from the position before to this one.
    #[error("position {0}: no legal move leads there from the position before")]
    Unreachable(usize),
    /// A proof says something else than the result.
    #[error("position {0}: score and result contradict each other")]
    Contradiction(usize),
}

/// Checks that a game's positions follow from each other, and that its labels agree.
///
/// In the errors, positions are counted from 1. Where the scores come from later searches
/// (`rescored`), they may contradict the result, as the players overlooked something.
///
/// # Errors
///
/// The first thing that is wrong.
pub fn check_game(game: &StoredGame, rescored: bool) -> Result<(), Inconsistency> {
    let first = game.samples.first().ok_or(Inconsistency::Empty)?;
    let mut before: Option<&Sample> = None;
    for (sample, number) in game.samples.iter().zip(1..) {
        let position = &sample.position;
        if sample.starts_game != before.is_none() {
            return Err(Inconsistency::Start(number));
        }
        let constant = |sample: &Sample| {
            let result = match sample.position.side_to_move() {
                Color::Black => sample.result,
                Color::White => sample.result.reversed(),
            };
            (sample.rules, sample.position.gaps(), result)
        };
        if constant(sample) != constant(first) {
            return Err(Inconsistency::Changed(number));
        }
        if position.outcome(sample.rules).is_some() {
            return Err(Inconsistency::Over(number));
        }
        if !position.can_move(position.side_to_move()) {
            return Err(Inconsistency::Pass(number));
        }
        if before.is_some_and(|before| !follows(&before.position, position, sample.rules)) {
            return Err(Inconsistency::Unreachable(number));
        }
        // Half a point more than a draw has won.
        let agrees = (sample.result.points() - 0.5) * f32::from(sample.score) > 0.0;
        if sample.is_proven() && !rescored && !agrees {
            return Err(Inconsistency::Contradiction(number));
        }
        before = Some(sample);
    }
    Ok(())
}

/// Whether a legal move leads from one position to another; or a move and then a pass, in between
/// which no position is stored.
fn follows(before: &Position, after: &Position, rules: Rules) -> bool {
    let reached = |next: Position| {
        next == *after
            && next.halfmove_clock() == after.halfmove_clock()
            && next.fullmove_number() == after.fullmove_number()
    };
    before.legal_moves(rules).into_iter().map(|mv| before.play(mv)).any(|next| {
        reached(next) || next.check(Move::PASS, rules).is_ok() && reached(next.play(Move::PASS))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::{GameEnd, PROVEN_SCORE, SampleResult};

    /// A game of these moves in which black wins.
    fn game(fen: &str, moves: &[&str], rules: Rules) -> StoredGame {
        let mut position: Position = fen.parse().unwrap();
        let mut samples = Vec::new();
        for text in moves.iter().map(Some).chain([None]) {
            let black = position.side_to_move() == Color::Black;
            let result = if black { SampleResult::Win } else { SampleResult::Loss };
            let starts_game = samples.is_empty();
            if position.can_move(position.side_to_move()) {
                samples.push(Sample { position, rules, score: 0, result, starts_game });
            }
            if let Some(text) = text {
                position = position.play(position.parse_move(text, rules).unwrap());
            }
        }
        StoredGame { source: 0, index: 0, end: GameEnd::Rules, samples }
    }

    const START: &str = "x5o/7/7/7/7/7/o5x x 0 1";

    #[test]
    fn games_by_the_rules_are_fine() {
        for rules in Rules::ALL {
            let game = game(START, &["f1", "a2", "g1g3", "a2c3"], rules);
            assert_eq!(game.samples.len(), 5);
            assert_eq!(check_game(&game, false), Ok(()));
        }
        // Black has no stones left.
        let mut game = game("7/7/7/7/7/7/o6 o 0 30", &["a7"; 0], Rules::Ataxx);
        assert_eq!(check_game(&game, false), Err(Inconsistency::Over(1)));
        game.samples.clear();
        assert_eq!(check_game(&game, false), Err(Inconsistency::Empty));
    }

    #[test]
    fn a_pass_in_between_is_fine() {
        let shut_in = "7/7/7/7/4ooo/4ooo/4oox o 0 30";
        let mut game = game(shut_in, &["d2", "0000", "d3"], Rules::Ataxx);
        assert_eq!(game.samples.len(), 2);
        assert_eq!(check_game(&game, false), Ok(()));
        // But not the position where it happened.
        let mut position = game.samples[0].position;
        position = position.play("d2".parse().unwrap());
        game.samples[1].position = position;
        game.samples[1].result = SampleResult::Win;
        assert_eq!(check_game(&game, false), Err(Inconsistency::Pass(2)));
    }

    #[test]
    fn every_contradiction_is_found() {
        let good = game(START, &["f1", "a2", "g1g3"], Rules::Ataxx);
        let spoil = |spoil: fn(&mut Sample)| {
            let mut game = good.clone();
            spoil(&mut game.samples[2]);
            check_game(&game, false)
        };
        assert_eq!(spoil(|s| s.starts_game = true), Err(Inconsistency::Start(3)));
        assert_eq!(spoil(|s| s.rules = Rules::Assimilation), Err(Inconsistency::Changed(3)));
        assert_eq!(spoil(|s| s.result = SampleResult::Draw), Err(Inconsistency::Changed(3)));
        assert_eq!(spoil(|s| s.score = -PROVEN_SCORE), Err(Inconsistency::Contradiction(3)));
        assert_eq!(spoil(|s| s.score = PROVEN_SCORE), Ok(()));
        let with = |fen: &str| {
            let mut game = good.clone();
            game.samples[2].position = fen.parse().unwrap();
            check_game(&game, false)
        };
        let right = good.samples[2].position.to_string();
        assert_eq!(with(&right), Ok(()));
        assert_eq!(with(&right.replace(" 0 2", " 1 2")), Err(Inconsistency::Unreachable(3)));
        assert_eq!(with(&right.replace(" 0 2", " 0 3")), Err(Inconsistency::Unreachable(3)));
        assert_eq!(with("x5o/7/7/7/7/7/ooo3x x 0 2"), Err(Inconsistency::Unreachable(3)));
        assert_eq!(with("x5o/7/3-3/7/7/o6/o4xx x 0 2"), Err(Inconsistency::Changed(3)));
        assert_eq!(with("x6/7/7/7/7/7/7 x 0 2"), Err(Inconsistency::Over(3)));
        let mut rescored = good.clone();
        rescored.samples[1].score = PROVEN_SCORE;
        assert_eq!(check_game(&rescored, false), Err(Inconsistency::Contradiction(2)));
        assert_eq!(check_game(&rescored, true), Ok(()));
    }
}
