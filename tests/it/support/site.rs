//! A server of pages that was started, and requests to it as they stand on the wire.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use super::radar::{Radar, signal};

/// A started `aha-radar serve`, which ends with the value; or one that something else has started.
#[derive(Debug)]
pub struct Site {
    child: Option<Child>,
    pub address: SocketAddr,
}

/// An answer: its status, headers in lower case, and body.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: HashMap<String, String>,
    /// The values of `Set-Cookie` up to their first semicolon.
    pub cookies: Vec<String>,
    pub body: String,
}

impl Site {
    pub fn start(radar: &mut Radar) -> Self {
        Self::start_telling(radar, Stdio::null())
    }

    /// With its log in a file.
    pub fn start_with_log(radar: &mut Radar, log: &Path) -> Self {
        Self::start_telling(radar, std::fs::File::create(log).unwrap().into())
    }

    fn start_telling(radar: &mut Radar, stderr: Stdio) -> Self {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        radar.set("AHA_LISTEN", &address.to_string());
        let mut command = radar.command(&["serve"]);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr).spawn().unwrap();
        let site = Self { child: Some(child), address };
        for _ in 0..300 {
            if TcpStream::connect(address).is_ok() {
                return site;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("the server does not answer at {address}");
    }

    /// The pages of a daemon.
    pub fn at(address: SocketAddr) -> Self {
        Self { child: None, address }
    }

    /// Sends a request; `Host` and the body's length are added where they are not among the headers.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        Reply::receive(self.begin(method, path, headers, body))
    }

    /// Sends a request as [`Site::send`] does, and returns the connection on which its answer arrives.
    pub fn begin(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let is_named = |name: &str| headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
        let mut request = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        if !is_named("host") {
            write!(request, "host: {}\r\n", self.address).unwrap();
        }
        for (name, value) in headers {
            write!(request, "{name}: {value}\r\n").unwrap();
        }
        write!(request, "content-length: {}\r\n\r\n{body}", body.len()).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    pub fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], "")
    }

    /// Sends a form with the cookies and the token of a page that was read before.
    pub fn post_form(&self, path: &str, from: &Reply, fields: &str) -> Reply {
        let (cookies, token) = (from.cookies.join("; "), from.token());
        let headers = [("content-type", "application/x-www-form-urlencoded"), ("cookie", cookies.as_str())];
        self.send("POST", path, &headers, &format!("csrf={token}&{fields}"))
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            signal(child, "TERM");
            let _ = child.wait();
        }
    }
}

impl Reply {
    /// Waits for the answer on a connection.
    pub fn receive(mut connection: TcpStream) -> Self {
        let mut answer = Vec::new();
        connection.read_to_end(&mut answer).unwrap();
        Self::read(&String::from_utf8_lossy(&answer))
    }

    fn read(answer: &str) -> Self {
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((answer, ""));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|code| code.parse().ok());
        let (mut headers, mut cookies) = (HashMap::new(), Vec::new());
        for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
            if name.eq_ignore_ascii_case("set-cookie") {
                cookies.push(value.split(';').next().unwrap().to_owned());
            }
            headers.insert(name.to_lowercase(), value.to_owned());
        }
        Self {
            status: status.unwrap_or_else(|| panic!("no answer: {answer:?}")),
            headers,
            cookies,
            body: body.to_owned(),
        }
    }

    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// What the page's forms carry.
    #[track_caller]
    pub fn token(&self) -> &str {
        let (_, rest) = self.body.split_once("name=\"csrf\" value=\"").unwrap_or_else(|| panic!("no form in {self:?}"));
        rest.split('"').next().unwrap()
    }
}
