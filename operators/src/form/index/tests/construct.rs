//! Constructors against their formulas.

use super::*;

const N: &str = "Named";

fn expect(
    found: crate::Result<IndexMap>,
    domain: &[usize],
    range: &[usize],
    read: impl Fn(&[usize]) -> Option<Vec<usize>>,
) {
    assert_eq!(Table::of_map(&found.unwrap()), Table::of(domain, range, read));
}

#[test]
fn constructors_are_what_their_formulas_say() {
    for n in 0..6 {
        let shape = [n, 3];
        let s = &shape[..];
        expect(IndexMap::identity(N, s), s, s, |o| Some(o.to_vec()));
        expect(IndexMap::zeros(N, s, &[4]), s, &[4], |_| None);
        expect(IndexMap::permute(N, s, &[-1, 0]), s, &[3, n], |o| Some(vec![o[1], o[0]]));
        expect(IndexMap::flip(N, s, &[-2]), s, s, |o| Some(vec![n - 1 - o[0], o[1]]));
        expect(IndexMap::flip(N, s, &[1, 0]), s, s, |o| Some(vec![n - 1 - o[0], 2 - o[1]]));
        expect(IndexMap::flip(N, s, &[]), s, s, |o| Some(o.to_vec()));
        expect(IndexMap::pad(N, s, 0, 2, 1), s, &[n + 3, 3], |o| {
            (2..n + 2).contains(&o[0]).then(|| vec![o[0] - 2, o[1]])
        });
        for shift in [-7, -1, 0, 1, 2, 11, isize::MIN, isize::MAX] {
            expect(IndexMap::roll(N, s, 0, shift), s, s, |o| {
                let i = (o[0] as i128 - shift as i128).rem_euclid(n as i128);
                Some(vec![i as usize, o[1]])
            });
        }
        for axis in [0_isize, 1, 2, -1, -2, -3] {
            let at = axis.rem_euclid(3) as usize;
            let mut range = shape.to_vec();
            range.insert(at, 4);
            expect(IndexMap::repeat(N, s, axis, 4), s, &range, |o| {
                let mut i = o.to_vec();
                i.remove(at);
                Some(i)
            });
        }
        for times in 0..4 {
            expect(IndexMap::tile(N, s, 0, times), s, &[times * n, 3], |o| {
                Some(vec![o[0] % n, o[1]])
            });
        }
        for index in 0..n {
            expect(IndexMap::select(N, s, 0, index), s, &[3], |o| Some(vec![index, o[0]]));
        }
        if n > 0 {
            expect(IndexMap::symmetrize(N, s, 0), s, &[2 * n - 1, 3], |o| {
                Some(vec![(n - 1).abs_diff(o[0]), o[1]])
            });
        }
    }
    for (start, len, step) in [(0, 7, 1), (1, 3, 2), (6, 7, -1), (5, 2, -4), (7, 0, 3), (3, 1, -50)]
    {
        expect(IndexMap::slice(N, &[2, 7], -1, start, len, step), &[2, 7], &[2, len], |o| {
            Some(vec![o[0], (start as isize + step * o[1] as isize) as usize])
        });
    }
}

#[test]
fn what_makes_no_sense_is_refused_in_the_name_of_the_operator() {
    let refused = |found: crate::Result<IndexMap>, part: &str| match found {
        Err(Error::Parameter { operator, why }) => {
            assert_eq!(operator, "Named");
            assert!(why.contains(part), "{why}");
        }
        other => panic!("{other:?} for {part}"),
    };
    let s = &[4, 5];
    let longest = isize::MAX as usize;
    refused(IndexMap::identity(N, &[longest + 1]), "longer");
    refused(IndexMap::zeros(N, &[1], &[usize::MAX]), "longer");
    refused(IndexMap::permute(N, s, &[0]), "each axis");
    refused(IndexMap::permute(N, s, &[0, 2]), "no axis 2");
    refused(IndexMap::permute(N, s, &[0, -2]), "twice");
    refused(IndexMap::flip(N, s, &[-3]), "no axis -3 in an array of rank 2");
    refused(IndexMap::flip(N, s, &[isize::MIN]), "no axis");
    refused(IndexMap::flip(N, &[], &[0]), "no axis");
    refused(IndexMap::flip(N, s, &[1, -1]), "twice");
    refused(IndexMap::slice(N, s, 0, 0, 5, 1), "leave");
    refused(IndexMap::slice(N, s, 0, 5, 0, 1), "leave");
    refused(IndexMap::slice(N, s, 0, usize::MAX, 1, 1), "leave");
    refused(IndexMap::slice(N, s, 0, 1, 3, -1), "leave");
    refused(IndexMap::slice(N, s, 0, 1, 3, isize::MIN), "leave");
    refused(IndexMap::slice(N, s, 0, 1, longest, isize::MAX), "leave");
    refused(IndexMap::slice(N, s, 0, 1, usize::MAX, 1), "longer");
    refused(IndexMap::slice(N, s, 0, 1, 2, 0), "step of 0");
    refused(IndexMap::pad(N, s, 0, usize::MAX, 1), "longer");
    refused(IndexMap::pad(N, s, 0, longest, 0), "longer");
    refused(IndexMap::repeat(N, s, 3, 2), "no axis 3");
    refused(IndexMap::repeat(N, s, 0, longest + 1), "longer");
    refused(IndexMap::tile(N, s, 0, longest), "longer");
    refused(IndexMap::tile(N, s, 0, MOST_BOXES + 1), "boxes");
    refused(IndexMap::select(N, s, 0, 4), "leave");
    refused(IndexMap::symmetrize(N, &[0], 0), "no indices");
    refused(IndexMap::symmetrize(N, &[longest], 0), "longer");
}

#[test]
fn pieces_are_checked() {
    let refused =
        |domain: &[usize], range: &[usize], axes: &[AxisMap], held: &[usize], part: &str| {
            match IndexMap::from_pieces(N, domain, range, axes, held) {
                Err(Error::Parameter { operator, why }) if operator == "Named" => {
                    assert!(why.contains(part), "{why}");
                }
                other => panic!("{other:?} for {part}"),
            }
        };
    let axis = |from, piece| [AxisMap::new(from, [piece])];
    let all = || AxisMap::new(Some(0), [Piece::reads(0, 3, 0, 1)]);
    refused(&[3], &[3], &[], &[0], "axis maps");
    refused(&[3], &[3], &[all()], &[], "held");
    refused(&[3], &[3, 3], &[all(), all()], &[0], "two axes");
    refused(&[3], &[3], &axis(Some(1), Piece::zeros(0, 3)), &[0], "no axis 1");
    refused(&[3], &[3], &axis(Some(0), Piece::reads(0, 2, 0, 1)), &[0], "end at 2");
    refused(&[3], &[3], &axis(Some(0), Piece::reads(1, 3, 0, 1)), &[0], "1..3 after index 0");
    refused(&[3], &[3], &axis(Some(0), Piece::zeros(0, 4)), &[0], "end at 4");
    refused(&[3], &[3], &axis(Some(0), Piece::reads(0, 3, 1, 1)), &[0], "leave");
    refused(&[3], &[3], &axis(Some(0), Piece::reads(0, 3, 0, isize::MIN)), &[0], "leave");
    refused(&[3], &[3], &axis(None, Piece::reads(0, 3, 0, 1)), &[0], "leave");
    refused(&[3], &[3], &axis(None, Piece::reads(0, 3, 0, 0)), &[3], "leave");
    refused(&[0], &[3], &axis(None, Piece::reads(0, 3, 0, 0)), &[0], "leave");
    let wrong = Piece { start: 0, end: 3, source: None };
    let back = [AxisMap::new(None, [wrong, Piece { start: 3, end: 1, source: None }])];
    refused(&[3], &[1], &back, &[0], "3..1 after index 3");
    // Nothing is held where nothing is read.
    let zero = IndexMap::from_pieces(N, &[0], &[3], &axis(None, Piece::zeros(0, 3)), &[7]).unwrap();
    assert_eq!(zero, IndexMap::zeros(N, &[0], &[3]).unwrap());
}

#[test]
fn the_number_of_boxes_is_bounded() {
    let tiled = IndexMap::tile(N, &[2, 2], 0, 64).unwrap();
    assert_eq!(tiled.boxes().count(), 64);
    let both = IndexMap::tile(N, &[128, 2], 1, 64).unwrap().after(&tiled).unwrap();
    assert_eq!(both.boxes().count(), MOST_BOXES);
    let more = IndexMap::pad(N, &[128, 128], 0, 1, 0).unwrap();
    assert_eq!(more.after(&both), None);
    // More pieces along one axis than there may be boxes.
    let long = IndexMap::tile(N, &[3], 0, 100).unwrap();
    assert_eq!(IndexMap::tile(N, &[300], 0, 100).unwrap().after(&long), None);
}

#[test]
fn zeros_around_are_as_few_boxes_as_sides() {
    let mut map = IndexMap::identity(N, &[4, 5, 6]).unwrap();
    for axis in 0..3 {
        map = IndexMap::pad(N, map.range(), axis, 1, 2).unwrap().after(&map).unwrap();
    }
    assert_eq!(map.boxes().count(), 7);
    assert_eq!(map.boxes().filter(|found| found.source.is_some()).count(), 1);
}
