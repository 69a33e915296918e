//! The registry of searches that use a path database.

use std::sync::Arc;

use throng_search::spec::{self, Kind, MILLION, Parameter, SpecError, Values};
use throng_search::{ANY_CORNERS, PathSearch, RegisteredSearch, SearchInfo};

use crate::changed_map::{ChangedMapSearch, SearchFrom, SearchStyle};
use crate::cpd_space::{FocalRule, StringPulling, WallSearch};
use crate::database::Cpd;
use crate::target_repair::TargetRepairSearch;
use crate::wall_following::SamePerturbation;

/// A search that uses a path database.
#[derive(Debug)]
pub struct CpdSearch {
    /// Its description. A search created by [`SearchInfo::build`] builds its own database for the first map.
    pub info: SearchInfo,
    create: Create,
}

const EPSILON: Parameter = Parameter {
    name: "epsilon",
    summary: "the path costs at most this many times the minimum",
    kind: Kind::Decimal { min: MILLION, max: 100 * MILLION, default: 1_100_000 },
};

const SHI: &str = "E. Shi: Dynamic Pathfinding in Video Games. Monash University, FIT5128";
const BONO: &str = "M. Bono, A. E. Gerevini, D. D. Harabor, P. J. Stuckey: Path Planning with CPD Heuristics. \
                    IJCAI 2019";

/// The values that most entries share.
const COMMON: SearchInfo = SearchInfo {
    name: "",
    summary: "",
    idea: "",
    reference: SHI,
    parameters: &[EPSILON],
    optimal: false,
    real_time: false,
    prepares: true,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |values| SHORTEST(None, values),
};

const SAME: Parameter = Parameter {
    name: "same",
    summary: "two perturbations are the same if their walls touch, or only if they block paths at the same cell",
    kind: Kind::Choice(&["area", "cell"]),
};

const SAME_WITH_WALLS: Parameter = Parameter {
    summary: "with search=walls: two perturbations are the same if their walls touch, or only if they block paths at the \
              same cell",
    ..SAME
};

const LOOK: Parameter = Parameter {
    name: "look",
    summary: "whether a detour along the first wall is tried before the search; off: as published",
    kind: Kind::Choice(&["on", "off"]),
};

const WALKS: Parameter = Parameter {
    name: "walks",
    summary: "short: walks along walls also end where they lead too far away or where another walk has been; full: at \
              branching nodes only, as published",
    kind: Kind::Choice(&["short", "full"]),
};

const PULL: Parameter = Parameter {
    name: "pull",
    summary: "strings are pulled at nodes beside walls, or at all nodes, as published",
    kind: Kind::Choice(&["walls", "all"]),
};

const PRIORITY: Parameter = Parameter {
    name: "priority",
    summary: "flag: nodes without a worsened move first, by f; multiplier: by the maximum ratio by which a move's cost has \
              risen, as proposed in the report",
    kind: Kind::Choice(&["flag", "multiplier"]),
};

const FROM: Parameter = Parameter {
    name: "from",
    summary: "search from the start, as published, or from the end nearer to where the path is blocked",
    kind: Kind::Choice(&["start", "nearer"]),
};

const SEARCH: Parameter = Parameter {
    name: "search",
    summary: "the search after the detour: plain as cpd-search, or along walls as cpd-branching",
    kind: Kind::Choice(&["plain", "walls"]),
};

const TARGETS: Parameter = Parameter {
    name: "targets",
    summary: "number of goals whose repaired paths are kept, one byte per cell each",
    kind: Kind::Integer { min: 1, max: 1_000, default: 8 },
};

/// Creates a search with a database, or one that builds its own.
type Create = fn(Option<Arc<Cpd>>, &Values) -> Box<dyn PathSearch>;

/// Returns how a search follows walls.
fn wall_search(values: &Values, look: bool, full_walks: bool) -> SearchStyle {
    let same = if values.get("same") == 0 { SamePerturbation::Area } else { SamePerturbation::Cell };
    SearchStyle::Focal(FocalRule::BranchingNodes(WallSearch { same, look, full_walks }))
}

const SHORTEST: Create = |cpd, _| Box::new(ChangedMapSearch::shortest(cpd));
const PLAIN: Create = |cpd, values| {
    let side = if values.get("from") == 0 { SearchFrom::Start } else { SearchFrom::NearerEnd };
    changed_map(cpd, values, SearchStyle::Plain, side)
};
const WEIGHTED: Create = |cpd, values| from_start(cpd, values, SearchStyle::Weighted);
const FOCAL: Create = |cpd, values| {
    let pulling = if values.get("pull") == 0 { StringPulling::FocalNodes } else { StringPulling::AllNodes };
    from_start(cpd, values, SearchStyle::Focal(FocalRule::BesideWalls(pulling)))
};
const NO_STRING_PULLING: Create =
    |cpd, values| from_start(cpd, values, SearchStyle::Focal(FocalRule::BesideWalls(StringPulling::Off)));
const SOFT: Create = |cpd, values| {
    let style = match values.get("priority") {
        0 => SearchStyle::Focal(FocalRule::NotWorsened),
        _ => SearchStyle::LeastWorsened,
    };
    from_start(cpd, values, style)
};
const BRANCHING: Create = |cpd, values| {
    let style = wall_search(values, values.get("look") == 0, values.get("walks") == 1);
    from_start(cpd, values, style)
};
const NEAR: Create = |cpd, values| {
    let side = SearchFrom::NearerEndWithDetour { walls: values.get("search") == 1 };
    changed_map(cpd, values, wall_search(values, true, false), side)
};
const SHADOW: Create = |cpd, values| Box::new(TargetRepairSearch::new(cpd, values.get("targets") as usize));

fn changed_map(
    cpd: Option<Arc<Cpd>>,
    values: &Values,
    style: SearchStyle,
    side: SearchFrom,
) -> Box<dyn PathSearch> {
    Box::new(ChangedMapSearch::new(cpd, style, side, values.get("epsilon")))
}

fn from_start(cpd: Option<Arc<Cpd>>, values: &Values, style: SearchStyle) -> Box<dyn PathSearch> {
    changed_map(cpd, values, style, SearchFrom::Start)
}

/// All searches that use a path database, the basic ones first.
pub const SEARCHES: &[CpdSearch] = &[
    CpdSearch {
        info: SearchInfo {
            name: "cpd",
            summary: "path database: a shortest path without search, as long as the map is unchanged",
            idea: "The database has the first move of a shortest path between any two cells; a path takes one lookup per \
                   step. If the map has changed and the path is blocked or costs more, CPD search from the end nearer to \
                   the change finds a shortest path.",
            reference: "A. Botea: Ultra-Fast Optimal Pathfinding without Runtime Search. AIIDE 2011",
            parameters: &[],
            optimal: true,
            ..COMMON
        },
        create: SHORTEST,
    },
    CpdSearch {
        info: SearchInfo {
            name: "cpd-search",
            summary: "CPD search: A* with a path database's bounds, until they prove a path good enough",
            idea: "The database's path from a node gives a lower bound, its cost before the map changed, and an upper \
                   bound, its cost now. The search ends when the best known path is within epsilon of the lowest bound \
                   in the open list. Only nodes before the obstacle have bounds that are too low, and moves cost the \
                   same in both directions: from=nearer starts at the end where there are fewer such nodes.",
            parameters: &[EPSILON, FROM],
            reference: BONO,
            build: |values| PLAIN(None, values),
            ..COMMON
        },
        create: PLAIN,
    },
    CpdSearch {
        info: SearchInfo {
            name: "cpd-weighted",
            summary: "weighted CPD search: the database's lower bound is inflated",
            idea: "CPD search in the order of g + epsilon h, which expands nodes near the goal first. It ends when the \
                   best known path costs no more than the lowest inflated bound.",
            build: |values| WEIGHTED(None, values),
            ..COMMON
        },
        create: WEIGHTED,
    },
    CpdSearch {
        info: SearchInfo {
            name: "cpd-focal",
            summary: "CPD search that follows new walls, with string pulling at every node beside them",
            idea: "Nodes beside new walls, and the node where the database's path is blocked, form the focal list: they \
                   are expanded first as long as their f is within epsilon of the lowest. The path to each is replaced \
                   by the database's path from the last node before the wall, if that is free and cheaper (string \
                   pulling). The report's Focal is pull=all.",
            parameters: &[EPSILON, PULL],
            build: |values| FOCAL(None, values),
            ..COMMON
        },
        create: FOCAL,
    },
    CpdSearch {
        info: SearchInfo {
            name: "cpd-nosp",
            summary: "CPD search that follows new walls, without string pulling",
            idea: "As cpd-focal, but nodes keep the path along the wall by which they were reached.",
            build: |values| NO_STRING_PULLING(None, values),
            ..COMMON
        },
        create: NO_STRING_PULLING,
    },
    CpdSearch {
        info: SearchInfo {
            name: "cpd-branching",
            summary: "CPD search with wall following from one branching node to the next",
            idea: "Only branching nodes are in the focal list: where a wall forks or ends, or where the database's path is \
                   no longer stopped by the same perturbation. A walk along a wall between them is a single edge, and \
                   strings are pulled at its end only. The first two expansions, of the start and of the cell where its \
                   path is blocked, are done without an open list. The report's Branching is \
                   same=cell,look=off,walks=full.",
            parameters: &[EPSILON, SAME, LOOK, WALKS],
            build: |values| BRANCHING(None, values),
            ..COMMON
        },
        create: BRANCHING,
    },
    CpdSearch {
        info: SearchInfo {
            name: "cpd-soft",
            summary: "CPD search that avoids terrain that has become slower",
            idea: "Nodes without a move that costs more than before form the focal list: they are expanded first as long \
                   as their f is within epsilon of the lowest. With priority=multiplier, as the report proposes, the focal \
                   list has all nodes within epsilon, ordered by the maximum ratio of a move's cost now to its old cost; a \
                   node that has lost a move comes last, and among equals the one nearest to the goal first.",
            parameters: &[EPSILON, PRIORITY],
            build: |values| SOFT(None, values),
            ..COMMON
        },
        create: SOFT,
    },
    CpdSearch {
        info: SearchInfo {
            name: "cpd-near",
            summary: "a detour around the obstacle if it is good enough, else CPD search from the end nearer to it",
            idea: "First it follows the database's path and the walls that block it, without an open list: the detour is \
                   often within epsilon of the path's old cost. If not, it runs a CPD search. The database's bounds are \
                   weak before the obstacle and exact behind it, and moves cost the same in both directions, so the \
                   search starts from the end nearer to the obstacle.",
            parameters: &[EPSILON, SEARCH, SAME_WITH_WALLS],
            reference: "throng; otherwise as cpd-branching",
            build: |values| NEAR(None, values),
            ..COMMON
        },
        create: NEAR,
    },
    CpdSearch {
        info: SearchInfo {
            name: "cpd-shadow",
            summary: "shortest paths by repairing the database's paths to one goal, for many queries to the same goal",
            idea: "The database's paths to a goal are still shortest, except from cells whose path meets the change (its \
                   shadow). The first query from there repairs the paths of all these cells, by one Dijkstra search from \
                   the border of that region inwards. Later queries to the same goal need no search. If a move is new or \
                   cheaper, it searches as cpd does.",
            parameters: &[TARGETS],
            optimal: true,
            reference: "M. Verzeletti, A. Botea, M. Zanella: Repairing Compressed Path Databases on Maps with Dynamic \
                        Changes. SoCS 2020, for whole databases; one goal at a time: throng",
            build: |values| SHADOW(None, values),
            ..COMMON
        },
        create: SHADOW,
    },
];

/// Returns the descriptions of all searches that use a path database.
pub fn search_infos() -> impl Iterator<Item = &'static SearchInfo> {
    SEARCHES.iter().map(|search| &search.info)
}

/// Creates any search from its name and parameters, with or without a path database: `astar`, `cpd-search:epsilon=1.2`.
/// A search that needs a database and gets none builds its own for the first ground.
///
/// # Errors
/// If the name or a parameter is unknown, or a value is out of range.
pub fn any_search(text: &str, cpd: Option<&Arc<Cpd>>) -> Result<RegisteredSearch, SpecError> {
    let (name, parameters) = spec::split(text);
    if let Some(search) = SEARCHES.iter().find(|search| search.info.name == name) {
        let values = Values::parse(name, search.info.parameters, parameters)?;
        return Ok(RegisteredSearch::new(&search.info, (search.create)(cpd.cloned(), &values)));
    }
    let known = throng_search::SEARCHES.iter().chain(search_infos()).map(|info| info.name);
    match throng_search::search(text) {
        Err(SpecError::UnknownName { what, .. }) => Err(SpecError::unknown(what, name, known)),
        other => other,
    }
}
