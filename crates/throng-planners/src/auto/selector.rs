//! Which planners are allowed, and which of them the model picks.

use throng_crowd::{MapKnowledge, Sharing, StepTime, View, Work};
use throng_grid::{Cell, Grid, MoveRules, Tiles};
use throng_select::{MapFeatures, Model, instance_features};

use super::models;
use crate::registry::{planner, planner_info};

/// Expansions that computing the features of the crowd and evaluating the model cost. For 300 agents they take as long as
/// 6,400 to 18,300 expansions of A* on maps of 512×512 cells, as `cargo bench --bench select` measures, and less on small maps.
pub(super) const FEATURES_COST: u64 = 8_192;

/// Most reasons that a notice gives.
const MAX_REASONS: usize = 3;

/// What the world grants to a planner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Grants {
    sharing: Sharing,
    map: MapKnowledge,
    step_time: StepTime,
    /// Whether all agents are under the planner's control.
    control: bool,
    /// Whether the budget of the tick is small: see [`models::SMALL_BUDGET`].
    is_starved: bool,
}

impl Grants {
    pub(super) fn of(sharing: Sharing, view: &View<'_>, work: &Work<'_>) -> Self {
        let agents = view.agents();
        Self {
            sharing,
            map: view.granted_map(),
            step_time: view.step_time(),
            control: agents.iter().all(|&agent| view.is_controlled(agent)),
            is_starved: work.left() < models::SMALL_BUDGET.saturating_mul(agents.len() as u64),
        }
    }

    /// Returns true if the budget of the tick is small.
    pub(super) fn is_small(self) -> bool {
        self.is_starved
    }
}

/// What a planner needs.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Candidate {
    spec: String,
    sharing: Sharing,
    map: MapKnowledge,
    /// The most general time of steps that it supports.
    step_time: StepTime,
    control: bool,
}

impl Candidate {
    /// Reads what a planner needs. Returns a reason if it cannot be an inner planner.
    fn new(spec: &str) -> Result<Self, String> {
        let grid = Grid::new(Tiles::picture("."), MoveRules::default());
        let info = planner_info(throng_search::spec::split(spec).0).map_err(|error| error.to_string())?;
        if info.name == super::INFO.name || !info.has_goals {
            return Err(format!("the planner `{spec}` cannot be picked"));
        }
        let made = planner(spec, &grid).map_err(|error| error.to_string())?.planner;
        let (sharing, map, step_time) = (made.required_sharing(), made.required_map(), made.step_time());
        Ok(Self { spec: spec.to_owned(), sharing, map, step_time, control: info.needs_control })
    }

    fn is_allowed(&self, grants: Grants) -> bool {
        self.sharing <= grants.sharing
            && self.map <= grants.map
            && self.step_time >= grants.step_time
            && (grants.control || !self.control)
    }
}

/// A model and what the planners of its portfolio need, in the order of the portfolio.
#[derive(Clone)]
struct Portfolio {
    model: Model,
    candidates: Vec<Candidate>,
}

impl Portfolio {
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let refuse = |reason: String| format!("the model is refused: {reason}");
        let model = Model::read(bytes).map_err(|error| refuse(error.to_string()))?;
        let candidates = model.portfolio().iter().map(|spec| Candidate::new(spec)).collect::<Result<_, _>>();
        let candidates =
            candidates.map_err(|reason| refuse(format!("it is for another portfolio: {reason}")))?;
        Ok(Self { model, candidates })
    }
}

/// A choice and its reason.
#[derive(Clone)]
pub(super) struct Pick {
    pub(super) spec: String,
    pub(super) reason: String,
}

/// Chooses among planners.
#[derive(Clone)]
pub(super) struct Selector {
    /// The models for an ample and for a small budget, or why there are none.
    portfolios: Result<[Portfolio; 2], String>,
    /// The planners that plan without a model, the preferred ones first.
    fallbacks: Vec<Candidate>,
}

impl Selector {
    /// Creates a selector with a model file, or with the models that are part of the program.
    pub(super) fn new(sharing: Sharing, file: Option<&[u8]>) -> Self {
        let [ample, starved] = file.map_or_else(|| models::models(sharing), |file| [file; 2]);
        let portfolios = Portfolio::read(ample).and_then(|ample| Ok([ample, Portfolio::read(starved)?]));
        let fallbacks = models::FALLBACKS.iter().map(|spec| Candidate::new(spec));
        Self { portfolios, fallbacks: fallbacks.collect::<Result<_, _>>().expect("fallbacks are registered") }
    }

    /// Returns why there is no model.
    pub(super) fn refusal(&self) -> Option<&str> {
        self.portfolios.as_ref().err().map(String::as_str)
    }

    /// Returns a hash of the models; none without a model.
    pub(super) fn hash(&self) -> Option<u64> {
        let [ample, starved] = self.portfolios.as_ref().ok()?;
        Some(ample.model.hash().rotate_left(1) ^ starved.model.hash())
    }

    /// Returns true if a saved planner can be one of this selector.
    pub(super) fn knows(&self, spec: &str) -> bool {
        self.candidates().any(|candidate| candidate.spec == spec)
    }

    /// Returns true if a planner is known and needs no more than is granted.
    pub(super) fn allows(&self, spec: &str, grants: Grants) -> bool {
        self.candidates().any(|candidate| candidate.spec == spec && candidate.is_allowed(grants))
    }

    fn candidates(&self) -> impl Iterator<Item = &Candidate> {
        let portfolios = self.portfolios.iter().flatten();
        portfolios.flat_map(|portfolio| &portfolio.candidates).chain(&self.fallbacks)
    }

    fn portfolio(&self, grants: Grants) -> Option<&Portfolio> {
        Some(&self.portfolios.as_ref().ok()?[usize::from(grants.is_starved)])
    }

    /// Returns true if there is a choice: a model, and the whole map, which features are computed from.
    pub(super) fn can_pick(&self, grants: Grants) -> bool {
        let allowed = |portfolio: &Portfolio| {
            portfolio.candidates.iter().filter(|candidate| candidate.is_allowed(grants)).count()
        };
        grants.map == MapKnowledge::Whole
            && self.portfolio(grants).is_some_and(|portfolio| allowed(portfolio) > 1)
    }

    /// Returns the planner that plans before the first choice and where there is none: the first allowed one of the
    /// portfolio, which is the best one on average, or the first allowed fallback.
    pub(super) fn fallback(&self, grants: Grants) -> &str {
        let of_model = self.portfolio(grants).map_or(&[][..], |portfolio| &portfolio.candidates);
        let mut allowed =
            of_model.iter().chain(&self.fallbacks).filter(|candidate| candidate.is_allowed(grants));
        &allowed.next().expect("the last fallback needs nothing").spec
    }

    /// Returns the planner that plans first under usual settings, whatever the budget; `None` if that depends on it.
    pub(super) fn first(&self, sharing: Sharing) -> Option<&str> {
        let (map, step_time) = (MapKnowledge::Whole, StepTime::Uniform);
        let grants = |is_starved| Grants { sharing, map, step_time, control: true, is_starved };
        let [ample, starved] = [false, true].map(|is_starved| self.fallback(grants(is_starved)));
        (ample == starved).then_some(ample)
    }

    /// Picks the planner that plans where there is no choice.
    pub(super) fn only_pick(&self, grants: Grants) -> Pick {
        let budget = if grants.is_starved { "a small" } else { "an ample" };
        let sharing = grants.sharing.name();
        let is_alone = self.portfolio(grants).is_some_and(|portfolio| portfolio.candidates.len() == 1);
        let reason = if is_alone {
            format!(
                "the best one for sharing {sharing} and {budget} budget; a choice by features gains nothing there"
            )
        } else if grants.map == MapKnowledge::Whole {
            "the world allows no other planner of the model".to_owned()
        } else {
            "a choice by features needs the whole map".to_owned()
        };
        Pick { spec: self.fallback(grants).to_owned(), reason }
    }

    /// Picks a planner. `current` is the one that plans; another one must be predicted to gain twice the margin.
    pub(super) fn pick(
        &self,
        grants: Grants,
        view: &View<'_>,
        map: &MapFeatures,
        current: Option<&str>,
    ) -> Pick {
        let portfolio = self.portfolio(grants).expect("a choice needs a model: a bug of auto");
        let (model, candidates) = (&portfolio.model, &portfolio.candidates);
        let features = instance_features(map, view.grid().ground(), &under_way(view));
        let utilities = model.utilities(&features);
        let is_allowed = |place: &usize| candidates[*place].is_allowed(grants);
        let usual = (0..candidates.len()).find(is_allowed).unwrap_or_default();
        let best = (0..candidates.len()).rev().filter(is_allowed).max_by_key(|&place| utilities[place]);
        let best = best.unwrap_or(usual);
        let planning =
            current.and_then(|spec| candidates.iter().position(|candidate| candidate.spec == spec));
        // Before the first choice the best planner on average plans.
        let (from, margin) = match planning.filter(is_allowed) {
            Some(place) if place != usual => (place, 2 * i64::from(model.margin())),
            _ => (usual, i64::from(model.margin())),
        };
        let gain = i64::from(utilities[best]) - i64::from(utilities[from]);
        let chosen = if gain > margin { best } else { from };
        let percent = |place: usize| format!("{:.1} %", f64::from(utilities[place]) / 100.0);
        let reason = if chosen == from {
            format!(
                "no other planner is predicted to complete {:.1} points more than its {}",
                margin as f64 / 100.0,
                percent(chosen)
            )
        } else {
            let found = model.explain_between(&features, chosen, from);
            let reasons = found.iter().filter(|reason| reason.contribution > 0).take(MAX_REASONS);
            let reasons: Vec<String> =
                reasons.map(|reason| format!("{} = {}", reason.feature, reason.value)).collect();
            let spec = &candidates[from].spec;
            format!(
                "completes {} by prediction, {spec} {}; {}",
                percent(chosen),
                percent(from),
                reasons.join(", ")
            )
        };
        Pick { spec: candidates[chosen].spec.clone(), reason }
    }

    /// Returns the bytes of the models.
    pub(super) fn memory_bytes(&self) -> usize {
        let nodes = |portfolio: &Portfolio| {
            portfolio.model.forests().iter().map(throng_select::Forest::nodes).sum::<usize>()
        };
        self.portfolios.iter().flatten().map(nodes).sum::<usize>() * size_of::<throng_select::Node>()
    }
}

/// Returns position and target of the agents that are under way.
fn under_way(view: &View<'_>) -> Vec<(Cell, Cell)> {
    let agents = view.agents().iter().filter(|&&agent| view.is_controlled(agent));
    let pair = |&agent: &throng_crowd::AgentRow| Some((view.at(agent), view.target(agent)?));
    agents.filter_map(pair).filter(|(at, target)| at != target).collect()
}
