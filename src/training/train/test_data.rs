//! Games to test the trainer with.

use super::TrainSettings;
use crate::game::{Color, Outcome, Position, Rules};
use crate::random::Random;
use crate::training::{Sample, SampleResult};

/// Games of random moves. The score of a position is what its stones are worth, 100 centi-stones
/// each; some are on boards with gaps.
pub(super) fn games(count: usize, seed: u64) -> Vec<Vec<Sample>> {
    let mut random = Random::new(seed);
    (0..count).map(|_| game(&mut random)).collect()
}

fn game(random: &mut Random) -> Vec<Sample> {
    let mut position = Position::default();
    if random.chance(0.3) {
        position = "x5o/7/3-3/2-1-2/3-3/7/o5x x 0 1".parse().unwrap();
    }
    let mut positions = Vec::new();
    let outcome = loop {
        if let Some(outcome) = position.outcome(Rules::Ataxx) {
            break outcome;
        }
        let moves = position.legal_moves(Rules::Ataxx);
        if position.can_move(position.side_to_move()) {
            positions.push(position);
        }
        position = position.play(*random.choose(&moves).unwrap());
        if positions.len() > 300 {
            break Outcome::Draw;
        }
    };
    let samples = positions.iter().enumerate().map(|(index, &position)| {
        let side = position.side_to_move();
        let count = |color: Color| position.stones(color).len() as i16;
        let result = match outcome {
            Outcome::Draw => SampleResult::Draw,
            Outcome::Win(color) if color == side => SampleResult::Win,
            Outcome::Win(_) => SampleResult::Loss,
        };
        let score = 100 * (count(side) - count(!side));
        Sample { position, rules: Rules::Ataxx, score, result, starts_game: index == 0 }
    });
    samples.collect()
}

/// Settings for quick tests.
pub(super) fn settings() -> TrainSettings {
    TrainSettings {
        hidden: 64,
        steps: 40,
        batch: 512,
        learning_rate: 0.01,
        warm_up: 5,
        hold_out_every: 10,
        // What the tests were made for: scores with a little of the result.
        result_weight: 0.1,
        lookahead: 0.0,
        lookahead_halving: 0.0,
        ..TrainSettings::default()
    }
}
