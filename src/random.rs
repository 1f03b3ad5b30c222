//! Random numbers that are the same on every machine and in every version.

/// SplitMix64 (G. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom number
/// generators", 2014), which never changes, as the generators of libraries may.
///
/// One addition and a few multiplications per number; it passes the usual statistical tests, and
/// any seed is as good as any other.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The generator for a seed.
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A stream of its own for each of a seed's games.
    pub(crate) const fn of_game(seed: u64, index: u64) -> Self {
        let start = Self::new(seed).next().wrapping_add(index);
        Self::new(Self::new(start).next())
    }

    /// The next number.
    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `end - 1`, all equally likely: D. Lemire, "Fast random integer generation
    /// in an interval", 2019.
    ///
    /// # Panics
    ///
    /// When `end` is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = end as u64;
        // Without these, some results would have one number more than others.
        let surplus = end.wrapping_neg() % end;
        loop {
            let product = u128::from(self.next()) * u128::from(end);
            if product as u64 >= surplus {
                return (product >> 64) as usize;
            }
        }
    }

    /// Brings items into a random order, all orders equally likely: R. Durstenfeld, "Algorithm 235:
    /// Random permutation", 1964. Begins at the front.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for index in 0..items.len() {
            items.swap(index, index + self.below(items.len() - index));
        }
    }

    /// A number from 0 to below 1, a multiple of 2⁻⁵³, all equally likely.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// True with a probability.
    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// One of several things; `None` if there are none.
    pub(crate) fn choose<'a, T>(&mut self, things: &'a [T]) -> Option<&'a T> {
        if things.is_empty() { None } else { things.get(self.below(things.len())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_split_mix_64() {
        // The first numbers that Vigna's splitmix64.c gives for the seed 1234567.
        let mut random = Random::new(1_234_567);
        let numbers = [random.next(), random.next(), random.next()];
        assert_eq!(
            numbers,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn every_number_below_the_end_is_about_as_likely() {
        for end in [1, 2, 3, 7] {
            let mut random = Random::new(5);
            let mut counts = vec![0; end];
            for _ in 0..1000 * end {
                counts[random.below(end)] += 1;
            }
            assert!(counts.iter().all(|count| (900..=1100).contains(count)), "{counts:?}");
        }
        assert!((0..100).all(|seed| Random::new(seed).below(usize::MAX) < usize::MAX));
    }

    #[test]
    fn every_order_is_about_as_likely() {
        let mut counts = std::collections::HashMap::new();
        let mut random = Random::new(1);
        for _ in 0..6000 {
            let mut items = [0, 1, 2];
            random.shuffle(&mut items);
            *counts.entry(items).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|count| (900..=1100).contains(count)), "{counts:?}");
    }

    #[test]
    fn games_and_seeds_have_their_own_numbers() {
        let firsts: std::collections::HashSet<u64> = (0..50)
            .flat_map(|seed| (0..50).map(move |index| Random::of_game(seed, index).next()))
            .collect();
        assert_eq!(firsts.len(), 2500);
    }

    #[test]
    fn chances_are_what_they_should_be() {
        let mut random = Random::new(1);
        let hits = (0..5000).filter(|_| random.chance(0.3)).count();
        assert!((1350..1650).contains(&hits), "{hits}");
        assert!(!random.chance(0.0) && random.chance(1.0));
        assert_eq!(random.choose::<u8>(&[]), None);
    }
}
