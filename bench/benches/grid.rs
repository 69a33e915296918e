//! Loading a map, and editing it and labelling its connected components again.

use criterion::Criterion;
use throng::grid::movingai::read_map;
use throng::{Area, Grid, MoveRules, Pos};

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(50);
    for name in ["bg512/AR0701SR", "wc3/duskwood", "rooms/16room_000", "random/random512-40-0"] {
        let Some(bytes) = throng_bench::map_bytes(name) else { continue };
        let load = || Grid::new(read_map(&bytes).expect("the map file is valid"), MoveRules::default());
        criterion.bench_function(&format!("load/{name}"), |bencher| bencher.iter(load));
        let mut grid = load();
        let mut step = 0_i32;
        criterion.bench_function(&format!("edit, then components/{name}"), |bencher| {
            bencher.iter(|| {
                // Block a disc, unblock it, then continue with the next disc elsewhere on the map.
                let (round, undo) = (step / 2, step % 2 == 1);
                step += 1;
                let area = Area::disc(Pos::new(round * 37 % 512, round * 71 % 512), 3);
                if undo {
                    grid.unblock(area)
                } else {
                    grid.block(area)
                };
                grid.ground().components().count()
            });
        });
    }
    criterion.final_summary();
}
