//! A position together with how it came about.

use super::{Move, MoveError, Position, Rules};

/// A game as far as it has gone: the current position and the hashes of those before it.
///
/// ```
/// use physarum::game::{Game, Position, Rules};
///
/// let mut game = Game::new(Position::default());
/// game.play("g1f3".parse().unwrap());
/// assert_eq!(game.position().to_string(), "x5o/7/7/7/5x1/7/o6 o 1 1");
/// assert_eq!(game.earlier_hashes(), [Position::default().hash()]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    position: Position,
    earlier_hashes: Vec<u64>,
}

impl Default for Game {
    /// The start of a game.
    fn default() -> Self {
        Self::new(Position::default())
    }
}

impl Game {
    /// A game that begins with a position.
    pub const fn new(position: Position) -> Self {
        Self { position, earlier_hashes: Vec::new() }
    }

    /// The current position.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// The hashes of the positions since the last clone that came before the current one, the
    /// oldest first. No older one can come again.
    pub fn earlier_hashes(&self) -> &[u64] {
        &self.earlier_hashes
    }

    /// Plays a legal move; see [`Position::play`].
    pub fn play(&mut self, mv: Move) {
        self.earlier_hashes.push(self.position.hash());
        self.position = self.position.play(mv);
        if self.position.halfmove_clock() == 0 {
            self.earlier_hashes.clear();
        }
    }

    /// Plays moves given as text, all of them or none.
    ///
    /// # Errors
    ///
    /// The index (from 0) of the first text that is no legal move, and why; the game is unchanged.
    pub fn play_texts<'a>(
        &mut self,
        moves: impl IntoIterator<Item = &'a str>,
        rules: Rules,
    ) -> Result<(), (usize, MoveError)> {
        let mut game = self.clone();
        for (index, text) in moves.into_iter().enumerate() {
            let mv = game.position.parse_move(text, rules).map_err(|error| (index, error))?;
            game.play(mv);
        }
        *self = game;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_forgets_what_cannot_come_again() {
        let mut game = Game::default();
        game.play_texts(["g1e1", "a1c1", "e1g1", "c1a1"], Rules::Ataxx).unwrap();
        assert_eq!(game.earlier_hashes().len(), 4);
        assert!(game.earlier_hashes().contains(&game.position().hash()));
        game.play_texts(["f1"], Rules::Ataxx).unwrap();
        assert!(game.earlier_hashes().is_empty());
    }

    #[test]
    fn a_wrong_move_changes_nothing() {
        let mut game = Game::default();
        let before = game.clone();
        let (index, error) = game.play_texts(["f1", "b1", "d4"], Rules::Ataxx).unwrap_err();
        assert_eq!((index, error.to_string().as_str()), (2, "no stone of x can reach d4"));
        assert_eq!(game, before);
    }
}
