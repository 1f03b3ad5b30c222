//! The network in floating-point numbers, with its gradient and the optimiser.
//!
//! The neurons are dealt with in blocks, each with all its parameters, and each by one thread: so
//! no two threads ever add to the same number, and what comes out does not depend on how many
//! there are.
//!
//! # Windows and squares
//!
//! Many states of a window are rare, above all those with gaps. So that the network has an idea of
//! them, a row's weight is a sum: for each square of the window a weight for what is on the square,
//! common to all windows that it is in, and a weight of the row's own. Both are learnt; the sum is
//! what the network file has. A row that never came up is worth what its squares are worth.
//!
//! # Symmetry
//!
//! A position is worth the same however the board is turned. In a symmetric network the neurons come
//! in groups of [`VIEWS`], which see the board in its eight turns and have all else in common; so
//! what the network says is exactly the same for all turns, and there is an eighth of the numbers to
//! be learnt. Here, such a group is one neuron that is shown each position eight times. (A layer of
//! this kind is a group convolution: T. Cohen and M. Welling, "Group equivariant convolutional
//! networks", 2016.)
//!
//! # Whole numbers
//!
//! In the network all numbers are whole ones, and the rows' small. So that the neurons learn to do
//! with that, they are computed from numbers already rounded to such steps, while the gradient
//! passes as if they were not (the "straight-through" estimator of Y. Bengio, N. Léonard and
//! A. Courville, 2013).

use bytemuck::Zeroable;
use pulp::Arch;
use rayon::prelude::*;

use crate::eval::network::features::{
    ActiveRows, ROWS, SquareState, WINDOWS, describe_rows, rows_turned, squares_of_window,
};
use crate::eval::network::{ACTIVATION_ONE, BIAS_LIMIT, OUTPUT_LIMIT, Parameters, WEIGHT_LIMIT};
use crate::game::{Square, Symmetry};
use crate::random::Random;

/// The neurons of a block.
pub(super) const LANES: usize = 16;
/// How many turns of the board there are.
pub(super) const VIEWS: usize = Symmetry::ALL.len();
/// A number for each neuron of a block.
type Lanes = [f32; LANES];
/// The same in a cache line of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
struct Line(Lanes);
/// A whole number for each neuron of a block, all in one cache line.
#[derive(Clone, Copy, Debug, Zeroable)]
#[repr(C, align(32))]
struct Whole([i16; LANES]);
/// Room for [`ROWS`], so many that no number of a row, modulo this, can be too large for it.
const SLOTS: usize = ROWS.next_power_of_two();
/// So large that a number added to it is rounded to a whole one, which is in the lowest bits then.
/// (A conversion would keep the compiler from making vectors.)
const ROUNDER: f32 = 12_582_912.0;

/// What a square can be, other than empty.
const THINGS: usize = 3;
/// How many steps of a weight, as the network has it, make 1.
const STEPS: f32 = ACTIVATION_ONE as f32;
/// How far from zero a weight may be, so that its whole number is within its limit.
const MAX_WEIGHT: f32 = WEIGHT_LIMIT as f32 / STEPS;
const MAX_BIAS: f32 = BIAS_LIMIT as f32 / STEPS;

/// Numbers that are learnt, with what the optimiser keeps of each.
#[derive(Clone, Debug, PartialEq)]
struct Group {
    values: Vec<Line>,
    gradients: Vec<Line>,
    /// The running means of the gradient and of its square.
    means: Vec<Line>,
    squares: Vec<Line>,
}

impl Group {
    fn new(values: Vec<Lanes>) -> Self {
        let zeros = vec![Line::default(); values.len()];
        let values = values.into_iter().map(Line).collect();
        Self { values, gradients: zeros.clone(), means: zeros.clone(), squares: zeros }
    }

    /// Changes one entry as its gradient says, and forgets the gradient.
    #[inline(always)]
    fn update(&mut self, index: usize, adam: &Adam) {
        let gradient = std::mem::take(&mut self.gradients[index].0);
        // Copied for the reason given at `add`.
        let (mut value, mut mean) = (self.values[index].0, self.means[index].0);
        let mut square = self.squares[index].0;
        for lane in 0..LANES {
            adam.update(&mut value[lane], gradient[lane], &mut mean[lane], &mut square[lane]);
        }
        (self.values[index].0, self.means[index].0) = (value, mean);
        self.squares[index].0 = square;
    }
}

/// A step of the optimiser Adam (D. P. Kingma and J. Ba, "Adam: a method for stochastic
/// optimization", 2015).
#[derive(Clone, Copy, Debug)]
pub(super) struct Adam {
    rate: f32,
    /// What makes up for the means' beginning at zero, for the square's under the root.
    square_correction: f32,
}

impl Adam {
    const MEAN_DECAY: f32 = 0.9;
    const SQUARE_DECAY: f32 = 0.999;
    const EPSILON: f32 = 1e-8;

    /// The step with a number from 0.
    pub(super) fn new(rate: f64, step: u64) -> Self {
        let correction = |decay: f32| 1.0 - f64::from(decay).powf(step as f64 + 1.0);
        Self {
            rate: (rate / correction(Self::MEAN_DECAY)) as f32,
            square_correction: (1.0 / correction(Self::SQUARE_DECAY)) as f32,
        }
    }

    #[inline(always)]
    fn update(&self, value: &mut f32, gradient: f32, mean: &mut f32, square: &mut f32) {
        *mean += (1.0 - Self::MEAN_DECAY) * (gradient - *mean);
        *square += (1.0 - Self::SQUARE_DECAY) * (gradient * gradient - *square);
        let size = (*square * self.square_correction).sqrt() + Self::EPSILON;
        *value -= self.rate * *mean / size;
    }
}

/// Positions that are learnt from together: the rows of each, and its chance to win.
#[derive(Clone, Debug, Default)]
pub(super) struct Batch {
    pub(super) rows: Vec<ActiveRows>,
    pub(super) targets: Vec<f32>,
}

/// Some neurons with all their parameters.
#[derive(Clone, Debug)]
struct Block {
    /// For each row, what it is worth beyond its squares.
    own: Group,
    /// For each square and each thing on it.
    things: Group,
    /// The neurons' biases and output weights.
    ends: Group,
    /// For each row, the sum of `own` and its squares in whole numbers, as in the network; of the
    /// rows in the last batch only.
    rows: Box<[Whole; SLOTS]>,
    /// How many steps of a weight make 1: [`STEPS`], other than in the test of the gradient.
    steps: f32,
    /// Biases and output weights, rounded as in the network, as they were for the last batch.
    rounded: [Lanes; 2],
    /// Of the last batch, for each position: the neurons' sums (in the end, how the loss changes
    /// with them) and their share of the output.
    sums: Vec<Line>,
    shares: Vec<f32>,
}

/// Where `ends` has what.
const BIASES: usize = 0;
const OUTPUTS: usize = 1;

/// A thing on a square as a part of rows: its index, and the share of its weight that a window has.
type Part = (u8, f32);

/// The things on the squares of each row's window.
#[derive(Clone, Debug)]
struct Parts(Vec<arrayvec::ArrayVec<Part, 4>>);

impl Parts {
    fn new() -> Self {
        let mut windows_with = [0; Square::COUNT];
        for window in 0..WINDOWS {
            for square in squares_of_window(window) {
                windows_with[square.index()] += 1;
            }
        }
        let parts = describe_rows().into_iter().map(|(window, states)| {
            let squares = squares_of_window(window).into_iter().zip(states);
            let things = squares.filter(|&(_, state)| state != SquareState::Empty);
            let part = |(square, state): (Square, SquareState)| {
                let index = square.index() * THINGS + state as usize - 1;
                (index as u8, 1.0 / windows_with[square.index()] as f32)
            };
            things.map(part).collect()
        });
        Self(parts.collect())
    }
}

impl Block {
    fn new(width: usize, random: &mut Random) -> Self {
        let mut uniform = |low: f32, high: f32| {
            [(); LANES].map(|()| low + (high - low) * ((random.next() >> 40) as f32 / 16_777_216.0))
        };
        let things = (0..Square::COUNT * THINGS).map(|_| uniform(-0.1, 0.1)).collect();
        let spread = 1.0 / (width as f32).sqrt();
        let ends = vec![uniform(0.0, 0.4), uniform(-spread, spread)];
        Self {
            own: Group::new(vec![[0.0; LANES]; ROWS]),
            things: Group::new(things),
            ends: Group::new(ends),
            rows: bytemuck::zeroed_box(),
            steps: STEPS,
            rounded: [[0.0; LANES]; 2],
            sums: Vec::new(),
            shares: Vec::new(),
        }
    }

    /// Adds up some rows, within what a weight may be.
    #[inline(always)]
    fn fold(&mut self, rows: &[u16], parts: &Parts) {
        let steps = self.steps;
        for &row in rows {
            let row = usize::from(row);
            let mut squares = [0.0; LANES];
            for &(thing, share) in &parts.0[row] {
                add_share(&mut squares, share, &self.things.values[usize::from(thing)].0);
            }
            let (mut own, mut sum) = (self.own.values[row].0, [0; LANES]);
            for lane in 0..LANES {
                let free = own[lane] + squares[lane];
                let limited = free.clamp(-MAX_WEIGHT, MAX_WEIGHT);
                // Within the limits nothing changes, so that to do it again changes nothing.
                own[lane] = if limited == free { own[lane] } else { limited - squares[lane] };
                sum[lane] = (limited * steps + ROUNDER).to_bits() as i16;
            }
            (self.own.values[row], self.rows[row]) = (Line(own), Whole(sum));
        }
    }

    /// The neurons' sums and shares for a batch, whose rows are added up. The largest output weight
    /// of all blocks says how output weights are rounded.
    #[inline(always)]
    fn forward(&mut self, batch: &[ActiveRows], largest: f32) {
        let finer = self.steps / STEPS;
        let units = [self.steps, output_one(largest) * finer];
        for (end, one) in units.into_iter().enumerate() {
            let Line(values) = self.ends.values[end];
            self.rounded[end] = values.map(|value| (value * one).round() / one);
        }
        self.sums.resize(batch.len(), Line::default());
        self.shares.resize(batch.len(), 0.0);
        let [biases, outputs] = self.rounded;
        let (rows, step) = (&*self.rows, self.steps.recip());
        for ((active, sum), share) in batch.iter().zip(&mut self.sums).zip(&mut self.shares) {
            let mut steps = [0; LANES];
            // Four at a time, as the compiler unrolls no loop that may panic.
            for four in active.as_chunks::<4>().0 {
                for &row in four {
                    let Whole(weights) = rows[usize::from(row) % SLOTS];
                    for lane in 0..LANES {
                        steps[lane] += weights[lane];
                    }
                }
            }
            let (mut total, mut weighted) = ([0.0; LANES], [0.0; LANES]);
            for lane in 0..LANES {
                total[lane] = biases[lane] + step * f32::from(steps[lane]);
            }
            for lane in 0..LANES {
                let activation = total[lane].clamp(0.0, 1.0);
                weighted[lane] = activation * activation * outputs[lane];
            }
            *sum = Line(total);
            *share = add_up(weighted);
        }
    }

    /// Adds the gradient of the loss, of which it is known for each position how it changes with
    /// the output.
    #[inline(always)]
    fn backward(&mut self, batch: &[ActiveRows], slopes: &[f32]) {
        let outputs = self.rounded[OUTPUTS];
        let (mut bias_gradient, mut output_gradient) = ([0.0; LANES], [0.0; LANES]);
        let gradients = &mut *self.own.gradients;
        for ((active, sum), &slope) in batch.iter().zip(&self.sums).zip(slopes) {
            let Line(mut slopes) = *sum;
            for lane in 0..LANES {
                let activation = slopes[lane].clamp(0.0, 1.0);
                output_gradient[lane] += slope * activation * activation;
                // At and above 1 the square does not change, and below 0 it is 0.
                let inside = if slopes[lane] < 1.0 { activation } else { 0.0 };
                slopes[lane] = slope * outputs[lane] * 2.0 * inside;
                bias_gradient[lane] += slopes[lane];
            }
            for &row in active {
                add(&mut gradients[usize::from(row)].0, &slopes);
            }
        }
        for (end, gradient) in [(BIASES, bias_gradient), (OUTPUTS, output_gradient)] {
            add(&mut self.ends.gradients[end].0, &gradient);
        }
    }

    /// What the rows' gradients are for the things on squares.
    #[inline(always)]
    fn spread(&mut self, rows: &[u16], parts: &Parts) {
        for &row in rows {
            let Line(gradient) = &self.own.gradients[usize::from(row)];
            for &(thing, share) in &parts.0[usize::from(row)] {
                add_share(&mut self.things.gradients[usize::from(thing)].0, share, gradient);
            }
        }
    }

    /// Changes everything as its gradient says, of the rows only those given: the batch's.
    #[inline(always)]
    fn update(&mut self, rows: &[u16], parts: &Parts, adam: &Adam) {
        self.spread(rows, parts);
        for index in 0..self.things.values.len() {
            self.things.update(index, adam);
        }
        for index in 0..self.ends.values.len() {
            self.ends.update(index, adam);
        }
        for bias in &mut self.ends.values[BIASES].0 {
            *bias = bias.clamp(-MAX_BIAS, MAX_BIAS);
        }
        for &row in rows {
            self.own.update(usize::from(row), adam);
        }
    }
}

/// What there is to do for a block, with the best instructions that the processor has.
enum Work<'a> {
    Fold(&'a [u16], &'a Parts),
    Forward(&'a [ActiveRows], f32),
    Backward(&'a [ActiveRows], &'a [f32]),
    Update(&'a [u16], &'a Parts, &'a Adam),
}

impl Work<'_> {
    fn run(self, arch: Arch, block: &mut Block) {
        arch.dispatch(OnBlock { block, work: self });
    }
}

/// Work and its block. (Of a closure the compiler would make a function of its own, without those
/// instructions.)
struct OnBlock<'a> {
    block: &'a mut Block,
    work: Work<'a>,
}

impl pulp::NullaryFnOnce for OnBlock<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        match self.work {
            Work::Fold(rows, parts) => self.block.fold(rows, parts),
            Work::Forward(batch, largest) => self.block.forward(batch, largest),
            Work::Backward(batch, slopes) => self.block.backward(batch, slopes),
            Work::Update(rows, parts, adam) => self.block.update(rows, parts, adam),
        }
    }
}

#[inline(always)]
fn add(sums: &mut Lanes, numbers: &Lanes) {
    // Copied, as the compiler makes no vectors of what it changes in place.
    let (mut copy, numbers) = (*sums, *numbers);
    for lane in 0..LANES {
        copy[lane] += numbers[lane];
    }
    *sums = copy;
}

#[inline(always)]
fn add_share(sums: &mut Lanes, share: f32, numbers: &Lanes) {
    let (mut copy, numbers) = (*sums, *numbers);
    for lane in 0..LANES {
        copy[lane] += share * numbers[lane];
    }
    *sums = copy;
}

/// The sum, always in the same order, and quick.
#[inline(always)]
fn add_up(lanes: Lanes) -> f32 {
    let (mut eight, mut four) = ([0.0; 8], [0.0; 4]);
    for lane in 0..8 {
        eight[lane] = lanes[lane] + lanes[lane + 8];
    }
    for lane in 0..4 {
        four[lane] = eight[lane] + eight[lane + 4];
    }
    (four[0] + four[2]) + (four[1] + four[3])
}

/// How many steps of an output weight make 1 in the network: as many as there is room for.
fn output_one(largest: f32) -> f32 {
    f32::from(OUTPUT_LIMIT) / largest.max(0.1)
}

/// The chance to win of an output.
pub(super) fn sigmoid(output: f32) -> f32 {
    1.0 / (1.0 + (-output).exp())
}

/// The network that is trained.
#[derive(Clone, Debug)]
pub(super) struct Model {
    blocks: Vec<Block>,
    output_bias: f32,
    output_bias_gradient: f32,
    output_bias_means: [f32; 2],
    parts: Parts,
    arch: Arch,
    /// What each row is in each turn that the neurons see the board in, of which there are
    /// [`VIEWS`] or one.
    turned: Vec<Vec<u16>>,
    /// Of the last batch: its rows in all turns, which rows come up, and how the loss changes with
    /// the output for each turn.
    views: Vec<ActiveRows>,
    touched: Vec<u16>,
    slopes: Vec<f32>,
}

/// Outputs are added up, and losses, for so many positions at a time.
const PORTION: usize = 256;

impl Model {
    /// A network of random weights.
    pub(super) fn new(width: usize, symmetric: bool, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let turns = if symmetric { &Symmetry::ALL[..] } else { &[Symmetry::Identity] };
        let turned: Vec<_> = turns.iter().map(|&turn| rows_turned(turn)).collect();
        let blocks = width / LANES / turned.len();
        let blocks = (0..blocks).map(|_| Block::new(width, &mut random)).collect();
        Self {
            blocks,
            output_bias: 0.0,
            output_bias_gradient: 0.0,
            output_bias_means: [0.0; 2],
            parts: Parts::new(),
            arch: Arch::new(),
            turned,
            views: Vec::new(),
            touched: Vec::new(),
            slopes: Vec::new(),
        }
    }

    pub(super) fn width(&self) -> usize {
        self.blocks.len() * LANES * self.turned.len()
    }

    /// Puts the rows of positions in all turns into `views`.
    fn view(&mut self, positions: &[ActiveRows]) {
        let Self { views, turned, .. } = self;
        views.resize(positions.len() * turned.len(), [0; WINDOWS]);
        let portions = views.par_chunks_mut(PORTION * turned.len());
        portions.zip(positions.par_chunks(PORTION)).for_each(|(views, positions)| {
            for (views, rows) in views.chunks_exact_mut(turned.len()).zip(positions) {
                for (view, turned) in views.iter_mut().zip(turned.iter()) {
                    *view = rows.map(|row| turned[usize::from(row)]);
                }
            }
        });
    }

    /// The largest output weight, whatever its sign.
    fn largest_output(&self) -> f32 {
        let outputs = self.blocks.iter().flat_map(|block| block.ends.values[OUTPUTS].0);
        outputs.fold(0.0, |largest, output| largest.max(output.abs()))
    }

    fn forward(&mut self, positions: &[ActiveRows]) {
        self.view(positions);
        let mut seen = vec![false; ROWS];
        self.views.as_flattened().iter().for_each(|&row| seen[usize::from(row)] = true);
        self.touched.clear();
        self.touched.extend((0..ROWS as u16).filter(|&row| seen[usize::from(row)]));
        let largest = self.largest_output();
        let Self { blocks, touched, parts, arch, views, .. } = self;
        blocks.par_iter_mut().for_each(|block| {
            Work::Fold(touched, parts).run(*arch, block);
            Work::Forward(views, largest).run(*arch, block);
        });
    }

    /// After `forward`: the output for a position, the logarithm of the odds to win.
    #[inline(always)]
    fn output(&self, index: usize) -> f32 {
        let views = index * self.turned.len()..(index + 1) * self.turned.len();
        let shares = self.blocks.iter().flat_map(|block| &block.shares[views.clone()]);
        shares.fold(self.output_bias, |sum, share| sum + share)
    }

    /// The outputs for some positions.
    pub(super) fn outputs(&mut self, rows: &[ActiveRows]) -> Vec<f32> {
        self.forward(rows);
        (0..rows.len()).map(|index| self.output(index)).collect()
    }

    /// The sum of the losses of a batch, with the gradient of its mean added to what is there.
    fn learn_gradient(&mut self, batch: &Batch) -> f64 {
        self.forward(&batch.rows);
        let mut slopes = std::mem::take(&mut self.slopes);
        let views = self.turned.len();
        slopes.resize(batch.rows.len() * views, 0.0);
        let mean = 2.0 / batch.rows.len() as f32;
        let portions = slopes.par_chunks_mut(PORTION * views);
        let portions = portions.zip(batch.targets.par_chunks(PORTION));
        let sums: Vec<(f64, f64)> = portions
            .enumerate()
            .map(|(portion, (slopes, targets))| {
                let mut sums = (0.0, 0.0);
                let slopes = slopes.chunks_exact_mut(views);
                for (index, (slopes, &target)) in slopes.zip(targets).enumerate() {
                    let chance = sigmoid(self.output(portion * PORTION + index));
                    let error = chance - target;
                    let slope = mean * error * chance * (1.0 - chance);
                    slopes.fill(slope);
                    sums.0 += f64::from(error * error);
                    sums.1 += f64::from(slope);
                }
                sums
            })
            .collect();
        let (loss, slope) = sums.into_iter().fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        self.output_bias_gradient += slope as f32;
        let Self { blocks, arch, views, .. } = self;
        blocks.par_iter_mut().for_each(|block| Work::Backward(views, &slopes).run(*arch, block));
        self.slopes = slopes;
        loss
    }

    /// Learns from a batch; the sum of its losses before that.
    pub(super) fn learn(&mut self, batch: &Batch, adam: &Adam) -> f64 {
        let loss = self.learn_gradient(batch);
        let Self { blocks, touched, parts, arch, .. } = self;
        blocks
            .par_iter_mut()
            .for_each(|block| Work::Update(touched, parts, adam).run(*arch, block));
        let gradient = std::mem::take(&mut self.output_bias_gradient);
        let [mean, square] = &mut self.output_bias_means;
        adam.update(&mut self.output_bias, gradient, mean, square);
        loss
    }

    /// The sum of the losses of a batch.
    pub(super) fn loss(&mut self, batch: &Batch) -> f64 {
        self.forward(&batch.rows);
        let error = |(index, &target)| sigmoid(self.output(index)) - target;
        batch.targets.iter().enumerate().map(error).map(|error| f64::from(error * error)).sum()
    }

    /// The network in whole numbers; an output of 1 shall be `scale` cp.
    pub(super) fn quantise(&mut self, scale: f64) -> Parameters {
        let all: Vec<u16> = (0..ROWS as u16).collect();
        let Self { blocks, parts, arch, .. } = self;
        blocks.par_iter_mut().for_each(|block| Work::Fold(&all, parts).run(*arch, block));
        let width = self.width();
        let output_one = output_one(self.largest_output());
        let end = |end: usize, one: f32| {
            let of_block = |block: &Block| block.ends.values[end].0;
            let of_view = |_| self.blocks.iter().flat_map(of_block).map(|value| whole(value, one));
            self.turned.iter().flat_map(of_view).collect()
        };
        // Turn by turn, and in each block by block.
        let mut rows = Vec::with_capacity(ROWS * width);
        for row in 0..ROWS {
            for turned in &self.turned {
                let row = usize::from(turned[row]);
                let weights = self.blocks.iter().flat_map(|block| block.rows[row].0);
                // Within the limit of a weight.
                rows.extend(weights.map(|weight| weight as i8));
            }
        }
        // Both casts keep to what the numbers can be.
        let unit = f64::from(STEPS) * f64::from(STEPS) * f64::from(output_one);
        Parameters {
            width,
            rows,
            biases: end(BIASES, STEPS),
            outputs: end(OUTPUTS, output_one),
            output_bias: (f64::from(self.output_bias) * unit).round() as i32,
            multiplier: (scale / unit * 4_294_967_296.0).round() as u32,
        }
    }

    /// All numbers that are learnt and what the optimiser keeps, for a checkpoint.
    pub(super) fn state(&self) -> Vec<f32> {
        let mut numbers = vec![self.output_bias];
        numbers.extend(self.output_bias_means);
        for block in &self.blocks {
            for Group { values, means, squares, .. } in [&block.own, &block.things, &block.ends] {
                for list in [values, means, squares] {
                    list.iter().for_each(|Line(lanes)| numbers.extend(lanes));
                }
            }
        }
        numbers
    }

    /// Takes the numbers of a checkpoint; false if they are too few or too many.
    pub(super) fn set_state(&mut self, numbers: &[f32]) -> bool {
        if numbers.len() != self.state().len() {
            return false;
        }
        let (head, mut rest) = numbers.split_at(3);
        self.output_bias = head[0];
        self.output_bias_means = [head[1], head[2]];
        for block in &mut self.blocks {
            let Block { own, things, ends, .. } = block;
            for Group { values, means, squares, .. } in [own, things, ends] {
                for list in [values, means, squares] {
                    let (numbers, more) = rest.split_at(list.len() * LANES);
                    for (Line(lanes), numbers) in list.iter_mut().zip(numbers.as_chunks().0) {
                        *lanes = *numbers;
                    }
                    rest = more;
                }
            }
        }
        true
    }
}

/// A number in units of which `one` are 1.
fn whole(value: f32, one: f32) -> i16 {
    // The limits of all weights are far inside those of an i16.
    (value * one).round() as i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::network::features::View;
    use crate::eval::network::test_positions::random_positions;
    use crate::eval::network::{Description, Network};

    fn batch(count: usize, seed: u64) -> Batch {
        let positions = random_positions(count, seed);
        let rows: Vec<_> = positions.iter().map(|position| View::of(position).rows()).collect();
        let targets = (0..count).map(|index| (index * 7 % 10) as f32 / 10.0).collect();
        Batch { rows, targets }
    }

    /// The mean loss in double precision, straight from the parameters.
    fn naive_loss(model: &Model, batch: &Batch) -> f64 {
        let losses = batch.rows.iter().zip(&batch.targets).map(|(rows, &target)| {
            let mut output = f64::from(model.output_bias);
            let neurons =
                model.blocks.iter().flat_map(|block| (0..LANES).map(move |lane| (block, lane)));
            for (block, lane) in neurons {
                for turned in &model.turned {
                    let mut sum = f64::from(block.ends.values[BIASES].0[lane]);
                    for row in rows.map(|row| turned[usize::from(row)]) {
                        sum += f64::from(block.own.values[usize::from(row)].0[lane]);
                        for &(thing, share) in &model.parts.0[usize::from(row)] {
                            let weight = block.things.values[usize::from(thing)].0[lane];
                            sum += f64::from(weight) * f64::from(share);
                        }
                    }
                    let activation = sum.clamp(0.0, 1.0);
                    output +=
                        activation * activation * f64::from(block.ends.values[OUTPUTS].0[lane]);
                }
            }
            (1.0 / (1.0 + (-output).exp()) - f64::from(target)).powi(2)
        });
        losses.sum::<f64>() / batch.rows.len() as f64
    }

    #[test]
    fn gradients_are_those_of_finite_differences() {
        check_gradients(Model::new(64, false, 1));
        check_gradients(Model::new(512, true, 1));
    }

    fn check_gradients(mut model: Model) {
        let batch = batch(50, 1);
        // As fine as whole numbers allow.
        model.blocks.iter_mut().for_each(|block| block.steps = 900.0);
        // Some weights of the rows' own.
        for _ in 0..5 {
            model.learn(&batch, &Adam::new(0.01, 0));
        }
        let loss = model.learn_gradient(&batch) / 50.0;
        assert!((loss - naive_loss(&model, &batch)).abs() < 1e-5);
        let Model { blocks, touched, parts, .. } = &mut model;
        blocks.iter_mut().for_each(|block| block.spread(touched, parts));
        let numeric = |change: &dyn Fn(&mut Model, f32)| {
            const STEP: f32 = 1.0 / 1024.0;
            let mut losses = [STEP, -STEP].map(|step| {
                let mut changed = model.clone();
                change(&mut changed, step);
                naive_loss(&changed, &batch)
            });
            losses[0] -= losses[1];
            losses[0] / f64::from(2.0 * STEP)
        };
        let mut checked = 0;
        let mut check = |what: &str, analytic: f32, numeric: f64| {
            let difference = (f64::from(analytic) - numeric).abs();
            assert!(difference < 2e-6 + 0.02 * numeric.abs(), "{what}: {analytic} {numeric}");
            checked += usize::from(numeric.abs() > 1e-5);
        };
        let bias = numeric(&|model, step| model.output_bias += step);
        check("output bias", model.output_bias_gradient, bias);
        let used = [0, 17, 35].map(|window| usize::from(batch.rows[3][window]));
        for lane in [0, 5, 15] {
            for (block, end) in [(0, BIASES), (3, BIASES), (1, OUTPUTS), (2, OUTPUTS)] {
                let change = |model: &mut Model, step| {
                    model.blocks[block].ends.values[end].0[lane] += step;
                };
                check("end", model.blocks[block].ends.gradients[end].0[lane], numeric(&change));
            }
            for row in used {
                let change =
                    |model: &mut Model, step| model.blocks[1].own.values[row].0[lane] += step;
                check("row", model.blocks[1].own.gradients[row].0[lane], numeric(&change));
            }
            for thing in [0, 1, 2, 73, 74, 75, 146] {
                let change =
                    |model: &mut Model, step| model.blocks[2].things.values[thing].0[lane] += step;
                check("thing", model.blocks[2].things.gradients[thing].0[lane], numeric(&change));
            }
        }
        assert!(checked > 15, "{checked}");
    }

    #[test]
    fn it_learns_a_batch_by_heart() {
        let batch = batch(200, 2);
        let mut model = Model::new(64, false, 2);
        let first = model.loss(&batch);
        for step in 0..200 {
            model.learn(&batch, &Adam::new(0.01, step));
        }
        assert!(model.loss(&batch) < first / 20.0);
    }

    #[test]
    fn whole_numbers_say_nearly_the_same() {
        for (width, symmetric) in [(64, false), (128, true)] {
            check_whole_numbers(Model::new(width, symmetric, 3));
        }
    }

    fn check_whole_numbers(mut model: Model) {
        let batch = batch(500, 3);
        for step in 0..50 {
            model.learn(&batch, &Adam::new(0.01, step));
        }
        let outputs = model.outputs(&batch.rows);
        let parameters = model.quantise(400.0);
        let network = Network::new(parameters, Description::default()).unwrap();
        for (position, output) in random_positions(500, 3).iter().zip(outputs) {
            let difference = f64::from(network.evaluate(position)) - f64::from(output) * 400.0;
            assert!(difference.abs() < 1.0, "{difference}");
        }
    }

    #[test]
    fn a_symmetric_network_gives_all_turns_of_a_board_the_same() {
        let batch = batch(500, 8);
        let mut model = Model::new(128, true, 8);
        assert_eq!(model.width(), 128);
        for step in 0..30 {
            model.learn(&batch, &Adam::new(0.01, step));
        }
        let network = Network::new(model.quantise(400.0), Description::default()).unwrap();
        for position in random_positions(200, 9) {
            let score = network.evaluate(&position);
            for symmetry in Symmetry::ALL {
                assert_eq!(network.evaluate(&symmetry.position(&position)), score, "{position}");
            }
        }
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let batch = batch(3000, 4);
        let states = [1, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut model = Model::new(128, false, 4);
                for step in 0..3 {
                    model.learn(&batch, &Adam::new(0.003, step));
                }
                model.state()
            })
        });
        assert!(states[0] == states[1]);
    }

    #[test]
    fn weights_keep_to_their_limit() {
        let batch = Batch { rows: batch(20, 5).rows, targets: vec![1.0; 20] };
        let mut model = Model::new(64, false, 5);
        for step in 0..100 {
            model.learn(&batch, &Adam::new(0.5, step));
        }
        let weights = model.blocks.iter().flat_map(|block| block.rows.iter().flat_map(|row| row.0));
        let largest = weights.map(|weight| weight.abs()).max().unwrap();
        let limit = i16::from(WEIGHT_LIMIT);
        assert!((limit - 6..=limit).contains(&largest), "{largest}");
        Network::new(model.quantise(400.0), Description::default()).unwrap();
    }

    #[test]
    fn a_state_can_be_taken_up_again() {
        let batch = batch(100, 6);
        let mut model = Model::new(64, false, 6);
        model.learn(&batch, &Adam::new(0.01, 0));
        let mut other = Model::new(64, false, 7);
        assert!(other.set_state(&model.state()));
        assert!(!other.set_state(&[0.0; 5]));
        for model in [&mut model, &mut other] {
            model.learn(&batch, &Adam::new(0.01, 1));
        }
        assert!(model.state() == other.state());
    }
}
