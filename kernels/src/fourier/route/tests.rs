//! Which calls a library takes, and what stands around it.

use arrayspan_bridge::Layout;

use super::*;
use crate::fourier::{Limits, Schedule};

/// A call between arrays without gaps.
struct Case {
    fourier: Fourier,
    lines: Lines,
    dtype: DType,
    count: usize,
    plain: bool,
    addresses: [usize; 2],
    outer: [usize; 2],
}

impl Case {
    fn new(fourier: Fourier, shape: &[usize], dtype: DType) -> Self {
        let [from, to] = fourier.extents();
        let layout = |extent: usize| {
            let mut shape = shape.to_vec();
            shape[fourier.axis()] = extent;
            Layout::contiguous(&shape[..]).unwrap()
        };
        let lines = Lines::new(&fourier, [&layout(to), &layout(from)]).unwrap();
        let count = lines.count();
        Self { fourier, lines, dtype, count, plain: true, addresses: [0; 2], outer: [1; 2] }
    }

    fn arrays(&self) -> Arrays<'_> {
        let [x, y] = self.fourier.dtypes(self.dtype).map(DType::bytes);
        let Self { lines, addresses, plain, .. } = self;
        Arrays { lines, bytes: [y, x], addresses: *addresses, plain: *plain }
    }

    fn route(&self) -> Route {
        Route::new(&self.fourier, self.dtype, &self.arrays(), (self.outer, ROOM)).unwrap()
    }

    fn is_faster(&self) -> bool {
        let across = self.lines.across.contains(&true);
        let schedule = Schedule::new(Limits::CUDA, &self.fourier, self.dtype, self.count, across);
        let ([from, to], [of_y, of_x]) = (self.fourier.extents(), self.arrays().bytes);
        let users = self.count * (from * of_x + to * of_y);
        let own = Cost {
            launches: schedule.launches(),
            bytes_read: users + 2 * schedule.left(),
            ..Cost::default()
        };
        self.route().is_faster(&own, users)
    }
}

const SINGLE: DType = DType::Complex64;

fn half(axis: usize, points: usize) -> Fourier {
    Fourier::new(axis, points).unwrap().half()
}

#[test]
fn kernels_stand_around_it_where_they_are_needed() {
    let ends = |fourier: Fourier, plain: bool| {
        let case = Case { plain, ..Case::new(fourier, &[6, 30], SINGLE) };
        let route = case.route();
        (route.begins, route.ends, route.scales)
    };
    let complex = Fourier::new(1, 30).unwrap();
    assert_eq!(ends(complex, true), (false, false, false));
    assert_eq!(ends(complex.conj().adjoint(), true), (false, false, false));
    assert_eq!(ends(complex, false), (false, true, false));
    assert_eq!(ends(complex.scaled(0.5).unwrap(), true), (false, true, false));
    assert_eq!(ends(complex.of_extent(20), true), (true, false, false));
    // One kernel does both.
    assert_eq!(ends(complex.of_extent(20).scaled(0.5).unwrap(), true), (true, false, true));
    assert_eq!(ends(complex.of_extent(40), true), (false, false, false));
    assert_eq!(ends(complex.of_extent(40).adjoint(), true), (false, true, false));
    assert_eq!(ends(complex.turned([1, 0]), true), (true, false, false));
    assert_eq!(ends(complex.turned([0, 1]), true), (false, true, false));
    assert_eq!(ends(half(1, 30), true), (false, false, false));
    assert_eq!(ends(half(1, 30).conj(), true), (false, true, false));
    assert_eq!(ends(half(1, 30).weighted(1.5).unwrap(), true), (false, true, false));
    // What real numbers come from the library writes over.
    assert_eq!(ends(half(1, 30).adjoint(), true), (true, false, false));
    assert_eq!(ends(half(1, 30).adjoint().scaled(2.0).unwrap(), true), (true, false, true));
    assert_eq!(ends(half(1, 30).adjoint().scaled(2.0).unwrap(), false), (true, true, false));
    assert_eq!(ends(complex.real(), true), (false, true, false));
    assert_eq!(ends(complex.real().adjoint(), true), (true, false, false));
}

#[test]
fn lines_begin_where_complex_numbers_can() {
    let at = |addresses: [usize; 2]| {
        let case = Case::new(half(1, 30), &[7, 30], SINGLE);
        let route = Case { addresses, ..case }.route();
        (route.begins, route.ends)
    };
    assert_eq!(at([0, 0]), (false, false));
    assert_eq!(at([64, 4]), (true, false));
    assert_eq!(at([4, 0]), (false, true));
    // An odd number of real elements from one line to the next: parts begin at every second.
    let case = Case::new(half(1, 999_999), &[201, 999_999], SINGLE);
    let route = case.route();
    assert!(!route.begins && route.at_once.is_multiple_of(2) && route.at_once < 201, "{route:?}");
    // Lines side by side go through room on both sides.
    let route = Case::new(half(1, 4), &[3, 4, 5], SINGLE).route();
    assert!(route.begins && route.ends && route.even == 15, "{route:?}");
}

#[test]
fn what_does_not_go_forwards_goes_through_room() {
    let fourier = Fourier::new(1, 8).unwrap();
    let layout = Layout::contiguous([4, 8]).unwrap();
    let route = |y: &Layout, x: &Layout| {
        let lines = Lines::new(&fourier, [y, x]).unwrap();
        let arrays = Arrays { lines: &lines, bytes: [8; 2], addresses: [0; 2], plain: true };
        let route = Route::new(&fourier, SINGLE, &arrays, ([1; 2], ROOM)).unwrap();
        (route.begins, route.ends)
    };
    assert_eq!(route(&layout, &layout), (false, false));
    assert_eq!(route(&layout, &layout.reversed(1).unwrap()), (true, false));
    assert_eq!(route(&layout, &layout.reversed(0).unwrap()), (true, false));
    assert_eq!(route(&layout.reversed(1).unwrap(), &layout), (false, true));
    let repeated = Layout::strided([4, 8], [0, 1], 0).unwrap();
    assert_eq!(route(&layout, &repeated), (true, false));
}

#[test]
fn parts_are_all_lines_once() {
    for (shape, axis) in [(&[5000, 4000][..], 1), (&[4000, 5001], 0), (&[7, 4000, 3001], 1)] {
        for fourier in [half(axis, 4000), half(axis, 4000).adjoint()] {
            for plain in [true, false] {
                let case = Case { plain, ..Case::new(fourier, shape, SINGLE) };
                let (route, mut next) = (case.route(), 0);
                for [first, count] in route.parts() {
                    assert_eq!(first, next);
                    assert!(count > 0 && count <= route.at_once);
                    // Those of one part are evenly apart in the arrays that the library reads or writes.
                    assert_eq!(first / route.even, (first + count - 1) / route.even);
                    next += count;
                    assert!(route.transform(&case.lines, count).is_some());
                }
                assert_eq!(next, case.count);
            }
        }
    }
}

#[test]
fn the_library_is_told_how_lines_lie() {
    let case = Case::new(half(0, 12), &[12, 5], SINGLE);
    let route = case.route();
    let transform = route.transform(&case.lines, 5).unwrap();
    let steps = |element: i32, line: i32| LineSteps { element, line };
    // In room they are one behind the other.
    assert_eq!((transform.input, transform.output), (steps(1, 12), steps(1, 7)));
    assert_eq!((transform.kind, transform.points), (TransformKind::FromReal, 12));
    let case = Case::new(half(0, 12).adjoint(), &[12, 5], DType::Complex128);
    let transform = case.route().transform(&case.lines, 5).unwrap();
    assert_eq!((transform.input, transform.output), (steps(1, 7), steps(1, 12)));
    assert!(transform.float64 && transform.kind == TransformKind::ToReal);
    let case = Case::new(half(1, 12).adjoint(), &[3, 12], SINGLE);
    let transform = case.route().transform(&case.lines, 3).unwrap();
    assert_eq!((transform.input, transform.output), (steps(1, 7), steps(1, 12)));
}

#[test]
fn the_library_takes_what_is_large() {
    let root = 2.0_f64.sqrt();
    let ortho = |fourier: Fourier| {
        let scaled = fourier.scaled(1.0 / (fourier.points() as f64).sqrt()).unwrap();
        scaled.weighted(root).unwrap_or(scaled)
    };
    let faster =
        |fourier: Fourier, shape: &[usize]| Case::new(ortho(fourier), shape, SINGLE).is_faster();
    // Rows and columns of 8000 x 8000 numbers, there and back, stay with us: the library takes one pass, but others stand around it.
    for axis in [0, 1] {
        let complex = Fourier::new(axis, 8000).unwrap();
        for fourier in [half(axis, 8000), half(axis, 8000).adjoint(), complex, complex.adjoint()] {
            assert!(!faster(fourier, &[8000, 8000]), "{fourier:?}");
        }
    }
    // Without a scale it has one alone.
    let plain = |points: usize, shape: &[usize]| {
        let fourier = Fourier::new(shape.len() - 1, points).unwrap();
        Case::new(fourier, shape, SINGLE).is_faster()
    };
    assert!(plain(8000, &[8000, 8000]) && plain(64, &[1 << 20, 64]) && plain(400, &[400; 3]));
    let short = Fourier::new(1, 64).unwrap();
    assert!(!faster(short, &[1 << 20, 64]) && !faster(half(1, 64), &[1 << 20, 64]));
    // Lengths with large factors, whose convolution takes us one pass there and one back, but the library several.
    assert!(!faster(half(1, 8191), &[7919, 8191]));
    // Those that take us more, or several passes and the library one or two alone.
    assert!(faster(half(0, 7919).adjoint(), &[7919, 8191]));
    assert!(plain(1 << 20, &[64, 1 << 20]) && plain(1 << 15, &[2048, 1 << 15]));
    // Of half a spectrum we leave half from one to the next.
    assert!(!faster(half(1, 1 << 20), &[64, 1 << 20]));
    assert!(!faster(half(1, 1 << 15).adjoint(), &[2048, 1 << 15]));
    // A million numbers stay with us, and so do four.
    for axis in [0, 1] {
        assert!(!faster(half(axis, 1000), &[1000, 1000]));
    }
    assert!(!faster(half(1, 2000).adjoint(), &[2000, 2000]));
    assert!(!faster(half(0, 4000).adjoint(), &[4000, 4000]));
    assert!(!faster(half(1, 1000), &[2, 1000]));
}

#[test]
fn outer_axes_are_transformed_with_the_lines() {
    let outer = |shape: &[usize], outer: [usize; 2], fourier: Fourier| {
        let case = Case { outer, ..Case::new(fourier, shape, SINGLE) };
        Route::new(&fourier, SINGLE, &case.arrays(), (outer, 1 << 10)).map(|route| {
            let sizes = route.parts().map(|[_, count]| count).collect::<Vec<_>>();
            (route.transform(&case.lines, route.at_once).unwrap(), sizes)
        })
    };
    let (transform, sizes) = outer(&[3, 4, 5, 12], [4, 5], half(3, 12)).unwrap();
    assert_eq!((transform.outer, transform.block()), ([4, 5], 20));
    // Parts are whole transforms, though one takes more than there is to be room for.
    assert_eq!(sizes, [20; 3]);
    let (transform, sizes) = outer(&[4, 5, 12], [1, 5], half(2, 12).adjoint()).unwrap();
    assert_eq!((transform.outer, sizes), ([1, 5], vec![10; 2]));
    // Lengths with large factors go one axis after the other.
    let faster = |shape: [usize; 2]| {
        let case = Case::new(half(1, shape[1]), &shape, SINGLE);
        let bytes_read = 1 << 40;
        let route = Case { outer: [1, shape[0]], ..case }.route();
        route.is_faster(&Cost { bytes_read, ..Cost::default() }, 1 << 28)
    };
    assert!(faster([8000, 8000]) && !faster([7919, 8000]) && !faster([8000, 8191]));
    assert!(outer(&[4, 5, 12], [1, 12], half(1, 5)).is_none());
    assert!(outer(&[4, 5, 12], [3, 5], half(2, 12)).is_none());
}

#[test]
fn passes_depend_on_prime_factors() {
    assert_eq!([1, 8000, 8192, 127 * 100].map(passes), [1; 4]);
    assert_eq!([1 << 20, 45_045].map(passes), [2; 2]);
    assert_eq!([7919, 8191, 131].map(passes), [CONVOLVED; 3]);
}
