//! Named points at which a test may kill or freeze this process, as a user or the kernel could, or make it panic.
//!
//! `AHA_FAILPOINT=name` triggers at the first hit of that name, `name:N` at the N-th. With `AHA_FAILPOINT_SIGNAL=STOP`
//! it freezes instead of killing; with `PANIC` it panics and prints the value passed to the failpoint.
//! `AHA_FAILPOINT_LOG=FILE` appends the names of all failpoints passed, so that a test need not list them. Only debug
//! builds read these variables; in a release build [`hit`] is empty. Callers: the store right before and after each
//! commit, the stages, and the code around outgoing requests.

#[cfg(debug_assertions)]
mod armed {
    use std::fmt::Debug;
    use std::fs::OpenOptions;
    use std::io::Write as _;
    use std::process::{Command, ExitStatus};
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    #[derive(Debug, PartialEq, Eq)]
    pub(super) struct Failpoint {
        pub(super) name: String,
        /// The hit that triggers, from 1.
        pub(super) at_hit: u32,
    }

    impl Failpoint {
        pub(super) fn parse(text: &str) -> Option<Self> {
            let (name, at_hit) = match text.rsplit_once(':') {
                Some((name, count)) => (name, count.parse().ok()?),
                None => (text, 1),
            };
            (!name.is_empty() && at_hit > 0).then(|| Self { name: name.to_owned(), at_hit })
        }
    }

    static ARMED: OnceLock<Option<Failpoint>> = OnceLock::new();
    static HITS: AtomicU32 = AtomicU32::new(0);

    pub(super) fn hit(name: &str, at_hand: &dyn Debug) {
        if let Ok(file) = std::env::var("AHA_FAILPOINT_LOG") {
            let log = OpenOptions::new().append(true).create(true).open(file);
            let _ = log.and_then(|mut log| log.write_all(format!("{name}\n").as_bytes()));
        }
        let armed = ARMED.get_or_init(|| std::env::var("AHA_FAILPOINT").ok().as_deref().and_then(Failpoint::parse));
        let Some(failpoint) = armed.as_ref().filter(|failpoint| failpoint.name == name) else { return };
        if HITS.fetch_add(1, Ordering::SeqCst) + 1 == failpoint.at_hit {
            trigger(at_hand);
        }
    }

    /// Sends the signal with `kill`, because this crate forbids unsafe code. SIGKILL runs no destructor and no handler.
    /// After SIGSTOP the process continues here once it is resumed.
    fn trigger(at_hand: &dyn Debug) {
        let signal = std::env::var("AHA_FAILPOINT_SIGNAL").unwrap_or_else(|_| "KILL".to_owned());
        assert!(signal != "PANIC", "a failpoint struck: {at_hand:#?}");
        let sent = Command::new("kill").args([format!("-{signal}"), std::process::id().to_string()]).status();
        while sent.as_ref().is_ok_and(ExitStatus::success) && signal == "STOP" && stop_is_pending() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Whether SIGSTOP was sent but no thread has handled it yet. Until a thread (often the main thread, which may be
    /// waiting for a processor) handles it, this thread would run past the failpoint. The bits of `ShdPnd` are
    /// documented in `proc_pid_status(5)`.
    fn stop_is_pending() -> bool {
        const SIGSTOP_BIT: u64 = 1 << 18;
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let pending = status.lines().find_map(|line| line.strip_prefix("ShdPnd:"));
        pending.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).is_some_and(|bits| bits & SIGSTOP_BIT != 0)
    }

    pub(super) fn number(name: &str) -> Option<u64> {
        std::env::var(name).ok()?.parse().ok()
    }
}

/// Kills or freezes this process if `AHA_FAILPOINT` requests it here.
#[cfg(debug_assertions)]
pub fn hit(name: &str) {
    armed::hit(name, &name);
}

/// Like [`hit`], but a panic prints `at_hand`, as an `unwrap` might.
#[cfg(debug_assertions)]
pub fn hit_with(name: &str, at_hand: &dyn std::fmt::Debug) {
    armed::hit(name, at_hand);
}

#[cfg(not(debug_assertions))]
#[inline]
pub fn hit_with(_name: &str, _at_hand: &dyn std::fmt::Debug) {}

#[cfg(not(debug_assertions))]
#[inline]
pub fn hit(_name: &str) {}

/// Returns a pause that a test may shorten by setting the named variable in milliseconds. A release build always
/// returns the default.
#[cfg(debug_assertions)]
#[must_use]
pub fn pause(name: &str, default_pause: std::time::Duration) -> std::time::Duration {
    armed::number(name).map_or(default_pause, std::time::Duration::from_millis)
}

#[cfg(not(debug_assertions))]
#[inline]
#[must_use]
pub fn pause(_name: &str, default_pause: std::time::Duration) -> std::time::Duration {
    default_pause
}

/// Returns a limit that a test sets in the environment; `None` in a release build.
#[cfg(debug_assertions)]
#[must_use]
pub fn limit(name: &str) -> Option<u64> {
    armed::number(name)
}

#[cfg(not(debug_assertions))]
#[inline]
#[must_use]
pub fn limit(_name: &str) -> Option<u64> {
    None
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::armed::Failpoint;

    #[test]
    fn a_failpoint_triggers_at_the_given_hit() {
        let at = |name: &str, at_hit| Some(Failpoint { name: name.to_owned(), at_hit });
        assert_eq!(Failpoint::parse("commit_fetch.before_commit"), at("commit_fetch.before_commit", 1));
        assert_eq!(Failpoint::parse("commit_fetch.after_commit:3"), at("commit_fetch.after_commit", 3));
        assert_eq!(Failpoint::parse(""), None);
        assert_eq!(Failpoint::parse("commit_fetch:0"), None);
        assert_eq!(Failpoint::parse("commit_fetch:often"), None);
    }
}
