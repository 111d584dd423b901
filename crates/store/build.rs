//! Embeds every file of `migrations/` in the program.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let crate_folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    for database in ["sqlite", "postgres"] {
        let folder = crate_folder.join("../../migrations").join(database).canonicalize()?;
        println!("cargo::rerun-if-changed={}", folder.display());
        fs::write(out.join(format!("{database}_migrations.rs")), list(&folder)?)?;
    }
    Ok(())
}

/// Returns the source of an array with each file's number, description and text, in numeric order. Files are named
/// `NUMBER_some_words.sql`.
fn list(folder: &Path) -> Result<String, Box<dyn Error>> {
    let mut files = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, std::io::Error>>()?;
    files.sort();
    let mut list = String::from("[\n");
    for file in &files {
        let shown = file.display().to_string();
        let name = file.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".sql"));
        let (number, words) =
            name.and_then(|name| name.split_once('_')).ok_or(format!("{shown} is not NUMBER_words.sql"))?;
        let number: i64 = number.parse().map_err(|error| format!("{shown}: {error}"))?;
        writeln!(list, "    ({number}, {:?}, include_str!({shown:?})),", words.replace('_', " "))?;
    }
    list.push_str("]\n");
    Ok(list)
}
