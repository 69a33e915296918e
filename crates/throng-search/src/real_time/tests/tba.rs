//! TBA*: the search is A*, and the walk follows the rules of the paper.

use throng_grid::{Cell, Ground};

use super::for_each_query;
use crate::best_first::{BestFirst, Policy, Status};
use crate::heuristic::OctileDistance;
use crate::node_store::DenseStore;
use crate::open_list::Buckets;
use crate::point_to_point::f_range;
use crate::real_time::{Tba, Walker};
use crate::space::GridSpace;

/// The pseudo-code of the paper with lists.
fn slow_walk(ground: &Ground, (expansions, trace): (u64, usize), (from, to): (Cell, Cell)) -> Vec<Cell> {
    let (mut space, mut heuristic) = (GridSpace::new(ground), OctileDistance::to_cell(ground, to));
    let mut lists = BestFirst::new(DenseStore::default(), Buckets::default(), Policy::default());
    lists.set_f_range(f_range(ground));
    lists.begin(&space);
    lists.add_source(from.0, 0, &mut heuristic);
    let (mut at, mut last, mut cells) = (from, from, vec![from]);
    let (mut found, mut found_and_traced, mut done) = (false, false, true);
    let (mut path_new, mut path_follow): (Vec<Cell>, Vec<Cell>) = (Vec::new(), Vec::new());
    while at != to {
        if !found {
            let status = lists.resume(&mut space, &mut heuristic, |node| node == to.0, expansions, &mut ());
            found = status == Status::Found(to.0);
        }
        if !found_and_traced {
            if done {
                path_new = vec![Cell(lists.first().unwrap().node)];
            }
            done = false;
            for _ in 0..trace {
                done = path_new[0] == at || path_new[0] == from;
                if done {
                    break;
                }
                path_new.insert(0, Cell(lists.parent(path_new[0].0).unwrap()));
            }
            if done {
                path_follow.clone_from(&path_new);
                found_and_traced = path_follow.last() == Some(&to);
            }
        }
        let place = path_follow.iter().position(|&cell| cell == at);
        let next = match place.and_then(|place| path_follow.get(place + 1)) {
            Some(&next) => next,
            None if at != from => Cell(lists.parent(at.0).unwrap()),
            None => last,
        };
        last = at;
        if next != at {
            at = next;
            cells.push(at);
        }
    }
    cells
}

#[test]
fn walks_follow_the_pseudo_code_and_expand_what_astar_expands() {
    let (mut astar, mut shortest) = (crate::search("astar").unwrap(), Vec::new());
    for (expansions, trace) in [(1, 1), (3, 2), (8, 80), (32, 320), (u64::MAX, usize::MAX)] {
        let mut search = Tba::new(expansions, trace as u64);
        let (mut detours, mut queries) = (0, 0);
        for_each_query(6, |ground, (from, to)| {
            let mut path = Vec::new();
            let walk = search.walk(ground, (from, to), u64::MAX, |cell| path.push(cell));
            let least = astar.find(ground, from, to, &mut shortest).unwrap().cost.map(u64::from);
            assert_eq!(path, slow_walk(ground, (expansions, trace), (from, to)), "{expansions} {trace}");
            assert_eq!(search.expanded(), astar.expanded(), "{expansions} {trace}");
            assert_eq!(walk.expansions as usize, astar.expanded().len());
            assert_eq!((walk.arrived, ground.path_cost(&path).map(u64::from)), (true, Some(walk.cost)));
            queries += 1;
            detours += u32::from(Some(walk.cost) > least);
        });
        if expansions == u64::MAX {
            assert_eq!(detours, 0, "the whole search comes before the first step");
        } else {
            assert!(detours * 4 > queries || expansions > 8, "{detours} of {queries} walks turn back");
        }
    }
}
