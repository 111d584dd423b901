//! The process that reads one PDF. Input: the bytes of the file on standard input. Output: an `Answer` as JSON on
//! standard output. Called by the command line; started by [`super::PdfReader`].

use std::io::{Read, Result, Write};

use aha_content::documents::{DocumentError, MAX_DOCUMENT_BYTES, read_pdf};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::{Answer, Text};

/// Maximum address space, in bytes.
const MAX_MEMORY: u64 = 1024 * 1024 * 1024;
/// Maximum time on a processor, in seconds: a process whose parent was killed ends, too.
const MAX_CPU_SECONDS: u64 = 60;

/// Limits this process, then reads the file and answers.
///
/// # Errors
/// When the file cannot be read from the pipe, or nobody reads the answer any more.
pub fn run() -> Result<()> {
    limit_resources();
    end_before_parent();
    answer(std::io::stdin().lock(), &mut std::io::stdout().lock())
}

fn answer(input: impl Read, output: &mut impl Write) -> Result<()> {
    let mut bytes = Vec::new();
    input.take(MAX_DOCUMENT_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    let read = if bytes.len() > MAX_DOCUMENT_BYTES { Err(DocumentError::TooLarge) } else { read_pdf(&bytes) };
    let answer: Answer = read.map(Text::from).map_err(|error| error.to_string());
    output.write_all(&serde_json::to_vec(&answer)?)?;
    output.flush()
}

/// Sets limits that this process cannot raise again, unless lower ones apply.
fn limit_resources() {
    // A signal tells of the end of the processor time; a second later the process is killed.
    let limits = [
        (Resource::As, MAX_MEMORY, MAX_MEMORY),
        (Resource::Cpu, MAX_CPU_SECONDS, MAX_CPU_SECONDS + 1),
        (Resource::Core, 0, 0),
    ];
    for (resource, current, maximum) in limits {
        let known = getrlimit(resource);
        let lower = |known: Option<u64>, limit: u64| Some(known.map_or(limit, |known| known.min(limit)));
        let limit = Rlimit { current: lower(known.current, current), maximum: lower(known.maximum, maximum) };
        // On a platform that refuses one, the deadline of the process that waits remains.
        let _ = setrlimit(resource, limit);
    }
}

/// Asks the kernel to kill this process when the thread that waits for its answer ends, and before any other process
/// when no memory is left.
#[cfg(target_os = "linux")]
fn end_before_parent() {
    use rustix::process::{Signal, set_parent_process_death_signal};

    const FIRST: &str = "1000";
    // Without them, the limits remain.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    let _ = std::fs::write("/proc/self/oom_score_adj", FIRST);
}

#[cfg(not(target_os = "linux"))]
fn end_before_parent() {}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(input: &[u8]) -> Answer {
        let mut output = Vec::new();
        answer(input, &mut output).unwrap();
        serde_json::from_slice(&output).unwrap()
    }

    #[test]
    fn a_file_that_cannot_be_read_is_answered_with_the_reason() {
        let reason = answered(b"no").unwrap_err();
        assert_eq!(reason, "it cannot be read as a PDF: it does not begin as one; export it again, or as text");
        let too_large = answered(&vec![b' '; MAX_DOCUMENT_BYTES + 9]).unwrap_err();
        assert!(too_large.contains("more than 20 MB"), "{too_large}");
    }
}
