//! Strokes of the brush: the areas that a line from one position to another covers.

use throng::{Area, Pos};

/// The largest radius of a brush.
const MAX_RADIUS: i32 = 16;

/// The largest number of stamps of a stroke.
const MAX_STAMPS: i32 = 512;

/// Returns discs along a line, close enough to each other to leave no gap.
pub(crate) fn stroke(from: Pos, to: Pos, radius: i32) -> impl Iterator<Item = Area> {
    let radius = radius.clamp(0, MAX_RADIUS);
    let clamp = |value: i32| value.clamp(-1, throng::grid::MAX_SIDE as i32);
    let (from, to) = (Pos::new(clamp(from.x), clamp(from.y)), Pos::new(clamp(to.x), clamp(to.y)));
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let length = dx.abs().max(dy.abs());
    let stamps = (length / (radius / 2).max(1)).clamp(length.min(1), MAX_STAMPS);
    (0..=stamps).map(move |stamp| {
        let along = |start: i32, change: i32| {
            start
                + if stamps == 0 {
                    0
                } else {
                    (i64::from(change) * i64::from(stamp) / i64::from(stamps)) as i32
                }
        };
        let at = Pos::new(along(from.x, dx), along(from.y, dy));
        if radius == 0 { Area::from(at) } else { Area::disc(at, radius) }
    })
}

#[cfg(test)]
mod tests {
    use throng::Size;

    use super::*;

    #[test]
    fn a_stroke_is_connected_and_bounded() {
        let size = Size::new(100, 100).unwrap();
        for (to, radius) in
            [(Pos::new(60, 20), 0), (Pos::new(60, 20), 1), (Pos::new(5, 90), 6), (Pos::new(5, 5), 3)]
        {
            let cells: std::collections::BTreeSet<_> =
                stroke(Pos::new(5, 5), to, radius).flat_map(|area| area.cells(size)).collect();
            for (x, y) in (0..=20).map(|part| (5 + (to.x - 5) * part / 20, 5 + (to.y - 5) * part / 20)) {
                let near = |&(dx, dy): &(i32, i32)| {
                    size.cell(Pos::new(x + dx, y + dy)).is_some_and(|cell| cells.contains(&cell))
                };
                assert!(
                    (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy))).any(|step| near(&step)),
                    "{x},{y}"
                );
            }
        }
        let far = Pos::new(i32::MAX, i32::MIN);
        assert!(stroke(Pos::new(i32::MIN, i32::MAX), far, i32::MAX).count() <= 513);
    }
}
