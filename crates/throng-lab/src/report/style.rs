//! One look a planner: the same colour, dashes and mark wherever it appears, in every report.
//!
//! The eight colours are those of M. Okabe and K. Ito (*Color Universal Design*, 2008), darkened or lightened where the
//! page needs it; people with any kind of colour vision tell them apart, and marks and dashes do without colour.

use throng::searches::spec;

/// Planners that keep their place, by name.
const PLACES: [&str; 16] = [
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

/// Who looks how.
#[derive(Clone, Debug)]
pub(crate) struct Styles {
    places: Vec<(String, usize)>,
}

impl Styles {
    /// Places for planners: their own, or the first that is free.
    pub(crate) fn new(planners: &[String]) -> Self {
        let mut places: Vec<(String, usize)> = Vec::new();
        let mut later = Vec::new();
        for planner in planners {
            let (name, parameters) = spec::split(planner);
            let own = PLACES.iter().position(|known| *known == name);
            match own.filter(|own| places.iter().all(|(_, taken)| taken != own)) {
                Some(own) if parameters.is_empty() || !planners.iter().any(|other| other == name) => {
                    places.push((planner.clone(), own));
                }
                _ => later.push(planner),
            }
        }
        for planner in later {
            let free = (0..planners.len() + PLACES.len())
                .find(|place| places.iter().all(|(_, taken)| taken != place));
            places.push((planner.clone(), free.unwrap_or(0)));
        }
        Self { places }
    }

    /// The place of a planner; selectors and others have none and are grey.
    pub(crate) fn place(&self, planner: &str) -> Option<usize> {
        self.places.iter().find(|(name, _)| name == planner).map(|(_, place)| *place)
    }

    /// The classes of a planner: colour and dashes.
    pub(crate) fn class(&self, planner: &str) -> String {
        match self.place(planner) {
            Some(place) => format!("p{} k{}", place % 8, (place / 8) % 3),
            None => "p-none k0".to_owned(),
        }
    }

    /// The mark of a planner, one of eight.
    pub(crate) fn shape(&self, planner: &str) -> usize {
        self.place(planner).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(planners: &[&str]) -> Vec<Option<usize>> {
        let names: Vec<String> = planners.iter().map(|&name| name.to_owned()).collect();
        let styles = Styles::new(&names);
        planners.iter().map(|planner| styles.place(planner)).collect()
    }

    #[test]
    fn a_planner_looks_the_same_in_every_report() {
        assert_eq!(places(&["far", "bmaa"]), [Some(1), Some(0)]);
        assert_eq!(places(&["whca:window=8", "far:reserve=3"]), [Some(6), Some(1)]);
        // The plain name has the first right to its place, whatever the order.
        assert_eq!(places(&["bmaa:moves=1", "bmaa", "unheard-of"]), [Some(1), Some(0), Some(2)]);
    }

    #[test]
    fn no_two_planners_look_the_same() {
        let names: Vec<String> = (0..20).map(|moves| format!("bmaa:moves={moves}")).collect();
        let styles = Styles::new(&names);
        let mut looks: Vec<String> = names.iter().map(|name| styles.class(name)).collect();
        looks.sort();
        looks.dedup();
        assert_eq!(looks.len(), 20);
    }
}
