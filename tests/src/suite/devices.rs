//! Which devices the tests run on, and how values get there and back.

use arrayspan_bridge::{Array, DType, Layout};
use arrayspan_devices::{Device, DeviceKind};
use half::{bf16, f16};
use num_complex::Complex64;

use super::{Arrangement, Values};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// One device of each platform of this kind.
///
/// # Errors
/// Why there is none.
pub fn of(kind: DeviceKind) -> std::result::Result<Vec<Device>, String> {
    let label = match kind {
        DeviceKind::Cuda => "CUDA",
        DeviceKind::OpenCl => "OpenCL",
        _ => kind.name(),
    };
    let mut found: Vec<Device> = Vec::new();
    for device in Device::all().into_iter().filter(|device| device.kind() == kind) {
        if found.iter().all(|other| other.info().platform != device.info().platform) {
            found.push(device);
        }
    }
    if found.is_empty() { Err(format!("no {label} device")) } else { Ok(found) }
}

/// Whether `ARRAYSPAN_REQUIRE` (`cuda,opencl`) turns a missing device of this kind into a failure.
#[must_use]
pub fn required(kind: DeviceKind) -> bool {
    let listed = std::env::var("ARRAYSPAN_REQUIRE").unwrap_or_default();
    listed.split(',').any(|name| name.trim() == kind.name())
}

/// A device other than `device`, if there is one.
#[must_use]
pub fn other_than(device: Device) -> Option<Device> {
    Device::all().into_iter().find(|other| *other != device)
}

/// An array on `device` with these values, arranged; what lies between its elements is NaN.
///
/// # Errors
/// When the device fails.
pub fn place(
    values: &Values,
    dtype: DType,
    device: Device,
    arrangement: Arrangement,
) -> Result<Array> {
    let stream = device.stream()?;
    let base = Array::empty(arrangement.base(&values.shape), dtype, &stream)?;
    let mut array = arrangement.arrange(base, &values.shape)?;
    let size = dtype.bytes();
    let gap = encode(GAP, dtype);
    let mut bytes = gap.repeat(array.memory().bytes() / size);
    for (at, number) in places(array.layout()).zip(&values.numbers) {
        bytes[at * size..][..size].copy_from_slice(&encode(*number, dtype));
    }
    let len = bytes.len();
    array.bytes_mut()?.copy_from(&Array::from_vec(bytes, [len])?.view(), &stream)?;
    Ok(array)
}

/// The values of an array that [`place`] made. Waits for work on it.
///
/// # Errors
/// When the device fails, or someone wrote between the array's elements.
pub fn read(array: &Array) -> Result<Values> {
    let (dtype, size) = (array.dtype(), array.dtype().bytes());
    let bytes = array.bytes()?.to_vec::<u8>()?;
    let gap = encode(GAP, dtype);
    let mut untouched = vec![true; bytes.len() / size];
    let mut numbers = Vec::new();
    for at in places(array.layout()) {
        untouched[at] = false;
        numbers.push(decode(&bytes[at * size..][..size], dtype));
    }
    let mut elements = bytes.chunks_exact(size).zip(untouched);
    if elements.any(|(element, untouched)| untouched && element != gap) {
        return Err("an element outside the array was written".into());
    }
    Ok(Values { shape: array.shape().to_vec(), numbers })
}

/// What lies between the elements of a strided array.
const GAP: Complex64 = Complex64::new(f64::NAN, f64::NAN);

/// The places of an array's elements in its memory, in row-major order.
fn places(layout: &Layout) -> impl Iterator<Item = usize> {
    (0..layout.len()).map(move |number| {
        let axes = layout.shape().iter().zip(layout.strides()).rev();
        let (_, place) =
            axes.fold((number, layout.offset()), |(rest, place), (&extent, &stride)| {
                let step = (rest % extent) as isize * stride;
                (rest / extent, place.wrapping_add_signed(step))
            });
        place
    })
}

fn encode(number: Complex64, dtype: DType) -> Vec<u8> {
    match dtype {
        DType::Float16 => return f16::from_f64(number.re).to_ne_bytes().to_vec(),
        DType::BFloat16 => return bf16::from_f64(number.re).to_ne_bytes().to_vec(),
        _ => {}
    }
    let parts: &[f64] = if dtype.is_complex() { &[number.re, number.im] } else { &[number.re] };
    let wide = dtype.real() == DType::Float64;
    let part = |&part: &f64| {
        if wide { part.to_ne_bytes().to_vec() } else { (part as f32).to_ne_bytes().to_vec() }
    };
    parts.iter().flat_map(part).collect()
}

fn decode(bytes: &[u8], dtype: DType) -> Complex64 {
    let part = |bytes: &[u8]| match bytes {
        [a, b] if dtype == DType::Float16 => f16::from_ne_bytes([*a, *b]).to_f64(),
        [a, b] => bf16::from_ne_bytes([*a, *b]).to_f64(),
        [a, b, c, d] => f64::from(f32::from_ne_bytes([*a, *b, *c, *d])),
        [a, b, c, d, e, f, g, h] => f64::from_ne_bytes([*a, *b, *c, *d, *e, *f, *g, *h]),
        _ => f64::NAN,
    };
    let mut parts = bytes.chunks(dtype.real().bytes()).map(part);
    Complex64::new(parts.next().unwrap_or(f64::NAN), parts.next().unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use arrayspan_operators::Space;

    use super::*;

    #[test]
    fn values_come_back_as_they_went_in_every_arrangement() {
        for dtype in [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128] {
            for (arrangement, _) in Arrangement::PAIRS {
                for shape in [vec![], vec![5], vec![1, 3], vec![2, 3, 4], vec![3, 0]] {
                    let values = Values::random(&Space::new(shape, dtype).unwrap(), 7);
                    let array = place(&values, dtype, Device::cpu(), arrangement).unwrap();
                    assert_eq!(read(&array).unwrap(), values, "{dtype} {arrangement:?}");
                }
            }
        }
    }

    #[test]
    fn a_write_between_the_elements_is_found() {
        let values = Values::random(&Space::new([5], DType::Float32).unwrap(), 7);
        let mut array =
            place(&values, DType::Float32, Device::cpu(), Arrangement::Stepped).unwrap();
        array.bytes_mut().unwrap().as_mut_slice::<u8>().unwrap()[4..8].fill(0);
        assert!(read(&array).is_err());
    }
}
