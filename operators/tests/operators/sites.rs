//! The line that a leak report names is the one that applied the operator.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::Device;
use arrayspan_bridge::devices::account::{live_blocks, record_sites};
use arrayspan_operators::prelude::*;

use crate::support::random;

#[test]
fn a_result_is_allocated_by_the_line_that_asked_for_it() {
    let space = Space::new([9, 3], DType::Float64).unwrap();
    let slope = FirstDerivative::new(space.clone(), 0, 0.5, Scheme::Centered3, Edge::Reduced);
    let (slope, x) = (slope.unwrap(), random(&space, 1));
    record_sites(true);
    let (y, forward) = (slope.forward(&x).unwrap(), line!());
    let (z, adjoint) = (slope.adjoint(&x).unwrap(), line!());
    let blocks = live_blocks();
    record_sites(false);
    // Other tests allocate meanwhile: each block is found by its address.
    for (array, line) in [(&y, forward), (&z, adjoint)] {
        let address = array.memory().address();
        let found = blocks.iter().find(|block| block.address == address).unwrap();
        assert_eq!(
            (found.device, found.site.file(), found.site.line()),
            (Device::cpu(), file!(), line)
        );
    }
}
