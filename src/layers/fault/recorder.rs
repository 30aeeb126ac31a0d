//! Puts a recording together while files are at work.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use super::recording::{Change, Recorded, Recording};
use crate::vfs::DeviceCharacteristics;

/// A file, as its open handles know it. When its name is deleted the next file of that name is another.
#[derive(Debug)]
pub(super) struct Node {
    pub name: Rc<str>,
    /// In which recording it was last seen, and its number there.
    seen: Cell<Option<(u32, usize)>>,
    /// Its name was deleted.
    deleted: Cell<bool>,
}

impl Node {
    pub(super) fn new(name: &str) -> Self {
        Self { name: name.into(), seen: Cell::default(), deleted: Cell::default() }
    }
}

#[derive(Debug, Default)]
pub(super) struct Recorder {
    /// Which recording this is; `None` if none is running.
    on: Cell<Option<u32>>,
    begun: Cell<u32>,
    recording: RefCell<Recording>,
    nodes: RefCell<BTreeMap<Rc<str>, Rc<Node>>>,
}

impl Recorder {
    pub(super) fn begin(&self) {
        self.recording.take();
        self.begun.set(self.begun.get().wrapping_add(1));
        self.on.set(Some(self.begun.get()));
    }

    pub(super) fn end(&self) -> Recording {
        self.on.set(None);
        self.recording.take()
    }

    pub(super) fn is_on(&self) -> bool {
        self.on.get().is_some()
    }

    pub(super) fn recorded(&self) -> usize {
        self.recording.borrow().events().len()
    }

    pub(super) fn so_far(&self) -> Recording {
        self.recording.borrow().clone()
    }

    /// The file that has this name, or will have it.
    pub(super) fn node(&self, name: &str) -> Rc<Node> {
        if let Some(node) = self.nodes.borrow().get(name) {
            return node.clone();
        }
        let node = Rc::new(Node::new(name));
        self.nodes.borrow_mut().insert(node.name.clone(), node.clone());
        node
    }

    /// The file's number, if it occurs in the running recording.
    pub(super) fn id(&self, node: &Node) -> Option<usize> {
        let (recording, id) = node.seen.get()?;
        (Some(recording) == self.on.get()).then_some(id)
    }

    /// Takes in a file: with what it held when the recording began, or one that was just made.
    pub(super) fn learn(
        &self,
        node: &Node,
        before: Option<Vec<u8>>,
        characteristics: DeviceCharacteristics,
        sector_size: u32,
    ) {
        let Some(on) = self.on.get() else { return };
        let mut recording = self.recording.borrow_mut();
        let is_new = before.is_none();
        let before = before.map(Rc::new);
        let id = recording.add_file(Recorded { name: node.name.clone(), before, characteristics, sector_size });
        node.seen.set(Some((on, id)));
        if is_new {
            recording.add(id, Change::Create);
        }
    }

    /// What the file promises is known from when it is opened.
    pub(super) fn describe(&self, id: usize, characteristics: DeviceCharacteristics, sector_size: u32) {
        if let Some(file) = self.recording.borrow_mut().files.get_mut(id) {
            file.characteristics = characteristics;
            file.sector_size = sector_size;
        }
    }

    pub(super) fn record(&self, node: &Node, change: Change) {
        if let Some(id) = self.id(node) {
            self.recording.borrow_mut().add(id, change);
        }
    }

    /// The name was deleted.
    pub(super) fn delete(&self, name: &str, sync_dir: bool) {
        let node = self.nodes.borrow_mut().remove(name);
        if let Some(node) = node {
            self.record(&node, Change::Delete { sync_dir });
            node.deleted.set(true);
        }
    }

    /// As [`delete`](Self::delete), if the name still is this file's.
    pub(super) fn delete_node(&self, node: &Node) {
        if !node.deleted.get() {
            self.delete(&node.name, false);
        }
    }
}
