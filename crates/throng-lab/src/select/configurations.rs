//! The configurations of the parametrised real-time search that portfolios are formed from.
//!
//! D. Sigurdson, *Automatic Algorithm Selection in Videogame Pathfinding*, M.Sc. thesis, University of Alberta, 2018, section
//! 4.3, draws 1,000 of them uniformly. The range of `w_c` is missing there; it is that of `w`. The sequence is fixed, so that
//! a sample is its beginning, and weights have three decimals, so that a specification repeats a configuration exactly.

use throng::grid::SeededRng;
use throng_search::real_time::{LearningOperator, RthsParameters};

/// The seed of the sequence.
pub const CONFIGURATION_SEED: u64 = 2018;

/// Returns the first configurations of the sequence.
pub fn configurations(count: usize) -> Vec<RthsParameters> {
    let mut rng = SeededRng::new(CONFIGURATION_SEED);
    (0..count).map(|_| draw(&mut rng)).collect()
}

fn draw(rng: &mut SeededRng) -> RthsParameters {
    let mut thousandths = |min: u32, max: u32| f64::from(min + rng.below(max - min + 1)) / 1000.0;
    let (weight, cost_weight, beam) =
        (thousandths(1000, 10_000), thousandths(1000, 10_000), thousandths(0, 1000));
    RthsParameters {
        weight,
        cost_weight,
        beam,
        operator: rng.pick(&LearningOperator::ALL),
        avoid_depressions: rng.chance(50),
        expendable: rng.chance(50),
    }
}

/// Returns the specification of a configuration, which `throng path --search` takes.
pub fn specification(parameters: &RthsParameters) -> String {
    let at = LearningOperator::ALL.iter().position(|&operator| operator == parameters.operator);
    let operator = LearningOperator::NAMES[at.unwrap_or(0)];
    let switch = |on: bool| if on { "on" } else { "off" };
    format!(
        "rths:w={},wc={},b={},lop={operator},da={},expendable={}",
        parameters.weight,
        parameters.cost_weight,
        parameters.beam,
        switch(parameters.avoid_depressions),
        switch(parameters.expendable),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_fill_the_space() {
        let all = configurations(1000);
        let mean = |value: fn(&RthsParameters) -> f64| all.iter().map(value).sum::<f64>() / 1000.0;
        for (mean, low, high) in [
            (mean(|it| it.weight), 5.2, 5.8),
            (mean(|it| it.cost_weight), 5.2, 5.8),
            (mean(|it| it.beam), 0.46, 0.54),
            (mean(|it| f64::from(u8::from(it.avoid_depressions))), 0.45, 0.55),
            (mean(|it| f64::from(u8::from(it.expendable))), 0.45, 0.55),
        ] {
            assert!((low..high).contains(&mean), "{mean} is not between {low} and {high}");
        }
        for operator in LearningOperator::ALL {
            let count = all.iter().filter(|it| it.operator == operator).count();
            assert!((200..300).contains(&count), "{operator:?}: {count} of 1000");
        }
        assert_eq!(configurations(10), all[..10]);
    }

    #[test]
    fn a_specification_is_accepted_by_the_registry() {
        for parameters in configurations(50) {
            let text = specification(&parameters);
            throng_search::search(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        }
    }
}
