//! The layers of the product: interfaces parse, call services and render; they reach neither store nor gateway, and
//! modules depend on each other in one direction, those of the root and those within each crate.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

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

fn code(file: &Path) -> String {
    text_of(tokens(file))
}

/// Comments are no tokens, except documentation.
fn tokens(file: &Path) -> TokenStream {
    let text = std::fs::read_to_string(file).unwrap();
    TokenStream::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Without documentation, in which anything may be named, and without spaces except between words.
fn text_of(tokens: TokenStream) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut text = String::new();
    for token in tokens {
        let next = match token {
            TokenTree::Group(group) if text.ends_with(['#', '!']) && is_documentation(&group) => "[]".to_owned(),
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                format!("{open}{}{close}", text_of(group.stream()))
            }
            token => token.to_string(),
        };
        if text.ends_with(is_word) && next.starts_with(is_word) {
            text.push(' ');
        }
        text.push_str(&next);
    }
    text
}

/// Of an attribute's brackets.
fn is_documentation(group: &Group) -> bool {
    let first: Vec<TokenTree> = group.stream().into_iter().take(2).collect();
    matches!(&first[..], [TokenTree::Ident(name), TokenTree::Punct(sign)] if *name == "doc" && sign.as_char() == '=')
}

#[test]
fn faces_reach_neither_store_nor_gateway() {
    let interfaces = ["cli", "web"].map(|interface| rust_files(&source().join(interface))).concat();
    assert!(interfaces.len() > 40, "{} files are fewer than there were", interfaces.len());
    let mut reached = Vec::new();
    for file in interfaces {
        let code = code(&file);
        let found = BELOW_THE_FACES.iter().filter(|name| code.contains(**name));
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

/// The files of a crate's modules, from its roots down. A file may be several modules (`#[path]`).
fn files_of_modules(source: &Path) -> BTreeMap<Module, PathBuf> {
    let roots = [(Module::new(), "lib.rs"), (vec!["main".to_owned()], "main.rs")];
    let roots = roots.map(|(module, name)| (module, source.join(name)));
    let mut found: Vec<(Module, PathBuf)> = roots.into_iter().filter(|(_, file)| file.exists()).collect();
    let mut files = BTreeMap::new();
    while let Some((module, file)) = found.pop() {
        for (name, child) in children(&file) {
            found.push(([module.as_slice(), &[name]].concat(), child));
        }
        files.insert(module, file);
    }
    files
}

/// The modules that a file declares without their code (`mod name;`), and their files.
fn children(file: &Path) -> Vec<(String, PathBuf)> {
    let tokens: Vec<TokenTree> = tokens(file).into_iter().collect();
    let beside = file.parent().unwrap();
    let is_root = ["lib", "main", "mod"].iter().any(|name| file.file_stem().unwrap() == *name);
    let below = if is_root { beside.to_owned() } else { file.with_extension("") };
    let mut children = Vec::new();
    for (at, three) in tokens.windows(3).enumerate() {
        let [TokenTree::Ident(word), TokenTree::Ident(name), TokenTree::Punct(end)] = three else { continue };
        if *word != "mod" || end.as_char() != ';' {
            continue;
        }
        let name = name.to_string();
        let single = below.join(format!("{name}.rs"));
        let folder = below.join(&name).join("mod.rs");
        let usual = if single.exists() { single } else { folder };
        let child = path_attribute(&tokens[..at]).map_or(usual, |path| beside.join(path));
        children.push((name, child));
    }
    children
}

/// The path of `#[path = "…"]`, perhaps with `pub` or `pub(super)` after it, at the end of the tokens.
fn path_attribute(before: &[TokenTree]) -> Option<String> {
    let before = match before {
        [before @ .., TokenTree::Ident(_), TokenTree::Group(_)] | [before @ .., TokenTree::Ident(_)] => before,
        _ => before,
    };
    let [.., TokenTree::Punct(_), TokenTree::Group(attribute)] = before else { return None };
    let parts: Vec<TokenTree> = attribute.stream().into_iter().collect();
    let [TokenTree::Ident(name), TokenTree::Punct(_), TokenTree::Literal(path)] = &parts[..] else { return None };
    (*name == "path").then(|| syn::parse_str::<syn::LitStr>(&path.to_string()).unwrap().value())
}

/// The modules of a crate with their code, without unit tests.
fn modules(source: &Path) -> BTreeMap<Module, String> {
    let without_tests = |file: PathBuf| {
        let code = code(&file);
        code.split("#[cfg(test)]mod tests{").next().unwrap_or_default().to_owned()
    };
    files_of_modules(source).into_iter().map(|(module, file)| (module, without_tests(file))).collect()
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
        .find(|path| path.rsplit([':', ' ']).next() == Some(name.as_str()) && path.contains("::"))
        .and_then(|path| resolved(&base, &path, modules))
        .map(|(child, _)| child)
        .filter(|child| child.starts_with(&base));
    Some(exported.unwrap_or(base))
}

/// The module that a path leads into, and the next name in it.
fn resolved(module: &Module, path: &str, modules: &BTreeMap<Module, String>) -> Option<(Module, Option<String>)> {
    let path = path.split(" as ").next()?;
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

/// What both databases share is below what each does in its own way.
#[test]
fn the_tables_of_the_store_name_nothing_of_a_single_database() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/store/src");
    let (files, modules) = (files_of_modules(&source), modules(&source));
    let is_table = |module: &Module| files[module].parent().unwrap().ends_with("tables");
    let tables: Vec<&Module> = files.keys().filter(|module| is_table(module)).collect();
    assert!(tables.len() > 50, "{} are fewer than there were", tables.len());
    for table in tables {
        let named = named_by(table, &modules[table], &modules);
        let single: Vec<_> = named.iter().filter(|named| named[0] == table[0] && !is_table(named)).collect();
        assert!(single.is_empty(), "{table:?} names {single:?}: call it from there");
    }
}

#[test]
fn code_is_seen_behind_an_address_and_comments_are_not() {
    let text = "/// crate::a\nfn f() { g(\"https://h\"); crate::b::g() } // crate::c\n";
    assert_eq!(text_of(TokenStream::from_str(text).unwrap()), "#[]fn f(){g(\"https://h\");crate::b::g()}");
}

#[test]
fn a_circle_of_modules_is_seen_through_re_exports() {
    let modules: BTreeMap<Module, String> = [("a", ""), ("b", "mod c;\npub use c::{Other, Thing};"), ("b::c", "")]
        .into_iter()
        .map(|(path, code)| (path.split("::").map(str::to_owned).collect(), code.to_owned()))
        .collect();
    let named = named_by(&vec!["a".to_owned()], "use super::b::{Thing, elsewhere};", &modules);
    assert_eq!(named.into_iter().collect::<Vec<_>>(), [vec!["b"], vec!["b", "c"]]);
    let named = named_by(&vec!["a".to_owned()], "use super::{b as other, c};", &modules);
    assert_eq!(named.into_iter().collect::<Vec<_>>(), [vec!["b"]]);
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
