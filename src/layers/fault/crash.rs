//! What a power loss leaves of a recording.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::recording::{Change, Event, Recorded, Recording};
use crate::vfs::{DeviceCharacteristics, ErrorCode, Result, VfsError};

/// What became of changes that were not synced when power was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsynced {
    /// All are lost.
    Lost,
    /// All have arrived.
    Kept,
    /// Each has arrived or not, whatever became of the others, as the seed has it. The bytes of a write may be lost and the
    /// file be longer by them all the same: then garbage or zeros are in their place.
    Reordered {
        /// The same seed gives the same contents.
        seed: u64,
    },
    /// As [`Reordered`](Self::Reordered), but of the last write the first sectors have arrived, in part the last of them.
    Torn {
        /// The same seed gives the same contents.
        seed: u64,
    },
}

impl Recording {
    /// What all files hold if power is lost after the first `point` events, by name. With 0 it is what they held at first; with
    /// more than there are, they are as they were at the end.
    ///
    /// What is durable:
    ///
    /// - Writes and lengths of a file are when it was synced.
    /// - A new file is there when it was synced for the first time.
    /// - A deletion is at once with `sync_dir`. Without, the file may come back, as it was when last synced, until another file
    ///   of the name was synced. Of several that had a name it has the last one that arrived.
    /// - A file is not cut before names that were deleted earlier are gone, as in file systems that keep a journal of their
    ///   own. SQLite needs it where the deletion of its journal is the commit: the file is cut after it, and a journal that came
    ///   back would not have the pages.
    /// - A batch arrives as a whole once it was committed, and is durable by the sync that follows.
    ///
    /// What the file promises ([`DeviceCharacteristics`]) is kept. `SEQUENTIAL`: changes to all files that promise it arrive in
    /// order, so some number of the first have, and a sync of one makes all of them durable. `SAFE_APPEND`: a file is
    /// longer by bytes that have arrived and no others. `POWERSAFE_OVERWRITE`: a torn write leaves the bytes around it
    /// alone, where otherwise the sector in which it was cut is garbage. `ATOMIC`, and that for sizes: such writes are not torn.
    ///
    /// # Errors
    /// [`NoMem`](ErrorCode::NoMem) when the contents do not fit into memory.
    pub fn crash_at(&self, point: usize, unsynced: Unsynced) -> Result<BTreeMap<String, Vec<u8>>> {
        let events = self.events.get(..point).unwrap_or(&self.events);
        let mut chance = Chance::new(unsynced);
        let ordered = self.ordered(events, &mut chance);
        let mut medium = Medium::new(&self.files)?;
        for (index, event) in events.iter().enumerate() {
            let in_order = self.is_sequential(event.file);
            // What comes after the last that has arrived might as well not have happened.
            if in_order && index >= ordered {
                continue;
            }
            medium.apply(index, event)?;
            if in_order && !matches!(event.change, Change::Write { .. } | Change::Truncate { .. }) {
                medium.settle(event)?;
            }
        }
        // Where changes arrive in order only the last that has can have been cut.
        let may_tear = |write: usize| {
            let file = events.get(write).map_or(usize::MAX, |event| event.file);
            !self.is_sequential(file)
                || events.iter().take(ordered).skip(write + 1).all(|event| !self.is_sequential(event.file))
        };
        let torn = matches!(unsynced, Unsynced::Torn { .. }).then(|| medium.last_write()).flatten();
        medium.lose(|file| self.is_sequential(file), torn.filter(|&write| may_tear(write)), &mut chance)
    }

    fn is_sequential(&self, file: usize) -> bool {
        self.files.get(file).is_some_and(|file| file.characteristics.contains(DeviceCharacteristics::SEQUENTIAL))
    }

    /// How many events have arrived, of files whose changes arrive in order.
    fn ordered(&self, events: &[Event], chance: &mut Chance) -> usize {
        let durable = events
            .iter()
            .rposition(|event| {
                self.is_sequential(event.file)
                    && matches!(event.change, Change::Sync | Change::Delete { sync_dir: true })
            })
            .map_or(0, |index| index + 1);
        match chance {
            Chance::Never => durable,
            Chance::Always => events.len(),
            Chance::Sometimes { random, .. } => durable + random.below(events.len() - durable + 1),
        }
    }
}

/// A change to the bytes of a file that may be lost.
#[derive(Debug)]
struct Pending<'a> {
    /// One, or a batch's.
    pieces: Vec<Piece<'a>>,
    /// The event that made it.
    number: usize,
}

impl Pending<'_> {
    fn is_length(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Length(_)))
    }
}

#[derive(Clone, Copy, Debug)]
enum Piece<'a> {
    Write { offset: u64, bytes: &'a [u8] },
    Length(u64),
}

/// A file, whatever its name.
struct Body<'a> {
    about: &'a Recorded,
    durable: Vec<u8>,
    pending: Vec<Pending<'a>>,
    batch: Option<Vec<Piece<'a>>>,
}

/// Which file a name belongs to.
#[derive(Default)]
struct Name {
    durable: Option<usize>,
    /// What it came to belong to since, in order, and by which event.
    pending: Vec<(usize, Option<usize>)>,
}

impl Name {
    /// The first of what is pending has arrived.
    fn settle(&mut self, count: usize) {
        if let Some((_, last)) = self.pending.drain(..count.min(self.pending.len())).next_back() {
            self.durable = last;
        }
    }
}

/// The medium: what it has for certain, and what is on its way there.
struct Medium<'a> {
    bodies: Vec<Body<'a>>,
    names: BTreeMap<Rc<str>, Name>,
}

impl<'a> Medium<'a> {
    fn new(files: &'a [Recorded]) -> Result<Self> {
        let mut medium = Self { bodies: Vec::new(), names: BTreeMap::new() };
        for (number, about) in files.iter().enumerate() {
            let mut durable = Vec::new();
            if let Some(before) = &about.before {
                put(&mut durable, 0, before)?;
                medium.names.insert(about.name.clone(), Name { durable: Some(number), pending: Vec::new() });
            }
            medium.bodies.push(Body { about, durable, pending: Vec::new(), batch: None });
        }
        Ok(medium)
    }

    fn apply(&mut self, number: usize, event: &'a Event) -> Result<()> {
        let Some(body) = self.bodies.get_mut(event.file) else { return Ok(()) };
        let mut piece = |piece| {
            if let Some(batch) = &mut body.batch {
                batch.push(piece);
            } else {
                body.pending.push(Pending { pieces: vec![piece], number });
            }
        };
        match &event.change {
            Change::Write { offset, bytes } => piece(Piece::Write { offset: *offset, bytes }),
            Change::Truncate { len } => piece(Piece::Length(*len)),
            Change::BeginBatch => body.batch = Some(Vec::new()),
            Change::CommitBatch => {
                if let Some(pieces) = body.batch.take() {
                    body.pending.push(Pending { pieces, number });
                }
            }
            Change::RollbackBatch => body.batch = None,
            Change::Sync => {
                let cut = body.pending.iter().rfind(|pending| pending.is_length()).map_or(0, |pending| pending.number);
                body.settle()?;
                for name in self.names.values_mut() {
                    name.settle(name.pending.partition_point(|&(number, _)| number < cut));
                }
                let name = self.names.entry(event.name.clone()).or_default();
                if let Some(made) = name.pending.iter().rposition(|&(_, file)| file == Some(event.file)) {
                    name.settle(made + 1);
                }
            }
            Change::Create => {
                self.names.entry(event.name.clone()).or_default().pending.push((number, Some(event.file)));
            }
            Change::Delete { sync_dir } => {
                let name = self.names.entry(event.name.clone()).or_default();
                name.pending.push((number, None));
                if *sync_dir {
                    name.settle(usize::MAX);
                }
            }
        }
        Ok(())
    }

    /// What happened to the file of this event, and to its name, has arrived.
    fn settle(&mut self, event: &Event) -> Result<()> {
        if let Some(body) = self.bodies.get_mut(event.file) {
            body.settle()?;
        }
        if let Some(name) = self.names.get_mut(&event.name) {
            name.settle(usize::MAX);
        }
        Ok(())
    }

    /// The last write to any file that is pending, unless it is part of a batch.
    fn last_write(&self) -> Option<usize> {
        let writes = self.bodies.iter().filter_map(|body| {
            let last =
                body.pending.iter().rfind(|pending| matches!(pending.pieces.as_slice(), [Piece::Write { .. }]))?;
            Some(last.number)
        });
        writes.max()
    }

    /// Power is lost.
    fn lose(
        mut self,
        is_sequential: impl Fn(usize) -> bool,
        torn: Option<usize>,
        chance: &mut Chance,
    ) -> Result<BTreeMap<String, Vec<u8>>> {
        // The first change to a name that has not arrived. No change of length that came after it has.
        let mut missing = usize::MAX;
        for name in self.names.values_mut() {
            name.settle(match chance {
                Chance::Never => 0,
                Chance::Always => usize::MAX,
                Chance::Sometimes { random, .. } => random.below(name.pending.len() + 1),
            });
            missing = name.pending.first().map_or(missing, |&(number, _)| missing.min(number));
        }
        for (number, body) in self.bodies.iter_mut().enumerate() {
            // Of those whose changes arrive in order only what has arrived was applied.
            body.lose(torn, is_sequential(number), missing, chance)?;
        }
        let mut contents = BTreeMap::new();
        for (name, Name { durable, .. }) in self.names {
            if let Some(body) = durable.and_then(|file| self.bodies.get_mut(file)) {
                contents.insert(name.to_string(), std::mem::take(&mut body.durable));
            }
        }
        Ok(contents)
    }
}

impl Body<'_> {
    /// All that is pending has arrived.
    fn settle(&mut self) -> Result<()> {
        self.lose(None, true, usize::MAX, &mut Chance::Always)
    }

    fn promises(&self, promise: DeviceCharacteristics) -> bool {
        self.about.characteristics.contains(promise)
    }

    /// Power is lost. Of what is pending either all is `certain` to have arrived, or it is left to chance; changes of length from
    /// the event `missing` on have not.
    fn lose(&mut self, torn: Option<usize>, certain: bool, missing: usize, chance: &mut Chance) -> Result<()> {
        // With SAFE_APPEND, what was appended after a loss is lost, too.
        let mut may_grow = true;
        for pending in std::mem::take(&mut self.pending) {
            let is_missing = pending.number >= missing && pending.is_length() && !certain;
            let Pending { pieces, number } = pending;
            let is_torn = torn == Some(number);
            let grows = pieces.iter().any(|piece| piece.end() > self.durable.len() as u64);
            if is_torn
                && let [Piece::Write { offset, bytes }] = *pieces.as_slice()
                && !self.is_atomic(offset, bytes.len())
            {
                if may_grow || !grows {
                    self.tear(offset, bytes, chance)?;
                }
                continue;
            }
            if (may_grow || !grows) && !is_missing && (certain || chance.arrives()) {
                for piece in pieces {
                    match piece {
                        Piece::Write { offset, bytes } => put(&mut self.durable, offset, bytes)?,
                        Piece::Length(len) => set_len(&mut self.durable, len)?,
                    }
                }
            } else if grows {
                if self.promises(DeviceCharacteristics::SAFE_APPEND) {
                    may_grow = false;
                } else if let [piece] = *pieces.as_slice() {
                    self.grow_without(piece, chance)?;
                }
            }
        }
        Ok(())
    }

    /// The bytes of a write are lost, but the length of the file may not be.
    fn grow_without(&mut self, lost: Piece<'_>, chance: &mut Chance) -> Result<()> {
        if !chance.arrives() {
            return Ok(());
        }
        let start = self.durable.len();
        set_len(&mut self.durable, lost.end())?;
        if let Piece::Write { .. } = lost
            && chance.arrives()
        {
            chance.garble(self.durable.get_mut(start..).unwrap_or_default());
        }
        Ok(())
    }

    /// Of a write the first sectors arrive.
    fn tear(&mut self, offset: u64, bytes: &[u8], chance: &mut Chance) -> Result<()> {
        let sector = u64::from(self.about.sector_size.max(1));
        let end = offset.saturating_add(bytes.len() as u64);
        let sectors = end.div_ceil(sector).saturating_sub(offset / sector);
        // The sector in which it was cut: those before it have arrived, those after it have not.
        let cut = offset / sector + chance.below(sectors);
        let (from, to) = (cut.saturating_mul(sector), cut.saturating_add(1).saturating_mul(sector));
        let (first, last) = (from.max(offset), to.min(end));
        let whole = usize::try_from(first - offset).unwrap_or(usize::MAX);
        put(&mut self.durable, offset, bytes.get(..whole).unwrap_or(bytes))?;
        if self.promises(DeviceCharacteristics::POWERSAFE_OVERWRITE) {
            let part = usize::try_from(chance.below(last - first + 1)).unwrap_or(usize::MAX);
            let piece = bytes.get(whole..).unwrap_or_default();
            return put(&mut self.durable, first, piece.get(..part).unwrap_or(piece));
        }
        if last > self.durable.len() as u64 {
            set_len(&mut self.durable, last)?;
        }
        let garbage = usize::try_from(from).ok().and_then(|from| self.durable.get_mut(from..)).unwrap_or_default();
        let length = garbage.len().min(usize::try_from(sector).unwrap_or(usize::MAX));
        chance.garble(garbage.get_mut(..length).unwrap_or_default());
        Ok(())
    }

    /// Does the medium write this at once?
    fn is_atomic(&self, offset: u64, len: usize) -> bool {
        // SQLITE_IOCAP_ATOMIC512 is 2, ATOMIC1K 4, … ATOMIC64K 256, for blocks at multiples of their size.
        let blocks = 1_u64..=8;
        let sized = |shift: u64| {
            let size = 256_u64 << shift;
            self.about.characteristics.raw() & (1 << shift) != 0 && len as u64 == size && offset.is_multiple_of(size)
        };
        self.promises(DeviceCharacteristics::ATOMIC) || blocks.into_iter().any(sized)
    }
}

impl Piece<'_> {
    fn end(self) -> u64 {
        match self {
            Self::Write { offset, bytes } => offset.saturating_add(bytes.len() as u64),
            Self::Length(len) => len,
        }
    }
}

fn no_room() -> VfsError {
    VfsError::new(ErrorCode::NoMem, "no memory for what the files hold after a crash")
}

fn set_len(file: &mut Vec<u8>, len: u64) -> Result<()> {
    let len = usize::try_from(len).map_err(|_| no_room())?;
    file.try_reserve(len.saturating_sub(file.len())).map_err(|_| no_room())?;
    file.resize(len, 0);
    Ok(())
}

fn put(file: &mut Vec<u8>, offset: u64, bytes: &[u8]) -> Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let end = offset.saturating_add(bytes.len() as u64);
    if end > file.len() as u64 {
        set_len(file, end)?;
    }
    let place = usize::try_from(offset).ok().and_then(|start| file.get_mut(start..)?.get_mut(..bytes.len()));
    place.ok_or_else(no_room)?.copy_from_slice(bytes);
    Ok(())
}

/// What decides whether a change has arrived.
enum Chance {
    Never,
    Always,
    /// `odds` times in eight.
    Sometimes {
        random: Random,
        odds: usize,
    },
}

impl Chance {
    fn new(unsynced: Unsynced) -> Self {
        match unsynced {
            Unsynced::Lost => Self::Never,
            Unsynced::Kept => Self::Always,
            Unsynced::Reordered { seed } | Unsynced::Torn { seed } => {
                let mut random = Random(seed);
                // So that with some seeds little is lost, and with others nearly all.
                let odds = 1 + random.below(7);
                Self::Sometimes { random, odds }
            }
        }
    }

    fn arrives(&mut self) -> bool {
        match self {
            Self::Never => false,
            Self::Always => true,
            Self::Sometimes { random, odds } => random.below(8) < *odds,
        }
    }

    fn below(&mut self, limit: u64) -> u64 {
        match self {
            Self::Sometimes { random, .. } => random.next() % limit.max(1),
            Self::Never | Self::Always => 0,
        }
    }

    fn garble(&mut self, bytes: &mut [u8]) {
        if let Self::Sometimes { random, .. } = self {
            for chunk in bytes.chunks_mut(8) {
                let garbage = random.next().to_le_bytes();
                chunk.iter_mut().zip(garbage).for_each(|(byte, other)| *byte = other);
            }
        }
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014): every seed will do.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % (limit as u64).max(1)).unwrap_or(0)
    }
}
