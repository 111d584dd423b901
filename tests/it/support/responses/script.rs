//! Which call meets which fault.

use super::answer::draw;
use super::call::Call;
use super::fault::Fault;

/// The calls that a fault is meant for; each condition narrows it.
#[derive(Debug, Clone, Default)]
pub struct When {
    number: Option<usize>,
    model: Option<String>,
    schema: Option<String>,
    title: Option<String>,
    /// Of the calls that fit, counted from 1.
    from: usize,
    to: Option<usize>,
}

impl When {
    pub fn always() -> Self {
        Self::default()
    }

    /// The call with this number over all.
    pub fn call(number: usize) -> Self {
        Self { number: Some(number), ..Self::default() }
    }

    pub fn model(self, name: &str) -> Self {
        Self { model: Some(name.to_owned()), ..self }
    }

    /// By the schema's name (`triage_v1`); `text` without one, `embeddings` for those.
    pub fn schema(self, name: &str) -> Self {
        Self { schema: Some(name.to_owned()), ..self }
    }

    /// A story whose title holds this; without stories, a prompt that holds it.
    pub fn title(self, text: &str) -> Self {
        Self { title: Some(text.to_owned()), ..self }
    }

    /// Only the first `count` calls that fit.
    pub fn first(self, count: usize) -> Self {
        Self { to: Some(count), ..self }
    }

    /// Only the `number`th call that fits.
    pub fn nth(self, number: usize) -> Self {
        Self { from: number, to: Some(number), ..self }
    }

    /// All calls that fit from the `number`th on.
    pub fn from(self, number: usize) -> Self {
        Self { from: number, ..self }
    }

    fn fits(&self, call: &Call) -> bool {
        self.number.is_none_or(|number| number == call.number)
            && self.model.as_deref().is_none_or(|model| model == call.model())
            && self.schema.as_deref().is_none_or(|schema| schema == call.schema_name())
            && self.title.as_deref().is_none_or(|title| call.tells_of(title))
    }
}

#[derive(Debug)]
struct Rule {
    when: When,
    fault: Fault,
    /// Calls that fitted so far.
    seen: usize,
}

/// Some share of the calls, chosen by what they say: the same for the same seed, whatever the order of arrival.
#[derive(Debug)]
struct Mixture {
    seed: u64,
    percent: u64,
    faults: Vec<Fault>,
}

/// Rules in the order in which they were given, the first that applies wins; the mixture takes what is left.
#[derive(Debug, Default)]
pub struct Script {
    rules: Vec<Rule>,
    mixture: Option<Mixture>,
}

impl Script {
    pub fn add(&mut self, when: When, fault: Fault) {
        self.rules.push(Rule { when, fault, seen: 0 });
    }

    pub fn mix(&mut self, seed: u64, percent: u64, faults: Vec<Fault>) {
        self.mixture = Some(Mixture { seed, percent, faults });
    }

    /// `earlier` counts the calls with the same body that came before.
    pub fn fault_for(&mut self, call: &Call, earlier: usize) -> Option<Fault> {
        let mut chosen = None;
        for rule in self.rules.iter_mut().filter(|rule| rule.when.fits(call)) {
            rule.seen += 1;
            if rule.seen >= rule.when.from && rule.when.to.is_none_or(|to| rule.seen <= to) {
                chosen = chosen.or_else(|| Some(rule.fault.clone()));
            }
        }
        chosen.or_else(|| self.mixture.as_ref()?.fault_for(call, earlier))
    }
}

impl Mixture {
    fn fault_for(&self, call: &Call, earlier: usize) -> Option<Fault> {
        let drawn = draw(&format!("{} {earlier} {}", self.seed, call.body));
        if drawn % 100 >= self.percent || self.faults.is_empty() {
            return None;
        }
        let count = u64::try_from(self.faults.len()).ok()?;
        self.faults.get(usize::try_from(drawn / 100 % count).ok()?).cloned()
    }
}
