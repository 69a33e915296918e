//! The sections on the runs: heat maps, machines and limits, and the commands that repeat them.

use super::super::ExperimentReport;
use super::super::heat::HeatMap;
use super::super::measure::Measure;
use super::super::provenance::ScaleFacts;
use super::super::svg::{each, escape, unless_empty};
use crate::Provenance;
use crate::format::thousands;

/// Returns the section of heat maps.
pub(super) fn heat_maps(experiment: &ExperimentReport) -> String {
    if experiment.heat_maps.is_empty() {
        return String::new();
    }
    let heat = &experiment.config.settings.heat;
    let completion = Measure::of("completion_rate");
    let figure = |picture: &HeatMap| {
        format!(
            "<figure><img src=\"data:image/png;base64,{}\" alt=\"heat map of {}\"/><figcaption><i class=\"dot {}\"></i>{} \
             <small>{} arrived after {} ticks</small></figcaption></figure>\n",
            picture.data,
            escape(&picture.planner),
            experiment.styles.class(&picture.planner),
            escape(experiment.label(&picture.planner)),
            completion.with_unit(picture.result.completion_rate * 100.0),
            thousands(picture.result.ticks)
        )
    };
    format!(
        "<section class=\"figure\">\n<h2>Heat maps</h2>\n<p class=\"note\">The same instance under every planner: \
         {} agents on the built-in map <code>{}</code>, problem type {}, at most {} ticks. It is run for this page and is not \
         part of the results. The brighter a cell, the longer agents that had not arrived stood on it. The scale is the same \
         in all heat maps.</p>\n<div class=\"pictures\">\n{}</div>\n</section>\n",
        heat.agents,
        escape(&heat.map),
        escape(&heat.r#type),
        thousands(heat.ticks),
        experiment.heat_maps.iter().map(figure).collect::<String>()
    )
}

/// Returns the section on the origin of the runs.
pub(super) fn provenance(experiment: &ExperimentReport) -> String {
    let scales: String = experiment.provenance.scales.iter().map(scale_row).collect();
    let machines: String = experiment.provenance.machines.iter().map(machine_row).collect();
    let setting = unless_empty(&experiment.config.paper.setting, |setting| {
        format!("<p class=\"note\">The paper: {setting}.</p>\n")
    });
    format!(
        "<section>\n<h2>Runs</h2>\n<div class=\"scroll\"><table class=\"facts\">\n<thead><tr><th>scale</th>\
         <th>runs</th><th>instances</th><th>agents</th><th>limits</th><th>stopped by</th><th>collisions</th>\
         <th>core hours</th></tr></thead>\n<tbody>{scales}</tbody>\n</table></div>\n<div class=\"scroll\">\
         <table class=\"facts\">\n<thead><tr><th>commit</th><th>throng</th><th>compiler</th><th>machine</th><th>load</th>\
         <th>system</th><th>runs</th></tr></thead>\n<tbody>{machines}</tbody>\n</table></div>\n{setting}</section>\n"
    )
}

fn scale_row(facts: &ScaleFacts) -> String {
    let agents = match facts.agents.as_slice() {
        [first, .., last] if facts.agents.len() > 4 => {
            format!("{first} to {last} ({} values)", facts.agents.len())
        }
        few => few.join(", "),
    };
    let stopped: Vec<String> =
        facts.stopped.iter().map(|(why, count)| format!("{} {why}", thousands(*count as u64))).collect();
    let cells = [
        facts.scale.clone(),
        thousands(facts.runs as u64),
        thousands(facts.instances as u64),
        agents,
        facts.limits.join("; "),
        stopped.join(", "),
        format!("{} in {} checked runs", facts.collisions, thousands(facts.checked as u64)),
        format!("{:.2}", facts.hours),
    ];
    row(&cells)
}

fn machine_row((machine, runs): &(Provenance, usize)) -> String {
    let (commit, changes) = machine.commit.split_at(machine.commit.find('+').unwrap_or(machine.commit.len()));
    let commit: String = commit.chars().take(12).collect();
    row(&[
        commit + changes,
        machine.version.clone(),
        machine.rustc.clone(),
        format!("{}, {} cores, {} parallel runs", machine.machine, machine.cores, machine.jobs),
        machine.load.clone(),
        machine.os.clone(),
        thousands(*runs as u64),
    ])
}

fn row(cells: &[String]) -> String {
    let cells = each(cells, |cell| format!("<td>{}</td>", escape(cell)));
    format!("<tr>{cells}</tr>\n")
}

/// Returns the section with the commands that repeat the runs.
pub(super) fn repeat(experiment: &ExperimentReport) -> String {
    format!(
        "<section>\n<h2>How to repeat it</h2>\n<pre><code>{}</code></pre>\n</section>\n",
        escape(&experiment.commands().join("\n"))
    )
}
