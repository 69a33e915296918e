//! What there is to choose from, read from the registries: the forms of the page are made from it.

use serde::Serialize;
use throng::PLANNERS;
use throng::grid::builtin::BUILTINS;
use throng::grid::generate::GENERATORS;
use throng::grid::spec::{Kind, MILLION, Parameter};
use throng_lab::ProblemType;

use crate::hub::Packet;
use crate::message::json;

/// Everything that the forms need.
#[derive(Serialize)]
struct Catalog {
    version: &'static str,
    maps: Vec<Choice>,
    generators: Vec<Choice>,
    problems: Vec<Choice>,
    planners: Vec<Choice>,
    searches: Vec<Choice>,
    /// Short names of planners with parameters, and what they stand for.
    aliases: &'static [(&'static str, &'static str)],
}

/// An entry of a registry.
#[derive(Serialize)]
struct Choice {
    name: &'static str,
    summary: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parameters: Vec<Field>,
    /// Width and height of a map; the smallest side of a generated one, twice.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<[u32; 2]>,
}

/// A parameter.
#[derive(Serialize)]
struct Field {
    name: &'static str,
    summary: &'static str,
    default: String,
    #[serde(flatten)]
    values: Values,
}

/// The valid values of a parameter.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Values {
    Integer { min: u64, max: u64 },
    Decimal { min: f64, max: f64 },
    Choice { options: &'static [&'static str] },
}

fn fields(parameters: &[Parameter]) -> Vec<Field> {
    let field = |parameter: &Parameter| Field {
        name: parameter.name,
        summary: parameter.summary,
        default: parameter.kind.default_text(),
        values: match parameter.kind {
            Kind::Integer { min, max, .. } => Values::Integer { min, max },
            Kind::Decimal { min, max, .. } => {
                let part = |value: u64| value as f64 / MILLION as f64;
                Values::Decimal { min: part(min), max: part(max) }
            }
            Kind::Choice(options) => Values::Choice { options },
        },
    };
    parameters.iter().map(field).collect()
}

fn choice(
    name: &'static str,
    summary: &'static str,
    parameters: &[Parameter],
    size: Option<[u32; 2]>,
) -> Choice {
    Choice { name, summary, parameters: fields(parameters), size }
}

/// Returns the message with everything that there is to choose from.
pub(crate) fn message() -> Packet {
    let catalog = Catalog {
        version: env!("CARGO_PKG_VERSION"),
        maps: BUILTINS
            .iter()
            .map(|map| choice(map.name, map.summary, &[], Some([map.width, map.height])))
            .collect(),
        generators: GENERATORS
            .iter()
            .map(|kind| choice(kind.name, kind.summary, kind.parameters, Some([kind.min_side; 2])))
            .collect(),
        problems: ProblemType::ALL
            .iter()
            .map(|kind| choice(kind.name(), kind.summary(), &[], None))
            .collect(),
        planners: PLANNERS
            .iter()
            .filter(|planner| planner.has_goals)
            .map(|planner| choice(planner.name, planner.summary, planner.parameters, None))
            .collect(),
        searches: throng::SEARCHES
            .iter()
            .chain(throng_cpd::search_infos())
            .map(|search| choice(search.name, search.summary, search.parameters, None))
            .collect(),
        aliases: throng_planners::ALIASES,
    };
    json("catalog", &catalog)
}
