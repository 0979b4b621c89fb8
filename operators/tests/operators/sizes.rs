//! Sizes that cannot be addressed are refused where they arise, and never wrap: compared with 128-bit arithmetic.

use arrayspan_bridge::DType::{self, Complex128, Float32, Float64};
use arrayspan_operators::prelude::*;
use arrayspan_operators::{Error, Result};

use crate::support::{DTYPES, floats};

fn identity(shape: &[usize], dtype: DType) -> Operator {
    Identity::new(Space::new(shape, dtype).unwrap()).unwrap()
}

fn too_large<T: std::fmt::Debug>(result: Result<T>) -> String {
    let error = result.unwrap_err();
    assert!(matches!(error, Error::TooLarge { .. }), "{error}");
    error.to_string()
}

/// Whether such an array can be addressed, by arithmetic that cannot overflow.
fn addressable(shape: &[u128], dtype: DType) -> bool {
    let bytes =
        shape.iter().try_fold(dtype.bytes() as u128, |n, &extent| n.checked_mul(extent.max(1)));
    bytes.is_some_and(|bytes| bytes <= isize::MAX as u128)
}

#[test]
fn a_space_that_cannot_be_addressed_is_refused() {
    let message = too_large(Space::new([1 << 32, 1 << 32], Float32));
    let shape = "[4294967296, 4294967296]";
    assert_eq!(message, format!("Space: Float32 {shape} takes more bytes than can be addressed"));
    // So many elements could be counted, their bytes could not.
    too_large(Space::new([1 << 62], Float64));
    too_large(Space::new([1 << 59], Complex128));
    too_large(Space::new([1 << 40, 0, 1 << 40], Float32));
    assert_eq!(Space::new([1 << 58], Complex128).unwrap().len(), 1 << 58);
    assert_eq!(Space::new([1 << 58, 0], Complex128).unwrap().len(), 0);
}

#[test]
fn stacks_whose_extents_wrap_are_refused() {
    let sixteen = || (0..16).map(|_| identity(&[1 << 60], Float32));
    let message = too_large(vstack(sixteen()));
    assert!(message.starts_with("vstack: Float32 [18446744073709551616] takes"), "{message}");
    assert!(too_large(hstack(sixteen())).starts_with("hstack: "));
    assert!(too_large(block_diagonal(sixteen())).starts_with("block_diagonal: "));
    let mixed = [identity(&[1 << 60], Float32), identity(&[2, 1 << 59], Float32)];
    too_large(block_diagonal(mixed));
}

#[test]
fn what_does_not_fit_in_memory_is_a_typed_error_too() {
    let vast = identity(&[1 << 60], Float32);
    let error =
        vast.clone().after(vast).build().unwrap().forward(floats(&[1], &[1.0])).unwrap_err();
    assert!(error.to_string().contains("4611686018427387904 bytes"), "{error}");
}

/// Numbers without a pattern, extents of every magnitude among them.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 16
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn extent(&mut self) -> usize {
        let bits = self.below(65);
        let number = self.next() << 20 ^ self.next();
        match self.below(4) {
            0 => self.below(4),
            1 if bits < 64 => 1 << bits,
            2 => usize::MAX >> self.below(64),
            _ => (number as usize).checked_shr(bits as u32).unwrap_or(1),
        }
    }

    fn shape(&mut self) -> Vec<usize> {
        (0..self.below(4)).map(|_| self.extent()).collect()
    }
}

#[test]
fn spaces_agree_with_wide_arithmetic_on_random_shapes() {
    let mut random = Random(1);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let (shape, dtype) = (random.shape(), DTYPES[random.below(4)]);
        let wide: Vec<u128> = shape.iter().map(|&extent| extent as u128).collect();
        match Space::new(shape.as_slice(), dtype) {
            Ok(space) => {
                assert!(addressable(&wide, dtype), "{space}");
                assert_eq!(space.len() as u128, wide.iter().product::<u128>(), "{space}");
                accepted += 1;
            }
            Err(Error::TooLarge { shape: found, .. }) => {
                assert!(!addressable(&wide, dtype) && found == wide, "{shape:?} {dtype}");
                refused += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(accepted > 1000 && refused > 1000, "{accepted} accepted, {refused} refused");
}

#[test]
fn stacks_agree_with_wide_arithmetic_on_random_shapes() {
    let mut random = Random(2);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..5_000 {
        let tail = random.shape();
        let joined = random.below(2) == 0;
        let mut parts = Vec::new();
        for _ in 0..=random.below(20) {
            let shape =
                if joined { [&[random.extent()], &tail[..]].concat() } else { random.shape() };
            parts.extend(
                Space::new(shape, Float32).ok().map(|space| identity(space.shape(), Float32)),
            );
        }
        let Some(first) = parts.first() else { continue };
        let shapes: Vec<&[usize]> = parts.iter().map(|part| part.domain().shape()).collect();
        let rest = first.domain().shape().get(1..);
        let same = rest.is_some() && shapes.iter().all(|shape| shape.get(1..) == rest);
        let sum =
            |of: &dyn Fn(&[usize]) -> u128| shapes.iter().map(|shape| of(shape)).sum::<u128>();
        let expected: Vec<u128> = match rest {
            Some(rest) if same => {
                let first = sum(&|shape| shape[0] as u128);
                [first].into_iter().chain(rest.iter().map(|&extent| extent as u128)).collect()
            }
            _ => vec![sum(&|shape| shape.iter().map(|&extent| extent as u128).product())],
        };
        let fits = addressable(&expected, Float32);
        match block_diagonal(parts.clone()) {
            Ok(whole) => {
                let found = whole.range().shape().iter().map(|&extent| extent as u128);
                assert!(fits && found.eq(expected.iter().copied()), "{shapes:?}");
                assert_eq!(whole.range(), whole.domain());
                accepted += 1;
            }
            Err(error) => {
                assert!(!fits && matches!(error, Error::TooLarge { .. }), "{shapes:?}: {error}");
                refused += 1;
            }
        }
        let widths = shapes.iter().all(|shape| *shape == shapes[0]);
        match vstack(parts) {
            Ok(whole) => assert!(widths && fits && whole.range().shape().len() == expected.len()),
            Err(Error::TooLarge { .. }) => assert!(!fits),
            Err(Error::Spaces { .. }) => assert!(!widths),
            Err(other) => panic!("{other}"),
        }
    }
    assert!(accepted > 100 && refused > 100, "{accepted} accepted, {refused} refused");
}

/// What does not fit the memory is an error, and comes soon.
#[test]
fn sizes_beyond_all_memory_are_errors() {
    let refused = |what: &str, made: Result<Operator>| assert!(made.is_err(), "{what}");
    let long = Space::new([2, 1 << 40], DType::Float32).unwrap();
    let axes = |points| FourierAxis { points: Some(points), ..FourierAxis::new(-1) };
    for points in [1 << 40, 1 << 60, usize::MAX] {
        let space = Space::new([2, 4], DType::Float32).unwrap();
        let of = [0.0, 1.0];
        let radon =
            FourierRadon2D::new(space.clone(), axes(points), None, &of, &of, RadonKind::Linear);
        refused("FourierRadon2D", radon);
        let delays = floats(&[2], &[0.5; 2]).into_shared();
        refused("Shift::each", Shift::each(space, axes(points), delays));
    }
    refused("ChirpRadon2D", ChirpRadon2D::new(long.clone(), 1e-3));
    refused("Convolve1D", Convolve1D::new(long.clone(), -1, &vec![1.0; 5000], 1));
    refused("UDCT", UDCT::new(long, &Curvelets::default()));
    let input = floats(&[4, 4], &[1.0; 16]).into_shared();
    for taps in [(1 << 40) + 1, (1 << 60) + 1, usize::MAX] {
        let filters = NonStationaryFilters2D::new(input.clone(), [taps, 1], [&[0], &[0, 2]]);
        refused("NonStationaryFilters2D", filters);
    }
    assert!(KSpace::regular_lines(1 << 60, 1 << 60).is_err());
    assert!(KSpace::regular_lines(usize::MAX, usize::MAX).is_err());
}
