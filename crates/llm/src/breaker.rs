//! Circuit breakers: after repeated failures a model, or its whole server, is not called for a while. A single probe
//! then checks whether it is back.
//!
//! Input: the outcome of each exchange. Output: whether the next one may begin. Failures to connect count for an
//! [`Account`], all others for one of its models. Breakers live as long as the process.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use secrecy::{ExposeSecret, SecretString};
use thiserror::Error;

use super::error::CallError;

/// A provider's server with a key: models of one account are refused together.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Account {
    pub(super) provider: String,
    /// Scheme, host and port of its server; empty for `local`.
    pub(super) origin: String,
    /// Tells keys apart. It is never shown: with it, a guessed key could be checked.
    key_hash: u64,
}

impl Account {
    pub(super) fn new(provider: &str, origin: String, key: Option<&SecretString>) -> Self {
        let mut hasher = DefaultHasher::new();
        key.map(ExposeSecret::expose_secret).hash(&mut hasher);
        Self { provider: provider.to_owned(), origin, key_hash: hasher.finish() }
    }
}

impl Display for Account {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.provider, self.origin)
    }
}

/// Omits the key's hash.
impl fmt::Debug for Account {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { provider, origin, .. } = self;
        f.debug_struct("Account").field("provider", provider).field("origin", origin).finish_non_exhaustive()
    }
}

/// When a breaker opens, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerPolicy {
    /// Consecutive failures that open it.
    pub failures: u32,
    /// The first pause; doubled with each failed probe.
    pub pause: Duration,
    pub max_pause: Duration,
}

impl Default for BreakerPolicy {
    fn default() -> Self {
        Self { failures: 5, pause: Duration::from_secs(30), max_pause: Duration::from_mins(10) }
    }
}

/// The breakers of a process.
#[derive(Debug)]
pub struct Breakers {
    policy: BreakerPolicy,
    circuits: Mutex<BTreeMap<Target, Circuit>>,
}

/// What a breaker is for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    pub account: Account,
    /// `None`: the server with all its models.
    pub model: Option<String>,
}

#[derive(Debug, Default)]
struct Circuit {
    /// Consecutive failures.
    failures: u32,
    open: Option<Open>,
}

impl Circuit {
    /// Counts a failure. Returns the length of the pause if it begins one.
    fn fail(&mut self, policy: BreakerPolicy, is_probe: bool, error: &CallError, now: Instant) -> Option<Duration> {
        self.failures = self.failures.saturating_add(1);
        let pause = match &self.open {
            Some(open) if is_probe => (open.pause * 2).min(policy.max_pause),
            // Exchanges that began before the breaker opened are no new evidence.
            Some(_) => return None,
            None if self.failures < policy.failures => return None,
            None => policy.pause,
        };
        self.open = Some(Open { until: now + pause, pause, is_probing: false, why: error.to_string() });
        Some(pause)
    }
}

#[derive(Debug)]
struct Open {
    until: Instant,
    pause: Duration,
    /// Whether a probe is under way.
    is_probing: bool,
    why: String,
}

impl Open {
    fn refused(&self, target: &Target, now: Instant) -> Refused {
        let who = if target.model.is_some() { "it" } else { "its server" };
        Refused { who, wait: self.until.saturating_duration_since(now), why: self.why.clone() }
    }
}

/// A call refused because a breaker is open.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{who} failed repeatedly and is paused for {} s more; the last failure: {why}", wait.as_secs() + 1)]
pub struct Refused {
    /// The model or its server, in a sentence about the model.
    who: &'static str,
    /// Remaining time.
    pub wait: Duration,
    /// The last failure.
    pub why: String,
}

/// Returns a failure's reason without the pause of [`Refused`], which is over when the reason is read, but with its
/// cause.
#[must_use]
pub fn without_pause(reason: &str) -> String {
    let Some((paused, cause)) = reason.split_once("; the last failure: ") else { return reason.to_owned() };
    match paused.rsplit_once(": ") {
        Some((model, _)) => format!("{model}: {cause}"),
        None => cause.to_owned(),
    }
}

impl Breakers {
    #[must_use]
    pub fn new(policy: BreakerPolicy) -> Self {
        Self { policy, circuits: Mutex::default() }
    }

    /// Lets an exchange with a model begin. If it is dropped without an outcome, it counts as not having taken place.
    ///
    /// # Errors
    /// When the breaker of the model or of its server is open: for how long, and why.
    pub fn admit(&self, account: &Account, model: &str, now: Instant) -> Result<BreakerPermit<'_>, Refused> {
        let targets = [None, Some(model.to_owned())].map(|model| Target { account: account.clone(), model });
        let mut circuits = self.circuits();
        for target in &targets {
            if let Some(open) = circuits.get(target).and_then(|circuit| circuit.open.as_ref())
                && (now < open.until || open.is_probing)
            {
                return Err(open.refused(target, now));
            }
        }
        let mut is_probe = [false; 2];
        for (target, is_probe) in targets.iter().zip(&mut is_probe) {
            if let Some(open) = circuits.get_mut(target).and_then(|circuit| circuit.open.as_mut()) {
                open.is_probing = true;
                *is_probe = true;
            }
        }
        Ok(BreakerPermit { breakers: self, targets, is_probe })
    }

    /// Returns the length of a first pause.
    #[must_use]
    pub const fn first_pause(&self) -> Duration {
        self.policy.pause
    }

    /// Returns what is paused, and the remaining time of each.
    #[must_use]
    pub fn open(&self, now: Instant) -> Vec<(Target, Refused)> {
        let circuits = self.circuits();
        let open = circuits.iter().filter_map(|(target, circuit)| Some((target, circuit.open.as_ref()?)));
        open.map(|(target, open)| (target.clone(), open.refused(target, now))).collect()
    }

    fn circuits(&self) -> MutexGuard<'_, BTreeMap<Target, Circuit>> {
        self.circuits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An exchange that may take place.
#[derive(Debug)]
#[must_use]
pub struct BreakerPermit<'b> {
    breakers: &'b Breakers,
    /// The server, and the model.
    targets: [Target; 2],
    /// Whether it is to show that they are back. Nothing else is admitted until it ends.
    is_probe: [bool; 2],
}

impl BreakerPermit<'_> {
    /// Records the outcome. An answer, good or bad, and a refusal show that the model is available. An exchange that
    /// this program ended shows nothing.
    pub fn record(mut self, failure: Option<&CallError>, now: Instant) {
        if matches!(failure, Some(CallError::Abandoned)) {
            return;
        }
        let error = failure.filter(|error| is_server_fault(error));
        let is_unreachable = matches!(error, Some(CallError::Connect(_)));
        let [is_server_probe, is_model_probe] = self.is_probe;
        // Without a connection nothing is known about the model, and another probe of it may be made.
        self.is_probe = [false, is_model_probe && is_unreachable];
        let [server, model] = &self.targets;
        let mut circuits = self.breakers.circuits();
        if !is_unreachable {
            circuits.remove(server);
        }
        let Some(error) = error else {
            circuits.remove(model);
            return;
        };
        let (target, is_probe) = if is_unreachable { (server, is_server_probe) } else { (model, is_model_probe) };
        let circuit = circuits.entry(target.clone()).or_default();
        if let Some(pause) = circuit.fail(self.breakers.policy, is_probe, error, now) {
            let model = target.model.as_deref();
            tracing::warn!(server = %target.account, model, %error, pause_s = pause.as_secs(), "calls are paused");
        }
    }
}

impl Drop for BreakerPermit<'_> {
    fn drop(&mut self) {
        for (target, _) in self.targets.iter().zip(self.is_probe).filter(|(_, is_probe)| *is_probe) {
            if let Some(open) = self.breakers.circuits().get_mut(target).and_then(|circuit| circuit.open.as_mut()) {
                open.is_probing = false;
            }
        }
    }
}

/// Whether a failure is caused by the server rather than by the request or the account.
const fn is_server_fault(error: &CallError) -> bool {
    matches!(
        error,
        CallError::Connect(_)
            | CallError::TimedOut(_)
            | CallError::Stalled(_)
            | CallError::Interrupted(_)
            | CallError::Server { .. }
            | CallError::Overloaded { .. }
    )
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;

    static ACCOUNT: LazyLock<Account> = LazyLock::new(|| account("a key"));

    fn account(key: &str) -> Account {
        Account::new("openai", "http://h".to_owned(), Some(&SecretString::from(key)))
    }

    fn admit(breakers: &Breakers, now: Instant) -> Result<BreakerPermit<'_>, Refused> {
        breakers.admit(&ACCOUNT, "a model", now)
    }

    fn failing(breakers: &Breakers, times: u32, now: Instant) {
        for _ in 0..times {
            admit(breakers, now).unwrap().record(Some(&CallError::TimedOut(1)), now);
        }
    }

    fn wait(breakers: &Breakers, now: Instant) -> Option<Duration> {
        admit(breakers, now).err().map(|refused| refused.wait)
    }

    #[test]
    fn it_opens_after_failures_in_a_row_and_asks_once_whether_the_server_is_back() {
        let (breakers, begun) = (Breakers::new(BreakerPolicy::default()), Instant::now());
        let after = |seconds| begun + Duration::from_secs(seconds);
        failing(&breakers, 4, begun);
        admit(&breakers, begun).unwrap().record(Some(&CallError::Invalid(String::new())), begun);
        failing(&breakers, 4, begun);
        assert_eq!(wait(&breakers, begun), None, "an answer in between, however bad, counts");
        failing(&breakers, 1, begun);
        let refused = admit(&breakers, after(10)).unwrap_err();
        assert_eq!((refused.wait, refused.why.as_str()), (Duration::from_secs(20), "no answer came within 1 s"));
        assert_eq!(breakers.open(after(10)).len(), 1);
        assert!(breakers.admit(&account("another key"), "a model", begun).is_ok());

        let probe = admit(&breakers, after(31)).unwrap();
        assert!(admit(&breakers, after(31)).is_err(), "one alone");
        probe.record(Some(&CallError::TimedOut(1)), after(32));
        assert_eq!(wait(&breakers, after(33)), Some(Duration::from_secs(59)), "twice as long");
        admit(&breakers, after(92)).unwrap().record(None, after(93));
        let both = (admit(&breakers, after(93)), admit(&breakers, after(93)));
        assert!(both.0.is_ok() && both.1.is_ok());
        assert_eq!(breakers.open(after(93)), []);
    }

    #[test]
    fn a_model_that_fails_pauses_no_other_of_its_server() {
        let (breakers, begun) = (Breakers::new(BreakerPolicy::default()), Instant::now());
        failing(&breakers, 5, begun);
        let refused = admit(&breakers, begun).unwrap_err();
        assert!(refused.to_string().starts_with("it failed repeatedly and is paused for 31 s more"), "{refused}");
        assert_eq!(without_pause(&refused.to_string()), "no answer came within 1 s");
        assert_eq!(without_pause(&format!("openai/a: {refused}")), "openai/a: no answer came within 1 s");
        assert_eq!(without_pause("openai/a: no answer came"), "openai/a: no answer came");
        breakers.admit(&ACCOUNT, "another model", begun).unwrap().record(None, begun);
        assert_eq!(wait(&breakers, begun), Some(Duration::from_secs(30)), "its answer says nothing of the first");
        let open: Vec<_> = breakers.open(begun).into_iter().map(|(target, _)| target.model).collect();
        assert_eq!(open, [Some("a model".to_owned())]);
    }

    #[test]
    fn a_server_that_cannot_be_reached_is_paused_with_all_its_models() {
        let (breakers, begun) = (Breakers::new(BreakerPolicy::default()), Instant::now());
        let error = CallError::Connect("refused".to_owned());
        failing(&breakers, 5, begun);
        for model in ["one", "two", "three", "four", "five"] {
            breakers.admit(&ACCOUNT, model, begun).unwrap().record(Some(&error), begun);
        }
        let refused = breakers.admit(&ACCOUNT, "six", begun).unwrap_err();
        assert!(refused.to_string().starts_with("its server failed repeatedly and is paused"), "{refused}");
        let later = begun + Duration::from_secs(31);
        admit(&breakers, later).unwrap().record(Some(&error), later);
        assert_eq!(wait(&breakers, later), Some(Duration::from_mins(1)), "the probe found the server still away");
        let back = later + Duration::from_secs(61);
        admit(&breakers, back).unwrap().record(Some(&CallError::TimedOut(1)), back);
        assert!(breakers.admit(&ACCOUNT, "six", back).is_ok(), "the server is back");
        assert_eq!(wait(&breakers, back), Some(Duration::from_mins(1)), "the model is not");
    }

    #[test]
    fn an_account_names_its_server_and_shows_nothing_of_its_key() {
        assert!(account("a key") == *ACCOUNT && account("another key") != *ACCOUNT);
        assert_eq!(ACCOUNT.to_string(), "openai at http://h");
        assert_eq!(format!("{:?}", *ACCOUNT), "Account { provider: \"openai\", origin: \"http://h\", .. }");
    }

    #[test]
    fn a_probe_that_is_dropped_leaves_room_for_another() {
        let (breakers, begun) = (Breakers::new(BreakerPolicy::default()), Instant::now());
        failing(&breakers, 5, begun);
        let later = begun + Duration::from_secs(31);
        drop(admit(&breakers, later).unwrap());
        assert_eq!(wait(&breakers, later), None);
    }

    #[test]
    fn an_abandoned_exchange_says_nothing_about_the_server() {
        let (breakers, begun) = (Breakers::new(BreakerPolicy::default()), Instant::now());
        for _ in 0..9 {
            admit(&breakers, begun).unwrap().record(Some(&CallError::Abandoned), begun);
        }
        assert_eq!(wait(&breakers, begun), None);
        failing(&breakers, 5, begun);
        let later = begun + Duration::from_secs(31);
        admit(&breakers, later).unwrap().record(Some(&CallError::Abandoned), later);
        assert_eq!(wait(&breakers, later), None, "another probe may be made");
    }

    #[test]
    fn what_was_under_way_when_it_opened_neither_prolongs_the_pause_nor_ends_the_probe() {
        let (breakers, begun) = (Breakers::new(BreakerPolicy::default()), Instant::now());
        let mut under_way: Vec<_> = (0..42).map(|_| admit(&breakers, begun).unwrap()).collect();
        for exchange in under_way.drain(2..) {
            exchange.record(Some(&CallError::TimedOut(1)), begun);
        }
        assert_eq!(wait(&breakers, begun), Some(Duration::from_secs(30)));
        let later = begun + Duration::from_secs(31);
        let probe = admit(&breakers, later).unwrap();
        under_way.pop().unwrap().record(Some(&CallError::TimedOut(1)), later);
        drop(under_way);
        assert_eq!(wait(&breakers, later), Some(Duration::ZERO), "the probe is still under way");
        probe.record(None, later);
        assert_eq!(wait(&breakers, later), None);
    }
}
