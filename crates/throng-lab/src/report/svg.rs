//! A small SVG writer. Shapes have CSS classes instead of colours, so that one style sheet serves the light and the dark
//! theme. Scales have round ticks.

use std::fmt::Write as _;

/// An SVG drawing under construction.
#[derive(Clone, Debug)]
pub(crate) struct Svg {
    width: f64,
    height: f64,
    body: String,
}

impl Svg {
    pub(crate) fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    /// Returns the element. `label` is its text for screen readers.
    pub(crate) fn finish(self, class: &str, label: &str) -> String {
        format!(
            "<svg class=\"{class}\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">{}</svg>",
            short(self.width),
            short(self.height),
            escape(label),
            self.body
        )
    }

    /// Returns the drawing as a file of its own. `style` is its style sheet.
    pub(crate) fn file(self, style: &str, label: &str) -> String {
        let (width, height) = (short(self.width), short(self.height));
        let label = escape(label);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\" aria-label=\"{label}\">\n<title>{label}</title>\n<style>\n{style}</style>\n{}</svg>\n",
            self.body
        )
    }

    pub(crate) fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        self.shape("line", class, &[("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2)]);
    }

    /// Adds an element with numbers as attributes.
    fn shape(&mut self, element: &str, class: &str, numbers: &[(&str, f64)]) {
        let numbers = each(numbers, |(name, number)| format!(" {name}=\"{}\"", short(*number)));
        let _ = write!(self.body, "<{element} class=\"{class}\"{numbers}/>");
    }

    pub(crate) fn polyline(&mut self, class: &str, points: &[(f64, f64)]) {
        let _ = write!(self.body, "<polyline class=\"{class}\" points=\"{}\"/>", joined(points));
    }

    pub(crate) fn polygon(&mut self, class: &str, points: &[(f64, f64)]) {
        let _ = write!(self.body, "<polygon class=\"{class}\" points=\"{}\"/>", joined(points));
    }

    pub(crate) fn rect(&mut self, class: &str, (x, y): (f64, f64), (width, height): (f64, f64)) {
        let size = [("width", width.max(0.5)), ("height", height), ("rx", 2.0)];
        self.shape("rect", class, &[&[("x", x), ("y", y)], size.as_slice()].concat());
    }

    pub(crate) fn text(&mut self, class: &str, (x, y): (f64, f64), text: &str) {
        let (x, y, text) = (short(x), short(y), escape(text));
        let _ = write!(self.body, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{text}</text>");
    }

    /// Draws one of eight mark shapes. `about` is its tooltip.
    pub(crate) fn mark(&mut self, class: &str, shape: usize, (x, y): (f64, f64), radius: f64, about: &str) {
        let _ = write!(self.body, "<g class=\"{class}\">");
        if !about.is_empty() {
            let _ = write!(self.body, "<title>{}</title>", escape(about));
        }
        let corners: &[(f64, f64)] = match shape % 8 {
            1 => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
            2 => &[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
            3 => &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
            4 => &[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)],
            5 => &[(1.2, 0.0), (-0.8, 1.1), (-0.8, -1.1)],
            6 => &[(-1.2, 0.0), (0.8, 1.1), (0.8, -1.1)],
            7 => &[(0.0, -1.2), (1.15, -0.35), (0.7, 1.0), (-0.7, 1.0), (-1.15, -0.35)],
            _ => &[],
        };
        if corners.is_empty() {
            let [x, y, radius] = [x, y, radius].map(short);
            let _ = write!(self.body, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>");
        } else {
            let place = |&(dx, dy): &(f64, f64)| (x + dx * radius, y + dy * radius);
            let points: Vec<(f64, f64)> = corners.iter().map(place).collect();
            let _ = write!(self.body, "<polygon points=\"{}\"/>", joined(&points));
        }
        self.body.push_str("</g>");
    }
}

fn joined(points: &[(f64, f64)]) -> String {
    points.iter().map(|&(x, y)| format!("{},{}", short(x), short(y))).collect::<Vec<_>>().join(" ")
}

/// Formats a coordinate with at most one decimal.
fn short(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// Escapes text for HTML content and attributes.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Escapes a text and writes it with `write`; nothing if it is empty.
pub(crate) fn unless_empty(text: &str, write: impl FnOnce(&str) -> String) -> String {
    if text.is_empty() { String::new() } else { write(&escape(text)) }
}

/// Concatenates the texts of all items.
pub(crate) fn each<T>(items: impl IntoIterator<Item = T>, write: impl Fn(T) -> String) -> String {
    let mut out = String::new();
    for item in items {
        out.push_str(&write(item));
    }
    out
}

/// A mapping from values to coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AxisScale {
    from: (f64, f64),
    to: (f64, f64),
    logarithmic: bool,
}

impl AxisScale {
    pub(crate) fn linear(from: (f64, f64), to: (f64, f64)) -> Self {
        let from = if from.1 > from.0 { from } else { (from.0 - 0.5, from.0 + 0.5) };
        Self { from, to, logarithmic: false }
    }

    /// Creates a logarithmic scale of positive values.
    pub(crate) fn logarithmic(from: (f64, f64), to: (f64, f64)) -> Self {
        let from = if from.1 > from.0 { from } else { (from.0 / 2.0, from.0 * 2.0) };
        Self { from, to, logarithmic: true }
    }

    pub(crate) fn at(&self, value: f64) -> f64 {
        let turn = |value: f64| if self.logarithmic { value.ln() } else { value };
        let (low, high) = (turn(self.from.0), turn(self.from.1));
        let share = (turn(value.clamp(self.from.0, self.from.1)) - low) / (high - low);
        self.to.0 + share * (self.to.1 - self.to.0)
    }

    /// Returns about this many round values within the scale.
    pub(crate) fn ticks(&self, about: usize) -> Vec<f64> {
        let (low, high) = self.from;
        if self.logarithmic {
            let all = powers(low, high, &[1.0, 2.0, 5.0]);
            return if all.len() > about + 1 { thinned(powers(low, high, &[1.0]), about) } else { all };
        }
        let step = round_step((high - low) / about.max(1) as f64);
        let (first, last) = ((low / step).ceil() as i64, (high / step + 1e-6).floor() as i64);
        (first..=last).map(|count| count as f64 * step).collect()
    }
}

/// Returns multiples of powers of ten between two limits.
fn powers(low: f64, high: f64, multiples: &[f64]) -> Vec<f64> {
    let exponents = -9..13;
    let all = exponents.flat_map(|exponent: i32| multiples.iter().map(move |m| m * 10_f64.powi(exponent)));
    all.filter(|tick| *tick >= low * 0.999 && *tick <= high * 1.001).collect()
}

/// Keeps about this many of the ticks.
fn thinned(ticks: Vec<f64>, about: usize) -> Vec<f64> {
    let stride = ticks.len().div_ceil(about.max(1)).max(1);
    ticks.into_iter().step_by(stride).collect()
}

/// Returns the smallest 1, 2 or 5 times a power of ten that is not below `min`.
fn round_step(min: f64) -> f64 {
    let all = powers(1e-9, 1e12, &[1.0, 2.0, 5.0]);
    all.into_iter().find(|step| *step >= min * 0.999).unwrap_or(1.0)
}

/// Formats the label of a tick as short as possible.
pub(crate) fn tick_label(value: f64) -> String {
    match value.abs() {
        size if size >= 1e6 => format!("{}M", plain(value / 1e6)),
        size if size >= 1e4 => format!("{}k", plain(value / 1e3)),
        _ => plain(value),
    }
}

fn plain(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.replace('-', "−") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within_the_scale() {
        let labels =
            |scale: AxisScale, about| scale.ticks(about).into_iter().map(tick_label).collect::<Vec<_>>();
        assert_eq!(
            labels(AxisScale::linear((0.0, 100.0), (0.0, 1.0)), 5),
            ["0", "20", "40", "60", "80", "100"]
        );
        assert_eq!(labels(AxisScale::linear((-0.3, 0.4), (0.0, 1.0)), 4), ["−0.2", "0", "0.2", "0.4"]);
        assert_eq!(
            labels(AxisScale::logarithmic((25.0, 2000.0), (0.0, 1.0)), 6),
            ["50", "100", "200", "500", "1000", "2000"]
        );
        assert_eq!(labels(AxisScale::logarithmic((1.0, 1e6), (0.0, 1.0)), 4), ["1", "100", "10k", "1M"]);
    }

    #[test]
    fn scales_map_and_clamp_values() {
        let scale = AxisScale::logarithmic((10.0, 1000.0), (0.0, 100.0));
        assert!((scale.at(100.0) - 50.0).abs() < 1e-9);
        assert!((scale.at(5.0) - 0.0).abs() < 1e-9, "values beyond the end are clamped");
        // A scale of a single value maps it to the middle.
        assert!((AxisScale::linear((3.0, 3.0), (0.0, 10.0)).at(3.0) - 5.0).abs() < 1e-9);
    }

    #[test]
    fn text_is_escaped() {
        let mut svg = Svg::new(10.0, 10.0);
        svg.text("a", (0.0, 0.5), "<b> & \"c\"");
        let drawn = svg.finish("x", "\"");
        assert!(
            drawn.contains("y=\"0.5\">&lt;b&gt; &amp; &quot;c&quot;</text>")
                && drawn.contains("aria-label=\"&quot;\"")
        );
    }
}
