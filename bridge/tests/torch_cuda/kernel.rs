//! A kernel of ours that takes some milliseconds.

use arrayspan_bridge::devices::{Argument, Device, Grid, Kernel, KernelSource, Stream};
use arrayspan_bridge::{Array, DType};

/// Counts to `rounds` in a way compilers cannot shorten, then y[i] = x[i] + 1.
const SOURCE: &str = "\
KERNEL slow(i64 n, i64 rounds, GLOBAL const u32* x, GLOBAL u32* y) {
  for (i64 i = GID(0); i < n; i += GSZ(0)) {
    u32 state = 12345u + x[i];
    for (i64 k = 0; k < rounds; ++k) state = state * 1664525u + 1013904223u;
    y[i] = state == 0xffffffffu && rounds == -1 ? 0u : x[i] + 1u;
  }
}";

pub(crate) struct Slow(Kernel);

impl Slow {
    pub(crate) const N: usize = 1000;

    pub(crate) fn new(device: Device) -> Self {
        Self(device.kernel(&KernelSource::new("torch_slow", "slow", SOURCE)).unwrap())
    }

    /// One more than each of `Int32` numbers, some time after this returns.
    pub(crate) fn increment(&self, x: &Array, stream: &Stream) -> Array {
        let y = Array::empty([Self::N], DType::Int32, stream).unwrap();
        let (n, rounds) = (Argument::I64(Self::N as i64), Argument::I64(3_000_000));
        let arguments = [n, rounds, Argument::Read(x.memory()), Argument::Write(y.memory())];
        let grid = Grid { groups: [16, 1, 1], threads: [64, 1, 1] };
        // SAFETY: as the source declares; both blocks hold N numbers.
        unsafe { stream.launch(&self.0, grid, &arguments).unwrap() };
        y
    }

    /// 1, 2, 3, …
    pub(crate) fn count(&self, stream: &Stream) -> Array {
        let numbers: Vec<i32> = (0..Self::N as i32).collect();
        let x =
            Array::from_vec(numbers, [Self::N]).unwrap().into_device(stream.device()).unwrap().0;
        self.increment(&x, stream)
    }
}
