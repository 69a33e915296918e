//! The table of planners: one entry each, and everything that is said about a planner comes from it.

use throng_crowd::bytes::Damaged;
use throng_crowd::{AgentId, Change, DirectionMap, Moves, Planner, Sharing, View, Work};
use throng_grid::{Cell, Corners, Grid};
use throng_search::spec::{self, Kind, Parameter, SpecError, Values};

/// What a planner is, for people and programs.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about a planner, each asked by name")]
pub struct PlannerInfo {
    /// The name it is asked for by.
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
    /// Whether it needs every unit under its control to keep its promises.
    pub needs_control: bool,
    /// Whether it computes something for a map before the first tick.
    pub prepares: bool,
    /// Whether its agents go to their targets; some only wander about.
    pub has_goals: bool,
    /// The corner rules that it supports with eight directions.
    pub corners: &'static [Corners],
    /// Whether it supports four directions.
    pub four_way: bool,
    /// Whether it supports terrain of different cost.
    pub weighted_terrain: bool,
    /// Makes one for a grid.
    pub build: fn(&Values, &Grid) -> Box<dyn Planner>,
}

/// Every planner, in the order in which a newcomer should meet them.
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
];

/// Short names of the papers' versions, and what they stand for.
pub const ALIASES: &[(&str, &str)] = &[
    ("bmaa-c", "bmaa:push=on"),
    ("bmaa-f", "bmaa:flow=on"),
    ("bmaa-f-c", "bmaa:push=on,flow=on"),
    ("astar-replan", "far:flow=off"),
    ("hca", "whca:window=0"),
    ("ca", "whca:window=0,heuristic=empty"),
];

/// Makes the planner that a text names for a grid: `bmaa-c`, `far:reserve=3`.
///
/// What is given after an alias overrules what the alias fixes: `bmaa-f-c:push=off` is `bmaa-f`. The planner knows what it
/// is: its [`Planner::name`] is the shortest text that asks for it, and equal planners have equal names.
///
/// # Errors
/// When the name or a parameter is unknown, or a value is out of its range.
pub fn planner(text: &str, grid: &Grid) -> Result<Box<dyn Planner>, SpecError> {
    let (info, values) = parse(text)?;
    let full = full_name(info, &values)?;
    let is_this =
        |alias: &&str| parse(alias).and_then(|(of, values)| full_name(of, &values)).as_ref() == Ok(&full);
    let short = ALIASES.iter().map(|(alias, _)| *alias).find(is_this).map(str::to_owned);
    Ok(Box::new(Named { name: short.unwrap_or(full), planner: (info.build)(&values, grid) }))
}

/// The planner that a text names, and its parameters.
fn parse(text: &str) -> Result<(&'static PlannerInfo, Values), SpecError> {
    let (name, given) = spec::split(text);
    let (name, fixed) = spec::split(expand(name));
    let info = planner_info(name)?;
    // What is given after an alias overrules what the alias fixes.
    let is_given = |key| entries(given).any(|entry| key_of(entry) == key);
    let kept = entries(fixed).filter(|entry| !is_given(key_of(entry)));
    let parameters = kept.chain(entries(given)).collect::<Vec<_>>().join(",");
    Ok((info, Values::parse(info.name, info.parameters, &parameters)?))
}

/// A planner's name with the parameters that are not as they usually are, in the order of the entry.
fn full_name(info: &PlannerInfo, values: &Values) -> Result<String, SpecError> {
    let usual = Values::parse(info.name, info.parameters, "")?;
    let text = |parameter: &Parameter| match parameter.kind {
        Kind::Choice(_) => values.choice(parameter.name).to_owned(),
        Kind::Decimal { .. } => {
            let (whole, part) =
                (values.get(parameter.name) / 1_000_000, values.get(parameter.name) % 1_000_000);
            format!("{whole}.{part:06}").trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        Kind::Integer { .. } => values.get(parameter.name).to_string(),
    };
    let unusual =
        info.parameters.iter().filter(|parameter| values.get(parameter.name) != usual.get(parameter.name));
    let given: Vec<_> = unusual.map(|parameter| format!("{}={}", parameter.name, text(parameter))).collect();
    Ok(if given.is_empty() { info.name.to_owned() } else { format!("{}:{}", info.name, given.join(",")) })
}

/// A planner that knows what it was asked for by.
struct Named {
    name: String,
    planner: Box<dyn Planner>,
}

impl Planner for Named {
    fn name(&self) -> &str {
        &self.name
    }

    fn needs(&self) -> Sharing {
        self.planner.needs()
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        self.planner.plan(view, work, moves);
    }

    fn notice(&mut self, agent: AgentId, change: Change) {
        self.planner.notice(agent, change);
    }

    fn intent(&self, agent: AgentId) -> Option<Cell> {
        self.planner.intent(agent)
    }

    fn directions(&self) -> Option<&DirectionMap> {
        self.planner.directions()
    }

    fn set_directions(&mut self, map: DirectionMap) -> bool {
        self.planner.set_directions(map)
    }

    fn set_first_moves(&mut self, moves: std::sync::Arc<dyn throng_search::FirstMoves>) -> bool {
        self.planner.set_first_moves(moves)
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        self.planner.save(bytes);
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), Damaged> {
        self.planner.load(bytes)
    }

    fn memory_bytes(&self) -> usize {
        self.planner.memory_bytes()
    }
}

/// The parameters in a text, as they are written.
fn entries(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').filter(move |_| !text.is_empty())
}

fn key_of(entry: &str) -> &str {
    entry.split_once('=').map_or(entry, |(key, _)| key)
}

/// What an alias stands for, or the name itself.
fn expand(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, text)| text)
}

/// The entry of a planner, or of the planner that an alias stands for.
///
/// # Errors
/// When there is no such planner.
pub fn planner_info(name: &str) -> Result<&'static PlannerInfo, SpecError> {
    let (known, _) = spec::split(expand(name));
    PLANNERS.iter().find(|info| info.name == known).ok_or_else(|| SpecError::UnknownName {
        what: "planner",
        name: name.to_owned(),
        nearest: spec::nearest(
            name,
            PLANNERS.iter().map(|info| info.name).chain(ALIASES.iter().map(|(alias, _)| *alias)),
        ),
    })
}
