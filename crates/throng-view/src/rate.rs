//! Limits on what one connection may send.

use std::time::Instant;

/// The largest message of a browser: an uploaded map or recording, in bytes.
pub(crate) const MAX_UPLOAD: usize = 32 << 20;

/// The largest order of a browser, in bytes: enough to name 20,000 agents.
pub(crate) const MAX_ORDER: usize = 256 << 10;

/// Messages per second that a connection may send in the long run. A stroke of the brush sends up to 60.
const PER_SECOND: f64 = 100.0;

/// Messages that it may send at once.
const BURST: f64 = 200.0;

/// Messages over the limit after which a connection is closed.
const PATIENCE: u32 = 2_000;

/// A token bucket.
#[derive(Debug)]
pub(crate) struct RateLimit {
    left: f64,
    last: Instant,
    refused: u32,
}

/// What happens to a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    Accept,
    /// The message is dropped. The first one in a row is worth a reply.
    Drop {
        reply: bool,
    },
    Close,
}

impl RateLimit {
    pub(crate) fn new(now: Instant) -> Self {
        Self { left: BURST, last: now, refused: 0 }
    }

    /// Judges a message. An upload counts as many.
    pub(crate) fn judge(&mut self, now: Instant, is_upload: bool) -> Verdict {
        let elapsed = now.saturating_duration_since(self.last).as_secs_f64();
        (self.left, self.last) = ((self.left + elapsed * PER_SECOND).min(BURST), now);
        let price = if is_upload { PER_SECOND } else { 1.0 };
        if self.left >= price {
            self.left -= price;
            self.refused = self.refused.saturating_sub(1);
            return Verdict::Accept;
        }
        self.refused += 1;
        if self.refused > PATIENCE { Verdict::Close } else { Verdict::Drop { reply: self.refused == 1 } }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn bursts_are_accepted_and_floods_are_not() {
        let start = Instant::now();
        let mut limit = RateLimit::new(start);
        let burst = (0..300).filter(|_| limit.judge(start, false) == Verdict::Accept).count();
        assert_eq!(burst, BURST as usize);
        let later = start + Duration::from_millis(100);
        assert_eq!((0..50).filter(|_| limit.judge(later, false) == Verdict::Accept).count(), 10);
        assert!((0..3_000).any(|_| limit.judge(later, false) == Verdict::Close));
    }

    #[test]
    fn two_uploads_a_second_are_refused_in_the_long_run() {
        let start = Instant::now();
        let mut limit = RateLimit::new(start);
        let accepted = (0..20)
            .filter(|half| limit.judge(start + Duration::from_millis(500 * half), true) == Verdict::Accept);
        assert!((10..=12).contains(&accepted.count()));
    }
}
