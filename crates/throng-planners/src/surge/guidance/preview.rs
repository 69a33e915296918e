//! The path that the guidance leads an agent along, for previews: what it heads for in each sector, and down the fields.

use throng_crowd::{AgentRow, View};
use throng_grid::Cell;
use throng_search::{NO_DISTANCE, UNREACHED};

use super::{Guidance, Path};

impl Guidance {
    /// Emits the cells along which the fields lead an agent from a cell, until `emit` returns false, the target, or the end
    /// of what is known. The agent chooses again in each sector, as it does when it walks.
    pub(in super::super) fn preview(
        &self,
        view: &View<'_>,
        agent: AgentRow,
        from: Cell,
        emit: &mut dyn FnMut(Cell) -> bool,
    ) {
        let Some(map) = self.maps.get(usize::from(view.profile(agent).0)) else { return };
        let (Some(target), ground) = (view.target(agent), view.ground(agent)) else { return };
        // Between an edit and the next tick the guide is that of the map before.
        if !ground.is_free(target)
            || !ground.is_free(from)
            || map.is_restored
            || !map.guide.is_current(ground)
        {
            return;
        }
        let part = map.guide.part(ground.pos(target), target);
        let (own, in_target_field) =
            (self.target_field(agent), map.guide.field(part).distance(ground.pos(target)));
        let (mut at, mut heading, mut left, mut led_to_target) = (from, None, u32::MAX, false);
        while at != target {
            let pos = ground.pos(at);
            let sector = map.guide.sector(pos);
            let follows = if led_to_target { Path::ToTarget } else { Path::Unknown };
            let row = map.row(part, pos, follows);
            let leads_to_target = row.is_some_and(|(_, path)| path == Path::ToTarget);
            if leads_to_target && !led_to_target {
                // The distances to the centre of a region say nothing about those to the target.
                (led_to_target, left, heading) = (true, u32::MAX, None);
            }
            let offset = match in_target_field {
                offset if offset != NO_DISTANCE && leads_to_target => u32::from(offset),
                _ => 0,
            };
            let direct = own.map(|own| (u32::from(own.distance(pos)), own));
            let direct = direct.filter(|&(distance, _)| distance != u32::from(NO_DISTANCE));
            let keeps = |&(of, waypoint): &(u32, u32)| {
                of == sector && !matches!(map.guide.field(waypoint).distance(pos), 0 | NO_DISTANCE)
            };
            let rest =
                |other: u32| row.map_or(UNREACHED, |(row, _)| row.distance(other).saturating_add(offset));
            let choose = || map.guide.best_waypoint(pos, rest).map(|(waypoint, _)| (sector, waypoint));
            heading = heading.filter(keeps).or_else(choose);
            let over = heading.map(|(_, waypoint)| {
                let field = map.guide.field(waypoint);
                (rest(waypoint).saturating_add(u32::from(field.distance(pos))), field)
            });
            let over =
                over.filter(|&(total, _)| direct.is_none_or(|(direct, _)| leads_to_target && total < direct));
            let Some((total, field)) = over.or(direct) else { return };
            // The way to the centre of a region ends there.
            if over.is_some() && (total >= left || (led_to_target && !leads_to_target)) {
                return;
            }
            left = total;
            let here = field.distance(pos);
            let lower = |(direction, to)| {
                let left = field.distance(ground.pos(to));
                let step = map.guide.distance_of(ground.cost(at, direction));
                (left < here).then_some((u32::from(left) + step, to))
            };
            let Some((_, next)) = ground.neighbours(at).filter_map(lower).min() else { return };
            if !emit(next) {
                return;
            }
            at = next;
        }
    }
}
