//! Numbers as text for tables and reports, with commas between groups of three digits.

/// Formats a whole number: `1,234,567`.
pub fn thousands(number: impl Into<u64>) -> String {
    grouped(&number.into().to_string())
}

/// Formats a number with this many decimals and a minus sign (`−`): `1,234.50`. A value that rounds to zero has no sign.
pub fn decimal(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.find('.').map_or((text.as_str(), ""), |point| text.split_at(point));
    let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    let sign = if value < 0.0 && !is_zero { "−" } else { "" };
    format!("{sign}{}{fraction}", grouped(whole))
}

/// Inserts a comma before each group of three digits.
fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_three_digits_are_separated() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(number as u64), text);
        }
        assert_eq!(decimal(1_234_567.891, 1), "1,234,567.9");
        assert_eq!(decimal(-999.5, 0), "−1,000");
        assert_eq!(decimal(-0.001, 2), "0.00");
        assert_eq!(decimal(f64::INFINITY, 2), "inf");
    }
}
