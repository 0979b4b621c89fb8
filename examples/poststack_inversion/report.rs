//! What the user reads at the end.

use ndarray::Array2;

use crate::inversion::Outcome;

/// Prints one line per device: how arrays crossed, how far the answer is from the truth, how long it took.
pub fn print(outcomes: &[Outcome], truth: &Array2<f64>, background: &Array2<f64>) {
    let head = ["device", "iterations", "residual", "model error", "seconds"];
    println!("\n{:<10} {:>10} {:>10} {:>12} {:>9}", head[0], head[1], head[2], head[3], head[4]);
    for outcome in outcomes {
        let device = outcome.device.to_string();
        println!(
            "{device:<10} {:>10} {:>10.3e} {:>12.4} {:>9.3}",
            outcome.iterations,
            outcome.residual,
            model_error(&outcome.answer, truth),
            outcome.time.as_secs_f64(),
        );
    }
    println!("{:<10} {:>34.4}", "(start)", model_error(background, truth));
    println!("\nhow each array crossed:");
    for outcome in outcomes {
        for (array, crossing) in &outcome.crossings {
            println!("  {:<10} {array:<8} {crossing}", outcome.device.to_string());
        }
    }
    if let [first, others @ ..] = outcomes {
        for other in others {
            let difference = relative(&other.answer, &first.answer);
            println!("{} and {} differ by {difference:.1e}", other.device, first.device);
        }
    }
}

/// How far impedances are from the true ones: `‖z - z₀‖ / ‖z₀‖`.
pub fn model_error(answer: &Array2<f64>, truth: &Array2<f64>) -> f64 {
    relative(&answer.mapv(f64::exp), &truth.mapv(f64::exp))
}

fn relative(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    let norm = |x: &Array2<f64>| x.iter().map(|value| value * value).sum::<f64>().sqrt();
    norm(&(a - b)) / norm(b)
}
