//! The network's arithmetic, for many neurons at a time.
//!
//! Three ways that give the same: [`Parameters::output`] one neuron at a time; `portable`, written
//! so that the compiler makes vector instructions of it on any processor; and AVX2 where the
//! processor has it. The crate `pulp` finds out what the processor has and keeps it safe.

use super::features::ActiveRows;
use super::parameters::{ACTIVATION_ONE, Parameters};

/// Neurons that are computed together.
const CHUNK: usize = 64;

/// A number for each neuron of a chunk.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Chunk<T>([T; CHUNK]);

/// The parameters in chunks, each in cache lines of its own.
pub(super) struct Layers {
    /// For each row, its chunks.
    rows: Vec<Chunk<i8>>,
    biases: Vec<Chunk<i16>>,
    outputs: Vec<Chunk<i16>>,
    output_bias: i32,
}

impl Layers {
    pub(super) fn new(parameters: &Parameters) -> Self {
        fn chunks<T: Copy>(numbers: &[T]) -> Vec<Chunk<T>> {
            numbers.as_chunks().0.iter().copied().map(Chunk).collect()
        }
        Self {
            rows: chunks(&parameters.rows),
            biases: chunks(&parameters.biases),
            outputs: chunks(&parameters.outputs),
            output_bias: parameters.output_bias,
        }
    }

    /// The rows that count, one chunk of each.
    #[inline(always)]
    fn active<'a>(
        &'a self,
        rows: &'a ActiveRows,
        chunk: usize,
    ) -> impl Iterator<Item = &'a Chunk<i8>> + Clone {
        let chunks = self.biases.len();
        rows.iter().map(move |&row| &self.rows[usize::from(row) * chunks + chunk])
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
        let sum = match self {
            Self::Portable => portable(layers, rows),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(v3) => v3.vectorize(avx2::Sum { v3, layers, rows }),
        };
        layers.output_bias + sum
    }
}

/// Sixteen neurons at a time: a loop that compilers turn into vector instructions.
fn portable(layers: &Layers, rows: &ActiveRows) -> i32 {
    const LANES: usize = 16;
    let mut output = 0;
    for (chunk, (biases, outputs)) in layers.biases.iter().zip(&layers.outputs).enumerate() {
        let rows = layers.active(rows, chunk);
        for start in (0..CHUNK).step_by(LANES) {
            let mut sums = [0; LANES];
            sums.copy_from_slice(&biases.0[start..start + LANES]);
            for row in rows.clone() {
                for (sum, weight) in sums.iter_mut().zip(&row.0[start..start + LANES]) {
                    *sum += i16::from(*weight);
                }
            }
            for (sum, weight) in sums.into_iter().zip(&outputs.0[start..start + LANES]) {
                let activation = sum.clamp(0, ACTIVATION_ONE as i16);
                output += i32::from(activation * weight) * i32::from(activation);
            }
        }
    }
    output
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use core::arch::x86_64::{__m128i, __m256i};

    use pulp::x86::V3;

    use super::{ACTIVATION_ONE, ActiveRows, CHUNK, Chunk, Layers};

    /// A chunk in registers.
    type Registers = [__m256i; CHUNK / 16];

    fn load(chunk: &Chunk<i16>) -> Registers {
        bytemuck::cast(chunk.0)
    }

    /// The weighted sum of the squares.
    pub(super) struct Sum<'a> {
        pub(super) v3: V3,
        pub(super) layers: &'a Layers,
        pub(super) rows: &'a ActiveRows,
    }

    impl pulp::NullaryFnOnce for Sum<'_> {
        type Output = i32;

        #[inline(always)]
        fn call(self) -> i32 {
            let Self { v3: V3 { avx, avx2, .. }, layers, rows } = self;
            let zero = avx._mm256_setzero_si256();
            let one = avx._mm256_set1_epi16(ACTIVATION_ONE as i16);
            let mut output = zero;
            let ends = layers.biases.iter().zip(&layers.outputs);
            for (chunk, (biases, outputs)) in ends.enumerate() {
                let mut sums = load(biases);
                for row in layers.active(rows, chunk) {
                    let weights: [__m128i; CHUNK / 16] = bytemuck::cast(row.0);
                    for (sum, weights) in sums.iter_mut().zip(weights) {
                        *sum = avx2._mm256_add_epi16(*sum, avx2._mm256_cvtepi8_epi16(weights));
                    }
                }
                for (sum, weights) in sums.into_iter().zip(load(outputs)) {
                    let activation = avx2._mm256_min_epi16(avx2._mm256_max_epi16(sum, zero), one);
                    let weighted = avx2._mm256_mullo_epi16(activation, weights);
                    let products = avx2._mm256_madd_epi16(weighted, activation);
                    output = avx2._mm256_add_epi32(output, products);
                }
            }
            let lanes: [i32; 8] = bytemuck::cast(output);
            lanes.into_iter().sum()
        }
    }
}
