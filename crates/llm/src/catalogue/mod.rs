//! The catalogue of models (`AHA_LLM_CONFIG`): a YAML file goes in, a checked [`Catalogue`] comes out, or all that is wrong with it at
//! once. Read with the settings; the router and the commands go by it.
//!
//! The way of the file: `tree` makes nodes with lines of it, `raw` reads each entry's values over the defaults at the root through
//! a `sheet`, which resolves variables of the `environment` and notes each `problem`; `entry` completes and checks them,
//! `links` the names by which entries and tasks refer to each other, and `vectors` whether those of the task `embed` can make any.

mod entry;
mod environment;
mod links;
mod problem;
mod raw;
mod sheet;
#[cfg(test)]
mod tests;
mod tree;
mod vectors;

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use aha_core::model::{ModelRef, Provider};
use aha_core::topic::BudgetTier;

pub use entry::{CapabilitySettings, CatalogueEntry, LimitSettings, TimeoutSettings};
pub use environment::Environment;
pub use links::TaskModels;
pub use problem::CatalogueProblem;
pub use raw::ResponseFormat;
pub use tree::yaml_to_json;

use entry::Place;
use links::Tasks;
use raw::RawEntry;
use sheet::{Sheet, below};
use tree::{MAX_BYTES, Node, Pair, Value};

use crate::tasks::Task;

/// Of an entry alone: the same for all would be a mistake.
const NEVER_DEFAULTS: [&str; 2] = ["model", "fallbacks"];

/// The models that are configured by file, and the tasks they serve.
#[derive(Debug, Clone)]
pub struct Catalogue {
    pub file: PathBuf,
    pub entries: BTreeMap<ModelRef, CatalogueEntry>,
    pub tasks: BTreeMap<Task, TaskModels>,
    /// Those that make vectors.
    pub embed: Option<TaskModels>,
}

impl Catalogue {
    /// Reads a file. `timeout`: seconds that a whole call is given where an entry does not say.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn load(path: &Path, environment: &Environment, timeout: Option<u64>) -> Result<Self, Vec<CatalogueProblem>> {
        let file = path.display().to_string();
        let text = read(path).map_err(|what| vec![of_file(&file, &what)])?;
        let mut sheet = Sheet::new(file, environment);
        let (entries, Tasks { by_task, embed }) = document(&mut sheet, &text, timeout);
        let mut problems = sheet.problems;
        if problems.is_empty() {
            let embed = embed.map(|embed| embed.value);
            return Ok(Self { file: path.to_owned(), entries, tasks: by_task, embed });
        }
        problems.sort_by(|a, b| (a.line, &a.path).cmp(&(b.line, &b.path)));
        Err(problems)
    }

    /// The model of a task at a tier, and those asked when it fails; empty where the file names none.
    #[must_use]
    pub fn chain(&self, task: Task, tier: BudgetTier) -> Vec<(&ModelRef, &CatalogueEntry)> {
        let first = self.tasks.get(&task).and_then(|models| models.of(tier));
        first.map_or_else(Vec::new, |first| links::chain(&self.entries, first))
    }

    /// The model that makes a tier's vectors.
    #[must_use]
    pub fn embedder(&self, tier: BudgetTier) -> Option<(&ModelRef, &CatalogueEntry)> {
        self.entries.get_key_value(self.embed.as_ref()?.of(tier)?)
    }

    /// Whether the file names a model for a task.
    #[must_use]
    pub fn serves(&self, task: Task) -> bool {
        self.tasks.contains_key(&task)
    }

    /// Entries without a price: a cap, where one is set, could not hold them.
    #[must_use]
    pub fn unpriced(&self) -> Vec<CatalogueProblem> {
        let unpriced = self.entries.iter().filter(|(_, entry)| entry.price.is_none());
        let problem = |(name, entry): (&ModelRef, &CatalogueEntry)| {
            CatalogueProblem {
            file: self.file.display().to_string(),
            line: Some(entry.line),
            path: below(&below("models", &name.to_string()), "prices"),
            what: "it is missing: it wants credits for a million tokens (0 for a server of your own), because a budget is set"
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

/// The file's text; never more of it than a catalogue can have.
fn read(path: &Path) -> Result<String, String> {
    let unreadable = |error: std::io::Error| format!("AHA_LLM_CONFIG wants a YAML file that can be read ({error})");
    if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err("AHA_LLM_CONFIG wants a YAML file that can be read, and this is no file".to_owned());
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

fn document(sheet: &mut Sheet<'_>, text: &str, timeout: Option<u64>) -> Contents {
    let mut faults = Vec::new();
    let root = tree::parse(text, &mut faults);
    for fault in faults.into_iter().chain(root.as_ref().err().cloned()) {
        sheet.problem(fault.line, "", fault.what, "");
    }
    let Ok(root) = root else { return Contents::default() };
    let root = root.unwrap_or(Node { line: 1, value: Value::Map(Vec::new()) });
    let pairs = sheet.map(&root, "", ("models by name", "models: { openai/gpt-5-mini: {} }"));
    let section = |name: &str| pairs.iter().find(|pair| pair.key == name);
    let defaults = defaults(sheet, pairs);
    let Some(models) = section("models") else {
        sheet.problem(root.line, "models", "it is missing", "models: { openai/gpt-5-mini: {} }");
        return Contents::default();
    };
    let (places, raws) = entries(sheet, &models.node, &defaults);
    links::fallbacks(sheet, &raws);
    let tasks = section("tasks").map(|tasks| links::tasks(sheet, &tasks.node, &raws)).unwrap_or_default();
    let mut entries = BTreeMap::new();
    for (name, (path, raw)) in raws {
        let (provider, line) = places[&name];
        let place = Place { name: &name, provider, line, path: &path };
        if let Some(entry) = CatalogueEntry::of(sheet, &place, raw, timeout) {
            entries.insert(name, entry);
        }
    }
    if let Some(embed) = &tasks.embed {
        vectors::check(sheet, embed, &entries);
    }
    (entries, tasks)
}

/// What stands at the root beside models and tasks, read once for itself so that what is wrong with it is said once, at its place.
fn defaults(sheet: &mut Sheet<'_>, pairs: &[Pair]) -> Node {
    let mut defaults = Vec::new();
    for pair in pairs.iter().filter(|pair| pair.key != "models" && pair.key != "tasks") {
        if NEVER_DEFAULTS.contains(&pair.key.as_str()) {
            sheet.problem(pair.line, &pair.key, "it belongs to an entry below models, not to all of them", "");
        } else if raw::KEYS.contains(&pair.key.as_str()) {
            defaults.push(pair.clone());
        } else {
            sheet.unknown(pair, &pair.key, &[&["models", "tasks"], &raw::KEYS[..]].concat());
        }
    }
    let _ = RawEntry::read(sheet, &defaults, "");
    Node { line: 1, value: Value::Map(defaults) }
}

type Places = BTreeMap<ModelRef, (Provider, usize)>;

fn entries(sheet: &mut Sheet<'_>, models: &Node, defaults: &Node) -> (Places, BTreeMap<ModelRef, (String, RawEntry)>) {
    let (mut places, mut raws) = (Places::new(), BTreeMap::new());
    let pairs = sheet.map(models, "models", ("models by name", "models: { openai/gpt-5-mini: {} }"));
    if pairs.is_empty() {
        sheet.problem(models.line, "models", "it names no model", "models: { openai/gpt-5-mini: {} }");
    }
    for pair in pairs {
        let path = below("models", &pair.key);
        let name = sheet.model(&pair.key, pair.line, &path);
        let _ = sheet.map(&pair.node, &path, ("the model's settings", "openai/gpt-5-mini: { temperature: 0.2 }"));
        let own = if pair.node.map().is_some() { pair.node.clone() } else { empty(pair.line) };
        let merged = own.over(defaults);
        let raw = RawEntry::read(sheet, merged.map().unwrap_or_default(), &path);
        if let Some((provider, name)) = name {
            places.insert(name.clone(), (provider, pair.line));
            raws.insert(name, (path, raw));
        }
    }
    (places, raws)
}

const fn empty(line: usize) -> Node {
    Node { line, value: Value::Map(Vec::new()) }
}
