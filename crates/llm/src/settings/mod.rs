//! The settings of models and budgets: `AHA_BUDGET_*` and `AHA_LLM_*`, together with `OPENAI_*` and the catalogue.

mod embed;
pub(crate) mod general;
pub mod openai;
mod prices;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use aha_core::budget::{BudgetPolicy, Caps};
use aha_core::money::MicroCredits;
use aha_core::settings::{Reader, field_names, number, size};
use aha_core::topic::BudgetTier;
use aha_net::endpoint::{http_url, is_local_network};
use serde::Deserialize;

use crate::catalogue::{Catalogue, CatalogueProblem, Environment};
use crate::tasks::{self, Task, TaskVariables};

pub use embed::{EmbedLimits, EmbedModel, EmbedSettings};
pub use openai::{Effort, OpenAiSettings, PricedModel, TaskSettings};

use embed::RawEmbed;
use general::RawGeneral;
use openai::RawTask;

/// Spending limits (`AHA_BUDGET_*`).
#[derive(Debug, Clone, Copy, Default)]
pub struct BudgetSettings {
    pub caps: Caps,
    pub policy: BudgetPolicy,
}

/// Settings of models (`OPENAI_*`, `AHA_LLM_*`).
#[derive(Debug, Clone)]
pub struct LlmSettings {
    /// Serves the tasks for which the catalogue names no model; where there is neither, `local` does.
    pub openai: Option<OpenAiSettings>,
    /// The models of the file that `AHA_LLM_CONFIG` names.
    pub catalogue: Option<Catalogue>,
    pub egress: Egress,
    /// Tasks that `local` does where every model called has failed.
    pub local_fallback: BTreeSet<Task>,
    /// Limits and reasoning effort of each task, for any model.
    pub tasks: BTreeMap<Task, TaskSettings>,
    /// The embedding server where the catalogue names no embedding model; where there is neither, texts are compared
    /// by their words.
    pub embed: Option<EmbedSettings>,
    pub embed_limits: EmbedLimits,
    /// A folder of weights that makes the vectors in place of a provider.
    pub embed_model_dir: Option<PathBuf>,
    /// A folder with a sentence model, for questions.
    pub sentence_model_dir: Option<PathBuf>,
    /// Settings without effect, reported by `doctor` and at the start of a run.
    pub notes: Vec<String>,
    /// Stories in one triage call, 1–50.
    pub triage_batch_size: usize,
    /// Concurrent calls, 1–256.
    pub concurrency: usize,
    /// The language of summaries: a name or a tag; empty for the language of the text.
    pub language: String,
    /// A folder with the user's own prompts, laid out like `prompts/`.
    pub prompts: Option<PathBuf>,
}

impl LlmSettings {
    /// Returns the maximum characters of one story's text for a model of the task; `None` where none is configured.
    #[must_use]
    pub fn max_input_chars(&self, task: Task) -> Option<usize> {
        self.task(task).map(|settings| settings.max_input_chars)
    }

    /// Returns the maximum characters of a title for a model of the task; `None` where none is configured.
    #[must_use]
    pub fn max_title_chars(&self, task: Task) -> Option<usize> {
        self.task(task).map(|settings| settings.max_title_chars)
    }

    fn task(&self, task: Task) -> Option<&TaskSettings> {
        let of_catalogue = self.catalogue.as_ref().filter(|catalogue| catalogue.serves(task)).map(|_| &self.tasks);
        of_catalogue.or_else(|| self.openai.as_ref().map(|openai| &openai.tasks))?.get(&task)
    }

    /// Whether any model but `local` is configured for any task.
    #[must_use]
    pub fn has_models(&self) -> bool {
        self.openai.is_some() || self.catalogue.as_ref().is_some_and(|catalogue| !catalogue.tasks.is_empty())
    }

    /// Whether an embedding model of a provider is configured, and embedding is enabled.
    #[must_use]
    pub fn has_vectors(&self) -> bool {
        let of_catalogue = self.catalogue.as_ref().is_some_and(|catalogue| catalogue.embed.is_some());
        self.embed_model_dir.is_none()
            && self.embed_limits.max_items_per_run > 0
            && (of_catalogue || self.embed.is_some())
    }
}

/// Where models may be (`AHA_EGRESS`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Egress {
    #[default]
    Any,
    /// Only on this machine or a private network.
    Local,
}

impl FromStr for Egress {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "any" => Ok(Self::Any),
            "local" => Ok(Self::Local),
            _ => Err(()),
        }
    }
}

/// Parses `none`, `all`, or a comma-separated list of tasks that `local` can do.
fn tasks_of_fallback(text: &str) -> Option<BTreeSet<Task>> {
    let tasks = tasks::ALL.iter().copied().filter(|task| task.is_done_by_local());
    match text.trim() {
        "none" => Some(BTreeSet::new()),
        "all" => Some(tasks.collect()),
        listed => listed.split(',').map(|name| tasks.clone().find(|task| task.as_str() == name.trim())).collect(),
    }
}

/// The raw variables; all are optional. Those of `OPENAI_*` are read by their prefix.
#[derive(Debug, Default, Deserialize)]
pub struct RawSettings {
    aha_budget_run_credits: Option<String>,
    aha_budget_daily_credits: Option<String>,
    aha_budget_monthly_credits: Option<String>,
    aha_budget_policy: Option<String>,
    ollama_base_url: Option<String>,
    aha_egress: Option<String>,
    aha_llm_local_fallback: Option<String>,
    aha_llm_config: Option<String>,
    aha_embed_model_dir: Option<String>,
    aha_sentence_model_dir: Option<String>,
    aha_llm_concurrency: Option<String>,
    aha_llm_timeout_seconds: Option<String>,
    aha_language: Option<String>,
    aha_prompts: Option<String>,
    aha_triage_batch_size: Option<String>,
}

/// Returns the names of all variables that are read here.
#[must_use]
pub fn variable_names() -> Vec<String> {
    let mut names: Vec<String> = field_names::<RawSettings>().iter().map(|field| field.to_uppercase()).collect();
    let mut add = |prefix: &str, fields: &[&str]| {
        names.extend(fields.iter().map(|field| format!("{prefix}{}", field.to_uppercase())));
    };
    add("OPENAI_", field_names::<RawGeneral>());
    add("OPENAI_EMBED_", field_names::<RawEmbed>());
    for task in tasks::ALL.iter().copied().filter(|task| task.spec().settings == TaskVariables::All) {
        add(&openai::task_prefix(task), field_names::<RawTask>());
    }
    names.extend(model_variables());
    names
}

/// Returns the variables `OPENAI_<NAME>_MODEL` of tasks that have no other variables.
fn model_variables() -> Vec<String> {
    let tasks = tasks::ALL.iter().copied().filter(|task| task.spec().settings == TaskVariables::ModelAlone);
    tasks.map(|task| format!("{}MODEL", openai::task_prefix(task))).collect()
}

/// Returns prefixes that only variables of this program have.
#[must_use]
pub fn own_prefixes() -> Vec<String> {
    let others = ["OPENAI_EMBED_", "OPENAI_CREDITS_"].map(str::to_owned);
    tasks::ALL.iter().copied().map(openai::task_prefix).chain(others).collect()
}

/// Reads the spending limits from `AHA_BUDGET_*`.
pub fn budget(reader: &mut Reader, raw: &mut RawSettings) -> BudgetSettings {
    let mut cap = |text: &mut Option<String>, name| {
        reader.maybe(text.take(), (name, "credits, of at most six decimals", "2.5"), MicroCredits::parse_credits)
    };
    let caps = Caps {
        run: cap(&mut raw.aha_budget_run_credits, "AHA_BUDGET_RUN_CREDITS"),
        day: cap(&mut raw.aha_budget_daily_credits, "AHA_BUDGET_DAILY_CREDITS"),
        month: cap(&mut raw.aha_budget_monthly_credits, "AHA_BUDGET_MONTHLY_CREDITS"),
    };
    let expected = ("AHA_BUDGET_POLICY", "warn, fallback_low or stop", "warn");
    let policy = reader.or(raw.aha_budget_policy.take(), expected, BudgetPolicy::default(), |text| text.parse().ok());
    BudgetSettings { caps, policy }
}

/// Reads the settings of models. Problems of variables go to the reader, problems of the catalogue's file to
/// `of_catalogue`.
///
/// # Errors
/// When a variable is not valid text.
pub fn read(
    reader: &mut Reader,
    of_catalogue: &mut Vec<CatalogueProblem>,
    raw: &mut RawSettings,
    pairs: &[(String, String)],
    environment: &Environment,
) -> Result<LlmSettings, envy::Error> {
    let seconds = ("AHA_LLM_TIMEOUT_SECONDS", "seconds from 1 to 3600", "120");
    let timeout = reader.maybe(raw.aha_llm_timeout_seconds.take(), seconds, number(1, 3600));
    let is_alone = raw.aha_llm_config.is_none();
    let openai::Section { openai, tasks, embed, embed_limits, notes } = openai::read(pairs, timeout, is_alone, reader)?;
    let base = ("OLLAMA_BASE_URL", "the http(s) URL of an Ollama server", "http://127.0.0.1:11434");
    let _ = general::address(reader, raw.ollama_base_url.take(), base, http_url);
    let egress = ("AHA_EGRESS", "any or local", "local");
    let tasks_of_local = tasks::ALL.iter().copied().filter(|task| task.is_done_by_local()).map(Task::as_str);
    let tasks_of_local = format!("none, all, or some of {}", tasks_of_local.collect::<Vec<_>>().join(", "));
    let fallback = ("AHA_LLM_LOCAL_FALLBACK", tasks_of_local.as_str(), "triage");
    let stories = ("AHA_TRIAGE_BATCH_SIZE", "a number of stories from 1 to 50", "10");
    let calls = ("AHA_LLM_CONCURRENCY", "a number of calls from 1 to 256", "4");
    // As in a catalogue: several calls at once make a server of one's own no faster.
    let is_own = is_alone && openai.as_ref().is_some_and(|openai| is_local_network(&openai.endpoint));
    let usual_calls = if is_own { 1 } else { 4 };
    let language = ("AHA_LANGUAGE", "the name or tag of a language", "German");
    Ok(LlmSettings {
        openai,
        catalogue: raw
            .aha_llm_config
            .take()
            .and_then(|path| catalogue(of_catalogue, path.trim(), environment, timeout)),
        egress: reader.or(raw.aha_egress.take(), egress, Egress::default(), |text| text.parse().ok()),
        local_fallback: reader.or(raw.aha_llm_local_fallback.take(), fallback, BTreeSet::new(), tasks_of_fallback),
        tasks,
        embed: embed.filter(|_| raw.aha_embed_model_dir.is_none()),
        embed_limits,
        embed_model_dir: raw.aha_embed_model_dir.take().map(PathBuf::from),
        sentence_model_dir: raw.aha_sentence_model_dir.take().map(PathBuf::from),
        notes,
        triage_batch_size: size(reader.or(raw.aha_triage_batch_size.take(), stories, 10, number(1, 50))),
        concurrency: size(reader.or(raw.aha_llm_concurrency.take(), calls, usual_calls, number(1, 256))),
        language: reader.or(raw.aha_language.take(), language, String::new(), |text| {
            let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '(' | ')');
            (text.chars().count() <= 40 && text.chars().all(plain)).then(|| text.to_owned())
        }),
        prompts: raw.aha_prompts.take().map(PathBuf::from),
    })
}

fn catalogue(
    of_catalogue: &mut Vec<CatalogueProblem>,
    path: &str,
    environment: &Environment,
    timeout: Option<u64>,
) -> Option<Catalogue> {
    let read = Catalogue::load(Path::new(path), environment, timeout);
    read.map_err(|problems| of_catalogue.extend(problems)).ok()
}

/// The general prices, and an example of each.
const GENERAL_PRICES: [(&str, &str); 2] =
    [("OPENAI_CREDITS_PER_1K_INPUT_TOKENS", "0.00025"), ("OPENAI_CREDITS_PER_1K_OUTPUT_TOKENS", "0.002")];

/// Returns the general prices to set for a model of the task that has no price: those that neither the task nor all
/// have. If each of the two has one, the model is `OPENAI_MODEL`, for which those of the task do not count.
fn missing_prices(task: Task, pairs: &[(String, String)]) -> Vec<(&'static str, &'static str)> {
    let is_set = |name: &str| pairs.iter().any(|(known, _)| known == name);
    let of_task = |name: &str| name.replacen("OPENAI_", &openai::task_prefix(task), 1);
    let is_unset = |(name, _): &(&str, &str)| !is_set(name);
    let missing: Vec<_> =
        GENERAL_PRICES.into_iter().filter(|price| is_unset(price) && !is_set(&of_task(price.0))).collect();
    if missing.is_empty() { GENERAL_PRICES.into_iter().filter(is_unset).collect() } else { missing }
}

/// Reports models without a price if a cap is set: the cap could not be enforced. `pairs`: the variables that are set.
pub fn check_prices(
    reader: &mut Reader,
    of_catalogue: &mut Vec<CatalogueProblem>,
    budget: &BudgetSettings,
    llm: &mut LlmSettings,
    pairs: &[(String, String)],
) {
    if !budget.caps.is_set() {
        return;
    }
    of_catalogue.extend(llm.catalogue.iter().flat_map(Catalogue::unpriced));
    let expected = "credits for 1,000 tokens (0 for a server of your own), because a budget is set";
    let tasks = llm.openai.iter().flat_map(|openai| &openai.tasks);
    let mut unpriced: Vec<(&str, Task)> = Vec::new();
    for (task, settings) in tasks {
        for model in BudgetTier::ALL.into_iter().flat_map(|tier| settings.chain(tier)) {
            if model.price.is_none() && unpriced.iter().all(|(known, _)| *known != model.name) {
                unpriced.push((model.name, *task));
            }
        }
    }
    for (model, task) in unpriced {
        let expected = format!("what {model} costs, which may be asked for {}: {expected}", task.as_str());
        for (variable, example) in missing_prices(task, pairs) {
            reader.problem(variable, None, &expected, example);
        }
    }
    if let Some(embed) = llm.embed.take_if(|embed| embed.price.is_none())
        && embed.is_wanted()
    {
        reader.problem("OPENAI_EMBED_CREDITS_PER_1K_INPUT_TOKENS", None, expected, "0.00002");
    }
}
