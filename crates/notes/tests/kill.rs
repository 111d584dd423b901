//! An apply that is killed at any moment, done again: each block once, never half a file, nothing of another program's
//! lost.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test is the report")]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use aha_notes::{Action, Change, Graph, Origin};

use support::Random;

const PAGES: usize = 4;
const CHANGES: usize = 12;

struct Setting {
    folder: tempfile::TempDir,
    ids: Vec<String>,
}

impl Setting {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("graph");
        for sub in ["logseq", "journals", "pages"] {
            fs::create_dir_all(root.join(sub)).unwrap();
        }
        fs::write(root.join("logseq/config.edn"), "{}").unwrap();
        let day: Vec<String> = (0..CHANGES).map(|n| format!("- Knowledge {n}")).collect();
        fs::write(root.join("journals/2026_03_02.md"), format!("{}\n", day.join("\n"))).unwrap();
        for page in 0..PAGES {
            fs::write(root.join(format!("pages/Page {page}.md")), "- First\n\t- Second\n- Third\n").unwrap();
        }
        let graph = Graph::open(&root).unwrap();
        let day = graph.days().unwrap().remove(0);
        let known = graph.read(&day.path).unwrap().ids(&day.name);
        let changes: Vec<Change> = (0..CHANGES)
            .map(|n| Change {
                knowledge: known[n].clone(),
                origin: Some(Origin { file: "journals/2026_03_02.md".to_owned(), page: day.name.clone() }),
                // One page more than there are: it is made.
                page: format!("Page {}", n % (PAGES + 1)),
                action: Action::AddSection,
                target: None,
                target_text: None,
                text: format!("Lasting knowledge {n}"),
            })
            .collect();
        fs::write(folder.path().join("changes.json"), serde_json::to_vec(&changes).unwrap()).unwrap();
        let ids = changes.iter().map(Change::block_id).collect();
        Self { folder, ids }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("graph")
    }

    fn command(&self) -> Command {
        // target/debug/deps/kill-… → target/debug/examples/apply, which `cargo test` builds where it is not told to
        // build less.
        let own = std::env::current_exe().unwrap();
        let mut command = Command::new(own.parent().unwrap().parent().unwrap().join("examples/apply"));
        command.arg(self.root()).arg(self.folder.path().join("state")).arg(self.folder.path().join("changes.json"));
        command.env("AHA_NOTES_QUIET_MS", "3").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn start(&self) -> Child {
        self.command().spawn().unwrap()
    }

    /// Every file of the graph, whole, and no other file beside it.
    fn files(&self) -> Vec<(PathBuf, String)> {
        let folders = ["pages", "journals"].map(|sub| self.root().join(sub));
        let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
        entries
            .map(|entry| entry.unwrap().path())
            .map(|path| (path.clone(), fs::read_to_string(&path).unwrap()))
            .collect()
    }

    fn assert_done(&self, what: &str) {
        let files = self.files();
        assert!(files.iter().all(|(path, _)| path.extension().is_some_and(|end| end == "md")), "{what}: {files:?}");
        let pages: String = files
            .iter()
            .filter(|(path, _)| path.starts_with(self.root().join("pages")))
            .map(|(_, text)| text.as_str())
            .collect();
        let day = fs::read_to_string(self.root().join("journals/2026_03_02.md")).unwrap();
        for (n, id) in self.ids.iter().enumerate() {
            assert_eq!(pages.matches(&format!("id:: {id}")).count(), 1, "{what}: change {n} in {pages}");
            assert_eq!(pages.matches(&format!("- Lasting knowledge {n}\n")).count(), 1, "{what}: {pages}");
            assert_eq!(day.matches(id.as_str()).count(), 1, "{what}: {day}");
        }
        assert_eq!(pages.matches("- First\n\t- Second\n- Third\n").count(), PAGES, "{what}: {pages}");
    }
}

/// Whatever the moment, a page is as it was, or has whole blocks more.
fn assert_whole(setting: &Setting, what: &str) {
    for (path, text) in setting.files() {
        let is_page = path.extension().is_some_and(|end| end == "md");
        let is_whole = text.ends_with('\n')
            && text.lines().all(|line| {
                let line = line.trim_start();
                line.starts_with("- ") || line.starts_with("id:: ") || line.starts_with("extracted-to:: ")
            });
        assert!(!is_page || is_whole, "{what}: {} is {text:?}", path.display());
    }
}

#[test]
fn an_apply_killed_at_each_of_its_failpoints_is_finished_by_the_next() {
    let points = [
        "notes.recorded",
        "notes.half_written",
        "notes.written_beside",
        "notes.exchanged",
        "notes.page_written",
        "notes.journal_written",
    ];
    for point in points {
        for hit in [1, 2, 5, 11] {
            let setting = Setting::new();
            let what = format!("{point}:{hit}");
            let status = setting.command().env("AHA_FAILPOINT", &what).status().unwrap();
            assert!(!status.success(), "{what} was not passed");
            assert_whole(&setting, &what);
            assert!(setting.command().status().unwrap().success(), "{what}");
            setting.assert_done(&what);
        }
    }
}

#[test]
fn an_apply_killed_at_two_hundred_random_moments_is_finished_by_the_next() {
    let mut random = Random::new(17);
    let started = std::time::Instant::now();
    Setting::new().command().status().unwrap();
    let whole = started.elapsed().as_micros();
    let mut kills = 0;
    while kills < 200 {
        let setting = Setting::new();
        // Several kills one after the other, as whoever has no luck.
        for _ in 0..=random.below(3) {
            let mut child = setting.start();
            std::thread::sleep(Duration::from_micros(
                u64::try_from(random.below(usize::try_from(whole).unwrap())).unwrap(),
            ));
            child.kill().unwrap();
            child.wait().unwrap();
            kills += 1;
            assert_whole(&setting, &format!("kill {kills}"));
        }
        assert!(setting.command().status().unwrap().success());
        setting.assert_done(&format!("kill {kills}"));
    }
}

/// Another program: it adds lines to pages, by turns in place and beside, as editors do.
fn second_writer(root: PathBuf, seed: u64, stop: Arc<AtomicBool>) -> std::thread::JoinHandle<BTreeSet<String>> {
    std::thread::spawn(move || {
        let mut random = Random::new(seed);
        let mut written = BTreeSet::new();
        while !stop.load(Ordering::SeqCst) {
            let file = if random.one_in(3) {
                "journals/2026_03_02.md".to_owned()
            } else {
                format!("pages/Page {}.md", random.below(PAGES))
            };
            let path = root.join(file);
            let line = format!("- By another {seed}-{}", written.len());
            let mut text = fs::read_to_string(&path).unwrap();
            // What a program of this kind reads while it is itself being written is the others' matter.
            if text.is_empty() {
                continue;
            }
            text.extend([line.as_str(), "\n"]);
            write_as_editors_do(&path, &text, random.one_in(2));
            written.insert(line);
            std::thread::sleep(Duration::from_millis(4 + u64::try_from(random.below(30)).unwrap()));
        }
        written
    })
}

fn write_as_editors_do(path: &Path, text: &str, in_place: bool) {
    if in_place {
        fs::write(path, text).unwrap();
    } else {
        let beside = path.with_extension("editor");
        fs::write(&beside, text).unwrap();
        fs::rename(&beside, path).unwrap();
    }
}

#[test]
fn a_second_program_that_edits_the_same_pages_loses_nothing_while_applies_are_killed() {
    let mut lines = 0;
    for seed in 0..12 {
        let setting = Setting::new();
        let stop = Arc::new(AtomicBool::new(false));
        let writer = second_writer(setting.root(), seed, Arc::clone(&stop));
        let mut random = Random::new(seed);
        for _ in 0..6 {
            let mut child = setting.start();
            std::thread::sleep(Duration::from_millis(u64::try_from(random.below(120)).unwrap()));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        stop.store(true, Ordering::SeqCst);
        let written = writer.join().unwrap();
        assert!(setting.command().status().unwrap().success());
        let graph: String = setting.files().into_iter().map(|(_, text)| text).collect();
        let kept = files_below(&setting.folder.path().join("state"));
        for line in &written {
            let is_there = graph.contains(&format!("{line}\n"));
            // The other program read before an exchange and wrote after it: its text is in the file it had open.
            assert!(is_there || kept.contains(&format!("{line}\n")), "seed {seed}: {line} is lost");
            lines += usize::from(is_there);
        }
        setting.assert_done(&format!("seed {seed}"));
    }
    assert!(lines > 60, "{lines}");
}

fn files_below(folder: &Path) -> String {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| if path.is_dir() { files_below(&path) } else { fs::read_to_string(&path).unwrap_or_default() })
        .collect()
}
