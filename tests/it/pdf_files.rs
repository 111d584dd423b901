//! PDF files among the documents, each of which is read in a process of its own.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::support::radar::{Radar, finish, signal};

const NOW: &str = "2026-11-19T07:00:00Z";
const SIZE_AND_FONT: &str = "/MediaBox [0 0 612 792] /Resources << /Font << /F1 5 0 R >> >>";
/// An entry of the table of objects: an object where none is.
const MISSING_OBJECT: &str = "0000000003 00000 n \n";

/// Returns a PDF with one page: its entries, its text, and what the table of objects has behind its five objects.
fn pdf(entries: &str, text: &str, table_end: &str) -> Vec<u8> {
    let content = format!("BT /F1 12 Tf 72 720 Td ({text}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>".to_owned(),
        format!("<< /Type /Page /Parent 2 0 R /Contents 4 0 R {entries} >>"),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    of_objects(&objects, table_end)
}

fn of_objects(objects: &[String], table_end: &str) -> Vec<u8> {
    let count = 1 + objects.len() + table_end.lines().count();
    let (mut file, mut table) = ("%PDF-1.4\n".to_owned(), format!("xref\n0 {count}\n0000000000 65535 f \n"));
    for (number, object) in objects.iter().enumerate() {
        writeln!(table, "{:010} 00000 n ", file.len()).unwrap();
        write!(file, "{} 0 obj\n{object}\nendobj\n", number + 1).unwrap();
    }
    table.push_str(table_end);
    let end = format!("trailer << /Size {count} /Root 1 0 R >>\nstartxref\n{}\n%%EOF\n", file.len());
    (file + &table + &end).into_bytes()
}

fn plain_pdf() -> Vec<u8> {
    pdf(SIZE_AND_FONT, "A night at the quay costs nine euros.", "")
}

/// Returns a PDF that takes many seconds to read: its font has a map of very many characters.
fn slow_pdf() -> Vec<u8> {
    let map = format!("1 beginbfchar {} endbfchar", "<0001> <0041>\n".repeat(600_000));
    let stream = |content: &str| format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len());
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>".to_owned(),
        format!("<< /Type /Page /Parent 2 0 R /Contents 4 0 R {SIZE_AND_FONT} >>"),
        stream("BT /F1 12 Tf 72 720 Td <0001> Tj ET"),
        "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [6 0 R] /ToUnicode 8 0 R >>"
            .to_owned(),
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /FontDescriptor 7 0 R >>".to_owned(),
        "<< /Type /FontDescriptor /FontName /X >>".to_owned(),
        stream(&map),
    ];
    of_objects(&objects, "")
}

/// Returns an installation, and the arguments that add a folder of it with this file and a text.
fn with_pdf(file: &[u8]) -> (Radar, [String; 5]) {
    let radar = Radar::at(NOW);
    let folder = radar.folder().join("handbook");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("lamps.md"), "The lamp on the pier is lit from dusk until midnight.").unwrap();
    write_pdf(&radar, file);
    let folder = folder.to_str().unwrap().to_owned();
    (radar, ["source".to_owned(), "add".to_owned(), folder, "--type".to_owned(), "documents".to_owned()])
}

fn write_pdf(radar: &Radar, file: &[u8]) {
    std::fs::write(radar.folder().join("handbook/quay.pdf"), file).unwrap();
}

fn words(arguments: &[String; 5]) -> [&str; 5] {
    arguments.each_ref().map(String::as_str)
}

#[track_caller]
fn is_answered_from_the_pdf(radar: &Radar) {
    let answer = radar.json(&["ask", "--json", "What does a night at the quay cost?"]);
    assert!(answer["answer"].as_str().unwrap().contains("nine euros"), "{answer}");
    let citation = &answer["citations"][0];
    assert_eq!((&citation["document"], &citation["section"]), (&"quay.pdf".into(), &"Page 1".into()), "{answer}");
}

#[test]
fn a_pdf_is_read_and_can_be_asked_about() {
    let (radar, add) = with_pdf(&plain_pdf());
    radar.run(&words(&add)).exits(0).says("2 documents");
    is_answered_from_the_pdf(&radar);
}

#[test]
fn a_pdf_that_takes_too_long_is_given_up_until_it_changes() {
    let (mut radar, add) = with_pdf(&plain_pdf());
    radar.set("AHA_PDF_MS", "0");
    radar.run(&words(&add)).exits(0).says("1 document").says("quay.pdf is left out: it takes too long to read");
    radar.set("AHA_PDF_MS", "60000");
    // It would be read in time now.
    radar.run(&words(&add)).exits(0).says("quay.pdf is left out: it takes too long to read");
    radar.run(&["search", "euros", "--json"]).exits(0).says("\"results\": []");
    write_pdf(&radar, &[plain_pdf(), b"\n".to_vec()].concat());
    radar.ok(&words(&add));
    is_answered_from_the_pdf(&radar);
}

/// A page without a size makes the library panic; a missing object is logged.
#[test]
fn a_pdf_that_makes_its_reader_panic_is_reported_in_one_line() {
    let broken = pdf("", "The pier opens at nine.", MISSING_OBJECT);
    for filter in [None, Some("lopdf=trace,pdf_extract=trace")] {
        let (mut radar, add) = with_pdf(&broken);
        if let Some(filter) = filter {
            radar.set("AHA_LOG", filter);
        }
        let ran = radar.run(&words(&add)).exits(0);
        assert_eq!(ran.stderr.lines().count(), 1, "{ran:#?}");
        assert!(ran.stderr.starts_with("quay.pdf is left out: it cannot be read as a PDF"), "{ran:#?}");
    }
}

/// Starts the command that reads a PDF, which waits for the file.
fn start_reading(radar: &Radar) -> Child {
    let mut command = radar.command(&["read-pdf"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Returns the limits of a process on memory, processor time and core files, each the current and the maximum one, and
/// how much the kernel prefers to kill it when no memory is left.
fn limits(process: &Child) -> Vec<String> {
    let read = |name: &str| std::fs::read_to_string(format!("/proc/{}/{name}", process.id())).unwrap();
    let all = read("limits");
    let of = |resource: &str| {
        let row = all.lines().find_map(|line| line.strip_prefix(resource)).unwrap();
        row.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
    };
    let limits = ["Max address space", "Max cpu time", "Max core file size"].map(of);
    limits.into_iter().chain([read("oom_score_adj").trim().to_owned()]).collect()
}

#[test]
fn the_process_that_reads_a_pdf_limits_itself_and_needs_no_settings() {
    // Other commands refuse a setting that there is not.
    let radar = Radar::at(NOW).with("AHA_NO_SUCH_SETTING", "1");
    let mut process = start_reading(&radar);
    let expected = ["1073741824 1073741824", "60 61", "0 0", "1000"];
    for _ in 0..2_400 {
        if limits(&process) == expected {
            break;
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    assert_eq!(limits(&process), expected);
    process.stdin.as_mut().unwrap().write_all(&plain_pdf()).unwrap();
    let ran = finish(process).exits(0);
    assert_eq!(ran.json()["Ok"]["passages"][0], serde_json::json!(["Page 1", "A night at the quay costs nine euros."]));
    assert!(!radar.database().exists());
}

/// Whether a process has started another one that has not ended.
fn has_child(process: &Child) -> bool {
    let all = std::fs::read_dir("/proc").unwrap();
    let stats = all.filter_map(|entry| std::fs::read_to_string(entry.ok()?.path().join("stat")).ok());
    let mut parents = stats.filter_map(|stat| stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse::<u32>().ok());
    parents.any(|parent| parent == process.id())
}

#[test]
fn a_run_that_is_asked_to_stop_does_not_wait_for_the_pdfs_that_it_reads() {
    let (radar, add) = with_pdf(&plain_pdf());
    radar.ok(&words(&add));
    let slow = slow_pdf();
    for number in 0..5 {
        std::fs::write(radar.folder().join(format!("handbook/slow-{number}.pdf")), &slow).unwrap();
    }
    let mut run = radar.start(&["run"]);
    while !has_child(&run) {
        assert!(run.try_wait().unwrap().is_none(), "it ended before it read a PDF");
        std::thread::sleep(Duration::from_millis(5));
    }
    let begun = Instant::now();
    signal(&run, "TERM");
    finish(run).exits(130);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    is_answered_from_the_pdf(&radar);
}

#[test]
fn the_command_that_reads_a_pdf_is_not_offered() {
    let help = Radar::at(NOW).ok(&["--help"]);
    assert!(help.contains("healthcheck") && !help.contains("read-pdf"), "{help}");
}
