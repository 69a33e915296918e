//! The outcome of picks on the test part of a split: their quality, and how often they are right.

use std::collections::BTreeMap;

use super::evaluate::{Choices, Portfolio, Trial};
use super::{Split, argmax};

/// The outcome of a model, or of a fixed choice, on one split.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PickOutcome {
    /// The name of the model or of the choice.
    pub name: String,
    /// Mean utility of the picked algorithms.
    pub utility: f64,
    /// Share of right choices; none if it makes no choice of the portfolio.
    pub accuracy: Option<f64>,
    /// Mean over the choices of the share of their instances that were chosen rightly; none without an accuracy.
    pub balanced_accuracy: Option<f64>,
    /// Share of the gap between prior and best that is closed; none without a gap.
    pub gap_closed: Option<f64>,
    /// Utility above that of the prior.
    pub over_prior: f64,
    /// Mean distance of the agents with the picked algorithms; none for single agents.
    pub travel: Option<f64>,
    /// Share of the instances for which each choice was chosen; empty without an accuracy.
    pub chosen: Vec<f64>,
    /// Mean utility by type of problem.
    pub by_kind: BTreeMap<String, f64>,
    /// Mean absolute contribution of each feature of the learner's rows to its picks; none if the model has none.
    pub importance: Option<Vec<f64>>,
}

/// The outcome of one split.
#[derive(Clone, PartialEq, Debug)]
pub struct SplitOutcome {
    /// Number of test instances.
    pub tested: usize,
    /// The single best algorithm of the training part.
    pub prior: PickOutcome,
    /// The right label; none if algorithms are chosen.
    pub perfect_label: Option<PickOutcome>,
    /// The best choice, or the prior where it is better.
    pub best: PickOutcome,
    /// The worst choice.
    pub worst: PickOutcome,
    /// The choice with the highest mean over all other instances of the same map and type, whatever part they are in.
    pub expected: PickOutcome,
    /// Each choice alone.
    pub singles: Vec<PickOutcome>,
    /// The models.
    pub models: Vec<PickOutcome>,
}

/// Judges picks on one trial.
pub(super) struct Judge<'a> {
    trial: &'a Trial<'a>,
    portfolio: &'a Portfolio,
    pub(super) choices: Choices,
    /// Mean utilities of the prior and of the best choice.
    prior: f64,
    best: f64,
}

impl<'a> Judge<'a> {
    pub(super) fn new(trial: &'a Trial<'a>, portfolio: &'a Portfolio) -> Self {
        let choices = portfolio.choices(&trial.data, &trial.split.train);
        let mut judge = Self { trial, portfolio, choices, prior: 0.0, best: 0.0 };
        judge.prior = judge.mean(|_, at| trial.data.utilities[at][judge.choices.prior]);
        judge.best = judge.mean(|_, at| trial.data.utilities[at][judge.extreme(at, 1.0)]);
        judge
    }

    fn test(&self) -> &[usize] {
        &self.trial.split.test
    }

    /// Returns the mean over the test part of a value of the place in the test part and the instance.
    fn mean(&self, of: impl Fn(usize, usize) -> f64) -> f64 {
        let test = self.test();
        test.iter().enumerate().map(|(place, &at)| of(place, at)).sum::<f64>() / test.len() as f64
    }

    /// Returns the algorithm with the highest utility, or with the lowest if the sign is negative, among the choices and the
    /// prior. The shorter distance decides between equal ones; for the lowest, the longer one.
    fn extreme(&self, at: usize, sign: f64) -> usize {
        let data = &*self.trial.data;
        let travel = |algorithm: usize| data.travel.as_ref().map_or(0.0, |travel| travel[at][algorithm]);
        let rank = |algorithm: usize| (sign * data.utilities[at][algorithm], -sign * travel(algorithm));
        let all = self.choices.algorithms.iter().copied().chain([self.choices.prior]);
        let better = |best: usize, other: usize| if rank(other) > rank(best) { other } else { best };
        all.reduce(better).unwrap_or(self.choices.prior)
    }

    /// Judges one algorithm per test instance.
    fn algorithms(&self, name: &str, picks: &[usize]) -> PickOutcome {
        let data = &*self.trial.data;
        let utility = self.mean(|place, at| data.utilities[at][picks[place]]);
        let mut kinds: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
        for (&at, &pick) in self.test().iter().zip(picks) {
            let (sum, count) = kinds.entry(&data.groups[at].kind).or_default();
            (*sum, *count) = (*sum + data.utilities[at][pick], *count + 1.0);
        }
        let gap = self.best - self.prior;
        PickOutcome {
            name: name.to_owned(),
            utility,
            gap_closed: (gap > 1e-9).then(|| (utility - self.prior) / gap),
            over_prior: utility - self.prior,
            travel: data.travel.as_ref().map(|travel| self.mean(|place, at| travel[at][picks[place]])),
            by_kind: kinds.into_iter().map(|(kind, (sum, count))| (kind.to_owned(), sum / count)).collect(),
            ..PickOutcome::default()
        }
    }

    /// Judges one choice per test instance.
    pub(super) fn choices(&self, name: &str, picks: &[usize]) -> PickOutcome {
        let Choices { algorithms, labels, .. } = &self.choices;
        let picked: Vec<usize> = picks.iter().map(|&pick| algorithms[pick]).collect();
        let right: Vec<usize> = self.test().iter().map(|&at| labels[at]).collect();
        let count = |is: &dyn Fn(usize, usize) -> bool| {
            picks.iter().zip(&right).filter(|&(&pick, &right)| is(pick, right)).count() as f64
        };
        let present: Vec<usize> = (0..algorithms.len()).filter(|choice| right.contains(choice)).collect();
        let recall = |&choice: &usize| {
            count(&|pick, right| right == choice && pick == choice) / count(&|_, right| right == choice)
        };
        let share = |choice: usize| count(&|pick, _| pick == choice) / picks.len() as f64;
        PickOutcome {
            accuracy: Some(count(&|pick, right| pick == right) / picks.len() as f64),
            balanced_accuracy: Some(present.iter().map(recall).sum::<f64>() / present.len() as f64),
            chosen: (0..algorithms.len()).map(share).collect(),
            ..self.algorithms(name, &picked)
        }
    }

    /// Judges an algorithm per test instance. It counts as a choice unless labels are predicted.
    fn either(&self, name: &str, pick: impl Fn(usize) -> usize) -> PickOutcome {
        let picks: Vec<usize> = self.test().iter().map(|&at| pick(at)).collect();
        let place = |algorithm: &usize| self.choices.algorithms.iter().position(|own| own == algorithm);
        match picks.iter().map(place).collect::<Option<Vec<usize>>>() {
            Some(chosen) if !self.portfolio.is_labels() => self.choices(name, &chosen),
            _ => self.algorithms(name, &picks),
        }
    }

    /// Returns the choice with the highest mean over all other instances of the same map and type; the prior if there are none.
    fn expected(&self, at: usize) -> usize {
        let data = &*self.trial.data;
        let Choices { algorithms, prior, .. } = &self.choices;
        let mut others =
            (0..data.len()).filter(|&other| other != at && data.groups[other] == data.groups[at]).peekable();
        if others.peek().is_none() {
            return algorithms.iter().position(|algorithm| algorithm == prior).unwrap_or(0);
        }
        let mut sums = vec![0.0; algorithms.len()];
        for other in others {
            for (sum, &algorithm) in sums.iter_mut().zip(algorithms) {
                *sum += data.utilities[other][algorithm];
            }
        }
        argmax(&sums)
    }

    /// Returns the outcome of the split, with those of the models.
    pub(super) fn outcome(&self, models: Vec<PickOutcome>) -> SplitOutcome {
        let data = &*self.trial.data;
        let Split { test, .. } = &self.trial.split;
        let right: Vec<usize> = test.iter().map(|&at| self.choices.labels[at]).collect();
        let expected: Vec<usize> = test.iter().map(|&at| self.expected(at)).collect();
        let names = match self.portfolio {
            Portfolio::Labels { names, .. } => names.clone(),
            _ => self.choices.algorithms.iter().map(|&at| data.algorithms[at].clone()).collect(),
        };
        let single = |(choice, name): (usize, &String)| self.choices(name, &vec![choice; test.len()]);
        let best = if self.portfolio.is_labels() {
            self.either("best", |at| self.extreme(at, 1.0))
        } else {
            self.choices("best", &right)
        };
        SplitOutcome {
            tested: test.len(),
            prior: self.either("prior", |_| self.choices.prior),
            perfect_label: self.portfolio.is_labels().then(|| self.choices("perfect label", &right)),
            best,
            worst: self.either("worst", |at| self.extreme(at, -1.0)),
            expected: self.choices("expected utilities", &expected),
            singles: names.iter().enumerate().map(single).collect(),
            models,
        }
    }
}
