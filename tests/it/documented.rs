//! What the documentation says of the database and the settings, held against the database and the settings.

use std::collections::BTreeSet;

use aha_core::source::SourceKind;
use aha_core::topic::BudgetTier;
use aha_radar::config::Config;
use regex::Regex;

use crate::support::radar::{Engine, Radar, files_below, repository};
use crate::support::rows;
use aha_llm::tasks::{deep_summary, triage};

/// The first line of a query that is for one database alone.
const SQLITE: &str = "-- SQLite";
const POSTGRES: &str = "-- Postgres";

/// A query of the documentation, as each database spells it.
#[derive(Debug)]
struct Query {
    place: String,
    sqlite: String,
    postgres: String,
}

fn read(file: &str) -> String {
    std::fs::read_to_string(repository(file)).unwrap()
}

/// README.md and what is in docs/.
fn documents() -> Vec<String> {
    let folder = std::fs::read_dir(repository("docs")).unwrap();
    let paths = folder.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|of| of == "md"));
    let mut files: Vec<String> =
        paths.map(|path| format!("docs/{}", path.file_name().unwrap().to_str().unwrap())).collect();
    files.push("README.md".to_owned());
    files.sort();
    files
}

/// The blocks marked as `language`, each with the line it begins at.
fn blocks(text: &str, language: &str) -> Vec<(usize, String)> {
    let mut blocks = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        if line.strip_prefix("```").is_some_and(|info| info.split(' ').next() == Some(language)) {
            let block: Vec<&str> = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
            blocks.push((at + 1, block.join("\n")));
        }
    }
    blocks
}

fn queries() -> Vec<Query> {
    let mut queries = Vec::new();
    for file in documents() {
        let mut blocks = blocks(&read(&file), "sql").into_iter();
        while let Some((line, sql)) = blocks.next() {
            let place = format!("{file}:{line}");
            assert!(!sql.starts_with(POSTGRES), "{place}: the spelling of SQLite comes first");
            let postgres = if sql.starts_with(SQLITE) {
                let second = blocks.next().map(|(_, sql)| sql).filter(|sql| sql.starts_with(POSTGRES));
                second.unwrap_or_else(|| panic!("{place}: the spelling of Postgres is missing"))
            } else {
                sql.clone()
            };
            queries.push(Query { place, sqlite: sql, postgres });
        }
    }
    queries
}

/// With the digest of the example.
fn with_a_digest(engine: Engine) -> Radar {
    let radar = Radar::at("2026-11-19T07:00:00Z").on(engine);
    let examples = repository("examples/sources.opml");
    radar.ok(&["--run-once", "--import", &examples, "--window", "2026-11-16..2026-11-19"]);
    radar
}

/// Both spellings give the same columns and as many rows.
#[test]
fn every_query_runs_on_both_databases() {
    let (sqlite, postgres) = (with_a_digest(Engine::Sqlite), with_a_digest(Engine::Postgres));
    let (mut wrong, mut with_rows) = (Vec::new(), 0);
    let queries = queries();
    for Query { place, sqlite: here, postgres: there } in &queries {
        match (rows::found(&sqlite, here), rows::found(&postgres, there)) {
            (Ok(here), Ok(there)) if here == there => with_rows += usize::from(here.1 > 0),
            (here, there) => wrong.push(format!("{place}: SQLite {here:?}, Postgres {there:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(queries.len() >= 14 && with_rows >= 8, "{} queries, {with_rows} with rows", queries.len());
}

#[test]
fn the_newest_digest_tells_state_judge_and_summary() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let radar = with_a_digest(engine);
        let judged = "SELECT state || ' ' || judge FROM digest_latest GROUP BY 1";
        assert_eq!(rows::query(&radar, judged), ["judged local/briefing-1"], "{engine:?}");
        let first = rows::query(&radar, "SELECT summary FROM digest_latest WHERE rank = 1");
        assert_eq!(first, [radar.digest()["stories"][0]["summary"]["one_liner"].as_str().unwrap()], "{engine:?}");
        rows::execute(&radar, "UPDATE digest_items SET summary_json = NULL");
        rows::execute(
            &radar,
            "UPDATE digest_items SET state = 'failed', triage_json = NULL, aha_score = NULL WHERE rank = 1",
        );
        let failed = "SELECT rank FROM digest_latest WHERE state = 'failed' AND judge IS NULL AND summary IS NULL";
        assert_eq!(rows::number(&radar, failed), 1, "{engine:?}");
    }
}

/// The names in backticks of the first column of the table below a heading.
fn described(text: &str, heading: &str) -> BTreeSet<String> {
    let below = text.lines().skip_while(|line| *line != heading).skip(1).take_while(|line| !line.starts_with('#'));
    let cells = below.filter_map(|line| line.strip_prefix("| `").and_then(|rest| rest.split(" |").next()));
    cells.flat_map(|cell| cell.split(", ")).map(|name| name.trim_matches('`').to_owned()).collect()
}

#[test]
fn every_column_is_described() {
    let text = read("docs/OPERATING.md");
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let radar = Radar::at("2026-11-19T07:00:00Z").on(engine);
        radar.ok(&["init"]);
        for (table, columns) in rows::columns_of_tables(&radar) {
            if table != "_sqlx_migrations" {
                let columns: BTreeSet<String> = columns.into_iter().collect();
                assert_eq!(described(&text, &format!("### {table}")), columns, "{table}, {engine:?}");
            }
        }
        for (view, columns) in rows::columns_of_views(&radar) {
            let row = text.lines().find(|line| line.starts_with(&format!("| `{view}` |")));
            let described = row.and_then(|row| row.trim_end_matches(" |").rsplit(" | ").next());
            assert_eq!(described, Some(columns.join(", ").as_str()), "{view}, {engine:?}");
        }
    }
}

/// A model that thinks counts its thoughts as output: the defaults are for those that do not.
#[test]
fn every_kind_of_source_is_described() {
    let operating = read("docs/OPERATING.md");
    let row = operating.lines().find(|line| line.starts_with("| `kind` | the connector")).unwrap();
    for kind in SourceKind::ALL {
        assert!(row.contains(&format!("`{kind}`")), "{kind} is missing in {row}");
    }
    let help = Radar::at("2026-11-18T12:00:00Z").run(&["source", "add", "--help"]).exits(0).stdout;
    for name in ["hn:", "reddit:", "youtube:", "github:", "arxiv:", "lobsters", "signal:", "documents"] {
        assert!(help.contains(name), "{name} is missing in {help}");
    }
}

#[test]
fn decisions_are_numbered_without_gaps_and_listed() {
    let folder = std::fs::read_dir(repository("docs/decisions")).unwrap();
    let names = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let files: BTreeSet<String> = names.filter(|name| name != "README.md").collect();
    let list = read("docs/decisions/README.md");
    for (number, file) in (1..).zip(&files) {
        assert!(file.starts_with(&format!("{number:04}-")), "{file} is not number {number}");
        assert!(list.contains(&format!("({file})")), "{file} is not listed");
    }
}

/// Names with a part in capital letters are patterns.
#[test]
fn every_file_that_is_named_exists() {
    let folders =
        ["src", "crates", "tests", "scripts", "migrations", "models", "docs", "benches", "examples", ".cargo"];
    let mut files: Vec<String> = folders
        .iter()
        .flat_map(|folder| files_below(repository(folder).as_ref()))
        .map(|path| path.display().to_string())
        .collect();
    files.extend(["/Cargo.toml".to_owned(), "/deny.toml".to_owned(), "/justfile".to_owned()]);
    let name = Regex::new(r"`([a-z0-9_./-]+\.(?:rs|sh|py|sql|toml|tsv))`").unwrap();
    let mut documents = documents();
    documents.push("CONTRIBUTING.md".to_owned());
    let decisions = files_below(repository("docs/decisions").as_ref());
    documents
        .extend(decisions.iter().map(|path| format!("docs/decisions/{}", path.file_name().unwrap().to_str().unwrap())));
    let mut named = 0;
    for document in documents {
        for capture in name.captures_iter(&read(&document)) {
            let path = format!("/{}", &capture[1]);
            assert!(files.iter().any(|file| file.ends_with(&path)), "{document} names {path}, which does not exist");
            named += 1;
        }
    }
    assert!(named > 100, "only {named} files are named");
}

#[test]
fn the_model_of_the_readme_can_answer_within_its_limits() {
    let text = read("README.md");
    let (_, example) = blocks(&text, "sh").into_iter().find(|(_, block)| block.contains("OPENAI_MODEL=")).unwrap();
    let exported = example.lines().filter_map(|line| line.strip_prefix("export "));
    let words = exported.flat_map(|line| line.split('#').next().unwrap().split_whitespace());
    let pairs = words.map(|word| word.split_once('=').unwrap()).map(|(name, value)| (name.into(), value.into()));
    let config = Config::from_pairs(pairs).unwrap();
    let openai = config.llm.openai.unwrap();
    for (task, least) in [(triage::TASK, 500), (deep_summary::TASK, 2_500)] {
        let settings = &openai.tasks[&task];
        let names: Vec<&str> = settings.chain(BudgetTier::Normal).iter().map(|model| model.name).collect();
        assert_eq!(names, ["gpt-5-mini"]);
        assert!(settings.effort.is_some(), "{task:?} has no effort");
        assert!(settings.max_output_tokens >= least, "{task:?}: {} tokens", settings.max_output_tokens);
    }
}
