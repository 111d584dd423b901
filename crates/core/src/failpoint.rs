//! Named places at which a test may kill or freeze this process, as the power of a person or of the kernel would; or have it panic.
//!
//! `AHA_FAILPOINT=name` strikes at the first hit of that name, `name:N` at the N-th; with `AHA_FAILPOINT_SIGNAL=STOP` it
//! freezes instead of killing, with `PANIC` it panics and shows what is at hand there. `AHA_FAILPOINT_LOG=FILE` writes the names that are passed, so that a test need not list
//! them. Only debug builds look at any of it; in a release build [`hit`] is empty. Called by the store right before and
//! right after each commit, by the stages, and around what is sent.

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
        /// The hit that strikes, from 1.
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
            strike(at_hand);
        }
    }

    /// By `kill`, because this crate forbids unsafe code. SIGKILL, so that no destructor and no handler runs; after
    /// SIGSTOP the process goes on here once it is woken.
    fn strike(at_hand: &dyn Debug) {
        let signal = std::env::var("AHA_FAILPOINT_SIGNAL").unwrap_or_else(|_| "KILL".to_owned());
        assert!(signal != "PANIC", "a failpoint struck: {at_hand:#?}");
        let sent = Command::new("kill").args([format!("-{signal}"), std::process::id().to_string()]).status();
        while sent.as_ref().is_ok_and(ExitStatus::success) && signal == "STOP" && stop_is_pending() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Whether SIGSTOP was sent and no thread has taken it yet: until one does, often the main thread, and it may wait for
    /// a processor, this thread would go on past the failpoint. The bits of `ShdPnd` are those of `proc_pid_status(5)`.
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

/// Kills or freezes this process when `AHA_FAILPOINT` says so.
#[cfg(debug_assertions)]
pub fn hit(name: &str) {
    armed::hit(name, &name);
}

/// The same, where a panic would show this, as an `unwrap` might.
#[cfg(debug_assertions)]
pub fn hit_showing(name: &str, at_hand: &dyn std::fmt::Debug) {
    armed::hit(name, at_hand);
}

#[cfg(not(debug_assertions))]
#[inline]
pub fn hit_showing(_name: &str, _at_hand: &dyn std::fmt::Debug) {}

#[cfg(not(debug_assertions))]
#[inline]
pub fn hit(_name: &str) {}

/// A pause that a test may shorten by naming its milliseconds in the environment; a release build keeps it.
#[cfg(debug_assertions)]
#[must_use]
pub fn pause(name: &str, usual: std::time::Duration) -> std::time::Duration {
    armed::number(name).map_or(usual, std::time::Duration::from_millis)
}

#[cfg(not(debug_assertions))]
#[inline]
#[must_use]
pub fn pause(_name: &str, usual: std::time::Duration) -> std::time::Duration {
    usual
}

/// A limit that a test sets in the environment; a release build has none.
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
    fn a_failpoint_names_the_hit_that_strikes() {
        let at = |name: &str, at_hit| Some(Failpoint { name: name.to_owned(), at_hit });
        assert_eq!(Failpoint::parse("commit_fetch.before_commit"), at("commit_fetch.before_commit", 1));
        assert_eq!(Failpoint::parse("commit_fetch.after_commit:3"), at("commit_fetch.after_commit", 3));
        assert_eq!(Failpoint::parse(""), None);
        assert_eq!(Failpoint::parse("commit_fetch:0"), None);
        assert_eq!(Failpoint::parse("commit_fetch:often"), None);
    }
}
