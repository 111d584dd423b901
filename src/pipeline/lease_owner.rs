//! The owner of a lease, in a text form from which another process on the same machine can tell whether the owner is
//! still running.

use std::{fmt, io};

/// A process: host, process id, start time, and the pid namespace of the id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseOwner {
    host: String,
    pid: u32,
    /// Clock ticks since boot at which the process started, with the boot's id; empty if the system does not report
    /// them.
    started: String,
    namespace: String,
}

impl LeaseOwner {
    /// This process.
    #[must_use]
    pub fn current() -> Self {
        let pid = std::process::id();
        Self { host: hostname(), pid, started: started(pid).ok().flatten().unwrap_or_default(), namespace: namespace() }
    }

    /// Whether `text` is a process of this machine and pid namespace that has ended. Returns false if unsure.
    #[must_use]
    pub fn is_dead(&self, text: &str) -> bool {
        let Some(other) = Self::parse(text) else { return false };
        let comparable = other.host == self.host
            && !self.namespace.is_empty()
            && other.namespace == self.namespace
            && !other.started.is_empty()
            && !self.started.is_empty();
        comparable && matches!(started(other.pid), Ok(now) if now.as_ref() != Some(&other.started))
    }

    /// Returns host and process id of an owner, for display.
    #[must_use]
    pub fn short(text: &str) -> String {
        text.split(' ').take(2).collect::<Vec<_>>().join(" ")
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(' ');
        let host = parts.next()?.to_owned();
        let mut field = |name: &str| parts.next()?.strip_prefix(name).map(str::to_owned);
        let pid = field("pid:")?.parse().ok()?;
        Some(Self { host, pid, started: field("start:")?, namespace: field("ns:")? })
    }
}

impl fmt::Display for LeaseOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} pid:{} start:{} ns:{}", self.host, self.pid, self.started, self.namespace)
    }
}

fn hostname() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname")
        .ok()
        .or_else(|| std::env::var("HOSTNAME").ok())
        .unwrap_or_default();
    let name: String = name.trim().chars().filter(|c| !c.is_whitespace()).collect();
    if name.is_empty() { "unknown-host".to_owned() } else { name }
}

/// The first process, which always lives.
const FIRST: u32 = 1;

/// Returns the start time of a living process (field 22 of /proc/PID/stat, proc(5)) within this boot; `None` if there
/// is no such process.
///
/// # Errors
/// When that cannot be said, as where /proc hides other users' processes (`hidepid`).
fn started(pid: u32) -> io::Result<Option<String>> {
    match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => Ok(start_time(&stat)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            std::fs::read_to_string(format!("/proc/{FIRST}/stat"))?;
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn start_time(stat: &str) -> Option<String> {
    // The command name in field 2 may contain spaces and parentheses, so fields are counted after the last parenthesis.
    let after_name = &stat[stat.rfind(')')? + 1..];
    let mut fields = after_name.split_ascii_whitespace();
    let state = fields.next()?;
    if state == "Z" || state == "X" {
        return None;
    }
    let ticks = fields.nth(18)?;
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(format!("{ticks}@{}", boot.trim().get(..8)?))
}

fn namespace() -> String {
    std::fs::read_link("/proc/self/ns/pid").map(|link| link.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_alive_and_other_hosts_are_unknown() {
        let me = LeaseOwner::current();
        assert!(!me.is_dead(&me.to_string()));
        let elsewhere = LeaseOwner { host: "another-host".into(), pid: 1, ..me.clone() };
        assert!(!me.is_dead(&elsewhere.to_string()));
        assert!(!me.is_dead("nonsense"));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn an_ended_process_is_dead() {
        let me = LeaseOwner::current();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = child.id();
        child.wait().unwrap();
        let gone = LeaseOwner { pid, started: format!("1@{}", me.started.rsplit('@').next().unwrap()), ..me.clone() };
        assert!(me.is_dead(&gone.to_string()));
    }
}
