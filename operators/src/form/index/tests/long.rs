//! Axes that are far too long to look at every index.

use super::*;

const LONG: usize = 1 << 40;
const LONGEST: usize = isize::MAX as usize;

fn one(extent: usize, pieces: &[Piece], range: usize) -> IndexMap {
    let axes = [AxisMap::new(Some(0), pieces)];
    IndexMap::from_pieces("test", &[extent], &[range], &axes, &[0]).unwrap()
}

#[test]
fn nothing_is_in_proportion_to_extents() {
    for extent in [LONG, LONG + 1, LONGEST / 2] {
        let shape = [extent, extent];
        let rolled = IndexMap::roll("test", &shape, 0, 12345).unwrap();
        let back = IndexMap::roll("test", &shape, 0, -12345).unwrap();
        assert!(rolled.is_injective());
        assert_eq!(rolled.adjoint().as_ref(), Some(&back));
        assert!(back.after(&rolled).unwrap().is_identity());

        let flipped = IndexMap::flip("test", &shape, &[0, 1]).unwrap();
        assert_eq!(flipped.adjoint().as_ref(), Some(&flipped));
        assert!(flipped.after(&flipped).unwrap().is_identity());

        let padded = IndexMap::pad("test", &shape, 1, 3, extent / 2).unwrap();
        let cut = IndexMap::slice("test", padded.range(), 1, 3, extent, 1).unwrap();
        assert!(cut.after(&padded).unwrap().is_identity());
        assert_eq!(padded.adjoint(), Some(cut));

        let mirrored = IndexMap::symmetrize("test", &shape, 0).unwrap();
        assert!(!mirrored.is_injective());
        let flipped = IndexMap::flip("test", mirrored.range(), &[0]).unwrap();
        assert_eq!(flipped.after(&mirrored), Some(mirrored));

        let repeated = IndexMap::repeat("test", &shape, 0, extent).unwrap();
        assert_eq!((repeated.boxes().count(), repeated.adjoint()), (1, None));
    }
}

#[test]
fn every_second_of_many_has_no_transpose_that_is_an_index_map() {
    let second = IndexMap::slice("test", &[LONG], 0, 0, LONG / 2, 2).unwrap();
    assert!(second.is_injective());
    assert_eq!(second.adjoint(), None);
    let twice = IndexMap::slice("test", &[LONG / 2], 0, 1, LONG / 4, 2).unwrap();
    let fourth = IndexMap::slice("test", &[LONG], 0, 2, LONG / 4, 4).unwrap();
    assert_eq!(twice.after(&second), Some(fourth));
}

#[test]
fn progressions_meet_where_their_congruences_say() {
    let pair = |a: (usize, usize), b: (usize, usize), len: usize| {
        let first = Piece::reads(0, len, a.0, a.1 as isize);
        let second = Piece::reads(len, 2 * len, b.0, b.1 as isize);
        one(LONGEST, &[first, second], 2 * len).is_injective()
    };
    let len = LONG / 8;
    assert!(pair((0, 2), (1, 2), len));
    assert!(!pair((0, 2), (1, 3), len));
    assert!(pair((1, 6), (3, 9), len));
    // 5 k = 3 + 7 l for the first time with k = 2, l = 1.
    assert!(!pair((0, 5), (3, 7), 3));
    assert!(pair((0, 5), (3, 7), 2));
    // Close to the longest axis.
    let step = LONGEST / 4;
    assert!(pair((0, step), (1, step), 3));
    assert!(!pair((0, step), (step, step), 3));
    assert!(!pair((0, step), (2 * step, 1), 2 + 1));
    let falling = [
        Piece::reads(0, 2, LONGEST - 1, -(LONGEST as isize - 1)),
        Piece::reads(2, 4, 1, LONGEST as isize - 3),
    ];
    assert!(one(LONGEST, &falling, 4).is_injective());
    assert_eq!(
        one(LONGEST, &falling, 4).adjoint().unwrap().adjoint(),
        Some(one(LONGEST, &falling, 4))
    );
}

#[test]
fn runs_of_many_indices_cross_the_pieces_of_another_map() {
    let rolled = IndexMap::roll("test", &[LONG], 0, 1 << 20).unwrap();
    let third = IndexMap::slice("test", &[LONG], 0, LONG - 1, LONG / 3, -3).unwrap();
    let both = third.after(&rolled).unwrap();
    let pieces = both.axes().unwrap()[0].pieces();
    assert_eq!(pieces.len(), 2);
    for piece in pieces {
        let source = piece.source.unwrap();
        assert_eq!(source.step, -3);
        let through = LONG - 1 - 3 * piece.start;
        assert_eq!(source.first, (through + LONG - (1 << 20)) % LONG);
    }
    assert_eq!(pieces[1].end, LONG / 3);
}

#[test]
fn the_transpose_of_a_shuffle_has_as_many_pieces_as_rows() {
    // y[r, c] = x[c, r] as one axis: 60 pieces of 50 indices become 50 of 60.
    let (rows, columns) = (60, 50);
    let pieces: Vec<Piece> =
        (0..rows).map(|r| Piece::reads(r * columns, (r + 1) * columns, r, rows as isize)).collect();
    let shuffle = one(rows * columns, &pieces, rows * columns);
    let adjoint = shuffle.adjoint().unwrap();
    assert_eq!(adjoint.boxes().count(), columns);
    assert!(adjoint.after(&shuffle).unwrap().is_identity());
}
