//! Replaces a file as a whole: a reader finds the old version or the new one, even if the process is killed.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a file: first a temporary one in the same folder, whose name no other write of a running process has, which
/// is then renamed.
///
/// # Errors
/// When the folder cannot be written to. The file is then as it was.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    static WRITES: AtomicU64 = AtomicU64::new(0);
    let nth = WRITES.fetch_add(1, Ordering::Relaxed);
    let temporary = path.with_file_name(format!(".aha-radar.{}-{nth}.tmp", std::process::id()));
    let written = write_and_sync(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The first error is the one to report; a left-over temporary file is harmless.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write_and_sync(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("aha-core-files-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_and_no_other_is_touched() {
        let folder = folder("replaced");
        fs::write(folder.join("week.part"), "of the user").unwrap();
        for text in ["old", "new"] {
            write_atomically(&folder.join("week.json"), text.as_bytes()).unwrap();
            write_atomically(&folder.join("week.yaml"), text.as_bytes()).unwrap();
        }
        assert_eq!(names(&folder), ["week.json", "week.part", "week.yaml"]);
        assert_eq!(fs::read_to_string(folder.join("week.json")).unwrap(), "new");
        assert_eq!(fs::read_to_string(folder.join("week.part")).unwrap(), "of the user");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_cannot_be_written_leaves_nothing_behind() {
        let folder = folder("refused");
        fs::create_dir(folder.join("week.json")).unwrap();
        assert!(write_atomically(&folder.join("week.json"), b"new").is_err());
        assert_eq!(names(&folder), ["week.json"]);
        fs::remove_dir_all(folder).unwrap();
    }
}
