//! Which variables are settings of this program, and which look as if they were meant to be.
//!
//! Comes in: the names that are set, those of the structures that they are read into, those that a catalogue refers to. Goes out: the
//! names that set nothing, each with the nearest that would. A cap that is misspelt is no cap.

use std::collections::BTreeSet;
use std::fmt;

use aha_core::settings::field_names;
use aha_llm::settings::{own_prefixes, variable_names};

use super::Raw;

/// A variable that is set and sets nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownSetting {
    pub name: String,
    /// The setting that was probably meant.
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

/// Providers' names that other programs read, too: only what is nearly one of ours was meant for us.
const SHARED_PREFIXES: [&str; 5] = ["OPENAI_", "ANTHROPIC_", "GEMINI_", "OLLAMA_", "REDDIT_"];
/// How nearly: letters that are missing, too many, wrong or in each other's place.
const NEAR: usize = 2;
/// Beyond that, a name of our own is said to be unknown without a guess.
const FAR: f64 = 0.8;

/// Of this repository's scripts, benches and tests, which start the program with them in the environment.
const OF_TOOLS: [&str; 8] =
    ["AHA_TEST_", "AHA_BENCH_", "AHA_PEERS_", "AHA_FUZZ_", "AHA_SCALE_", "AHA_RADAR_", "AHA_RADAR", "AHA_BIN"];
/// Read by builds with debug assertions alone.
const OF_DEBUG_BUILDS: [&str; 7] = [
    "AHA_FAILPOINT",
    "AHA_FAILPOINT_LOG",
    "AHA_FAILPOINT_SIGNAL",
    "AHA_RETRY_MS",
    "AHA_HEARTBEAT_MS",
    "AHA_NOTES_QUIET_MS",
    "AHA_SQLITE_MAX_PAGES",
];

/// Those of the names that set nothing, in their order. `referred`: names that the catalogue's file refers to, whatever they are.
pub(super) fn unknown<'a>(set: impl Iterator<Item = &'a str>, referred: &BTreeSet<String>) -> Vec<UnknownSetting> {
    let known = known();
    let mut found: Vec<UnknownSetting> = set
        .filter(|name| !known.iter().any(|known| known == name) && !referred.contains(*name))
        .filter_map(|name| look_at(name, &known))
        .collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

fn look_at(name: &str, known: &[String]) -> Option<UnknownSetting> {
    let distance = |known: &&String| strsim::osa_distance(name, known);
    let unknown = |nearest: Option<&String>| UnknownSetting { name: name.to_owned(), nearest: nearest.cloned() };
    // A name that breaks off is nearer to what it begins than to what has as many letters.
    let whole = known.iter().filter(|known| known.strip_prefix(name).is_some_and(|rest| rest.starts_with('_')));
    let nearest = whole.min_by_key(|known| known.len()).or_else(|| known.iter().min_by_key(distance));
    let is_near = nearest.as_ref().is_some_and(|nearest| distance(nearest) <= NEAR);
    if name.starts_with("AHA_") {
        let is_of_tools =
            OF_TOOLS.iter().any(|tools| name == *tools || tools.ends_with('_') && name.starts_with(tools));
        let is_of_debug = cfg!(debug_assertions) && OF_DEBUG_BUILDS.contains(&name);
        let guess = nearest.filter(|nearest| {
            is_near || nearest.starts_with(name) || strsim::normalized_levenshtein(name, nearest) >= FAR
        });
        return (!is_of_tools && !is_of_debug).then(|| unknown(guess));
    }
    let begins_as_ours = own_prefixes().iter().any(|prefix| name.starts_with(prefix));
    let is_providers = SHARED_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    (is_providers && (is_near || begins_as_ours)).then(|| unknown(nearest))
}

/// Every setting there is.
fn known() -> Vec<String> {
    let mut known: Vec<String> = field_names::<Raw>().iter().map(|field| field.to_uppercase()).collect();
    known.extend(super::web::variable_names());
    known.extend(variable_names());
    known.extend(super::SHARED.map(str::to_owned));
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(names: &[&str]) -> Vec<(String, Option<String>)> {
        let found = unknown(names.iter().copied(), &BTreeSet::from(["AHA_OF_A_CATALOGUE".to_owned()]));
        found.into_iter().map(|unknown| (unknown.name, unknown.nearest)).collect()
    }

    #[test]
    fn what_is_misspelt_is_told_with_what_was_meant() {
        for (name, meant) in [
            ("AHA_BUGET_DAILY_CREDITS", Some("AHA_BUDGET_DAILY_CREDITS")),
            ("AHA_BUDGET_DAILY", Some("AHA_BUDGET_DAILY_CREDITS")),
            ("OPENAI_TRIAGE_MODLE", Some("OPENAI_TRIAGE_MODEL")),
            ("OPENAI_APIKEY", Some("OPENAI_API_KEY")),
            ("ANTHROPIC_APIKEY", Some("ANTHROPIC_API_KEY")),
            ("AHA_SHEDULE", Some("AHA_SCHEDULE")),
            ("AHA_COLOUR_OF_THE_SKY", None),
        ] {
            let found = said(&[name]);
            assert_eq!(found.len(), 1, "{name}");
            if let Some(meant) = meant {
                assert_eq!(found[0].1.as_deref(), Some(meant), "{name}");
            }
        }
        assert_eq!(said(&["OPENAI_TRIAGE_WISHES"]).len(), 1);
    }

    #[test]
    fn other_programs_names_and_those_of_a_catalogue_are_left_alone() {
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
        assert_eq!(said(&names), []);
    }

    /// The variables that `.env.example` sets, or would without the `#` in front.
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
