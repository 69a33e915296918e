//! The stored data of the repository can be evaluated.

use std::path::Path;

use throng_lab::select::NearestNeighbours;
use throng_lab::select::single_agent::Granularity;

#[test]
fn all_granularities_are_evaluated_on_the_stored_data() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/select");
    for granularity in Granularity::ALL {
        let found = granularity.evaluate(&folder, 1, &[&NearestNeighbours { count: 10 }]).unwrap();
        let evaluation = found.stored.evaluation;
        assert_eq!(evaluation.splits, 20, "{}", granularity.name());
        let (best, worst) = (evaluation.best.quality, evaluation.worst.quality);
        for quality in [evaluation.prior.quality, evaluation.models[0].quality] {
            assert!(
                (best..worst).contains(&quality),
                "{}: {quality} is not from {best} to {worst}",
                granularity.name()
            );
        }
        assert!(best >= 1.0, "no walk is shorter than a shortest path");
    }
}
