//! What each stone is to the evaluation, as a board for people to read.

use std::fmt::Write;

use crate::eval::network::Network;
use crate::game::{Position, Square};

/// How wide a square is: a stone, a blank, a sign and five digits, with a blank on each side.
const CELL: usize = 10;

/// The board, with each stone and how much the score changes for the side to move if it is taken
/// away.
pub(super) fn board_of_changes(position: &Position, network: &Network) -> String {
    let mut text = String::new();
    for rank in (0..Square::WIDTH).rev() {
        let _ = write!(text, "{} |", rank + 1);
        for square in (0..Square::WIDTH).filter_map(|file| Square::new(file, rank)) {
            let cell = match network.change_without(position, square) {
                Some(change) => format!(" {} {change:+6} ", position.symbol(square)),
                None => String::new(),
            };
            let _ = write!(text, "{cell:CELL$}|");
        }
        text.push('\n');
    }
    text.push_str("   ");
    for file in 'a'..='g' {
        let _ = write!(text, "{file:^CELL$} ");
    }
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluation;

    #[test]
    fn every_stone_has_its_change_in_its_square() {
        let Evaluation::Network(network) = Evaluation::default() else { panic!("no network") };
        let position: Position = "x5o/7/2-1-2/3x3/2-1-2/7/o5x o 3 9".parse().unwrap();
        let text = board_of_changes(&position, &network);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), Square::WIDTH + 1);
        for (line, rank) in lines.iter().zip((0..Square::WIDTH).rev()) {
            let cells: Vec<&str> = line.split('|').collect();
            assert_eq!((cells.len(), cells[0]), (9, format!("{} ", rank + 1).as_str()), "{text}");
            for (file, cell) in cells[1..8].iter().enumerate() {
                assert_eq!(cell.len(), CELL, "{text}");
                let square = Square::new(file, rank).unwrap();
                match network.change_without(&position, square) {
                    Some(change) => {
                        let words: Vec<&str> = cell.split_whitespace().collect();
                        let [symbol, number] = words[..] else { panic!("{text}") };
                        assert_eq!(symbol, position.symbol(square).to_string());
                        assert_eq!(number, format!("{change:+}"));
                    }
                    None => assert!(cell.trim().is_empty(), "{text}"),
                }
            }
        }
        // The letters of the files stand below the middle of the squares.
        let middle = lines[0].find('|').map(|at| at + CELL / 2);
        assert_eq!(lines[7].find('a'), middle, "{text}");
    }
}
