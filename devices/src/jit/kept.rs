//! The kernels that a device keeps in memory, by what they are made for.

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::BuildHasherDefault;

use parking_lot::RwLock;

use super::kernel::Kernel;
use super::key_hash::{Hashed, hash};
use super::specialisation::Specialisation;

/// More kernels than a program uses at once; the bound is for programs that compile ever new shapes into kernels.
const MOST: usize = 4096;

/// The kernels of one device. Found by one hash under a lock that readers share; nothing is allocated for it.
#[derive(Default)]
pub(crate) struct Kept(RwLock<Kernels>);

#[derive(Default)]
struct Kernels {
    /// By the hash of the key and its type.
    slots: HashMap<u64, Slot, BuildHasherDefault<Hashed>>,
    count: usize,
}

/// The kernels of one hash: almost always one.
struct Slot {
    first: Entry,
    others: Vec<Entry>,
}

struct Entry {
    key: Box<dyn Any + Send + Sync>,
    kernel: Kernel,
}

impl Entry {
    fn is<S: Specialisation>(&self, key: &S) -> bool {
        self.key.downcast_ref() == Some(key)
    }
}

impl Slot {
    fn entries(&self) -> impl Iterator<Item = &Entry> {
        std::iter::once(&self.first).chain(&self.others)
    }
}

impl Kernels {
    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.slots.values().flat_map(Slot::entries)
    }

    fn find<S: Specialisation>(&self, hash: u64, key: &S) -> Option<&Kernel> {
        let slot = self.slots.get(&hash)?;
        if slot.first.is(key) {
            return Some(&slot.first.kernel);
        }
        slot.others.iter().find(|entry| entry.is(key)).map(|entry| &entry.kernel)
    }
}

impl Kept {
    pub(crate) fn get<S: Specialisation>(&self, key: &S) -> Option<Kernel> {
        self.0.read().find(hash(key), key).cloned()
    }

    /// Keeps a kernel, unless another thread was quicker; the one that is kept.
    pub(super) fn keep<S: Specialisation>(&self, key: &S, kernel: Kernel) -> Kernel {
        self.keep_as(hash(key), key, kernel, MOST)
    }

    fn keep_as<S: Specialisation>(
        &self,
        hash: u64,
        key: &S,
        kernel: Kernel,
        most: usize,
    ) -> Kernel {
        let mut kernels = self.0.write();
        if let Some(known) = kernels.find(hash, key) {
            return known.clone();
        }
        let old = if kernels.count < most { None } else { Some(std::mem::take(&mut *kernels)) };
        let entry = Entry { key: Box::new(key.clone()), kernel: kernel.clone() };
        kernels.count += 1;
        if let Some(slot) = kernels.slots.get_mut(&hash) {
            slot.others.push(entry);
        } else {
            kernels.slots.insert(hash, Slot { first: entry, others: Vec::new() });
        }
        drop(kernels);
        // Not under the lock: unloading is slow.
        drop(old);
        kernel
    }

    /// Forgets all of them; whether there was any.
    pub(super) fn forget(&self) -> bool {
        // Not dropped under the lock.
        let kernels = std::mem::take(&mut *self.0.write());
        kernels.count > 0
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.0.read().count
    }

    /// How many of them have a source of their own.
    pub(crate) fn distinct(&self) -> usize {
        let kernels = self.0.read();
        let digests: HashSet<u64> = kernels.entries().map(|entry| entry.kernel.digest()).collect();
        digests.len()
    }

    /// How many of them are made for an `S`.
    pub(crate) fn count_of<S: Specialisation>(&self) -> usize {
        self.0.read().entries().filter(|entry| entry.key.is::<S>()).count()
    }

    /// The bytes of their binaries.
    pub(super) fn bytes(&self) -> usize {
        self.0.read().entries().map(|entry| entry.kernel.bytes()).sum()
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kept({} kernels)", self.count())
    }
}

#[cfg(test)]
mod tests {
    use super::super::source::KernelSource;
    use super::*;
    use crate::Device;

    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    struct One(u32);

    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    struct Other(u32);

    impl Specialisation for One {
        fn source(&self) -> KernelSource {
            unreachable!("nothing is built here")
        }
    }

    impl Specialisation for Other {
        fn source(&self) -> KernelSource {
            unreachable!("nothing is built here")
        }
    }

    fn kernel(name: &str) -> Kernel {
        Kernel::stand_in(Device::cpu(), name)
    }

    fn name(kept: &Kept, key: &impl Specialisation) -> Option<String> {
        kept.get(key).map(|kernel| kernel.name().to_owned())
    }

    #[test]
    fn equal_values_of_two_types_are_two_kernels() {
        let kept = Kept::default();
        kept.keep(&One(7), kernel("one"));
        assert_eq!(name(&kept, &Other(7)), None);
        kept.keep(&Other(7), kernel("other"));
        assert_eq!(name(&kept, &One(7)).as_deref(), Some("one"));
        assert_eq!(name(&kept, &Other(7)).as_deref(), Some("other"));
        assert_eq!((kept.count(), kept.count_of::<One>(), kept.count_of::<Other>()), (2, 1, 1));
    }

    #[test]
    fn similar_keys_have_different_hashes_in_their_lowest_and_in_their_highest_bits() {
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        struct Key(Vec<u8>, usize, bool);

        impl Specialisation for Key {
            fn source(&self) -> KernelSource {
                unreachable!("nothing is built here")
            }
        }

        let lists = (0..64_u8).map(|bits| (0..6).map(|bit| bits >> bit & 1).collect::<Vec<u8>>());
        let keys = lists.flat_map(|list| (0..32).map(move |n| Key(list.clone(), n, n % 3 == 0)));
        let hashes: Vec<u64> = keys.map(|key| hash(&key)).collect();
        let distinct = |part: &dyn Fn(u64) -> u64| {
            hashes.iter().map(|hash| part(*hash)).collect::<HashSet<u64>>().len()
        };
        assert_eq!((hashes.len(), distinct(&|hash| hash)), (2048, 2048));
        // Of 2048 numbers below 65536 drawn at random 2016 would be expected to differ.
        assert!(distinct(&|hash| hash & 0xffff) > 1950 && distinct(&|hash| hash >> 48) > 1950);
        assert_ne!(hash(&Key(vec![0], 0, false)), hash(&Key(vec![0, 0], 0, false)));
    }

    #[test]
    fn keys_whose_hashes_are_equal_are_told_apart() {
        let kept = Kept::default();
        for number in 0..5 {
            kept.keep_as(1, &One(number), kernel(&format!("one{number}")), MOST);
            kept.keep_as(1, &Other(number), kernel(&format!("other{number}")), MOST);
        }
        let kernels = kept.0.read();
        for number in 0..5 {
            let one = kernels.find(1, &One(number)).map(Kernel::name);
            let other = kernels.find(1, &Other(number)).map(Kernel::name);
            assert_eq!(one, Some(format!("one{number}").as_str()));
            assert_eq!(other, Some(format!("other{number}").as_str()));
        }
        assert_eq!(kernels.find(1, &One(5)).map(Kernel::name), None);
        assert_eq!(kernels.entries().count(), 10);
    }

    #[test]
    fn the_kernel_of_the_quicker_thread_stays() {
        let kept = Kept::default();
        kept.keep(&One(1), kernel("first"));
        assert_eq!(kept.keep(&One(1), kernel("second")).name(), "first");
        assert_eq!(kept.count(), 1);
    }

    #[test]
    fn kernels_of_one_source_are_counted_once() {
        let kept = Kept::default();
        kept.keep(&One(1), kernel("same"));
        kept.keep(&One(2), kernel("same"));
        kept.keep(&Other(2), kernel("another"));
        assert_eq!((kept.count(), kept.distinct()), (3, 2));
    }

    #[test]
    fn as_many_are_kept_as_there_is_room_for() {
        let kept = Kept::default();
        for number in 0..100 {
            kept.keep_as(hash(&One(number)), &One(number), kernel("k"), 8);
            assert!(kept.count() <= 8 && kept.get(&One(number)).is_some());
            assert_eq!(kept.count(), kept.0.read().entries().count());
        }
    }

    #[test]
    fn what_is_forgotten_counts_no_more() {
        let kept = Kept::default();
        assert!(!kept.forget());
        kept.keep(&One(1), kernel("k"));
        assert!(kept.bytes() > 0);
        assert!(kept.forget());
        assert!(kept.get(&One(1)).is_none() && kept.bytes() == 0 && kept.count() == 0);
    }
}
