//! The layers of the product: interfaces parse, call services and render; they reach neither store nor gateway, and
//! modules depend on each other in one direction, those of the root and those within each crate.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What only services and the pipeline may reach for.
const BELOW_THE_FACES: [&str; 4] = ["aha_store::", ".store()", ".gateway()", ".embedder()"];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Without comments, in which anything may be named.
fn code(file: &Path) -> String {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

#[test]
fn faces_reach_neither_store_nor_gateway() {
    let interfaces = ["cli", "web"].map(|interface| rust_files(&source().join(interface))).concat();
    assert!(interfaces.len() > 40, "{} files are fewer than there were", interfaces.len());
    let mut reached = Vec::new();
    for file in interfaces {
        let code = code(&file);
        // A statement may be broken before the dot.
        let joined: String = code.split_whitespace().collect();
        let found = BELOW_THE_FACES.iter().filter(|name| joined.contains(**name));
        reached.extend(found.map(|name| format!("{}: {name}", file.display())));
    }
    assert!(reached.is_empty(), "these belong into src/services: {reached:#?}");
}

/// The root's modules that code names as `crate::NAME` or in `crate::{NAME…`.
fn named_modules(code: &str) -> BTreeSet<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut named = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        if code[..at].chars().next_back().is_some_and(is_name) {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        let group = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')).map(|(group, _)| group);
        for part in group.unwrap_or(rest).split(',').take(if group.is_some() { usize::MAX } else { 1 }) {
            let name: String = part.trim_start().chars().take_while(|c| is_name(*c)).collect();
            named.insert(name);
        }
    }
    named
}

/// Which of the root's modules each of them names.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let mut dependencies: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in rust_files(&source()) {
        let inside = file.strip_prefix(source()).unwrap().with_extension("");
        let module = inside.components().next().unwrap().as_os_str().to_str().unwrap().to_owned();
        if !["lib", "main"].contains(&module.as_str()) {
            dependencies.entry(module).or_default().extend(named_modules(&code(&file)));
        }
    }
    let modules: BTreeSet<String> = dependencies.keys().cloned().collect();
    for (module, named) in &mut dependencies {
        named.retain(|name| name != module && modules.contains(name));
    }
    dependencies
}

#[test]
fn modules_of_the_root_depend_on_each_other_in_one_direction() {
    let mut left = dependencies();
    assert!(left["cli"].contains("services") && left["services"].contains("pipeline"), "{left:#?}");
    // What depends on nothing that is left goes, until nothing is left but circles.
    while let Some(free) = left.iter().find(|(_, named)| named.is_empty()).map(|(module, _)| module.clone()) {
        left.remove(&free);
        for named in left.values_mut() {
            named.remove(&free);
        }
    }
    assert!(left.is_empty(), "a circle goes through these modules: {left:#?}");
}

#[test]
fn services_know_no_face() {
    let interfaces = ["cli", "web", "daemon"];
    let known = &dependencies()["services"];
    assert!(interfaces.iter().all(|interface| !known.contains(*interface)), "{known:?}");
    let unneutral = ["clap::", "anyhow::", "println!", "axum::"];
    for file in rust_files(&source().join("services")) {
        let code = code(&file);
        let found: Vec<_> = unneutral.iter().filter(|name| code.contains(**name)).collect();
        assert!(found.is_empty(), "{}: {found:?}", file.display());
    }
}

#[test]
fn modules_are_found_in_paths_and_groups() {
    let named =
        named_modules("use crate::app::App;\nuse crate::{config, digest::Digest};\nmycrate::x(); crate::sources::f()");
    assert_eq!(named.into_iter().collect::<Vec<_>>(), ["app", "config", "digest", "sources"]);
}

/// A module's path within its crate; the crate itself has none.
type Module = Vec<String>;

/// The modules of a crate with their code, without unit tests.
fn modules(source: &Path) -> BTreeMap<Module, String> {
    let mut modules = BTreeMap::new();
    for file in rust_files(source) {
        let inside = file.strip_prefix(source).unwrap().with_extension("");
        let mut module: Module = inside.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
        if matches!(module.last().unwrap().as_str(), "mod" | "lib") {
            module.pop();
        }
        let code = code(&file);
        let code = code.split("#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned();
        modules.insert(module, code);
    }
    modules
}

/// The single paths of a use tree: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn flat(tree: &str) -> Vec<String> {
    let Some((before, inside)) = tree.split_once('{') else { return vec![tree.trim().to_owned()] };
    let inside = inside.trim_end().strip_suffix('}').unwrap_or(inside);
    let (mut depth, mut begin, mut paths) = (0, 0, Vec::new());
    for (at, c) in inside.char_indices().chain([(inside.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let part = inside[begin..at].trim();
                begin = (at + 1).min(inside.len());
                let whole = |path: String| format!("{}{path}", before.trim());
                paths.extend((!part.is_empty()).then(|| flat(part)).into_iter().flatten().map(whole));
            }
            _ => {}
        }
    }
    paths
}

/// The modules that a module's code names, but its own parents and children.
fn named_by(module: &Module, code: &str, modules: &BTreeMap<Module, String>) -> BTreeSet<Module> {
    let trees = code.split("use ").skip(1).filter_map(|rest| rest.split_once(';')).flat_map(|(tree, _)| flat(tree));
    let is_path = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let words = code.split(|c: char| !is_path(c)).filter(|word| word.contains("::")).map(str::to_owned);
    let named = trees.chain(words).filter_map(|path| target(module, &path, modules));
    named.filter(|named| !named.starts_with(module) && !module.starts_with(named)).collect()
}

/// The module that a path leads into: of a name that a module re-exports from a child, the child.
fn target(module: &Module, path: &str, modules: &BTreeMap<Module, String>) -> Option<Module> {
    let (base, name) = resolved(module, path, modules)?;
    let Some(name) = name.filter(|_| !module.starts_with(&base)) else { return Some(base) };
    let exports = modules[&base].split("use ").skip(1).filter_map(|rest| rest.split_once(';'));
    let exported = exports
        .flat_map(|(tree, _)| flat(tree))
        .find(|path| path.rsplit("::").next() == Some(name.as_str()) && path.contains("::"))
        .and_then(|path| resolved(&base, &path, modules))
        .map(|(child, _)| child)
        .filter(|child| child.starts_with(&base));
    Some(exported.unwrap_or(base))
}

/// The module that a path leads into, and the next name in it.
fn resolved(module: &Module, path: &str, modules: &BTreeMap<Module, String>) -> Option<(Module, Option<String>)> {
    let mut parts = path.split("::").map(str::trim).peekable();
    let mut base: Module = match parts.peek()? {
        &"crate" => Module::new(),
        &("self" | "super") => module.clone(),
        first if modules.contains_key(&[module.as_slice(), &[(*first).to_owned()]].concat()) => module.clone(),
        _ => return None,
    };
    for part in parts {
        match part {
            "crate" | "self" => {}
            "super" => drop(base.pop()),
            part => {
                let below = [base.as_slice(), &[part.to_owned()]].concat();
                if !modules.contains_key(&below) {
                    return Some((base, Some(part.to_owned())));
                }
                base = below;
            }
        }
    }
    Some((base, None))
}

#[test]
fn no_circle_runs_through_the_modules_of_a_crate() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = std::fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path().join("src"));
    for source in crates.chain([root.join("src")]) {
        let modules = modules(&source);
        assert!(modules.len() > 3, "{} holds {} modules", source.display(), modules.len());
        let mut left: BTreeMap<&Module, BTreeSet<Module>> =
            modules.iter().map(|(module, code)| (module, named_by(module, code, &modules))).collect();
        while let Some(free) = left.iter().find(|(_, named)| named.is_empty()).map(|(module, _)| *module) {
            left.remove(free);
            for named in left.values_mut() {
                named.remove(free);
            }
        }
        assert!(left.is_empty(), "a circle goes through these modules of {}: {left:#?}", source.display());
    }
}

#[test]
fn a_circle_of_modules_is_seen_through_re_exports() {
    let modules: BTreeMap<Module, String> = [("a", ""), ("b", "mod c;\npub use c::{Other, Thing};"), ("b::c", "")]
        .into_iter()
        .map(|(path, code)| (path.split("::").map(str::to_owned).collect(), code.to_owned()))
        .collect();
    let named = named_by(&vec!["a".to_owned()], "use super::b::{Thing, elsewhere};", &modules);
    assert_eq!(named.into_iter().collect::<Vec<_>>(), [vec!["b"], vec!["b", "c"]]);
}

#[test]
fn a_circle_of_modules_is_seen_in_groups_and_paths() {
    assert_eq!(flat("super::{a::{b, C}, d}"), ["super::a::b", "super::a::C", "super::d"]);
    let code = "use super::{b::Thing, other};\nfn f() { crate::c::d::run() }";
    let modules = ["a", "b", "c"].map(|name| (vec![name.to_owned()], String::new()));
    let modules: BTreeMap<Module, String> =
        modules.into_iter().chain([(vec!["c".to_owned(), "d".to_owned()], String::new())]).collect();
    let named = named_by(&vec!["a".to_owned()], code, &modules);
    assert_eq!(named.into_iter().collect::<Vec<_>>(), [vec!["b"], vec!["c", "d"]]);
}
