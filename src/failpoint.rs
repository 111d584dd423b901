//! Named places at which a test may kill this process, as the power of a person or of the kernel would.
//!
//! `AHA_FAILPOINT=name` kills at the first hit of that name, `name:N` at the N-th. Only debug builds look at it; in a
//! release build [`hit`] is empty. Called by the store right before and right after each commit.

#[cfg(debug_assertions)]
mod armed {
    use std::process::Command;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    #[derive(Debug, PartialEq, Eq)]
    pub(super) struct Failpoint {
        pub(super) name: String,
        /// The hit that kills, from 1.
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

    pub(super) fn hit(name: &str) {
        let armed = ARMED.get_or_init(|| std::env::var("AHA_FAILPOINT").ok().as_deref().and_then(Failpoint::parse));
        let Some(failpoint) = armed.as_ref().filter(|failpoint| failpoint.name == name) else { return };
        if HITS.fetch_add(1, Ordering::SeqCst) + 1 == failpoint.at_hit {
            die();
        }
    }

    /// SIGKILL, so that no destructor and no handler runs; `kill` because this crate forbids unsafe code.
    fn die() -> ! {
        let _ = Command::new("kill").args(["-9", &std::process::id().to_string()]).status();
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    }
}

/// Kills this process when `AHA_FAILPOINT` says so.
#[cfg(debug_assertions)]
pub fn hit(name: &str) {
    armed::hit(name);
}

#[cfg(not(debug_assertions))]
#[inline]
pub fn hit(_name: &str) {}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::armed::Failpoint;

    #[test]
    fn a_failpoint_names_the_hit_that_kills() {
        let at = |name: &str, at_hit| Some(Failpoint { name: name.to_owned(), at_hit });
        assert_eq!(Failpoint::parse("commit_fetch.before_commit"), at("commit_fetch.before_commit", 1));
        assert_eq!(Failpoint::parse("commit_fetch.after_commit:3"), at("commit_fetch.after_commit", 3));
        assert_eq!(Failpoint::parse(""), None);
        assert_eq!(Failpoint::parse("commit_fetch:0"), None);
        assert_eq!(Failpoint::parse("commit_fetch:often"), None);
    }
}
