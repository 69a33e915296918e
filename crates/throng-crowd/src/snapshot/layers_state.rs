//! Saved doors and cost overlays: runs of cells that are alike. Nothing is saved of cells without either.

use serde::{Deserialize, Serialize};
use throng_grid::{Classes, CostOverlay, Layers, Profile};

/// The doors and cost overlays of a map.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct LayersState {
    had_overlay: bool,
    /// Runs of cells that not all classes may enter.
    doors: Vec<Run<Classes>>,
    overlays: Vec<(Classes, Vec<Run<u8>>)>,
}

/// A run of cells with one value, in row order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Run<T> {
    /// The number of cells since the end of the last run.
    skip: u32,
    count: u32,
    value: T,
}

impl LayersState {
    pub(crate) fn of(layers: &Layers) -> Self {
        let Layers { doors, overlays, had_overlay } = layers;
        let overlay = |overlay: &CostOverlay| (overlay.classes, runs(&overlay.extra, 0));
        Self {
            had_overlay: *had_overlay,
            doors: runs(doors, Classes::ALL),
            overlays: overlays.iter().map(overlay).collect(),
        }
    }

    /// Returns the layers of a map with this number of cells; `None` if they do not fit it.
    pub(crate) fn layers(&self, cells: usize) -> Option<Layers> {
        let overlay = |(classes, runs): &(Classes, Vec<Run<u8>>)| {
            Some(CostOverlay { classes: *classes, extra: cells_of(runs, cells, 0)? })
        };
        let doors =
            if self.doors.is_empty() { Some(Vec::new()) } else { cells_of(&self.doors, cells, Classes::ALL) };
        Some(Layers {
            doors: doors?,
            overlays: self.overlays.iter().map(overlay).collect::<Option<_>>()?,
            had_overlay: self.had_overlay,
        })
    }

    /// Returns true if all runs lie on a map with this number of cells, and every value is possible.
    pub(crate) fn fit(&self, cells: usize) -> bool {
        let Self { had_overlay: _, doors, overlays } = self;
        let is_cost = |run: &Run<u8>| (1..=Profile::MAX_HALVES).contains(&run.value);
        end_of(doors).is_some_and(|end| end <= cells as u64)
            && overlays.len() <= Layers::MAX_OVERLAYS
            && overlays.iter().all(|(_, runs)| {
                end_of(runs).is_some_and(|end| end <= cells as u64) && runs.iter().all(is_cost)
            })
    }
}

/// Returns the runs of all cells that do not have the usual value.
fn runs<T: Copy + PartialEq>(cells: &[T], usual: T) -> Vec<Run<T>> {
    let (mut runs, mut end) = (Vec::new(), 0);
    let mut first = 0;
    for same in cells.chunk_by(|a, b| a == b) {
        if same[0] != usual {
            runs.push(Run { skip: (first - end) as u32, count: same.len() as u32, value: same[0] });
            end = first + same.len();
        }
        first += same.len();
    }
    runs
}

/// Returns the number of cells up to the end of the last run; `None` if it is too high.
fn end_of<T>(runs: &[Run<T>]) -> Option<u64> {
    runs.iter().try_fold(0_u64, |end, run| end.checked_add(u64::from(run.skip) + u64::from(run.count)))
}

/// Returns the values of all cells.
fn cells_of<T: Copy>(runs: &[Run<T>], cells: usize, usual: T) -> Option<Vec<T>> {
    if end_of(runs)? > cells as u64 {
        return None;
    }
    let mut values = vec![usual; cells];
    let mut end = 0;
    for run in runs {
        let first = end + run.skip as usize;
        end = first + run.count as usize;
        values[first..end].fill(run.value);
    }
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_come_back_and_runs_beyond_the_map_are_refused() {
        let doors =
            [0, 7, 7, 0, 9].map(|bits| if bits == 0 { Classes::ALL } else { Classes::from_bits(bits) });
        let overlays = vec![CostOverlay { classes: Classes::ALL, extra: vec![0, 0, 3, 3, 1] }];
        let layers = Layers { doors: doors.to_vec(), overlays, had_overlay: true };
        let saved = LayersState::of(&layers);
        assert_eq!((saved.doors.len(), saved.overlays[0].1.len()), (2, 2));
        assert_eq!(saved.layers(5), Some(layers));
        assert!(saved.fit(5) && !saved.fit(4));
        assert_eq!(saved.layers(4), None);
        assert_eq!(LayersState::of(&Layers::default()).layers(5), Some(Layers::default()));
    }
}
