//! One stored position with what is known of it.

use thiserror::Error;

use crate::game::{Bitboard, Color, Position, Rules};
use crate::search::Score;

/// The length of an encoded [`Sample`] in bytes.
pub const SAMPLE_SIZE: usize = 28;

/// The score of a position that is won by force; a lost one has the same below zero. Every other
/// score is nearer to zero.
pub const PROVEN_SCORE: i16 = 30_000;

/// How a game ended for the side to move in a position of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum SampleResult {
    /// The side to move lost.
    Loss = 0,
    /// Nobody won.
    Draw = 1,
    /// The side to move won.
    Win = 2,
}

impl SampleResult {
    /// All results, the worst first.
    pub const ALL: [Self; 3] = [Self::Loss, Self::Draw, Self::Win];

    /// The points of the side to move: 0, ½ or 1.
    pub const fn points(self) -> f32 {
        self as u8 as f32 / 2.0
    }

    /// The same result from the other side's point of view.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }
}

/// A position from a game, with the score that a search gave it and the game's result.
///
/// Encoded it is [`SAMPLE_SIZE`] bytes:
///
/// | bytes | content |
/// | --- | --- |
/// | 0–6 | black's stones: bit 0 of byte 0 is `a1`, bit 48 is `g7`, the others are 0 |
/// | 7–13 | white's stones |
/// | 14–20 | the gaps |
/// | 21 | bit 0: white is to move; bit 1: the rules are `Ataxx`; bits 2–3: 0 loss, 1 draw, 2 win of the side to move; bit 4: the first of its game; bit 5: the rules are `Fill`; the others are 0 |
/// | 22–23 | the score, signed |
/// | 24–25 | the halfmove clock |
/// | 26–27 | the fullmove number |
///
/// Numbers have their lowest byte first.
///
/// ```
/// use physarum::game::{Position, Rules};
/// use physarum::training::{Sample, SampleResult};
///
/// let sample = Sample {
///     position: Position::default(),
///     rules: Rules::Ataxx,
///     score: 12,
///     result: SampleResult::Win,
///     starts_game: true,
/// };
/// assert_eq!(Sample::decode(&sample.encode()), Ok(sample));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The position; the side to move has more than a pass.
    pub position: Position,
    /// The rules that were played.
    pub rules: Rules,
    /// The score of the search in cp, from the side to move's point of view; plus or
    /// minus [`PROVEN_SCORE`] where the game is won or lost by force.
    pub score: i16,
    /// The game's result for the side to move.
    pub result: SampleResult,
    /// Whether it is the first stored position of its game.
    pub starts_game: bool,
}

/// Why some bytes are no sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SampleError {
    /// A bit is set that has no meaning.
    #[error("a bit without a meaning is set")]
    UnknownBit,
    /// Two of black's stones, white's stones and the gaps are on one square.
    #[error("two things stand on one square")]
    Overlap,
    /// There are two rule sets.
    #[error("the rules are unknown")]
    Rules,
    /// The result is none of the three.
    #[error("the result is unknown")]
    Result,
    /// The score is farther from zero than [`PROVEN_SCORE`].
    #[error("the score {0} is out of range")]
    Score(i16),
}

const WHITE_TO_MOVE: u8 = 1;
const ATAXX_RULES: u8 = 1 << 1;
const FILL_RULES: u8 = 1 << 5;
const RESULT_SHIFT: u32 = 2;
const STARTS_GAME: u8 = 1 << 4;
const KNOWN_FLAGS: u8 = 0b11_1111;

impl Sample {
    /// What a search's score is in a sample: limited to what is not proven, or proven.
    pub fn clamp_score(score: Score) -> i16 {
        match score {
            // The limits are those of an `i16` with room to spare.
            Score::Cp(cp) => {
                cp.clamp(i32::from(1 - PROVEN_SCORE), i32::from(PROVEN_SCORE - 1)) as i16
            }
            Score::Win(_) => PROVEN_SCORE,
            Score::Loss(_) => -PROVEN_SCORE,
        }
    }

    /// Whether the search proved the game won or lost.
    pub const fn is_proven(&self) -> bool {
        self.score.unsigned_abs() >= PROVEN_SCORE.unsigned_abs()
    }

    /// The sample as bytes.
    pub fn encode(&self) -> [u8; SAMPLE_SIZE] {
        let Self { position, rules, score, result, starts_game } = self;
        let mut bytes = [0; SAMPLE_SIZE];
        let sets = [position.stones(Color::Black), position.stones(Color::White), position.gaps()];
        for (chunk, set) in bytes.chunks_exact_mut(SET_SIZE).zip(sets) {
            chunk.copy_from_slice(&set.bits().to_le_bytes()[..SET_SIZE]);
        }
        bytes[21] = (*result as u8) << RESULT_SHIFT
            | if position.side_to_move() == Color::White { WHITE_TO_MOVE } else { 0 }
            | match rules {
                Rules::Assimilation => 0,
                Rules::Ataxx => ATAXX_RULES,
                Rules::Fill => FILL_RULES,
            }
            | if *starts_game { STARTS_GAME } else { 0 };
        bytes[22..24].copy_from_slice(&score.to_le_bytes());
        bytes[24..26].copy_from_slice(&position.halfmove_clock().to_le_bytes());
        bytes[26..28].copy_from_slice(&position.fullmove_number().to_le_bytes());
        bytes
    }

    /// The sample that [`encode`](Self::encode) made into these bytes.
    ///
    /// # Errors
    ///
    /// When it has made no sample into them.
    pub fn decode(bytes: &[u8; SAMPLE_SIZE]) -> Result<Self, SampleError> {
        let set = |index: usize| {
            let mut bits = [0; 8];
            bits[..SET_SIZE].copy_from_slice(&bytes[index * SET_SIZE..][..SET_SIZE]);
            let bits = u64::from_le_bytes(bits);
            let set = Bitboard::from_bits(bits);
            if set.bits() == bits { Ok(set) } else { Err(SampleError::UnknownBit) }
        };
        let [black, white, gaps] = [set(0)?, set(1)?, set(2)?];
        if !(black & white | gaps & (black | white)).is_empty() {
            return Err(SampleError::Overlap);
        }
        let flags = bytes[21];
        if flags & !KNOWN_FLAGS != 0 {
            return Err(SampleError::UnknownBit);
        }
        let rules = match flags & (ATAXX_RULES | FILL_RULES) {
            0 => Rules::Assimilation,
            ATAXX_RULES => Rules::Ataxx,
            FILL_RULES => Rules::Fill,
            _ => return Err(SampleError::Rules),
        };
        let result = SampleResult::ALL.get(usize::from(flags >> RESULT_SHIFT & 0b11));
        let word = |index: usize| [bytes[index], bytes[index + 1]];
        let score = i16::from_le_bytes(word(22));
        if score.unsigned_abs() > PROVEN_SCORE.unsigned_abs() {
            return Err(SampleError::Score(score));
        }
        let side = if flags & WHITE_TO_MOVE == 0 { Color::Black } else { Color::White };
        let halfmove_clock = u16::from_le_bytes(word(24));
        let fullmove_number = u16::from_le_bytes(word(26));
        Ok(Self {
            position: Position::new([black, white], gaps, side, halfmove_clock, fullmove_number),
            rules,
            score,
            result: *result.ok_or(SampleError::Result)?,
            starts_game: flags & STARTS_GAME != 0,
        })
    }
}

/// The length of a set of squares in bytes.
const SET_SIZE: usize = 7;
