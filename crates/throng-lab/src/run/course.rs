//! The course of a run that is limited by work: its state at marks of expansions.
//!
//! The course does not depend on the limit if the budget per tick is unlimited. So one run to a large limit gives the result
//! at every smaller one. The state at a mark is the one after the tick in which the expansions reached it: there a run with
//! this limit ends. The text form has one group `EXPANSIONS:ARRIVED,TRAVEL,TICKS` per mark, separated by spaces.

use std::fmt;

/// The number of marks of a course.
const MARKS: usize = 24;

/// The first mark, in expansions.
const FIRST: u64 = 50_000;

/// The state of a run at a number of expansions.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct CourseMark {
    /// The number of expansions.
    pub expansions: u64,
    /// The number of agents on their goals; a fraction between two marks.
    pub arrived: f64,
    /// The mean distance that an agent has walked.
    pub travel: f64,
    /// The number of ticks; a fraction between two marks.
    pub ticks: f64,
}

/// The states of a run at rising numbers of expansions.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Course {
    marks: Vec<CourseMark>,
}

impl Course {
    /// Creates a course. Returns `None` unless the expansions rise.
    pub fn new(marks: Vec<CourseMark>) -> Option<Self> {
        marks.is_sorted_by(|a, b| a.expansions < b.expansions).then_some(Self { marks })
    }

    /// Returns the states in rising order of expansions. The last one is the end of the run.
    pub fn marks(&self) -> &[CourseMark] {
        &self.marks
    }

    /// Returns the state at a number of expansions: between two marks by linear interpolation, from the start on; after
    /// the last mark the state of the last one. Whether the run ended there or was cut off is not part of the course.
    pub fn at(&self, expansions: f64) -> CourseMark {
        let after = self.marks.partition_point(|mark| (mark.expansions as f64) < expansions);
        let Some(next) = self.marks.get(after) else { return self.marks.last().copied().unwrap_or_default() };
        let before = after.checked_sub(1).map_or_else(CourseMark::default, |before| self.marks[before]);
        let gap = next.expansions.saturating_sub(before.expansions).max(1) as f64;
        let share = (expansions - before.expansions as f64) / gap;
        let between = |from: f64, to: f64| (to - from).mul_add(share, from);
        CourseMark {
            expansions: expansions.max(0.0) as u64,
            arrived: between(before.arrived, next.arrived),
            travel: between(before.travel, next.travel),
            ticks: between(before.ticks, next.ticks),
        }
    }

    /// Parses the text of a course. Returns `None` if it is malformed or the expansions do not rise.
    pub fn parse(text: &str) -> Option<Self> {
        let mark = |text: &str| {
            let (expansions, state) = text.split_once(':')?;
            let mut state = state.split(',').map(|number| {
                number.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0)
            });
            let mut next = || state.next().flatten();
            let mark = CourseMark {
                expansions: expansions.parse().ok()?,
                arrived: next()?,
                travel: next()?,
                ticks: next()?,
            };
            state.next().is_none().then_some(mark)
        };
        Self::new(text.split(' ').map(mark).collect::<Option<Vec<_>>>()?)
    }
}

impl fmt::Display for Course {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, mark) in self.marks.iter().enumerate() {
            let CourseMark { expansions, arrived, travel, ticks } = mark;
            let space = if number == 0 { "" } else { " " };
            write!(f, "{space}{expansions}:{arrived},{travel:.2},{ticks}")?;
        }
        Ok(())
    }
}

/// Returns the marks of a run with a limit of expansions: a geometric sequence from 50,000, or from the limit if that is
/// less, up to the limit.
pub fn course_marks(limit: u64) -> Vec<u64> {
    let first = FIRST.min(limit);
    let ratio = (limit as f64 / first.max(1) as f64).powf(1.0 / (MARKS - 1) as f64);
    let inner = (0..MARKS - 1).map(|mark| (first as f64 * ratio.powi(mark as i32)).round() as u64);
    let mut marks: Vec<u64> = inner.chain([limit]).collect();
    marks.dedup();
    marks
}

/// Records the course of a run.
#[derive(Clone, Debug)]
pub(super) struct CourseRecorder {
    marks: std::iter::Peekable<std::vec::IntoIter<u64>>,
    course: Course,
}

impl CourseRecorder {
    pub(super) fn new(limit: u64) -> Self {
        Self { marks: course_marks(limit).into_iter().peekable(), course: Course::default() }
    }

    /// Notes the state after a tick at every mark that the expansions have reached; `travel` is computed when needed.
    pub(super) fn after_tick(
        &mut self,
        expansions: u64,
        arrived: usize,
        ticks: u64,
        travel: impl Fn() -> f64,
    ) {
        while let Some(mark) = self.marks.next_if(|&mark| mark <= expansions) {
            self.push(mark, arrived, ticks, travel());
        }
    }

    /// Notes the end of the run, unless it is the last mark, and returns the course.
    pub(super) fn finish(mut self, expansions: u64, arrived: usize, ticks: u64, travel: f64) -> Course {
        let last = self.course.marks.last().map(|mark| mark.expansions);
        if self.marks.peek().is_some() && last.is_none_or(|last| last < expansions) {
            self.push(expansions, arrived, ticks, travel);
        } else if let Some(end) = self.course.marks.last_mut().filter(|_| self.marks.peek().is_some()) {
            // The run went on without expansions.
            (end.arrived, end.ticks, end.travel) = (arrived as f64, ticks as f64, travel);
        }
        self.course
    }

    fn push(&mut self, expansions: u64, arrived: usize, ticks: u64, travel: f64) {
        let (arrived, ticks) = (arrived as f64, ticks as f64);
        self.course.marks.push(CourseMark { expansions, arrived, travel, ticks });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_geometric_and_end_at_the_limit() {
        let marks = course_marks(2_000_000);
        assert_eq!((marks.len(), marks[0], marks[MARKS - 1]), (MARKS, FIRST, 2_000_000));
        assert!(marks.is_sorted_by(|a, b| a < b));
        assert_eq!(course_marks(1_000), [1_000]);
    }

    #[test]
    fn a_course_is_parsed_as_it_was_printed() {
        let text = "50000:12,3.25,17 60000:14,4.00,20";
        let course = Course::parse(text).unwrap();
        assert_eq!(course.to_string(), text);
        for malformed in
            ["", "1", "1:2", "1:2,3", "1:2,3,4,5", "2:1,1,1 1:1,1,1", "1:-2,3,4", "1:NaN,3,4", "1:2,3,4 "]
        {
            assert_eq!(Course::parse(malformed), None, "{malformed}");
        }
    }

    #[test]
    fn states_between_marks_are_interpolated() {
        let course = Course::parse("100:10,2.00,4 200:20,6.00,5").unwrap();
        let state = |expansions| {
            let CourseMark { arrived, travel, ticks, .. } = course.at(expansions);
            [arrived, travel, ticks].map(f64::to_bits)
        };
        assert_eq!(state(0.0), [0.0, 0.0, 0.0].map(f64::to_bits));
        assert_eq!(state(50.0), [5.0, 1.0, 2.0].map(f64::to_bits));
        assert_eq!(state(100.0), [10.0, 2.0, 4.0].map(f64::to_bits));
        assert_eq!(state(150.0), [15.0, 4.0, 4.5].map(f64::to_bits));
        assert_eq!(state(1_000.0), [20.0, 6.0, 5.0].map(f64::to_bits));
    }

    #[test]
    fn a_run_that_ends_early_notes_its_end() {
        let mut recorder = CourseRecorder::new(200_000);
        recorder.after_tick(10, 1, 1, || 1.0);
        recorder.after_tick(51_000, 2, 2, || 2.0);
        let early = recorder.clone().finish(51_000, 3, 9, 2.5);
        assert_eq!(early.to_string(), "50000:2,2.00,2 51000:3,2.50,9");
        recorder.after_tick(300_000, 4, 3, || 4.0);
        let course = recorder.finish(300_000, 4, 3, 4.0);
        assert_eq!((course.marks().len(), course.marks()[MARKS - 1].expansions), (MARKS, 200_000));
    }
}
