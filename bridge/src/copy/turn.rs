//! Tiles of a matrix that is turned on the host: what was a column of whole cache lines becomes rows.

use std::mem::MaybeUninit;

/// Bytes of a tile's row, some cache lines: what is written of a row at a time.
const ROW: usize = 512;

/// Elements of the largest tile.
pub(super) const TILE: usize = 2048;

/// Rows of a tile, as many elements as a cache line has, and its columns.
pub(super) const fn sides(bytes: usize) -> [usize; 2] {
    let rows = if bytes >= 2 { 64 / bytes } else { 32 };
    let columns = ROW / bytes;
    [rows, if rows * columns > TILE { TILE / rows } else { columns }]
}

/// Writes to `tile[k · columns + i]` what lies at `x + i · apart + k`, for `i` below `wide` and `k` below `high`.
///
/// # Safety
/// All of these may be read, and lie within the tile.
pub(super) unsafe fn gather<S: Copy>(
    x: *const S,
    apart: isize,
    [wide, high]: [usize; 2],
    columns: usize,
    tile: &mut [MaybeUninit<S>; TILE],
) {
    assert!(wide <= columns && high * columns <= TILE, "a tile has room for its elements");
    let at = |i: usize, k: usize| x.wrapping_offset(i as isize * apart).wrapping_add(k);
    let block = if size_of::<S>() >= 4 { 16 / size_of::<S>() } else { 1 };
    let [inner, upper] = if block > 1 { [wide, high].map(|n| n / block * block) } else { [0; 2] };
    for i in (0..inner).step_by(block.max(1)) {
        for k in (0..upper).step_by(block.max(1)) {
            // SAFETY: the block's elements are among those the caller names, and within the tile.
            unsafe {
                turn(at(i, k), apart, tile.as_mut_ptr().add(k * columns + i).cast(), columns);
            };
        }
    }
    for i in 0..wide {
        let from = if i < inner { upper } else { 0 };
        for k in from..high {
            // SAFETY: the caller's.
            tile[k * columns + i].write(unsafe { at(i, k).read() });
        }
    }
}

/// Turns a block of as many rows as columns, 16 bytes each: from rows `apart` elements from each other to some `columns` from each
/// other.
///
/// # Safety
/// The rows may be read and written.
#[inline]
unsafe fn turn<S: Copy>(x: *const S, apart: isize, y: *mut S, columns: usize) {
    #[cfg(target_arch = "x86_64")]
    if size_of::<S>() == 4 {
        use std::arch::x86_64::{
            _mm_loadu_ps, _mm_movehl_ps, _mm_movelh_ps, _mm_storeu_ps, _mm_unpackhi_ps,
            _mm_unpacklo_ps,
        };
        let (x, y) = (x.cast::<f32>(), y.cast::<f32>());
        // SAFETY: the caller's; loads and stores need no alignment and keep all bits. SSE is part of x86-64.
        return unsafe {
            let [a, b, c, d] = [0, 1, 2, 3].map(|row| _mm_loadu_ps(x.offset(row * apart)));
            let (ab, cd) = (_mm_unpacklo_ps(a, b), _mm_unpacklo_ps(c, d));
            let (high_ab, high_cd) = (_mm_unpackhi_ps(a, b), _mm_unpackhi_ps(c, d));
            _mm_storeu_ps(y, _mm_movelh_ps(ab, cd));
            _mm_storeu_ps(y.add(columns), _mm_movehl_ps(cd, ab));
            _mm_storeu_ps(y.add(2 * columns), _mm_movelh_ps(high_ab, high_cd));
            _mm_storeu_ps(y.add(3 * columns), _mm_movehl_ps(high_cd, high_ab));
        };
    }
    let block = 16 / size_of::<S>();
    for i in 0..block {
        for k in 0..block {
            // SAFETY: the caller's.
            unsafe { y.add(k * columns + i).write(x.offset(i as isize * apart).add(k).read()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turned<S: Copy + PartialEq + std::fmt::Debug>(make: impl Fn(usize) -> S) {
        let [rows, columns] = sides(size_of::<S>());
        let x: Vec<S> = (0..(rows + 3) * columns).map(make).collect();
        for wide in [1, 2, 3, 4, 5, 7, 8, 17, columns] {
            for high in [1, 2, 3, 4, 5, rows - 1, rows].into_iter().filter(|high| *high <= rows) {
                let (apart, wide) = (rows as isize + 3, wide.min(columns));
                let mut tile = [MaybeUninit::uninit(); TILE];
                // SAFETY: so many elements there are.
                unsafe { gather(x.as_ptr(), apart, [wide, high], columns, &mut tile) };
                for (i, k) in (0..wide).flat_map(|i| (0..high).map(move |k| (i, k))) {
                    // SAFETY: it was written.
                    let found = unsafe { tile[k * columns + i].assume_init() };
                    assert_eq!(found, x[i * (rows + 3) + k], "{wide} x {high}, {i}, {k}");
                }
            }
        }
    }

    #[test]
    fn every_element_of_a_tile_is_turned() {
        turned(|n| n as u8);
        turned(|n| n as u16);
        turned(|n| n as u32);
        turned(|n| n as u64);
        turned(|n| n as u128);
        turned(|n| [n as u8, (n >> 8) as u8, 3, 4]);
    }
}
