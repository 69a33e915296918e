//! Models: predictions and explanations by hand, files read back, and damaged files refused.

use proptest::prelude::*;

use super::*;

fn features(set: &[(u16, i32)]) -> FeatureVector {
    let mut values = vec![0; FEATURES.len()];
    for &(feature, value) in set {
        values[usize::from(feature)] = value;
    }
    FeatureVector::from_values(&values).unwrap()
}

/// Feature 2 above 10 adds 0.3, otherwise feature 5 above -1 decides between 0.1 and -0.2.
fn tree() -> Vec<Node> {
    vec![
        Node::Split { feature: 2, threshold: 10, left: 1, mean: 100_000 },
        Node::Split { feature: 5, threshold: -1, left: 3, mean: 0 },
        Node::Leaf { value: 300_000 },
        Node::Leaf { value: -200_000 },
        Node::Leaf { value: 100_000 },
    ]
}

fn model() -> Model {
    let stump = vec![
        Node::Split { feature: 0, threshold: 3, left: 1, mean: 0 },
        Node::Leaf { value: 150 },
        Node::Leaf { value: 249 },
    ];
    let forests = vec![
        ("bmaa".to_owned(), Forest { base: 500_000, error: 900, trees: vec![tree()] }),
        ("far:reserve=3".to_owned(), Forest { base: 600_000, error: 800, trees: vec![stump] }),
    ];
    Model::new(forests, "for tests").unwrap()
}

#[test]
fn predictions_follow_the_trees() {
    let model = model();
    let utilities = |set: &[(u16, i32)]| model.utilities(&features(set));
    assert_eq!(utilities(&[(2, 11)]), [8_000, 6_002], "rounded to the nearest");
    assert_eq!(utilities(&[(2, 10), (5, 0), (0, 4)]), [6_000, 6_002]);
    assert_eq!(utilities(&[(2, 10), (5, -1)]), [3_000, 6_002]);
    assert_eq!(model.pick(&features(&[(2, 11)])), 0);
    assert_eq!(model.pick(&features(&[(2, 10)])), 1);
}

#[test]
fn the_first_of_equal_planners_is_picked() {
    let forest = Forest { base: 1, ..Forest::default() };
    let planners = ["a", "b", "c"].map(|name| (name.to_owned(), forest.clone()));
    assert_eq!(Model::new(planners.to_vec(), "").unwrap().pick(&features(&[])), 0);
}

#[test]
fn contributions_add_up_to_the_prediction() {
    let model = model();
    let explanation = model.explain(&features(&[(2, 11), (5, 7)]));
    assert_eq!((explanation.pick, explanation.runner_up), (0, Some(1)));
    assert_eq!(explanation.utilities, [8_000, 6_002]);
    let [reason, other] = explanation.reasons[..] else { panic!("{:?}", explanation.reasons) };
    assert_eq!((reason.feature, reason.value, reason.contribution), (FEATURES[2].name, 11, 2_000));
    assert_eq!((other.feature, other.contribution), (FEATURES[0].name, -1), "speaks for the runner-up");
    let explanation = model.explain(&features(&[(2, 10), (5, -1)]));
    assert_eq!(explanation.pick, 1);
    let of = |name| explanation.reasons.iter().find(|reason| reason.feature == name).unwrap().contribution;
    assert_eq!((of(FEATURES[2].name), of(FEATURES[5].name)), (1_000, 2_000));
}

#[test]
fn files_are_read_back() {
    let model = model();
    let file = model.write();
    let read = Model::read(&file).unwrap();
    assert_eq!(read, model);
    assert_eq!(read.hash(), model.hash());
    assert_eq!(read.write(), file);
    assert_eq!(
        (read.portfolio(), read.note()),
        (&["bmaa".to_owned(), "far:reserve=3".to_owned()][..], "for tests")
    );
}

#[test]
fn every_prefix_is_refused() {
    let file = model().write();
    for end in 0..file.len() {
        let error = Model::read(&file[..end]).unwrap_err();
        assert!(end < 12 || error != ModelError::NotAModel, "{end}: {error}");
    }
    assert!(matches!(Model::read(&[&file[..], &[0]].concat()), Err(ModelError::Checksum)));
}

/// Returns a file with a changed body and the checksum that fits.
fn forged(change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut body = file::body(&model());
    change(&mut body);
    let checksum = file::checksum(&body);
    body.extend(checksum.to_le_bytes());
    body
}

#[test]
fn refusals_say_why() {
    let reason = |bytes: &[u8]| Model::read(bytes).unwrap_err().to_string();
    assert!(reason(b"PNG").contains("not a model file"));
    assert!(reason(&forged(|body| body[12] = 9)).contains("version 9"));
    assert!(reason(&forged(|body| body[16] ^= 1)).contains("other features"));
    assert!(reason(&forged(|body| body.truncate(body.len() - 1))).contains("cut short"));
    assert!(reason(&forged(|body| body.push(0))).contains("1 bytes follow"));
    // The length of the note, far beyond the file.
    assert!(reason(&forged(|body| body[24..28].fill(255))).contains("the note"));
    let mut damaged = model().write();
    damaged[40] ^= 4;
    assert!(reason(&damaged).contains("checksum"));
}

#[test]
fn malformed_models_are_refused() {
    let with = |tree: Vec<Node>| {
        Model::new(vec![("a".to_owned(), Forest { trees: vec![tree], ..Forest::default() })], "")
    };
    let split = |feature, left| Node::Split { feature, threshold: 0, left, mean: 0 };
    let leaf = Node::Leaf { value: 0 };
    assert!(with(vec![split(0, 1), leaf, leaf]).is_ok());
    for (tree, why) in [
        (vec![], "0 nodes"),
        (vec![split(0, 0), leaf, leaf], "node 0"),
        (vec![split(0, 2), leaf, leaf], "node 0"),
        (vec![split(0, u32::MAX), leaf, leaf], "node 0"),
        (vec![split(FEATURES.len() as u16, 1), leaf, leaf], "asks for feature"),
        (vec![split(0, 1), split(0, 1), leaf], "node 1"),
    ] {
        let error = with(tree).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    assert!(Model::new(Vec::new(), "").is_err());
    let twice = vec![("a".to_owned(), Forest::default()), ("a".to_owned(), Forest::default())];
    assert!(Model::new(twice, "").unwrap_err().to_string().contains("twice"));
    assert!(Model::new(vec![("a".repeat(5_000), Forest::default())], "").is_err());
}

/// Every file with one changed byte is refused. With a forged checksum it is refused, or it is a model that predicts, explains
/// and is written as it was read.
#[test]
fn files_with_one_changed_byte_are_refused_or_harmless() {
    let (file, features) = (model().write(), features(&[(2, 10), (5, -1)]));
    let mut accepted = 0;
    for at in 0..file.len() {
        for change in 1..=u8::MAX {
            let mut damaged = file.clone();
            damaged[at] ^= change;
            assert!(Model::read(&damaged).is_err(), "byte {at} changed by {change}");
        }
    }
    for at in 0..file.len() - 8 {
        for change in 1..=u8::MAX {
            let forged = forged(|body| body[at] ^= change);
            if let Ok(read) = Model::read(&forged) {
                assert_eq!(read.utilities(&features).len(), 2);
                read.explain(&features);
                assert_eq!(read.write(), forged);
                accepted += 1;
            }
        }
        assert!(Model::read(&forged(|body| body.truncate(at))).is_err(), "cut at byte {at}");
    }
    assert!(accepted > 0, "leaves and thresholds may have any value");
}

/// Hostile sizes: chains and counts that would take long.
#[test]
fn deep_and_large_models_are_refused() {
    // Split number `i` is node `2 i - 1` (the first one is node 0); its left child is the next split, its right one a leaf.
    let chain = |splits: u32| {
        let split = |number: u32| Node::Split { feature: 0, threshold: 0, left: 2 * number + 1, mean: 0 };
        let leaf = Node::Leaf { value: 0 };
        let mut tree = vec![split(0)];
        tree.extend((1..splits).flat_map(|number| [split(number), leaf]));
        tree.extend([leaf, leaf]);
        tree
    };
    let with =
        |trees: Vec<Vec<Node>>| Model::new(vec![("a".to_owned(), Forest { trees, ..Forest::default() })], "");
    assert!(with(vec![chain(32)]).is_ok());
    assert!(with(vec![chain(33)]).unwrap_err().to_string().contains("more than 32 splits"));
    assert!(with(vec![chain(3_000)]).unwrap_err().to_string().contains("nodes"));
    let leaf = vec![Node::Leaf { value: 0 }];
    assert!(with(vec![leaf.clone(); 1_024]).is_ok());
    assert!(with(vec![leaf; 1_025]).unwrap_err().to_string().contains("1025 trees"));
    // Counts of planners, trees and nodes far beyond the file are refused before memory is taken.
    let note = "for tests".len();
    let portfolio = 28 + note + 4;
    let trees = portfolio + 4 + 4 + "bmaa".len() + 8;
    for at in [portfolio, trees, trees + 4] {
        let error = Model::read(&forged(|body| body[at..at + 4].fill(255))).unwrap_err();
        assert!(matches!(error, ModelError::CutShort { .. }), "{error}");
    }
}

proptest! {
    /// A damaged file is refused; with a forged checksum it is refused or gives a model that predicts.
    #[test]
    fn damaged_files_are_refused_or_harmless(
        flips in prop::collection::vec((any::<prop::sample::Index>(), 1_u8..), 1..4),
        values in prop::collection::vec(any::<i32>(), FEATURES.len()),
    ) {
        let mut file = model().write();
        for (at, change) in &flips {
            let at = at.index(file.len());
            file[at] ^= change;
        }
        prop_assert!(file == model().write() || Model::read(&file).is_err());
        let file = forged(|body| {
            for (at, change) in &flips {
                let at = at.index(body.len());
                body[at] ^= change;
            }
        });
        if let Ok(read) = Model::read(&file) {
            let features = FeatureVector::from_values(&values).unwrap();
            prop_assert_eq!(read.utilities(&features).len(), read.portfolio().len());
            read.explain(&features);
            prop_assert_eq!(read.write(), file);
        }
    }
}
