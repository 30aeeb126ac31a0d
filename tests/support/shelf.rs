//! The smallest complete VFS: what an author would write first. No shared memory, no batches, no promises of its medium;
//! but any thread may use it, and it can lend pointers into its files.

use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use sqlite_vfs_kit::vfs::{
    Access, ErrorCode, FileFeatures, FileInfo, Files, LockLevel, OpenOptions, Opened, Result, SyncOptions, Vfs,
    VfsError, VfsFile, VfsPath,
};

/// Room that a file gets at once, so that pointers into it stay good while it grows.
const ROOM: usize = 4 << 20;

#[derive(Default)]
struct Content {
    bytes: Vec<u8>,
    readers: u32,
    writer: LockLevel,
}

#[derive(Clone, Default)]
pub struct Shelf {
    files: Arc<Mutex<HashMap<String, Arc<Mutex<Content>>>>>,
    fetches: Option<Arc<Fetches>>,
}

/// How often pointers were lent and given back.
#[derive(Default)]
pub struct Fetches {
    pub lent: AtomicUsize,
    pub given_back: AtomicUsize,
}

impl Shelf {
    pub fn new() -> Self {
        Self::default()
    }

    /// One that lends pointers.
    pub fn lending(fetches: Arc<Fetches>) -> Self {
        Self { fetches: Some(fetches), ..Self::default() }
    }

    fn files(&self) -> MutexGuard<'_, HashMap<String, Arc<Mutex<Content>>>> {
        self.files.lock().unwrap()
    }
}

impl Vfs for Shelf {
    type File = ShelfFile;

    fn open(&self, path: Option<&VfsPath<'_>>, options: OpenOptions) -> Result<Opened<ShelfFile>> {
        let content = match path.map(VfsPath::as_str) {
            None => Arc::default(),
            Some(name) => {
                let mut files = self.files();
                match files.get(name) {
                    Some(_) if options.create() && options.exclusive() => {
                        return Err(VfsError::new(ErrorCode::CantOpen, format!("'{name}' is on the shelf already")));
                    }
                    Some(content) => content.clone(),
                    None if options.create() => files.entry(name.to_owned()).or_default().clone(),
                    None => return Err(VfsError::new(ErrorCode::CantOpen, format!("no file '{name}' on the shelf"))),
                }
            }
        };
        let delete = path.filter(|_| options.delete_on_close()).map(|path| path.as_str().to_owned());
        let shelf = self.clone();
        // Deliberately not an echo of what was asked: it is for the facade to keep a read-only request read-only.
        Ok(Opened::read_write(ShelfFile { content, level: LockLevel::None, shelf, delete }))
    }

    fn delete(&self, path: &VfsPath<'_>, _sync_dir: bool) -> Result<()> {
        self.files().remove(path.as_str()).map(drop).ok_or_else(|| ErrorCode::IoErrDeleteNoEnt.into())
    }

    fn access(&self, path: &VfsPath<'_>, _access: Access) -> Result<bool> {
        Ok(self.files().get(path.as_str()).is_some_and(|content| !content.lock().unwrap().bytes.is_empty()))
    }
}

impl Files for Shelf {
    fn list(&self) -> Result<Vec<FileInfo>> {
        let size = |content: &Arc<Mutex<Content>>| content.lock().unwrap().bytes.len() as u64;
        Ok(self.files().iter().map(|(name, content)| FileInfo { name: name.clone(), size: size(content) }).collect())
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        Ok(self.files().get(name).map(|content| content.lock().unwrap().bytes.len() as u64))
    }

    fn read_at(&self, name: &str, buffer: &mut [u8], offset: u64) -> Result<usize> {
        let content = self.files().get(name).cloned().ok_or(VfsError::from(ErrorCode::CantOpen))?;
        let content = content.lock().unwrap();
        let rest = content.bytes.get(offset as usize..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn write_at(&self, name: &str, bytes: &[u8], offset: u64) -> Result<()> {
        let content = self.files().entry(name.to_owned()).or_default().clone();
        let mut content = content.lock().unwrap();
        let end = offset as usize + bytes.len();
        if content.bytes.len() < end {
            content.bytes.resize(end, 0);
        }
        content.bytes[offset as usize..end].copy_from_slice(bytes);
        Ok(())
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        let content = self.files().remove(from).ok_or(VfsError::from(ErrorCode::CantOpen))?;
        self.files().insert(to.to_owned(), content);
        Ok(())
    }

    fn remove(&self, name: &str) -> Result<bool> {
        Ok(self.files().remove(name).is_some())
    }
}

pub struct ShelfFile {
    content: Arc<Mutex<Content>>,
    level: LockLevel,
    shelf: Shelf,
    delete: Option<String>,
}

impl ShelfFile {
    fn content(&self) -> MutexGuard<'_, Content> {
        self.content.lock().unwrap()
    }
}

impl Drop for ShelfFile {
    fn drop(&mut self) {
        let _ = self.unlock(LockLevel::None);
        if let Some(name) = &self.delete {
            self.shelf.files().remove(name);
        }
    }
}

impl VfsFile for ShelfFile {
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        let content = self.content();
        let rest = usize::try_from(offset).ok().and_then(|start| content.bytes.get(start..)).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn write_at(&mut self, data: &[u8], offset: u64) -> Result<()> {
        let mut content = self.content();
        let end = offset as usize + data.len();
        if end > content.bytes.len() {
            content.bytes.reserve(ROOM.saturating_sub(end));
            content.bytes.resize(end, 0);
        }
        content.bytes[offset as usize..end].copy_from_slice(data);
        Ok(())
    }

    fn set_len(&mut self, len: u64) -> Result<()> {
        self.content().bytes.resize(len as usize, 0);
        Ok(())
    }

    fn sync(&mut self, _: SyncOptions) -> Result<()> {
        Ok(())
    }

    fn len(&mut self) -> Result<u64> {
        Ok(self.content().bytes.len() as u64)
    }

    fn lock(&mut self, level: LockLevel) -> Result<()> {
        let mut content = self.content.lock().unwrap();
        if self.level == LockLevel::None {
            if content.writer >= LockLevel::Pending {
                return Err(VfsError::busy());
            }
            content.readers += 1;
            self.level = LockLevel::Shared;
        }
        if level > LockLevel::Shared {
            if self.level < LockLevel::Reserved && content.writer > LockLevel::None {
                return Err(VfsError::busy());
            }
            let alone = content.readers == 1;
            self.level = if level == LockLevel::Exclusive && !alone { LockLevel::Pending } else { level };
            content.writer = self.level;
            if self.level < level {
                return Err(VfsError::busy());
            }
        }
        Ok(())
    }

    fn unlock(&mut self, level: LockLevel) -> Result<()> {
        let mut content = self.content.lock().unwrap();
        if self.level > LockLevel::Shared {
            content.writer = LockLevel::None;
            self.level = LockLevel::Shared;
        }
        if level == LockLevel::None && self.level == LockLevel::Shared {
            content.readers -= 1;
            self.level = LockLevel::None;
        }
        Ok(())
    }

    fn has_reserved_lock(&mut self) -> Result<bool> {
        Ok(self.content().writer >= LockLevel::Reserved)
    }

    fn features(&self) -> FileFeatures {
        FileFeatures { fetch: self.shelf.fetches.is_some(), ..FileFeatures::default() }
    }

    fn fetch(&mut self, offset: u64, len: usize) -> Result<Option<NonNull<u8>>> {
        let Some(fetches) = &self.shelf.fetches else { return Ok(None) };
        let mut content = self.content.lock().unwrap();
        let there = content.bytes.get_mut(offset as usize..offset as usize + len);
        Ok(there.and_then(|bytes| {
            fetches.lent.fetch_add(1, Ordering::Relaxed);
            NonNull::new(bytes.as_mut_ptr())
        }))
    }

    fn unfetch(&mut self, _offset: u64, pointer: Option<NonNull<u8>>) -> Result<()> {
        if let (Some(fetches), Some(_)) = (&self.shelf.fetches, pointer) {
            fetches.given_back.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }
}
