//! The image can be built: what Cargo.toml and the sources name is copied by the Dockerfile before it is needed.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use regex::Regex;

use crate::support::radar::{files_below, repository};

fn read(file: &str) -> String {
    std::fs::read_to_string(repository(file)).unwrap()
}

/// What the manifest names or expects: without one of these files cargo builds nothing, not even another target.
fn of_manifest() -> BTreeSet<String> {
    let manifest = read("Cargo.toml");
    let manifest = manifest.as_str();
    let mut needed = BTreeSet::from(["Cargo.toml".to_owned(), "Cargo.lock".to_owned()]);
    for (kind, folder) in [("bench", "benches"), ("test", "tests"), ("bin", "src/bin"), ("example", "examples")] {
        for section in manifest.split(&format!("[[{kind}]]")).skip(1) {
            let section = section.split("\n[").next().unwrap();
            let value = |key: &str| {
                let line = section.lines().find_map(|line| line.strip_prefix(&format!("{key} = \"")));
                line.map(|rest| rest.trim_end_matches('"').to_owned())
            };
            let by_name = || {
                let name = value("name").unwrap();
                let places = [format!("{folder}/{name}.rs"), format!("{folder}/{name}/main.rs")];
                places.into_iter().find(|path| Path::new(&repository(path)).exists()).unwrap()
            };
            needed.insert(value("path").unwrap_or_else(by_name));
        }
    }
    let paths = Regex::new(r#"\bpath = "([^"]+)""#).unwrap();
    // A crate of the workspace, by its manifest.
    needed.extend(paths.captures_iter(manifest).map(|found| format!("{}/Cargo.toml", &found[1])));
    for file in ["build.rs", "src/main.rs", "src/lib.rs", ".cargo/config.toml"] {
        if Path::new(&repository(file)).exists() {
            needed.insert(file.to_owned());
        }
    }
    needed
}

/// The sources and what they include; what unit tests alone include lies in tests/.
fn of_sources() -> BTreeSet<String> {
    let root = PathBuf::from(repository(""));
    let included = Regex::new(r#"include_(?:str|bytes)!\(\s*"([^"]+)""#).unwrap();
    let templates = Regex::new(r#"#\[template\([^\]]*path = "([^"]+)""#).unwrap();
    // The build script of the store's crate lists these.
    let mut needed = BTreeSet::from(["sqlite", "postgres"].map(|database| format!("migrations/{database}")));
    for file in ["src", "crates"].iter().flat_map(|folder| files_below(&root.join(folder))) {
        needed.insert(file.strip_prefix(&root).unwrap().to_str().unwrap().to_owned());
        if file.extension().is_some_and(|extension| extension == "rs") {
            let source = std::fs::read_to_string(&file).unwrap();
            for found in included.captures_iter(&source) {
                needed.insert(below(&root, &file.with_file_name(&found[1])));
            }
            needed.extend(templates.captures_iter(&source).map(|found| format!("templates/{}", &found[1])));
        }
    }
    needed.retain(|path| !path.starts_with("tests/"));
    for path in &needed {
        assert!(Path::new(&repository(path)).exists(), "{path}");
    }
    needed
}

/// A path within the repository, without `..`.
fn below(root: &Path, path: &Path) -> String {
    let mut parts = Vec::new();
    for part in path.strip_prefix(root).unwrap().components() {
        match part {
            Component::ParentDir => drop(parts.pop()),
            part => parts.push(part.as_os_str().to_str().unwrap()),
        }
    }
    parts.join("/")
}

/// What a pattern of .dockerignore drops: the path itself, and what is in a folder of that name.
fn dropped_by(pattern: &str) -> Regex {
    assert!(!pattern.contains("**") && !pattern.starts_with('!'), "{pattern}: this test does not know such patterns");
    let pattern = regex::escape(pattern.trim_matches('/')).replace(r"\*", "[^/]*");
    Regex::new(&format!("^{pattern}(/|$)")).unwrap()
}

/// What is missing at each `cargo build` of the first stage.
fn missing(dockerfile: &str, ignored: &str, manifest: &BTreeSet<String>, all: &BTreeSet<String>) -> Vec<String> {
    let patterns = ignored.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let dropped: Vec<Regex> = patterns.map(dropped_by).collect();
    let lines: Vec<&str> = dockerfile.lines().filter(|line| !line.starts_with('#')).collect();
    let joined = lines.join("\n").replace("\\\n", " ");
    let (mut copied, mut missing, mut builds) = (BTreeSet::new(), Vec::new(), 0);
    for line in joined.lines().skip_while(|line| !line.starts_with("FROM")).skip(1) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["FROM", ..] => break,
            ["COPY", ref sources @ .., _] => copied.extend(sources.to_vec()),
            ["RUN", ..] if line.contains("cargo build") => {
                builds += 1;
                // The first one is of the dependencies: it makes stand-ins for the sources.
                let needed = if copied.contains(".") { all } else { manifest };
                let is_there = |path: &str| {
                    let comes =
                        copied.iter().any(|of| *of == "." || path == *of || path.starts_with(&format!("{of}/")));
                    words.contains(&path) || (comes && !dropped.iter().any(|pattern| pattern.is_match(path)))
                };
                let absent = needed.iter().filter(|path| !is_there(path));
                missing.extend(absent.map(|path| format!("{path} at the build number {builds}")));
            }
            _ => {}
        }
    }
    assert_eq!(builds, 2);
    missing
}

#[test]
fn what_is_named_is_copied_before_it_is_built() {
    let manifest = of_manifest();
    assert!(manifest.contains("benches/ranking.rs"), "{manifest:?}");
    let all: BTreeSet<String> = manifest.union(&of_sources()).cloned().collect();
    for path in ["models/places_v1.tsv", "prompts/triage_v1/user.md", "schemas/triage_v1.json", "migrations/sqlite"] {
        assert!(all.contains(path), "{path} is missing in {all:?}");
    }
    assert!(all.iter().any(|path| path.starts_with("templates/")), "{all:?}");
    let dockerfile = read("Dockerfile");
    let ignored = read(".dockerignore");
    assert_eq!(missing(&dockerfile, &ignored, &manifest, &all), Vec::<String>::new());
    for folder in [
        "benches",
        "models",
        "prompts/",
        "schemas",
        "migrations",
        "templates",
        "src/cli",
        "crates/store",
        ".cargo",
        "*.lock",
    ] {
        let more = format!("{ignored}\n{folder}\n");
        assert!(!missing(&dockerfile, &more, &manifest, &all).is_empty(), "{folder} could be dropped unseen");
    }
}

/// Calls under way have 15 s to end, and Docker kills after 10 unless it is told otherwise.
#[test]
fn a_container_is_given_time_to_stop() {
    let timeout = Regex::new(r"--stop-timeout (\d+)").unwrap();
    let mut started = 0;
    for file in ["README.md", "Dockerfile", "docs/OPERATING.md"] {
        for line in read(file).replace("\\\n", " ").lines().filter(|line| line.contains("docker run ")) {
            let seconds: u32 = timeout.captures(line).map_or(10, |found| found[1].parse().unwrap());
            assert!(seconds >= 20, "{file}: {line}");
            started += 1;
        }
    }
    assert!(started >= 3, "{started}");
}
