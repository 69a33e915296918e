//! A* with three open lists: a ring of buckets, a heap of packed keys, and a heap of structs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use criterion::Criterion;
use throng_search::open_list::{Buckets, OpenEntry, Heap, OpenList};
use throng_search::{PathSearch, astar};
use throng_bench::movingai;

/// The baseline: a heap of tuples compared field by field.
#[derive(Default)]
struct TupleHeap {
    /// f, g, insertion number, node.
    entries: BinaryHeap<Reverse<(u32, Reverse<u32>, u32, u32)>>,
    /// Number of insertions; breaks ties first in, first out.
    pushed: u32,
    /// The f-value of the entry that was returned last.
    bound: u32,
}

impl OpenList for TupleHeap {
    fn clear(&mut self) {
        self.entries.clear();
        self.pushed = 0;
    }

    fn push(&mut self, entry: OpenEntry, _: u8) {
        self.entries.push(Reverse((entry.f(), Reverse(entry.g), self.pushed, entry.node)));
        self.pushed += 1;
    }

    fn first(&mut self, live: impl Fn(&OpenEntry) -> bool) -> Option<OpenEntry> {
        while let Some(&Reverse((f, Reverse(g), _, node))) = self.entries.peek() {
            let entry = OpenEntry { node, g, h: f - g };
            if live(&entry) {
                self.bound = f;
                return Some(entry);
            }
            self.entries.pop();
        }
        None
    }

    fn pop_first(&mut self) {
        self.entries.pop();
    }

    fn lower_bound(&self) -> u32 {
        self.bound
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    for name in ["dao/lak304d", "bg512/AR0701SR"] {
        let Some(case) = movingai(name, 60) else { continue };
        let searches: [(&str, Box<dyn PathSearch>); 3] = [
            ("buckets", astar(Buckets::default())),
            ("packed heap", astar(Heap::default())),
            ("tuple heap", astar(TupleHeap::default())),
        ];
        for (list, mut search) in searches {
            let mut path = Vec::new();
            criterion.bench_function(&format!("{name}/{list}"), |bencher| {
                bencher.iter(|| {
                    let expansions = |&(from, to): &(throng::Cell, throng::Cell)| {
                        path.clear();
                        search.find(case.grid.ground(), from, to, &mut path).expansions
                    };
                    case.queries.iter().map(expansions).sum::<u64>()
                });
            });
        }
    }
    criterion.final_summary();
}
