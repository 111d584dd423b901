//! A model that is loaded from a folder and kept while the folder's files stay the same.
//!
//! Input: a folder, and how to load it. Output: the model, which all callers share. `app` has one for the folder of
//! `AHA_EMBED_MODEL_DIR` and one for that of `AHA_SENTENCE_MODEL_DIR`.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::Mutex;

/// Levels of folders whose files are compared: some models have their files in subfolders.
const LEVELS: usize = 2;

/// The model of one folder. Clones share it.
#[derive(Debug)]
pub struct ModelFolder<T>(Arc<Mutex<Option<LoadedModel<T>>>>);

#[derive(Debug)]
struct LoadedModel<T> {
    /// As they were before it was loaded.
    files: Vec<FileVersion>,
    model: Arc<T>,
}

/// A file, and what differs once it is written or replaced.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct FileVersion {
    path: PathBuf,
    inode: u64,
    bytes: u64,
    /// Seconds and nanoseconds. Unlike the time of modification, a program that copies the file cannot keep it.
    changed_at: (i64, i64),
}

impl<T> Default for ModelFolder<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Clone for ModelFolder<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> ModelFolder<T> {
    /// Returns the model; `load` is used if it was not loaded yet, or the folder's files have changed.
    ///
    /// # Errors
    /// That of `load`. The next call loads again.
    pub async fn get<E>(&self, folder: &Path, load: impl Future<Output = Result<T, E>>) -> Result<Arc<T>, E> {
        // Concurrent callers wait while it is loaded.
        let mut loaded = self.0.lock().await;
        // Listed first, so that a file which is replaced during the loading differs in the next call.
        let files = files_of(folder.to_owned()).await;
        if let Some(known) = loaded.as_ref().filter(|known| known.files == files) {
            return Ok(Arc::clone(&known.model));
        }
        // The former model may be large.
        *loaded = None;
        let model = Arc::new(load.await?);
        *loaded = Some(LoadedModel { files, model: Arc::clone(&model) });
        Ok(model)
    }
}

async fn files_of(folder: PathBuf) -> Vec<FileVersion> {
    let listing = tokio::task::spawn_blocking(move || {
        let mut files = Vec::new();
        add_files(&folder, LEVELS, &mut files);
        files.sort();
        files
    });
    listing.await.unwrap_or_default()
}

/// Adds the files that can be listed; whether the folder can be used, its loading tells.
fn add_files(folder: &Path, levels: usize, files: &mut Vec<FileVersion>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        // That of the file, not of a link to it.
        let Ok(metadata) = std::fs::metadata(&path) else { continue };
        if metadata.is_dir() {
            if levels > 1 {
                add_files(&path, levels - 1, files);
            }
            continue;
        }
        let changed_at = (metadata.ctime(), metadata.ctime_nsec());
        files.push(FileVersion { path, inode: metadata.ino(), bytes: metadata.len(), changed_at });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(model: &ModelFolder<String>, folder: &Path) -> Option<Arc<String>> {
        model.get(folder, async { std::fs::read_to_string(folder.join("weights/model")) }).await.ok()
    }

    #[tokio::test]
    async fn a_model_is_loaded_again_once_its_files_have_changed_and_a_failure_is_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let model = ModelFolder::default();
        assert!(read(&model, folder.path()).await.is_none(), "it is not there yet");
        std::fs::create_dir(folder.path().join("weights")).unwrap();
        std::fs::write(folder.path().join("weights/model"), "one").unwrap();
        let first = read(&model, folder.path()).await.unwrap();
        let again = read(&model.clone(), folder.path()).await.unwrap();
        assert!(*first == "one" && Arc::ptr_eq(&first, &again));
        let modified = std::fs::metadata(folder.path().join("weights/model")).unwrap().modified().unwrap();
        std::fs::write(folder.path().join("new"), "two").unwrap();
        std::fs::File::open(folder.path().join("new")).unwrap().set_modified(modified).unwrap();
        std::fs::rename(folder.path().join("new"), folder.path().join("weights/model")).unwrap();
        assert_eq!(*read(&model, folder.path()).await.unwrap(), "two");
        std::fs::remove_file(folder.path().join("weights/model")).unwrap();
        assert!(read(&model, folder.path()).await.is_none());
    }
}
