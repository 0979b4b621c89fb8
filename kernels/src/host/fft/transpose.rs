//! Lines that are each contiguous, turned into rows of one number of each, and back. Where the processor has vectors of 32 bytes, blocks of
//! as many lines as these have numbers are transposed in registers.

/// Numbers whose lines are turned.
pub(in crate::host) trait Transpose: Copy + 'static {
    /// Writes number `i` of each line to `row(i)`.
    fn to_rows(lines: &[&[Self]], rows: &mut [Self], place: &impl Placed);
    /// The other way round.
    fn of_rows(rows: &[Self], place: &impl Placed, lines: &mut [&mut [Self]]);
}

/// Where the numbers of lines are in rows.
pub(in crate::host) trait Placed {
    /// How many numbers a row has, and how many lines there are.
    fn width(&self) -> usize;
    /// The row of a number.
    fn row(&self, number: usize) -> usize;
}

macro_rules! transpose {
    ($($type:ty, $count:literal;)*) => {$(
        impl Transpose for $type {
            fn to_rows(lines: &[&[Self]], rows: &mut [Self], place: &impl Placed) {
                let done = blocks::to_rows::<_, $count>(lines, rows, place);
                one_by_one(lines, done, rows, place);
            }

            fn of_rows(rows: &[Self], place: &impl Placed, lines: &mut [&mut [Self]]) {
                let done = blocks::of_rows::<_, $count>(rows, place, lines);
                one_by_one_back(rows, place, lines, done);
            }
        }
    )*};
}

transpose! { f32, 8; f64, 4; }

/// Numbers from `from` on, one after the other.
fn one_by_one<T: Copy>(lines: &[&[T]], from: usize, rows: &mut [T], place: &impl Placed) {
    for (lane, line) in lines.iter().enumerate() {
        for (number, value) in line.iter().enumerate().skip(from) {
            rows[place.row(number) * place.width() + lane] = *value;
        }
    }
}

fn one_by_one_back<T: Copy>(rows: &[T], place: &impl Placed, lines: &mut [&mut [T]], from: usize) {
    for (lane, line) in lines.iter_mut().enumerate() {
        for (number, value) in line.iter_mut().enumerate().skip(from) {
            *value = rows[place.row(number) * place.width() + lane];
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod blocks {
    use std::arch::x86_64::{__m256, __m256d};
    use std::array::from_fn;

    use pulp::x86::V3;
    use pulp::{NullaryFnOnce, cast};

    use super::Placed;

    /// Numbers of which vectors have `B`.
    pub(super) trait Block<const B: usize>: Copy + Default {
        fn transposed(simd: V3, block: [[Self; B]; B]) -> [[Self; B]; B];
    }

    impl Block<8> for f32 {
        #[inline(always)]
        fn transposed(V3 { avx, .. }: V3, block: [[f32; 8]; 8]) -> [[f32; 8]; 8] {
            let rows: [__m256; 8] = cast(block);
            let (mut ones, mut pairs, mut turned) = (rows, rows, rows);
            // Numbers of two rows by turns, pairs of numbers of two such, then halves.
            for at in [0, 2, 4, 6] {
                ones[at] = avx._mm256_unpacklo_ps(rows[at], rows[at + 1]);
                ones[at + 1] = avx._mm256_unpackhi_ps(rows[at], rows[at + 1]);
            }
            for at in [0, 1, 4, 5] {
                let to = at + at % 4;
                pairs[to] = avx._mm256_shuffle_ps::<0x44>(ones[at], ones[at + 2]);
                pairs[to + 1] = avx._mm256_shuffle_ps::<0xEE>(ones[at], ones[at + 2]);
            }
            for at in 0..4 {
                turned[at] = avx._mm256_permute2f128_ps::<0x20>(pairs[at], pairs[at + 4]);
                turned[at + 4] = avx._mm256_permute2f128_ps::<0x31>(pairs[at], pairs[at + 4]);
            }
            cast(turned)
        }
    }

    impl Block<4> for f64 {
        #[inline(always)]
        fn transposed(V3 { avx, .. }: V3, block: [[f64; 4]; 4]) -> [[f64; 4]; 4] {
            let rows: [__m256d; 4] = cast(block);
            let (mut ones, mut turned) = (rows, rows);
            for at in [0, 2] {
                ones[at] = avx._mm256_unpacklo_pd(rows[at], rows[at + 1]);
                ones[at + 1] = avx._mm256_unpackhi_pd(rows[at], rows[at + 1]);
            }
            for at in 0..2 {
                turned[at] = avx._mm256_permute2f128_pd::<0x20>(ones[at], ones[at + 2]);
                turned[at + 2] = avx._mm256_permute2f128_pd::<0x31>(ones[at], ones[at + 2]);
            }
            cast(turned)
        }
    }

    /// How many numbers of each line are done.
    pub(super) fn to_rows<T: Block<B>, const B: usize>(
        lines: &[&[T]],
        rows: &mut [T],
        place: &impl Placed,
    ) -> usize {
        match V3::try_new() {
            Some(simd) if lines.len().is_multiple_of(B) => {
                simd.vectorize(ToRows::<'_, T, _, B> { simd, lines, rows, place });
                lines[0].len() / B * B
            }
            _ => 0,
        }
    }

    pub(super) fn of_rows<T: Block<B>, const B: usize>(
        rows: &[T],
        place: &impl Placed,
        lines: &mut [&mut [T]],
    ) -> usize {
        match V3::try_new() {
            Some(simd) if lines.len().is_multiple_of(B) => {
                let done = lines[0].len() / B * B;
                simd.vectorize(OfRows::<'_, '_, T, _, B> { simd, rows, place, lines });
                done
            }
            _ => 0,
        }
    }

    struct ToRows<'a, T, P, const B: usize> {
        simd: V3,
        lines: &'a [&'a [T]],
        rows: &'a mut [T],
        place: &'a P,
    }

    impl<T: Block<B>, P: Placed, const B: usize> NullaryFnOnce for ToRows<'_, T, P, B> {
        type Output = ();

        #[inline(always)]
        fn call(self) {
            let Self { simd, lines, rows, place } = self;
            for (group, lines) in lines.chunks_exact(B).enumerate() {
                let lines: [&[[T; B]]; B] = from_fn(|line| lines[line].as_chunks().0);
                for number in 0..lines[0].len() {
                    let mut block = [[T::default(); B]; B];
                    for (row, line) in block.iter_mut().zip(&lines) {
                        *row = line[number];
                    }
                    for (at, row) in T::transposed(simd, block).iter().enumerate() {
                        let first = place.row(number * B + at) * place.width() + group * B;
                        rows[first..first + B].copy_from_slice(row);
                    }
                }
            }
        }
    }

    struct OfRows<'a, 'l, T, P, const B: usize> {
        simd: V3,
        rows: &'a [T],
        place: &'a P,
        lines: &'a mut [&'l mut [T]],
    }

    impl<T: Block<B>, P: Placed, const B: usize> NullaryFnOnce for OfRows<'_, '_, T, P, B> {
        type Output = ();

        #[inline(always)]
        fn call(self) {
            let Self { simd, rows, place, lines } = self;
            for (group, lines) in lines.chunks_exact_mut(B).enumerate() {
                for number in (0..lines[0].len() / B * B).step_by(B) {
                    let mut block = [[T::default(); B]; B];
                    for (at, row) in block.iter_mut().enumerate() {
                        let first = place.row(number + at) * place.width() + group * B;
                        row.copy_from_slice(&rows[first..first + B]);
                    }
                    for (line, turned) in lines.iter_mut().zip(T::transposed(simd, block)) {
                        line[number..number + B].copy_from_slice(&turned);
                    }
                }
            }
        }
    }
}

/// Elsewhere no block is.
#[cfg(not(target_arch = "x86_64"))]
mod blocks {
    use super::Placed;

    pub(super) fn to_rows<T, const B: usize>(_: &[&[T]], _: &mut [T], _: &impl Placed) -> usize {
        0
    }

    pub(super) fn of_rows<T, const B: usize>(
        _: &[T],
        _: &impl Placed,
        _: &mut [&mut [T]],
    ) -> usize {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Every {
        width: usize,
        step: usize,
    }

    impl Placed for Every {
        fn width(&self) -> usize {
            self.width
        }

        fn row(&self, number: usize) -> usize {
            self.step * number + 1
        }
    }

    /// Lines of so many numbers, of which each is told from all others.
    fn check<T: Transpose + Default + PartialEq + std::fmt::Debug>(number: impl Fn(usize) -> T) {
        for (width, len) in [1, 4, 8, 12, 16]
            .into_iter()
            .flat_map(|width| [(width, 1), (width, 4), (width, 19), (width, 32)])
        {
            let place = Every { width, step: 2 };
            let lines: Vec<Vec<T>> = (0..width)
                .map(|lane| (0..len).map(|at| number(100 * lane + at + 1)).collect())
                .collect();
            let mut rows = vec![T::default(); (2 * len + 1) * width];
            T::to_rows(&lines.iter().map(Vec::as_slice).collect::<Vec<_>>(), &mut rows, &place);
            for (number, row) in rows.chunks(width).enumerate() {
                let own = |lane: usize| {
                    if number % 2 == 1 { lines[lane][number / 2] } else { T::default() }
                };
                assert_eq!(
                    row,
                    (0..width).map(own).collect::<Vec<_>>(),
                    "row {number} of {width} lines"
                );
            }
            let mut back = vec![vec![T::default(); len]; width];
            T::of_rows(
                &rows,
                &place,
                &mut back.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>(),
            );
            assert_eq!(back, lines);
        }
    }

    #[test]
    fn rows_hold_a_number_of_each_line() {
        check(|number| number as f32);
        check(|number| number as f64);
    }
}
