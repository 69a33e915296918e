//! Arithmetic on eight values, one per direction, without branches that depend on the values.

/// One value per direction, in the order of the directions' numbers.
pub(super) type Lanes = [f64; 8];

/// Returns the smallest value.
#[inline]
pub(super) fn smallest(values: &Lanes) -> f64 {
    let min = |a: f64, b: f64| if a < b { a } else { b };
    let [a, b, c, d, e, f, g, h] = *values;
    min(min(min(a, b), min(c, d)), min(min(e, f), min(g, h)))
}

/// Returns the largest value.
#[inline]
pub(super) fn largest(values: &Lanes) -> f64 {
    let max = |a: f64, b: f64| if a > b { a } else { b };
    let [a, b, c, d, e, f, g, h] = *values;
    max(max(max(a, b), max(c, d)), max(max(e, f), max(g, h)))
}

/// Returns the sum, added in pairs.
#[inline]
pub(super) fn sum(values: &Lanes) -> f64 {
    let [a, b, c, d, e, f, g, h] = *values;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

/// Returns the number of the first lane with the smallest value.
#[inline]
pub(super) fn first_smallest(values: &Lanes) -> usize {
    let least = smallest(values);
    let equal = (0..8).fold(0_u32, |set, at| set | u32::from(values[at] <= least) << at);
    equal.trailing_zeros() as usize & 7
}

/// Returns the position of each value in their sorted order; equal values keep their order. Every pair is compared once.
#[inline]
pub(super) fn ranks(values: &Lanes) -> [usize; 8] {
    let mut ranks = [0, 1, 2, 3, 4, 5, 6, 7];
    for at in 1..8 {
        for before in 0..at {
            let is_smaller = usize::from(values[at] < values[before]);
            ranks[at] -= is_smaller;
            ranks[before] += is_smaller;
        }
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with sorting, on values with ties and infinities.
    #[test]
    fn lanes_agree_with_sorting() {
        let mut state = 1_u64;
        for _ in 0..2_000 {
            let values: Lanes = std::array::from_fn(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                match state >> 60 {
                    0 => f64::INFINITY,
                    value => value as f64,
                }
            });
            let mut order: Vec<usize> = (0..8).collect();
            order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
            assert!(smallest(&values).total_cmp(&values[order[0]]).is_eq());
            assert!(largest(&values).total_cmp(&values[order[7]]).is_eq());
            assert_eq!(first_smallest(&values), order[0]);
            let ranks = ranks(&values);
            assert!(order.iter().enumerate().all(|(rank, &at)| ranks[at] == rank), "{values:?}: {ranks:?}");
            let expected = values.iter().sum::<f64>();
            assert!(sum(&values).total_cmp(&expected).is_eq(), "small integers are added exactly");
        }
    }
}
