//! Arrays of codes to convert: all of them where there are few, else those where something may go wrong.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};

/// Every dtype that holds numbers.
pub(crate) fn numbers() -> Vec<DType> {
    DType::all().filter(|dtype| *dtype != DType::OpaqueHandle).collect()
}

/// Codes of a real dtype.
pub(crate) fn codes(dtype: DType) -> Vec<u64> {
    let codes: Vec<u64> = match dtype {
        DType::Bool => vec![0, 1],
        _ if dtype.bits() <= 16 => (0..1 << dtype.bits()).collect(),
        DType::Float32 => floats().into_iter().map(|x| u64::from((x as f32).to_bits())).collect(),
        DType::Float64 => floats().into_iter().map(f64::to_bits).collect(),
        _ => integers(),
    };
    let mask = u64::MAX >> (64 - 8 * dtype.bytes());
    codes.into_iter().map(|code| code & mask).collect()
}

/// Powers of two and their neighbours, of both signs.
fn integers() -> Vec<u64> {
    let near = |at: u32| (-2..=2_i64).map(move |step| (1_u64 << at).wrapping_add_signed(step));
    let halves = (8..64).map(|at| (1_u64 << at) + (1 << (at - 8)) + (1 << (at / 2)));
    let positive: Vec<u64> = (0..64).flat_map(near).chain(halves).chain([0, u64::MAX]).collect();
    positive.iter().flat_map(|&x| [x, x.wrapping_neg()]).collect()
}

/// Limits of all integers, halves, numbers between the neighbours of every small float, and what is no number.
fn floats() -> Vec<f64> {
    let mut floats =
        vec![0.0, f64::INFINITY, f64::NAN, f64::MIN_POSITIVE, 5e-324, f64::MAX, 1e-46, 7e-46];
    floats.extend((-40..=40).flat_map(|k| [f64::from(k) * 0.25, f64::from(k) + 0.1]));
    for at in 0..65 {
        let power = 2_f64.powi(at);
        let steps = [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0];
        floats.extend(steps.map(|step| power + step));
    }
    // Every number of 16 and 8 bits, and what lies beside and between them.
    for exponent in -160..130 {
        for mantissa in 0..64 {
            let x = (1.0 + f64::from(mantissa) / 64.0) * 2_f64.powi(exponent);
            floats.extend([x, x * (1.0 + f64::EPSILON), x * (1.0 - f64::EPSILON / 2.0)]);
            floats.push(x + x * 2_f64.powi(-11));
            floats.push(x + x * 2_f64.powi(-24));
        }
    }
    for exponent in (-1070..1020).step_by(7) {
        floats.push(1.5 * 2_f64.powi(exponent));
    }
    floats.iter().flat_map(|&x| [x, -x]).collect()
}

/// The codes of a dtype as an array on the host. Complex ones pair each code with one further on.
pub(crate) fn array(dtype: DType) -> Array {
    let real = codes(dtype.real());
    let size = dtype.real().bytes();
    let further = |at: usize| real[(at * 7 + 3) % real.len()];
    let mut bytes = Vec::new();
    for (at, code) in real.iter().enumerate() {
        bytes.extend_from_slice(&code.to_ne_bytes()[..size]);
        if dtype.is_complex() {
            bytes.extend_from_slice(&further(at).to_ne_bytes()[..size]);
        }
    }
    from_bytes(dtype, real.len(), &bytes)
}

pub(crate) fn from_bytes(dtype: DType, len: usize, bytes: &[u8]) -> Array {
    let mut array = Array::empty([len], dtype, &Device::cpu().stream().unwrap()).unwrap();
    array.bytes_mut().unwrap().as_mut_slice().unwrap().copy_from_slice(bytes);
    array
}

/// The bytes of an array, wherever it is.
pub(crate) fn raw(array: &Array) -> Vec<u8> {
    array.bytes().unwrap().to_vec().unwrap()
}
