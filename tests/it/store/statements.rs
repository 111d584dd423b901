//! Every statement of the store, prepared on the databases it is for: a column, table or parameter that is not there
//! fails.
//!
//! Of some, SQLite is asked how it would execute them: tables that grow with every day are read by an index.
//!
//! The statements are read from the sources of `crates/store/src`, so that none has to be listed: sqlx takes text that
//! the compiler knows, or what is marked with `AssertSqlSafe`, and that is refused here outside of the files that put
//! SQL together. A macro may put a beginning before the rest of a statement: `concat!("SELECT id ", $end)`. The type of
//! each parameter has to follow from the statement: `CAST($1 AS TEXT) IS NULL`, not `$1 IS NULL`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::str::FromStr as _;

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, Row as _, SqlSafeStr as _, SqliteConnection};

use super::world::{FreshPostgres, FreshSqlite};
use crate::support::radar::files_below;

/// Text that begins like this is a statement, wherever it stands.
const BEGINNINGS: [&str; 7] = ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH ", "PRAGMA ", "BEGIN "];

/// What takes a statement as its first argument.
const CALLS: [&str; 5] = ["query", "query_as", "query_scalar", "begin_with", "raw_sql"];

/// Folders and files that put SQL together, from the catalogue or from whole statements; their own tests run what they
/// make.
const PUT_TOGETHER: [&str; 2] = ["crates/store/src/copy", "crates/store/src/sqlite/batches/mod.rs"];

/// Which database a statement is for, as folders, fields of `PerDatabase` and files of SQL name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Database {
    Sqlite,
    Postgres,
}

impl Database {
    const ALL: [(Self, &'static str); 2] = [(Self::Sqlite, "sqlite"), (Self::Postgres, "postgres")];

    /// The one that alone has this file: below its folder, or with its name before the ending.
    fn of_file(file: &str) -> Option<Self> {
        let is_its_own = |name: &str| {
            file.starts_with(&format!("crates/store/src/{name}/")) || file.ends_with(&format!(".{name}.sql"))
        };
        Self::ALL.into_iter().find(|(_, name)| is_its_own(name)).map(|(database, _)| database)
    }

    /// The one that a field of this name is for: `sqlite: "SELECT …"`.
    fn of_field(before: &[TokenTree]) -> Option<Self> {
        let [.., TokenTree::Ident(field), TokenTree::Punct(colon)] = before else { return None };
        let named = Self::ALL.into_iter().find(|(_, name)| colon.as_char() == ':' && *field == *name);
        named.map(|(database, _)| database)
    }
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Statement {
    file: String,
    sql: String,
    /// `None` for both.
    only: Option<Database>,
}

/// What was found in the sources.
#[derive(Debug, Default)]
struct Found {
    statements: BTreeSet<Statement>,
    /// Macros that put the beginning before a statement's end, and that beginning.
    macros: BTreeMap<String, String>,
    /// Calls whose statement cannot be told.
    unclear: Vec<String>,
}

impl Found {
    fn in_sources() -> Self {
        let mut found = Self::default();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        for file in ["src", "crates"].iter().flat_map(|folder| files_below(&root.join(folder))) {
            let name = file.strip_prefix(root).unwrap().display().to_string();
            if PUT_TOGETHER.iter().any(|folder| name.starts_with(folder)) {
                continue;
            }
            let read = || std::fs::read_to_string(&file).unwrap();
            match file.extension().and_then(|extension| extension.to_str()) {
                Some("sql") => found.add(&name, read(), None),
                Some("rs") => {
                    let tokens = TokenStream::from_str(&read()).unwrap_or_else(|error| panic!("{name}: {error}"));
                    found.read(&file, &name, tokens);
                }
                _ => {}
            }
        }
        found
    }

    fn add(&mut self, file: &str, sql: String, only: Option<Database>) {
        self.statements.insert(Statement { file: file.to_owned(), sql, only: only.or(Database::of_file(file)) });
    }

    fn read(&mut self, path: &Path, file: &str, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Literal(literal) => {
                    if let Some(text) = text_of(&literal.to_string()).filter(|text| is_statement(text)) {
                        self.add(file, text, Database::of_field(&tokens[..at]));
                    }
                }
                TokenTree::Ident(name) if *name == "AssertSqlSafe" => {
                    self.unclear.push(format!("{file} puts SQL together"));
                }
                TokenTree::Ident(name) if CALLS.iter().any(|call| *name == call) => {
                    self.look_at_call(path, file, &tokens[at + 1..]);
                }
                TokenTree::Ident(name) if *name == "macro_rules" => {
                    self.macros.extend(statement_macro(&tokens[at + 1..]));
                }
                TokenTree::Group(group) if !is_tests(&tokens[..at]) => {
                    self.read_group(path, file, &tokens[..at], group.stream());
                }
                _ => {}
            }
        }
    }

    fn read_group(&mut self, path: &Path, file: &str, before: &[TokenTree], inside: TokenStream) {
        let is_known = |name: &Ident| self.macros.contains_key(&name.to_string());
        match before {
            [.., TokenTree::Punct(_), TokenTree::Ident(name)] if is_known(name) => {}
            [before @ .., TokenTree::Ident(name), TokenTree::Punct(_)] if is_known(name) => {
                let whole = |end: String| format!("{}{end}", self.macros[&name.to_string()]);
                match text_of(&inside.to_string()).map(whole) {
                    Some(statement) => self.add(file, statement, Database::of_field(before)),
                    None => self.unclear.push(format!("{file}: {name}!({inside})")),
                }
            }
            _ => self.read(path, file, inside),
        }
    }

    /// Looks at the first argument: a text, a file of SQL, or the name of a constant or a parameter, whose text stands
    /// elsewhere.
    fn look_at_call(&mut self, path: &Path, file: &str, after: &[TokenTree]) {
        let Some(arguments) = arguments(after) else { return };
        let first: Vec<TokenTree> = arguments
            .into_iter()
            .take_while(|t| !matches!(t, TokenTree::Punct(comma) if comma.as_char() == ','))
            .collect();
        match &first[..] {
            [TokenTree::Literal(literal)] if text_of(&literal.to_string()).is_some() => {
                self.add(file, text_of(&literal.to_string()).unwrap_or_default(), None);
            }
            [TokenTree::Ident(name), TokenTree::Punct(_), TokenTree::Group(group)] if *name == "include_str" => {
                let named = text_of(&group.stream().to_string()).unwrap();
                assert!(path.with_file_name(&named).exists(), "{file}: {named}");
            }
            path if path.iter().all(|t| matches!(t, TokenTree::Ident(_) | TokenTree::Punct(_))) => {}
            _ => self.unclear.push(format!("{file}: {}", first.into_iter().collect::<TokenStream>())),
        }
    }
}

/// The parenthesis of a call, after what stands between (`::<_, i64>`).
fn arguments(after: &[TokenTree]) -> Option<TokenStream> {
    match after.first() {
        Some(TokenTree::Punct(colon)) if colon.as_char() == ':' => {}
        Some(TokenTree::Group(_)) => {}
        _ => return None,
    }
    after.iter().find_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => Some(group.stream()),
        _ => None,
    })
}

/// The name of a macro like `macro_rules! select { ($end:literal) => { concat!("SELECT id ", $end) }; }`, after its
/// first word, and the beginning.
fn statement_macro(after: &[TokenTree]) -> Option<(String, String)> {
    let tokens = |group: &Group| group.stream().into_iter().collect::<Vec<TokenTree>>();
    let [_, TokenTree::Ident(name), TokenTree::Group(rules), ..] = after else { return None };
    let rules = tokens(rules);
    let [_, _, _, TokenTree::Group(body), _] = &rules[..] else { return None };
    let body = tokens(body);
    let [TokenTree::Ident(concat), _, TokenTree::Group(parts)] = &body[..] else { return None };
    let parts = tokens(parts);
    let [TokenTree::Literal(beginning), _, TokenTree::Punct(_), TokenTree::Ident(_)] = &parts[..] else { return None };
    let beginning = text_of(&beginning.to_string()).filter(|text| *concat == "concat" && is_statement(text))?;
    Some((name.to_string(), beginning))
}

fn is_tests(before: &[TokenTree]) -> bool {
    matches!(before, [.., TokenTree::Ident(module), TokenTree::Ident(tests)] if *module == "mod" && *tests == "tests")
}

fn text_of(literal: &str) -> Option<String> {
    syn::parse_str::<syn::LitStr>(literal).ok().map(|text| text.value())
}

fn is_statement(text: &str) -> bool {
    BEGINNINGS.iter().any(|beginning| text.trim_start().starts_with(beginning))
}

/// The statements for one database: its own and those of both.
fn statements(database: Database) -> Vec<Statement> {
    let found = Found::in_sources();
    assert!(found.unclear.is_empty(), "write each statement as one text or file of its own: {:#?}", found.unclear);
    let elsewhere: Vec<_> = found.statements.iter().filter(|s| !s.file.starts_with("crates/store/src/")).collect();
    assert!(elsewhere.is_empty(), "SQL belongs into crates/store: {elsewhere:#?}");
    found.statements.into_iter().filter(|s| s.only.is_none_or(|only| only == database)).collect()
}

#[tokio::test]
async fn every_statement_is_prepared_on_sqlite() {
    let database = FreshSqlite::new().await;
    let mut connection = SqliteConnection::connect(&database.url).await.unwrap();
    let mut wrong = Vec::new();
    let statements = statements(Database::Sqlite);
    for statement in &statements {
        if let Err(error) = connection.prepare(AssertSqlSafe(statement.sql.clone()).into_sql_str()).await {
            wrong.push(format!("{}: {error}\n{}", statement.file, statement.sql));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(statements.len() > 70, "{} is fewer than there were", statements.len());
}

#[tokio::test]
async fn every_statement_is_prepared_on_postgres() {
    let database = FreshPostgres::new().await;
    let mut connection = PgConnection::connect(&database.url).await.unwrap();
    let mut wrong = Vec::new();
    let statements = statements(Database::Postgres);
    for statement in &statements {
        if let Err(error) = connection.prepare(AssertSqlSafe(statement.sql.clone()).into_sql_str()).await {
            wrong.push(format!("{}: {error}\n{}", statement.file, statement.sql));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(statements.len() > 70, "{} is fewer than there were", statements.len());
    connection.close().await.unwrap();
    database.remove().await;
}

/// SQLite's plans for the statements of the store, on a database without statistics.
struct Plans {
    statements: Vec<Statement>,
    database: FreshSqlite,
}

impl Plans {
    async fn new() -> Self {
        Self { statements: statements(Database::Sqlite), database: FreshSqlite::new().await }
    }

    /// The steps of the one statement in that file of `tables` that contains the text.
    async fn of(&self, file: &str, text: &str) -> Vec<String> {
        let file = format!("crates/store/src/tables/{file}");
        let is_meant = |statement: &&Statement| statement.file == file && statement.sql.contains(text);
        let found: Vec<&Statement> = self.statements.iter().filter(is_meant).collect();
        assert_eq!(found.len(), 1, "{file} with {text:?}: {found:#?}");
        let mut connection = SqliteConnection::connect(&self.database.url).await.unwrap();
        let explain = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {}", found[0].sql));
        let rows = sqlx::query(explain).fetch_all(&mut connection).await.unwrap();
        rows.iter().map(|row| row.get::<String, _>("detail")).collect()
    }
}

/// Whether one of the steps begins like this.
fn has(steps: &[String], beginning: &str) -> bool {
    steps.iter().any(|step| step.starts_with(beginning))
}

#[tokio::test]
async fn old_items_are_found_without_reading_all_stories_for_each() {
    let plans = Plans::new().await;
    for file in ["remove_old_items.sql", "count_old_items.sql"] {
        let steps = plans.of(file, "FROM content_items i").await;
        assert!(!has(&steps, "SCAN m") && !has(&steps, "SCAN o"), "{file}: {steps:#?}");
        let by_key = "SEARCH m USING INDEX sqlite_autoindex_cluster_items_1 (topic_id=? AND item_id=?)";
        assert_eq!(steps.iter().filter(|step| *step == by_key).count(), 2, "{file}: {steps:#?}");
    }
}

#[tokio::test]
async fn open_calls_and_those_of_a_run_are_found_without_reading_the_ledger() {
    let plans = Plans::new().await;
    let expired = plans.of("calls.rs", "coalesce(expires_at, 0) < $1").await;
    assert_eq!(expired, ["SCAN provider_calls USING INDEX provider_calls_open"]);
    let superseded = plans.of("calls.rs", "coalesce(c.lease_token, 0) < $2").await;
    assert!(has(&superseded, "SCAN c USING INDEX provider_calls_open"), "{superseded:#?}");
    assert!(has(&superseded, "SEARCH r USING INDEX sqlite_autoindex_runs_1 (id=?)"), "{superseded:#?}");
    let of_run = plans.of("calls.rs", "WHERE c.run_id = $6").await;
    assert!(has(&of_run, "SEARCH c USING INDEX provider_calls_by_run (run_id=?)"), "{of_run:#?}");
}

#[tokio::test]
async fn runs_are_removed_without_reading_all_stories_for_each() {
    let steps = Plans::new().await.of("topics.rs", "DELETE FROM runs WHERE topic_id = $1").await;
    assert!(!has(&steps, "SCAN clusters"), "{steps:#?}");
    let by_run = "SEARCH clusters USING COVERING INDEX clusters_by_delivery (delivered_run_id=?)";
    assert!(has(&steps, by_run), "a reference from stories is looked for: {steps:#?}");
}

#[tokio::test]
async fn the_newest_runs_and_digests_are_listed_without_reading_the_others() {
    let plans = Plans::new().await;
    for (file, text, step) in [
        ("runs.rs", "FROM runs ORDER BY window_end DESC", "SCAN runs USING INDEX runs_by_time"),
        (
            "runs.rs",
            "FROM runs WHERE topic_id = $2 ORDER BY window_end DESC",
            "SEARCH runs USING INDEX runs_by_topic (topic_id=?)",
        ),
        ("digest_lists.rs", "WHERE window_end > $1", "SEARCH digests USING INDEX digests_by_time (window_end>?"),
        (
            "digest_lists.rs",
            "WHERE topic_id = $4 AND window_end > $1",
            "SEARCH digests USING INDEX digests_by_topic (topic_id=? AND window_end>?",
        ),
    ] {
        let steps = plans.of(file, text).await;
        assert!(has(&steps, step), "{file} with {text:?}: {steps:#?}");
        assert!(!has(&steps, "USE TEMP B-TREE FOR ORDER BY"), "all of them are sorted: {steps:#?}");
    }
}

#[tokio::test]
async fn the_newest_entries_are_listed_without_reading_all_items() {
    let steps = Plans::new().await.of("newest_entries.sqlite.sql", "SELECT n.id FROM").await;
    assert!(has(&steps, "SCAN i USING INDEX content_items_by_time"), "{steps:#?}");
    assert!(!has(&steps, "SCAN e"), "{steps:#?}");
}

#[test]
fn every_statement_takes_the_digest_made_last_for_the_newest_of_those_with_the_same_end() {
    let (newest, made_last) = ("window_end DESC, ", "window_end DESC, d.created_at DESC");
    let mut orders = 0;
    for statement in [Database::Sqlite, Database::Postgres].into_iter().flat_map(statements) {
        if !statement.file.ends_with("digests.rs") && !statement.file.ends_with("digest_lists.rs") {
            continue;
        }
        let sql = statement.sql.replace("window_end DESC, created_at", "window_end DESC, d.created_at");
        // The lines named for the beginning of an id are an unordered choice.
        let ordered = sql.matches(newest).count() - sql.matches("window_end DESC, i.id LIMIT").count();
        assert_eq!(sql.matches(made_last).count(), ordered, "{}: {sql}", statement.file);
        orders += ordered;
    }
    assert!(orders > 10, "{orders}");
}

/// The reading above finds what it is there to find.
#[test]
fn no_statement_escapes() {
    let read = |source: &str| {
        let mut found = Found::default();
        found.read(Path::new("a.rs"), "a.rs", TokenStream::from_str(source).unwrap());
        found
    };
    let found =
        read("const A: &str = \"\n SELECT 1\"; fn f() { g(sqlx::query_scalar::<_, i64>(\"VACUUM\")); query(sql::A) }");
    assert_eq!(found.statements.iter().map(|s| s.sql.trim()).collect::<Vec<_>>(), ["SELECT 1", "VACUUM"]);
    assert!(found.unclear.is_empty(), "{found:?}");
    let found = read("const A: &str = statement(PerDatabase { sqlite: \"SELECT 1\", postgres: \"SELECT 2\" });");
    let whose: Vec<_> = found.statements.iter().map(|s| (s.sql.as_str(), s.only)).collect();
    assert_eq!(whose, [("SELECT 1", Some(Database::Sqlite)), ("SELECT 2", Some(Database::Postgres))]);
    let select = "macro_rules! select { ($end:literal) => { concat!(\"SELECT id \", $end) }; }";
    let found = read(&format!("{select} const A: &str = select!(\"FROM a\"); const B: &str = select!(\"FROM b\");"));
    let texts: Vec<_> = found.statements.iter().map(|s| s.sql.as_str()).collect();
    assert_eq!(texts, ["SELECT id FROM a", "SELECT id FROM b"]);
    assert_eq!(read(&format!("{select} fn f() {{ query(select!(END)) }}")).unclear.len(), 2);
    assert_eq!(Database::of_file("crates/store/src/tables/stories_of.postgres.sql"), Some(Database::Postgres));
    assert_eq!(Database::of_file("crates/store/src/sqlite/batches/new_items.rs"), Some(Database::Sqlite));
    for unclear in [
        "fn f() { query(&format!(\"{a}\")) }",
        "fn f() { query(concat!(\"a\", $b)) }",
        "fn f() { q(AssertSqlSafe(a)) }",
    ] {
        assert_eq!(read(unclear).unclear.len(), 1, "{unclear}");
    }
    assert!(read("mod tests { fn f() { query(g()) } }").unclear.is_empty());
}
