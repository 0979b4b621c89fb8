//! What is known of transforms before any runs.

use super::*;

#[test]
fn there_and_back_is_a_number_where_nothing_is_lost() {
    let fourier = Fourier::new(0, 8).unwrap();
    assert_eq!(fourier.cancels(&fourier.adjoint()), Some(8.0));
    assert_eq!(fourier.adjoint().cancels(&fourier), Some(8.0));
    let scaled = fourier.scaled(0.5).unwrap();
    assert_eq!(scaled.cancels(&fourier.adjoint()), Some(4.0));
    assert_eq!(fourier.cancels(&fourier), None);
    assert_eq!(fourier.cancels(&fourier.conj()), None);
    // Zeros behind a signal come back as such; those behind a spectrum's inverse do not.
    let padded = fourier.of_extent(5);
    assert_eq!(padded.cancels(&padded.adjoint()), Some(8.0));
    assert_eq!(padded.adjoint().cancels(&padded), None);
    let cut = fourier.of_extent(9);
    assert_eq!(cut.cancels(&cut.adjoint()), None);
    assert_eq!(cut.adjoint().cancels(&cut), Some(8.0));
    // Half a spectrum is as long as the signal with a weight of √2 only.
    let half = fourier.half();
    assert_eq!(half.cancels(&half.adjoint()), None);
    let even = half.weighted(2.0_f64.sqrt()).unwrap();
    assert_eq!(even.cancels(&even.adjoint()), Some(8.0));
    assert_eq!(even.adjoint().cancels(&even), None);
    // Of cosines both directions bring back all.
    let cosines = fourier.cosines();
    assert_eq!(cosines.cancels(&cosines.adjoint()), None);
    assert_eq!(fourier.conj().cosines(), cosines);
    assert_eq!(fourier.adjoint().cosines().conj(), cosines.adjoint());
    let even = cosines.weighted(2.0_f64.sqrt()).unwrap();
    assert_eq!(even.cancels(&even.adjoint()), Some(8.0));
    assert_eq!(even.adjoint().cancels(&even), Some(8.0));
    assert_eq!(even.of_extent(5).adjoint().cancels(&even.of_extent(5)), None);
}

#[test]
fn inverses_bring_back_what_is_not_lost() {
    let half = Fourier::new(0, 8).unwrap().half().of_extent(5).weighted(0.5).unwrap();
    let back = half.scaled(2.0).unwrap().inverse().unwrap();
    assert_eq!((back.scale(), back.inner(), back.is_inverse()), (1.0 / 16.0, 4.0, true));
    assert_eq!(half.adjoint().inverse(), None);
    assert_eq!(half.of_extent(9).inverse(), None);
    let full = Fourier::new(0, 8).unwrap();
    assert_eq!(full.adjoint().inverse(), Some(full.scaled(0.125).unwrap()));
    assert_eq!(
        full.of_extent(9).adjoint().inverse(),
        Some(full.of_extent(9).scaled(0.125).unwrap())
    );
    assert_eq!(full.real().adjoint().inverse(), None);
    assert_eq!(full.scaled(0.0).unwrap().inverse(), None);
    let cosines = full.cosines().weighted(0.5).unwrap();
    let back = cosines.inverse().unwrap();
    assert_eq!((back.scale(), back.inner(), back.is_inverse()), (0.125, 4.0, true));
    assert_eq!(cosines.adjoint().inverse().map(|one| one.inner()), Some(4.0));
    assert_eq!(cosines.of_extent(9).inverse(), None);
}

#[test]
fn turns_are_taken_whole() {
    let fourier = Fourier::new(0, 6).unwrap().half().of_extent(4).turned([5, 4]);
    assert_eq!((fourier.turns(), fourier.bins(), fourier.extents()), ([1, 0], 4, [4, 4]));
    assert_eq!(Fourier::new(0, 6).unwrap().of_extent(0).turned([5, 4]).turns(), [0, 4]);
}

#[test]
fn numbers_that_are_none_are_refused() {
    assert!(Fourier::new(0, 0).is_err());
    assert!(Fourier::new(0, usize::MAX).is_err());
    let fourier = Fourier::new(0, 4).unwrap();
    assert!(fourier.scaled(f64::NAN).is_err());
    assert!(fourier.weighted(2.0).is_err());
    assert!(fourier.half().weighted(f64::INFINITY).is_err());
    assert!(fourier.real().weighted(2.0).is_err());
    assert_eq!(fourier.cosines().dtypes(DType::Float32), [DType::Float32; 2]);
    assert_eq!(fourier.half().adjoint().dtypes(DType::Float32), [DType::Complex64, DType::Float32]);
}
