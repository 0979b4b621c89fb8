//! What the network learns from: pieces of a section, and data of them with noise.

use arrayspan::prelude::*;
use arrayspan::torch::tch;
use arrayspan::torch::tch::nn::{self, OptimizerConfig};
use arrayspan::torch::tch::{Kind, Tensor};
use indicatif::{ProgressBar, ProgressStyle};
use ndarray::ArrayView2;

use crate::Failure;
use crate::arguments::Arguments;
use crate::network::Unrolled;
use crate::{survey, tensors};

/// The modelling of sections, with a norm of one: then descent at a rate of one converges.
pub fn modelling((samples, traces): (usize, usize)) -> Result<Operator, Failure> {
    let space = Space::new([samples, traces], DType::Float32)?;
    let modelling = PoststackLinearModelling::new(space, &survey::wavelet(), Scheme::Centered3)?;
    // That of one trace is that of all.
    let one = Space::new([samples, 1], DType::Float64)?;
    let one = PoststackLinearModelling::new(one, &survey::wavelet(), Scheme::Centered3)?;
    let norm = norm_estimate(&one)?;
    Ok(((1.0 / norm.upper) * &modelling).build()?)
}

/// The training of a network.
#[derive(Debug)]
pub struct Training<'a> {
    pub arguments: &'a Arguments,
    /// What is to be found from its data.
    pub truth: ArrayView2<'a, f64>,
    pub device: tch::Device,
}

impl Training<'_> {
    pub fn run(&self, network: &Unrolled) -> Result<(), Failure> {
        let Arguments { steps, batch, noise, .. } = *self.arguments;
        let (samples, seen) = self.truth.dim();
        let traces = self.arguments.traces.min(seen);
        // One piece's operator: a batch of any size is done by it at once.
        let a = modelling((samples, traces))?.torch();
        let truth = tensors::tensor(&self.truth.to_owned(), self.device);
        let scale = truth.square().mean(Kind::Float);
        let mut optimiser = nn::Adam::default().build(&network.store, 4e-3)?;
        let bar = progress_bar(steps);
        for step in 0..steps {
            let pieces = Tensor::stack(&self.pieces(&truth, batch, traces), 0);
            let clean = a.forward(&pieces)?;
            let deviation = noise * clean.square().mean(Kind::Float).sqrt();
            let data = &clean + clean.randn_like() * deviation;
            let misfit = network.forward(&a, &data)? - pieces;
            let loss = misfit.square().mean(Kind::Float) / &scale;
            optimiser.zero_grad();
            // An error of the operator on the way back is this call's.
            loss.f_backward()?;
            optimiser.clip_grad_norm(1.0);
            optimiser.step();
            bar.set_position(step as u64 + 1);
            bar.set_message(format!("{:.4}", loss.double_value(&[])));
        }
        bar.finish();
        Ok(())
    }

    /// Neighbouring traces from anywhere, every other time from right to left.
    fn pieces(&self, truth: &Tensor, count: usize, traces: usize) -> Vec<Tensor> {
        let starts = (self.truth.ncols() - traces + 1) as i64;
        let piece = |index: usize| {
            let start =
                Tensor::randint(starts, [1], (Kind::Int64, tch::Device::Cpu)).int64_value(&[0]);
            let piece = truth.narrow(1, start, traces as i64);
            if index.is_multiple_of(2) { piece } else { piece.flip([1]) }
        };
        (0..count).map(piece).collect()
    }
}

fn progress_bar(steps: usize) -> ProgressBar {
    let style = "  training [{bar:40}] {pos}/{len} steps, loss {msg}";
    let style =
        ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(steps as u64).with_style(style.progress_chars("=> "))
}
