//! The parts of the page that are text: findings, tables, pictures, where the runs come from.

use std::fmt::Write as _;

use super::check::{Finding, Line, Outcome, Verdict, difference_words};
use super::figures::{intervals, verdict_class, with_interval};
use super::measure::{Measure, Over, thousands};
use super::provenance::{Machine, ScaleFacts};
use super::svg::{each, escape};
use super::table::{Against, Cell, Heading, Table};
use super::{Experiment, html};
use crate::paper::OVERALL;

/// The findings with their verdicts.
pub(super) fn findings(experiment: &Experiment) -> String {
    if experiment.findings.is_empty() {
        return String::new();
    }
    let cards: String = experiment.findings.iter().map(finding).collect();
    format!(
        "<section>\n<h2>In short</h2>\n{}<div class=\"findings\">\n{cards}</div>\n</section>\n",
        tally(experiment)
    )
}

/// How many findings hold, a square each.
fn tally(experiment: &Experiment) -> String {
    let rows = experiment.sets.iter().enumerate().map(|(scale, set)| {
        let verdicts = || experiment.findings.iter().filter_map(move |it| Some(it.outcomes.get(scale)?.verdict));
        let squares =
            each(verdicts(), |verdict| format!("<i class=\"square {}\"></i>", verdict_class(verdict)));
        let count = |verdict| verdicts().filter(|it| *it == verdict).count();
        let (holds, fails) = (count(Verdict::Holds), count(Verdict::Fails));
        // Scales differ in what ends a run: who reads their names must know.
        let limits = experiment.provenance.scales.iter().find(|facts| facts.scale == set.scale);
        let limits = limits.map_or_else(String::new, |facts| escape(&facts.limits.join("; ")));
        let name = if experiment.sets.len() > 1 {
            format!("<b>{}</b> (at most {limits}): ", escape(&set.scale))
        } else {
            String::new()
        };
        let unknown = verdicts().count() - holds - fails;
        format!(
            "<p class=\"tally\">{squares} {name}{holds} of {} findings {}, {fails} {} not, {unknown} open</p>\n",
            verdicts().count(),
            if holds == 1 { "holds" } else { "hold" },
            if fails == 1 { "does" } else { "do" }
        )
    });
    rows.collect()
}

fn finding(finding: &Finding) -> String {
    let several = finding.outcomes.len() > 1;
    let outcomes: String =
        finding.outcomes.iter().map(|outcome| self::outcome(finding.measure, outcome, several)).collect();
    let source = if finding.source.is_empty() {
        String::new()
    } else {
        format!("<p class=\"source\">{}</p>", escape(&finding.source))
    };
    format!("<div class=\"finding\">\n<h3>{}</h3>{source}\n{outcomes}</div>\n", escape(&finding.text))
}

fn outcome(measure: &Measure, outcome: &Outcome, several: bool) -> String {
    let scale = if several { format!("<b>{}</b> ", escape(&outcome.scale)) } else { String::new() };
    let class = verdict_class(outcome.verdict);
    let drawings = intervals(&outcome.lines);
    let lines: String = outcome
        .lines
        .iter()
        .zip(drawings)
        .map(|(line, drawing)| self::line(measure, line, &drawing))
        .collect();
    let open = if outcome.lines.len() <= 10 && !several { " open=\"open\"" } else { "" };
    let details = if lines.is_empty() {
        String::new()
    } else {
        format!(
            "<details{open}><summary>{}, one by one</summary>\n<div class=\"lines\">\n{lines}</div>\n</details>\n",
            escape(measure.label)
        )
    };
    format!(
        "<p class=\"outcome\">{scale}<span class=\"verdict {class}\">{}</span> {}</p>\n{details}",
        outcome.verdict.words(),
        escape(&outcome.decisive)
    )
}

fn line(measure: &Measure, line: &Line, drawing: &str) -> String {
    let words = line.difference.map_or_else(|| "not run".to_owned(), |it| difference_words(measure, it));
    let paper = line.paper.map_or_else(String::new, |paper| {
        let sign = if paper > 0.0 { "+" } else { "" };
        format!("; paper {sign}{}", measure.number(paper))
    });
    let counts = line.counts.map_or_else(String::new, |[higher, equal, lower]| {
        format!(" title=\"higher on {higher} instances, equal on {equal}, lower on {lower}\"")
    });
    format!(
        "<div class=\"line\"{counts}><span>{}</span>{drawing}<span class=\"words\">{}{}</span></div>\n",
        escape(&line.label),
        escape(&words),
        escape(&paper)
    )
}

/// A table with ours and the paper's.
pub(super) fn table(table: &Table, experiment: &Experiment) -> String {
    let look = experiment.look();
    let heading = |scope: &str, heading: &Heading| {
        let dot = look.styles.place(&heading.key).map_or_else(String::new, |_| {
            format!("<i class=\"dot {}\"></i>", look.styles.class(&heading.key))
        });
        let (key, label) = (escape(&heading.key), escape(&heading.label));
        format!("<th scope=\"{scope}\" title=\"{key}\">{dot}{label}</th>")
    };
    let columns = each(&table.columns, |column| heading("col", column));
    let rows = each(table.rows.iter().zip(&table.cells), |(row, cells)| {
        let cells = each(cells, |cell| self::cell(cell, &table.scales));
        let class = if row.key == OVERALL || html::is_selector(&row.key) { " class=\"overall\"" } else { "" };
        format!("<tr{class}>{}{cells}</tr>\n", heading("row", row))
    });
    // Many columns, each with a line a scale, stand closer.
    let dense = if table.columns.len() * table.scales.len() > 12 { " dense" } else { "" };
    format!(
        "<section>\n<h2>{}</h2>\n<p class=\"note\">{}</p>\n<div class=\"scroll\"><table class=\"results{dense}\">\n\
         <thead><tr><th class=\"corner\">{}</th>{columns}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n{}</section>\n",
        escape(&table.name),
        escape(&caption(table)),
        escape(&table.corner),
        if table.has_paper { KEY } else { "" }
    )
}

/// What the colours mean.
const KEY: &str = "<p class=\"key\"><span class=\"better3\">far better</span> <span class=\"better2\">better</span> \
    <span class=\"better1\">a little better</span> <span>the paper’s number lies in our interval</span> \
    <span class=\"worse1\">a little worse</span> <span class=\"worse2\">worse</span> \
    <span class=\"worse3\">far worse</span> <span class=\"plain\">than the paper’s number, which stands small below \
    ours; <b>bold</b> is the best.</span></p>\n";

/// The caption, and what must be known to read the numbers.
pub(super) fn caption(table: &Table) -> String {
    let mut words = table.caption.clone();
    let measure = table.cells.first().and_then(|row| row.first()).map(|cell| cell.measure);
    let one = measure.filter(|one| table.cells.iter().flatten().all(|cell| cell.measure.name == one.name));
    if let Some(measure) = one {
        words = format!("{words}{}{}", if words.is_empty() { "" } else { ". " }, measure.title());
    }
    let are_all =
        |pooled: bool| table.cells.iter().flatten().all(|cell| (cell.measure.over != Over::Runs) == pooled);
    let numbers = if are_all(false) {
        "Mean"
    } else if are_all(true) {
        "Over all questions"
    } else {
        "Numbers"
    };
    words =
        if words.is_empty() { numbers.to_owned() } else { format!("{words}, {}", numbers.to_lowercase()) };
    words += " ± half of the 95 % interval";
    if let [first, others @ ..] = table.scales.as_slice()
        && !others.is_empty()
    {
        words = format!("{words}; large: {first}, below it: {}", others.join(", "));
    }
    if table.pooled {
        words += ". Some settings were run once, so their differences count as chance and intervals are wide";
    }
    words + "."
}

fn cell(cell: &Cell, scales: &[String]) -> String {
    let class = match cell.against(0) {
        Against::Same => String::new(),
        Against::Better(strength) => format!(" class=\"better{strength}\""),
        Against::Worse(strength) => format!(" class=\"worse{strength}\""),
    };
    let mut body = String::new();
    for (scale, ours) in cell.ours.iter().enumerate() {
        let Some(ours) = ours else {
            body += if scale == 0 { "<span class=\"none\">–</span>" } else { "" };
            continue;
        };
        let number = cell.measure.number(ours.value);
        let number = if cell.best[scale] { format!("<b>{number}</b>") } else { number };
        let half = ours.interval.map_or_else(
            || "<small>n&#160;=&#160;".to_owned() + &ours.runs.to_string() + "</small>",
            |interval| format!("<small>±&#160;{}</small>", cell.measure.number(interval.half())),
        );
        let about = format!("{} ({} runs)", with_interval(cell.measure, *ours), ours.runs);
        let (class, name) = if scale == 0 {
            ("ours", String::new())
        } else {
            ("other", format!("{} ", escape(&scales[scale])))
        };
        let _ =
            write!(body, "<span class=\"{class}\" title=\"{}\">{name}{number} {half}</span>", escape(&about));
    }
    if let Some((paper, spread)) = cell.paper {
        let number = thousands(paper, printed_digits(paper, cell.measure));
        let number = if cell.paper_best { format!("<b>{number}</b>") } else { number };
        let spread = spread.map_or_else(String::new, |spread| format!(" ± {}", thousands(spread, 1)));
        let _ = write!(body, "<span class=\"paper\">{number}{spread}</span>");
    }
    format!("<td{class}>{body}</td>")
}

/// As many digits as the paper prints, if we show as many; where we show none, tenths.
pub(super) fn printed_digits(value: f64, measure: &Measure) -> usize {
    let text = format!("{value:.*}", measure.digits.max(1));
    let fraction = text.split_once('.').map_or(0, |(_, digits)| digits.trim_end_matches('0').len());
    fraction.max(usize::from(measure.digits >= 2))
}

/// The heat pictures.
pub(super) fn pictures(experiment: &Experiment) -> String {
    if experiment.pictures.is_empty() {
        return String::new();
    }
    let (look, heat) = (experiment.look(), &experiment.about.settings.heat);
    let completion = Measure::of("completion_rate");
    let figure = |picture: &super::heat::HeatPicture| {
        format!(
            "<figure><img src=\"data:image/png;base64,{}\" alt=\"heat of {}\"/><figcaption><i class=\"dot {}\"></i>{} \
             <small>{} home after {} ticks</small></figcaption></figure>\n",
            picture.data,
            escape(&picture.planner),
            look.styles.class(&picture.planner),
            escape(look.label(&picture.planner)),
            completion.with_unit(picture.result.completion_rate * 100.0),
            thousands(picture.result.ticks as f64, 0)
        )
    };
    format!(
        "<section class=\"figure\">\n<h2>Where the crowd stands</h2>\n<p class=\"note\">The same problem under every planner: \
         {} agents on the embedded map <code>{}</code>, type {}, at most {} ticks; run anew for this page, not part of the \
         results. The brighter a cell, the longer agents that were not home stood on it; the scale is the same in all \
         pictures.</p>\n<div class=\"pictures\">\n{}</div>\n</section>\n",
        heat.agents,
        escape(&heat.map),
        escape(&heat.r#type),
        thousands(heat.ticks as f64, 0),
        experiment.pictures.iter().map(figure).collect::<String>()
    )
}

/// What was run, and where.
pub(super) fn provenance(experiment: &Experiment) -> String {
    let scales: String = experiment.provenance.scales.iter().map(scale_row).collect();
    let machines: String = experiment.provenance.machines.iter().map(machine_row).collect();
    let setting = &experiment.about.paper.setting;
    let setting = if setting.is_empty() {
        String::new()
    } else {
        format!("<p class=\"note\">The paper: {}.</p>\n", escape(setting))
    };
    format!(
        "<section>\n<h2>What was run</h2>\n<div class=\"scroll\"><table class=\"facts\">\n<thead><tr><th>scale</th>\
         <th>runs</th><th>instances</th><th>agents</th><th>a run ends after</th><th>ended by</th><th>collisions</th>\
         <th>core hours</th></tr></thead>\n<tbody>{scales}</tbody>\n</table></div>\n<div class=\"scroll\">\
         <table class=\"facts\">\n<thead><tr><th>commit</th><th>throng</th><th>compiler</th><th>machine</th><th>system</th>\
         <th>runs</th></tr></thead>\n<tbody>{machines}</tbody>\n</table></div>\n{setting}</section>\n"
    )
}

fn scale_row(facts: &ScaleFacts) -> String {
    let agents = match facts.agents.as_slice() {
        [first, .., last] if facts.agents.len() > 4 => {
            format!("{first} to {last} ({} counts)", facts.agents.len())
        }
        few => few.join(", "),
    };
    let stopped: Vec<String> =
        facts.stopped.iter().map(|(why, count)| format!("{} {why}", thousands(*count as f64, 0))).collect();
    let cells = [
        facts.scale.clone(),
        thousands(facts.runs as f64, 0),
        thousands(facts.instances as f64, 0),
        agents,
        facts.limits.join("; "),
        stopped.join(", "),
        format!("{} in {} checked runs", facts.collisions, thousands(facts.checked as f64, 0)),
        format!("{:.2}", facts.hours),
    ];
    row(&cells)
}

fn machine_row((machine, runs): &(Machine, usize)) -> String {
    let commit: String = machine.commit.chars().take(12).collect();
    let changed = if machine.commit.ends_with('+') && !commit.ends_with('+') { "+" } else { "" };
    row(&[
        format!("{commit}{changed}"),
        machine.version.clone(),
        machine.rustc.clone(),
        format!("{}, {} cores, {} at a time", machine.processor, machine.cores, machine.jobs),
        machine.os.clone(),
        thousands(*runs as f64, 0),
    ])
}

fn row(cells: &[String]) -> String {
    let cells = each(cells, |cell| format!("<td>{}</td>", escape(cell)));
    format!("<tr>{cells}</tr>\n")
}

/// The commands that make these numbers again.
pub(super) fn repeat(experiment: &Experiment) -> String {
    format!(
        "<section>\n<h2>How to repeat it</h2>\n<pre><code>{}</code></pre>\n</section>\n",
        escape(&commands(experiment).join("\n"))
    )
}

/// The commands, a line each.
pub(super) fn commands(experiment: &Experiment) -> Vec<String> {
    let mut lines = Vec::new();
    let commits =
        experiment.provenance.machines.iter().map(|(machine, _)| machine.commit.trim_end_matches('+'));
    let mut commits: Vec<&str> = commits.filter(|commit| *commit != "unknown").collect();
    commits.dedup();
    if let [one] = commits.as_slice() {
        lines.push(format!("git checkout {one}"));
        lines.push("cargo build --release".to_owned());
    }
    let folders: Vec<String> =
        experiment.sets.iter().map(|set| format!("results/{}-{}", experiment.name, set.scale)).collect();
    for (set, folder) in experiment.sets.iter().zip(&folders) {
        // An experiment of one's own is named by its file.
        let own = !crate::Experiment::names().any(|name| name == experiment.name);
        let named = if own { format!("{}.toml", experiment.name) } else { experiment.name.clone() };
        lines.push(format!("throng lab run {named} --scale {} -o {folder}", set.scale));
    }
    lines.push(format!("throng lab report {}", folders.join(" ")));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn papers_numbers_are_shown_as_they_are_printed() {
        let digits = |value, measure: &str| printed_digits(value, Measure::of(measure));
        assert_eq!(digits(1.0284, "pooled_query_us_p50"), 4);
        assert_eq!(digits(4.06, "query_us_p50"), 2);
        assert_eq!(digits(3.0, "completion_seconds_mean"), 1);
        assert_eq!((digits(65.0, "completion_rate"), digits(71.25, "completion_rate")), (0, 1));
        assert_eq!((digits(3261.5, "expanded_p50"), digits(5656.04, "expanded_mean")), (1, 0));
    }
}
