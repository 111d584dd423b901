//! A digest as files: `TOPIC/END.{md,html,json,xml}` in the output folder, and `END.{scores,timeline}.svg` if it has
//! stories. A digest without items has no files. Of several windows with the same end, `END` names that of the cursor
//! run, else the one written first; the others are `END_from_START`.
//!
//! Input: a digest. Output: its files, each written atomically, and their paths. Called by the pipeline's last stage.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use aha_core::digest::{Digest, DigestHead};
use aha_core::files::write_atomically;
use aha_core::ids::TopicId;
use aha_core::run::RunMode;
use aha_core::time::Timestamp;
use chrono_tz::Tz;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::format::{Calendar, file_stem};
use super::plots;
use super::sanitise::is_hidden;
use super::{Format, RenderError, render_named};

/// Between end and start in the name of a window whose end alone names another.
const FROM: &str = "_from_";

/// Longest topic folder in bytes, well below the 255 that file systems take.
const MAX_FOLDER_BYTES: usize = 120;

/// Writes all formats and the pictures, and returns their paths: the formats in the order of [`Format::ALL`]. Nothing
/// is written unless all of them render. `site` as for [`super::render`]. Files of another digest are not overwritten:
/// if a cursor run needs their name, they are written anew under the longer one first.
pub fn write_files(output_dir: &Path, digest: &Digest, site: Option<&str>) -> Result<Vec<PathBuf>, RenderError> {
    if !has_files(digest) {
        return Ok(Vec::new());
    }
    let folder = folder(output_dir, digest);
    let stem = file_stem_of(output_dir, digest);
    if stem == end_stem(&digest.head)
        && let Some(other) = other_digest::<Digest>(&folder, &digest.head)
    {
        write_named(&folder, &other, &long_stem(&other.head), site)?;
    }
    write_named(&folder, digest, &stem, site)
}

fn write_named(folder: &Path, digest: &Digest, stem: &str, site: Option<&str>) -> Result<Vec<PathBuf>, RenderError> {
    let mut rendered: Vec<(String, String)> = Format::ALL
        .into_iter()
        .map(|format| Ok((file_name(stem, format.extension()), render_named(digest, format, site, stem)?)))
        .collect::<Result<_, RenderError>>()?;
    let plots = plots::plots(digest).map_err(RenderError::Plot)?;
    rendered.extend(plots.into_iter().map(|plot| (plot_name(stem, plot.name), plot.svg)));
    fs::create_dir_all(folder).map_err(|source| RenderError::Write { path: folder.to_owned(), source })?;
    let mut paths = Vec::with_capacity(rendered.len());
    for (name, text) in rendered {
        let path = folder.join(name);
        write_atomically(&path, text.as_bytes()).map_err(|source| RenderError::Write { path: path.clone(), source })?;
        paths.push(path);
    }
    Ok(paths)
}

/// Writes all files if one of them is missing, or is that of another digest.
pub fn write_missing_files(output_dir: &Path, digest: &Digest, site: Option<&str>) -> Result<(), RenderError> {
    let folder = folder(output_dir, digest);
    let stem = file_stem_of(output_dir, digest);
    let formats = Format::ALL.into_iter().map(|format| file_name(&stem, format.extension()));
    let pictures = plots::NAMES.into_iter().filter(|_| !digest.stories.is_empty()).map(|name| plot_name(&stem, name));
    let is_taken = || stem == end_stem(&digest.head) && other_digest::<HeadOnly>(&folder, &digest.head).is_some();
    if !has_files(digest) || (formats.chain(pictures).all(|name| folder.join(name).exists()) && !is_taken()) {
        return Ok(());
    }
    write_files(output_dir, digest, site).map(drop)
}

/// Returns the name of a digest's files without their extensions: its end, or its end and start where the files of
/// another digest have the end as their name and it is not of a cursor run.
#[must_use]
pub fn file_stem_of(output_dir: &Path, digest: &Digest) -> String {
    let head = &digest.head;
    let is_taken = || other_digest::<HeadOnly>(&folder(output_dir, digest), head).is_some();
    if head.mode != RunMode::Cursor && is_taken() { long_stem(head) } else { end_stem(head) }
}

/// The part of a digest's JSON that tells which digest it is.
#[derive(Deserialize)]
struct HeadOnly {
    digest: DigestHead,
}

/// A digest's JSON, read in whole or in part.
trait StoredDigest: DeserializeOwned {
    fn head(&self) -> &DigestHead;
}

impl StoredDigest for HeadOnly {
    fn head(&self) -> &DigestHead {
        &self.digest
    }
}

impl StoredDigest for Digest {
    fn head(&self) -> &DigestHead {
        &self.head
    }
}

/// Reads the digest whose files have the end of `head` as their name, unless it is that of `head`. A file that cannot
/// be read as a digest is none, so that it is written anew.
fn other_digest<T: StoredDigest>(folder: &Path, head: &DigestHead) -> Option<T> {
    let text = fs::read_to_string(folder.join(file_name(&end_stem(head), Format::Json.extension()))).ok()?;
    serde_json::from_str(&text).ok().filter(|other: &T| other.head().id != head.id)
}

/// A digest without items has no files, so that no reader opens one in order to find nothing.
fn has_files(digest: &Digest) -> bool {
    digest.head.items > 0
}

/// Removes the files of a topic's digests whose windows ended before a time, except those of its newest digest, and
/// returns their number. Without `remove` they are only counted. Other files stay.
pub fn remove_old_files(
    output_dir: &Path,
    topic: &str,
    before: &OldFiles<'_>,
    remove: bool,
) -> Result<usize, RenderError> {
    let folder = output_dir.join(folder_name(topic));
    let failed = |path: &Path, source| RenderError::Remove { path: path.to_owned(), source };
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries.map_err(|error| failed(&folder, error))?,
    };
    let oldest = file_stem(before.zone, before.time);
    let newest = before.newest.map(|digest| end_stem(&digest.head));
    let mut count = 0;
    for entry in entries {
        let path = entry.map_err(|error| failed(&folder, error))?.path();
        let stem = path.file_name().and_then(|name| stem_of_digest(name.to_str()?));
        let end = stem.map(|stem| stem.split_once(FROM).map_or(stem, |(end, _)| end));
        if end.is_some_and(|end| end < oldest.as_str() && newest.as_deref() != Some(end)) {
            if remove {
                fs::remove_file(&path).map_err(|error| failed(&path, error))?;
            }
            count += 1;
        }
    }
    Ok(count)
}

/// Which files of a topic are old.
#[derive(Debug)]
pub struct OldFiles<'a> {
    pub time: Timestamp,
    /// The topic's time zone, which its file names use.
    pub zone: Tz,
    pub newest: Option<&'a Digest>,
}

/// Returns the stem of a file name if it is that of a digest's file.
fn stem_of_digest(name: &str) -> Option<&str> {
    let (stem, extension) = name.split_once('.')?;
    let is_ours = Format::ALL.iter().any(|format| extension == format.extension())
        || plots::NAMES.iter().any(|plot| extension.strip_suffix(".svg") == Some(plot));
    let has_times = match stem.split_once(FROM) {
        Some((end, start)) => is_time(end) && is_time(start),
        None => is_time(stem),
    };
    (is_ours && has_times).then_some(stem)
}

/// Returns whether a part of a name was made by [`file_stem`].
fn is_time(part: &str) -> bool {
    const TIME: &str = "0000-00-00T0000";
    const OFFSET: &str = "0000";
    let fits = |text: &str, like: &str| {
        let fits_one = |(c, like): (char, char)| if like == '0' { c.is_ascii_digit() } else { c == like };
        text.len() == like.len() && text.chars().zip(like.chars()).all(fits_one)
    };
    let Some((time, offset)) = part.split_at_checked(TIME.len()) else { return false };
    let is_offset = offset.strip_prefix(['+', '-']).is_some_and(|digits| fits(digits, OFFSET));
    fits(time, TIME) && (offset.is_empty() || is_offset)
}

fn folder(output_dir: &Path, digest: &Digest) -> PathBuf {
    output_dir.join(folder_name(&digest.head.topic))
}

/// Returns the end of the window as the name of files without their extensions.
pub(super) fn end_stem(head: &DigestHead) -> String {
    Calendar::of(head).file_stem(head.window_end)
}

/// Returns end and start of the window. It begins with the end, so that it sorts beside that.
fn long_stem(head: &DigestHead) -> String {
    format!("{}{FROM}{}", end_stem(head), Calendar::of(head).file_stem(head.window_start))
}

fn file_name(stem: &str, extension: &str) -> String {
    format!("{stem}.{extension}")
}

/// Returns the file name of a picture, to which the page links.
pub(super) fn plot_name(stem: &str, name: &str) -> String {
    file_name(stem, &format!("{name}.svg"))
}

/// Converts a topic's name to a folder name. If that changes the name, a part of the topic's hash keeps it distinct
/// from a topic that has the changed name.
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
    use super::{folder_name, stem_of_digest};

    #[test]
    fn only_files_of_digests_are_taken_for_such() {
        for name in ["2026-11-19T0700.md", "2026-11-19T0700.html", "2026-11-19T0700.xml", "2026-11-19T0700.scores.svg"]
        {
            assert_eq!(stem_of_digest(name), Some("2026-11-19T0700"));
        }
        assert_eq!(stem_of_digest("2026-10-25T0230+0100.timeline.svg"), Some("2026-10-25T0230+0100"));
        let of_window = "2026-10-25T0230+0100_from_2026-10-20T0700";
        assert_eq!(stem_of_digest(&format!("{of_window}.scores.svg")), Some(of_window));
        for name in [
            "notes.md",
            "2026-11-19T0700.txt",
            "2026-11-19T0700",
            "2026-11-19.md",
            "2026-11-19T0700.md.bak",
            "é",
            "2026-10-25T0230+01.md",
            "2026-10-25T0230_from_notes.md",
            "2026-10-25T0230_from_.md",
        ] {
            assert_eq!(stem_of_digest(name), None, "{name}");
        }
    }

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
