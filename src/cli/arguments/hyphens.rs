//! Values and words of queries that begin with a hyphen, which clap would take for options.

use std::ffi::OsString;

use clap::{Command as Definition, CommandFactory as _};

use super::Cli;

/// Accepts any text, which may begin with a hyphen. Refuses what looks like an option, as its value was forgotten.
pub(super) fn free_text(text: &str) -> Result<String, String> {
    let is_name = |name: &str| name.starts_with(|c: char| c.is_ascii_lowercase()) && !name.contains(' ');
    let is_long = text.strip_prefix("--").is_some_and(is_name);
    let is_short = text.strip_prefix('-').is_some_and(|name| name.len() == 1);
    if is_long || is_short {
        return Err(format!("it looks like an option; if it is meant as text, put a space before it: \" {text}\""));
    }
    Ok(text.to_owned())
}

/// Commands that take the words of a query, which may begin with a hyphen.
const QUERIES: [&[&str]; 3] = [&["search"], &["ask"], &["journal", "search"]];

/// Replaces `--run-once` anywhere before a command by the command `run`, and lets the words of a query begin with a
/// hyphen.
pub(in crate::cli) fn normalise(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--run-once") {
        arguments.remove(at);
        arguments.insert(1.min(arguments.len()), OsString::from("run"));
    }
    let is_at = |at: usize, name: &str| arguments.get(at).is_some_and(|argument| argument == name);
    match QUERIES.iter().find(|path| path.iter().enumerate().all(|(at, name)| is_at(at + 1, name))) {
        Some(path) => with_words_last(arguments, path),
        None => arguments,
    }
}

/// Moves the words of a query behind `--` if one of them begins with a hyphen. What begins with two hyphens stays an
/// option, so that a mistyped one is an error. (With clap's `allow_hyphen_values`, all options behind the first word
/// would be words.)
fn with_words_last(arguments: Vec<OsString>, path: &[&str]) -> Vec<OsString> {
    let root = Cli::command();
    let Some(command) = path.iter().try_fold(&root, |command, name| command.find_subcommand(name)) else {
        return arguments;
    };
    let (mut options, mut words) = (Vec::new(), Vec::new());
    let mut rest = arguments.iter().skip(path.len() + 1).cloned();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy().into_owned();
        if text == "--" {
            words.extend(rest);
            break;
        }
        let name = text.strip_prefix("--");
        if name.is_none() && text != "-h" {
            words.push(argument);
            continue;
        }
        options.push(argument);
        if name.is_some_and(|name| takes_value(command, name) || takes_value(&root, name)) {
            options.extend(rest.next());
        }
    }
    if !words.iter().any(|word| word.to_string_lossy().starts_with('-')) {
        return arguments;
    }
    let command = arguments.into_iter().take(path.len() + 1);
    command.chain(options).chain([OsString::from("--")]).chain(words).collect()
}

fn takes_value(command: &Definition, name: &str) -> bool {
    let option = command.get_arguments().find(|argument| argument.get_long() == Some(name));
    option.is_some_and(|option| option.get_action().takes_values())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::super::{Command, GraphArgument, QuestionArguments, RunArguments, SearchArguments, TopicCommand};
    use super::*;

    fn parsed(typed: &[&str]) -> Result<Command, String> {
        let typed = std::iter::once(&"aha-radar").chain(typed).map(OsString::from);
        Cli::try_parse_from(normalise(typed)).map(|cli| cli.command).map_err(|error| error.to_string())
    }

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn run_once_is_the_command_run() {
        let typed = ["aha-radar", "--import", "a.opml", "--run-once"].map(OsString::from);
        let cli = Cli::try_parse_from(normalise(typed.into_iter())).unwrap();
        assert!(matches!(cli.command, Command::Run(RunArguments { import: Some(_), .. })));
    }

    #[test]
    fn the_daemon_takes_the_notes_that_serve_takes() {
        for name in ["daemon", "serve"] {
            let graph = match parsed(&[name, "--graph", "notes"]) {
                Ok(Command::Daemon(GraphArgument { graph }) | Command::Serve(GraphArgument { graph })) => graph,
                other => panic!("{other:?}"),
            };
            assert_eq!(graph.as_deref(), Some(std::path::Path::new("notes")));
        }
    }

    #[test]
    fn words_of_a_query_may_begin_with_a_hyphen_and_options_stay_options() {
        let searched = |typed: &[&str]| match parsed(&[&["search"][..], typed].concat()) {
            Ok(Command::Search(SearchArguments { query, topic, json, .. })) => (query.join(" "), topic, json),
            other => panic!("{typed:?}: {other:?}"),
        };
        let home = || Some("home".to_owned());
        assert_eq!(searched(&["-word", "foo"]), ("-word foo".to_owned(), None, false));
        assert_eq!(searched(&["-word foo", "--json"]), ("-word foo".to_owned(), None, true));
        assert_eq!(searched(&["--topic", "home", "a", "-b", "--json", "c"]), ("a -b c".to_owned(), home(), true));
        assert_eq!(searched(&["--topic=home", "a", "--", "-b", "--c"]), ("a -b --c".to_owned(), home(), false));
        assert_eq!(searched(&["-word", "--color", "never", "foo"]), ("-word foo".to_owned(), None, false));
        assert_eq!(searched(&["--since", "7d"]), (String::new(), None, false), "filters need no words");
        for mistyped in [["search", "-word", "--jsno"], ["search", "word", "--jsno"], ["ask", "-x y", "--sinc"]] {
            assert!(parsed(&mistyped).unwrap_err().contains("unexpected argument"), "{mistyped:?}");
        }
        assert!(parsed(&["search"]).unwrap_err().contains("QUERY"));
        let asked = parsed(&["ask", "-40 degrees: which ferry sails?", "--since", "30d"]).unwrap();
        assert!(matches!(asked, Command::Ask(QuestionArguments { since: Some(_), .. })), "{asked:?}");
    }

    #[test]
    fn a_text_may_begin_with_a_hyphen_and_a_forgotten_one_is_noticed() {
        let set = parsed(&["topic", "set", "default", "--interests", "-sport", "--schedule", "every 6h"]).unwrap();
        let Command::Topic(TopicCommand::Set { settings, .. }) = set else { panic!("{set:?}") };
        assert_eq!((settings.interests.as_deref(), settings.schedule.as_deref()), (Some("-sport"), Some("every 6h")));
        for typed in [
            &["init", "--interests", "- no sport"][..],
            &["topic", "interests", "--try", "- no sport", "--days", "3"],
            &["topic", "add", "boats", "--interests", "-- no sport"],
            &["source", "add", "--title", "- The Feed", "https://a.example/feed"],
            &["assistant", "- buy milk", "--apply"],
            &["llm", "ask", "-1 or 1?", "--json"],
            &["spend", "adjust", "abcd", "0.1", "--reason", "-10 %"],
        ] {
            parsed(typed).unwrap_or_else(|error| panic!("{typed:?}: {error}"));
        }
        for (forgotten, says) in [
            (&["topic", "set", "default", "--interests", "--schedule", "every 6h"][..], "unexpected argument"),
            (&["topic", "interests", "--try", "--days", "3"], "looks like an option"),
            (&["topic", "interests", "--try", "--json"], "looks like an option"),
            (&["init", "--interests", "-h"], "looks like an option"),
        ] {
            assert!(parsed(forgotten).unwrap_err().contains(says), "{forgotten:?}");
        }
        assert!(parsed(&["topic", "set", "default", "--intrests", "x"]).unwrap_err().contains("--interests"));
        parsed(&["assistant", "--aply", "buy milk"]).unwrap_err();
    }
}
