//! Drawings of `throng select`: completion over limits of work, and how much each feature decided.
//!
//! Both are SVG files of their own, with colours for light and dark pages.

use super::crowd::{CurvePoint, THESIS_COMPLETION, THESIS_PORTFOLIO};
use super::evaluation::FeatureImportance;
use crate::report::svg::{AxisScale, Svg, tick_label};

/// The style sheet. The colours are those of M. Okabe and K. Ito, which every kind of colour vision tells apart.
const STYLE: &str = "\
text { font: 12px system-ui, sans-serif; fill: #333 } .end { text-anchor: end } .middle { text-anchor: middle }
.grid { stroke: #ddd } .axis { stroke: #555 } .mark { stroke: #555; stroke-dasharray: 5 4 }
polyline { fill: none; stroke-width: 2 } .thesis { stroke-width: 2; stroke-dasharray: 2 3 }
.c0 { stroke: #0072b2 } .c1 { stroke: #d55e00 } .c2 { stroke: #009e73 } .c3 { stroke: #cc79a7 } .c4 { stroke: #b8860b }
.best { stroke: #111; stroke-width: 3 } .worst { stroke: #888 } .gap { stroke: #111; stroke-dasharray: 7 3 }
rect { fill: #0072b2 }
@media (prefers-color-scheme: dark) {
svg { background: #181818 } text { fill: #ddd } .grid { stroke: #333 } .axis, .mark { stroke: #aaa }
.best, .gap { stroke: #eee } }
";

/// The number of features that are drawn.
const FEATURES: usize = 25;

/// Completion over limits of work.
#[derive(Clone, PartialEq, Debug)]
pub struct WorkCurve {
    /// The points, by rising work.
    pub points: Vec<CurvePoint>,
    /// The number of problems, the same at every point.
    pub problems: usize,
    /// The planners.
    pub portfolio: Vec<String>,
    /// The limit at which the planners' completion comes nearest to the thesis's, in expansions of A*.
    pub calibrated: f64,
}

/// The value of a line at a point.
type LineValue = Box<dyn Fn(&CurvePoint) -> f64>;

impl WorkCurve {
    /// Draws the completion of each planner, of the best and of the worst choice, and the gap between the best single planner
    /// and the best choice. The calibrated limit is a vertical mark; the thesis's completions are short horizontal ones there.
    pub fn chart(&self) -> String {
        let (width, height) = (860.0, 440.0);
        let (left, right, top, bottom) = (48.0, 620.0, 22.0, 390.0);
        let mut svg = Svg::new(width, height);
        let ends = |work: f64| (self.points.first().map_or(1.0, |point| point.work), work);
        let most = self.points.last().map_or(2.0, |point| point.work);
        let x = AxisScale::logarithmic(ends(most), (left, right));
        let y = AxisScale::linear((0.0, 100.0), (bottom, top));
        for tick in y.ticks(5) {
            svg.line("grid", (left, y.at(tick)), (right, y.at(tick)));
            svg.text("end", (left - 6.0, y.at(tick) + 4.0), &tick_label(tick));
        }
        for tick in x.ticks(8) {
            svg.line("axis", (x.at(tick), bottom), (x.at(tick), bottom + 4.0));
            svg.text("middle", (x.at(tick), bottom + 18.0), &tick_label(tick));
        }
        svg.line("axis", (left, bottom), (right, bottom));
        svg.text("middle", (f64::midpoint(left, right), height - 12.0), "limit of work, expansions of A*");
        svg.text("", (2.0, 12.0), "completion, %");
        let mark = x.at(self.calibrated);
        svg.line("mark", (mark, top), (mark, bottom));
        svg.text("middle", (mark, top - 6.0), "calibrated");
        let mut label_at = top + 8.0;
        for (class, name, value) in self.lines() {
            let line: Vec<(f64, f64)> =
                self.points.iter().map(|point| (x.at(point.work), y.at(100.0 * value(point)))).collect();
            svg.polyline(&class, &line);
            svg.line(&class, (right + 12.0, label_at - 4.0), (right + 36.0, label_at - 4.0));
            svg.text("", (right + 42.0, label_at), &name);
            label_at += 20.0;
        }
        for (at, planner) in self.portfolio.iter().enumerate() {
            let printed = THESIS_PORTFOLIO.iter().position(|own| own == planner);
            if let Some(completion) = printed.map(|place| y.at(100.0 * THESIS_COMPLETION[place])) {
                let class = format!("thesis c{}", at % 5);
                svg.line(&class, (mark - 30.0, completion), (mark + 30.0, completion));
            }
        }
        svg.text("", (right + 12.0, label_at + 6.0), "dotted at the mark: the thesis");
        svg.file(STYLE, &format!("Completion over the limit of work, {} problems", self.problems))
    }

    /// Returns the lines: class, name and value.
    fn lines(&self) -> Vec<(String, String, LineValue)> {
        let planner = |(at, name): (usize, &String)| {
            let value: LineValue = Box::new(move |point| point.completion[at]);
            (format!("c{}", at % 5), name.clone(), value)
        };
        let mut lines: Vec<_> = self.portfolio.iter().enumerate().map(planner).collect();
        lines.push(("best".to_owned(), "best choice".to_owned(), Box::new(|point| point.best)));
        lines.push(("worst".to_owned(), "worst choice".to_owned(), Box::new(|point| point.worst)));
        let gap = "best choice less best planner".to_owned();
        lines.push(("gap".to_owned(), gap, Box::new(|point| point.best - point.prior())));
        lines
    }
}

/// Draws how much the most important features decided the picks of a model.
pub fn importance_chart(model: &str, features: &[FeatureImportance]) -> String {
    let shown = &features[..features.len().min(FEATURES)];
    let height = 56.0 + 18.0 * shown.len() as f64;
    let (left, right) = (260.0, 700.0);
    let mut svg = Svg::new(760.0, height);
    let most = shown.iter().map(|feature| feature.contribution).fold(1e-12, f64::max);
    let x = AxisScale::linear((0.0, most), (left, right));
    for tick in x.ticks(5) {
        svg.line("grid", (x.at(tick), 10.0), (x.at(tick), height - 40.0));
        svg.text("middle", (x.at(tick), height - 24.0), &tick_label(tick));
    }
    for (at, feature) in shown.iter().enumerate() {
        let top = 12.0 + 18.0 * at as f64;
        svg.text("end", (left - 8.0, top + 11.0), &feature.feature);
        svg.rect("", (left, top), (x.at(feature.contribution) - left, 13.0));
    }
    let about = "mean absolute contribution to the utility of the pick above that of the runner-up";
    svg.text("middle", (f64::midpoint(left, right), height - 6.0), about);
    svg.file(STYLE, &format!("What decided the picks of the model {model}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_important_features_are_drawn() {
        let features: Vec<FeatureImportance> = (0..40)
            .map(|at| FeatureImportance { feature: format!("f{at}"), contribution: 1.0 / f64::from(at + 1) })
            .collect();
        let chart = importance_chart("trees", &features);
        assert_eq!(chart.matches("<rect").count(), FEATURES);
        assert!(chart.contains(">f0<") && !chart.contains(">f30<") && chart.contains("model trees"));
    }
}
