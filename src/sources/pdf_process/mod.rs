//! Reads each PDF in a process of its own: the library that reads it has no deadline, and a crafted file can make it
//! loop, use up the memory or end the process.
//!
//! Input: the bytes of a file. Output: the document, without its status, or why it was not read. Called by
//! [`super::documents`]. The process is this program with a hidden command ([`child`]); it gets the file on standard
//! input, and nothing else: no path, no environment.

pub mod child;
#[cfg(test)]
mod tests;

use std::io::{self, Read as _, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use aha_content::documents::{Document, DocumentStatus, Passage};
use aha_core::failpoint;
use rustix::process::Signal;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tokio_util::sync::CancellationToken;

const COMMAND: &str = "read-pdf";
/// The running program, also after another file has taken its place.
const RUNNING_PROGRAM: &str = "/proc/self/exe";
/// As messages and docs/ASK.md say.
const DEADLINE: Duration = Duration::from_mins(1);
/// How soon a process is ended after its answer is no longer wanted.
const STOP_POLL: Duration = Duration::from_millis(50);
/// Maximum length of an answer: twice that of the text that is read of a document.
const MAX_ANSWER_BYTES: u64 = 16 * 1024 * 1024;

/// Why a PDF was not read.
#[derive(Debug, Error)]
pub(super) enum PdfError {
    /// By its reader, for this reason.
    #[error("{0}")]
    Refused(String),
    #[error("it takes too long to read (over {} s); split it, or export it as text", DEADLINE.as_secs())]
    TooLong,
    #[error("it has more than {} MB of text; split it", MAX_ANSWER_BYTES / 1024 / 1024)]
    TooMuchText,
    #[error("it takes more memory than a document may (1 GiB) or broke its reader; export it again, or as text")]
    Broken,
    #[error("the process that was reading it was asked to stop; the next run reads it")]
    Stopped,
    #[error(
        "no process could read it ({0}); check that this program may start itself, and the limits on processes and \
         memory; the next run tries again"
    )]
    NotRun(#[source] io::Error),
}

impl PdfError {
    /// Whether the file is the reason, so that reading it again would fail again.
    pub(super) const fn is_of_file(&self) -> bool {
        match self {
            Self::Refused(_) | Self::TooLong | Self::TooMuchText | Self::Broken => true,
            Self::Stopped | Self::NotRun(_) => false,
        }
    }
}

/// What the process writes to standard output: the text, or the whole reason why the file cannot be read.
type Answer = Result<Text, String>;

#[derive(Debug, Serialize, Deserialize)]
struct Text {
    title: Option<String>,
    /// Section and text of each passage.
    passages: Vec<(String, String)>,
}

impl From<Document> for Text {
    fn from(document: Document) -> Self {
        let passages = document.passages.into_iter().map(|passage| (passage.section, passage.text)).collect();
        Self { title: document.title, passages }
    }
}

impl From<Text> for Document {
    fn from(text: Text) -> Self {
        let passages = text.passages.into_iter().map(|(section, text)| Passage { section, text }).collect();
        Self { title: text.title, passages, status: DocumentStatus::default() }
    }
}

/// Starts the processes: which program, and how long each may take.
#[derive(Debug, Clone)]
pub struct PdfReader {
    program: PathBuf,
    arguments: Vec<String>,
    deadline: Duration,
}

impl PdfReader {
    /// The program that is running.
    #[must_use]
    pub fn of_this_program() -> Self {
        let running = PathBuf::from(RUNNING_PROGRAM);
        let program = if running.exists() { running } else { std::env::current_exe().unwrap_or(running) };
        Self { program, arguments: vec![COMMAND.to_owned()], deadline: failpoint::pause("AHA_PDF_MS", DEADLINE) }
    }

    /// A shell that runs a script in the place of the program.
    #[cfg(test)]
    pub(super) fn of_script(script: &str, deadline: Duration) -> Self {
        Self { program: PathBuf::from("/bin/sh"), arguments: vec!["-c".to_owned(), script.to_owned()], deadline }
    }

    /// Reads a PDF, without its status. Blocks until the process has answered, or was ended at the deadline or because
    /// of `stop`.
    pub(super) fn read(&self, bytes: &[u8], stop: &CancellationToken) -> Result<Document, PdfError> {
        let mut process = Process(self.start().map_err(PdfError::NotRun)?);
        let (answer, status) = process.exchange(bytes, self.deadline, stop).map_err(PdfError::NotRun)?;
        let answer = match answer {
            Some(answer) => answer,
            None if stop.is_cancelled() => return Err(PdfError::Stopped),
            None => return Err(PdfError::TooLong),
        };
        if answer.len() as u64 > MAX_ANSWER_BYTES {
            return Err(PdfError::TooMuchText);
        }
        let answer: Answer = serde_json::from_slice(&answer).map_err(|_| without_answer(status))?;
        answer.map(Document::from).map_err(PdfError::Refused)
    }

    fn start(&self) -> io::Result<Child> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).env_clear();
        // Neither a panic of the library nor what it logs is shown: the document is reported.
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // Ctrl-C at a terminal is meant for this process, which ends at its next safe point.
        command.process_group(0);
        if self.program == Path::new(RUNNING_PROGRAM) {
            // `ps` shows it.
            command.arg0("aha-radar");
        }
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", self.program.display()));
        command.spawn().map_err(named)
    }
}

/// Returns why a process that has ended gave no answer.
fn without_answer(status: ExitStatus) -> PdfError {
    let is_one_of = |signals: &[Signal]| signals.iter().any(|signal| status.signal() == Some(signal.as_raw()));
    if is_one_of(&[Signal::XCPU]) {
        PdfError::TooLong
    } else if is_one_of(&[Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT]) {
        // As a service manager does that stops all processes of a service at once.
        PdfError::Stopped
    } else {
        PdfError::Broken
    }
}

/// Waits for what a thread sends, until the deadline or the stop.
fn receive<T>(from: &Receiver<T>, deadline: Duration, stop: &CancellationToken) -> Result<T, RecvTimeoutError> {
    let begun = Instant::now();
    loop {
        let left = deadline.saturating_sub(begun.elapsed());
        match from.recv_timeout(left.min(STOP_POLL)) {
            Err(RecvTimeoutError::Timeout) if left > STOP_POLL && !stop.is_cancelled() => {}
            received => return received,
        }
    }
}

/// A process that is killed and waited for when the value is dropped.
#[derive(Debug)]
struct Process(Child);

impl Process {
    /// Writes the file and reads the answer, at the same time because a pipe holds little. Returns the answer, which is
    /// cut behind its maximum length, or `None` at the deadline or the stop; and how the process ended.
    fn exchange(
        &mut self,
        bytes: &[u8],
        deadline: Duration,
        stop: &CancellationToken,
    ) -> io::Result<(Option<Vec<u8>>, ExitStatus)> {
        let missing = || io::Error::other("it has no pipes");
        let mut stdin = self.0.stdin.take().ok_or_else(missing)?;
        let stdout = self.0.stdout.take().ok_or_else(missing)?;
        let (answer_tx, answer_rx) = mpsc::channel();
        std::thread::scope(|threads| -> io::Result<(Option<Vec<u8>>, ExitStatus)> {
            let write = move || {
                // A process that ends early says why by its answer, or by how it ended.
                let _ = stdin.write_all(bytes);
            };
            let read = move || {
                let mut answer = Vec::new();
                let read = stdout.take(MAX_ANSWER_BYTES + 1).read_to_end(&mut answer);
                // The receiver outlives this thread.
                let _ = answer_tx.send(read.map(|_| answer));
            };
            let writing = Builder::new().spawn_scoped(threads, write);
            let reading = writing.and_then(|_| Builder::new().spawn_scoped(threads, read));
            let answer = reading.map(|_| receive(&answer_rx, deadline, stop));
            // This closes the pipes, which ends both threads. If the process has ended, it stays ended as it was.
            let status = self.end()?;
            match answer? {
                Ok(answer) => Ok((Some(answer?), status)),
                Err(RecvTimeoutError::Timeout) => Ok((None, status)),
                Err(RecvTimeoutError::Disconnected) => Err(io::Error::other("its answer was not received")),
            }
        })
    }

    fn end(&mut self) -> io::Result<ExitStatus> {
        // It fails if the process has ended.
        let _ = self.0.kill();
        self.0.wait()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.end();
    }
}
