//! Loading a map, editing it, and knowing its connected parts again.

use criterion::Criterion;
use throng::grid::movingai::read_map;
use throng::{Area, Grid, MoveRules, Pos};

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(50);
    for name in ["bg512/AR0701SR", "wc3/duskwood", "rooms/16room_000", "random/random512-40-0"] {
        let bytes =
            throng_bench::data().and_then(|data| std::fs::read(data.join(format!("{name}.map"))).ok());
        let Some(bytes) = bytes else {
            eprintln!("skipped {name}: set THRONG_DATA to a folder of MovingAI maps");
            continue;
        };
        let load = || Grid::new(read_map(&bytes).expect("a valid map"), MoveRules::default());
        criterion.bench_function(&format!("load/{name}"), |bencher| bencher.iter(load));
        let mut grid = load();
        let mut step = 0_i32;
        criterion.bench_function(&format!("edit, then components/{name}"), |bencher| {
            bencher.iter(|| {
                // A disc is blocked, then unblocked, then the next one, all over the map.
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
