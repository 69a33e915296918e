//! What an edit does to everyone's fields: those whose corridor it spoils are stale.

use throng_crowd::View;
use throng_grid::Ground;

use super::super::purse::Purse;
use super::Fields;

/// Fields whose tiles are compared with the map for one price: a unit each.
pub(super) const GLANCED: u64 = 16;
/// Units that it costs to look through a field whose tiles have changed.
const COMPARED: u64 = 16;
/// Who is so near to where the map has changed has its field compared first.
const NEAR: i32 = 8;

impl Fields {
    /// Marks the fields whose corridor the map has changed in, as far as the purse goes: first those of agents near the
    /// change. Until a field is compared its agents go by it as it was; no step that is not legal any more is ever
    /// proposed.
    pub(in super::super) fn compare(&mut self, view: &View<'_>, purse: &mut Purse<'_, '_>) {
        let grounds = view.grid().grounds();
        if self.changed.on_change(grounds) {
            self.again.1 = view.id_limit();
            self.compared.1 = self.made.len();
            self.changes = self.changes.wrapping_add(1);
        }
        if self.compared.1 == 0 {
            return;
        }
        for &agent in view.movers() {
            let at = view.ground(agent).pos(view.at(agent));
            let place = self.of.get(agent.index()).map_or(usize::MAX, |&of| of as usize);
            if place < self.made.len()
                && self.changed.near(view.profile(agent).0, at, NEAR)
                && !self.check(place, grounds, purse)
            {
                return;
            }
        }
        while self.compared.1 > 0 {
            let place = self.compared.0 % self.made.len();
            if !self.check(place, grounds, purse) {
                return;
            }
            self.compared = (place + 1, self.compared.1 - 1);
        }
        self.changed.settle();
    }

    /// Compares a field with the map, unless that was done since the last edit; `false` when the purse does not suffice.
    fn check(&mut self, place: usize, grounds: &[Ground], purse: &mut Purse<'_, '_>) -> bool {
        let shared = &mut self.made[place];
        if shared.users == 0 || shared.compared == self.changes {
            return true;
        }
        if self.glanced == 0 {
            if !self.paid.pay(purse, GLANCED) {
                return false;
            }
            self.glanced = GLANCED;
        }
        if let Some(ground) = grounds.get(usize::from(shared.whose.0))
            && !shared.field.is_as_laid(ground)
        {
            if !self.paid.pay(purse, COMPARED) {
                return false;
            }
            shared.field.compare(ground, shared.whose.0, &self.changed);
        }
        shared.compared = self.changes;
        self.glanced -= 1;
        true
    }
}
