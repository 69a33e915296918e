//! The registry of planners. How to add a planner: write its file and add one line to [`PLANNERS`]. Help, documents and
//! tests read everything about a planner from its entry.

use std::sync::Arc;

use throng_crowd::{MapKnowledge, NamedPlanner, Planner, RestoreError, Sharing, World};
use throng_grid::Grid;
use throng_search::FirstMoves;
use throng_search::spec::{self, Kind, Parameter, SpecError, Values};
use throng_toolkit::DirectionMap;

/// Knowledge that a planner may be given when it is made. A planner takes what it uses.
#[derive(Clone, Default)]
pub struct Resources {
    /// A direction map that was learned before.
    pub direction_map: Option<DirectionMap>,
    /// Optimal first moves of the unchanged map, such as a path database.
    pub first_moves: Option<Arc<dyn FirstMoves>>,
    /// The content of a model file, for planners that pick other planners.
    pub model: Option<Arc<[u8]>>,
}

/// Why a planner cannot be made.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlannerError {
    /// The name or a parameter is wrong.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The planner has no use for a resource that was given.
    #[error("planner `{planner}` has no use for a {resource}")]
    Resource {
        /// The planner.
        planner: String,
        /// The resource.
        resource: &'static str,
    },
}

/// The entry of a planner. Every planner supports all move rules and terrain of different cost.
#[derive(Debug)]
pub struct PlannerInfo {
    /// The name in a specification.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// How it works, in a few sentences.
    pub idea: &'static str,
    /// Where it was published.
    pub reference: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// How much it needs agents to share; with some parameters it may need less.
    pub needs: Sharing,
    /// How much of the map it needs to know; with some parameters it may need more.
    pub needs_map: MapKnowledge,
    /// Whether it needs every unit under its control to keep its promises.
    pub needs_control: bool,
    /// Whether it computes something for a map before the first tick, by its parameters.
    pub prepares: fn(&Values) -> bool,
    /// Whether its agents go to their targets; some only wander about.
    pub has_goals: bool,
    /// Makes one for a grid, and takes the resources that it uses.
    pub build: fn(&Values, &Grid, &mut Resources) -> Box<dyn Planner>,
}

/// All planners, in the order of the documents.
pub const PLANNERS: &[PlannerInfo] = &[
    crate::bmaa::INFO,
    crate::far::INFO,
    crate::whca::INFO,
    crate::lra::INFO,
    crate::dm::INFO,
    crate::dm::GREEDY,
    crate::rtaa::INFO,
    crate::pibt::INFO,
    crate::surge::INFO,
    crate::auto::INFO,
];

/// Short names of variants from the papers, and their specifications.
pub const ALIASES: &[(&str, &str)] = &[
    ("bmaa-c", "bmaa:push=on"),
    ("bmaa-f", "bmaa:flow=on"),
    ("bmaa-f-c", "bmaa:push=on,flow=on"),
    ("astar-replan", "far:flow=off"),
    ("hca", "whca:window=0"),
    ("ca", "whca:window=0,heuristic=empty"),
];

/// Makes the planner of a specification such as `bmaa-c` or `far:reserve=3` for a grid.
///
/// Parameters after an alias override those of the alias: `bmaa-f-c:push=off` is `bmaa-f`. The name of the result is the
/// shortest specification of the planner, so equal planners have equal names.
///
/// # Errors
/// When the name or a parameter is unknown, or a value is out of its range.
pub fn planner(text: &str, grid: &Grid) -> Result<NamedPlanner, SpecError> {
    make(text, grid, &mut Resources::default())
}

/// Continues a world from a snapshot, with the planner that made it.
///
/// # Errors
/// If the bytes are not a valid snapshot, or the planner is none of the registry.
pub fn restore(snapshot: &[u8]) -> Result<World, RestoreError> {
    World::restore(snapshot, planner)
}

/// Continues a world from a snapshot as [`restore`] does, and takes from another world what follows from the map alone, so that
/// it is not computed again. That is several times as fast if the other world has the same map and planner, as a world has that
/// goes back to a snapshot of its own: see [`World::restore_like`].
///
/// # Errors
/// If the bytes are not a valid snapshot, or the planner is none of the registry.
pub fn restore_like(world: &World, snapshot: &[u8]) -> Result<World, RestoreError> {
    world.restore_like(snapshot, planner)
}

/// Makes a planner like [`planner`] does, and gives it resources.
///
/// # Errors
/// When the specification is wrong, or the planner does not use a resource that was given.
pub fn planner_with(text: &str, grid: &Grid, mut resources: Resources) -> Result<NamedPlanner, PlannerError> {
    let made = make(text, grid, &mut resources)?;
    all_taken(text, &resources)?;
    Ok(made)
}

fn make(text: &str, grid: &Grid, resources: &mut Resources) -> Result<NamedPlanner, SpecError> {
    let (info, values) = parse(text)?;
    let full = full_name(info, &values)?;
    let is_this =
        |alias: &&str| parse(alias).and_then(|(of, values)| full_name(of, &values)).as_ref() == Ok(&full);
    let short = ALIASES.iter().map(|(alias, _)| *alias).find(is_this).map(str::to_owned);
    let made = NamedPlanner::new(short.unwrap_or(full), (info.build)(&values, grid, resources));
    Ok(made.made_for(grid))
}

/// Returns true if the planner of a specification computes something for a map before the first tick.
///
/// # Errors
/// When the specification is wrong.
pub fn prepares(text: &str) -> Result<bool, SpecError> {
    let (info, values) = parse(text)?;
    Ok((info.prepares)(&values))
}

/// Former spellings of parameters and their present ones. Stored results name planners as they were named then.
const FORMER: &[(&str, &str)] = &[("depressions=enter", "core=rtaa"), ("depressions=avoid", "core=da-rtaa")];

/// Returns a parameter in its present spelling.
fn present_spelling(entry: &str) -> &str {
    FORMER.iter().find(|(former, _)| *former == entry).map_or(entry, |(_, present)| present)
}

/// Returns the planner that a text names, and its parameters.
fn parse(text: &str) -> Result<(&'static PlannerInfo, Values), SpecError> {
    let (name, given) = spec::split(text);
    let given = &entries(given).map(present_spelling).collect::<Vec<_>>().join(",");
    let (name, fixed) = spec::split(expand(name));
    let info = planner_info(name)?;
    // Parameters after an alias override those of the alias.
    let is_given = |key| entries(given).any(|entry| key_of(entry) == key);
    let kept = entries(fixed).filter(|entry| !is_given(key_of(entry)));
    let parameters = kept.chain(entries(given)).collect::<Vec<_>>().join(",");
    Ok((info, Values::parse(info.name, info.parameters, &parameters)?))
}

/// Returns the name with the parameters that differ from their defaults, in the order of the entry.
fn full_name(info: &PlannerInfo, values: &Values) -> Result<String, SpecError> {
    let usual = Values::parse(info.name, info.parameters, "")?;
    let text = |parameter: &Parameter| match parameter.kind {
        Kind::Choice(_) => values.choice(parameter.name).to_owned(),
        Kind::Decimal { .. } => spec::decimal_text(values.get(parameter.name)),
        Kind::Integer { .. } => values.get(parameter.name).to_string(),
    };
    let unusual =
        info.parameters.iter().filter(|parameter| values.get(parameter.name) != usual.get(parameter.name));
    let given: Vec<_> = unusual.map(|parameter| format!("{}={}", parameter.name, text(parameter))).collect();
    Ok(if given.is_empty() { info.name.to_owned() } else { format!("{}:{}", info.name, given.join(",")) })
}

/// Fails if a resource was given that the planner did not take.
fn all_taken(name: &str, left: &Resources) -> Result<(), PlannerError> {
    let refused = |resource| Err(PlannerError::Resource { planner: name.to_owned(), resource });
    match left {
        Resources { direction_map: Some(_), .. } => refused("direction map of this size"),
        Resources { first_moves: Some(_), .. } => refused("path database"),
        Resources { model: Some(_), .. } => refused("model"),
        _ => Ok(()),
    }
}

/// Returns the parameters in a text, as they are written.
fn entries(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').filter(move |_| !text.is_empty())
}

fn key_of(entry: &str) -> &str {
    entry.split_once('=').map_or(entry, |(key, _)| key)
}

/// Returns the specification of an alias, or the name itself.
fn expand(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, text)| text)
}

/// Returns the entry of a planner, or of the planner of an alias.
///
/// # Errors
/// When there is no such planner.
pub fn planner_info(name: &str) -> Result<&'static PlannerInfo, SpecError> {
    let (known, _) = spec::split(expand(name));
    PLANNERS.iter().find(|info| info.name == known).ok_or_else(|| {
        let names = PLANNERS.iter().map(|info| info.name).chain(ALIASES.iter().map(|(alias, _)| *alias));
        SpecError::unknown("planner", name, names)
    })
}
