//! The built binary with a database, an output folder and a clock of its own.

use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use super::{postgres, rows};

const PROGRAM: &str = env!("CARGO_BIN_EXE_aha-radar");

/// Which kind of database an installation keeps its rows in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
}

/// One owner's installation in a folder that goes with the value.
#[derive(Debug)]
pub struct Radar {
    folder: TempDir,
    settings: Vec<(String, String)>,
    /// The address of a Postgres database that goes with the value, too; without one the rows are in a file.
    server: Option<String>,
}

impl Drop for Radar {
    fn drop(&mut self) {
        if let Some(url) = self.server.take() {
            rows::block_on(|| async move { postgres::remove(&url).await });
        }
    }
}

/// How a process ended and what it said.
#[derive(Debug)]
pub struct Ran {
    /// `None` when a signal ended it.
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            signal: output.status.signal(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ran {
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    #[track_caller]
    pub fn says(self, text: &str) -> Self {
        assert!(self.stderr.contains(text) || self.stdout.contains(text), "{text:?} is missing in {self:#?}");
        self
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}

impl Radar {
    /// With the clock at `now` (RFC 3339).
    pub fn at(now: &str) -> Self {
        Self { folder: tempfile::tempdir().unwrap(), settings: Vec::new(), server: None }.with("AHA_NOW", now)
    }

    /// With its rows in a database of that kind: a file that the first command makes, or a migrated one on the server.
    pub fn on(mut self, engine: Engine) -> Self {
        self.server = match engine {
            Engine::Sqlite => None,
            Engine::Postgres => Some(rows::block_on(postgres::fresh_database)),
        };
        self
    }

    /// With its rows in a database of that kind that nothing has migrated yet.
    pub fn on_empty(mut self, engine: Engine) -> Self {
        self.server = match engine {
            Engine::Sqlite => None,
            Engine::Postgres => Some(rows::block_on(postgres::empty_database)),
        };
        self
    }

    /// With a setting, which takes the place of an earlier one.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.set(name, value);
        self
    }

    pub fn set(&mut self, name: &str, value: &str) {
        self.settings.retain(|(known, _)| known != name);
        self.settings.push((name.to_owned(), value.to_owned()));
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn database(&self) -> PathBuf {
        self.folder().join("aha-radar.db")
    }

    pub fn database_url(&self) -> String {
        self.server.clone().unwrap_or_else(|| format!("sqlite://{}", self.database().display()))
    }

    /// Where its digests are written.
    pub fn output(&self) -> PathBuf {
        self.folder().join("digests")
    }

    /// A command that inherits nothing of the test's environment.
    pub fn command(&self, arguments: &[&str]) -> Command {
        self.settle(Command::new(PROGRAM), arguments)
    }

    /// The same by a shell that first gives way to `script`, in which `"$0" "$@"` is the command.
    pub fn command_after(&self, script: &str, arguments: &[&str]) -> Command {
        let mut shell = Command::new("bash");
        shell.args(["-c", &format!("{script}; exec \"$0\" \"$@\""), PROGRAM]);
        self.settle(shell, arguments)
    }

    fn settle(&self, mut command: Command, arguments: &[&str]) -> Command {
        command.args(arguments).current_dir(self.folder()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("DATABASE_URL", self.database_url()).env("AHA_OUTPUT_DIR", self.output());
        // A busy machine may be late with an answer, which is not what a test asks about.
        command.env("AHA_ANSWER_MS", "60000");
        // Mock servers are on this machine, where one call at a time is usual.
        command.env("AHA_LLM_CONCURRENCY", "4");
        // So that a run that waits for a model's server does not wait for long.
        command.env("AHA_CIRCUIT_PAUSE_MS", "500");
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.command(arguments).stdin(Stdio::null()).output().unwrap().into()
    }

    /// Starts a process that the test waits for with [`finish`].
    pub fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Runs a command that has to exit with 0, and returns its standard output.
    #[track_caller]
    pub fn ok(&self, arguments: &[&str]) -> String {
        self.run(arguments).exits(0).stdout
    }

    #[track_caller]
    pub fn json(&self, arguments: &[&str]) -> Value {
        self.run(arguments).exits(0).json()
    }

    /// The latest digest.
    #[track_caller]
    pub fn digest(&self) -> Value {
        self.json(&["digest", "latest", "--json"])
    }

    /// Adds feeds as sources of the default topic.
    #[track_caller]
    pub fn add(&self, locations: &[&str]) {
        self.ok(&[&["source", "add", "--as-is"], locations].concat());
    }

    /// Contents of the files written for the topic `default`, by name.
    pub fn files(&self) -> Vec<(String, String)> {
        let folder = self.output().join("default");
        let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
        let paths = entries.map(|entry| entry.unwrap().path());
        let mut files: Vec<(String, String)> =
            paths.map(|path| (name_of(&path), std::fs::read_to_string(&path).unwrap())).collect();
        files.sort();
        files
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// Waits for a started process.
pub fn finish(child: Child) -> Ran {
    child.wait_with_output().unwrap().into()
}

/// Waits until a process stands still, as after SIGSTOP. Whether it does; else it has ended.
pub fn stands_still(child: &mut Child) -> bool {
    let stat = format!("/proc/{}/stat", child.id());
    for _ in 0..2400 {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        let state = std::fs::read_to_string(&stat).unwrap();
        if state[state.rfind(')').unwrap()..].starts_with(") T") {
            return true;
        }
        std::thread::sleep(std::time::Duration::from_millis(25));
    }
    panic!("60 s have passed and process {} neither stands still nor has ended", child.id());
}

/// Sends a signal by its name.
#[track_caller]
pub fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([format!("-{name}"), child.id().to_string()]).status().unwrap();
    assert!(sent.success(), "SIG{name} could not be sent");
}

/// All files of a folder and of those in it.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files
}

/// A file of this repository.
pub fn repository(path: &str) -> String {
    format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))
}
