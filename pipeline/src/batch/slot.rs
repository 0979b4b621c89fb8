//! One slot of a device, and the way of one batch through it.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use arrayspan_bridge::{
    Array, Crossing, DType, Error, LentArray, Relayout, Result, SharedArray, Transfer,
};
use arrayspan_devices::{Access, Device, Event, Stream};

use super::streams::{CopyStreams, PooledStream};
use super::turns::Turns;

/// Where a batch is computed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BatchPlace {
    /// The device.
    pub device: Device,
    /// The stream to compute on; while a batch is computed also [`Device::stream`] of its thread, so that work which names
    /// no stream goes there. Slots of a device share it where their batches compute one after the other.
    pub stream: Stream,
    /// The device's number among those the batches run on, from 0.
    pub position: usize,
    /// The slot's number on the device, from 0.
    pub slot: usize,
}

/// A slot: its place, and the time its times are counted from.
pub(super) struct Slot {
    pub(super) place: BatchPlace,
    /// Where the place's stream comes from and goes back to: all the device's slots have one if only one computes.
    _computing: Arc<PooledStream>,
    copy_streams: Arc<CopyStreams>,
    /// One for all the device's slots, like the turns.
    begin: Arc<Event>,
    turns: Arc<Turns>,
}

/// What came of a batch, or of a part of one.
pub(super) struct Performed {
    pub(super) array: Array,
    pub(super) stages: Stages,
}

/// What a batch moved, and when.
#[derive(Clone, Debug)]
pub(super) struct Stages {
    pub(super) bytes_in: usize,
    pub(super) bytes_out: usize,
    /// Begin and end of the upload, begin and end of computing, end of the download; `None` where the driver keeps no
    /// times.
    pub(super) times: Option<[Duration; 5]>,
}

/// A batch where the slot computes.
enum Input {
    /// It was there before, and others may read it too.
    Lent(LentArray),
    Uploaded(Array),
}

impl Deref for Input {
    type Target = Array;

    fn deref(&self) -> &Array {
        match self {
            Self::Lent(array) => array,
            Self::Uploaded(array) => array,
        }
    }
}

/// A result on its way to the host.
struct Download {
    host: Array,
    bytes: usize,
    stream: Stream,
}

impl Slot {
    /// The slots of a device, of which perhaps only one computes at a time.
    pub(super) fn of_device(
        device: Device,
        position: usize,
        slots: usize,
        one_computes: bool,
    ) -> Result<Vec<Self>> {
        let copy_streams = Arc::new(CopyStreams::take(device)?);
        let begin = Arc::new(copy_streams.up.stream().record()?);
        let turns = Arc::new(Turns::new(one_computes));
        let compute_streams = if one_computes { 1 } else { slots };
        let computing = (0..compute_streams).map(|_| Ok(Arc::new(PooledStream::take(device)?)));
        let computing = computing.collect::<Result<Vec<_>>>()?;
        let make = |slot: usize| {
            let computing = computing[slot % computing.len()].clone();
            let stream = computing.stream().clone();
            let place = BatchPlace { device, stream, position, slot };
            let (copy_streams, begin, turns) = (copy_streams.clone(), begin.clone(), turns.clone());
            Self { place, _computing: computing, copy_streams, begin, turns }
        };
        Ok((0..slots).map(make).collect())
    }

    /// Uploads a batch, computes, downloads the result (unless it is to be kept where it is), and waits for that.
    pub(super) fn perform<E: From<Error>>(
        &self,
        input: &SharedArray,
        keep: bool,
        compute: impl FnOnce(&Array, &BatchPlace) -> Result<Array, E>,
    ) -> Result<Performed, E> {
        let place = &self.place;
        let stream = &place.stream;
        let up = self.copy_streams.up.stream();
        let ((x, bytes_in), [begun, uploaded], turn) =
            self.turns.upload(up, || self.upload(input))?;
        turn.begin();
        stream.wait(&uploaded).map_err(Error::from)?;
        if bytes_in > 0 {
            // The block's own order would have `stream` wait for later uploads, too.
            // SAFETY: the block was made for this batch and written by its upload only, for which `stream` waits by the
            // event just now.
            unsafe { x.memory().ordered_on(stream) };
        }
        let started = stream.record().map_err(Error::from)?;
        let result = compute(&x, place)?;
        let computed = stream.record().map_err(Error::from)?;
        let download = if keep { None } else { self.download(&result)? };
        let down = download.as_ref().map_or(stream, |download| &download.stream);
        let ended = down.record().map_err(Error::from)?;
        drop(turn);
        ended.synchronize().map_err(Error::from)?;
        // The download need not come after all of it: a result may have been written on a stream of the function's own.
        computed.synchronize().map_err(Error::from)?;
        // What was enqueued for the batch is done: the upload, what `compute` has enqueued on `stream`, and the download, at
        // whose end `ended` is. Forgetting that keeps whoever uses the blocks next, or gives them back, from waiting
        // for other batches on the same streams.
        if bytes_in > 0 {
            // SAFETY: as just said; the block was made for this batch, and no other has it.
            unsafe { x.memory().done_on(stream) };
        }
        let times = self.times([&begun, &uploaded, &started, &computed, &ended]);
        // SAFETY: as just said; results are owned by whoever returns them.
        unsafe { result.memory().done_on(down) };
        let (array, bytes_out) = match download {
            None => (result, 0),
            Some(Download { host, bytes, stream }) => {
                // SAFETY: as above.
                unsafe { host.memory().done_on(&stream) };
                (host, bytes)
            }
        };
        Ok(Performed { array, stages: Stages { bytes_in, bytes_out, times } })
    }

    /// The batch where the slot computes, and the bytes that had to be moved for that.
    fn upload(&self, input: &SharedArray) -> Result<(Input, usize)> {
        let device = self.place.device;
        if input.device() == device {
            return Ok((Input::Lent(input.clone().into()), 0));
        }
        let up = self.copy_streams.up.stream();
        let (array, crossing) = input.view().to_with(device, Transfer::CopyIfNeeded, up)?;
        Ok((Input::Uploaded(array), copied(crossing)))
    }

    /// Enqueues the way of a result to the host; `None` for one that is there.
    fn download(&self, result: &Array) -> Result<Option<Download>> {
        if result.device().is_cpu() {
            return Ok(None);
        }
        let own = result.device() == self.place.device;
        let stream =
            if own { self.copy_streams.down.stream().clone() } else { result.device().stream()? };
        let mut host = host_buffer(result.shape(), result.dtype(), result.device())?;
        host.view_mut().copy_from(&result.view(), &stream)?;
        let bytes = result.layout().len() * result.dtype().bytes();
        Ok(Some(Download { host, bytes, stream }))
    }

    /// The result of a batch; of one that was split the parts one below the other along the first axis.
    pub(super) fn join(&self, mut parts: Vec<Performed>, keep: bool) -> Result<Array> {
        if parts.len() == 1
            && let Some(only) = parts.pop()
        {
            return Ok(only.array);
        }
        let what = "the results of a split batch have no first axis to be joined along";
        let unjoined = Error::Inexpressible { operation: "batch", what: what.into() };
        let Some(Performed { array: first, .. }) = parts.first() else { return Err(unjoined) };
        let mut shape = first.shape().to_vec();
        let Some(rows) = shape.first_mut() else { return Err(unjoined) };
        *rows = parts.iter().map(|part| part.array.shape().first().copied().unwrap_or(0)).sum();
        let dtype = first.dtype();
        let mut whole = if keep && !first.device().is_cpu() {
            Array::empty_for("batch", &shape, dtype, &self.stream_of(first)?)?
        } else {
            host_buffer(&shape, dtype, self.place.device)?
        };
        let (mut start, to) = (0, whole.device());
        for Performed { array: part, .. } in &parts {
            let rows = part.shape().first().copied().unwrap_or(0);
            let mut target = whole.view_mut().sliced(0, start, rows)?;
            target.copy_from(&part.view(), &copy_stream(part.device(), to)?)?;
            start += rows;
        }
        whole.memory().wait(Access::Read)?;
        Ok(whole)
    }

    fn stream_of(&self, array: &Array) -> Result<Stream> {
        let own = array.device() == self.place.device;
        Ok(if own { self.place.stream.clone() } else { array.device().stream()? })
    }

    fn times(&self, events: [&Event; 5]) -> Option<[Duration; 5]> {
        let mut times = [Duration::ZERO; 5];
        for (time, event) in times.iter_mut().zip(events) {
            *time = event.elapsed_since(&self.begin).ok()?;
        }
        Some(times)
    }
}

/// Where results from `device` go to on the host: page-locked memory, so that copies only have to be queued. Where the
/// host can lock no more, plain memory, which is slower.
fn host_buffer(shape: &[usize], dtype: DType, device: Device) -> Result<Array> {
    match Array::pinned(shape, dtype, device) {
        Ok(array) => Ok(array),
        Err(error) => {
            tracing::debug!(%device, %error, "results go to memory that is not page-locked");
            Array::empty(shape, dtype, &Device::cpu().stream()?)
        }
    }
}

/// The stream for copies between two devices: that of the one which is not the host.
fn copy_stream(from: Device, to: Device) -> Result<Stream> {
    Ok(if to.is_cpu() { from.stream()? } else { to.stream()? })
}

fn copied(crossing: Crossing) -> usize {
    match crossing {
        Crossing::ZeroCopy => 0,
        Crossing::Copied { bytes, .. } => bytes,
    }
}
