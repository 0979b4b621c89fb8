//! Every name of the dialect means the same on every device.

use arrayspan_devices::{Argument, KernelSource, Result};

use super::{build, download, gpus, upload};

/// Uses every macro of the dialect once; `cubin.rs` compiles the same text without a GPU.
pub(super) const TOUR: &str = r"
#if defined(DEV_CUDA) == defined(DEV_OPENCL)
#error one of the two
#endif
CONSTANT float taps[3] = {0.25f, 0.5f, 0.25f};
typedef struct ALIGNED(8) { float re; float im; } pair;

FN float sum_of_group(LOCAL float* part) {
  UNROLL
  for (int half_way = 32; half_way > 0; half_way /= 2) {
    if (LID(0) < half_way) part[LID(0)] += part[LID(0) + half_way];
    BARRIER();
  }
  return part[0];
}

KERNEL tour(GLOBAL const float* RESTRICT x, GLOBAL float* RESTRICT filtered, GLOBAL float* sums,
            GLOBAL i64* places, GLOBAL half_t* halves, GLOBAL pair* pairs, i64 n) {
  LOCAL_ARRAY(float, part, 64);
  i64 i = GID(0);
  float value = i < n ? x[i] : 0.0f;
  part[LID(0)] = value;
  BARRIER();
  float sum = sum_of_group(part);
  if (LID(0) == 0) atomic_add_f32(sums, sum);
#ifdef DEVICE_HAS_F64
  if (LID(0) == 0) atomic_add_f64((GLOBAL double*)sums + 1, (double)sum);
#endif
  if (i < n) {
    float result = 0.0f;
    UNROLL
    for (int k = 0; k < 3; ++k) {
      i64 at = i + k - 1;
      if (at >= 0 && at < n) result += taps[k] * x[at];
    }
    filtered[i] = result;
    places[i] = ((GRP(0) * LSZ(0) + LID(0)) << 32) | (NGRP(0) << 16) | GSZ(0);
    STORE_HALF(value, halves, i);
    STORE_HALF(LOAD_HALF(halves, i) * 2.0f, halves, i);
    u32 bits = AS_U32(value);
    pairs[i].re = AS_F32(bits);
    u64 wide = (u64)bits << 1;
    pairs[i].im = (float)(wide & 1);
  }
}";

#[test]
fn every_name_of_the_dialect_works() -> Result<()> {
    for device in gpus() {
        let kernel = build(device, &KernelSource::new("tour", "tour", TOUR))?;
        let stream = device.new_stream()?;
        let n = 300_usize;
        let x: Vec<f32> = (0..n).map(|i| (i % 17) as f32 - 8.0).collect();
        let on_x = upload(&x, &stream)?;
        let filtered = upload(&vec![0.0_f32; n], &stream)?;
        let sums = upload(&[0.0_f64; 2], &stream)?;
        let places = upload(&vec![0_i64; n], &stream)?;
        let halves = upload(&vec![0_u16; n], &stream)?;
        let pairs = upload(&vec![0.0_f32; 2 * n], &stream)?;
        let arguments = [
            Argument::Read(&on_x),
            Argument::Write(&filtered),
            Argument::Write(&sums),
            Argument::Write(&places),
            Argument::Write(&halves),
            Argument::Write(&pairs),
            Argument::I64(n as i64),
        ];
        let grid = super::grid(n);
        let (groups, threads) = (grid.groups[0], grid.threads[0]);
        assert_eq!(threads, 64, "the kernel's local array");
        // SAFETY: as TOUR declares; every array has n elements, `sums` 16 bytes.
        unsafe { stream.launch(&kernel, grid, &arguments)? };

        let at = |i: usize, k: usize| (i + k).checked_sub(1).and_then(|j| x.get(j)).unwrap_or(&0.0);
        let wanted: Vec<f32> =
            (0..n).map(|i| 0.25 * at(i, 0) + 0.5 * at(i, 1) + 0.25 * at(i, 2)).collect();
        assert_eq!(download::<f32>(&filtered, &stream)?, wanted, "{device}: taps");

        let total: f32 = x.iter().sum();
        let sum = download::<f32>(&sums, &stream)?[0];
        assert_eq!(sum.to_bits(), total.to_bits(), "{device}: Float32 sum {sum}");
        if device.info().float64 {
            let sum = download::<f64>(&sums, &stream)?[1];
            assert_eq!(sum.to_bits(), f64::from(total).to_bits(), "{device}: Float64 sum {sum}");
        }
        let place = |i: usize| ((i << 32) | (groups << 16) | (groups * threads)) as i64;
        let wanted: Vec<i64> = (0..n).map(place).collect();
        assert_eq!(download::<i64>(&places, &stream)?, wanted, "{device}: places");
        // 2 x in half precision: small integers, exact.
        let two = download::<u16>(&halves, &stream)?.into_iter().map(from_half);
        assert!(two.eq(x.iter().map(|x| 2.0 * x)), "{device}: halves");
        let wanted: Vec<f32> = x.iter().flat_map(|x| [*x, 0.0]).collect();
        assert_eq!(download::<f32>(&pairs, &stream)?, wanted, "{device}: pairs");
    }
    Ok(())
}

/// The value of a normal or zero 16-bit float.
fn from_half(bits: u16) -> f32 {
    let (sign, exponent, fraction) = (bits >> 15, i32::from(bits >> 10 & 31), bits & 1023);
    let magnitude = match exponent {
        0 => 0.0,
        _ => (1.0 + f32::from(fraction) / 1024.0) * 2.0_f32.powi(exponent - 15),
    };
    if sign == 1 { -magnitude } else { magnitude }
}
