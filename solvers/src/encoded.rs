//! Saved runs as bytes: numbers little-endian, arrays as they lie, row-major.
//!
//! Files come from anywhere, so every length is bounded by the bytes that are really there, and every number that something is
//! computed of is looked at.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::time::Duration;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};

/// The longest name and list of arrays.
const MOST: u64 = 4096;

/// That bytes are no saved run.
pub(crate) fn wrong<T>(why: &str) -> Result<T> {
    Err(Error::new(ErrorKind::InvalidData, format!("these bytes are no saved run: {why}")))
}

/// So many bytes.
pub(crate) fn read<const N: usize>(from: &mut impl Read) -> Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// So many bytes. Room for them is made as they come.
fn take(from: &mut impl Read, len: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let found = from.take(len).read_to_end(&mut bytes)?;
    if found as u64 == len { Ok(bytes) } else { Err(ErrorKind::UnexpectedEof.into()) }
}

/// A length, which is at most `most`.
fn length(from: &mut impl Read, most: u64) -> Result<u64> {
    let len = u64::from_le_bytes(read(from)?);
    if len > most { wrong("a length is beyond all that there are") } else { Ok(len) }
}

/// The name of `whose`, a solver or a method.
pub(crate) fn name(from: &mut impl Read, whose: &str) -> Result<String> {
    let len = length(from, MOST)?;
    String::from_utf8(take(from, len)?)
        .or_else(|_| wrong(&format!("the name of the {whose} is no text")))
}

/// What [`name`] reads.
pub(crate) fn write_name(name: &str, out: &mut impl Write) -> Result<()> {
    out.write_all(&(name.len() as u64).to_le_bytes())?;
    out.write_all(name.as_bytes())
}

/// So many flags.
pub(crate) fn flags<const N: usize>(from: &mut impl Read) -> Result<[bool; N]> {
    let flags = read::<N>(from)?;
    if flags.iter().any(|flag| *flag > 1) {
        return wrong("a flag is neither 0 nor 1");
    }
    Ok(flags.map(|flag| flag == 1))
}

/// So many numbers.
pub(crate) fn numbers<const N: usize>(from: &mut impl Read) -> Result<[f64; N]> {
    let mut numbers = [0.0; N];
    for number in &mut numbers {
        *number = f64::from_le_bytes(read(from)?);
    }
    Ok(numbers)
}

/// A time, in seconds.
pub(crate) fn time(seconds: f64) -> Result<Duration> {
    Duration::try_from_secs_f64(seconds).or_else(|_| wrong("its time is none"))
}

/// Numbers, and how many there are before them.
pub(crate) fn list(from: &mut impl Read) -> Result<Vec<f64>> {
    let len = length(from, u64::MAX / 8)?;
    let bytes = take(from, 8 * len)?;
    let (numbers, _) = bytes.as_chunks::<8>();
    Ok(numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())
}

/// What [`list`] reads.
pub(crate) fn write_list(list: &[f64], out: &mut impl Write) -> Result<()> {
    out.write_all(&(list.len() as u64).to_le_bytes())?;
    list.iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))
}

/// Arrays, and how many there are before them. Waits for them.
pub(crate) fn write_arrays(arrays: &[&Array], out: &mut impl Write) -> Result<()> {
    out.write_all(&(arrays.len() as u64).to_le_bytes())?;
    arrays.iter().try_for_each(|array| write_array(array, out))
}

/// What [`write_arrays`] wrote, onto the host.
pub(crate) fn arrays(from: &mut impl Read) -> Result<Vec<Array>> {
    let count = length(from, MOST)?;
    (0..count).map(|_| read_array(from)).collect()
}

/// Dtype, shape and elements.
fn write_array(array: &Array, out: &mut impl Write) -> Result<()> {
    let (code, bits) = array.dtype().dlpack();
    out.write_all(&[code, bits])?;
    out.write_all(&(array.shape().len() as u64).to_le_bytes())?;
    array.shape().iter().try_for_each(|extent| out.write_all(&(*extent as u64).to_le_bytes()))?;
    let mut bytes = array.bytes().map_err(Error::other)?.to_vec::<u8>().map_err(Error::other)?;
    bytes.truncate(array.layout().len() * array.dtype().bytes());
    turn(&mut bytes, array.dtype());
    out.write_all(&bytes)
}

/// What [`write_array`] wrote, onto the host.
fn read_array(from: &mut impl Read) -> Result<Array> {
    let [code, bits] = read(from)?;
    let dtype = DType::from_dlpack(code, bits).filter(|dtype| dtype.is_computable());
    let Some(dtype) = dtype else { return wrong("an array has a dtype that solvers do not have") };
    let rank = length(from, 64)?;
    let (mut shape, mut len) = (Vec::new(), dtype.bytes() as u64);
    for _ in 0..rank {
        let extent = length(from, u64::MAX)?;
        let Ok(small) = usize::try_from(extent) else { return wrong("an axis is too long") };
        let Some(product) = len.checked_mul(extent) else { return wrong("an array is too large") };
        shape.push(small);
        len = product;
    }
    let mut bytes = take(from, len)?;
    turn(&mut bytes, dtype);
    let mut array = Array::empty(&shape, dtype, Device::cpu()).map_err(Error::other)?;
    let mut block = array.bytes_mut().map_err(Error::other)?;
    block.as_mut_slice::<u8>().map_err(Error::other)?[..bytes.len()].copy_from_slice(&bytes);
    Ok(array)
}

/// Numbers of this machine little-endian, and back.
fn turn(bytes: &mut [u8], dtype: DType) {
    if cfg!(target_endian = "big") {
        bytes.chunks_exact_mut(dtype.real().bytes()).for_each(<[u8]>::reverse);
    }
}
