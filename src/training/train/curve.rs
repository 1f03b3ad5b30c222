//! How the loss went down: a table and a picture.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

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

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 450.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;
/// How many lines the grid has, about.
const GRID: f64 = 6.0;

/// The points as a picture, an SVG file.
pub(super) fn svg(points: &[CurvePoint]) -> String {
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    let losses = points.iter().flat_map(|point| [point.loss, point.validation_loss]);
    let (low, high) =
        losses.fold((f64::MAX, 0.0_f64), |(low, high), loss| (low.min(loss), high.max(loss)));
    let last = points.last().map_or(1, |point| point.step.max(1)) as f64;
    let (low, high) = if low < high { (low, high) } else { (high * 0.9, high * 1.1 + 1e-6) };
    let x = |step: f64| LEFT + step / last * (WIDTH - LEFT - RIGHT);
    let y = |loss: f64| TOP + (high - loss) / (high - low) * (HEIGHT - TOP - BOTTOM);
    for step in grid(0.0, last) {
        let (x, top, bottom) = (x(step), TOP, HEIGHT - BOTTOM);
        let _ = writeln!(
            text,
            "<path d=\"M{x:.1} {top}V{bottom}\" stroke=\"#ddd\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{step}</text>",
            bottom + 18.0
        );
    }
    for loss in grid(low, high) {
        let (y, right) = (y(loss), WIDTH - RIGHT);
        let _ = writeln!(
            text,
            "<path d=\"M{LEFT} {y:.1}H{right}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{loss:.5}</text>",
            LEFT - 8.0,
            y + 4.0
        );
    }
    type Value = fn(&CurvePoint) -> f64;
    let lines: [(&str, &str, Value); 2] = [
        ("training", "#4477aa", |point| point.loss),
        ("validation", "#cc3311", |point| point.validation_loss),
    ];
    for (index, (name, color, value)) in lines.into_iter().enumerate() {
        let mut path = String::new();
        for point in points {
            let letter = if path.is_empty() { 'M' } else { 'L' };
            let _ = write!(path, "{letter}{:.1} {:.1}", x(point.step as f64), y(value(point)));
        }
        let at = LEFT + 100.0 * index as f64;
        let _ = writeln!(
            text,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.5\"/>\
             <text x=\"{at}\" y=\"24\" fill=\"{color}\">{name}</text>"
        );
    }
    let (middle, bottom) = (WIDTH / 2.0, HEIGHT - 12.0);
    let _ =
        writeln!(text, "<text x=\"{middle}\" y=\"{bottom}\" text-anchor=\"middle\">steps</text>");
    text.push_str("</svg>\n");
    text
}

/// Round numbers from `low` to `high`.
fn grid(low: f64, high: f64) -> Vec<f64> {
    let raw = (high - low) / GRID;
    let power = 10.0_f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0].map(|digit| digit * power).into_iter().find(|&step| step >= raw);
    let step = step.unwrap_or(10.0 * power);
    let first = (low / step).ceil();
    (0..).map(|index| (first + f64::from(index)) * step).take_while(|&at| at <= high).collect()
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
    fn the_picture_keeps_within_its_frame() {
        for points in [points(), points()[..1].to_vec(), Vec::new()] {
            let text = svg(&points);
            assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        }
        assert_eq!(grid(0.0, 1000.0), [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0]);
    }
}
