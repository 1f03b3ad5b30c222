//! The network's arithmetic, for many neurons at a time.
//!
//! Three ways that give the same: [`Parameters::output`] one neuron at a time; `portable`, written
//! so that the compiler makes vector instructions of it on any processor; and AVX2 where the
//! processor has it. The crate `pulp` finds out what the processor has and keeps it safe.
//!
//! # Four rows at a time
//!
//! Most of the work is to add up the rows, whose weights are so small that four of them are added as
//! bytes. Then two bytes together are taken as a word of 16 bits: the lower byte has a weight to
//! which [`OFFSET`] is added, so that no sum of four is below zero and nothing is borrowed from the
//! upper byte, which has a weight as it is. Of all words one sum is taken as they are, and one of their
//! upper bytes only; in the end the one less the other leaves the sum of the lower bytes.

use super::features::{ActiveRows, WINDOWS};
use super::parameters::{ACTIVATION_ONE, Parameters, WEIGHT_LIMIT};

/// Neurons that are computed together.
const CHUNK: usize = 64;
/// So many words are computed together, with the bytes of twice as many neurons.
const LANES: usize = 16;
/// Rows that are added up as bytes.
const FOUR: usize = 4;
/// What is added to the weights in lower bytes.
const OFFSET: i8 = WEIGHT_LIMIT + 1;

const _: () = assert!(FOUR as i32 * WEIGHT_LIMIT as i32 <= i8::MAX as i32);
const _: () = assert!(FOUR as i32 * (WEIGHT_LIMIT as i32 + OFFSET as i32) <= u8::MAX as i32);
const _: () = assert!(WINDOWS.is_multiple_of(FOUR));

/// A number for each neuron of a chunk.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Chunk<T>([T; CHUNK]);

/// The parameters in chunks, each in cache lines of its own.
pub(super) struct Layers {
    /// For each row, its chunks. Of 32 neurons, the first 16 have the lower bytes of words, in which
    /// [`OFFSET`] is added, and the others the upper ones.
    rows: Vec<Chunk<u8>>,
    /// The biases, less what comes in by the offsets.
    biases: Vec<Chunk<i16>>,
    outputs: Vec<Chunk<i16>>,
    output_bias: i32,
}

impl Layers {
    pub(super) fn new(parameters: &Parameters) -> Self {
        fn chunks<T: Copy>(numbers: &[T]) -> Vec<Chunk<T>> {
            numbers.as_chunks().0.iter().copied().map(Chunk).collect()
        }
        let words = parameters.rows.as_chunks::<{ 2 * LANES }>().0.iter();
        let bytes = words.flat_map(|weights| {
            let (lower, upper) = weights.split_at(LANES);
            let pairs = lower.iter().zip(upper);
            pairs.flat_map(|(&lower, &upper)| [(lower + OFFSET) as u8, upper as u8])
        });
        let offset = WINDOWS as i16 * i16::from(OFFSET);
        let is_lower = |neuron: usize| (neuron / LANES).is_multiple_of(2);
        let biases = parameters.biases.iter().enumerate();
        let biases: Vec<i16> = biases
            .map(|(neuron, bias)| if is_lower(neuron) { bias - offset } else { *bias })
            .collect();
        Self {
            rows: chunks(&bytes.collect::<Vec<u8>>()),
            biases: chunks(&biases),
            outputs: chunks(&parameters.outputs),
            output_bias: parameters.output_bias,
        }
    }

    /// The rows that count, each of `CHUNKS` chunks.
    #[inline(always)]
    fn active<const CHUNKS: usize>(&self, rows: &ActiveRows) -> [&[Chunk<u8>; CHUNKS]; WINDOWS] {
        let all = self.rows.as_chunks::<CHUNKS>().0;
        let mut active = [&all[0]; WINDOWS];
        // Not `rows.map`, of which the compiler makes a call.
        for (place, &row) in active.iter_mut().zip(rows) {
            *place = &all[usize::from(row)];
        }
        active
    }
}

/// What computes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Engine {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(pulp::x86::V3),
}

impl Engine {
    /// The best that the processor has.
    pub(super) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(v3) = pulp::x86::V3::try_new() {
            return Self::Avx2(v3);
        }
        Self::Portable
    }

    /// All that the processor has.
    #[cfg(test)]
    pub(super) fn all() -> Vec<Self> {
        vec![Self::Portable, Self::detect()]
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => "AVX2",
        }
    }

    /// The network's output; see [`Parameters::output`].
    #[inline]
    pub(super) fn output(self, layers: &Layers, rows: &ActiveRows) -> i32 {
        let sum = match layers.biases.len() {
            1 => self.sum::<1>(layers, rows),
            2 => self.sum::<2>(layers, rows),
            _ => self.sum::<4>(layers, rows),
        };
        layers.output_bias + sum
    }

    /// The weighted sum of the squares, with `CHUNKS` chunks of neurons.
    #[inline]
    fn sum<const CHUNKS: usize>(self, layers: &Layers, rows: &ActiveRows) -> i32 {
        match self {
            Self::Portable => portable::<CHUNKS>(layers, rows),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(v3) => v3.vectorize(avx2::Sum::<CHUNKS> { v3, layers, rows }),
        }
    }
}

/// Loops that compilers turn into vector instructions.
fn portable<const CHUNKS: usize>(layers: &Layers, rows: &ActiveRows) -> i32 {
    let active = layers.active::<CHUNKS>(rows);
    let mut output = 0;
    for chunk in 0..CHUNKS {
        for start in (0..CHUNK).step_by(2 * LANES) {
            let (mut words, mut uppers) = ([0_i16; LANES], [0_i16; LANES]);
            for four in active.as_chunks::<FOUR>().0 {
                let mut bytes = [0_u8; 2 * LANES];
                for row in four {
                    for (sum, byte) in bytes.iter_mut().zip(&row[chunk].0[start..]) {
                        *sum = sum.wrapping_add(*byte);
                    }
                }
                for (lane, &word) in bytes.as_chunks().0.iter().enumerate() {
                    let word = i16::from_le_bytes(word);
                    words[lane] = words[lane].wrapping_add(word);
                    uppers[lane] += word >> 8;
                }
            }
            let mut add = |sum: i16, neuron: usize| {
                let sum = sum + layers.biases[chunk].0[neuron];
                let activation = sum.clamp(0, ACTIVATION_ONE as i16);
                let weighted = activation * layers.outputs[chunk].0[neuron];
                output += i32::from(weighted) * i32::from(activation);
            };
            for lane in 0..LANES {
                add(words[lane].wrapping_sub(uppers[lane] << 8), start + lane);
                add(uppers[lane], start + LANES + lane);
            }
        }
    }
    output
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use core::arch::x86_64::__m256i;

    use pulp::x86::V3;

    use super::{ACTIVATION_ONE, ActiveRows, CHUNK, Chunk, FOUR, LANES, Layers};

    /// How many registers have the words of a chunk.
    const WORDS: usize = CHUNK / LANES / 2;

    fn load(chunk: &Chunk<i16>) -> [[__m256i; 2]; WORDS] {
        bytemuck::cast(chunk.0)
    }

    /// The weighted sum of the squares.
    pub(super) struct Sum<'a, const CHUNKS: usize> {
        pub(super) v3: V3,
        pub(super) layers: &'a Layers,
        pub(super) rows: &'a ActiveRows,
    }

    impl<const CHUNKS: usize> pulp::NullaryFnOnce for Sum<'_, CHUNKS> {
        type Output = i32;

        #[inline(always)]
        fn call(self) -> i32 {
            let Self { v3: V3 { avx, avx2, .. }, layers, rows } = self;
            let zero = avx._mm256_setzero_si256();
            let one = avx._mm256_set1_epi16(ACTIVATION_ONE as i16);
            let active = layers.active::<CHUNKS>(rows);
            let mut output = zero;
            for (chunk, (biases, outputs)) in layers.biases.iter().zip(&layers.outputs).enumerate()
            {
                let (mut words, mut uppers) = ([zero; WORDS], [zero; WORDS]);
                for four in active.as_chunks::<FOUR>().0 {
                    // The remainder changes nothing, but tells the compiler that no check is needed.
                    let bytes: [[__m256i; WORDS]; FOUR] =
                        four.map(|row| bytemuck::cast(row[chunk % CHUNKS].0));
                    for part in 0..WORDS {
                        let [a, b, c, d] = bytes.map(|row| row[part]);
                        let (a, b) = (avx2._mm256_add_epi8(a, b), avx2._mm256_add_epi8(c, d));
                        let sum = avx2._mm256_add_epi8(a, b);
                        words[part] = avx2._mm256_add_epi16(words[part], sum);
                        let upper = avx2._mm256_srai_epi16::<8>(sum);
                        uppers[part] = avx2._mm256_add_epi16(uppers[part], upper);
                    }
                }
                let (biases, outputs) = (load(biases), load(outputs));
                for part in 0..WORDS {
                    let shifted = avx2._mm256_slli_epi16::<8>(uppers[part]);
                    let lower = avx2._mm256_sub_epi16(words[part], shifted);
                    for (half, sum) in [lower, uppers[part]].into_iter().enumerate() {
                        let sum = avx2._mm256_add_epi16(sum, biases[part][half]);
                        let activation =
                            avx2._mm256_min_epi16(avx2._mm256_max_epi16(sum, zero), one);
                        let weighted = avx2._mm256_mullo_epi16(activation, outputs[part][half]);
                        let products = avx2._mm256_madd_epi16(weighted, activation);
                        output = avx2._mm256_add_epi32(output, products);
                    }
                }
            }
            let lanes: [i32; 8] = bytemuck::cast(output);
            lanes.into_iter().sum()
        }
    }
}
