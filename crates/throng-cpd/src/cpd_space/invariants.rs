//! What the report's focal searches guarantee, step by step, on perturbed random maps.

use throng_grid::generate::generate;
use throng_grid::{Corners, Grid, MoveRules, Size, random_queries};
use throng_search::open_list::{Buckets, TaggedFocal};
use throng_search::spec::MILLION;
use throng_search::{BestFirst, Blind, DenseStore, Policy, Probe, Status, f_range};

use super::*;
use crate::database::Cpd;
use crate::map_change::MapChange;
use crate::path_cache::PathCache;
use crate::perturbation::Perturbation;

const EPSILON: u64 = 1_100_000;

const RULES: [FocalRule; 4] = [
    FocalRule::BesideWalls(StringPulling::Off),
    FocalRule::BesideWalls(StringPulling::AllNodes),
    walls(SamePerturbation::Cell),
    walls(SamePerturbation::Area),
];

const fn walls(same: SamePerturbation) -> FocalRule {
    FocalRule::BranchingNodes(WallSearch { same, look: false, full_walks: true })
}

/// The successors of one expansion that improved the path to their node.
#[derive(Default)]
struct Improved(Vec<Successor>);

impl Probe for Improved {
    fn improved(&mut self, successor: Successor) {
        self.0.push(successor);
    }
}

/// Searches with one rule and checks every expansion. Returns the expanded nodes and the cost of the path.
fn checked_search(bounds: &CpdBounds<'_>, rule: FocalRule, from: Cell) -> (Vec<u32>, Cost) {
    let mut shoot_nodes = ShootNodes::default();
    let mut space = CpdSpace::new(bounds, rule, 0, &mut shoot_nodes);
    let list = TaggedFocal::new(Buckets::default(), EPSILON, IN_FOCAL);
    let policy = Policy { epsilon: EPSILON, reopen: true, ..Policy::default() };
    let mut search = BestFirst::new(DenseStore::default(), list, policy);
    search.set_f_range(f_range(bounds.now));
    search.begin(&space);
    search.add_source(from.0, 0, &mut &*bounds);
    loop {
        let first = search.first().unwrap();
        let tag = search.node(first.node).unwrap().tag();
        let (f, lowest) = (u64::from(first.f()), u64::from(search.lower_bound()));
        let mut improved = Improved::default();
        let goal = bounds.target.0;
        let status = search.resume(&mut space, &mut &*bounds, |node| node == goal, 1, &mut improved);
        if status != Status::Paused {
            let (cost, _) = search.incumbent().unwrap();
            assert!(u64::from(cost) * MILLION <= u64::from(search.lower_bound()) * EPSILON, "{rule:?}");
            return (search.closed().to_vec(), cost);
        }
        let is_focal = tag & IN_FOCAL != 0;
        assert!(f == lowest || is_focal && f * MILLION <= lowest * EPSILON, "{rule:?}: {f} of {lowest}");
        for successor in improved.0 {
            let kind = successor.tag & KIND;
            let is_branching = matches!(rule, FocalRule::BranchingNodes(_));
            assert!(kind != WALK || is_branching && is_focal, "{rule:?}: a walk from OPEN");
            assert!(!matches!(kind, WALK | JUMP) || successor.tag & IN_FOCAL != 0, "{rule:?}");
            assert!(kind != PULL || successor.parent != first.node || !is_branching, "{rule:?}");
            assert!(kind != PULL || rule != RULES[0], "a string was pulled");
        }
    }
}

/// Returns the nodes whose `f` is below the optimal cost divided by the factor, and the optimal cost.
fn necessary(bounds: &CpdBounds<'_>, from: Cell) -> (Vec<u32>, Cost) {
    let mut space = GridSpace::new(bounds.now);
    let mut dijkstra = BestFirst::new(DenseStore::default(), Buckets::default(), Policy::default());
    dijkstra.set_f_range(f_range(bounds.now));
    dijkstra.begin(&space);
    dijkstra.add_source(from.0, 0, &mut Blind);
    dijkstra.resume(&mut space, &mut Blind, |_| false, u64::MAX, &mut ());
    let g = |node: u32| dijkstra.node(node).unwrap().g;
    let optimal = g(bounds.target.0);
    let f = |node: &&u32| u64::from(g(**node)) + u64::from(bounds.lower_bound(Cell(**node)));
    let below = |node: &&u32| f(node) * EPSILON < u64::from(optimal) * MILLION;
    (dijkstra.closed().iter().filter(below).copied().collect(), optimal)
}

#[test]
fn published_searches_keep_their_invariants() {
    let (mut queries, mut with_necessary) = (0, 0);
    for (seed, kind) in
        ["town", "maze:corridor=4,loops=20", "rooms:room=6", "caves:tunnel=2"].into_iter().enumerate()
    {
        let tiles = generate(kind, Size::new(56, 56).unwrap(), seed as u64).unwrap();
        let mut grid = Grid::new(tiles, MoveRules::eight_way(Corners::Mixed));
        let cpd = Cpd::build(grid.ground());
        let mut astar = throng_search::search("astar").unwrap();
        for (index, ends) in random_queries(grid.ground(), 24, 7).into_iter().enumerate() {
            let perturbation = [Perturbation::Exp1, Perturbation::Exp2][index % 2];
            let Some(perturbed) = perturbation.apply(&mut grid, ends, &mut astar).unwrap() else { continue };
            if perturbed.after.is_some() && ends.0 != ends.1 {
                let (mut change, mut paths) = (MapChange::default(), PathCache::default());
                change.refresh(&cpd, grid.ground());
                let bounds = CpdBounds::new(&cpd, grid.ground(), &change, &mut paths, ends.1);
                let (necessary, optimal) = necessary(&bounds, ends.0);
                for rule in RULES {
                    let (expanded, cost) = checked_search(&bounds, rule, ends.0);
                    let missing = necessary.iter().find(|node| !expanded.contains(node));
                    assert_eq!(missing, None, "{kind}, {ends:?}, {rule:?}: a node that must be expanded");
                    assert!(u64::from(cost) * MILLION <= u64::from(optimal) * EPSILON, "{kind}, {rule:?}");
                }
                queries += 1;
                with_necessary += usize::from(!necessary.is_empty());
            }
            perturbed.undo(&mut grid);
        }
    }
    assert!(queries > 30 && with_necessary > 10, "{with_necessary} of {queries}");
}
