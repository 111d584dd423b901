//! HTTP/1.1 by hand, so that it can also be done badly: in come bytes, out goes a [`Request`]; a [`Reply`] the other
//! way.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// A request, whole; header names in lower case.
#[derive(Debug)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

/// What is sent back and how it ends.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    pub after: Duration,
    pub end: End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Whole,
    /// Not a byte, and the connection stays open until the other side gives up.
    Silent,
    /// Half the body, then the same.
    Stall,
    /// Half the body, then the connection is closed.
    Cut,
    /// Half the body, then the connection is reset.
    Torn,
    /// All of the body, a byte at a time.
    Dripping,
    /// Not a byte, and the connection is reset.
    Reset,
}

/// The next request of a connection; none when the other side has hung up.
pub async fn read(stream: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let mut start = lines.first()?.split(' ').map(str::to_owned);
    let (method, path) = (start.next()?, start.next()?);
    let headers: HashMap<String, String> = lines[1..]
        .iter()
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(Request { method, path, headers, body })
}

/// Lets the time pass that a reply takes; false when the other side has hung up meanwhile.
pub async fn think(stream: &mut BufReader<TcpStream>, reply: &Reply) -> bool {
    tokio::select! {
        () = tokio::time::sleep(reply.after) => true,
        more = stream.fill_buf() => !more.is_ok_and(<[u8]>::is_empty),
    }
}

/// Sends a reply; whether the connection is good for another request.
pub async fn send(stream: &mut BufReader<TcpStream>, reply: &Reply) -> bool {
    if reply.end == End::Reset {
        let _ = stream.get_ref().set_zero_linger();
        return false;
    }
    if reply.end != End::Silent && write(stream, reply).await.is_err() {
        return false;
    }
    match reply.end {
        End::Whole | End::Dripping => true,
        End::Cut | End::Reset => false,
        End::Torn => {
            let _ = stream.get_ref().set_zero_linger();
            false
        }
        End::Silent | End::Stall => {
            while stream.read_u8().await.is_ok() {}
            false
        }
    }
}

async fn write(stream: &mut BufReader<TcpStream>, reply: &Reply) -> std::io::Result<()> {
    let mut head = format!("HTTP/1.1 {} X\r\n", reply.status);
    if reply.status != 204 {
        let _ = write!(head, "content-length: {}\r\n", reply.body.len());
    }
    for (name, value) in &reply.headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes()).await?;
    let sent = match reply.end {
        End::Whole | End::Dripping => reply.body.len(),
        _ => reply.body.len() / 2,
    };
    let piece = if reply.end == End::Dripping { 1 } else { sent.max(1) };
    for piece in reply.body[..sent].chunks(piece) {
        stream.write_all(piece).await?;
        stream.flush().await?;
        if reply.end == End::Dripping {
            tokio::task::yield_now().await;
        }
    }
    Ok(())
}
