//! The table of searches that use a path database.

use std::sync::Arc;

use throng_search::spec::{self, Kind, MILLION, Parameter, SpecError, Values};
use throng_search::{ANY_CORNERS, PathSearch, RegisteredSearch, SearchInfo};

use crate::changed_map::{ChangedMapSearch, SearchFrom, SearchStyle};
use crate::cpd_space::FocalRule;
use crate::database::Cpd;
use crate::target_repair::TargetRepairSearch;
use crate::wall_following::SamePerturbation;

/// A search that uses a path database.
#[derive(Debug)]
pub struct CpdSearch {
    /// What there is to say of it. The one that it builds makes its own database, of the first map it is asked about.
    pub info: SearchInfo,
    make: Make,
}

const EPSILON: Parameter = Parameter {
    name: "epsilon",
    summary: "the path costs at most this many times the least",
    kind: Kind::Decimal { min: MILLION, max: 100 * MILLION, default: 1_100_000 },
};

const SHI: &str = "E. Shi: Dynamic Pathfinding in Video Games. Monash University, FIT5128";
const BONO: &str = "M. Bono, A. E. Gerevini, D. D. Harabor, P. J. Stuckey: Path Planning with CPD Heuristics. \
                    IJCAI 2019";

/// What all of them have in common.
const COMMON: SearchInfo = SearchInfo {
    name: "",
    summary: "",
    idea: "",
    reference: SHI,
    parameters: &[EPSILON],
    optimal: false,
    prepares: true,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |values| PLAIN(None, MILLION, values),
};

const SAME: Parameter = Parameter {
    name: "same",
    summary: "perturbations are the same when their walls touch, or only at the same cell",
    kind: Kind::Choice(&["area", "cell"]),
};

const SAME_THEN: Parameter = Parameter {
    summary: "with search=walls: perturbations are the same when their walls touch, or only at the same cell",
    ..SAME
};

const FROM: Parameter = Parameter {
    name: "from",
    summary: "where it starts: as published, or from the end that is nearer to where the way is blocked",
    kind: Kind::Choice(&["start", "nearer"]),
};

const AFTER: Parameter = Parameter {
    name: "search",
    summary: "how it searches then: plainly as cpd-search, or along walls as cpd-branching",
    kind: Kind::Choice(&["plain", "walls"]),
};

const TARGETS: Parameter = Parameter {
    name: "targets",
    summary: "of so many targets the repaired ways are kept, a byte a cell each",
    kind: Kind::Integer { min: 1, max: 1_000, default: 8 },
};

/// What makes a search, with a database or so that it builds its own, that keeps a factor.
type Make = fn(Option<Arc<Cpd>>, u64, &Values) -> Box<dyn PathSearch>;

/// The favour of searches that walk along walls.
fn branching(values: &Values) -> SearchStyle {
    let same = if values.get("same") == 0 { SamePerturbation::Area } else { SamePerturbation::Cell };
    SearchStyle::Favouring(FocalRule::Branches(same), true)
}

const PLAIN: Make =
    |cpd, epsilon, _| Box::new(ChangedMapSearch::new(cpd, SearchStyle::Plain, SearchFrom::Nearer, epsilon));
const EITHER: Make = |cpd, epsilon, values| {
    let side = if values.get("from") == 0 { SearchFrom::Start } else { SearchFrom::Nearer };
    Box::new(ChangedMapSearch::new(cpd, SearchStyle::Plain, side, epsilon))
};
const INFLATED: Make = |cpd, epsilon, _| from_start(cpd, epsilon, SearchStyle::Inflated);
const FOCAL: Make =
    |cpd, epsilon, _| from_start(cpd, epsilon, SearchStyle::Favouring(FocalRule::Walls, true));
const NO_PULLING: Make =
    |cpd, epsilon, _| from_start(cpd, epsilon, SearchStyle::Favouring(FocalRule::Walls, false));
const SOFT: Make = |cpd, epsilon, _| from_start(cpd, epsilon, SearchStyle::Favouring(FocalRule::Calm, false));
const BRANCHING: Make = |cpd, epsilon, values| from_start(cpd, epsilon, branching(values));
const NEAR: Make = |cpd, epsilon, values| {
    let side = SearchFrom::Near { walls: values.get("search") == 1 };
    Box::new(ChangedMapSearch::new(cpd, branching(values), side, epsilon))
};
const SHADOW: Make = |cpd, _, values| Box::new(TargetRepairSearch::new(cpd, values.get("targets") as usize));

fn from_start(cpd: Option<Arc<Cpd>>, epsilon: u64, style: SearchStyle) -> Box<dyn PathSearch> {
    Box::new(ChangedMapSearch::new(cpd, style, SearchFrom::Start, epsilon))
}

/// The factor that a search was asked to keep.
fn epsilon(info: &SearchInfo, values: &Values) -> u64 {
    if info.optimal { MILLION } else { values.get("epsilon") }
}

/// Every search that uses a path database, in the order in which a newcomer should meet them.
pub const SEARCHES: &[CpdSearch] = &[
    CpdSearch {
        info: SearchInfo {
            name: "cpd",
            summary: "path database: a shortest path without search, as long as the map is unchanged",
            idea: "The database knows the first move of a shortest path from anywhere to anywhere; a path is one \
                   look-up a step. Where the map has changed and the path is blocked or dearer, CPD search from the end \
                   nearer to the change finds a shortest one.",
            reference: "A. Botea: Ultra-Fast Optimal Pathfinding without Runtime Search. AIIDE 2011",
            parameters: &[],
            optimal: true,
            ..COMMON
        },
        make: PLAIN,
    },
    CpdSearch {
        info: SearchInfo {
            name: "cpd-search",
            summary: "CPD search: A* with a path database's bounds, ended as soon as they prove a path good enough",
            idea: "Following the database's moves from a node gives a lower bound, what the way cost before the map \
                   changed, and an upper bound, what it costs now. The search ends when the best way known is within \
                   epsilon of the lowest bound in the open list. Moves cost the same both ways, and only nodes before the \
                   obstacle have bounds that are too low: from=nearer starts where there are fewer of them.",
            parameters: &[EPSILON, FROM],
            reference: BONO,
            build: |values| EITHER(None, values.get("epsilon"), values),
            ..COMMON
        },
        make: EITHER,
    },
    CpdSearch {
        info: SearchInfo {
            name: "cpd-weighted",
            summary: "weighted CPD search: the database's lower bound inflated",
            idea: "CPD search in the order of g + epsilon h, so that it runs ahead towards the goal. It ends when the \
                   best way known costs no more than the lowest inflated bound.",
            build: |values| INFLATED(None, values.get("epsilon"), values),
            ..COMMON
        },
        make: INFLATED,
    },
    CpdSearch {
        info: SearchInfo {
            name: "cpd-focal",
            summary: "CPD search that follows new walls and pulls strings at every node beside them",
            idea: "Nodes beside new walls, and the node where the database's way is blocked, are expanded out of turn \
                   as long as their f is within epsilon of the lowest. Each is joined to the last node that saw the \
                   wall, if the database's way there is free and cheaper.",
            build: |values| FOCAL(None, values.get("epsilon"), values),
            ..COMMON
        },
        make: FOCAL,
    },
    CpdSearch {
        info: SearchInfo {
            name: "cpd-nosp",
            summary: "CPD search that follows new walls, without string pulling",
            idea: "As cpd-focal, but nodes keep the way along the wall on which they were reached.",
            build: |values| NO_PULLING(None, values.get("epsilon"), values),
            ..COMMON
        },
        make: NO_PULLING,
    },
    CpdSearch {
        info: SearchInfo {
            name: "cpd-branching",
            summary: "CPD search that walks along new walls to where there is something to decide",
            idea: "Only branching nodes are expanded out of turn: where a wall forks or ends, or where the database's \
                   way is no longer stopped by the same perturbation. Walks along walls between them are single \
                   edges, and strings are pulled at their ends only. What the first two expansions would find, the start's \
                   and that of the cell where its way is blocked, is looked for without an open list.",
            parameters: &[EPSILON, SAME],
            build: |values| BRANCHING(None, values.get("epsilon"), values),
            ..COMMON
        },
        make: BRANCHING,
    },
    CpdSearch {
        info: SearchInfo {
            name: "cpd-soft",
            summary: "CPD search that keeps away from terrain that has become slower",
            idea: "Nodes around which no move has become dearer are expanded out of turn as long as their f is within \
                   epsilon of the lowest, and so before those in the midst of it. The report proposes the largest \
                   share by which a move of the node has become dearer as the order; here it is whether one has.",
            build: |values| SOFT(None, values.get("epsilon"), values),
            ..COMMON
        },
        make: SOFT,
    },
    CpdSearch {
        info: SearchInfo {
            name: "cpd-near",
            summary: "around the obstacle if that is good enough, else CPD search from the end nearer to it",
            idea: "First it follows the database's way and the walls that block it and looks nowhere else: what comes \
                   out is often within epsilon of what the way cost before. If not, it searches as cpd-search does. \
                   The database's bounds are weak before the obstacle and exact behind it, and moves cost the same \
                   both ways: so that search starts from the end that is nearer to the obstacle.",
            parameters: &[EPSILON, AFTER, SAME_THEN],
            reference: "throng; the rest as cpd-branching",
            build: |values| NEAR(None, values.get("epsilon"), values),
            ..COMMON
        },
        make: NEAR,
    },
    CpdSearch {
        info: SearchInfo {
            name: "cpd-shadow",
            summary: "shortest paths by repairing the ways to the goal in the shadow of the change, for many who go there",
            idea: "The database's ways to a goal are still shortest, except from where they meet the change. The first \
                   question from there repairs all of these, by one sweep from the edge of that shadow inwards; \
                   the next ones about the same goal need no search. Where the change helps it searches as cpd does.",
            parameters: &[TARGETS],
            optimal: true,
            reference: "M. Verzeletti, A. Botea, M. Zanella: Repairing Compressed Path Databases on Maps with Dynamic \
                        Changes. SoCS 2020, for whole databases; one goal at a time: throng",
            build: |values| SHADOW(None, MILLION, values),
            ..COMMON
        },
        make: SHADOW,
    },
];

/// What there is to say of each.
pub fn search_infos() -> impl Iterator<Item = &'static SearchInfo> {
    SEARCHES.iter().map(|search| &search.info)
}

/// Makes the search that a text names, of those with a database and all others. Without a database the former build their
/// own, of the first ground they meet.
///
/// # Errors
/// When the name or a parameter is unknown, or a value is out of its range.
pub fn any_search(text: &str, cpd: Option<&Arc<Cpd>>) -> Result<RegisteredSearch, SpecError> {
    let (name, _) = spec::split(text);
    if search_infos().any(|info| info.name == name) {
        return search(text, cpd.map(Arc::clone));
    }
    let known = throng_search::SEARCHES.iter().chain(search_infos()).map(|info| info.name);
    match throng_search::search(text) {
        Err(SpecError::UnknownName { what, .. }) => Err(SpecError::unknown(what, name, known)),
        other => other,
    }
}

/// Makes the search that a text names, with a database to use: `cpd-search:epsilon=1.2`. Without a database it builds
/// its own, of the first ground it meets.
///
/// # Errors
/// When the name or a parameter is unknown, or a value is out of its range.
pub fn search(text: &str, cpd: Option<Arc<Cpd>>) -> Result<RegisteredSearch, SpecError> {
    let (name, parameters) = spec::split(text);
    let known = || SEARCHES.iter().map(|search| search.info.name);
    let search = SEARCHES
        .iter()
        .find(|search| search.info.name == name)
        .ok_or_else(|| SpecError::unknown("search with a path database", name, known()))?;
    let values = Values::parse(name, search.info.parameters, parameters)?;
    let epsilon = epsilon(&search.info, &values);
    Ok(RegisteredSearch::new(&search.info, (search.make)(cpd, epsilon, &values)))
}
