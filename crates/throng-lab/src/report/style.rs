//! The style of each planner: the same colour, dashes and mark in every figure and report.
//!
//! The eight colours are those of M. Okabe and K. Ito (*Color Universal Design*, 2008), darkened or lightened where the
//! page needs it. They are distinguishable with any kind of colour vision; marks and dashes need no colour.

use throng_search::spec;

/// Planners with a fixed slot, which is their position here.
const FIXED_SLOTS: [&str; 16] = [
    "bmaa",
    "far",
    "bmaa-f",
    "astar-replan",
    "bmaa-f-c",
    "bmaa-c",
    "whca",
    "lra",
    "pibt",
    "hca",
    "surge",
    "ca",
    "dm",
    "rtaa",
    "dm-greedy",
    "auto",
];

/// The slots of the planners of a report. A slot defines colour, dashes and mark.
#[derive(Clone, Debug)]
pub(crate) struct PlannerStyles {
    slots: Vec<(String, usize)>,
}

impl PlannerStyles {
    /// Gives each planner its fixed slot, or the first free one.
    pub(crate) fn new(planners: &[String]) -> Self {
        let mut slots: Vec<(String, usize)> = Vec::new();
        let mut later = Vec::new();
        for planner in planners {
            let (name, parameters) = spec::split(planner);
            let own = FIXED_SLOTS.iter().position(|known| *known == name);
            match own.filter(|own| slots.iter().all(|(_, taken)| taken != own)) {
                Some(own) if parameters.is_empty() || !planners.iter().any(|other| other == name) => {
                    slots.push((planner.clone(), own));
                }
                _ => later.push(planner),
            }
        }
        for planner in later {
            let free = (0..planners.len() + FIXED_SLOTS.len())
                .find(|slot| slots.iter().all(|(_, taken)| taken != slot));
            slots.push((planner.clone(), free.unwrap_or(0)));
        }
        Self { slots }
    }

    /// Returns the slot of a planner. Selectors and unknown planners have none and are grey.
    pub(crate) fn slot(&self, planner: &str) -> Option<usize> {
        self.slots.iter().find(|(name, _)| name == planner).map(|(_, slot)| *slot)
    }

    /// Returns the CSS classes of a planner: colour and dashes.
    pub(crate) fn class(&self, planner: &str) -> String {
        match self.slot(planner) {
            Some(slot) => format!("p{} k{}", slot % 8, (slot / 8) % 3),
            None => "p-none k0".to_owned(),
        }
    }

    /// Returns the index of a planner's mark.
    pub(crate) fn shape(&self, planner: &str) -> usize {
        self.slot(planner).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(planners: &[&str]) -> Vec<Option<usize>> {
        let names: Vec<String> = planners.iter().map(|&name| name.to_owned()).collect();
        let styles = PlannerStyles::new(&names);
        planners.iter().map(|planner| styles.slot(planner)).collect()
    }

    #[test]
    fn planners_keep_their_slot_in_every_report() {
        assert_eq!(slots(&["far", "bmaa"]), [Some(1), Some(0)]);
        assert_eq!(slots(&["whca:window=8", "far:reserve=3"]), [Some(6), Some(1)]);
        // The name without parameters has precedence for its slot.
        assert_eq!(slots(&["bmaa:moves=1", "bmaa", "unheard-of"]), [Some(1), Some(0), Some(2)]);
    }

    #[test]
    fn planners_have_distinct_styles() {
        let names: Vec<String> = (0..20).map(|moves| format!("bmaa:moves={moves}")).collect();
        let styles = PlannerStyles::new(&names);
        let mut looks: Vec<String> = names.iter().map(|name| styles.class(name)).collect();
        looks.sort();
        looks.dedup();
        assert_eq!(looks.len(), 20);
    }
}
