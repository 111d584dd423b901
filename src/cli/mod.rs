//! The command line: one command a file. Results go to standard output, progress and logs to standard error.

mod arguments;
mod ask;
mod assistant;
mod benchmark;
mod calibrate;
mod calls;
mod copy;
mod daemon;
mod database_retries;
mod deep_dive;
mod digest;
mod doctor;
mod dry_run;
mod exit;
mod feedback;
mod healthcheck;
mod init;
mod interests;
mod item;
mod journal;
mod labelled;
mod late_calls;
mod limits;
mod lines;
mod listing;
mod llm;
mod manual;
mod migrate;
mod miniflux;
mod noise;
mod opml;
mod output;
mod progress;
mod read_pdf;
mod replay;
mod retain;
mod review;
mod run;
mod runs;
mod search;
mod serve;
mod source;
mod source_add;
mod source_report;
mod spend;
mod topic;
mod user;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser as _;

use self::arguments::{Cli, Command, OpmlCommand, TodoCommand, TopicCommand, UserCommand};
use self::exit::Exit;
use crate::app::App;
use crate::config::{Config, LogFormat};
use crate::services::database::{self, Absent};

/// How long threads that still compute are waited for at the end.
const MAX_SHUTDOWN: Duration = Duration::from_secs(5);

/// Runs the command line and returns its exit code.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse_from(arguments::normalise(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage.into() } else { Exit::Ok.into() };
        }
    };
    match start(cli) {
        Ok(exit) => exit.into(),
        Err(error) => {
            output::error(&error);
            exit::of(&error).into()
        }
    }
}

fn start(cli: Cli) -> anyhow::Result<Exit> {
    output::choose_colour(cli.colour);
    let command = match cli.command {
        Command::Completions { shell } => return manual::completions(shell),
        Command::Man { folder } => return manual::pages(folder.as_deref()),
        Command::ReadPdf => return read_pdf::run(),
        command => command,
    };
    let config = Config::load()?;
    // A misspelt setting would have no effect, which matters for a cap; so it is an error. Only `doctor` runs, to list
    // it.
    let config = if matches!(command, Command::Doctor(_)) { config } else { config.without_unknown()? };
    start_logging(&config, matches!(command, Command::Daemon(_) | Command::Serve(_)));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let exit = runtime.block_on(async {
        limits::prepare();
        dispatch(command, config).await
    });
    // Dropping it would wait without a limit for blocking threads that compute what nobody waits for.
    runtime.shutdown_timeout(MAX_SHUTDOWN);
    exit
}

async fn dispatch(command: Command, config: Config) -> anyhow::Result<Exit> {
    match command {
        Command::Run(arguments) if arguments.dry_run => Box::pin(dry_run::run(config, &arguments)).await,
        Command::Run(arguments) => Box::pin(run::run(config, arguments)).await,
        Command::Daemon(graph) => Box::pin(daemon::run(config, graph)).await,
        Command::Serve(graph) => Box::pin(serve::run(config, graph)).await,
        Command::User(command) => {
            let absent = absent(matches!(command, UserCommand::List { .. }));
            user::run(&app(config, absent).await?, command).await
        }
        Command::Init(arguments) => init::run(&app(config, Absent::Create).await?, arguments).await,
        Command::Topic(command) => {
            let absent = absent(matches!(command, TopicCommand::List { .. } | TopicCommand::Interests { .. }));
            topic::run(&app(config, absent).await?, command).await
        }
        Command::Source(command) => Box::pin(source::run(config, command)).await,
        Command::Opml(command) => {
            let absent = absent(matches!(command, OpmlCommand::Export { .. }));
            opml::run(&app(config, absent).await?, command).await
        }
        Command::Review(arguments) => review::run(&app(config, Absent::Fail).await?, arguments).await,
        Command::Completions { shell } => manual::completions(shell),
        Command::Man { folder } => manual::pages(folder.as_deref()),
        Command::ReadPdf => read_pdf::run(),
        Command::Digest(arguments) => digest::run(&app(config, Absent::Fail).await?, arguments).await,
        Command::Item(arguments) => item::run(&app(config, Absent::Fail).await?, arguments).await,
        Command::Replay(arguments) => Box::pin(replay::run(config, arguments)).await,
        Command::Runs(arguments) => runs::run(&app(config, Absent::Fail).await?, arguments).await,
        Command::DeepDive(arguments) => Box::pin(deep_dive::run(&app(config, Absent::Fail).await?, arguments)).await,
        Command::Calibrate(arguments) => calibrate::run(config, arguments).await,
        Command::Calls(arguments) => calls::run(&app(config, Absent::Fail).await?, arguments).await,
        Command::Spend(arguments) => spend::run(&app(config, Absent::Fail).await?, arguments).await,
        Command::Llm(command) => Box::pin(llm::run(config, command)).await,
        Command::Feedback(arguments) => feedback::run(&app(config, Absent::Fail).await?, arguments).await,
        Command::Assistant(arguments) => {
            let app = app(config, absent(!arguments.apply)).await?;
            Box::pin(assistant::run(&app, arguments)).await
        }
        Command::Todo { command } => {
            let absent = absent(matches!(command, None | Some(TodoCommand::List { .. })));
            assistant::todo(&app(config, absent).await?, command).await
        }
        Command::Agenda(arguments) => assistant::agenda(&app(config, Absent::Fail).await?, arguments).await,
        Command::Noise(arguments) => noise::run(&arguments),
        Command::Journal(command) => Box::pin(journal::run(config, command)).await,
        Command::Doctor(arguments) => doctor::run(config, arguments).await,
        Command::Migrate(arguments) => migrate::run(&config, &arguments).await,
        Command::Copy(arguments) => Box::pin(copy::run(&config, &arguments)).await,
        Command::Retain(arguments) => retain::run(&app(config, Absent::Fail).await?, &arguments).await,
        Command::Healthcheck => healthcheck::run(&config).await,
        Command::Search(arguments) => search::run(&app(config, Absent::Fail).await?, arguments).await,
        Command::Ask(arguments) => Box::pin(ask::run(&app(config, Absent::Fail).await?, arguments)).await,
        Command::Reindex => search::reindex(&app(config, Absent::Fail).await?).await,
        Command::Benchmark(arguments) => Box::pin(benchmark::run(&config, arguments)).await,
    }
}

/// A command that only reads makes no database: with a misspelt `DATABASE_URL` it would report an empty one.
const fn absent(only_reads: bool) -> Absent {
    if only_reads { Absent::Fail } else { Absent::Create }
}

async fn app(config: Config, absent: Absent) -> anyhow::Result<App> {
    Ok(database::open(config, absent).await?)
}

/// Starts logging to standard error. A daemon logs its progress, a command only errors and that it migrated the
/// database, unless `AHA_LOG` is set.
fn start_logging(config: &Config, daemon: bool) {
    let default = if daemon { "info,tokio_cron_scheduler=warn" } else { "error,aha_migrations=info" };
    let filter = with_own_crates(config.log.filter.as_deref().unwrap_or(default));
    let filter = tracing_subscriber::EnvFilter::new(filter);
    // A line that cannot be written, as on a full disk, is lost. Reporting that would write to the same place, and panic.
    let builder =
        tracing_subscriber::fmt().with_env_filter(filter).log_internal_errors(false).with_writer(std::io::stderr);
    match config.log.format {
        LogFormat::Text => builder.with_ansi(output::colour_on_stderr()).init(),
        LogFormat::Json => builder.json().flatten_event(true).init(),
    }
}

/// Makes `aha_radar=LEVEL` apply to the whole program, including its crates; a directive for a single crate comes later
/// and takes precedence.
fn with_own_crates(filter: &str) -> String {
    const CRATES: [&str; 9] = [
        "aha_analysis",
        "aha_content",
        "aha_core",
        "aha_journal",
        "aha_llm",
        "aha_net",
        "aha_notes",
        "aha_planner",
        "aha_store",
    ];
    let levels = filter.split(',').filter_map(|directive| directive.trim().strip_prefix("aha_radar="));
    let own = levels.flat_map(|level| CRATES.map(|name| format!("{name}={level},")));
    own.chain([filter.to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::with_own_crates;

    #[test]
    fn a_level_of_the_program_is_one_of_its_crates() {
        assert_eq!(with_own_crates("info"), "info");
        let filter = with_own_crates("warn, aha_radar=debug,aha_llm=trace");
        assert!(filter.starts_with("aha_analysis=debug,aha_content=debug,"), "{filter}");
        assert!(filter.ends_with("aha_store=debug,warn, aha_radar=debug,aha_llm=trace"), "{filter}");
    }
}
