//! The catalogue of models (`AHA_LLM_CONFIG`). Input: a YAML file. Output: a checked [`Catalogue`], or all of its
//! problems at once. It is read with the settings and used by the router and the commands.
//!
//! `aha-yaml` parses the file into nodes with line numbers, and `tree` merges each entry over the defaults at the root.
//! `raw` reads its values through a `reader`, which resolves variables of the `environment` and records each `problem`.
//! `entry` completes and checks the entries, `links` checks the names by which entries and tasks refer to each other,
//! and `vectors` checks that the models of the task `embed` can make vectors.

mod entry;
mod environment;
mod links;
mod problem;
mod raw;
mod reader;
#[cfg(test)]
mod tests;
mod tree;
mod vectors;

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use aha_core::model::{ModelRef, Provider};
use aha_core::topic::BudgetTier;
use aha_yaml::{Node, Pair, Value};

pub use entry::{CapabilitySettings, CatalogueEntry, LimitSettings, TimeoutSettings};
pub use environment::Environment;
pub use links::TaskModels;
pub use problem::CatalogueProblem;
pub use raw::ResponseFormat;
pub use tree::yaml_to_json;

use entry::EntryLocation;
use links::Tasks;
use raw::RawEntry;
use reader::{CatalogueReader, below};
use tree::{LIMITS, MAX_BYTES};

use crate::tasks::Task;

/// Keys that are allowed only in an entry: one value for all models would be a mistake.
const NEVER_DEFAULTS: [&str; 3] = [PROVIDER_KEY, "model", "fallbacks"];
/// The key that may repeat the provider of an entry's name.
const PROVIDER_KEY: &str = "provider";

/// The models that are configured in the file, and the tasks they serve.
#[derive(Debug, Clone)]
pub struct Catalogue {
    pub file: PathBuf,
    pub entries: BTreeMap<ModelRef, CatalogueEntry>,
    pub tasks: BTreeMap<Task, TaskModels>,
    /// The embedding models.
    pub embed: Option<TaskModels>,
}

impl Catalogue {
    /// Reads a file. `timeout`: seconds for a whole call where an entry gives none.
    ///
    /// # Errors
    /// All problems of the file.
    pub fn load(path: &Path, environment: &Environment, timeout: Option<u64>) -> Result<Self, Vec<CatalogueProblem>> {
        let file = path.display().to_string();
        let text = read(path).map_err(|what| vec![of_file(&file, &what)])?;
        let mut reader = CatalogueReader::new(file, environment);
        let (entries, Tasks { by_task, embed }) = document(&mut reader, &text, timeout);
        let mut problems = reader.problems;
        if problems.is_empty() {
            let embed = embed.map(|embed| embed.value);
            return Ok(Self { file: path.to_owned(), entries, tasks: by_task, embed });
        }
        problems.sort_by(|a, b| (a.line, &a.path).cmp(&(b.line, &b.path)));
        Err(problems)
    }

    /// Returns the model of a task at a tier followed by its fallbacks; empty where the file names none.
    #[must_use]
    pub fn chain(&self, task: Task, tier: BudgetTier) -> Vec<(&ModelRef, &CatalogueEntry)> {
        let first = self.tasks.get(&task).and_then(|models| models.of(tier));
        first.map_or_else(Vec::new, |first| links::chain(&self.entries, first))
    }

    /// Returns the embedding model of a tier.
    #[must_use]
    pub fn embedder(&self, tier: BudgetTier) -> Option<(&ModelRef, &CatalogueEntry)> {
        self.entries.get_key_value(self.embed.as_ref()?.of(tier)?)
    }

    /// Whether the file names a model for a task.
    #[must_use]
    pub fn serves(&self, task: Task) -> bool {
        self.tasks.contains_key(&task)
    }

    /// Returns entries without a price, on which a cap could not be enforced.
    #[must_use]
    pub fn unpriced(&self) -> Vec<CatalogueProblem> {
        let unpriced = self.entries.iter().filter(|(_, entry)| entry.price.is_none());
        let problem = |(name, entry): (&ModelRef, &CatalogueEntry)| {
            CatalogueProblem {
            file: self.file.display().to_string(),
            line: Some(entry.line),
            path: below(&below("models", &name.to_string()), "prices"),
            what: "it is missing: it expects credits for a million tokens (0 for a server of your own), because a budget is set"
                .to_owned(),
            example: "prices: { input: 0.25, output: 2 }".to_owned(),
        }
        };
        unpriced.map(problem).collect()
    }
}

fn of_file(file: &str, what: &str) -> CatalogueProblem {
    let example = "AHA_LLM_CONFIG=config/llms/openai.yaml".to_owned();
    CatalogueProblem { file: file.to_owned(), line: None, path: String::new(), what: what.to_owned(), example }
}

/// Reads the file's text, at most [`MAX_BYTES`].
fn read(path: &Path) -> Result<String, String> {
    let unreadable = |error: std::io::Error| format!("AHA_LLM_CONFIG expects a YAML file that can be read ({error})");
    if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err("AHA_LLM_CONFIG expects a YAML file that can be read, and this is no file".to_owned());
    }
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("it is larger than {MAX_BYTES} bytes, which no catalogue is"));
    }
    let text = String::from_utf8(bytes).map_err(|_| "it is no UTF-8 text".to_owned())?;
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

type Contents = (BTreeMap<ModelRef, CatalogueEntry>, Tasks);

fn document(reader: &mut CatalogueReader<'_>, text: &str, timeout: Option<u64>) -> Contents {
    let mut faults = Vec::new();
    let root = aha_yaml::parse(text, LIMITS, &mut faults);
    for fault in faults.into_iter().chain(root.as_ref().err().cloned()) {
        reader.problem(fault.line, "", fault.what, "");
    }
    let Ok(root) = root else { return Contents::default() };
    let root = root.unwrap_or(Node { line: 1, value: Value::Map(Vec::new()) });
    let pairs = reader.map(&root, "", ("models by name", "models: { openai/gpt-5-mini: {} }"));
    let section = |name: &str| pairs.iter().find(|pair| pair.key == name);
    let defaults = defaults(reader, pairs);
    let Some(models) = section("models") else {
        reader.problem(root.line, "models", "it is missing", "models: { openai/gpt-5-mini: {} }");
        return Contents::default();
    };
    let (locations, raws) = entries(reader, &models.node, &defaults);
    links::fallbacks(reader, &raws);
    let tasks = section("tasks").map(|tasks| links::tasks(reader, &tasks.node, &raws)).unwrap_or_default();
    let mut entries = BTreeMap::new();
    for (name, (path, raw)) in raws {
        let (provider, line) = locations[&name];
        let location = EntryLocation { name: &name, provider, line, path: &path };
        if let Some(entry) = CatalogueEntry::of(reader, &location, raw, timeout) {
            entries.insert(name, entry);
        }
    }
    if let Some(embed) = &tasks.embed {
        vectors::check(reader, embed, &entries);
    }
    (entries, tasks)
}

/// Returns the keys at the root other than models and tasks. They are read once by themselves, so that each problem is
/// reported once, at its own line.
fn defaults(reader: &mut CatalogueReader<'_>, pairs: &[Pair]) -> Node {
    let mut defaults = Vec::new();
    for pair in pairs.iter().filter(|pair| pair.key != "models" && pair.key != "tasks") {
        if NEVER_DEFAULTS.contains(&pair.key.as_str()) {
            reader.problem(pair.line, &pair.key, "it belongs to an entry below models, not to all of them", "");
        } else if raw::KEYS.contains(&pair.key.as_str()) {
            defaults.push(pair.clone());
        } else {
            reader.unknown(pair, &pair.key, &[&["models", "tasks"], &raw::KEYS[..]].concat());
        }
    }
    let _ = RawEntry::read(reader, &defaults, "");
    Node { line: 1, value: Value::Map(defaults) }
}

type EntryLocations = BTreeMap<ModelRef, (Provider, usize)>;

fn entries(
    reader: &mut CatalogueReader<'_>,
    models: &Node,
    defaults: &Node,
) -> (EntryLocations, BTreeMap<ModelRef, (String, RawEntry)>) {
    let (mut locations, mut raws) = (EntryLocations::new(), BTreeMap::new());
    let pairs = reader.map(models, "models", ("models by name", "models: { openai/gpt-5-mini: {} }"));
    if pairs.is_empty() {
        reader.problem(models.line, "models", "it names no model", "models: { openai/gpt-5-mini: {} }");
    }
    for pair in pairs {
        let path = below("models", &pair.key);
        let name = reader.model(&pair.key, pair.line, &path);
        let _ = reader.map(&pair.node, &path, ("the model's settings", "openai/gpt-5-mini: { temperature: 0.2 }"));
        let mut own = if pair.node.map().is_some() { pair.node.clone() } else { empty(pair.line) };
        take_provider(reader, &mut own, name.as_ref().map(|(_, name)| name), &path);
        let merged = tree::over(own, defaults);
        let raw = RawEntry::read(reader, merged.map().unwrap_or_default(), &path);
        if let Some((provider, name)) = name {
            locations.insert(name.clone(), (provider, pair.line));
            raws.insert(name, (path, raw));
        }
    }
    (locations, raws)
}

/// Removes the key that repeats the provider, which the entry's name has before the slash; another one is a problem.
fn take_provider(reader: &mut CatalogueReader<'_>, entry: &mut Node, name: Option<&ModelRef>, path: &str) {
    let Value::Map(pairs) = &mut entry.value else { return };
    let Some(at) = pairs.iter().position(|pair| pair.key == PROVIDER_KEY) else { return };
    let Pair { line, node, .. } = pairs.remove(at);
    let is_the_same = |name: &ModelRef| matches!(&node.value, Value::Scalar { text, .. } if *text == name.provider);
    if let Some(name) = name.filter(|name| !is_the_same(name)) {
        let what = format!("the provider of this entry is {}, the part of its name before the slash", name.provider);
        reader.problem(line, &below(path, PROVIDER_KEY), what, format!("{PROVIDER_KEY}: {}", name.provider));
    }
}

const fn empty(line: usize) -> Node {
    Node { line, value: Value::Map(Vec::new()) }
}
