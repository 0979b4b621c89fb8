//! The few lines that the front page of the repository shows. `tests/readme.rs` holds them against it.

/// Hands a tensor over, applies an operator, hands the result back, and goes back through the operator.
pub(crate) fn hand_over() -> arrayspan::Result<()> {
    // shown from here
    use arrayspan::prelude::*;
    use arrayspan::torch::tch::{Kind, Tensor};
    use arrayspan::torch::{self, TorchOptions};

    let options = TorchOptions::default();
    let picture = Tensor::randn([512, 512], (Kind::Float, torch::device(Device::cpu())?));
    let (picture, _) = torch::import(picture, options)?; // this memory, now an array
    let space = Space::new([512, 512], DType::Float32)?;
    let slope = FirstDerivative::new(space, 0, 1.0, Scheme::Centered3, Edge::Zero)?;
    let (x, crossing) = torch::export(slope.forward(&picture)?, options)?; // and a tensor again
    println!("{:?}: {crossing}", x.size());

    let layer = slope.torch(); // a function of tensors, which torch differentiates
    let x = x.set_requires_grad(true);
    layer.forward(&x)?.square().sum(Kind::Float).backward(); // back by the adjoint
    println!("the gradient: {:?}", x.grad().size());
    // to here
    Ok(())
}
