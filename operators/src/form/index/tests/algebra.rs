//! Normal form, boxes and algebra on maps chosen at random.

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

/// The same map from pieces of one index each.
fn in_single_indices(map: &IndexMap) -> IndexMap {
    let (Some(axes), Some(held)) = (map.axes(), map.held()) else { return map.clone() };
    let single = |axis: &AxisMap| {
        let pieces = axis.pieces().iter().flat_map(|piece| {
            (piece.start..piece.end).map(|i| match piece.source {
                None => Piece::zeros(i, i + 1),
                Some(source) => {
                    let first = source.first as isize + source.step * (i - piece.start) as isize;
                    Piece::reads(i, i + 1, first as usize, 7)
                }
            })
        });
        AxisMap::new(axis.from(), pieces.collect::<Vec<_>>())
    };
    let axes: Vec<AxisMap> = axes.iter().map(single).collect();
    IndexMap::from_pieces("test", map.domain(), map.range(), &axes, held).unwrap()
}

/// What boxes read, after a check that they are in order and cover the output once.
fn table_of_boxes(map: &IndexMap) -> Table {
    let boxes: Vec<IndexBox> = map.boxes().collect();
    assert!(boxes.len() <= MOST_BOXES);
    assert!(boxes.is_sorted_by(|a, b| a.start < b.start));
    Table::of(map.domain(), map.range(), |o| {
        let inside = |found: &&IndexBox| {
            let bounds = found.start.iter().zip(&found.extent);
            bounds.zip(o).all(|((start, extent), o)| (*start..start + extent).contains(o))
        };
        let mut found = boxes.iter().filter(inside);
        let (one, None) = (found.next().expect("a box"), found.next()) else { panic!("two boxes") };
        let source = one.source.as_ref()?;
        let mut index: Vec<isize> = source.first.iter().map(|&first| first as isize).collect();
        for ((along, o), start) in source.along.iter().zip(o).zip(&one.start) {
            if let Some((axis, step)) = *along {
                assert_ne!(step, 0);
                index[axis] += step * (o - start) as isize;
            }
        }
        Some(index.into_iter().map(|i| i as usize).collect())
    })
}

fn same(map: &IndexMap, table: &Table) -> Result<(), TestCaseError> {
    prop_assert_eq!(&Table::of_map(map), table);
    prop_assert_eq!(&table_of_boxes(map), table);
    prop_assert_eq!(&in_single_indices(map), map);
    prop_assert_eq!(map.is_injective(), table.is_injective());
    prop_assert_eq!(map.is_zero(), table.reads.iter().all(Option::is_none));
    let identity = table.domain == table.range
        && table.reads.iter().enumerate().all(|(o, read)| *read == Some(o));
    prop_assert_eq!(map.is_identity(), identity);
    prop_assert_eq!(map == &IndexMap::identity("test", map.domain()).unwrap(), identity);
    match map.adjoint() {
        Some(adjoint) => {
            prop_assert_eq!(Table::of_map(&adjoint), table.transposed());
            prop_assert_eq!(adjoint.adjoint(), Some(map.clone()));
        }
        None => prop_assert!(!table.is_injective()),
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_map_is_what_its_pieces_say(
        domain in shape(4, 7), range in shape(4, 7), mut choices in Choices::strategy(),
    ) {
        let (map, table) = random(&domain, &range, &mut choices);
        same(&map, &table)?;
    }

    #[test]
    fn a_chain_is_the_composition_of_tables(
        shapes in [shape(4, 5), shape(4, 5)], mut choices in Choices::strategy(),
    ) {
        let (inner, table) = random(&shapes[0], &shapes[1], &mut choices);
        let outer = chain(&shapes[1], &mut choices);
        let both = outer.after(&inner).unwrap();
        same(&both, &Table::of_map(&outer).after(&table))?;
    }

    #[test]
    fn named_maps_compose(domain in shape(3, 7), mut choices in Choices::strategy()) {
        let map = chain(&domain, &mut choices);
        same(&map, &table_of_boxes(&map))?;
    }

    #[test]
    fn composition_is_associative(
        shapes in [shape(4, 7), shape(4, 7), shape(4, 7), shape(4, 7)],
        mut choices in Choices::strategy(),
    ) {
        let [a, b, c] = [0, 1, 2].map(|n| random(&shapes[n], &shapes[n + 1], &mut choices).0);
        let (left, right) = (c.after(&b).unwrap().after(&a), c.after(&b.after(&a).unwrap()));
        prop_assert!(left.is_some());
        prop_assert_eq!(left, right);
        prop_assert_eq!(&c.after(&IndexMap::identity("test", c.domain()).unwrap()).unwrap(), &c);
        prop_assert_eq!(&IndexMap::identity("test", c.range()).unwrap().after(&c).unwrap(), &c);
        prop_assert!(c.domain() == a.range() || c.after(&a).is_none());
    }

    #[test]
    fn the_adjoint_of_a_product_is_that_of_its_factors_in_reverse(
        domain in shape(3, 6), mut choices in Choices::strategy(),
    ) {
        let a = chain(&domain, &mut choices);
        let b = chain(a.range(), &mut choices);
        if let (Some(first), Some(second)) = (a.adjoint(), b.adjoint()) {
            prop_assert_eq!(b.after(&a).unwrap().adjoint(), first.after(&second));
        }
    }

    #[test]
    fn maps_are_equal_when_their_tables_are(
        domain in shape(2, 3), range in shape(2, 3),
        mut one in Choices::strategy(), mut other in Choices::strategy(),
    ) {
        let [one, other] = [&mut one, &mut other].map(|choices| random(&domain, &range, choices).0);
        let tables = [&one, &other].map(Table::of_map);
        prop_assert_eq!(one == other, tables[0] == tables[1]);
    }
}

#[test]
#[allow(
    clippy::mutable_key_type,
    reason = "what a map keeps counts for nothing where it is hashed"
)]
fn small_maps_are_equal_when_their_tables_are() {
    // Every map of an axis of three indices to one of four, zeros included.
    let mut maps = HashSet::new();
    for values in indices(&[4, 4, 4, 4]) {
        let pieces: Vec<Piece> = values
            .iter()
            .enumerate()
            .map(|(o, &i)| match i {
                3 => Piece::zeros(o, o + 1),
                _ => Piece::reads(o, o + 1, i, 0),
            })
            .collect();
        let axes = [AxisMap::new(Some(0), pieces)];
        let map = IndexMap::from_pieces("test", &[3], &[4], &axes, &[0]).unwrap();
        let read: Vec<_> = values.iter().map(|&i| (i < 3).then_some(i)).collect();
        let table = Table { domain: vec![3], range: vec![4], reads: read };
        same(&map, &table).unwrap();
        assert!(maps.insert(map));
    }
    assert_eq!(maps.len(), 256);
}

#[test]
fn runs_are_cut_where_a_reader_would() {
    let pieces = |map: &IndexMap| map.axes().unwrap()[0].pieces().to_vec();
    let rolled = IndexMap::roll("test", &[9], 0, 1).unwrap();
    assert_eq!(pieces(&rolled), [Piece::reads(0, 1, 8, 0), Piece::reads(1, 9, 0, 1)]);
    let mirrored = IndexMap::symmetrize("test", &[5], 0).unwrap();
    assert_eq!(pieces(&mirrored), [Piece::reads(0, 5, 4, -1), Piece::reads(5, 9, 1, 1)]);
    let tiled = IndexMap::tile("test", &[2], 0, 3).unwrap();
    let twos = [0, 2, 4].map(|start| Piece::reads(start, start + 2, 0, 1));
    assert_eq!(pieces(&tiled), twos);
    let held = IndexMap::slice("test", &[9], 0, 4, 1, 1).unwrap();
    assert_eq!((held.axes().unwrap()[0].from(), held.held()), (None, Some(&[4][..])));
}
