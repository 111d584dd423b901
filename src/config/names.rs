//! Finds variables that look like settings of this program but are not.
//!
//! Input: the names that are set, the field names of the settings structs, and the names that a catalogue refers to.
//! Output: the names without effect, each with the most similar setting. This matters because a misspelt cap would not
//! limit spending.

use std::collections::BTreeSet;
use std::fmt;

use aha_core::settings::field_names;
use aha_llm::settings::{own_prefixes, variable_names};

use super::Raw;

/// A variable that is set but has no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownSetting {
    pub name: String,
    /// The setting that was probably intended.
    pub nearest: Option<String>,
}

impl fmt::Display for UnknownSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is no setting of this program and changes nothing; ", self.name)?;
        match &self.nearest {
            Some(nearest) => write!(f, "set {nearest}, or unset it"),
            None => write!(f, "unset it (.env.example lists all settings)"),
        }
    }
}

/// Prefixes of provider settings that other programs also use. Only a name very similar to one of our settings counts
/// as unknown.
const SHARED_PREFIXES: [&str; 5] = ["OPENAI_", "ANTHROPIC_", "GEMINI_", "OLLAMA_", "REDDIT_"];
/// Maximum edit distance of a similar name (missing, extra, wrong or transposed letters).
const MAX_EDIT_DISTANCE: usize = 2;
/// Minimum similarity for a suggestion; below it, an unknown name with our prefix is reported without one.
const MIN_SIMILARITY: f64 = 0.8;

/// Variables of this repository's scripts, benchmarks and tests, which start the program with them in the environment.
const TOOL_VARIABLES: [&str; 8] =
    ["AHA_TEST_", "AHA_BENCH_", "AHA_PEERS_", "AHA_FUZZ_", "AHA_SCALE_", "AHA_RADAR_", "AHA_RADAR", "AHA_BIN"];
/// Read only by builds with debug assertions.
const DEBUG_VARIABLES: [&str; 12] = [
    "AHA_ANSWER_MS",
    "AHA_CIRCUIT_PAUSE_MS",
    "AHA_DATABASE_SILENCE_MS",
    "AHA_FAILPOINT",
    "AHA_FAILPOINT_LOG",
    "AHA_FAILPOINT_SIGNAL",
    "AHA_RETRY_MS",
    "AHA_HEARTBEAT_MS",
    "AHA_HTTP_SILENCE_MS",
    "AHA_NOTES_QUIET_MS",
    "AHA_PDF_MS",
    "AHA_SQLITE_MAX_PAGES",
];

/// Returns the names that set nothing, sorted. `referred`: names that the catalogue file refers to; they are never
/// reported.
pub(super) fn unknown<'a>(set: impl Iterator<Item = &'a str>, referred: &BTreeSet<String>) -> Vec<UnknownSetting> {
    let known = known();
    let mut found: Vec<UnknownSetting> = set
        .filter(|name| !known.iter().any(|known| known == name) && !referred.contains(*name))
        .filter_map(|name| check(name, &known))
        .collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

fn check(name: &str, known: &[String]) -> Option<UnknownSetting> {
    let is_ours = name.starts_with("AHA_");
    // Most variables of an environment belong to other programs. Comparing each with all known names would take most
    // of an unoptimised program's start.
    if !is_ours && !SHARED_PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
        return None;
    }
    let distance = |known: &&String| strsim::osa_distance(name, known);
    let unknown = |nearest: Option<&String>| UnknownSetting { name: name.to_owned(), nearest: nearest.cloned() };
    // A name that lacks some words is closer to the setting with these words than to one with as many letters.
    let has_words = |known: &&String| name.split('_').all(|word| known.split('_').any(|part| part == word));
    let with_words = known.iter().filter(has_words).min_by_key(|known| known.len());
    let nearest = with_words.or_else(|| known.iter().min_by_key(distance));
    let is_near = nearest.as_ref().is_some_and(|nearest| distance(nearest) <= MAX_EDIT_DISTANCE);
    if is_ours {
        let is_of_tools =
            TOOL_VARIABLES.iter().any(|tools| name == *tools || tools.ends_with('_') && name.starts_with(tools));
        let is_of_debug = cfg!(debug_assertions) && DEBUG_VARIABLES.contains(&name);
        let guess = nearest.filter(|nearest| {
            is_near
                || with_words.is_some()
                || nearest.starts_with(name)
                || strsim::normalized_levenshtein(name, nearest) >= MIN_SIMILARITY
        });
        return (!is_of_tools && !is_of_debug).then(|| unknown(guess));
    }
    let begins_as_ours = own_prefixes().iter().any(|prefix| name.starts_with(prefix));
    (is_near || begins_as_ours).then(|| unknown(nearest))
}

/// Returns the names of all settings.
fn known() -> Vec<String> {
    let mut known: Vec<String> = field_names::<Raw>().iter().map(|field| field.to_uppercase()).collect();
    known.extend(super::web::variable_names());
    known.extend(variable_names());
    known.extend(super::SHARED_NAMES.map(str::to_owned));
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(names: &[&str]) -> Vec<(String, Option<String>)> {
        let found = unknown(names.iter().copied(), &BTreeSet::from(["AHA_OF_A_CATALOGUE".to_owned()]));
        found.into_iter().map(|unknown| (unknown.name, unknown.nearest)).collect()
    }

    #[test]
    fn misspelt_settings_are_reported_with_a_suggestion() {
        for (name, meant) in [
            ("AHA_BUGET_DAILY_CREDITS", Some("AHA_BUDGET_DAILY_CREDITS")),
            ("AHA_BUDGET_DAILY", Some("AHA_BUDGET_DAILY_CREDITS")),
            ("OPENAI_TRIAGE_MODLE", Some("OPENAI_TRIAGE_MODEL")),
            ("OPENAI_TRIAGE_MAX_TOKENS", Some("OPENAI_TRIAGE_MAX_OUTPUT_TOKENS")),
            ("OPENAI_APIKEY", Some("OPENAI_API_KEY")),
            ("ANTHROPIC_APIKEY", Some("ANTHROPIC_API_KEY")),
            ("AHA_EMBED_DIR", Some("AHA_EMBED_MODEL_DIR")),
            ("AHA_SHEDULE", Some("AHA_SCHEDULE")),
            ("AHA_COLOUR_OF_THE_SKY", None),
        ] {
            let found = reported(&[name]);
            assert_eq!(found.len(), 1, "{name}");
            if let Some(meant) = meant {
                assert_eq!(found[0].1.as_deref(), Some(meant), "{name}");
            }
        }
        assert_eq!(reported(&["OPENAI_TRIAGE_WISHES"]).len(), 1);
    }

    #[test]
    fn names_of_other_programs_and_of_a_catalogue_are_ignored() {
        let names = [
            "OPENAI_ORG_ID",
            "OPENAI_ORGANIZATION",
            "OPENAI_API_TYPE",
            "OPENAI_API_BASE",
            "OPENAI_PROJECT",
            "ANTHROPIC_BASE_URL",
            "ANTHROPIC_MODEL",
            "GEMINI_MODEL",
            "OLLAMA_HOST",
            "OLLAMA_KEEP_ALIVE",
            "AHA_OF_A_CATALOGUE",
            "PATH",
        ];
        assert_eq!(reported(&names), []);
    }

    /// The variables that `.env.example` sets, including commented-out ones.
    fn exemplified() -> Vec<String> {
        let is_of_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let lines = include_str!("../../.env.example").lines();
        let pairs = lines.filter_map(|line| line.strip_prefix('#').unwrap_or(line).split_once('='));
        let names = pairs.map(|(name, _)| name).filter(|name| !name.is_empty() && name.chars().all(is_of_name));
        names.map(str::to_owned).collect()
    }

    #[test]
    fn the_example_names_each_setting_once_and_no_others() {
        let known: BTreeSet<String> = known().into_iter().collect();
        let exemplified = exemplified();
        let names: BTreeSet<String> = exemplified.iter().cloned().collect();
        assert_eq!(names.len(), exemplified.len(), "a setting stands twice in .env.example");
        let missing: Vec<_> = known.difference(&names).collect();
        let unread: Vec<_> = names.difference(&known).collect();
        assert!(
            missing.is_empty() && unread.is_empty(),
            "missing in .env.example: {missing:?}; read by nobody: {unread:?}"
        );
    }
}
