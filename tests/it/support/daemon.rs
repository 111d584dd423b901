//! A daemon that was started.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd as _;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::radar::{Radar, Ran, finish, signal};

/// An address on which nothing listens. Its port is below those that the system gives to connections and to listeners
/// without a port of their own, so that none of these takes it before the daemon does.
fn free_address() -> SocketAddr {
    const FIRST: u32 = 20_000;
    const PORTS: u32 = 12_000;
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let number = std::process::id().wrapping_mul(97).wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
        let port = u16::try_from(FIRST + number % PORTS).unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        if TcpListener::bind(address).is_ok() {
            return address;
        }
    }
}

/// A started daemon; killed with the value when the test has not ended it.
#[derive(Debug)]
pub struct Daemon {
    child: Option<Child>,
    address: SocketAddr,
}

impl Daemon {
    pub fn start(radar: &mut Radar) -> Self {
        Self::start_after("true", radar)
    }

    /// By a shell that first does something else.
    pub fn start_after(script: &str, radar: &mut Radar) -> Self {
        let address = free_address();
        radar.set("AHA_LISTEN", &address.to_string());
        let mut command = radar.command_after(script, &["daemon"]);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        Self { child: Some(child), address }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn process(&mut self) -> &mut Child {
        self.child.as_mut().unwrap()
    }

    /// What `/health` says, once it answers.
    pub fn health(&self) -> Option<Value> {
        let mut stream = TcpStream::connect(self.address).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        write!(stream, "GET /health HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", self.address).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        serde_json::from_str(answer.split_once("\r\n\r\n")?.1).ok()
    }

    /// Waits until `/health` is as wanted.
    #[track_caller]
    pub fn wait_for(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let mut last = None;
        for _ in 0..300 {
            last = self.health();
            if let Some(health) = last.as_ref().filter(|health| wanted(health)) {
                return health.clone();
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("30 s have passed and the daemon is not {what}: {last:?}; it said:\n{}", self.log_of_killed());
    }

    /// Kills it, and returns what it has written to its standard error.
    fn log_of_killed(&self) -> String {
        let child = self.child.as_ref().unwrap();
        signal(child, "KILL");
        let mut log = String::new();
        let stderr = child.stderr.as_ref().unwrap().as_fd().try_clone_to_owned().unwrap();
        File::from(stderr).read_to_string(&mut log).unwrap();
        log
    }

    /// Asks it to end and waits until it does.
    pub fn end(mut self) -> (Ran, Duration) {
        let begun = Instant::now();
        signal(self.process(), "TERM");
        (self.wait(), begun.elapsed())
    }

    /// Waits until it ends.
    pub fn wait(mut self) -> Ran {
        finish(self.child.take().unwrap())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
