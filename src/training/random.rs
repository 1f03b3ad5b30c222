//! Random numbers that are the same for ever.

/// SplitMix64 (G. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom number
/// generators", 2014). Games are made again from their seeds by later versions too, for which no
/// library vouches.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A stream of its own for each of a seed's games.
    pub(super) const fn of_game(seed: u64, index: u64) -> Self {
        let start = Self::new(seed).next().wrapping_add(index);
        Self::new(Self::new(start).next())
    }

    pub(super) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `end - 1`; 0 if `end` is 0.
    pub(super) const fn below(&mut self, end: usize) -> usize {
        ((self.next() as u128 * end as u128) >> 64) as usize
    }

    /// True with a probability.
    pub(super) fn chance(&mut self, probability: f64) -> bool {
        let unit = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        unit < probability
    }

    /// One of several things; `None` if there are none.
    pub(super) fn choose<'a, T>(&mut self, things: &'a [T]) -> Option<&'a T> {
        things.get(self.below(things.len()))
    }

    /// Puts things in random order (R. Durstenfeld, "Algorithm 235: Random permutation", 1964).
    pub(super) fn shuffle<T>(&mut self, things: &mut [T]) {
        for end in (2..=things.len()).rev() {
            things.swap(end - 1, self.below(end));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_split_mix() {
        // The first numbers of the published algorithm from 1234567.
        let mut random = Random::new(1_234_567);
        let numbers = [(); 3].map(|()| random.next());
        assert_eq!(
            numbers,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn games_and_seeds_have_their_own_numbers() {
        let firsts: std::collections::HashSet<u64> = (0..50)
            .flat_map(|seed| (0..50).map(move |index| Random::of_game(seed, index).next()))
            .collect();
        assert_eq!(firsts.len(), 2500);
    }

    #[test]
    fn everything_gets_its_share() {
        let mut random = Random::new(1);
        let mut counts = [0; 5];
        for _ in 0..5000 {
            counts[random.below(5)] += 1;
        }
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
        let hits = (0..5000).filter(|_| random.chance(0.3)).count();
        assert!((1350..1650).contains(&hits), "{hits}");
        assert!(!random.chance(0.0) && random.chance(1.0));
        let mut order: Vec<usize> = (0..100).collect();
        random.shuffle(&mut order);
        assert_ne!(order, (0..100).collect::<Vec<_>>());
        order.sort();
        assert_eq!(order, (0..100).collect::<Vec<_>>());
        assert_eq!(random.choose::<u8>(&[]), None);
    }
}
