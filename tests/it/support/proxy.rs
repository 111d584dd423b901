//! Something between the program and its Postgres server, such as a network, that can be cut.

use std::io::{Read, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// When the network breaks: all connections at once, those made later hold.
#[derive(Debug, Clone, Copy)]
pub enum Cut {
    /// After so many bytes, both ways counted.
    AtByte(u64),
    /// The n-th COMMIT (from 1) does not arrive.
    BeforeCommit(u64),
    /// The n-th COMMIT arrives, and its answer does not.
    AfterCommit(u64),
}

#[derive(Debug, Default)]
struct State {
    bytes: u64,
    commits: u64,
    cut: Option<Cut>,
    /// Nothing gets through while it is closed.
    closed: bool,
    /// Connections stay open, and nothing is carried.
    frozen: bool,
    refused: u32,
    open: Vec<TcpStream>,
    /// The next answer of the server is lost with all connections.
    swallow: bool,
}

impl State {
    fn cut_all(&mut self) {
        self.cut = None;
        self.swallow = false;
        for stream in self.open.drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// Ends with the test's process.
#[derive(Debug, Clone)]
pub struct Proxy {
    url: String,
    state: Arc<Mutex<State>>,
}

impl Proxy {
    /// In front of the server of that URL.
    pub fn to(url: &str) -> Self {
        let mut url = url::Url::parse(url).unwrap();
        let server = SocketAddr::new(url.host_str().unwrap().parse().unwrap(), url.port().unwrap());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        url.set_port(Some(listener.local_addr().unwrap().port())).unwrap();
        let proxy = Self { url: url.into(), state: Arc::default() };
        let accepting = proxy.clone();
        std::thread::spawn(move || {
            for here in listener.incoming() {
                accepting.connect(here.unwrap(), server);
            }
        });
        proxy
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn cut(&self, cut: Cut) {
        self.state.lock().unwrap().cut = Some(cut);
    }

    /// Bytes and commits that came through.
    pub fn passed(&self) -> (u64, u64) {
        let state = self.state.lock().unwrap();
        (state.bytes, state.commits)
    }

    /// Carries nothing from now on, and ends no connection.
    pub fn freeze(&self) {
        self.state.lock().unwrap().frozen = true;
    }

    pub fn thaw(&self) {
        self.state.lock().unwrap().frozen = false;
    }

    /// Whether the cut that was asked for has been made.
    pub fn was_cut(&self) -> bool {
        self.state.lock().unwrap().cut.is_none()
    }

    /// Ends all connections and refuses new ones.
    pub fn close(&self) {
        let mut state = self.state.lock().unwrap();
        state.closed = true;
        state.cut_all();
    }

    pub fn open(&self) {
        self.state.lock().unwrap().closed = false;
    }

    /// Waits until so many have come to a closed door.
    #[track_caller]
    pub fn wait_for_refusals(&self, number: u32) {
        for _ in 0..1200 {
            if self.state.lock().unwrap().refused >= number {
                return;
            }
            std::thread::sleep(Duration::from_millis(25));
        }
        panic!("30 s have passed without {number} tries to connect");
    }

    fn connect(&self, here: TcpStream, server: SocketAddr) {
        let mut state = self.state.lock().unwrap();
        if state.closed {
            state.refused += 1;
            return;
        }
        let there = TcpStream::connect(server).unwrap();
        state.open.extend([here.try_clone().unwrap(), there.try_clone().unwrap()]);
        for (from, to, asking) in [(here.try_clone().unwrap(), there.try_clone().unwrap(), true), (there, here, false)]
        {
            let proxy = self.clone();
            std::thread::spawn(move || proxy.carry(from, to, asking));
        }
    }

    /// Carries bytes from one side to the other until either ends.
    fn carry(&self, mut from: TcpStream, mut to: TcpStream, asking: bool) {
        let mut buffer = [0; 16 * 1024];
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            if !self.lets_through(&buffer[..length], asking) || to.write_all(&buffer[..length]).is_err() {
                break;
            }
        }
        let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
    }

    fn lets_through(&self, bytes: &[u8], asking: bool) -> bool {
        let mut state = self.state.lock().unwrap();
        while state.frozen {
            drop(state);
            std::thread::sleep(Duration::from_millis(25));
            state = self.state.lock().unwrap();
        }
        state.bytes += bytes.len() as u64;
        let commits = asking && bytes.windows(7).any(|text| text == b"COMMIT\0");
        state.commits += u64::from(commits);
        let cut = match state.cut {
            Some(Cut::AtByte(limit)) => state.bytes >= limit,
            Some(Cut::BeforeCommit(number)) => commits && state.commits == number,
            Some(Cut::AfterCommit(number)) => {
                state.swallow |= commits && state.commits == number;
                state.swallow && !asking
            }
            None => false,
        };
        if cut {
            state.cut_all();
        }
        !cut
    }
}
