//! A small network of torch, and what torch computes alone.

use arrayspan::torch::tch::nn::{self, ConvConfig, Module};
use arrayspan::torch::tch::{self, Tensor};

/// Two convolutions, which smooth pictures.
#[derive(Debug)]
pub(crate) struct Network {
    parameters: nn::VarStore,
    layers: nn::Sequential,
}

impl Network {
    pub(crate) fn new(device: tch::Device) -> Self {
        tch::manual_seed(1);
        let parameters = nn::VarStore::new(device);
        let root = parameters.root();
        let same = ConvConfig { padding: 2, ..ConvConfig::default() };
        let layers = nn::seq()
            .add(nn::conv2d(&root / "first", 1, 8, 5, same))
            .add_fn(Tensor::tanh)
            .add(nn::conv2d(&root / "second", 8, 1, 5, same));
        Self { parameters, layers }
    }

    /// Pictures of the same shape.
    pub(crate) fn forward(&self, pictures: &Tensor) -> Tensor {
        self.layers.forward(pictures)
    }

    /// What an energy's gradient is for each parameter.
    pub(crate) fn gradients(&self, energy: &Tensor) -> Vec<Tensor> {
        let parameters = self.parameters.trainable_variables();
        Tensor::run_backward(&[energy], &parameters, false, false)
    }
}

/// `(x[i+1] - x[i-1]) / 2` along the rows of pictures, zero in the first and the last row.
pub(crate) fn derivative(x: &Tensor) -> Tensor {
    let rows = x.size()[2];
    let inner = (x.narrow(2, 2, rows - 2) - x.narrow(2, 0, rows - 2)) * 0.5;
    inner.constant_pad_nd([0, 0, 1, 1])
}
