//! Which open list for A*: the ring of buckets or the heap of packed keys, and against a plain heap of structs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use criterion::Criterion;
use throng::searches::open_list::{Buckets, Entry, Heap, OpenList};
use throng::searches::{Astar, PathSearch};
use throng_bench::movingai;

/// What one would write first: a heap of structs that compare field by field.
#[derive(Default)]
struct Plain {
    entries: BinaryHeap<Reverse<(u32, Reverse<u32>, u32, u32)>>,
    pushed: u32,
    bound: u32,
}

impl OpenList for Plain {
    fn clear(&mut self) {
        self.entries.clear();
        self.pushed = 0;
    }

    fn push(&mut self, entry: Entry) {
        self.entries.push(Reverse((entry.f(), Reverse(entry.g), self.pushed, entry.node)));
        self.pushed += 1;
    }

    fn first(&mut self, live: impl Fn(&Entry) -> bool) -> Option<Entry> {
        while let Some(&Reverse((f, Reverse(g), _, node))) = self.entries.peek() {
            let entry = Entry { node, g, h: f - g };
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
            ("buckets", Box::new(Astar::new(Buckets::default()))),
            ("packed heap", Box::new(Astar::new(Heap::default()))),
            ("plain heap", Box::new(Astar::new(Plain::default()))),
        ];
        for (list, mut search) in searches {
            let mut path = Vec::new();
            criterion.bench_function(&format!("{name}/{list}"), |bencher| {
                bencher.iter(|| {
                    let ask = |&(from, to): &(throng::Cell, throng::Cell)| {
                        path.clear();
                        search.find(case.grid.ground(), from, to, &mut path).expansions
                    };
                    case.questions.iter().map(ask).sum::<u64>()
                });
            });
        }
    }
    criterion.final_summary();
}
