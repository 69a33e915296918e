//! Where paths cross from one cluster to the next.
//!
//! An entrance is a longest run of cells along a border from each of which the straight step across is legal. One
//! of at most five cells gets one door, in its middle; a wider one two, at its ends. The paper stops here. Where
//! corners may be cut, two clusters can also be joined by nothing but a diagonal step between two blocked cells,
//! along a border or at the corner of four clusters: each such step is a door of its own. Every other diagonal step
//! across a border has a straight one beside it, whose entrance joins the same cells.

use throng_grid::{Cell, Cost, Direction, Ground, Pos};

/// Entrances wider than this have a door at both ends.
const NARROW: i32 = 5;

/// A legal step out of a cluster.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Transition {
    /// Where it starts.
    pub(super) from: Cell,
    /// Where it leads.
    pub(super) to: Cell,
    /// What it costs.
    pub(super) cost: Cost,
}

/// The doors that lead out of the cluster between two corners, in order.
pub(super) fn transitions_of(ground: &Ground, (min, max): (Pos, Pos)) -> Vec<Transition> {
    let mut doors = Vec::new();
    let sides = [
        (Direction::North, min, Pos::new(max.x, min.y)),
        (Direction::East, Pos::new(max.x, min.y), max),
        (Direction::South, Pos::new(min.x, max.y), max),
        (Direction::West, min, Pos::new(min.x, max.y)),
    ];
    for (out, first, last) in sides {
        entrances(ground, out, first, last, &mut doors);
        slits(ground, out, first, last, &mut doors);
    }
    doors.sort_unstable();
    doors.dedup();
    doors
}

fn legal(ground: &Ground, from: Pos, direction: Direction) -> Option<Cell> {
    ground.cell(from).filter(|&cell| ground.moves(cell) & direction.bit() != 0)
}

fn open(ground: &Ground, from: Pos, direction: Direction, doors: &mut Vec<Transition>) {
    if let Some(from) = legal(ground, from, direction) {
        doors.push(Transition { from, to: ground.step(from, direction), cost: ground.cost(from, direction) });
    }
}

/// The entrances along one side of a cluster, whose cells go from `first` to `last`.
fn entrances(ground: &Ground, out: Direction, first: Pos, last: Pos, doors: &mut Vec<Transition>) {
    let (dx, dy) = ((last.x - first.x).signum(), (last.y - first.y).signum());
    let length = (last.x - first.x).max(last.y - first.y) + 1;
    let at = |i: i32| Pos::new(first.x + i * dx, first.y + i * dy);
    let mut start = 0;
    for i in 0..=length {
        if i < length && legal(ground, at(i), out).is_some() {
            continue;
        }
        match i - start {
            0 => {}
            width if width <= NARROW => open(ground, at(start + (width - 1) / 2), out, doors),
            _ => {
                open(ground, at(start), out, doors);
                open(ground, at(i - 1), out, doors);
            }
        }
        start = i + 1;
    }
}

/// The diagonal steps across one side between two blocked cells. Those at the cluster's corners are met from two
/// sides.
fn slits(ground: &Ground, out: Direction, first: Pos, last: Pos, doors: &mut Vec<Transition>) {
    for y in first.y..=last.y {
        for x in first.x..=last.x {
            let pos = Pos::new(x, y);
            for turn in [-1, 1] {
                let (step, along) = (out.turned(turn), out.turned(2 * turn));
                if legal(ground, pos, out).is_none() && legal(ground, pos, along).is_none() {
                    open(ground, pos, step, doors);
                }
            }
        }
    }
}
