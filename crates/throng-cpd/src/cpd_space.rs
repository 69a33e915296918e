//! The search space of CPD searches: grid moves, CPD successors, walks along walls, and string pulling.
//!
//! E. Shi, *Dynamic Pathfinding in Video Games*, Monash University, sections 4.2.1 to 4.2.4. Besides its neighbours a
//! node has a CPD successor: the cell before the first move of the database's path to the target that is no longer
//! legal. Branching nodes also have the ends of walks along the walls beside them. String pulling: if the database's
//! path from a node's *shoot node*, the last node from which a CPD successor was taken, is cheaper, it replaces the
//! path to the node. Grid moves are always proposed too, so that the lower bound of the open list holds.
//!
//! In the report's pseudo-code of string pulling, `g(n)` must read `g(n')`. A CPD successor that is a neighbour is not
//! proposed a second time. Only nodes that are expanded from the focal list have walks. A branching node leaves the
//! focal list when a neighbour gives it a cheaper path; keeping it there changes the expansions by less than 0.3 % (262
//! queries on two maps). By default, strings are pulled and walls followed only where that saves time;
//! [`StringPulling::AllNodes`] and [`WallSearch::full_walks`] do it as published.

use throng_grid::moves::octile;
use throng_grid::{Cell, Cost, Direction, directions};
use throng_search::{Expansion, GridSpace, NO_NODE, Space, Successor};

use crate::bounds::CpdBounds;
use crate::path_cache::{MapPair, PathCache};
use crate::wall_following::{self, SamePerturbation, WalkLimits};

/// Tags: bits 0 to 2 are the direction of a step, or the first direction of a walk along a wall. Bits 3 and 4 are the
/// kind of edge.
const KIND: u8 = 0b11 << 3;
const STEP: u8 = 0 << 3;
const JUMP: u8 = 1 << 3;
const PULL: u8 = 2 << 3;
const WALK: u8 = 3 << 3;
/// The node belongs to the focal list.
pub(crate) const IN_FOCAL: u8 = 1 << 5;
/// The path has passed a new wall.
const PASSED_NEW_WALL: u8 = 1 << 6;

/// A walk along a wall ends where `f` has risen by more than this and exceeds what ends the search; the open list then
/// decides whether it continues. A larger value saves nodes, a smaller one saves walks that lead away from the target.
const WALK_SLACK: Cost = 16 * throng_grid::moves::STRAIGHT;

/// The nodes at which strings are pulled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StringPulling {
    Off,
    /// Members of the focal list, unless the path over the node is already good enough.
    FocalNodes,
    /// All nodes: the report's search.
    AllNodes,
}

/// How a search follows walls from one branching node to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct WallSearch {
    pub(crate) same: SamePerturbation,
    /// Whether a detour along the first wall is tried before the search.
    pub(crate) look: bool,
    /// Whether walks end at branching nodes only and strings are pulled at all of them, as in the report. Otherwise a
    /// walk also ends where it leads too far away and where another walk has been at no higher cost, and no string is
    /// pulled if the path is already good enough.
    pub(crate) full_walks: bool,
}

/// The nodes that belong to the focal list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FocalRule {
    /// Nodes beside new walls, and beside any wall once the path has passed a new one.
    BesideWalls(StringPulling),
    /// Branching nodes only, found by walks along walls. Strings are pulled there.
    BranchingNodes(WallSearch),
    /// Nodes that have lost no move and have no move that costs more.
    NotWorsened,
}

/// Data about expanded nodes; kept between searches as a buffer.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShootNodes {
    /// The shoot node of each expanded node, [`NO_NODE`] if it has none, and the cost to the node.
    nodes: Vec<(u32, Cost)>,
    /// Minimum cost at which a walk along a wall reached a cell. Valid only with the number of the current search.
    walked: Vec<(u32, Cost)>,
    search: u32,
    /// The shoot node whose paths are cached in `paths`.
    cached: Option<Cell>,
    paths: PathCache,
}

impl ShootNodes {
    /// Starts a new search. Old shoot nodes remain, but only nodes expanded in the current search are read.
    fn begin(&mut self, cells: usize) {
        if self.nodes.len() != cells || self.search == u32::MAX {
            self.nodes = vec![(NO_NODE, 0); cells];
            self.walked = vec![(0, 0); cells];
            self.search = 0;
        }
        self.search += 1;
        self.cached = None;
    }

    /// Records a walk that reached a cell. Returns true if none reached it at less or equal cost before.
    fn is_cheaper(&mut self, cell: Cell, g: Cost) -> bool {
        let slot = &mut self.walked[cell.index()];
        let cheaper = slot.0 != self.search || g < slot.1;
        if cheaper {
            *slot = (self.search, g);
        }
        cheaper
    }
}

/// The search space of one CPD search.
#[derive(Debug)]
pub(crate) struct CpdSpace<'a, 'o> {
    bounds: &'o CpdBounds<'a>,
    grid: GridSpace<'a>,
    rule: FocalRule,
    /// A path that costs at most this ends the search, so nothing else needs to be proposed.
    sufficient: Cost,
    shoot_nodes: &'o mut ShootNodes,
}

impl<'a, 'o> CpdSpace<'a, 'o> {
    /// Returns the space of a search that ends when it finds a path that costs at most `sufficient`.
    pub(crate) fn new(
        bounds: &'o CpdBounds<'a>,
        rule: FocalRule,
        sufficient: Cost,
        shoot_nodes: &'o mut ShootNodes,
    ) -> Self {
        shoot_nodes.begin(bounds.now.size().area());
        Self { bounds, grid: GridSpace::new(bounds.now), rule, sufficient, shoot_nodes }
    }

    /// Returns the shoot node of a node that is being expanded.
    fn shoot_node(&self, at: Expansion) -> u32 {
        match at.known.parent {
            NO_NODE => NO_NODE,
            parent if matches!(at.known.tag() & KIND, JUMP | PULL) => parent,
            parent => self.shoot_nodes.nodes[parent as usize].0,
        }
    }

    /// Returns the successor with its string pulled, unless the path over it is already good enough.
    fn pulled_if_needed(&mut self, successor: Successor, shoot: u32) -> Successor {
        if self.is_sufficient(successor) { successor } else { self.pulled(successor, shoot) }
    }

    /// Returns the successor with its string pulled: reached from the shoot node, if that is cheaper.
    fn pulled(&mut self, successor: Successor, shoot: u32) -> Successor {
        if shoot == NO_NODE || shoot == successor.node {
            return successor;
        }
        let bounds = self.bounds;
        let (to, from) = (Cell(successor.node), Cell(shoot));
        let Some(max_cost) = successor.g.checked_sub(self.shoot_nodes.nodes[shoot as usize].1) else {
            return successor;
        };
        if octile(bounds.now.pos(to), bounds.now.pos(from)) >= max_cost {
            return successor;
        }
        match self.cost_back(to, from, max_cost) {
            None => successor,
            Some(cost) => Successor {
                node: successor.node,
                g: self.shoot_nodes.nodes[shoot as usize].1 + cost,
                parent: shoot,
                tag: successor.tag & (IN_FOCAL | PASSED_NEW_WALL) | PULL,
            },
        }
    }

    /// Returns true if the database's path from a node completes a path that ends the search.
    fn is_sufficient(&self, successor: Successor) -> bool {
        successor.g.saturating_add(self.bounds.cost(Cell(successor.node))) <= self.sufficient
    }

    /// Returns the cost of the database's path from a cell to its shoot node, if it is legal and costs less than
    /// `max_cost`. Costs are symmetric, so this is also the cost from the shoot node. Paths to the last shoot node are
    /// cached: nodes along a wall mostly share theirs.
    fn cost_back(&mut self, from: Cell, shoot: Cell, max_cost: Cost) -> Option<Cost> {
        let toward = self.bounds.cpd.toward(shoot)?;
        let maps = MapPair { old: self.bounds.cpd.ground(), now: self.bounds.now };
        if self.shoot_nodes.cached != Some(shoot) {
            self.shoot_nodes.cached = Some(shoot);
            self.shoot_nodes.paths.begin(maps.now.size().area());
        }
        let prefix = self.shoot_nodes.paths.prefix(&toward, maps, from);
        (prefix.stop == shoot && prefix.cost < max_cost).then_some(prefix.cost)
    }

    /// Proposes the ends of walks along the walls beside a node. Returns true if one of them ends the search.
    fn walk(
        &mut self,
        at: Expansion,
        shoot: u32,
        WallSearch { same, full_walks, .. }: WallSearch,
        propose: &mut impl FnMut(Successor),
    ) -> bool {
        let cell = Cell(at.node);
        let max_f = at.known.g.saturating_add(at.known.h).saturating_add(WALK_SLACK);
        let max_cost =
            if full_walks { Cost::MAX } else { self.sufficient.max(max_f).saturating_sub(at.known.g) };
        for direction in directions(wall_following::moves_along_walls(self.bounds.now, cell)) {
            let is_worth_it = |to, cost: Cost| {
                full_walks || self.shoot_nodes.is_cheaper(to, at.known.g.saturating_add(cost))
            };
            let limits = WalkLimits { same, max_cost };
            let end = wall_following::next_branching_node(self.bounds, cell, direction, limits, is_worth_it);
            let Some(end) = end else { continue };
            let kind = if end.steps == 1 { STEP } else { WALK };
            let walk = Successor {
                node: end.node.0,
                g: at.known.g.saturating_add(end.cost),
                parent: at.node,
                tag: direction.number() | kind | IN_FOCAL | PASSED_NEW_WALL,
            };
            let walk = if full_walks { self.pulled(walk, shoot) } else { self.pulled_if_needed(walk, shoot) };
            propose(walk);
            if self.is_sufficient(walk) {
                return true;
            }
        }
        false
    }

    /// Returns a neighbour with the tags of [`FocalRule::BesideWalls`].
    fn tagged_beside_walls(&self, successor: Successor, passed_new_wall: bool) -> Successor {
        let (now, change) = (self.bounds.now, self.bounds.change);
        let cell = Cell(successor.node);
        let beside_new_wall = change.is_beside_new_wall(cell);
        let passed = passed_new_wall || beside_new_wall;
        let in_focal = beside_new_wall || passed && now.rows().neighbours(now.pos(cell)) != u8::MAX;
        let tags = if in_focal { IN_FOCAL } else { 0 } | if passed { PASSED_NEW_WALL } else { 0 };
        Successor { tag: successor.tag | tags, ..successor }
    }
}

impl Space for CpdSpace<'_, '_> {
    fn nodes(&self) -> usize {
        self.grid.nodes()
    }

    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let cell = Cell(at.node);
        let (g, tag) = (at.known.g, at.known.tag());
        let shoot = self.shoot_node(at);
        self.shoot_nodes.nodes[cell.index()] = (shoot, g);
        if let FocalRule::BranchingNodes(walls) = self.rule
            && tag & IN_FOCAL != 0
            && self.walk(at, shoot, walls, &mut propose)
        {
            return;
        }
        let prefix = self.bounds.prefix(cell);
        let now = self.bounds.now;
        if prefix.stop != self.bounds.target && is_apart(now.pos(cell), now.pos(prefix.stop)) {
            let g = g.saturating_add(prefix.cost);
            let tag = JUMP | IN_FOCAL | PASSED_NEW_WALL;
            propose(Successor { node: prefix.stop.0, g, parent: at.node, tag });
        }
        // Only the tag of a step is the direction in which the node was reached; without it no move is pruned.
        let mut reached = at;
        if tag & KIND != STEP {
            reached.known.parent = NO_NODE;
        }
        let mut grid = self.grid;
        grid.expand(reached, |step| match self.rule {
            FocalRule::BranchingNodes(_) => propose(step),
            FocalRule::NotWorsened => {
                let focal = if self.bounds.change.is_worsened(Cell(step.node)) { 0 } else { IN_FOCAL };
                propose(Successor { tag: step.tag | focal, ..step });
            }
            FocalRule::BesideWalls(pulling) => {
                let step = self.tagged_beside_walls(step, tag & PASSED_NEW_WALL != 0);
                propose(match pulling {
                    StringPulling::AllNodes => self.pulled(step, shoot),
                    StringPulling::FocalNodes if step.tag & IN_FOCAL != 0 => {
                        self.pulled_if_needed(step, shoot)
                    }
                    _ => step,
                });
            }
        });
    }

    fn unpack(&self, parent: u32, node: u32, tag: u8, cells: &mut Vec<Cell>) {
        let (from, to) = (Cell(parent), Cell(node));
        match tag & KIND {
            JUMP => self.bounds.follow(from, to, cells),
            PULL => {
                let start = cells.len();
                cells.push(to);
                let ground = self.bounds.cpd.ground();
                self.bounds.cpd.walk(to, from, |at, moved| cells.push(ground.step(at, moved)));
                // The path runs from `to` to `from`: reverse it and drop `from`.
                cells.pop();
                cells[start..].reverse();
            }
            WALK => {
                wall_following::unpack(self.bounds.now, from, Direction::from_number(tag & 7), to, cells);
            }
            _ => cells.push(to),
        }
    }
}

/// Returns true if two positions are neither equal nor neighbours.
fn is_apart(a: throng_grid::Pos, b: throng_grid::Pos) -> bool {
    a.x.abs_diff(b.x).max(a.y.abs_diff(b.y)) > 1
}

#[cfg(test)]
mod figures;
#[cfg(test)]
mod invariants;
