//! The moves of searches that know a database: those of the grid, and three kinds of jumps.
//!
//! E. Shi, *Dynamic Pathfinding in Video Games*, Monash University, sections 4.2.1 to 4.2.4. Besides its neighbours a
//! node has the CPD successor, where the database's way to the target meets the first move that is no longer legal;
//! branching nodes have the ends of walks along the walls beside them. A node beside a wall is reached more cheaply, if
//! that is so, by the database's way from its *shoot node*, the last node from which a CPD successor was taken: string
//! pulling. Grid moves are always proposed too, so that the lower bound of the open list holds.
//!
//! Where the report's pseudo-code sets `g(n)` in string pulling it means `g(n')`. A CPD successor that is a neighbour is
//! left out: it is proposed as one.

use throng_grid::moves::octile;
use throng_grid::{Cell, Cost, Direction, directions};
use throng_search::{Expansion, GridSpace, NO_NODE, Space, Successor};

use crate::bounds::CpdBounds;
use crate::path_cache::{MapPair, PathCache};
use crate::wall_following::{self, SamePerturbation};

/// Tags: the direction of a step, or the first one of a walk along a wall, in the lowest three bits, then the kind.
const KIND: u8 = 0b11 << 3;
const STEP: u8 = 0 << 3;
const JUMP: u8 = 1 << 3;
const PULL: u8 = 2 << 3;
const WALK: u8 = 3 << 3;
/// The node may be taken out of turn.
pub(crate) const FAVOURED: u8 = 1 << 5;
/// The way has been beside a new wall.
const WALLED: u8 = 1 << 6;

/// A walk along a wall pauses where its `f` has risen by more than this, and beyond what is good enough: whether it is
/// worth going on is for the open list to decide.
const LOOK_AHEAD: Cost = 16 * throng_grid::moves::STRAIGHT;

/// Which nodes are favoured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FocalRule {
    /// All nodes beside new walls, and beside any once the way has been beside a new one.
    Walls,
    /// Branching nodes only, found by walks along walls.
    Branches(SamePerturbation),
    /// Nodes around which nothing has become dearer.
    Calm,
}

/// Scratch memory: what is known of nodes that have been expanded.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShootNodes {
    /// The shoot node of each, [`NO_NODE`] when it has none, and what it cost to come to the node.
    nodes: Vec<(u32, Cost)>,
    /// What it cost the cheapest walk along a wall to come to a cell, and in which search that was.
    walked: Vec<(u32, Cost)>,
    search: u32,
    /// The ways to one shoot node.
    aim: Option<Cell>,
    ways: PathCache,
}

impl ShootNodes {
    /// Forgets the walks. The shoot nodes stay: only nodes that have been expanded in a search are looked up.
    fn begin(&mut self, cells: usize) {
        if self.nodes.len() != cells || self.search == u32::MAX {
            self.nodes = vec![(NO_NODE, 0); cells];
            self.walked = vec![(0, 0); cells];
            self.search = 0;
        }
        self.search += 1;
        self.aim = None;
    }

    /// Whether a walk has come to a cell more cheaply than any before it.
    fn is_cheaper(&mut self, cell: Cell, g: Cost) -> bool {
        let slot = &mut self.walked[cell.index()];
        let cheaper = slot.0 != self.search || g < slot.1;
        if cheaper {
            *slot = (self.search, g);
        }
        cheaper
    }
}

/// The moves of a search.
#[derive(Debug)]
pub(crate) struct CpdSpace<'a, 'o> {
    oracle: &'o CpdBounds<'a>,
    grid: GridSpace<'a>,
    favour: FocalRule,
    pull: bool,
    /// A path that costs no more than this ends the search: no need to propose anything else.
    enough: Cost,
    shots: &'o mut ShootNodes,
}

impl<'a, 'o> CpdSpace<'a, 'o> {
    /// A path that costs at most `enough` must end the search.
    pub(crate) fn new(
        oracle: &'o CpdBounds<'a>,
        favour: FocalRule,
        pull: bool,
        enough: Cost,
        shots: &'o mut ShootNodes,
    ) -> Self {
        shots.begin(oracle.now.size().area());
        Self { oracle, grid: GridSpace::new(oracle.now), favour, pull, enough, shots }
    }

    /// The shoot node of a node that is being expanded.
    fn shoot(&self, at: Expansion) -> u32 {
        match at.known.parent {
            NO_NODE => NO_NODE,
            parent if matches!(at.known.tag() & KIND, JUMP | PULL) => parent,
            parent => self.shots.nodes[parent as usize].0,
        }
    }

    /// The cheaper way to a node over its shoot node, if there is one.
    fn pulled(&mut self, successor: Successor, shoot: u32) -> Successor {
        if !self.pull || shoot == NO_NODE || shoot == successor.node || self.suffices(successor) {
            return successor;
        }
        let oracle = self.oracle;
        let (to, from) = (Cell(successor.node), Cell(shoot));
        let Some(most) = successor.g.checked_sub(self.shots.nodes[shoot as usize].1) else {
            return successor;
        };
        if octile(oracle.now.pos(to), oracle.now.pos(from)) >= most {
            return successor;
        }
        match self.cost_back(to, from, most) {
            None => successor,
            Some(cost) => Successor {
                node: successor.node,
                g: self.shots.nodes[shoot as usize].1 + cost,
                parent: shoot,
                tag: successor.tag & (FAVOURED | WALLED) | PULL,
            },
        }
    }

    /// Whether the database's way from a node completes a path that is good enough.
    fn suffices(&self, successor: Successor) -> bool {
        successor.g.saturating_add(self.oracle.cost(Cell(successor.node))) <= self.enough
    }

    /// What the database's way from a cell to its shoot node costs, if it is legal and costs less than `most`. Costs are
    /// the same both ways, so this is the cost from the shoot node too. Paths to the shoot node asked about last are kept:
    /// nodes along a wall mostly share theirs.
    fn cost_back(&mut self, from: Cell, shoot: Cell, most: Cost) -> Option<Cost> {
        let toward = self.oracle.cpd.toward(shoot)?;
        let maps = MapPair { old: self.oracle.cpd.ground(), now: self.oracle.now };
        if self.shots.aim != Some(shoot) {
            self.shots.aim = Some(shoot);
            self.shots.ways.begin(maps.now.size().area());
        }
        let reach = self.shots.ways.reach(&toward, maps, from);
        (reach.stop == shoot && reach.cost < most).then_some(reach.cost)
    }

    /// Proposes the ends of walks along the walls beside a node; says whether one of them ends the search.
    fn walk(
        &mut self,
        at: Expansion,
        shoot: u32,
        same: SamePerturbation,
        propose: &mut impl FnMut(Successor),
    ) -> bool {
        let cell = Cell(at.node);
        let ahead = at.known.g.saturating_add(at.known.h).saturating_add(LOOK_AHEAD);
        let far = self.enough.max(ahead);
        let left = far.saturating_sub(at.known.g);
        for direction in directions(wall_following::begins(self.oracle.now, cell)) {
            let is_cheaper = |to, cost: Cost| self.shots.is_cheaper(to, at.known.g.saturating_add(cost));
            let walk = wall_following::follow(self.oracle, cell, direction, same, left, is_cheaper);
            let Some(branch) = walk else { continue };
            let kind = if branch.steps == 1 { STEP } else { WALK };
            let walk = Successor {
                node: branch.node.0,
                g: at.known.g.saturating_add(branch.cost),
                parent: at.node,
                tag: direction.number() | kind | FAVOURED | WALLED,
            };
            let walk = self.pulled(walk, shoot);
            propose(walk);
            if self.suffices(walk) {
                return true;
            }
        }
        false
    }

    /// Marks a neighbour that may be taken out of turn.
    fn favoured(&self, successor: Successor, walled: bool) -> Successor {
        let (now, change) = (self.oracle.now, self.oracle.change);
        let cell = Cell(successor.node);
        let beside = change.is_beside(cell);
        let walled = walled || beside;
        let favoured = beside || walled && now.rows().neighbours(now.pos(cell)) != u8::MAX;
        let marks = if favoured { FAVOURED } else { 0 } | if walled { WALLED } else { 0 };
        Successor { tag: successor.tag | marks, ..successor }
    }
}

impl Space for CpdSpace<'_, '_> {
    fn nodes(&self) -> usize {
        self.grid.nodes()
    }

    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let cell = Cell(at.node);
        let (g, tag) = (at.known.g, at.known.tag());
        let shoot = self.shoot(at);
        self.shots.nodes[cell.index()] = (shoot, g);
        if let FocalRule::Branches(same) = self.favour
            && tag & FAVOURED != 0
            && self.walk(at, shoot, same, &mut propose)
        {
            return;
        }
        let reach = self.oracle.reach(cell);
        let now = self.oracle.now;
        if reach.stop != self.oracle.target && is_apart(now.pos(cell), now.pos(reach.stop)) {
            let g = g.saturating_add(reach.cost);
            let tag = JUMP | FAVOURED | WALLED;
            propose(Successor { node: reach.stop.0, g, parent: at.node, tag });
        }
        // Only a step knows the direction in which the node was reached.
        let mut reached = at;
        if tag & KIND != STEP {
            reached.known.parent = NO_NODE;
        }
        let mut grid = self.grid;
        grid.expand(reached, |step| match self.favour {
            FocalRule::Branches(_) => propose(step),
            FocalRule::Calm => {
                let mark = if self.oracle.change.is_hindered(Cell(step.node)) { 0 } else { FAVOURED };
                propose(Successor { tag: step.tag | mark, ..step });
            }
            FocalRule::Walls => {
                let step = self.favoured(step, tag & WALLED != 0);
                propose(if step.tag & FAVOURED != 0 { self.pulled(step, shoot) } else { step });
            }
        });
    }

    fn unpack(&self, parent: u32, node: u32, tag: u8, cells: &mut Vec<Cell>) {
        let (from, to) = (Cell(parent), Cell(node));
        match tag & KIND {
            JUMP => self.oracle.follow(from, to, cells),
            PULL => {
                let start = cells.len();
                cells.push(to);
                let ground = self.oracle.cpd.ground();
                self.oracle.cpd.walk(to, from, |at, moved| cells.push(ground.step(at, moved)));
                // Backwards, and without the first cell.
                cells.pop();
                cells[start..].reverse();
            }
            WALK => wall_following::unpack(self.oracle.now, from, Direction::from_number(tag & 7), to, cells),
            _ => cells.push(to),
        }
    }
}

/// Whether two places are not neighbours.
fn is_apart(a: throng_grid::Pos, b: throng_grid::Pos) -> bool {
    a.x.abs_diff(b.x).max(a.y.abs_diff(b.y)) > 1
}

#[cfg(test)]
mod figures;
