//! Known values, and the coverage of intervals on samples with a known mean.

use super::*;

fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected}");
}

/// Draws an approximately normal value: the sum of twelve uniform ones.
fn normal(rng: &mut SeededRng) -> f64 {
    (0..12).map(|_| uniform(rng)).sum::<f64>() - 6.0
}

fn uniform(rng: &mut SeededRng) -> f64 {
    f64::from(rng.below(1 << 30)) / f64::from(1 << 30)
}

#[test]
fn quantiles_interpolate_between_values() {
    let values = sorted([4.0, 1.0, f64::NAN, 3.0, 2.0]);
    assert_eq!(values, [1.0, 2.0, 3.0, 4.0]);
    assert_near(quantile(&values, 0.5), 2.5, 1e-12);
    assert_near(quantile(&values, 0.25), 1.75, 1e-12);
    assert_near(quantile(&values, 1.0), 4.0, 0.0);
    assert!(quantile(&[], 0.5).is_nan());
}

#[test]
fn student_points_match_published_tables() {
    for (freedom, point) in [(1, 12.706), (4, 2.776), (11, 2.201), (20, 2.086), (30, 2.042), (120, 1.980)] {
        assert_near(student(freedom), point, 0.003);
    }
}

#[test]
fn fewer_than_three_runs_give_no_interval() {
    for values in [vec![], vec![1.0], vec![1.0, 2.0]] {
        let estimate = mean(&values, &Strata::new([values.len()]));
        assert_eq!((estimate.interval, estimate.resampling), (None, Resampling::TooFew));
    }
    assert!(mean(&[1.0, 2.0, 3.0], &Strata::new([3])).interval.is_some());
}

#[test]
fn strata_exclude_differences_between_settings_from_the_interval() {
    // Two numbers of agents with very different results: only the spread within each counts.
    let values = [0.9, 0.92, 0.91, 0.1, 0.11, 0.12];
    let within = mean(&values, &Strata::new([3, 3]));
    let pooled = mean(&values, &Strata::new([1; 6]));
    assert_eq!((within.resampling, pooled.resampling), (Resampling::WithinStrata, Resampling::Pooled));
    assert_near(within.value, pooled.value, 1e-12);
    assert!(within.interval.unwrap().half() < 0.03, "{within:?}");
    assert!(pooled.interval.unwrap().half() > 0.3, "{pooled:?}");
    // A setting with one run has no known spread.
    assert_eq!(Strata::new([3, 3, 1]).resampling, Resampling::Pooled);
    assert_eq!(Strata::new([0, 3, 0]), Strata::new([3]));
}

#[test]
fn intervals_of_normal_values_match_the_exact_ones() {
    let mut rng = SeededRng::new(1);
    let values: Vec<f64> = (0..400).map(|_| 5.0 + 2.0 * normal(&mut rng)).collect();
    let estimate = mean(&values, &Strata::new([400]));
    let variance = values.iter().map(|value| (value - estimate.value).powi(2)).sum::<f64>() / 399.0;
    assert_near(estimate.interval.unwrap().half(), 1.966 * (variance / 400.0).sqrt(), 0.015);
}

/// Counts in how many of 1,000 samples the interval contains the true mean.
fn coverage(sizes: &[usize], truth: f64, sample: impl Fn(&mut SeededRng) -> f64) -> usize {
    let mut rng = SeededRng::new(2);
    let strata = Strata::new(sizes.iter().copied());
    let contains = |rng: &mut SeededRng| {
        let values: Vec<f64> = (0..sizes.iter().sum()).map(|_| sample(rng)).collect();
        let interval = mean(&values, &strata).interval.unwrap();
        interval.low <= truth && truth <= interval.high
    };
    (0..1_000).filter(|_| contains(&mut rng)).count()
}

#[test]
fn intervals_have_their_nominal_coverage() {
    for (sizes, name) in [(&[3][..], "3"), (&[5], "5"), (&[20], "20"), (&[3, 3, 3], "3×3"), (&[2; 6], "2×6")]
    {
        let covered = coverage(sizes, 0.0, normal);
        assert!((925..=985).contains(&covered), "{name} normal runs: {covered} of 1,000");
    }
    // Skewed values, like times: no simple interval is exact, but the coverage must be close.
    let covered = coverage(&[15], 1.0 / 3.0, |rng| uniform(rng).powi(2));
    assert!((915..=975).contains(&covered), "15 skewed runs: {covered} of 1,000");
}

#[test]
fn paired_comparisons_cancel_the_difficulty_of_instances() {
    let mut rng = SeededRng::new(3);
    let pairs: Vec<(f64, f64)> = (0..30)
        .map(|_| {
            let difficulty = 100.0 * uniform(&mut rng);
            (difficulty + 1.0 + normal(&mut rng) * 0.5, difficulty)
        })
        .collect();
    let comparison = paired(&pairs, &Strata::new([30]));
    let interval = comparison.difference.interval.unwrap();
    assert!(interval.low > 0.5 && interval.high < 1.5, "{interval:?}");
    assert_eq!(comparison.counts.iter().sum::<usize>(), 30);
    assert!(comparison.counts[0] > 25);
    let equal = paired(&[(1.0, 1.0), (2.0, 1.0), (0.0, 1.0)], &Strata::new([3]));
    assert_eq!(equal.counts, [1, 1, 1]);
}

#[test]
fn intervals_of_any_statistic_are_reproducible() {
    let values: Vec<f64> = (0..50).map(f64::from).collect();
    let largest = |drawn: &[usize]| drawn.iter().map(|&run| values[run]).fold(0.0, f64::max);
    let (one, other) = (statistic(&Strata::new([50]), largest), statistic(&Strata::new([50]), largest));
    assert_eq!(one, other);
    assert_near(one.value, 49.0, 0.0);
    assert!(one.interval.unwrap().low >= 40.0);
}

#[test]
fn scaling_and_clipping_apply_to_the_interval_too() {
    let estimate = mean(&[0.8, 1.0, 1.0], &Strata::new([3])).within(0.0, 1.0).scaled(100.0);
    let interval = estimate.interval.unwrap();
    assert_near(interval.high, 100.0, 0.0);
    assert_near(estimate.value, 280.0 / 3.0, 1e-9);
}

/// Medians over all values of runs that differ far more than the values within a run. Resampling single values would give
/// intervals that are much too narrow.
#[test]
fn intervals_of_pooled_medians_have_their_nominal_coverage() {
    let mut rng = SeededRng::new(17);
    let (samples, runs) = (150, 12);
    let covered = (0..samples).filter(|_| {
        let mut run = || {
            let level = 100.0 + 10.0 * normal(&mut rng);
            let values: Vec<f64> = (0..100).map(|_| level + 3.0 * normal(&mut rng)).collect();
            Percentiles::of(&values).unwrap()
        };
        let sample: Vec<Percentiles> = (0..runs).map(|_| run()).collect();
        let pool = PercentilePool::new(&sample);
        let estimate = widened(&Strata::new([runs]), |drawn| {
            let mut counts = vec![0; runs];
            for &run in drawn {
                counts[run] += 100;
            }
            pool.percentile(50, &counts)
        });
        let Interval { low, high } = estimate.interval.unwrap();
        low <= 100.0 && 100.0 <= high
    });
    let covered = covered.count();
    assert!(covered * 100 >= samples * 92, "{covered} of {samples}");
}
