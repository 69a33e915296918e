//! The figures: curves with confidence bands, box plots, and intervals relative to zero.

use super::ExperimentReport;
use super::check::{Comparison, Verdict};
use super::measure::{Measure, RunValue};
use super::runs::{ReportRun, RunSet, SELECTORS, estimate_of};
use super::settings::CurveSettings;
use super::svg::{AxisScale, Svg, tick_label};
use crate::stats::{Estimate, TimeSeries, quantile, sorted};

/// The largest number of marks on a curve.
const MAX_MARKS: usize = 40;

/// The means of a planner along the x axis.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    pub(crate) planner: String,
    pub(crate) points: Vec<(f64, Estimate)>,
}

/// Computes the curves of a measure over some runs, one per planner.
pub(crate) fn curves(
    runs: &RunSet,
    planners: &[String],
    settings: &CurveSettings,
    of: impl Fn(&ReportRun) -> bool,
) -> Vec<Curve> {
    let (x, measure) = (settings.x.as_str(), Measure::of(&settings.measure));
    let places = if settings.over.is_none() { runs.values_of(x) } else { Vec::new() };
    let curve = |planner: &String| {
        let points = if let Some(column) = &settings.over {
            over_time(runs, measure, column, |run| run.planner() == planner && of(run))
        } else {
            let by_setting = places.iter().filter_map(|place| {
                let here = |run: &ReportRun| run.planner() == planner && run.setting(x) == *place && of(run);
                Some((place.parse().ok()?, runs.estimate(measure, here)?))
            });
            let mut points: Vec<(f64, Estimate)> = by_setting.collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            points
        };
        Curve { planner: planner.clone(), points }
    };
    planners.iter().map(curve).filter(|curve| !curve.points.is_empty()).collect()
}

/// Estimates the values of a time series at each of its steps, until fewer than half of the runs are under way.
fn over_time(
    runs: &RunSet,
    measure: &Measure,
    column: &str,
    of: impl Fn(&ReportRun) -> bool,
) -> Vec<(f64, Estimate)> {
    let chosen = runs.runs.iter().filter(|run| of(run));
    let series: Vec<(&ReportRun, TimeSeries)> =
        chosen.filter_map(|run| Some((run, TimeSeries::parse(run.row.text(column)?)?))).collect();
    let Some(step) = series.first().map(|(_, series)| series.step()) else { return Vec::new() };
    let point = |place: usize| {
        let value = |(run, series): &(_, TimeSeries)| {
            let value = *series.values().get(place)?;
            Some((*run, RunValue { value, weight: 1, percentiles: None }))
        };
        let values: Vec<(&ReportRun, RunValue)> = series.iter().filter_map(value).collect();
        let are_enough = 2 * values.len() >= series.len();
        Some((step * (place + 1) as f64, estimate_of(measure, values.into_iter().filter(|_| are_enough))?))
    };
    (0..).map_while(point).collect()
}

/// Titles, size and CSS class of a chart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChartFrame<'a> {
    pub(crate) title: &'a str,
    pub(crate) x_label: &'a str,
    pub(crate) size: (f64, f64),
    pub(crate) class: &'a str,
    /// Whether the axes have titles.
    pub(crate) axis_titles: bool,
    /// Whether the x axis is linear however long it is.
    pub(crate) linear: bool,
}

/// Draws curves with their confidence bands.
pub(crate) fn line_chart(
    curves: &[Curve],
    measure: &Measure,
    report: &ExperimentReport,
    frame: ChartFrame<'_>,
) -> String {
    let (width, height) = frame.size;
    let mut svg = Svg::new(width, height);
    let (left, right, top) = (if frame.axis_titles { 56.0 } else { 40.0 }, width - 14.0, 14.0);
    let bottom = height - if frame.axis_titles { 46.0 } else { 26.0 };
    let all = || curves.iter().flat_map(|curve| &curve.points);
    let (min, max) = all().fold((f64::INFINITY, 0.0_f64), |(a, b), (x, _)| (a.min(*x), b.max(*x)));
    let is_wide = min > 0.0 && max / min >= 16.0 && !frame.linear;
    let scale = if is_wide { AxisScale::logarithmic } else { AxisScale::linear };
    let x = scale((min, max), (left + 6.0, right - 6.0));
    let highest = all().map(|(_, point)| upper(point)).fold(0.0, f64::max);
    let highest = if measure.unit == "%" { 100.0 } else { highest * 1.05 };
    let y = AxisScale::linear((0.0, highest.max(1e-9)), (bottom, top));
    for tick in y.ticks(if frame.axis_titles { 5 } else { 3 }) {
        svg.line("grid", (left, y.at(tick)), (right, y.at(tick)));
        svg.text("tick end", (left - 7.0, y.at(tick) + 4.0), &tick_label(tick));
    }
    for tick in x.ticks(if frame.axis_titles { 8 } else { 4 }) {
        svg.line("axis", (x.at(tick), bottom), (x.at(tick), bottom + 4.0));
        svg.text("tick middle", (x.at(tick), bottom + 17.0), &tick_label(tick));
    }
    svg.line("axis", (left, bottom), (right, bottom));
    if frame.axis_titles {
        svg.text("word middle", (f64::midpoint(left, right), height - 6.0), frame.x_label);
        svg.text("word", (2.0, 10.0), measure.unit);
    }
    for curve in curves {
        draw_curve(&mut svg, curve, measure, report, (x, y));
    }
    svg.finish(frame.class, &format!("{}: {} by {}", frame.title, measure.label, frame.x_label))
}

fn upper(point: &Estimate) -> f64 {
    point.interval.map_or(point.value, |interval| interval.high)
}

fn draw_curve(
    svg: &mut Svg,
    curve: &Curve,
    measure: &Measure,
    report: &ExperimentReport,
    (x, y): (AxisScale, AxisScale),
) {
    let class = report.styles.class(&curve.planner);
    let with_band = || curve.points.iter().filter_map(|(at, point)| Some((*at, point.interval?)));
    let band: Vec<(f64, f64)> = with_band()
        .map(|(at, band)| (x.at(at), y.at(band.high)))
        .chain(with_band().collect::<Vec<_>>().into_iter().rev().map(|(at, band)| (x.at(at), y.at(band.low))))
        .collect();
    if band.len() > 2 {
        svg.polygon(&format!("band {class}"), &band);
    }
    let line: Vec<(f64, f64)> =
        curve.points.iter().map(|(at, point)| (x.at(*at), y.at(point.value))).collect();
    svg.polyline(&format!("curve {class}"), &line);
    let stride = curve.points.len().div_ceil(MAX_MARKS).max(1);
    for ((at, point), place) in curve.points.iter().zip(line).step_by(stride) {
        let about = format!(
            "{}, {}: {} ({} runs)",
            report.label(&curve.planner),
            tick_label(*at),
            with_interval(measure, *point),
            point.runs
        );
        svg.mark(&format!("mark {class}"), report.styles.shape(&curve.planner), place, 3.4, &about);
    }
}

/// Formats a mean with its interval.
pub(crate) fn with_interval(measure: &Measure, estimate: Estimate) -> String {
    let interval = estimate.describe_interval(|value| measure.number(value));
    format!("{}, {interval}", measure.with_unit(estimate.value))
}

/// Draws a box plot per planner: median, quartiles, the middle 90 % of the runs, and a dot for the mean. Returns `None`
/// without values.
pub(crate) fn boxes(
    runs: &RunSet,
    measure: &Measure,
    report: &ExperimentReport,
    width: f64,
    class: &str,
) -> Option<String> {
    let sample = |planner: &String| {
        let of = runs.runs.iter().filter(|run| run.planner() == planner);
        sorted(of.filter_map(|run| measure.value(run)).map(|value| value * measure.factor))
    };
    let samples: Vec<(&String, Vec<f64>)> = report
        .planners
        .iter()
        .filter(|planner| !SELECTORS.contains(&planner.as_str()))
        .map(|planner| (planner, sample(planner)))
        .filter(|(_, values)| !values.is_empty())
        .collect();
    let ends = |share: f64| samples.iter().map(move |(_, values)| quantile(values, share));
    let min = ends(0.05).fold(f64::INFINITY, f64::min);
    let max = ends(0.95).fold(f64::NEG_INFINITY, f64::max);
    if samples.is_empty() || !min.is_finite() {
        return None;
    }
    let longest = samples.iter().map(|(name, _)| report.label(name).chars().count()).max().unwrap_or(0);
    let left = (longest as f64 * 7.2 + 16.0).min(width * 0.42);
    let row = 30.0;
    let bottom = samples.len() as f64 * row + 8.0;
    let mut svg = Svg::new(width, bottom + 26.0);
    let room = (left + 4.0, width - 18.0);
    let logarithmic = min > 0.0 && max / min > 30.0;
    let x = if logarithmic {
        AxisScale::logarithmic((min * 0.9, max * 1.1), room)
    } else {
        AxisScale::linear((if min < max * 0.3 { 0.0 } else { min }, max * 1.02), room)
    };
    for tick in x.ticks(if width > 500.0 { 6 } else { 3 }) {
        svg.line("grid", (x.at(tick), 4.0), (x.at(tick), bottom));
        svg.text("tick middle", (x.at(tick), bottom + 17.0), &tick_label(tick));
    }
    for (place, (planner, values)) in samples.iter().enumerate() {
        let middle = (place as f64 + 0.5) * row + 4.0;
        draw_box(&mut svg, planner, values, (x, middle), (measure, report, left));
    }
    let label = format!("{} of each planner", measure.title());
    Some(svg.finish(class, &label))
}

fn draw_box(
    svg: &mut Svg,
    planner: &str,
    values: &[f64],
    (x, middle): (AxisScale, f64),
    (measure, report, left): (&Measure, &ExperimentReport, f64),
) {
    let class = report.styles.class(planner);
    let at = |share| x.at(quantile(values, share));
    svg.text("name end", (left - 8.0, middle + 4.0), report.label(planner));
    svg.line(&format!("whisker {class}"), (at(0.05), middle), (at(0.95), middle));
    svg.rect(&format!("box {class}"), (at(0.25), middle - 8.0), (at(0.75) - at(0.25), 16.0));
    svg.line(&format!("median {class}"), (at(0.5), middle - 8.0), (at(0.5), middle + 8.0));
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let about = format!(
        "{}: median {}, middle half {} to {}, mean {} ({} runs)",
        report.label(planner),
        measure.with_unit(quantile(values, 0.5)),
        measure.number(quantile(values, 0.25)),
        measure.number(quantile(values, 0.75)),
        measure.number(mean),
        values.len()
    );
    svg.mark(&format!("mark {class}"), 0, (x.at(mean), middle), 3.2, &about);
}

/// Draws differences relative to zero, one drawing per comparison, all on one scale.
pub(crate) fn intervals(comparisons: &[Comparison]) -> Vec<String> {
    let ends = comparisons.iter().flat_map(|comparison| {
        let interval = comparison.difference.and_then(|estimate| estimate.interval);
        let value = comparison.difference.map(|estimate| estimate.value);
        [interval.map(|it| it.low), interval.map(|it| it.high), value, comparison.paper]
    });
    let reach = ends.flatten().map(f64::abs).fold(0.0, f64::max).max(1e-9) * 1.05;
    let (width, height) = (240.0, 20.0);
    let x = AxisScale::linear((-reach, reach), (4.0, width - 4.0));
    let draw = |comparison: &Comparison| {
        let mut svg = Svg::new(width, height);
        let middle = height / 2.0;
        svg.line("grid", (4.0, middle), (width - 4.0, middle));
        svg.line("zero", (x.at(0.0), 1.0), (x.at(0.0), height - 1.0));
        if let Some(paper) = comparison.paper {
            svg.mark("printed", 3, (x.at(paper), middle), 4.4, "the paper's difference");
        }
        if let Some(difference) = comparison.difference {
            let class = verdict_class(comparison.verdict);
            if let Some(interval) = difference.interval {
                svg.line(
                    &format!("interval {class}"),
                    (x.at(interval.low), middle),
                    (x.at(interval.high), middle),
                );
            }
            svg.mark(&format!("estimate {class}"), 0, (x.at(difference.value), middle), 4.0, "");
        }
        svg.finish("difference", &comparison.label)
    };
    comparisons.iter().map(draw).collect()
}

/// Returns the CSS class of a verdict.
pub(crate) const fn verdict_class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Fails => "fails",
        Verdict::Unknown => "unknown",
    }
}

/// Draws a piece of a curve with the planner's mark, for legends.
pub(crate) fn swatch(planner: &str, report: &ExperimentReport) -> String {
    let class = report.styles.class(planner);
    let mut svg = Svg::new(34.0, 14.0);
    svg.line(&format!("curve {class}"), (1.0, 7.0), (33.0, 7.0));
    svg.mark(&format!("mark {class}"), report.styles.shape(planner), (17.0, 7.0), 3.6, "");
    svg.finish("swatch", report.label(planner))
}
