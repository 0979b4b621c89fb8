//! Room for lines on their way from one kernel to the next.

use arrayspan_bridge::{Array, DType};

use super::super::Gpu;
use crate::Result;
use crate::fourier::ROOM;

/// Memory that no other kernels under way use.
pub(super) struct Rooms(Vec<Option<Array>>);

impl Rooms {
    /// Of at least so many bytes each, none for no bytes: what the executor has kept, where there is such.
    pub(super) fn of(gpu: &Gpu, bytes: &[usize]) -> Result<Self> {
        let room = |bytes: &usize| (*bytes > 0).then(|| one(gpu, *bytes)).transpose();
        Ok(Self(bytes.iter().map(room).collect::<Result<_>>()?))
    }

    pub(super) fn get(&self, number: usize) -> Option<&Array> {
        self.0.get(number)?.as_ref()
    }

    /// Leaves them for the next call, save large ones, which go back to the device's pool: the stream runs one after the other.
    pub(super) fn keep(self, gpu: &Gpu) {
        let small = |room: &Array| room.layout().len() <= ROOM;
        gpu.lines.lock().extend(self.0.into_iter().flatten().filter(small));
    }
}

/// The smallest that is large enough. If none is, a new one takes the place of the smallest.
fn one(gpu: &Gpu, bytes: usize) -> Result<Array> {
    let kept = {
        let mut kept = gpu.lines.lock();
        let size = |place: &usize| kept[*place].layout().len();
        let fits = (0..kept.len()).filter(|place| size(place) >= bytes).min_by_key(size);
        let place = fits.or_else(|| (0..kept.len()).min_by_key(size));
        place.map(|place| kept.swap_remove(place))
    };
    match kept {
        Some(room) if room.layout().len() >= bytes => return Ok(room),
        // Launches that are kept for a graph may use it.
        Some(small) => {
            if let Some(captured) = &gpu.captured {
                captured.keep(&small);
            }
        }
        None => {}
    }
    // One that is too small has been dropped, under no lock: looking for memory may wait for others.
    Ok(Array::empty([bytes], DType::UInt8, &gpu.stream)?)
}
