//! How the loss went down: a table and a picture.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::chart::{self, Line};

/// What is known after some steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// How many steps were made.
    pub step: u64,
    /// The learning rate of the last one.
    pub learning_rate: f64,
    /// The mean loss since the point before.
    pub loss: f64,
    /// The mean loss of held-out positions.
    pub validation_loss: f64,
}

/// The points as comma-separated values, with a line of titles.
pub(super) fn csv(points: &[CurvePoint], batch: usize) -> String {
    let mut text = String::from("step,positions,learning_rate,loss,validation_loss\n");
    for CurvePoint { step, learning_rate, loss, validation_loss } in points {
        let positions = step * batch as u64;
        let _ = writeln!(text, "{step},{positions},{learning_rate},{loss},{validation_loss}");
    }
    text
}

/// The points as a picture, an SVG file.
pub(super) fn svg(points: &[CurvePoint]) -> String {
    let line = |name, value: fn(&CurvePoint) -> f64| Line {
        name,
        points: points.iter().map(|point| (point.step as f64, value(point))).collect(),
    };
    let lines =
        [line("training", |point| point.loss), line("validation", |point| point.validation_loss)];
    chart::svg(&lines, "steps", 5)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> Vec<CurvePoint> {
        (1..=5)
            .map(|i| CurvePoint {
                step: i * 200,
                learning_rate: 0.003,
                loss: 0.1 / i as f64,
                validation_loss: 0.11 / i as f64,
            })
            .collect()
    }

    #[test]
    fn the_table_has_a_line_for_each_point() {
        let text = csv(&points(), 10);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "step,positions,learning_rate,loss,validation_loss");
        assert_eq!(lines[1], "200,2000,0.003,0.1,0.11");
        assert_eq!(lines.len(), 6);
    }

    #[test]
    fn the_picture_has_both_losses() {
        let text = svg(&points());
        assert!(text.contains(">training<") && text.contains(">validation<"), "{text}");
    }
}
