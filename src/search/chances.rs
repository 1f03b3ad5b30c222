//! The chances to win, draw and lose that go with a score.

use super::Score;

/// A model of the chances to win, to draw and to lose by score: each end is a logistic curve of its
/// own, and what is left between them are draws.
///
/// The cumulative logit model for ordered results: with a score `s` in cp the side to move wins with
/// a chance of `1 / (1 + exp((margin - s) / scale))` and loses with one of
/// `1 / (1 + exp((margin + s) / scale))`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChanceModel {
    /// How many cp change the odds by a factor of 2.718.
    pub scale: f64,
    /// At which score, in cp, the side ahead wins half the games.
    pub margin: f64,
}

/// The model of the engine's scores, as `physarum data info` fits it to games that the engine played
/// against itself (protocol.md says which).
pub const CHANCES: ChanceModel = ChanceModel { scale: 333.0, margin: 46.0 };

/// Chances in per mille, 1000 together, from the point of view of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chances {
    /// To win.
    pub win: u16,
    /// To draw.
    pub draw: u16,
    /// To lose.
    pub loss: u16,
}

impl ChanceModel {
    /// The chances to win, to draw and to lose with a score in cp.
    pub fn at(&self, cp: f64) -> [f64; 3] {
        let Self { scale, margin } = *self;
        let end = |ahead: f64| 1.0 / (1.0 + libm::exp((margin - ahead) / scale));
        let (win, loss) = (end(cp), end(-cp));
        [win, 1.0 - win - loss, loss]
    }
}

impl Chances {
    /// Those that go with a score of the engine's; a proven one leaves no doubt.
    ///
    /// ```
    /// use physarum::search::{Chances, Score};
    ///
    /// let ahead = Chances::of(Score::Cp(600));
    /// assert!(ahead.win > 700 && ahead.win + ahead.draw + ahead.loss == 1000);
    /// assert_eq!(Chances::of(Score::Loss(3)), Chances { win: 0, draw: 0, loss: 1000 });
    /// ```
    pub fn of(score: Score) -> Self {
        let cp = match score {
            Score::Win(_) => return Self { win: 1000, draw: 0, loss: 0 },
            Score::Loss(_) => return Self { win: 0, draw: 0, loss: 1000 },
            Score::Cp(cp) => cp,
        };
        let [win, _, loss] = CHANCES.at(cp.into()).map(|chance| (chance * 1000.0).round() as u16);
        Self { win, draw: 1000 - win - loss, loss }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_those_of_the_other_side_reversed() {
        let mut last = 0;
        for cp in -4000..=4000 {
            let Chances { win, draw, loss } = Chances::of(Score::Cp(cp));
            assert_eq!(win + draw + loss, 1000, "{cp}");
            let other = Chances::of(Score::Cp(-cp));
            assert_eq!((win, draw, loss), (other.loss, other.draw, other.win), "{cp}");
            assert!(win >= last, "{cp}");
            last = win;
        }
        assert!(last > 990);
    }

    #[test]
    fn the_largest_scores_are_no_trouble() {
        for cp in [i32::MIN, i32::MAX] {
            let Chances { win, draw, loss } = Chances::of(Score::Cp(cp));
            assert_eq!([win.max(loss), draw], [1000, 0]);
        }
    }
}
