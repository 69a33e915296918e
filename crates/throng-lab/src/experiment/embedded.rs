//! The experiments that are part of the program: one entry per folder of `experiments`, made by `build.rs`.

/// The files of an experiment's folder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Embedded {
    /// The folder's name.
    pub(crate) name: &'static str,
    /// `experiment.toml`.
    pub(crate) experiment: &'static str,
    /// `report.toml`, if the folder has one.
    pub(crate) report: Option<&'static str>,
    /// `paper.toml`, if the folder has one.
    pub(crate) paper: Option<&'static str>,
}

/// The embedded experiments, sorted by name.
pub(crate) const EXPERIMENTS: &[Embedded] = include!(concat!(env!("OUT_DIR"), "/experiments.rs"));

/// `common.toml`: the values of keys that an experiment does not set.
pub(super) const COMMON: &str = include_str!("../../experiments/common.toml");

/// Returns the embedded experiment with the given name.
pub(crate) fn embedded(name: &str) -> Option<&'static Embedded> {
    EXPERIMENTS.iter().find(|experiment| experiment.name == name)
}
