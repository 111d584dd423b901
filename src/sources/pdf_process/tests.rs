//! Processes that answer, take too long, write too much or end early.

use std::process::Command;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::{MAX_ANSWER_BYTES, PdfError, PdfReader};

/// Longer than any of these takes.
const LONG: Duration = Duration::from_mins(2);

/// Returns why a process that runs this script did not read a file, which is longer than a pipe holds.
fn error_of(script: &str, deadline: Duration) -> PdfError {
    PdfReader::of_script(script, deadline).read(&vec![b'x'; 1_000_000], &CancellationToken::new()).unwrap_err()
}

#[test]
fn a_file_and_an_answer_longer_than_a_pipe_pass_at_the_same_time() {
    let text = "Nine euros. ".repeat(100_000);
    let answer = format!(r#"{{"Ok":{{"title":"Fees","passages":[["Page 1","{text}"]]}}}}"#);
    let document = PdfReader::of_script("exec cat", LONG).read(answer.as_bytes(), &CancellationToken::new()).unwrap();
    assert_eq!((document.title.as_deref(), document.passages.len()), (Some("Fees"), 1));
    assert_eq!((document.passages[0].section.as_str(), document.passages[0].text.len()), ("Page 1", text.len()));
}

#[test]
fn an_answer_may_come_before_the_file_is_read() {
    let refused = error_of(r#"echo '{"Err":"it is broken"}'"#, LONG);
    assert!(matches!(&refused, PdfError::Refused(reason) if reason == "it is broken"), "{refused:?}");
    assert!(refused.is_of_file());
}

#[test]
fn a_process_that_takes_too_long_is_ended_and_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("process");
    let begun = Instant::now();
    let error = error_of(&format!("echo $$ > '{}'; exec sleep 100", file.display()), Duration::from_secs(2));
    assert!(matches!(error, PdfError::TooLong) && error.is_of_file(), "{error:?}");
    assert_eq!(error.to_string(), "it takes too long to read (over 60 s); split it, or export it as text");
    assert!(begun.elapsed() < Duration::from_secs(50));
    let process = std::fs::read_to_string(&file).unwrap();
    // A process that nobody waited for would still get signals.
    let signalled = Command::new("kill").args(["-0", process.trim()]).output().unwrap();
    assert!(!signalled.status.success(), "process {process} is left");
}

#[test]
fn a_process_is_ended_soon_after_its_answer_is_no_longer_wanted() {
    let reader = PdfReader::of_script("exec sleep 100", LONG);
    let (stop, begun) = (CancellationToken::new(), Instant::now());
    let error = std::thread::scope(|threads| {
        let reading = threads.spawn(|| reader.read(b"%PDF", &stop).unwrap_err());
        std::thread::sleep(Duration::from_millis(200));
        stop.cancel();
        reading.join().unwrap()
    });
    assert!(matches!(error, PdfError::Stopped) && !error.is_of_file(), "{error:?}");
    assert!(begun.elapsed() < Duration::from_secs(50));
}

#[test]
fn a_process_that_writes_without_end_is_ended() {
    let error = error_of("exec yes", LONG);
    assert!(matches!(error, PdfError::TooMuchText) && error.is_of_file(), "{error:?}");
    let just_too_long = format!("exec head -c {} /dev/zero", MAX_ANSWER_BYTES + 1);
    assert!(matches!(error_of(&just_too_long, LONG), PdfError::TooMuchText));
    let as_long_as_allowed = format!("exec head -c {MAX_ANSWER_BYTES} /dev/zero");
    assert!(matches!(error_of(&as_long_as_allowed, LONG), PdfError::Broken), "zeros are no answer");
}

#[test]
fn a_process_without_an_answer_tells_by_its_end_whether_the_file_is_the_reason() {
    for script in ["exit 0", "exit 101", "echo '{'", "cat > /dev/null", "kill -s KILL $$"] {
        let error = error_of(script, LONG);
        assert!(matches!(error, PdfError::Broken) && error.is_of_file(), "{script}: {error:?}");
        assert!(error.to_string().contains("1 GiB"), "{error}");
    }
    let error = error_of("ulimit -c 0; kill -s XCPU $$", LONG);
    assert!(matches!(error, PdfError::TooLong) && error.is_of_file(), "{error:?}");
    let error = error_of("kill -s TERM $$", LONG);
    assert!(matches!(error, PdfError::Stopped) && !error.is_of_file(), "{error:?}");
}

#[test]
fn a_process_is_not_given_the_environment() {
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some(), "cargo sets it for tests");
    let error = error_of(r#"printf '{"Err":"%s"}' "${CARGO_MANIFEST_DIR:-unset}""#, LONG);
    assert!(matches!(&error, PdfError::Refused(reason) if reason == "unset"), "{error:?}");
}

#[test]
fn a_program_that_cannot_be_started_is_not_the_fault_of_a_file() {
    let reader = PdfReader { program: "/no/such/program".into(), ..PdfReader::of_script("", LONG) };
    let error = reader.read(b"%PDF", &CancellationToken::new()).unwrap_err();
    assert!(matches!(error, PdfError::NotRun(_)) && !error.is_of_file(), "{error:?}");
    let message = error.to_string();
    assert!(message.contains("(/no/such/program: ") && message.contains("the next run tries again"), "{message}");
}
