//! The generator of successors: one PIBT step of all members from a configuration, under a constraint.
//!
//! The same step as `pibt/step.rs`, with its swap operation, on the places of a region instead of a world. A constraint
//! gives some members their next place before the others decide. Then a member may find no place at all, and there is
//! no successor.

use throng_grid::hash::mix64;

use super::region::{NONE, Region};
use super::step_distances::StepDistances;

/// Most places that a member can choose from.
const CANDIDATES: usize = 9;

/// A member that is deciding.
#[derive(Clone, Copy, Debug)]
struct Deciding {
    member: u32,
    tried: u8,
    count: u8,
    places: [u32; CANDIDATES],
    /// The partner of a swap, or [`NONE`].
    pulls: u32,
}

/// The scratch memory of the generator.
#[derive(Clone, Debug, Default)]
pub(super) struct Generator {
    /// By place: the member there now, and in the next configuration.
    now: Vec<u32>,
    after: Vec<u32>,
    /// By member: its next place.
    pub(super) next: Vec<u32>,
    deciding: Vec<Deciding>,
    /// The number of members that have chosen among candidates so far.
    pub(super) decided: u64,
    salt: u64,
}

/// What the generator reads.
pub(super) struct Source<'a> {
    pub(super) region: &'a Region,
    pub(super) distances: &'a mut StepDistances,
    /// The place of each member.
    pub(super) from: &'a [u32],
}

impl Generator {
    /// Prepares for configurations in a region.
    pub(super) fn begin(&mut self, region: &Region, members: usize) {
        for list in [&mut self.now, &mut self.after] {
            list.clear();
            list.resize(region.len(), NONE);
        }
        self.next.clear();
        self.next.resize(members, NONE);
        self.decided = 0;
    }

    /// Generates a successor in `next`: the members of the constraint take their places, the others decide in order.
    /// `salt` selects the tie-breaks. Returns false if there is none.
    pub(super) fn generate(
        &mut self,
        source: &mut Source<'_>,
        order: &[u32],
        constraint: &[(u32, u32)],
        salt: u64,
    ) -> bool {
        for (member, &place) in (0..).zip(source.from) {
            self.now[place as usize] = member;
        }
        self.next.fill(NONE);
        self.salt = salt;
        let is_found = constraint.iter().all(|&(member, place)| self.constrain(source, member, place))
            && order.iter().all(|&member| {
                self.next[member as usize] != NONE
                    || self.rests(source, member)
                    || self.decide(source, member)
            });
        for &place in source.from {
            self.now[place as usize] = NONE;
            self.after[place as usize] = NONE;
        }
        for &place in self.next.iter().filter(|&&place| place != NONE) {
            self.after[place as usize] = NONE;
        }
        is_found
    }

    fn take(&mut self, member: u32, place: u32) {
        self.after[place as usize] = member;
        self.next[member as usize] = place;
    }

    /// Gives a member its place, unless that is a conflict with the members before it.
    fn constrain(&mut self, source: &Source<'_>, member: u32, place: u32) -> bool {
        let occupant = self.now[place as usize];
        let swaps = occupant != NONE
            && occupant != member
            && self.next[occupant as usize] == source.from[member as usize];
        let crosses = self.crosses(source, source.from[member as usize], place);
        let is_free = self.after[place as usize] == NONE && !swaps && !crosses;
        if is_free {
            self.take(member, place);
        }
        is_free
    }

    /// Returns true if the decided step of another member crosses a step, and that is forbidden.
    #[inline]
    fn crosses(&self, source: &Source<'_>, from: u32, to: u32) -> bool {
        let Some([side, opposite]) = source.region.guarded(from, to) else { return false };
        let goes = |from: u32, to: u32| {
            let other = self.now[from as usize];
            other != NONE && self.next[other as usize] == to
        };
        goes(side, opposite) || goes(opposite, side)
    }

    /// Lets a member at its goal stay, if no other has taken its place.
    fn rests(&mut self, source: &Source<'_>, member: u32) -> bool {
        let at = source.from[member as usize];
        let rests = self.after[at as usize] == NONE && source.distances.rests(member as usize, at);
        if rests {
            self.take(member, at);
        }
        rests
    }

    /// Decides for a member and those that it pushes. Returns false if it has no place.
    fn decide(&mut self, source: &mut Source<'_>, member: u32) -> bool {
        let mut deciding = std::mem::take(&mut self.deciding);
        deciding.clear();
        deciding.push(self.begin_deciding(source, member));
        let mut is_found = false;
        while let Some(last) = deciding.last_mut() {
            let (member, at) = (last.member, source.from[last.member as usize]);
            if last.tried == last.count {
                // It stays, and the member that wanted its place tries the next candidate.
                deciding.pop();
                self.take(member, at);
                continue;
            }
            let wanted = last.places[usize::from(last.tried)];
            last.tried += 1;
            let occupant = self.now[wanted as usize];
            let goes = if occupant == NONE { NONE } else { self.next[occupant as usize] };
            if self.after[wanted as usize] != NONE
                || (occupant != member && occupant != NONE && goes == at)
                || self.crosses(source, at, wanted)
            {
                continue;
            }
            self.take(member, wanted);
            if occupant == NONE || occupant == member || goes != NONE {
                is_found = true;
                self.pull(source, &deciding);
                break;
            }
            let next = self.begin_deciding(source, occupant);
            deciding.push(next);
        }
        self.deciding = deciding;
        is_found
    }

    /// Sorts the places that a member can choose from: by distance, then free ones before occupied ones, then by salt.
    fn begin_deciding(&mut self, source: &mut Source<'_>, member: u32) -> Deciding {
        self.decided += 1;
        let at = source.from[member as usize];
        let random = mix64(self.salt ^ u64::from(member));
        let has_goal = source.distances.has_goal(member as usize);
        let mut keys = [0_u64; CANDIDATES];
        let mut count = 0;
        for &place in source.region.neighbours(at).iter().chain([&at]) {
            let distance = if has_goal {
                source.distances.get(source.region, member as usize, place)
            } else {
                u32::from(place != at)
            };
            let is_occupied = place != at && self.now[place as usize] != NONE;
            let tie_break = random.rotate_right(7 * count as u32) & 127;
            let key =
                u64::from(distance) << 12 | u64::from(is_occupied) << 11 | tie_break << 4 | count as u64;
            let slot = keys[..count].partition_point(|&other| other < key);
            keys[slot..=count].rotate_right(1);
            keys[slot] = key;
            count += 1;
        }
        let mut places = [NONE; CANDIDATES];
        let neighbours = source.region.neighbours(at);
        for (place, key) in places.iter_mut().zip(&keys[..count]) {
            *place = neighbours.get((key & 15) as usize).copied().unwrap_or(at);
        }
        let pulls = self.partner(source, member, places[0]);
        if pulls != NONE {
            places[..count].reverse();
        }
        Deciding { member, tried: 0, count: count as u8, places, pulls }
    }

    /// Lets members that stepped back for a swap pull their partners into the places that they leave.
    fn pull(&mut self, source: &Source<'_>, deciding: &[Deciding]) {
        for last in deciding {
            let at = source.from[last.member as usize];
            if last.pulls != NONE
                && last.tried == 1
                && self.next[last.member as usize] != at
                && self.next[last.pulls as usize] == NONE
                && self.after[at as usize] == NONE
                && !self.crosses(source, source.from[last.pulls as usize], at)
            {
                self.take(last.pulls, at);
            }
        }
    }

    /// Returns the member with which this one must swap places and can, or [`NONE`].
    fn partner(&self, source: &mut Source<'_>, member: u32, best: u32) -> u32 {
        let at = source.from[member as usize];
        if best == at {
            return NONE;
        }
        let ahead = self.now[best as usize];
        if ahead != NONE
            && self.next[ahead as usize] == NONE
            && self.must_swap(source, member, ahead, at, best)
            && self.can_swap(source, best, at)
        {
            return ahead;
        }
        let region = source.region;
        for &place in region.neighbours(at) {
            let behind = self.now[place as usize];
            if behind != NONE
                && place != best
                && self.must_swap(source, behind, member, at, best)
                && self.can_swap(source, best, at)
            {
                return behind;
            }
        }
        NONE
    }

    fn is_nearer(source: &mut Source<'_>, member: u32, one: u32, other: u32) -> bool {
        let member = member as usize;
        source.distances.has_goal(member)
            && source.distances.get(source.region, member, one)
                < source.distances.get(source.region, member, other)
    }

    /// Returns the number of exits of a place other than `back`, at most two, and one of them. A dead end that is occupied
    /// by a member at its goal is no exit.
    fn exits(&self, source: &Source<'_>, place: u32, back: u32) -> (usize, u32) {
        let is_dead_end = |to: u32| {
            let occupant = self.now[to as usize];
            source.region.neighbours(to).len() == 1
                && occupant != NONE
                && source.distances.has_goal(occupant as usize)
                && source.distances.is_at_goal(occupant as usize, to)
        };
        let mut exits = source.region.neighbours(place).iter().filter(|&&to| to != back && !is_dead_end(to));
        let first = exits.next();
        (usize::from(first.is_some()) + usize::from(exits.next().is_some()), *first.unwrap_or(&place))
    }

    /// Returns true if `pusher` in `from` and `puller` in `to` move towards each other, and the passage ahead of `pusher`
    /// has no junction.
    fn must_swap(&self, source: &mut Source<'_>, pusher: u32, puller: u32, from: u32, to: u32) -> bool {
        let (mut behind, mut ahead) = (from, to);
        while Self::is_nearer(source, pusher, ahead, behind) {
            match self.exits(source, ahead, behind) {
                (0, _) => break,
                (1, next) => (behind, ahead) = (ahead, next),
                _ => return false,
            }
        }
        let arrives = source.distances.rests(pusher as usize, behind);
        // A member without a goal makes room either way.
        let is_opposed =
            !source.distances.has_goal(puller as usize) || Self::is_nearer(source, puller, behind, ahead);
        is_opposed && (arrives || Self::is_nearer(source, pusher, ahead, behind))
    }

    /// Returns true if backing out from `to`, away from `from`, leads to a junction.
    fn can_swap(&self, source: &Source<'_>, from: u32, to: u32) -> bool {
        let (mut behind, mut ahead) = (from, to);
        for _ in 0..source.region.len() {
            match self.exits(source, ahead, behind) {
                (0, _) => return false,
                (1, next) => (behind, ahead) = (ahead, next),
                _ => return true,
            }
            if ahead == from {
                return false;
            }
        }
        false
    }

    /// Returns the memory held, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<u32>() * (self.now.capacity() + self.after.capacity() + self.next.capacity())
            + self.deciding.capacity() * size_of::<Deciding>()
    }
}
