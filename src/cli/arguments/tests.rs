//! What every command's help has.

use clap::{Command, CommandFactory as _};

use super::Cli;

/// Columns of a help text; longer lines of examples would be broken anywhere.
const COLUMNS: usize = 100;

fn for_each_command(command: &Command, path: &str, check: &mut impl FnMut(&str, &Command)) {
    check(path, command);
    for below in command.get_subcommands() {
        for_each_command(below, &format!("{path} {}", below.get_name()), check);
    }
}

#[test]
fn every_command_and_argument_has_a_help_text() {
    let mut without = Vec::new();
    for_each_command(&Cli::command(), "aha-radar", &mut |path, command| {
        if command.get_about().is_none() {
            without.push(path.to_owned());
        }
        let arguments = command.get_arguments().filter(|argument| !argument.is_hide_set());
        let silent = arguments.filter(|argument| argument.get_help().is_none());
        without.extend(silent.map(|argument| format!("{path} {}", argument.get_id())));
    });
    assert_eq!(without, Vec::<String>::new());
}

#[test]
fn the_lines_of_examples_fit() {
    for_each_command(&Cli::command(), "aha-radar", &mut |path, command| {
        let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        for line in examples.lines() {
            assert!(line.chars().count() <= COLUMNS, "{path}: {line}");
        }
    });
}

#[test]
fn the_help_of_a_boost_names_its_factor_and_the_finer_way() {
    let cli = Cli::command();
    let set = cli.find_subcommand("topic").and_then(|topic| topic.find_subcommand("set")).unwrap();
    let boost = set.get_arguments().find(|argument| argument.get_id() == "boost").unwrap();
    let help = boost.get_help().unwrap().to_string();
    assert!(help.contains(&format!("multiplied by {}", aha_core::topic::BOOST)), "{help}");
    assert!(help.contains("`source set --weight`"), "{help}");
}
