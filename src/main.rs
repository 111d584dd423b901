//! Parses, dispatches, exits.

fn main() -> std::process::ExitCode {
    aha_radar::cli::main()
}
