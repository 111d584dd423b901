//! A digest as files: `TOPIC/END.{md,html,json,xml}` below the output folder, and `END.{scores,timeline}.svg` where there are stories.
//!
//! In: a digest. Out: its files, each there as a whole or not at all, and their paths. Called by the pipeline's last stage.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::outside::is_hidden;
use super::plots;
use super::words::Calendar;
use super::{Format, RenderError, render};
use crate::domain::digest::Digest;
use crate::domain::ids::TopicId;

/// Longest topic folder in bytes, well below the 255 that file systems take.
const MAX_FOLDER_BYTES: usize = 120;

/// Writes all formats and the pictures, and returns their paths: the formats in the order of [`Format::ALL`]. Nothing is written
/// unless all render.
pub fn write_files(output_dir: &Path, digest: &Digest) -> Result<Vec<PathBuf>, RenderError> {
    let mut rendered: Vec<(String, String)> = Format::ALL
        .into_iter()
        .map(|format| Ok((file_name(digest, format.extension()), render(digest, format)?)))
        .collect::<Result<_, RenderError>>()?;
    let plots = plots::plots(digest).map_err(RenderError::Plot)?;
    rendered.extend(plots.into_iter().map(|plot| (plot_name(digest, plot.name), plot.svg)));
    let folder = folder(output_dir, digest);
    fs::create_dir_all(&folder).map_err(|source| RenderError::Write { path: folder.clone(), source })?;
    let mut paths = Vec::with_capacity(rendered.len());
    for (name, text) in rendered {
        let path = folder.join(name);
        write_whole(&path, text.as_bytes()).map_err(|source| RenderError::Write { path: path.clone(), source })?;
        paths.push(path);
    }
    Ok(paths)
}

/// Writes all files when one of them is missing.
pub fn write_missing_files(output_dir: &Path, digest: &Digest) -> Result<(), RenderError> {
    let folder = folder(output_dir, digest);
    let formats = Format::ALL.into_iter().map(|format| file_name(digest, format.extension()));
    let pictures = plots::NAMES.into_iter().filter(|_| !digest.stories.is_empty()).map(|name| plot_name(digest, name));
    if formats.chain(pictures).all(|name| folder.join(name).exists()) {
        return Ok(());
    }
    write_files(output_dir, digest).map(drop)
}

fn folder(output_dir: &Path, digest: &Digest) -> PathBuf {
    output_dir.join(folder_name(&digest.digest.topic))
}

fn file_name(digest: &Digest, extension: &str) -> String {
    format!("{}.{extension}", Calendar::of(&digest.digest).file_stem(digest.digest.window_end))
}

/// The file of a picture, which the page links to.
pub(super) fn plot_name(digest: &Digest, name: &str) -> String {
    file_name(digest, &format!("{name}.svg"))
}

/// Writes beside `path`, then renames: a reader, or a kill, never meets half a file.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    static WRITES: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let nth = WRITES.fetch_add(1, Ordering::Relaxed);
    let temporary = path.with_file_name(format!(".{name}.{}-{nth}.tmp", std::process::id()));
    let written = write_and_sync(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The first error is the one to report; a left-over temporary file harms nobody.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write_and_sync(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// `topic` as one folder name; where it has to be changed, a part of its id keeps it apart from a topic so named.
fn folder_name(topic: &str) -> String {
    let mut name: String = topic.chars().map(|c| if is_unsafe(c) { '-' } else { c }).collect();
    while name.len() > MAX_FOLDER_BYTES {
        name.pop();
    }
    let name = name.trim_matches(|c: char| c == '.' || c.is_whitespace());
    if name == topic && !name.is_empty() {
        return name.to_owned();
    }
    let id = TopicId::of(&[topic]).to_string();
    format!("{}-{}", if name.is_empty() { "topic" } else { name }, &id[..8])
}

fn is_unsafe(c: char) -> bool {
    is_hidden(c) || matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|')
}

#[cfg(test)]
mod tests {
    use super::folder_name;

    #[test]
    fn plain_names_stay_as_they_are() {
        for name in ["default", "Rust & databases", "日本"] {
            assert_eq!(folder_name(name), name);
        }
    }

    #[test]
    fn no_topic_leaves_its_folder() {
        for name in [
            "",
            ".",
            "..",
            "../../etc",
            "a/b",
            "a\\b",
            "C:",
            ".git",
            "x\u{0}y",
            "x\u{202e}y",
            "   ",
            "a.",
            &"é".repeat(400),
        ] {
            let folder = folder_name(name);
            assert!(folder.len() <= 130 && !folder.starts_with('.') && !folder.ends_with('.'), "{name:?} → {folder:?}");
            assert!(!folder.contains(['/', '\\', ':', '\u{0}', '\u{202e}']), "{name:?} → {folder:?}");
        }
        assert_ne!(folder_name("a/b"), folder_name("a\\b"));
        assert_ne!(folder_name("a/b"), folder_name("a-b"));
    }
}
