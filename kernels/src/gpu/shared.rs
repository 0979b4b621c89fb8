//! What all executors of a device share beside its kernels: the tables of stencils and sparse matrices in its memory.

use std::collections::HashMap;
use std::sync::{Arc, Once, OnceLock};

use arrayspan_bridge::Array;
use arrayspan_bridge::devices::reclaim::{self, Holdings, Reclaim, Stage};
use arrayspan_bridge::devices::{Device, Result, Stream};
use parking_lot::{Mutex, RwLock};

use super::Gpu;
use super::table_key::Key;
use super::tables::Uploaded;

/// The most tables that are kept: more than a program uses at once. The bound matters for programs that keep asking for
/// new ones.
const MOST_TABLES: usize = 64;

/// What all executors of a device share. Kept as long as the process runs; recovery empties it.
#[derive(Debug, Default)]
pub(super) struct Shared {
    tables: Mutex<HashMap<Key, Uploaded>>,
    /// The executor of the process's own stream.
    own: OnceLock<Arc<Gpu>>,
}

/// Of each device that has been asked for, which are few: every call looks for one.
static ALL: RwLock<Vec<(Device, Arc<Shared>)>> = RwLock::new(Vec::new());

impl Shared {
    /// That of a device.
    pub(super) fn of(device: Device) -> Arc<Self> {
        static REGISTERED: Once = Once::new();
        REGISTERED.call_once(|| reclaim::register(&WORKSPACES));
        if let Some(shared) = Self::known(device) {
            return shared;
        }
        let mut all = ALL.write();
        if let Some(shared) = find(&all, device) {
            return shared.clone();
        }
        let shared = Arc::<Self>::default();
        all.push((device, shared.clone()));
        shared
    }

    /// That of a device, if it was asked for before.
    fn known(device: Device) -> Option<Arc<Self>> {
        find(&ALL.read(), device).cloned()
    }

    /// The executor of the process's own stream, made once: what it keeps (room for parts of results, the vendor's handle, how
    /// calls were launched) is there for the next call.
    pub(super) fn own(stream: &Stream) -> crate::Result<Arc<Gpu>> {
        let device = stream.device();
        if let Some(own) = find(&ALL.read(), device).and_then(|shared| shared.own.get()) {
            return Ok(own.clone());
        }
        let made = Arc::new(Gpu::new(stream.clone())?);
        Ok(Self::of(device).own.get_or_init(|| made).clone())
    }

    /// Tables in the device's memory, copied there on `stream` at first use. Work on other streams that reads them waits for
    /// the copy, as for that of any array.
    #[allow(
        clippy::mutable_key_type,
        reason = "the table of a transpose follows from what it is the transpose of"
    )]
    pub(super) fn tables(&self, key: Key, stream: &Stream) -> crate::Result<Uploaded> {
        if let Some(uploaded) = self.tables.lock().get(&key) {
            return Ok(uploaded.clone());
        }
        // Not under the lock: looking for memory may wait for others, who may be waiting for these tables. Two threads
        // may send the same tables; those of the first stay.
        let uploaded = key.upload(stream)?;
        let mut tables = self.tables.lock();
        let full = tables.len() >= MOST_TABLES && !tables.contains_key(&key);
        let mut old = if full { std::mem::take(&mut *tables) } else { HashMap::new() };
        // Tables of sparse matrices may be as large as arrays, so they are dropped once nobody else holds the matrix.
        old.extend(tables.extract_if(|key, _| key.is_forgotten()));
        let kept = tables.entry(key).or_insert_with(|| uploaded.clone()).clone();
        // What is not kept is freed outside the lock, too.
        drop(tables);
        drop((old, uploaded));
        Ok(kept)
    }
}

fn find(all: &[(Device, Arc<Shared>)], device: Device) -> Option<&Arc<Shared>> {
    all.iter().find(|(known, _)| *known == device).map(|(_, shared)| shared)
}

/// The bytes of tables that nobody uses but their cache.
fn unused(uploaded: &Uploaded) -> usize {
    let bytes = |array: &Array| array.layout().len() * array.dtype().bytes();
    if Arc::strong_count(uploaded) == 1 { bytes(&uploaded.0) + bytes(&uploaded.1) } else { 0 }
}

/// Gives tables and room for parts of results back when memory is short; who needs them makes them again.
#[derive(Debug)]
struct Workspaces;

static WORKSPACES: Workspaces = Workspaces;

impl Reclaim for Workspaces {
    fn name(&self) -> &'static str {
        "workspace of the verbs"
    }

    fn stage(&self) -> Stage {
        Stage::Workspaces
    }

    fn holdings(&self, device: Device) -> Option<Holdings> {
        let shared = Shared::known(device)?;
        let reserved_bytes = shared.tables.lock().values().map(unused).sum();
        Some(Holdings { reserved_bytes, ..Holdings::default() })
    }

    #[allow(
        clippy::mutable_key_type,
        reason = "the table of a transpose follows from what it is the transpose of"
    )]
    fn release(&self, device: Device) -> Result<Option<usize>> {
        let Some(shared) = Shared::known(device) else { return Ok(Some(0)) };
        let tables = std::mem::take(&mut *shared.tables.lock());
        let bytes: usize = tables.values().map(unused).sum();
        // Freed in stream order, when the kernels that read them have ended, and not under the lock.
        drop(tables);
        let room = shared.own.get().map_or(0, |own| own.forget_room());
        Ok(Some(bytes + room))
    }
}
