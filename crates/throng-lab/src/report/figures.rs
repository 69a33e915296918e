//! The drawings: curves with bands, boxes, and intervals against zero.

use super::check::{Line, Verdict};
use super::data::{Run, Runs, SELECTORS};
use super::measure::Measure;
use super::settings::CurveSettings;
use super::style::Styles;
use super::svg::{Scale, Svg, tick_label};
use crate::paper::Paper;
use crate::stats::{Estimate, Interval, quantile, sorted};

/// What all figures need.
#[derive(Clone, Copy)]
pub(crate) struct Look<'a> {
    pub(crate) styles: &'a Styles,
    pub(crate) paper: &'a Paper,
    pub(crate) planners: &'a [String],
}

impl Look<'_> {
    pub(crate) fn label<'a>(&'a self, name: &'a str) -> &'a str {
        self.paper.label(name)
    }
}

/// A planner's means along the bottom axis.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    pub(crate) planner: String,
    pub(crate) points: Vec<(f64, Estimate)>,
}

/// The curves of a measure over some runs.
pub(crate) fn curves(
    runs: &Runs,
    planners: &[String],
    settings: &CurveSettings,
    of: impl Fn(&Run) -> bool,
) -> Vec<Curve> {
    let (x, measure) = (settings.x.as_str(), Measure::of(&settings.measure));
    let places = if settings.along.is_empty() { runs.values_of(x) } else { Vec::new() };
    let curve = |planner: &String| {
        let by_setting = places.iter().filter_map(|place| {
            let here = |run: &Run| run.planner() == planner && run.setting(x) == *place && of(run);
            Some((place.parse().ok()?, runs.estimate(measure, here)?))
        });
        let by_measure = settings.along.iter().filter_map(|name| {
            let place = name.rsplit('_').next()?.parse().ok()?;
            Some((place, runs.estimate(Measure::of(name), |run| run.planner() == planner && of(run))?))
        });
        let mut points: Vec<(f64, Estimate)> = by_setting.chain(by_measure).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Curve { planner: planner.clone(), points }
    };
    planners.iter().map(curve).filter(|curve| !curve.points.is_empty()).collect()
}

/// What a chart of curves is called and how large it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) title: &'a str,
    pub(crate) x_label: &'a str,
    pub(crate) size: (f64, f64),
    pub(crate) class: &'a str,
    /// Whether the axes are labelled with words, not with numbers only.
    pub(crate) words: bool,
}

/// Draws curves with their bands.
pub(crate) fn line_chart(curves: &[Curve], measure: &Measure, look: Look<'_>, frame: Frame<'_>) -> String {
    let (width, height) = frame.size;
    let mut svg = Svg::new(width, height);
    let (left, right, top) = (if frame.words { 56.0 } else { 40.0 }, width - 14.0, 14.0);
    let bottom = height - if frame.words { 46.0 } else { 26.0 };
    let all = || curves.iter().flat_map(|curve| &curve.points);
    let (least, most) = all().fold((f64::INFINITY, 0.0_f64), |(a, b), (x, _)| (a.min(*x), b.max(*x)));
    let x = if least > 0.0 && most / least >= 16.0 {
        Scale::logarithmic((least, most), (left + 6.0, right - 6.0))
    } else {
        Scale::linear((least, most), (left + 6.0, right - 6.0))
    };
    let highest = all().map(|(_, point)| upper(point)).fold(0.0, f64::max);
    let highest = if measure.unit == "%" { 100.0 } else { highest * 1.05 };
    let y = Scale::linear((0.0, highest.max(1e-9)), (bottom, top));
    for tick in y.ticks(if frame.words { 5 } else { 3 }) {
        svg.line("grid", (left, y.at(tick)), (right, y.at(tick)));
        svg.text("tick end", (left - 7.0, y.at(tick) + 4.0), &tick_label(tick));
    }
    for tick in x.ticks(if frame.words { 8 } else { 4 }) {
        svg.line("axis", (x.at(tick), bottom), (x.at(tick), bottom + 4.0));
        svg.text("tick middle", (x.at(tick), bottom + 17.0), &tick_label(tick));
    }
    svg.line("axis", (left, bottom), (right, bottom));
    if frame.words {
        svg.text("word middle", (f64::midpoint(left, right), height - 6.0), frame.x_label);
        svg.text("word", (2.0, 10.0), measure.unit);
    }
    for curve in curves {
        draw_curve(&mut svg, curve, measure, look, (x, y));
    }
    svg.finish(frame.class, &format!("{}: {} against {}", frame.title, measure.label, frame.x_label))
}

fn upper(point: &Estimate) -> f64 {
    point.interval.map_or(point.value, |interval| interval.high)
}

fn draw_curve(svg: &mut Svg, curve: &Curve, measure: &Measure, look: Look<'_>, (x, y): (Scale, Scale)) {
    let class = look.styles.class(&curve.planner);
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
    for ((at, point), place) in curve.points.iter().zip(line) {
        let about = format!(
            "{}, {}: {} ({} runs)",
            look.label(&curve.planner),
            tick_label(*at),
            with_interval(measure, *point),
            point.runs
        );
        svg.mark(&format!("mark {class}"), look.styles.shape(&curve.planner), place, 3.4, &about);
    }
}

/// A mean with its interval in words.
pub(crate) fn with_interval(measure: &Measure, estimate: Estimate) -> String {
    let value = measure.with_unit(estimate.value);
    match estimate.interval {
        Some(Interval { low, high }) => {
            format!("{value}, 95\u{a0}%: {} to {}", measure.number(low), measure.number(high))
        }
        None => format!("{value}, too few runs for an interval"),
    }
}

/// A box a planner: median, quartiles, and the middle 90 % of the runs; a dot for the mean.
pub(crate) fn boxes(
    runs: &Runs,
    measure: &Measure,
    look: Look<'_>,
    width: f64,
    class: &str,
) -> Option<String> {
    let sample = |planner: &String| {
        let of = runs.runs.iter().filter(|run| run.planner() == planner);
        sorted(of.filter_map(|run| measure.value(run)).map(|value| value * measure.factor))
    };
    let samples: Vec<(&String, Vec<f64>)> = look
        .planners
        .iter()
        .filter(|planner| !SELECTORS.contains(&planner.as_str()))
        .map(|planner| (planner, sample(planner)))
        .filter(|(_, values)| !values.is_empty())
        .collect();
    let ends = |share: f64| samples.iter().map(move |(_, values)| quantile(values, share));
    let least = ends(0.05).fold(f64::INFINITY, f64::min);
    let most = ends(0.95).fold(f64::NEG_INFINITY, f64::max);
    if samples.is_empty() || !least.is_finite() {
        return None;
    }
    let longest = samples.iter().map(|(name, _)| look.label(name).chars().count()).max().unwrap_or(0);
    let left = (longest as f64 * 7.2 + 16.0).min(width * 0.42);
    let row = 30.0;
    let bottom = samples.len() as f64 * row + 8.0;
    let mut svg = Svg::new(width, bottom + 26.0);
    let room = (left + 4.0, width - 18.0);
    let logarithmic = least > 0.0 && most / least > 30.0;
    let x = if logarithmic {
        Scale::logarithmic((least * 0.9, most * 1.1), room)
    } else {
        Scale::linear((if least < most * 0.3 { 0.0 } else { least }, most * 1.02), room)
    };
    for tick in x.ticks(if width > 500.0 { 6 } else { 3 }) {
        svg.line("grid", (x.at(tick), 4.0), (x.at(tick), bottom));
        svg.text("tick middle", (x.at(tick), bottom + 17.0), &tick_label(tick));
    }
    for (place, (planner, values)) in samples.iter().enumerate() {
        let middle = (place as f64 + 0.5) * row + 4.0;
        draw_box(&mut svg, planner, values, (x, middle), (measure, look, left));
    }
    let label = format!("{} of each planner", measure.title());
    Some(svg.finish(class, &label))
}

fn draw_box(
    svg: &mut Svg,
    planner: &str,
    values: &[f64],
    (x, middle): (Scale, f64),
    (measure, look, left): (&Measure, Look<'_>, f64),
) {
    let class = look.styles.class(planner);
    let at = |share| x.at(quantile(values, share));
    svg.text("name end", (left - 8.0, middle + 4.0), look.label(planner));
    svg.line(&format!("whisker {class}"), (at(0.05), middle), (at(0.95), middle));
    svg.rect(&format!("box {class}"), (at(0.25), middle - 8.0), (at(0.75) - at(0.25), 16.0));
    svg.line(&format!("median {class}"), (at(0.5), middle - 8.0), (at(0.5), middle + 8.0));
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let about = format!(
        "{}: median {}, middle half {} to {}, mean {} ({} runs)",
        look.label(planner),
        measure.with_unit(quantile(values, 0.5)),
        measure.number(quantile(values, 0.25)),
        measure.number(quantile(values, 0.75)),
        measure.number(mean),
        values.len()
    );
    svg.mark(&format!("mark {class}"), 0, (x.at(mean), middle), 3.2, &about);
}

/// Differences against zero, all on one scale: a drawing a line.
pub(crate) fn intervals(lines: &[Line]) -> Vec<String> {
    let ends = lines.iter().flat_map(|line| {
        let interval = line.difference.and_then(|estimate| estimate.interval);
        let value = line.difference.map(|estimate| estimate.value);
        [interval.map(|it| it.low), interval.map(|it| it.high), value, line.paper]
    });
    let reach = ends.flatten().map(f64::abs).fold(0.0, f64::max).max(1e-9) * 1.05;
    let (width, height) = (240.0, 20.0);
    let x = Scale::linear((-reach, reach), (4.0, width - 4.0));
    let draw = |line: &Line| {
        let mut svg = Svg::new(width, height);
        let middle = height / 2.0;
        svg.line("grid", (4.0, middle), (width - 4.0, middle));
        svg.line("zero", (x.at(0.0), 1.0), (x.at(0.0), height - 1.0));
        if let Some(paper) = line.paper {
            svg.mark("printed", 3, (x.at(paper), middle), 4.4, "the paper's difference");
        }
        if let Some(difference) = line.difference {
            let class = verdict_class(line.verdict);
            if let Some(interval) = difference.interval {
                svg.line(
                    &format!("interval {class}"),
                    (x.at(interval.low), middle),
                    (x.at(interval.high), middle),
                );
            }
            svg.mark(&format!("estimate {class}"), 0, (x.at(difference.value), middle), 4.0, "");
        }
        svg.finish("difference", &line.label)
    };
    lines.iter().map(draw).collect()
}

/// The class of a verdict.
pub(crate) const fn verdict_class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Fails => "fails",
        Verdict::Unknown => "unknown",
    }
}

/// A piece of line with a planner's mark, for legends.
pub(crate) fn swatch(planner: &str, look: Look<'_>) -> String {
    let class = look.styles.class(planner);
    let mut svg = Svg::new(34.0, 14.0);
    svg.line(&format!("curve {class}"), (1.0, 7.0), (33.0, 7.0));
    svg.mark(&format!("mark {class}"), look.styles.shape(planner), (17.0, 7.0), 3.6, "");
    svg.finish("swatch", look.label(planner))
}
