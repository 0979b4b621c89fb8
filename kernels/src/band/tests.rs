//! Bands against dense matrices, and on axes of which no dense matrix could be made.

use proptest::prelude::*;

use super::*;

type Dense = Vec<Vec<Complex64>>;

fn dense(band: &Band) -> Dense {
    let mut matrix = vec![vec![Complex64::default(); band.len()]; band.len()];
    for (i, row) in matrix.iter_mut().enumerate() {
        for tap in band.row(i) {
            row[i.checked_add_signed(tap.offset).unwrap()] += tap.weight;
        }
    }
    matrix
}

fn transposed(matrix: &Dense) -> Dense {
    (0..matrix.len()).map(|j| matrix.iter().map(|row| row[j]).collect()).collect()
}

fn product(a: &Dense, b: &Dense) -> Dense {
    let entry = |row: &[Complex64], j: usize| row.iter().zip(b).map(|(a, b)| a * b[j]).sum();
    a.iter().map(|row| (0..a.len()).map(|j| entry(row, j)).collect()).collect()
}

fn tap(offset: isize, weight: f64) -> Tap {
    Tap { offset, weight: Complex64::new(weight, 0.0) }
}

/// A centered difference that leaves its first and last rows empty, and a filter that does not.
fn bands(len: usize) -> [Band; 2] {
    let difference = Band::from_rows(len, 1, |i| {
        let inner = i > 0 && i + 1 < len;
        [(-1, -0.5), (1, 0.5)].into_iter().filter(move |_| inner).map(|(o, w)| tap(o, w))
    });
    let filter = [(-2, 0.25), (-1, -1.0), (0, 3.0), (1, 0.5), (3, -2.0)];
    let filter = filter.map(|(offset, weight)| (offset, Complex64::new(weight, 0.5 * weight)));
    [difference, Band::uniform_complex(len, filter)]
}

fn special(band: &Band) -> (usize, usize) {
    let edges = band.edges().expect("few special rows");
    (edges.head.len(), edges.tail.len())
}

#[test]
fn transposing_swaps_rows_and_columns() {
    for len in 1..14 {
        for band in bands(len) {
            assert_eq!(dense(&band.transpose()), transposed(&dense(&band)), "len {len}");
            assert_eq!(dense(&band.transpose().transpose()), dense(&band), "len {len}");
        }
    }
}

#[test]
fn products_and_sums_are_those_of_the_matrices() {
    for len in 1..20 {
        let [a, b] = bands(len);
        let (da, db) = (dense(&a), dense(&b));
        let (found, sum) = (dense(&a.after(&b).unwrap()), dense(&a.plus(&b).unwrap()));
        let expected = product(&da, &db);
        for i in 0..len {
            for j in 0..len {
                assert!((found[i][j] - expected[i][j]).norm() < 1e-14, "len {len}");
                assert_eq!(sum[i][j], da[i][j] + db[i][j], "len {len}");
            }
        }
    }
}

#[test]
fn special_rows_stay_few_on_long_axes() {
    let [difference, filter] = bands(10_000);
    assert_eq!(special(&difference), (1, 1));
    assert_eq!(special(&filter), (0, 0));
    assert_eq!(special(&difference.transpose()), (2, 2));
    let (head, tail) = special(&filter.after(&difference).unwrap());
    assert!(head <= 4 && tail <= 4);
}

#[test]
fn bands_of_different_length_do_not_combine() {
    let ([a, _], [b, _]) = (bands(5), bands(6));
    assert!(a.after(&b).is_none() && a.plus(&b).is_none());
}

/// Offsets that no axis has, and the last ones that an axis of `len` has.
fn far(len: usize) -> Vec<isize> {
    let ends = [len as isize - 1, len as isize, len as isize + 1];
    let far = [1 << 31, 1 << 32, (1 << 32) + 1, isize::MAX - 1, isize::MAX, isize::MIN + 1];
    let both = ends.into_iter().chain(far).flat_map(|offset| [offset, -offset]);
    both.chain([isize::MIN]).collect()
}

#[test]
fn taps_outside_every_row_are_dropped_whatever_is_made_of_the_band() {
    for len in [1, 2, 5, 9] {
        let weights = |k: usize| 1.0 + k as f64;
        let taps = far(len).into_iter().chain([0, 1]).enumerate();
        let taps: Vec<(isize, f64)> = taps.map(|(k, offset)| (offset, weights(k))).collect();
        let mut expected = vec![vec![Complex64::default(); len]; len];
        for (i, row) in expected.iter_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                let offset = j as isize - i as isize;
                let here = taps.iter().filter(|(at, _)| *at == offset);
                *entry = here.map(|(_, weight)| Complex64::from(*weight)).sum();
            }
        }
        let rows = |_| taps.iter().map(|(offset, weight)| tap(*offset, *weight));
        let edge = usize::MAX / 2 + 2;
        for band in [Band::uniform(len, taps.clone()), Band::from_rows(len, edge, rows)] {
            assert_eq!(dense(&band), expected, "len {len}");
            assert!(band.reach().0 < len && band.reach().1 < len);
            assert_eq!(dense(&band.transpose()), transposed(&expected));
            assert_eq!(dense(&band.adjoint().adjoint()), expected);
            assert_eq!(dense(&band.after(&band).unwrap()), product(&expected, &expected));
            let twice = dense(&band.plus(&band).unwrap());
            assert_eq!(twice, dense(&band.scaled(2.0)));
        }
    }
}

#[test]
fn few_taps_that_reach_far_along_a_long_axis_are_few_pieces() {
    let len = 1_usize << 40;
    let reach = 1_isize << 39;
    let last = len - 1;
    let uniform = Band::uniform(len, [(-reach, 2.0), (0, 1.0), (3, 0.5), (isize::MAX, 9.0)]);
    let edged = Band::from_rows(len, 1, |i| match i {
        0 => vec![tap(0, 5.0), tap(last as isize, 7.0), tap(reach, 0.25)],
        i if i == last => vec![tap(-(last as isize), 3.0)],
        _ => vec![tap(-1, -1.0), tap(0, 1.0)],
    });
    for band in [&uniform, &edged] {
        let transposed = band.transpose();
        assert!(transposed.pieces().count() < 12);
        assert_eq!(transposed.transpose().row(0), band.row(0));
        assert_eq!(transposed.transpose().row(last), band.row(last));
        let square = band.after(&transposed).unwrap();
        assert!(square.pieces().count() < 40, "{}", square.pieces().count());
        let sum = square.plus(band).unwrap();
        assert!(sum.pieces().count() < 60);
    }
    assert_eq!(edged.transpose().row(0), [tap(0, 5.0), tap(1, -1.0), tap(last as isize, 3.0)]);
    assert_eq!(edged.transpose().row(last), [tap(-(last as isize), 7.0)]);
    let middle = edged.transpose().row(1 << 39);
    assert_eq!(middle, [tap(-reach, 0.25), tap(0, 1.0), tap(1, -1.0)]);
    // A shift and its inverse keep the entries that did not leave the axis.
    let shift = Band::uniform(len, [(reach, 1.0)]);
    let back = shift.after(&shift.transpose()).unwrap();
    assert_eq!((back.row(0), back.row(1 << 39)), (vec![tap(0, 1.0)], vec![]));
    assert_eq!(back.pieces().count(), 2);
}

/// A band of a few pieces whose taps may fall anywhere, and the dense matrix that it means.
fn hostile() -> impl Strategy<Value = Vec<(Band, Dense)>> {
    let offset = |len: usize| {
        let near = len as isize + 2;
        prop_oneof![6 => -near..=near, 1 => prop::sample::select(far(len))]
    };
    let row = move |len| prop::collection::vec((offset(len), -2..3_i8), 0..4);
    let one = move |len: usize| {
        let rows = prop::collection::vec(row(len), 3);
        (rows, 0..len + 1).prop_map(move |(rows, edge)| {
            let kind = move |i: usize| usize::from(i >= edge) + usize::from(i + edge >= len);
            let taps = move |i: usize| {
                let row = rows[kind(i)].clone().into_iter();
                row.map(|(offset, weight)| tap(offset, f64::from(weight)))
            };
            let mut matrix = vec![vec![Complex64::default(); len]; len];
            for (i, row) in matrix.iter_mut().enumerate() {
                for tap in taps(i) {
                    if let Some(entry) =
                        i.checked_add_signed(tap.offset).and_then(|j| row.get_mut(j))
                    {
                        *entry += tap.weight;
                    }
                }
            }
            (Band::from_rows(len, edge, taps), matrix)
        })
    };
    (1..12_usize).prop_flat_map(move |len| prop::collection::vec(one(len), 2))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bands_are_what_their_dense_matrices_are(bands in hostile()) {
        let [(a, da), (b, db)] = &bands[..] else { unreachable!() };
        prop_assert_eq!(&dense(a), da);
        prop_assert_eq!(dense(&a.transpose()), transposed(da));
        prop_assert_eq!(dense(&a.after(b).unwrap()), product(da, db));
        prop_assert_eq!(dense(&a.after(&b.transpose()).unwrap()), product(da, &transposed(db)));
        let sum: Dense = da.iter().zip(db).map(|(a, b)| a.iter().zip(b).map(|(a, b)| a + b).collect()).collect();
        prop_assert_eq!(dense(&a.plus(b).unwrap()), sum);
        let rows: usize = a.pieces().map(|(rows, _)| rows.len()).sum();
        prop_assert_eq!(rows, a.len());
        if let Some(edges) = a.edges() {
            let taps = |rows: &[Vec<Tap>]| rows.iter().flatten().count();
            prop_assert!(taps(&edges.head) + taps(&edges.tail) <= a.entries());
        }
    }
}
