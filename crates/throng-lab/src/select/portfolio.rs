//! Portfolios: few algorithms of a pool that together do well.
//!
//! The greedy formation is Algorithm 2 of D. Sigurdson, *Automatic Algorithm Selection in Videogame Pathfinding*, M.Sc. thesis,
//! University of Alberta, 2018, after L. H. S. Lelis et al., *Predicting the Size of Candidate Subsets of Heuristics*, 2016:
//! each step adds the algorithm that raises the virtual best of the portfolio most. Ties go to the algorithm with the higher
//! mean alone, then to the first one. The formation ends before its size if no algorithm raises the virtual best.

use throng::grid::SeededRng;

/// Returns the mean utility of an algorithm over some instances.
fn mean(utilities: &[Vec<f64>], instances: &[usize], algorithm: usize) -> f64 {
    instances.iter().map(|&at| utilities[at][algorithm]).sum::<f64>() / instances.len() as f64
}

/// Returns the algorithm with the highest mean utility over some instances; the first of several.
pub fn best_single(utilities: &[Vec<f64>], instances: &[usize]) -> Option<usize> {
    greedy_portfolio(utilities, instances, 1).first().copied()
}

/// Returns at most `size` algorithms, formed greedily on some instances. The first is the best single one.
pub fn greedy_portfolio(utilities: &[Vec<f64>], instances: &[usize], size: usize) -> Vec<usize> {
    let Some(&first) = instances.first() else { return Vec::new() };
    let algorithms = utilities[first].len();
    let alone: Vec<f64> = (0..algorithms).map(|algorithm| mean(utilities, instances, algorithm)).collect();
    let mut portfolio = Vec::new();
    // The utility of the best member, by instance.
    let mut reached = vec![f64::NEG_INFINITY; instances.len()];
    let mut total = f64::NEG_INFINITY;
    while portfolio.len() < size {
        let with = |algorithm: usize| -> f64 {
            instances.iter().zip(&reached).map(|(&at, &reached)| utilities[at][algorithm].max(reached)).sum()
        };
        let rank = |algorithm: usize| (with(algorithm), alone[algorithm]);
        let ranked = (0..algorithms).map(|algorithm| (rank(algorithm), algorithm));
        let Some((rank, added)) = ranked.reduce(|best, other| if other.0 > best.0 { other } else { best })
        else {
            break;
        };
        if rank.0 <= total {
            break;
        }
        total = rank.0;
        portfolio.push(added);
        for (reached, &at) in reached.iter_mut().zip(instances) {
            *reached = reached.max(utilities[at][added]);
        }
    }
    portfolio
}

/// Returns different random algorithms of a pool.
pub fn random_portfolio(pool: usize, size: usize, rng: &mut SeededRng) -> Vec<usize> {
    let mut all: Vec<usize> = (0..pool).collect();
    rng.shuffle(&mut all);
    all.truncate(size);
    all
}

/// Returns the mean over some instances of the utility of the best member of a portfolio.
pub fn virtual_best(utilities: &[Vec<f64>], instances: &[usize], portfolio: &[usize]) -> f64 {
    mean_of(utilities, instances, portfolio, f64::max)
}

/// Returns the mean over some instances of the utility of the worst member of a portfolio.
pub fn worst(utilities: &[Vec<f64>], instances: &[usize], portfolio: &[usize]) -> f64 {
    mean_of(utilities, instances, portfolio, f64::min)
}

fn mean_of(
    utilities: &[Vec<f64>],
    instances: &[usize],
    portfolio: &[usize],
    pick: fn(f64, f64) -> f64,
) -> f64 {
    let of =
        |&at: &usize| portfolio.iter().map(|&member| utilities[at][member]).reduce(pick).unwrap_or(f64::NAN);
    instances.iter().map(of).sum::<f64>() / instances.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small integers, so that ties occur and sums are exact.
    fn random_utilities(instances: usize, algorithms: usize, seed: u64) -> Vec<Vec<f64>> {
        let mut rng = SeededRng::new(seed);
        (0..instances).map(|_| (0..algorithms).map(|_| -f64::from(rng.below(6))).collect()).collect()
    }

    /// Each step compared with the virtual best of every possible addition.
    #[test]
    fn every_step_adds_the_best_algorithm() {
        let mut stopped = 0;
        for seed in 0..200 {
            let utilities = random_utilities(6, 8, seed);
            let instances = [0, 2, 3, 5];
            let portfolio = greedy_portfolio(&utilities, &instances, 5);
            let value = |members: &[usize]| virtual_best(&utilities, &instances, members);
            for at in 0..portfolio.len() {
                let with = |added: usize| {
                    let members = [&portfolio[..at], &[added]].concat();
                    (value(&members), value(&[added]), -(added as f64))
                };
                assert!((0..8).all(|other| with(other) <= with(portfolio[at])), "seed {seed}");
                assert!(at == 0 || value(&portfolio[..=at]) > value(&portfolio[..at]), "seed {seed}");
            }
            if portfolio.len() < 5 {
                stopped += 1;
                let full = (0..8).collect::<Vec<_>>();
                assert!(
                    value(&portfolio) >= value(&full),
                    "seed {seed}: it ends although an algorithm would help"
                );
            }
        }
        assert!(stopped > 20, "{stopped} of 200 portfolios are complete before their size");
    }

    /// The greedy pair is no better than the best pair, and mostly as good.
    #[test]
    fn greedy_pairs_are_near_the_best_pairs() {
        let mut equal = 0;
        for seed in 0..100 {
            let utilities = random_utilities(10, 8, seed);
            let instances: Vec<usize> = (0..10).collect();
            let value = |members: &[usize]| virtual_best(&utilities, &instances, members);
            let found = value(&greedy_portfolio(&utilities, &instances, 2));
            let pairs = (0..8).flat_map(|a| (0..8).map(move |b| [a, b]));
            let best = pairs.map(|pair| value(&pair)).fold(f64::NEG_INFINITY, f64::max);
            assert!(found <= best);
            equal += usize::from(found >= best);
        }
        assert!((30..100).contains(&equal), "{equal} of 100");
    }

    #[test]
    fn the_best_single_algorithm_is_the_first_with_the_highest_mean() {
        let utilities = vec![vec![0.0, 2.0, 1.0, 2.0], vec![3.0, 2.0, 3.0, 2.0], vec![9.0, 0.0, 0.0, 0.0]];
        assert_eq!(best_single(&utilities, &[0, 1]), Some(1));
        assert_eq!(best_single(&utilities, &[0, 1, 2]), Some(0));
        assert_eq!(best_single(&utilities, &[]), None);
        assert_eq!(greedy_portfolio(&utilities, &[0, 1], 4), [1, 2], "2 and 3 on the two instances");
        assert_eq!(
            (virtual_best(&utilities, &[0, 1], &[0, 1]), worst(&utilities, &[0, 1], &[0, 1])),
            (2.5, 1.0)
        );
    }

    #[test]
    fn random_portfolios_have_different_members() {
        let mut rng = SeededRng::new(1);
        let mut portfolio = random_portfolio(50, 20, &mut rng);
        portfolio.sort_unstable();
        portfolio.dedup();
        assert_eq!(portfolio.len(), 20);
    }
}
