//! Steps per second of the real-time searches on one core: walks over the problems of a scenario file.
//!
//! The throughput that is printed counts steps of the agent. LRTA* is `rths` with its defaults; the other configurations of
//! `rths` turn on what costs most per step.

use criterion::{Criterion, Throughput};
use throng_search::real_time::{
    LearningOperator, LearningRule, LookaheadRules, LookaheadWalker, Rths, RthsParameters, Tba, Walker,
};

/// The limit of a walk: the cost of 100,000 straight steps.
const MAX_COST: u64 = 1_632 * 100_000;

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    for map in ["dao/lak506d", "bg512/AR0414SR", "sc1/Aftershock"] {
        let Some(case) = throng_bench::movingai(map, 20) else { continue };
        for (name, parameters) in configurations() {
            bench(&mut criterion, &case, name, Rths::new(parameters));
        }
        for (name, learning, avoid_depressions) in [
            ("rtaa", LearningRule::Adaptive, false),
            ("da-rtaa", LearningRule::Adaptive, true),
            ("lss-lrta", LearningRule::Border, false),
        ] {
            let rules = LookaheadRules { expansions: 32, moves: 32, learning, avoid_depressions };
            bench(&mut criterion, &case, name, LookaheadWalker::new(rules));
        }
        bench(&mut criterion, &case, "tba", Tba::new(32, 320));
    }
    criterion.final_summary();
}

fn configurations() -> [(&'static str, RthsParameters); 5] {
    let plain = RthsParameters::default();
    let all = RthsParameters {
        weight: 4.0,
        cost_weight: 2.0,
        beam: 0.5,
        operator: LearningOperator::Median,
        avoid_depressions: true,
        expendable: true,
    };
    [
        ("rths", plain),
        ("rths:w=5", RthsParameters { weight: 5.0, ..plain }),
        ("rths:da=on", RthsParameters { avoid_depressions: true, ..plain }),
        ("rths:b=0.5,lop=avg", RthsParameters { beam: 0.5, operator: LearningOperator::Avg, ..plain }),
        ("rths:w=4,wc=2,b=0.5,lop=median,da=on,expendable=on", all),
    ]
}

fn bench(criterion: &mut Criterion, case: &throng_bench::Case, name: &str, mut walker: impl Walker) {
    let mut walk_all = || {
        let walk = |&ends| walker.walk(case.grid.ground(), ends, MAX_COST, |_| {}).steps;
        case.queries.iter().map(walk).sum::<u64>()
    };
    let mut group = criterion.benchmark_group(format!("steps/{}", case.name));
    group.throughput(Throughput::Elements(walk_all()));
    group.bench_function(name, |bencher| bencher.iter(&mut walk_all));
    group.finish();
}
