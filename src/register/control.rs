//! Decodes `xFileControl`: which code has which argument (<https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html>).

use std::ffi::{CStr, c_char, c_int, c_void};

use super::sqlite_string;
use crate::sys;
use crate::vfs::{ErrorCode, FileControl, Pragma, Result, VfsError, VfsFile};

use crate::vfs::{FCNTL_BEGIN_ATOMIC_WRITE, FCNTL_COMMIT_ATOMIC_WRITE, FCNTL_ROLLBACK_ATOMIC_WRITE};

/// # Safety
/// `argument` is what SQLite passes with `code`.
pub(super) unsafe fn file_control<F: VfsFile>(
    file: &mut F,
    vfs_name: &CStr,
    code: c_int,
    argument: *mut c_void,
) -> Result<c_int> {
    // SAFETY (for all reads and writes through `argument`): SQLite documents its type for each code.
    let control = unsafe {
        match code {
            sys::SQLITE_FCNTL_VFSNAME => {
                *argument.cast::<*mut c_char>() = sqlite_string(&vfs_name.to_string_lossy());
                return Ok(sys::SQLITE_OK);
            }
            sys::SQLITE_FCNTL_PRAGMA => return pragma(file, argument.cast()),
            sys::SQLITE_FCNTL_SIZE_HINT => FileControl::SizeHint(length(*argument.cast::<i64>())?),
            sys::SQLITE_FCNTL_OVERWRITE => {
                FileControl::Overwrite(if argument.is_null() { 0 } else { length(*argument.cast::<i64>())? })
            }
            sys::SQLITE_FCNTL_CHUNK_SIZE => {
                FileControl::ChunkSize(u32::try_from(*argument.cast::<c_int>()).unwrap_or(0))
            }
            sys::SQLITE_FCNTL_SYNC => {
                let name = argument.cast::<c_char>().cast_const();
                let super_journal = if name.is_null() { None } else { CStr::from_ptr(name).to_str().ok() };
                FileControl::Sync { super_journal }
            }
            sys::SQLITE_FCNTL_COMMIT_PHASETWO => FileControl::CommitPhaseTwo,
            FCNTL_BEGIN_ATOMIC_WRITE => FileControl::BeginAtomicWrite,
            FCNTL_COMMIT_ATOMIC_WRITE => FileControl::CommitAtomicWrite,
            FCNTL_ROLLBACK_ATOMIC_WRITE => FileControl::RollbackAtomicWrite,
            sys::SQLITE_FCNTL_PERSIST_WAL => FileControl::PersistWal(&mut *argument.cast()),
            sys::SQLITE_FCNTL_POWERSAFE_OVERWRITE => FileControl::PowersafeOverwrite(&mut *argument.cast()),
            sys::SQLITE_FCNTL_HAS_MOVED => FileControl::HasMoved(&mut *argument.cast()),
            sys::SQLITE_FCNTL_LOCK_TIMEOUT => FileControl::LockTimeout(&mut *argument.cast()),
            sys::SQLITE_FCNTL_MMAP_SIZE => FileControl::MmapSize(&mut *argument.cast()),
            sys::SQLITE_FCNTL_CKPT_START => FileControl::CheckpointStart,
            sys::SQLITE_FCNTL_CKPT_DONE => FileControl::CheckpointDone,
            other => FileControl::Other(other),
        }
    };
    Ok(if file.file_control(control)? { sys::SQLITE_OK } else { sys::SQLITE_NOTFOUND })
}

fn length(value: i64) -> Result<u64> {
    u64::try_from(value).map_err(|_| VfsError::new(ErrorCode::Misuse, "a negative size"))
}

/// # Safety
/// `words` is the argument of `SQLITE_FCNTL_PRAGMA`: a place for the answer, the pragma's name, and its value or null.
unsafe fn pragma<F: VfsFile>(file: &mut F, words: *mut *mut c_char) -> Result<c_int> {
    // SAFETY: as the caller promises.
    let (name, value) = unsafe {
        let value = *words.add(2);
        let value = if value.is_null() { None } else { CStr::from_ptr(value).to_str().ok() };
        (CStr::from_ptr(*words.add(1)).to_str().unwrap_or_default(), value)
    };
    let (code, text) = match file.pragma(name, value) {
        Ok(Pragma::NotHandled) => return Ok(sys::SQLITE_NOTFOUND),
        Ok(Pragma::Handled(text)) => (Ok(sys::SQLITE_OK), text),
        Err(error) => {
            let text = (!error.message().is_empty()).then(|| error.message().to_owned());
            (Err(error), text)
        }
    };
    if let Some(text) = text {
        // SAFETY: SQLite frees the text with sqlite3_free, and allows null.
        unsafe { *words = sqlite_string(&text) };
    }
    code
}
