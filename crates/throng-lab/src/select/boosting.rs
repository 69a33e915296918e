//! Gradient-boosted regression trees: each tree fits what the trees before it leave over.
//!
//! J. H. Friedman, *Greedy Function Approximation: A Gradient Boosting Machine*, Annals of Statistics 29(5), 2001, with
//! squared error, shrinkage and sampled rows and features (*Stochastic Gradient Boosting*, 2002), and histograms of binned
//! features as in `LightGBM` (G. Ke et al., NIPS 2017). Targets, sums and leaves are integers, so that a forest is the same
//! whatever the order of additions, and the trainer's predictions are exactly those of the stored trees.
//!
//! Why not a crate: `forust-ml` 0.8 does most of this, but sums in 32-bit floats and adds second versions of `rand`,
//! `thiserror` and `syn` to the build. `perpetual` 2.3 reads a clock while it trains, and the trees of `smartcore` 0.7 are
//! private.

use throng::grid::SeededRng;
use throng_select::{Forest, Node};

/// How trees are grown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Boosting {
    /// Number of trees.
    pub trees: usize,
    /// Largest number of leaves of a tree.
    pub leaves: usize,
    /// Smallest number of sampled instances in a leaf.
    pub min_leaf: u32,
    /// Share of each tree's correction that is applied, in 1/1,000.
    pub learning_rate: i64,
    /// Share of the instances that a tree sees, in 1/1,000.
    pub rows: u32,
    /// Share of the features that a tree sees, in 1/1,000.
    pub features: u32,
    /// Number of instances without a correction that are added to every leaf: large values shrink small leaves.
    pub regularization: i64,
    /// The seed of the samples.
    pub seed: u64,
}

/// Largest number of bins of a feature.
const BINS: usize = 64;

/// Rows of features, each value replaced by the number of its bin.
#[derive(Clone, Debug)]
pub struct Binned {
    /// Per feature: the largest value of every bin but the last.
    thresholds: Vec<Vec<i32>>,
    /// Per feature and row: the bin.
    bins: Vec<Vec<u8>>,
    rows: usize,
}

impl Binned {
    /// Divides the values of every feature into bins with about equally many rows.
    pub fn new(rows: &[&[i32]]) -> Self {
        let columns = rows.first().map_or(0, |row| row.len());
        let thresholds: Vec<Vec<i32>> =
            (0..columns).map(|at| thresholds(rows.iter().map(|row| row[at]).collect())).collect();
        let bin =
            |at: usize, value: i32| thresholds[at].partition_point(|&threshold| threshold < value) as u8;
        let bins = (0..columns).map(|at| rows.iter().map(|row| bin(at, row[at])).collect()).collect();
        Self { thresholds, bins, rows: rows.len() }
    }
}

/// Returns thresholds between different values, as far as possible at equal shares of the values.
fn thresholds(mut values: Vec<i32>) -> Vec<i32> {
    values.sort_unstable();
    let mut found: Vec<i32> = Vec::new();
    let per_bin = values.len().div_ceil(BINS).max(1);
    let mut since = 0;
    for pair in values.windows(2) {
        since += 1;
        if pair[0] < pair[1] && since >= per_bin && found.len() < BINS - 1 {
            // Between the two values, so that values never seen fall on the nearer side.
            found.push(pair[0] + ((i64::from(pair[1]) - i64::from(pair[0])) / 2) as i32);
            since = 0;
        }
    }
    found
}

/// A leaf that may still be split: its node, and its range in the list of sampled rows.
struct Open {
    node: usize,
    from: usize,
    to: usize,
    sum: i64,
    split: Option<Best>,
}

/// The best split of a leaf.
#[derive(Clone, Copy)]
struct Best {
    gain: f64,
    feature: usize,
    /// Rows of this bin and all before it go left.
    bin: u8,
}

impl Boosting {
    /// Fits a forest to one target per row, in 1/1,000,000.
    pub fn fit(&self, data: &Binned, targets: &[i64]) -> Forest {
        let base = targets.iter().sum::<i64>() / (targets.len() as i64).max(1);
        let mut forest = Forest { base: base as i32, error: 0, trees: Vec::new() };
        let mut residuals: Vec<i64> = targets.iter().map(|target| target - i64::from(forest.base)).collect();
        let mut rng = SeededRng::new(self.seed);
        for _ in 0..self.trees {
            let rows: Vec<u32> = (0..data.rows as u32).filter(|_| rng.below(1_000) < self.rows).collect();
            let features: Vec<usize> =
                (0..data.bins.len()).filter(|_| rng.below(1_000) < self.features).collect();
            let (tree, splits) = self.grow(data, &residuals, rows, &features);
            for (row, residual) in residuals.iter_mut().enumerate() {
                *residual -= i64::from(leaf(data, &tree, &splits, row));
            }
            forest.trees.push(tree);
        }
        forest
    }

    /// Grows one tree, always splitting the leaf that gains most. Returns it and the bin of each node's split.
    fn grow(
        &self,
        data: &Binned,
        residuals: &[i64],
        mut rows: Vec<u32>,
        features: &[usize],
    ) -> (Vec<Node>, Vec<u8>) {
        let mut nodes = vec![Node::Leaf { value: 0 }];
        let mut bins = vec![0];
        let mut counts = vec![rows.len()];
        let sum = rows.iter().map(|&row| residuals[row as usize]).sum();
        let mut open = vec![self.open(data, residuals, &rows, features, (0, 0, rows.len(), sum))];
        while nodes.len() < 2 * self.leaves - 1 {
            let gain = |leaf: &Open| leaf.split.map_or(0.0, |split| split.gain);
            let Some(at) = (0..open.len()).rev().max_by(|&a, &b| gain(&open[a]).total_cmp(&gain(&open[b])))
            else {
                break;
            };
            let Some(Best { feature, bin, .. }) = open[at].split else { break };
            let Open { node, from, to, .. } = open.swap_remove(at);
            let (left, right): (Vec<u32>, Vec<u32>) =
                rows[from..to].iter().partition(|&&row| data.bins[feature][row as usize] <= bin);
            let middle = from + left.len();
            rows[from..middle].copy_from_slice(&left);
            rows[middle..to].copy_from_slice(&right);
            let child = nodes.len();
            let threshold = data.thresholds[feature][usize::from(bin)];
            nodes[node] = Node::Split { feature: feature as u16, threshold, left: child as u32, mean: 0 };
            bins[node] = bin;
            for (node, part) in [(child, from..middle), (child + 1, middle..to)] {
                nodes.push(Node::Leaf { value: 0 });
                bins.push(0);
                counts.push(part.len());
                let sum = rows[part.clone()].iter().map(|&row| residuals[row as usize]).sum();
                open.push(self.open(data, residuals, &rows, features, (node, part.start, part.end, sum)));
            }
        }
        for leaf in open {
            let weight = (leaf.to - leaf.from) as i64 + self.regularization;
            nodes[leaf.node] =
                Node::Leaf { value: (leaf.sum * self.learning_rate / (1_000 * weight.max(1))) as i32 };
        }
        set_means(&mut nodes, &counts);
        (nodes, bins)
    }

    /// Returns a leaf with its best split.
    fn open(
        &self,
        data: &Binned,
        residuals: &[i64],
        rows: &[u32],
        features: &[usize],
        (node, from, to, sum): (usize, usize, usize, i64),
    ) -> Open {
        let rows = &rows[from..to];
        let mut best: Option<Best> = None;
        if rows.len() >= 2 * self.min_leaf as usize {
            for &feature in features {
                let mut histogram = [(0_i64, 0_u32); BINS];
                for &row in rows {
                    let bin = &mut histogram[usize::from(data.bins[feature][row as usize])];
                    bin.0 += residuals[row as usize];
                    bin.1 += 1;
                }
                let found =
                    self.best_split(&histogram, data.thresholds[feature].len(), (sum, rows.len() as u32));
                if let Some((gain, bin)) = found.filter(|&(gain, _)| best.is_none_or(|best| gain > best.gain))
                {
                    best = Some(Best { gain, feature, bin });
                }
            }
        }
        Open { node, from, to, sum, split: best }
    }

    /// Returns the gain and bin of the best split of a feature; none if no split gains or leaves enough rows on both sides.
    fn best_split(
        &self,
        histogram: &[(i64, u32); BINS],
        bins: usize,
        (sum, count): (i64, u32),
    ) -> Option<(f64, u8)> {
        let score = |sum: i64, count: u32| {
            (sum as f64).powi(2) / (i64::from(count) + self.regularization).max(1) as f64
        };
        let whole = score(sum, count);
        let (mut left_sum, mut left_count) = (0, 0);
        let mut best = None;
        for (bin, &(bin_sum, bin_count)) in histogram[..bins].iter().enumerate() {
            (left_sum, left_count) = (left_sum + bin_sum, left_count + bin_count);
            if left_count < self.min_leaf || count - left_count < self.min_leaf {
                continue;
            }
            let gain = score(left_sum, left_count) + score(sum - left_sum, count - left_count) - whole;
            if gain > best.map_or(1e-9, |(most, _)| most) {
                best = Some((gain, bin as u8));
            }
        }
        best
    }
}

/// Returns the leaf of a training row.
fn leaf(data: &Binned, tree: &[Node], bins: &[u8], row: usize) -> i32 {
    let mut at = 0;
    loop {
        match tree[at] {
            Node::Leaf { value } => return value,
            Node::Split { feature, left, .. } => {
                at = left as usize + usize::from(data.bins[usize::from(feature)][row] > bins[at]);
            }
        }
    }
}

/// Sets the mean of every split to that of its children, weighted by their rows. Children lie behind their parents.
fn set_means(nodes: &mut [Node], counts: &[usize]) {
    let of = |node: Node| match node {
        Node::Split { mean, .. } => i64::from(mean),
        Node::Leaf { value } => i64::from(value),
    };
    for at in (0..nodes.len()).rev() {
        if let Node::Split { feature, threshold, left, .. } = nodes[at] {
            let children = [left as usize, left as usize + 1];
            let sum: i64 = children.iter().map(|&child| of(nodes[child]) * counts[child] as i64).sum();
            let mean = (sum / counts[at].max(1) as i64) as i32;
            nodes[at] = Node::Split { feature, threshold, left, mean };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: Boosting = Boosting {
        trees: 150,
        leaves: 8,
        min_leaf: 5,
        learning_rate: 100,
        rows: 700,
        features: 800,
        regularization: 1,
        seed: 1,
    };

    fn random_rows(count: usize, columns: usize, seed: u64) -> Vec<Vec<i32>> {
        let mut rng = SeededRng::new(seed);
        (0..count).map(|_| (0..columns).map(|_| rng.between(-500, 500)).collect()).collect()
    }

    /// A step, a product of two features and noise-free otherwise; three features do not matter.
    fn known(row: &[i32]) -> i64 {
        let step = if row[0] > 100 { 400_000 } else { 0 };
        step + i64::from(row[1]) * i64::from(row[2].signum()) * 500
    }

    fn slices(rows: &[Vec<i32>]) -> Vec<&[i32]> {
        rows.iter().map(Vec::as_slice).collect()
    }

    #[test]
    fn a_known_function_is_recovered_on_unseen_rows() {
        let (train, test) = (random_rows(2_000, 6, 1), random_rows(500, 6, 2));
        let targets: Vec<i64> = train.iter().map(|row| known(row)).collect();
        let forest = SETTINGS.fit(&Binned::new(&slices(&train)), &targets);
        let mean = targets.iter().sum::<i64>() / targets.len() as i64;
        let (mut left, mut whole) = (0, 0);
        for row in &test {
            let target = known(row);
            left += (i64::from(forest.predict(row)) * 100 - target).pow(2);
            whole += (mean - target).pow(2);
        }
        assert!(left * 20 < whole, "{} % of the variance is left", left * 100 / whole);
    }

    #[test]
    fn the_same_rows_give_the_same_forest() {
        let rows = random_rows(300, 4, 3);
        let targets: Vec<i64> = rows.iter().map(|row| known(row)).collect();
        let data = Binned::new(&slices(&rows));
        let forest = SETTINGS.fit(&data, &targets);
        assert_eq!(forest, SETTINGS.fit(&data, &targets));
        assert_ne!(forest, Boosting { seed: 2, ..SETTINGS }.fit(&data, &targets));
    }

    /// The sum of leaves by bins, as the trainer sees it, is the prediction by thresholds.
    #[test]
    fn stored_trees_predict_like_the_trainer() {
        let rows = random_rows(400, 3, 4);
        let targets: Vec<i64> = rows.iter().map(|row| known(row)).collect();
        let data = Binned::new(&slices(&rows));
        let mut residuals = targets.clone();
        for seed in 0..20 {
            let grown = Boosting { seed, ..SETTINGS };
            let (tree, bins) = grown.grow(&data, &residuals, (0..400).collect(), &[0, 1, 2]);
            let forest = Forest { base: 0, error: 0, trees: vec![tree.clone()] };
            for (row, values) in rows.iter().enumerate() {
                let value = leaf(&data, &tree, &bins, row);
                assert_eq!(forest.predict(values), (value + 50).div_euclid(100), "row {row}");
                residuals[row] -= i64::from(value);
            }
        }
        let before: i64 = targets.iter().map(|value| value.abs()).sum();
        let after: i64 = residuals.iter().map(|value| value.abs()).sum();
        assert!(after * 2 < before, "{before}, {after}");
    }

    #[test]
    fn leaves_have_enough_rows_and_trees_few_leaves() {
        let rows = random_rows(200, 3, 5);
        let targets: Vec<i64> = rows.iter().map(|row| known(row)).collect();
        let data = Binned::new(&slices(&rows));
        let settings = Boosting { min_leaf: 30, leaves: 5, ..SETTINGS };
        let (tree, bins) = settings.grow(&data, &targets, (0..200).collect(), &[0, 1, 2]);
        let leaves = tree.iter().filter(|node| matches!(node, Node::Leaf { .. })).count();
        assert!((3..=5).contains(&leaves), "{leaves} leaves");
        let mut found = std::collections::BTreeMap::new();
        for row in 0..200 {
            *found.entry(leaf(&data, &tree, &bins, row)).or_insert(0) += 1;
        }
        assert!(found.values().all(|&count| count >= 30), "{found:?}");
        let Node::Split { mean, .. } = tree[0] else { panic!("the root is split") };
        let sum: i64 = found.iter().map(|(&value, &count)| i64::from(value) * count).sum();
        assert!((i64::from(mean) - sum / 200).abs() <= 3, "{mean}, {}", sum / 200);
    }

    #[test]
    fn thresholds_lie_between_values() {
        assert_eq!(thresholds(vec![3, 1, 1, 7, 3]), [2, 5]);
        assert_eq!(thresholds(vec![i32::MIN, i32::MAX]), [-1]);
        assert_eq!(thresholds(vec![4; 10]), [0; 0]);
        let many = thresholds((0..10_000).collect());
        assert!(many.len() == BINS - 1 && many.is_sorted());
        assert_eq!(thresholds(Vec::new()), [0; 0]);
    }
}
