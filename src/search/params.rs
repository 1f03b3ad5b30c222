//! The search's constants, each with the range in which it may be tuned.

/// Declares constants with their tuning ranges, and a test that they lie within.
macro_rules! params {
    ($($(#[$doc:meta])* $name:ident = $value:literal in $min:literal..=$max:literal;)*) => {
        $($(#[$doc])* pub(super) const $name: i32 = $value;)*

        #[cfg(test)]
        const RANGES: &[(&str, i32, std::ops::RangeInclusive<i32>)] =
            &[$((stringify!($name), $name, $min..=$max)),*];
    };
}

params! {
    /// Half the width of the first aspiration window, in centi-stones.
    ASPIRATION_DELTA = 60 in 10..=400;
    /// How many times wider it gets at each failure …
    ASPIRATION_GROWTH = 4 in 2..=8;
    /// … until it is wider than this and is opened.
    ASPIRATION_MAX = 4000 in 1000..=10000;
    /// Aspiration windows are used from this depth on.
    ASPIRATION_DEPTH = 4 in 2..=8;

    /// Reverse futility pruning: up to this depth …
    RFP_DEPTH = 6 in 1..=10;
    /// … if the evaluation is above beta by this many centi-stones per ply.
    RFP_MARGIN = 180 in 50..=500;

    /// Null move: from this depth on …
    NULL_DEPTH = 3 in 2..=6;
    /// … with this many empty squares or more (passing may be best on a full board) …
    NULL_EMPTY = 10 in 4..=30;
    /// … searched shallower by this many plies …
    NULL_REDUCTION = 2 in 1..=4;
    /// … and the depth divided by this.
    NULL_DIVISOR = 3 in 2..=6;

    /// Without a table move, nodes from this depth on are searched a ply shallower.
    IIR_DEPTH = 4 in 2..=8;

    /// Late-move and futility pruning only with more empty squares than this: near the end every
    /// move may be the one that counts.
    PRUNING_EMPTY = 6 in 4..=12;
    /// Late-move pruning: up to this depth …
    LMP_DEPTH = 4 in 1..=8;
    /// … after this many moves …
    LMP_BASE = 6 in 2..=20;
    /// … and this many for each squared ply of depth.
    LMP_FACTOR = 4 in 1..=10;
    /// Futility pruning: up to this depth …
    FUTILITY_DEPTH = 3 in 1..=8;
    /// … if evaluation and what the move gains are below alpha by this many centi-stones …
    FUTILITY_BASE = 250 in 50..=800;
    /// … and this many per ply.
    FUTILITY_MARGIN = 150 in 50..=500;

    /// Late-move reductions from this depth on …
    LMR_DEPTH = 2 in 2..=5;
    /// … after this many moves …
    LMR_MOVES = 3 in 1..=8;
    /// … at the root after this many …
    LMR_ROOT_MOVES = 4 in 1..=12;
    /// … by this many hundredths of a ply …
    LMR_BASE = 40 in 0..=150;
    /// … and ln(depth) * ln(move number) divided by this, in hundredths.
    LMR_DIVISOR = 160 in 100..=300;
    /// One ply less or more per this much history.
    LMR_HISTORY = 6000 in 2000..=16000;

    /// Move ordering: what a stone gained is worth, in points of history.
    ORDER_GAIN = 4000 in 500..=16000;
    /// The largest history of a move.
    HISTORY_MAX = 16000 in 4000..=30000;
    /// History bonus per ply of depth.
    HISTORY_BONUS = 180 in 50..=600;
    /// The largest history bonus of one node.
    HISTORY_BONUS_MAX = 1800 in 500..=4000;

    /// The table keeps an entry for as many plies of depth less for each search that it is old …
    TABLE_AGE = 8 in 1..=16;
    /// … and for the same position one that is deeper by more than this.
    TABLE_KEEP = 3 in 0..=8;

    /// Time: how many moves the clock has to last for when nothing is said: this many …
    MOVES_LEFT_BASE = 10 in 4..=40;
    /// … and this many hundredths for each empty square.
    MOVES_LEFT_EMPTY = 45 in 0..=150;
    /// This many times the move overhead, or a quarter of the clock if that is less, is kept for
    /// emergencies.
    RESERVE = 3 in 0..=10;
    /// Per cent of the increment that a move may use.
    INCREMENT_SHARE = 80 in 40..=100;
    /// A search that is going badly may use this many hundredths of a move's share …
    HARD_FACTOR = 350 in 150..=600;
    /// … but no more than this many hundredths of the clock.
    HARD_SHARE = 40 in 10..=80;
    /// An iteration is begun while less than this many hundredths of the share are used, with a
    /// best move that has just changed.
    SOFT_UNSTABLE = 120 in 60..=200;
    /// Each iteration that kept the best move takes this many hundredths off …
    SOFT_STEP = 12 in 2..=30;
    /// … down to this many.
    SOFT_STABLE = 50 in 20..=100;
}

#[cfg(test)]
mod tests {
    #[test]
    fn constants_lie_in_their_ranges() {
        for (name, value, range) in super::RANGES {
            assert!(range.contains(value), "{name} = {value} is not in {range:?}");
        }
    }
}
