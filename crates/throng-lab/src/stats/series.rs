//! Values at equal steps of time, stored as text in one column of the results.
//!
//! The text is the step, a colon, and the values in thousandths, separated by spaces: `30:412 455` are 0.412 at the time 30
//! and 0.455 at the time 60.

use std::fmt;

/// Values from 0 to 1 at equal steps of time; the first is one step after the start.
#[derive(Clone, PartialEq, Debug)]
pub struct TimeSeries {
    step: f64,
    values: Vec<f64>,
}

impl TimeSeries {
    /// Creates an empty series.
    pub const fn new(step: f64) -> Self {
        Self { step, values: Vec::new() }
    }

    /// Appends the value of the next step.
    pub fn push(&mut self, value: f64) {
        self.values.push(value);
    }

    /// Returns the time between two values.
    pub const fn step(&self) -> f64 {
        self.step
    }

    /// Returns the values in the order of time.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Parses the text of a series. Returns `None` unless it has a positive step and values from 0 to 1.
    pub fn parse(text: &str) -> Option<Self> {
        let (step, values) = text.split_once(':')?;
        let step = step.parse().ok().filter(|step: &f64| step.is_finite() && *step > 0.0)?;
        let value = |text: &str| text.parse::<u32>().ok().filter(|value| *value <= 1_000);
        let values = values.split(' ').map(|text| Some(f64::from(value(text)?) / 1_000.0));
        Some(Self { step, values: values.collect::<Option<Vec<f64>>>()? })
    }
}

impl fmt::Display for TimeSeries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.values.iter().map(|value| format!("{:.0}", value * 1_000.0));
        write!(f, "{}:{}", self.step, values.collect::<Vec<_>>().join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_is_parsed_as_it_was_printed() {
        let mut series = TimeSeries::new(30.0);
        for value in [0.0, 0.4125, 1.0] {
            series.push(value);
        }
        assert_eq!(series.to_string(), "30:0 412 1000");
        let parsed = TimeSeries::parse("30:0 412 1000").unwrap();
        assert_eq!(
            (parsed.step().to_bits(), parsed.values()),
            (30.0_f64.to_bits(), [0.0, 0.412, 1.0].as_slice())
        );
        for malformed in ["", "30", "30:", "0:1", "x:1", "30:1 1001", "30:1  2", "30:-1"] {
            assert_eq!(TimeSeries::parse(malformed), None, "{malformed}");
        }
    }
}
