use std::io::Write;
use std::time::Duration;

use super::*;

/// Returns a reader that refuses every PDF.
fn refusing() -> PdfReader {
    PdfReader::of_script(r#"echo '{"Err":"it is broken"}'"#, Duration::from_mins(1))
}

/// For folders whose documents fit into one batch.
fn no_batch(_batch: Changes) {
    panic!("the only batch is the last one, which is returned");
}

fn changes(url: &str, known: &BTreeMap<String, String>, now: Timestamp) -> Result<Changes, FetchError> {
    super::changes(url, known, &refusing(), &CancellationToken::new(), now, no_batch)
}

#[test]
fn new_changed_and_deleted_documents_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("a.md", "# A\n\n## Berths\n\nSeven.");
    write("b/a.md", "# Another A\n\nEight.");
    write("c.txt", "Nine.");
    write(".hidden.md", "no");
    write("picture.png", "no");
    write("broken.pdf", "no");
    let url = Url::from_directory_path(folder.path()).unwrap().to_string();
    let now = Timestamp::from_millis(5);
    let first = changes(&url, &BTreeMap::new(), now).unwrap();
    let names: Vec<(&str, &str)> = first.read.iter().map(|d| (d.path.as_str(), d.name.as_str())).collect();
    assert_eq!(names, [("a.md", "a.md"), ("b/a.md", "b/a.md"), ("c.txt", "c.txt")]);
    assert_eq!((first.failed.len(), first.failed[0].0.as_str()), (1, "broken.pdf"));
    let mut known: BTreeMap<String, String> =
        first.read.iter().map(|d| (d.path.clone(), d.content_hash.clone())).collect();
    known.insert("was.md".to_owned(), "x".to_owned());
    write("c.txt", "Ten.");
    let second = changes(&url, &known, now).unwrap();
    let read: Vec<&str> = second.read.iter().map(|d| d.path.as_str()).collect();
    assert_eq!((read, second.removed, second.unchanged), (vec!["c.txt"], vec!["was.md".to_owned()], 2));
    assert!(changes("file:///no/such/folder", &known, now).is_err());
}

#[test]
fn many_documents_come_in_batches_and_the_last_has_what_was_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    for number in 0..230 {
        write(&format!("{number:03}.txt"), "Nine euros.");
    }
    for number in 0..20 {
        write(&format!("{number:03}.pdf"), "no");
    }
    let url = Url::from_directory_path(folder.path()).unwrap().to_string();
    let batches = |known: &BTreeMap<String, String>| {
        let mut batches = Vec::new();
        let (stop, now) = (CancellationToken::new(), Timestamp::from_millis(5));
        let last = super::changes(&url, known, &refusing(), &stop, now, |batch| batches.push(batch)).unwrap();
        batches.push(last);
        batches
    };
    let known = BTreeMap::from([("000.html".to_owned(), "before".to_owned())]);
    let found = batches(&known);
    let sizes: Vec<(usize, usize)> = found.iter().map(|batch| (batch.read.len(), batch.unreadable.len())).collect();
    assert_eq!(sizes, [(80, 20), (100, 0), (50, 0)]);
    assert_eq!(found.iter().map(|batch| batch.removed.len()).collect::<Vec<_>>(), [0, 0, 1]);
    // What the first two had is not read again, as after a kill.
    let stored = found[..2].iter().flat_map(|batch| batch.read.iter().chain(&batch.unreadable));
    let known = stored.map(|document| (document.path.clone(), document.content_hash.clone())).collect();
    let rest = batches(&known);
    assert_eq!((rest.len(), rest[0].read.len(), rest[0].unchanged), (1, 50, 180));
    let long = "A night at the quay costs nine euros.\n\n".repeat(60_000);
    for (name, text) in [("a.txt", long.as_str()), ("b.txt", &long), ("c.txt", "Nine euros.")] {
        write(name, text);
    }
    let read: Vec<usize> = batches(&BTreeMap::new()).iter().map(|batch| batch.read.len()).collect();
    assert_eq!(read, [80, 100, 52, 1], "a batch ends with 4 MiB of text");
}

#[test]
fn an_emptied_document_is_removed_and_one_that_cannot_be_read_stays() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("fees.md", " \n<!-- withdrawn -->\n");
    write("tides.pdf", "no");
    let url = Url::from_directory_path(folder.path()).unwrap().to_string();
    let known: BTreeMap<String, String> =
        ["fees.md", "tides.pdf"].map(|path| (path.to_owned(), "before".to_owned())).into();
    let found = changes(&url, &known, Timestamp::from_millis(5)).unwrap();
    let failed: Vec<&str> = found.failed.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!((found.removed, failed), (vec!["fees.md".to_owned()], vec!["fees.md", "tides.pdf"]));
    assert!(found.failed[0].1.contains("no text"), "{:?}", found.failed);
    let unknown = changes(&url, &BTreeMap::new(), Timestamp::from_millis(5)).unwrap();
    assert_eq!((unknown.removed.len(), unknown.failed.len()), (0, 2));
}

#[test]
fn a_document_that_cannot_be_read_is_not_read_again_before_it_changes() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("tides.pdf", "no");
    write("fees.pdf", "no");
    let url = Url::from_directory_path(folder.path()).unwrap().to_string();
    let mut known = BTreeMap::from([("fees.pdf".to_owned(), "read before".to_owned())]);
    let first = changes(&url, &known, Timestamp::from_millis(5)).unwrap();
    let paths: Vec<&str> = first.unreadable.iter().map(|document| document.path.as_str()).collect();
    assert_eq!((paths, first.hashes.len(), first.hashes[0].0.as_str()), (vec!["tides.pdf"], 1, "fees.pdf"));
    known.extend(first.hashes.clone());
    known.extend(first.unreadable.iter().map(|document| (document.path.clone(), document.content_hash.clone())));
    let second = changes(&url, &known, Timestamp::from_millis(6)).unwrap();
    assert_eq!(second.failed, first.failed, "they are still reported");
    assert!(second.unreadable.is_empty() && second.hashes.is_empty() && second.removed.is_empty());
    std::fs::rename(folder.path().join("tides.pdf"), folder.path().join("tides.txt")).unwrap();
    write("fees.pdf", "no again");
    let third = changes(&url, &known, Timestamp::from_millis(7)).unwrap();
    assert_eq!((third.read.len(), third.removed), (1, vec!["tides.pdf".to_owned()]));
    assert_eq!((third.hashes.len(), third.unreadable.len()), (1, 0), "the passages read at first stay");
}

#[test]
fn after_a_stop_no_file_is_read_and_none_counts_as_removed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("fees.md"), "Nine euros.").unwrap();
    std::fs::write(folder.path().join("tides.pdf"), "%PDF").unwrap();
    let url = Url::from_directory_path(folder.path()).unwrap().to_string();
    let known = BTreeMap::from([("fees.md".to_owned(), "before".to_owned())]);
    let stop = CancellationToken::new();
    stop.cancel();
    let found = super::changes(&url, &known, &refusing(), &stop, Timestamp::from_millis(5), no_batch).unwrap();
    assert!(found.read.is_empty() && found.removed.is_empty() && found.failed.is_empty(), "{found:?}");
}

#[test]
fn a_pdf_is_tried_again_if_its_process_was_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("fees-2026.pdf"), "%PDF").unwrap();
    let url = Url::from_directory_path(folder.path()).unwrap().to_string();
    let mut known = BTreeMap::new();
    let found = |known: &BTreeMap<String, String>, script: &str| {
        let reader = PdfReader::of_script(script, Duration::from_mins(1));
        super::changes(&url, known, &reader, &CancellationToken::new(), Timestamp::from_millis(5), no_batch).unwrap()
    };
    let stopped = found(&known, "kill -s TERM $$");
    assert_eq!((stopped.failed.len(), stopped.unreadable.len(), stopped.hashes.len()), (1, 0, 0));
    assert!(stopped.failed[0].1.contains("the next run reads it"), "{:?}", stopped.failed);
    let broken = found(&known, "kill -s KILL $$");
    assert!(broken.failed[0].1.contains("1 GiB"), "{:?}", broken.failed);
    known.extend(broken.unreadable.iter().map(|document| (document.path.clone(), document.content_hash.clone())));
    let answer = r#"echo '{"Ok":{"title":null,"passages":[["Page 1","Nine euros."]]}}'"#;
    let again = found(&known, answer);
    assert_eq!((&again.failed, again.read.len()), (&broken.failed, 0), "it is not read before it changes");
    known.clear();
    let read = found(&known, answer).read;
    assert_eq!(read[0].passages, [("Page 1".to_owned(), "Nine euros.".to_owned())]);
    assert_eq!(read[0].dated, Timestamp::parse_rfc3339("2026-01-01T00:00:00Z").unwrap());
}

#[test]
fn a_document_is_cited_by_another_name_when_a_second_one_of_its_name_appears() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "Nine euros.").unwrap();
    };
    write("north/fees.md");
    let url = Url::from_directory_path(folder.path()).unwrap().to_string();
    let first = changes(&url, &BTreeMap::new(), Timestamp::from_millis(5)).unwrap();
    assert_eq!(first.read[0].name, "fees.md");
    let known = BTreeMap::from([(first.read[0].path.clone(), first.read[0].content_hash.clone())]);
    write("south/fees.md");
    let second = changes(&url, &known, Timestamp::from_millis(6)).unwrap();
    let names: Vec<&str> = second.read.iter().map(|document| document.name.as_str()).collect();
    assert_eq!(names, ["north/fees.md", "south/fees.md"]);
}

#[test]
fn a_document_is_read_again_by_a_newer_reader_and_not_dated_in_the_future() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("fees.md"), "Nine euros.").unwrap();
    let url = Url::from_directory_path(folder.path()).unwrap().to_string();
    let by_older_reader = BTreeMap::from([("fees.md".to_owned(), hex32(b"Nine euros."))]);
    let found = changes(&url, &by_older_reader, Timestamp::from_millis(5)).unwrap();
    assert_eq!((found.read.len(), found.read[0].dated), (1, Timestamp::from_millis(5)));
    let known = BTreeMap::from([("fees.md".to_owned(), found.read[0].content_hash.clone())]);
    assert_eq!(changes(&url, &known, Timestamp::from_millis(5)).unwrap().unchanged, 1);
}

#[test]
fn a_file_written_at_midnight_states_no_date() {
    const MIDNIGHT: u64 = 1_772_323_200;
    let folder = tempfile::tempdir().unwrap();
    let mut undated = std::fs::File::create(folder.path().join("undated.md")).unwrap();
    undated.write_all(b"Ten euros.").unwrap();
    undated.set_modified(UNIX_EPOCH + Duration::from_secs(MIDNIGHT)).unwrap();
    std::fs::write(folder.path().join("dated.md"), "---\ndate: 2026-03-01\n---\nNine euros.").unwrap();
    let url = Url::from_directory_path(folder.path()).unwrap().to_string();
    let now = Timestamp::from_millis(1_800_000_000_000);
    let read = changes(&url, &BTreeMap::new(), now).unwrap().read;
    let dated: Vec<(&str, i64)> = read.iter().map(|one| (one.name.as_str(), one.dated.as_millis())).collect();
    assert_eq!(dated, [("dated.md", 1_772_323_200_000), ("undated.md", 1_772_323_200_001)]);
}
