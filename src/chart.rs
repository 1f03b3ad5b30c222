//! Pictures of how numbers change, as SVG files.

use std::fmt::Write;

/// The part for the lines.
const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 450.0;
/// The part for their names, to the right of it.
const NAMES: f64 = 150.0;
const NAME_HEIGHT: f64 = 16.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 50.0;
/// How many lines the grid has, about.
const GRID: f64 = 6.0;

/// One line of a picture.
#[derive(Clone, Debug)]
pub(crate) struct Line<'a> {
    /// Its name, of letters, digits and the like: nothing that XML gives a meaning.
    pub(crate) name: &'a str,
    /// Its points, from left to right; all numbers are finite.
    pub(crate) points: Vec<(f64, f64)>,
}

/// The colour of the line with a number: far from the colours of the lines before.
fn color(index: usize) -> String {
    // Steps of the golden angle come nowhere near where they were for long.
    let hue = (215.0 + 137.508 * index as f64) % 360.0;
    let lightness = [40, 55, 30][index / 8 % 3];
    format!("hsl({hue:.0},65%,{lightness}%)")
}

/// Lines from x = 0 on in a frame with a grid, and their names. `digits` is how many decimals the
/// numbers at the side have.
pub(crate) fn svg(lines: &[Line<'_>], x_title: &str, digits: usize) -> String {
    let points = || lines.iter().flat_map(|line| &line.points);
    let last = points().fold(1.0_f64, |last, point| last.max(point.0));
    let (low, high) = points()
        .fold((f64::MAX, f64::MIN), |(low, high), point| (low.min(point.1), high.max(point.1)));
    let (low, high) = match (low, high) {
        _ if low < high => (low, high),
        _ if low == high => (low - 0.1 * low.abs() - 1e-6, high + 0.1 * high.abs() + 1e-6),
        _ => (0.0, 1.0),
    };
    let width = WIDTH + NAMES;
    let height = HEIGHT.max(TOP + NAME_HEIGHT * lines.len() as f64 + BOTTOM);
    let floor = height - BOTTOM;
    let x = |at: f64| LEFT + at / last * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| TOP + (high - value) / (high - low) * (floor - TOP);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    // Writing to a text never fails.
    for at in grid(0.0, last) {
        let x = x(at);
        let _ = writeln!(
            text,
            "<path d=\"M{x:.1} {TOP}V{floor}\" stroke=\"#ddd\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{at}</text>",
            floor + 18.0
        );
    }
    for value in grid(low, high) {
        let (y, right) = (y(value), WIDTH - RIGHT);
        let _ = writeln!(
            text,
            "<path d=\"M{LEFT} {y:.1}H{right}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value:.digits$}</text>",
            LEFT - 8.0,
            y + 4.0
        );
    }
    for (index, Line { name, points }) in lines.iter().enumerate() {
        let mut path = String::new();
        for &(at, value) in points {
            let letter = if path.is_empty() { 'M' } else { 'L' };
            let _ = write!(path, "{letter}{:.1} {:.1}", x(at), y(value));
        }
        let color = color(index);
        let baseline = TOP + NAME_HEIGHT * (index as f64 + 0.75);
        let _ = writeln!(
            text,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.5\"/>\
             <text x=\"{WIDTH}\" y=\"{baseline}\" fill=\"{color}\">{name}</text>"
        );
    }
    let (middle, bottom) = (WIDTH / 2.0, height - 12.0);
    let _ = writeln!(
        text,
        "<text x=\"{middle}\" y=\"{bottom}\" text-anchor=\"middle\">{x_title}</text>"
    );
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

    #[test]
    fn the_picture_keeps_within_its_frame() {
        let points: Vec<_> = (0..5).map(|i| (f64::from(i) * 200.0, 0.1 * f64::from(i))).collect();
        let line = |name, points: &[(f64, f64)]| Line { name, points: points.to_vec() };
        for lines in [
            vec![line("one", &points), line("other", &points[1..])],
            vec![line("one", &points[..1])],
            vec![line("one", &[])],
            vec![line("many", &points); 70],
            Vec::new(),
        ] {
            let text = svg(&lines, "steps", 3);
            assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
            assert_eq!(text.matches("stroke-width").count(), lines.len());
        }
        assert_eq!(grid(0.0, 1000.0), [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0]);
    }

    #[test]
    fn lines_have_their_own_colours() {
        let colors: std::collections::HashSet<String> = (0..70).map(color).collect();
        assert_eq!(colors.len(), 70);
    }
}
