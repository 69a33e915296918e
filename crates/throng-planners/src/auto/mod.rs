//! auto: looks at map, crowd, sharing and budget, picks a planner, and says why.
//!
//! J. R. Rice, *The Algorithm Selection Problem*, Advances in Computers 15, 1976. A trained model ([`throng_select::Model`])
//! predicts from features of map and crowd what share of the agents each planner of a portfolio brings to its goal. The best
//! planner on average plans until the features are computed, and another one takes over only if it is predicted to gain
//! more than the model's margin. The choice is reviewed when orders, agents or the map have changed enough
//! ([`situation`]), which is future work of D. Sigurdson, *Automatic Algorithm Selection in Videogame Pathfinding*, 2018.
//!
//! Computing features counts in the budget. Without a usable model a fixed planner plans, and a notice says why.

mod analysis;
mod credit;
mod models;
mod selector;
mod situation;

use serde::{Deserialize, Serialize};
use throng_crowd::state::{decode, encode};
use throng_crowd::{
    AgentChange, AgentRow, Certainty, Limits, MapKnowledge, Moves, Planner, PlannerLayer, PlannerMark,
    Sharing, StateError, StepTime, Validate, View, Work,
};
use throng_grid::{Cell, Grid};
use throng_search::spec::{Kind, Parameter, Values};

use crate::registry::{PlannerInfo, Resources, planner};
use analysis::MapAnalysis;
use credit::Credit;
pub use models::SMALL_BUDGET;
use selector::{Grants, Pick, Selector};
use situation::Situation;

pub(crate) const INFO: PlannerInfo = PlannerInfo {
    name: "auto",
    summary: "looks at map, crowd, sharing and budget, picks a planner, and says why",
    idea: "A trained model predicts from features of the map and the crowd what share of the agents each planner \
           brings to its goal. The planner that is best on average plans until the features are computed; another \
           one takes over if it is predicted to gain more than the model's margin. There is a model per sharing \
           setting and kind of budget; where a choice does not pay, it has one planner, and no features are computed. \
           The choice is reviewed when a quarter of the agents have new orders, or the map or the kind of budget has \
           changed, at most every 64 ticks.",
    reference: "J. R. Rice: The Algorithm Selection Problem. Advances in Computers 15, 1976; D. Sigurdson: Automatic \
                Algorithm Selection in Videogame Pathfinding. MSc thesis, University of Alberta, 2018",
    parameters: &[Parameter {
        name: "sharing",
        summary: "how much agents may share: planners that need more are not picked",
        kind: Kind::Choice(&["everything", "reservations", "moves", "nothing"]),
    }],
    needs: Sharing::Everything,
    needs_map: MapKnowledge::Own,
    needs_control: false,
    prepares: |_| false,
    has_goals: true,
    build: |values, grid, resources| Box::new(Auto::new(values, grid, resources)),
};

/// The planner.
#[derive(Clone)]
struct Auto {
    sharing: Sharing,
    selector: Selector,
    /// The map that the planner was made for, until the first tick: a saved inner planner is made for it.
    made_for: Option<Box<Grid>>,
    /// The planner that will most likely plan first, made for that map, so that the first tick does not prepare it.
    spare: Option<Inner>,
    inner: Option<Inner>,
    analysis: MapAnalysis,
    situation: Situation,
    credit: Credit,
    /// Whether the notice that the model is refused was emitted.
    has_complained: bool,
}

/// The planner that plans.
#[derive(Clone)]
struct Inner {
    spec: String,
    planner: Box<dyn Planner>,
}

/// Everything that the next decisions depend on.
#[derive(Clone, Serialize, Deserialize)]
struct SavedAuto {
    /// The hash of the model; none if there is none.
    model: Option<u64>,
    /// The inner planner and its state.
    inner: Option<(String, Vec<u8>)>,
    analysis: MapAnalysis,
    situation: Situation,
    credit: Credit,
    has_complained: bool,
}

impl Validate for SavedAuto {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { model: _, inner: _, analysis, situation, credit, has_complained: _ } = self;
        analysis.validate(limits)?;
        situation.validate(limits)?;
        credit.validate(limits)
    }
}

impl Auto {
    fn new(values: &Values, grid: &Grid, resources: &mut Resources) -> Self {
        let sharing = match values.choice("sharing") {
            "nothing" => Sharing::Nothing,
            "moves" => Sharing::MoveRequests,
            "reservations" => Sharing::Reservations,
            _ => Sharing::Everything,
        };
        let selector = Selector::new(sharing, resources.model.take().as_deref());
        let spare = selector.first(sharing).map(|spec| Inner::unaware(spec.to_owned(), grid));
        Self::with(sharing, selector, spare, grid)
    }

    fn with(sharing: Sharing, selector: Selector, spare: Option<Inner>, grid: &Grid) -> Self {
        Self {
            sharing,
            spare,
            selector,
            made_for: Some(Box::new(grid.clone())),
            inner: None,
            analysis: MapAnalysis::default(),
            situation: Situation::default(),
            credit: Credit::default(),
            has_complained: false,
        }
    }

    /// Picks a planner if the choice is due and the features are known. Afterwards there is one that plans in this tick.
    fn choose(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        let grants = Grants::of(self.sharing, view, work);
        self.credit.begin(work);
        if let Some(reason) = self.selector.refusal().filter(|_| !self.has_complained) {
            let fallback = self.selector.fallback(grants);
            moves.notice(format!("auto: {reason}; {fallback} plans instead"));
            self.has_complained = true;
        }
        let can_pick = self.selector.can_pick(grants);
        let map_has_changed = can_pick && self.analysis.is_stale(view);
        if self.selector.refusal().is_none()
            && self.situation.is_due(view, map_has_changed, grants.is_small())
        {
            if can_pick {
                self.analysis.advance(view, work, &mut self.credit);
                if let Some(map) = self.analysis.features(view)
                    && self.credit.pay(work, selector::FEATURES_COST)
                {
                    let current = self.inner.as_ref().map(|inner| inner.spec.as_str());
                    let pick = self.selector.pick(grants, view, map, current);
                    self.situation.reviewed(view, grants.is_small());
                    self.switch_to(pick, view, moves);
                }
            } else {
                let pick = self.selector.only_pick(grants);
                let is_first = self.situation.is_first();
                self.situation.reviewed(view, grants.is_small());
                if is_first || self.inner.as_ref().is_none_or(|inner| inner.spec != pick.spec) {
                    self.switch_to(pick, view, moves);
                }
            }
        }
        // Planners that the grants forbid never plan: an agent may have got out of control since the last tick.
        let is_allowed = |inner: &Inner| self.selector.allows(&inner.spec, grants);
        if !self.inner.as_ref().is_some_and(is_allowed) {
            let fallback = self.selector.fallback(grants).to_owned();
            self.inner = Some(self.make(fallback, view));
        }
    }

    /// Makes a planner for the world as it is; its agents are new to it. Takes the spare one if it was made for this map.
    fn make(&mut self, spec: String, view: &View<'_>) -> Inner {
        let state = |grid: &Grid| (grid.revision(), grid.grounds().len(), grid.layers().had_overlay);
        let is_made_for_it = self.made_for.as_ref().is_some_and(|grid| state(grid) == state(view.grid()))
            && view.granted_map() == MapKnowledge::Whole;
        let spare = self.spare.take().filter(|spare| is_made_for_it && spare.spec == spec);
        let mut inner = spare.unwrap_or_else(|| Inner::unaware(spec, view.grid()));
        for &agent in view.agents() {
            inner.planner.on_change(agent, AgentChange::Spawned);
        }
        inner
    }

    /// Lets a planner take over unless it plans already, and says why it was picked.
    fn switch_to(&mut self, pick: Pick, view: &View<'_>, moves: &mut Moves) {
        let Pick { spec, reason } = pick;
        let stays = self.inner.as_ref().is_some_and(|inner| inner.spec == spec);
        let verb = if stays { "keeps" } else { "picks" };
        moves.notice(format!("auto: {verb} {spec}: {reason}"));
        if !stays {
            self.inner = Some(self.make(spec, view));
        }
    }
}

impl Inner {
    /// Makes a planner that knows no agent.
    fn unaware(spec: String, grid: &Grid) -> Self {
        let planner = planner(&spec, grid).expect("the selector knows registered planners only").planner;
        Self { spec, planner }
    }
}

impl Planner for Auto {
    fn clone_box(&self) -> Box<dyn Planner> {
        Box::new(self.clone())
    }

    fn renewed(&self, grid: &Grid) -> Option<Box<dyn Planner>> {
        let inner = self.inner.as_ref().or(self.spare.as_ref())?;
        let spare = Inner { spec: inner.spec.clone(), planner: inner.planner.renewed(grid)? };
        let selector = self.selector.clone();
        Some(Box::new(Self::with(self.sharing, selector, Some(spare), grid)))
    }

    fn required_sharing(&self) -> Sharing {
        self.sharing
    }

    fn required_map(&self) -> MapKnowledge {
        MapKnowledge::Own
    }

    fn step_time(&self) -> StepTime {
        StepTime::Cost
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        self.choose(view, work, moves);
        (self.made_for, self.spare) = (None, None);
        let inner = self.inner.as_mut().expect("an inner planner has been chosen");
        work.set_price(inner.planner.expansion_price());
        inner.planner.plan(view, work, moves);
    }

    fn on_change(&mut self, agent: AgentRow, change: AgentChange) {
        self.situation.note(change);
        if let Some(inner) = &mut self.inner {
            inner.planner.on_change(agent, change);
        }
    }

    fn preview(&self, view: &View<'_>, agent: AgentRow, emit: &mut dyn FnMut(Cell, Certainty) -> bool) {
        if let Some(inner) = &self.inner {
            inner.planner.preview(view, agent, emit);
        }
    }

    fn inspect(&self, view: &View<'_>, layer: PlannerLayer, emit: &mut dyn FnMut(PlannerMark)) {
        if let Some(inner) = &self.inner {
            inner.planner.inspect(view, layer, emit);
        }
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        let state_of = |inner: &Inner| {
            let mut state = Vec::new();
            inner.planner.save(&mut state);
            (inner.spec.clone(), state)
        };
        let saved = SavedAuto {
            model: self.selector.hash(),
            inner: self.inner.as_ref().map(state_of),
            analysis: self.analysis.saved(),
            situation: self.situation.clone(),
            credit: self.credit,
            has_complained: self.has_complained,
        };
        encode(&saved, bytes);
    }

    fn load(&mut self, bytes: &[u8], limits: &Limits) -> Result<(), StateError> {
        let SavedAuto { model, inner, analysis, situation, credit, has_complained } = decode(bytes, limits)?;
        if model != self.selector.hash() {
            return Err(StateError::invalid("the planner auto was saved with another model"));
        }
        let inner = match (inner, &self.made_for) {
            (None, _) => None,
            (Some(_), None) => return Err(StateError::invalid("auto has planned before")),
            (Some((spec, state)), Some(grid)) => {
                limits.require(self.selector.knows(&spec), "auto does not know the saved planner")?;
                let spare = self.spare.take().filter(|spare| spare.spec == spec);
                let mut inner = spare.unwrap_or_else(|| Inner::unaware(spec, grid));
                inner.planner.load(&state, limits)?;
                Some(inner)
            }
        };
        (self.inner, self.analysis, self.situation) = (inner, analysis, situation);
        (self.credit, self.has_complained) = (credit, has_complained);
        Ok(())
    }

    fn memory_bytes(&self) -> usize {
        let inners = [&self.inner, &self.spare];
        let inner: usize = inners.into_iter().flatten().map(|inner| inner.planner.memory_bytes()).sum();
        inner + self.selector.memory_bytes()
    }
}
