//! Circuit breakers: after repeated failures a server is not called for a while. A single probe then checks whether it
//! is back.
//!
//! Input: the outcome of each exchange. Output: whether the next one may begin. There is one breaker per [`Account`];
//! breakers live as long as the process.

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
    servers: Mutex<BTreeMap<Account, Server>>,
}

#[derive(Debug, Default)]
struct Server {
    /// Consecutive failures.
    failures: u32,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    until: Instant,
    pause: Duration,
    /// Whether a probe is under way.
    is_probing: bool,
    why: String,
}

/// A call refused because the breaker is open.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("its server failed repeatedly and is paused for {} s more; the last failure: {why}", wait.as_secs() + 1)]
pub struct Refused {
    /// Remaining time.
    pub wait: Duration,
    /// The last failure.
    pub why: String,
}

impl Breakers {
    #[must_use]
    pub fn new(policy: BreakerPolicy) -> Self {
        Self { policy, servers: Mutex::default() }
    }

    /// Lets an exchange with a server begin. If it is dropped without an outcome, it counts as not having taken place.
    ///
    /// # Errors
    /// When the breaker is open: for how long, and why.
    pub fn admit<'b>(&'b self, account: &'b Account, now: Instant) -> Result<BreakerPermit<'b>, Refused> {
        let mut servers = self.servers();
        let mut is_probe = false;
        if let Some(open) = servers.get_mut(account).and_then(|server| server.open.as_mut()) {
            if now < open.until || open.is_probing {
                return Err(Refused { wait: open.until.saturating_duration_since(now), why: open.why.clone() });
            }
            open.is_probing = true;
            is_probe = true;
        }
        Ok(BreakerPermit { breakers: self, account, is_probe })
    }

    /// Returns the accounts whose breakers are open, and the remaining time of each.
    #[must_use]
    pub fn open(&self, now: Instant) -> Vec<(Account, Refused)> {
        let servers = self.servers();
        let open = servers.iter().filter_map(|(account, server)| Some((account, server.open.as_ref()?)));
        open.map(|(account, open)| {
            let wait = open.until.saturating_duration_since(now);
            (account.clone(), Refused { wait, why: open.why.clone() })
        })
        .collect()
    }

    fn servers(&self) -> MutexGuard<'_, BTreeMap<Account, Server>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An exchange that may take place.
#[derive(Debug)]
#[must_use]
pub struct BreakerPermit<'b> {
    breakers: &'b Breakers,
    account: &'b Account,
    /// Whether it is to show that the server is back. Nothing else is admitted until it ends.
    is_probe: bool,
}

impl BreakerPermit<'_> {
    /// Records the outcome. An answer, good or bad, and a refusal show that the server is available. An exchange that
    /// this program ended shows nothing.
    pub fn record(mut self, failure: Option<&CallError>, now: Instant) {
        if matches!(failure, Some(CallError::Abandoned)) {
            return;
        }
        let is_probe = std::mem::take(&mut self.is_probe);
        let (mut servers, policy) = (self.breakers.servers(), self.breakers.policy);
        let Some(error) = failure.filter(|error| is_server_fault(error)) else {
            servers.remove(self.account);
            return;
        };
        let known = servers.entry(self.account.clone()).or_default();
        known.failures = known.failures.saturating_add(1);
        let pause = match &known.open {
            Some(open) if is_probe => (open.pause * 2).min(policy.max_pause),
            // Exchanges that began before the breaker opened are no new evidence.
            Some(_) => return,
            None if known.failures < policy.failures => return,
            None => policy.pause,
        };
        tracing::warn!(server = %self.account, %error, pause_s = pause.as_secs(), "the server is paused");
        known.open = Some(Open { until: now + pause, pause, is_probing: false, why: error.to_string() });
    }
}

impl Drop for BreakerPermit<'_> {
    fn drop(&mut self) {
        if !self.is_probe {
            return;
        }
        if let Some(open) = self.breakers.servers().get_mut(self.account).and_then(|server| server.open.as_mut()) {
            open.is_probing = false;
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

    fn failing(breakers: &Breakers, times: u32, now: Instant) {
        for _ in 0..times {
            breakers.admit(&ACCOUNT, now).unwrap().record(Some(&CallError::TimedOut(1)), now);
        }
    }

    fn wait(breakers: &Breakers, now: Instant) -> Option<Duration> {
        breakers.admit(&ACCOUNT, now).err().map(|refused| refused.wait)
    }

    #[test]
    fn it_opens_after_failures_in_a_row_and_asks_once_whether_the_server_is_back() {
        let (breakers, begun) = (Breakers::new(BreakerPolicy::default()), Instant::now());
        let after = |seconds| begun + Duration::from_secs(seconds);
        failing(&breakers, 4, begun);
        breakers.admit(&ACCOUNT, begun).unwrap().record(Some(&CallError::Invalid(String::new())), begun);
        failing(&breakers, 4, begun);
        assert_eq!(wait(&breakers, begun), None, "an answer in between, however bad, counts");
        failing(&breakers, 1, begun);
        let refused = breakers.admit(&ACCOUNT, after(10)).unwrap_err();
        assert_eq!((refused.wait, refused.why.as_str()), (Duration::from_secs(20), "no answer came within 1 s"));
        assert_eq!(breakers.open(after(10)).len(), 1);
        assert!(breakers.admit(&account("another key"), begun).is_ok());

        let probe = breakers.admit(&ACCOUNT, after(31)).unwrap();
        assert!(breakers.admit(&ACCOUNT, after(31)).is_err(), "one alone");
        probe.record(Some(&CallError::TimedOut(1)), after(32));
        assert_eq!(wait(&breakers, after(33)), Some(Duration::from_secs(59)), "twice as long");
        breakers.admit(&ACCOUNT, after(92)).unwrap().record(None, after(93));
        let both = (breakers.admit(&ACCOUNT, after(93)), breakers.admit(&ACCOUNT, after(93)));
        assert!(both.0.is_ok() && both.1.is_ok());
        assert_eq!(breakers.open(after(93)), []);
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
        drop(breakers.admit(&ACCOUNT, later).unwrap());
        assert_eq!(wait(&breakers, later), None);
    }

    #[test]
    fn an_abandoned_exchange_says_nothing_about_the_server() {
        let (breakers, begun) = (Breakers::new(BreakerPolicy::default()), Instant::now());
        for _ in 0..9 {
            breakers.admit(&ACCOUNT, begun).unwrap().record(Some(&CallError::Abandoned), begun);
        }
        assert_eq!(wait(&breakers, begun), None);
        failing(&breakers, 5, begun);
        let later = begun + Duration::from_secs(31);
        breakers.admit(&ACCOUNT, later).unwrap().record(Some(&CallError::Abandoned), later);
        assert_eq!(wait(&breakers, later), None, "another probe may be made");
    }

    #[test]
    fn what_was_under_way_when_it_opened_neither_prolongs_the_pause_nor_ends_the_probe() {
        let (breakers, begun) = (Breakers::new(BreakerPolicy::default()), Instant::now());
        let mut under_way: Vec<_> = (0..42).map(|_| breakers.admit(&ACCOUNT, begun).unwrap()).collect();
        for exchange in under_way.drain(2..) {
            exchange.record(Some(&CallError::TimedOut(1)), begun);
        }
        assert_eq!(wait(&breakers, begun), Some(Duration::from_secs(30)));
        let later = begun + Duration::from_secs(31);
        let probe = breakers.admit(&ACCOUNT, later).unwrap();
        under_way.pop().unwrap().record(Some(&CallError::TimedOut(1)), later);
        drop(under_way);
        assert_eq!(wait(&breakers, later), Some(Duration::ZERO), "the probe is still under way");
        probe.record(None, later);
        assert_eq!(wait(&breakers, later), None);
    }
}
