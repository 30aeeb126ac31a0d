//! A store's files as a user sees them: by name, whole, as bytes.

use super::error::{ErrorCode, Result, VfsError};

/// One file of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileInfo {
    /// Its name, the one SQLite opens it by.
    pub name: String,
    /// How long it is, in bytes.
    pub size: u64,
}

/// Listing, taking out, putting in and deleting files behind SQLite's back. A store implements it beside
/// [`Vfs`](super::Vfs) where its files outlive a connection.
///
/// A file that is open is never changed by any of this: connections have pages of it in their caches.
pub trait Files {
    /// All named files, sorted by name.
    ///
    /// # Errors
    /// When the medium cannot be asked.
    fn list(&self) -> Result<Vec<FileInfo>>;

    /// How long a file is, in bytes; `None` if there is no such file.
    ///
    /// # Errors
    /// When the medium cannot be asked.
    fn size(&self, name: &str) -> Result<Option<u64>>;

    /// Reads from a file and answers how many bytes were read: fewer than asked at its end.
    ///
    /// # Errors
    /// [`CantOpen`](ErrorCode::CantOpen) if there is no such file.
    fn read_at(&self, name: &str, buffer: &mut [u8], offset: u64) -> Result<usize>;

    /// Writes into a file, which is made if there is none.
    ///
    /// # Errors
    /// [`Busy`](ErrorCode::Busy) if it is open, [`Full`](ErrorCode::Full) and nothing is written.
    fn write_at(&self, name: &str, bytes: &[u8], offset: u64) -> Result<()>;

    /// Gives a file another name, in the place of a file that has it already.
    ///
    /// # Errors
    /// [`Busy`](ErrorCode::Busy) if one of them is open, [`CantOpen`](ErrorCode::CantOpen) if there is none to rename.
    fn rename(&self, from: &str, to: &str) -> Result<()>;

    /// Deletes a file and answers whether there was one.
    ///
    /// # Errors
    /// [`Busy`](ErrorCode::Busy) if it is open.
    fn remove(&self, name: &str) -> Result<bool>;

    /// All bytes of a file.
    ///
    /// # Errors
    /// [`CantOpen`](ErrorCode::CantOpen) if there is none, [`NoMem`](ErrorCode::NoMem) if they don't fit.
    fn read(&self, name: &str) -> Result<Vec<u8>> {
        let size = self.size(name)?.unwrap_or_default();
        let no_room = || VfsError::new(ErrorCode::NoMem, format!("no memory for a copy of '{name}'"));
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(usize::try_from(size).map_err(|_| no_room())?).map_err(|_| no_room())?;
        bytes.resize(bytes.capacity(), 0);
        let read = self.read_at(name, &mut bytes, 0)?;
        bytes.truncate(read);
        Ok(bytes)
    }

    /// Makes a file of these bytes, in the place of one that is there; which stays as it is if this fails.
    ///
    /// # Errors
    /// [`Busy`](ErrorCode::Busy) if it is open, [`Full`](ErrorCode::Full).
    fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let beside = format!("{name}{BESIDE}");
        self.remove(&beside)?;
        let written = self.write_at(&beside, bytes, 0).and_then(|()| self.rename(&beside, name));
        if written.is_err() {
            self.remove(&beside)?;
        }
        written
    }
}

/// What is on its way to be a file has this behind its name.
const BESIDE: &str = ".incoming";
