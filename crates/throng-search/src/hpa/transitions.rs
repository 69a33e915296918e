//! Transitions: the steps that lead from one cluster to the next.
//!
//! An entrance is a maximal run of border cells from each of which the straight step across is legal. An entrance of at
//! most five cells has one transition in its middle, a wider one has two, at its ends. The paper has no others. If
//! corners may be cut, two clusters can also be joined only by a diagonal step between two blocked cells, along a
//! border or at the corner of four clusters: each such step is a transition too. Every other diagonal step across a
//! border has a straight step beside it, whose entrance joins the same cells.

use throng_grid::{Cell, Cost, Direction, Ground, Pos};

/// Entrances wider than this have a transition at both ends, as in the paper.
const NARROW: i32 = 5;

/// A legal step out of a cluster.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Transition {
    /// The cell inside the cluster.
    pub(super) from: Cell,
    /// The cell outside.
    pub(super) to: Cell,
    /// Cost of the step.
    pub(super) cost: Cost,
}

/// Returns the transitions out of the cluster between two corners, in order.
pub(super) fn transitions_of(ground: &Ground, (min, max): (Pos, Pos)) -> Vec<Transition> {
    let mut transitions = Vec::new();
    let sides = [
        (Direction::North, min, Pos::new(max.x, min.y)),
        (Direction::East, Pos::new(max.x, min.y), max),
        (Direction::South, Pos::new(min.x, max.y), max),
        (Direction::West, min, Pos::new(min.x, max.y)),
    ];
    for (out, first, last) in sides {
        entrances(ground, out, first, last, &mut transitions);
        diagonal_transitions(ground, out, first, last, &mut transitions);
    }
    transitions.sort_unstable();
    transitions.dedup();
    transitions
}

fn legal(ground: &Ground, from: Pos, direction: Direction) -> Option<Cell> {
    ground.cell(from).filter(|&cell| ground.moves(cell) & direction.bit() != 0)
}

fn add(ground: &Ground, from: Pos, direction: Direction, transitions: &mut Vec<Transition>) {
    if let Some(from) = legal(ground, from, direction) {
        transitions.push(Transition {
            from,
            to: ground.step(from, direction),
            cost: ground.cost(from, direction),
        });
    }
}

/// Adds the transitions of the entrances along one side of a cluster, whose cells go from `first` to `last`.
fn entrances(ground: &Ground, out: Direction, first: Pos, last: Pos, transitions: &mut Vec<Transition>) {
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
            width if width <= NARROW => add(ground, at(start + (width - 1) / 2), out, transitions),
            _ => {
                add(ground, at(start), out, transitions);
                add(ground, at(i - 1), out, transitions);
            }
        }
        start = i + 1;
    }
}

/// Adds the diagonal steps between two blocked cells across one side. Those at the cluster's corners are found from two
/// sides.
fn diagonal_transitions(
    ground: &Ground,
    out: Direction,
    first: Pos,
    last: Pos,
    transitions: &mut Vec<Transition>,
) {
    for y in first.y..=last.y {
        for x in first.x..=last.x {
            let pos = Pos::new(x, y);
            for turn in [-1, 1] {
                let (step, along) = (out.turned(turn), out.turned(2 * turn));
                if legal(ground, pos, out).is_none() && legal(ground, pos, along).is_none() {
                    add(ground, pos, step, transitions);
                }
            }
        }
    }
}
