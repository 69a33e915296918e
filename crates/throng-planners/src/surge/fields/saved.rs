//! Everyone's fields as bytes: which there are, who uses them, who waits, and what is in the making.

use throng_crowd::AgentId;
use throng_crowd::bytes::{Damaged, Reader, put, put_fixed};
use throng_grid::Cell;

use super::super::changed::Changed;
use super::super::field::Field;
use super::super::purse::Instalments;
use super::edits::GLANCED;
use super::{Fields, MOST_TURNS, Shared};

impl Fields {
    /// Writes all fields, finished or not.
    pub(in super::super) fn save(&self, bytes: &mut Vec<u8>) {
        put(bytes, self.made.len() as u64);
        for shared in &self.made {
            put(bytes, u64::from(shared.users));
            if shared.users > 0 {
                put(bytes, u64::from(shared.whose.0));
                put(bytes, u64::from(shared.whose.1.0));
                put_fixed(bytes, shared.origin.0);
                put(bytes, shared.origin.1);
                put(bytes, u64::from(shared.compared == self.changes));
                shared.field.save(bytes);
            }
        }
        put(bytes, self.free.len() as u64);
        self.free.iter().for_each(|&place| put(bytes, u64::from(place)));
        put(bytes, self.of.len() as u64);
        for (i, &of) in self.of.iter().enumerate() {
            put(bytes, u64::from(of.wrapping_add(1)));
            put(bytes, u64::from(self.waits[i]));
            put(bytes, u64::from(self.turned[i]));
            put(bytes, u64::from(self.hopeless[i] != 0));
            if self.hopeless[i] != 0 {
                put_fixed(bytes, self.hopeless[i]);
            }
        }
        put(bytes, u64::from(self.later));
        for count in [self.again.0, self.again.1, self.compared.0, self.compared.1, self.dropped] {
            put(bytes, count as u64);
        }
        put(bytes, self.glanced);
        self.paid.save(bytes);
        put(bytes, self.queue.len() as u64);
        self.queue.iter().for_each(|agent| put(bytes, u64::from(agent.0)));
        self.changed.save(bytes);
        self.benches.iter().for_each(|bench| bench.save(bytes));
        // Which of the fields to a target is asked first.
        for places in self.to.values() {
            for &place in places {
                put(bytes, u64::from(place));
            }
        }
    }

    /// Takes back what [`Fields::save`] wrote, on a map of so many cells.
    pub(in super::super) fn load(&mut self, reader: &mut Reader<'_>, area: usize) -> Result<(), Damaged> {
        *self = Self::with(std::mem::take(&mut self.benches), self.cap);
        let what = "corridor fields";
        let (number, last) = (u64::from(u32::MAX), (area as u64).saturating_sub(1));
        for _ in 0..reader.length(what)? {
            let users = reader.number_to(number, what)? as u32;
            if users == 0 {
                self.made.push(Shared::default());
                continue;
            }
            let whose = (reader.number_to(255, what)? as u8, Cell(reader.number_to(last, what)? as u32));
            let origin = (reader.fixed(what)?, reader.number_to(u64::MAX / 2, what)?);
            let compared = u32::from(reader.flag(what)?);
            let field = Field::load(reader, area)?;
            self.held += field.memory_bytes();
            self.to.entry(whose).or_default().push(0);
            self.made.push(Shared { field, users, whose, origin, compared });
        }
        let places = self.made.len() as u64;
        for _ in 0..reader.length(what)? {
            self.free.push(reader.number_to(places.saturating_sub(1), what)? as u32);
        }
        for _ in 0..reader.length(what)? {
            self.of.push((reader.number_to(places, what)? as u32).wrapping_sub(1));
            self.waits.push(reader.flag(what)?);
            self.turned.push(reader.number_to(u64::from(MOST_TURNS), what)? as u8);
            let hopeless = reader.flag(what)?;
            self.hopeless.push(if hopeless { reader.fixed(what)? } else { 0 });
        }
        self.later = reader.flag(what)?;
        let mut count = |most: u64| reader.number_to(most, what).map(|count| count as usize);
        self.again = (count(number)?, count(number)?);
        self.compared = (count(number)?, count(places)?);
        self.dropped = count(number)?;
        self.glanced = count(GLANCED)? as u64;
        self.paid = Instalments::load(reader)?;
        for _ in 0..reader.length(what)? {
            self.queue.push_back(AgentId(reader.number_to(self.of.len() as u64, what)? as u32));
        }
        self.changed = Changed::load(reader)?;
        self.changes = 1;
        for bench in &mut self.benches {
            bench.load(reader, area)?;
        }
        for place in self.to.values_mut().flatten() {
            *place = reader.number_to(places.saturating_sub(1), what)? as u32;
        }
        if self.is_sound() { Ok(()) } else { Err(reader.damaged("fields and agents that belong together")) }
    }

    /// Whether what was loaded hangs together: who waits is known, users are counted, and free places are free.
    fn is_sound(&self) -> bool {
        let makers = self.benches.iter().filter_map(|bench| bench.job.map(|job| job.agent));
        let known = |agent: AgentId| agent.index() < self.of.len();
        let mut users = vec![0; self.made.len()];
        self.of.iter().filter_map(|&of| usize::try_from(of).ok()).for_each(|of| {
            users.get_mut(of).into_iter().for_each(|count| *count += 1);
        });
        let counted = self.made.iter().zip(&users).all(|(shared, &count)| shared.users == count);
        let mut free = self.free.clone();
        free.sort_unstable();
        free.dedup();
        let unused = |&place: &u32| self.made.get(place as usize).is_some_and(|shared| shared.users == 0);
        let listed = |(whose, places): (&(u8, Cell), &Vec<u32>)| {
            let fits =
                |&place: &u32| self.made.get(place as usize).is_some_and(|shared| shared.whose == *whose);
            places.iter().all(fits)
        };
        self.queue.iter().copied().chain(makers).all(known)
            && counted
            && free.len() == self.free.len()
            && free.iter().all(unused)
            && self.to.iter().all(listed)
    }

    /// Forgets what was loaded when there are not as many agents as it speaks of.
    pub(in super::super) fn fit(&mut self, agents: usize) {
        if self.of.len() > agents {
            *self = Self::with(std::mem::take(&mut self.benches), self.cap);
            self.benches.iter_mut().for_each(|bench| bench.job = None);
        }
    }
}
