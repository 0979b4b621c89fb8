//! Gradient descent of a few steps, each with a network behind it.

use arrayspan::prelude::*;
use arrayspan::torch::TorchOperator;
use arrayspan::torch::tch::nn::{self, Module};
use arrayspan::torch::tch::{self, Tensor};

/// How often the network is asked.
const STEPS: usize = 3;
/// Steps of descent before each time: an operator costs little beside a network.
const DESCENT: usize = 6;
const CHANNELS: i64 = 12;

/// `x ← x - rate g` six times, then `x ← x + network(x, g)`, with the gradient `g = Aᴴ (A x - d)` of the misfit; all that three
/// times, from zero. The networks and the rates are learned (Adler and Öktem, Inverse Problems 33, 2017, learn the whole step).
#[derive(Debug)]
pub struct Unrolled {
    pub store: nn::VarStore,
    steps: Vec<(Tensor, nn::Sequential)>,
}

impl Unrolled {
    pub fn new(device: tch::Device) -> Self {
        let store = nn::VarStore::new(device);
        let step = |number: usize| {
            let path = store.root() / format!("step{number}");
            // Wavelets are long and layers flat: more is seen of time than of neighbours.
            let layer = |name: &str, channels: [i64; 2], start: nn::Init| {
                let config = nn::ConvConfigND {
                    padding: [3, 1],
                    ws_init: start,
                    ..nn::ConvConfigND::<[i64; 2]>::default()
                };
                nn::conv(&path / name, channels[0], channels[1], [7, 3], config)
            };
            let usual = nn::ConvConfig::default().ws_init;
            // The last layer begins with zeros, so that the first answer is that of plain descent.
            let prior = nn::seq()
                .add(layer("in", [2, CHANNELS], usual))
                .add_fn(Tensor::relu)
                .add(layer("within", [CHANNELS, CHANNELS], usual))
                .add_fn(Tensor::relu)
                .add(layer("out", [CHANNELS, 1], nn::Init::Const(0.0)));
            (path.var("rate", &[], nn::Init::Const(1.0)), prior)
        };
        let steps = (0..STEPS).map(step).collect();
        Self { store, steps }
    }

    /// How many numbers are learned.
    pub fn parameters(&self) -> usize {
        self.store.trainable_variables().iter().map(Tensor::numel).sum()
    }

    /// Models of data of `a`: `[…, time, traces]`.
    pub fn forward(&self, a: &TorchOperator, data: &Tensor) -> Result<Tensor> {
        // Networks want an axis of pieces and one of channels.
        let size = data.size();
        let wanted: Vec<i64> = [&[-1, 1], &size[size.len() - 2..]].concat();
        let data = data.reshape(&*wanted);
        let mut x = data.zeros_like();
        for (rate, prior) in &self.steps {
            let descent = |x: &Tensor| a.adjoint(&(a.forward(x)? - &data));
            for _ in 0..DESCENT {
                x = &x - rate * descent(&x)?;
            }
            let gradient = descent(&x)?;
            x = &x + prior.forward(&Tensor::cat(&[&x, &gradient], 1));
        }
        Ok(x.reshape(&*size))
    }
}
