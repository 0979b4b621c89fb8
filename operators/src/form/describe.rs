//! Operators as trees that a person can read.

use std::fmt::{self, Write as _};

use arrayspan_kernels::{Band, Fourier, Gather, Projection, Scan, Signals, Stencil};

use super::IndexMap;
use super::pass::Pass;
use super::program::{Act, Leaf, Program};
use super::summand::Summand;
use crate::algebra::Kind;
use crate::{Form, LinearMap, Operator, number};

/// Lines that are written of a tree; the rest is `…`.
const MOST: usize = 200;

impl Operator {
    /// What it is made of, as a tree of names and forms, and how it is run in both directions.
    ///
    /// Each of several steps writes over its output (`set`) or adds to it (`add`). Boxes are those of an
    /// [`IndexMap`](crate::form::IndexMap): parts of the output, each filled by one launch.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use arrayspan_operators::kernels::bridge::DType;
    /// use arrayspan_operators::prelude::*;
    /// let space = Space::new([400, 600], DType::Float32)?;
    /// let data = PoststackLinearModelling::new(space, &[-0.2, 1.0, -0.2], Scheme::Centered3)?;
    /// assert_eq!(
    ///     (2.0 * &data).build()?.describe(),
    ///     "\
    /// 2.0 PoststackLinearModelling: Float32 [400, 600] to Float32 [400, 600]
    ///   product
    ///     Convolve1D: 3 taps along axis 0
    ///     FirstDerivative: 2 taps along axis 0
    /// forward: stencil of 4 taps along axis 0
    /// adjoint: stencil of 4 taps along axis 0
    /// "
    /// );
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn describe(&self) -> String {
        let mut text = String::new();
        // An operator, and how deep it is.
        let mut left = vec![(self, 0)];
        let mut written = 0;
        while let Some((operator, depth)) = left.pop() {
            if written == MOST {
                text.push_str("…\n");
                break;
            }
            written += 1;
            let node = operator.node();
            let factor = match operator.factor() {
                one if one == 1.0.into() => String::new(),
                factor => format!("{} ", number::text(factor)),
            };
            let mark = operator.orientation().mark();
            let form = match node.kind() {
                Kind::Form(form) => form.describe(),
                _ => None,
            };
            let spaces =
                (depth == 0).then(|| format!("{} to {}", operator.domain(), operator.range()));
            let devices = operator.devices().filter(|_| depth == 0).map(|on| format!("on {on}"));
            let real = depth == 0 && !operator.is_complex_linear();
            let real = real.then(|| "real-linear".to_owned());
            let rest =
                [form, spaces, devices, real].into_iter().flatten().collect::<Vec<_>>().join("; ");
            let colon = if rest.is_empty() { "" } else { ": " };
            let name = node.name();
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{:1$}{factor}{name}{mark}{colon}{rest}", "", 2 * depth);
            left.extend(node.parts().iter().rev().map(|part| (part, depth + 1)));
        }
        for (name, adjoint) in [("forward", false), ("adjoint", true)] {
            text += &self.program(adjoint).describe(name);
        }
        text
    }
}

impl Form {
    /// What there is to say beside the name.
    fn describe(&self) -> Option<String> {
        Some(match self {
            Self::Zero | Self::Identity | Self::Conjugate | Self::Real | Self::Imaginary => {
                return None;
            }
            Self::Opaque(map) => {
                let own = map.description().map_or(String::new(), |own| format!(", {own}"));
                match map.workspace() {
                    0 => format!("opaque{own}"),
                    bytes => format!("opaque{own}, with {bytes} bytes of workspace"),
                }
            }
            Self::Diagonal(weights) => format!("weights of shape {:?}", weights.shape()),
            Self::Matrix { matrix, axis } => {
                format!("a matrix of shape {:?} along axis {axis}", matrix.shape())
            }
            Self::Index(map) => boxes(map),
            Self::Gather(gather) => entries(gather),
            Self::Projection(projection) => curves(projection),
            Self::Scan(scan) => sums(scan),
            Self::Fourier(fourier) => points(fourier),
            Self::Stencil(stencil) => taps(stencil),
            Self::ToDevice { from, to } => format!("from {from} to {to}"),
        })
    }
}

impl Program {
    /// Its steps, one a line unless there is but one.
    fn describe(&self, name: &str) -> String {
        let workspace = match self.bytes().get(None) {
            0 => String::new(),
            bytes => format!(", {bytes} bytes of workspace"),
        };
        if let [step] = self.steps() {
            // Opaque operators tell their own.
            let joined = matches!(step.act, Act::Transforms(_));
            let workspace = if joined { workspace } else { String::new() };
            return format!("{name}: {}{workspace}\n", step.act);
        }
        let named = self.bytes().named().iter().filter(|(_, bytes)| *bytes > 0);
        let named =
            named.map(|(device, bytes)| format!(", {bytes} bytes of workspace on {device}"));
        let workspace = workspace + &named.collect::<String>();
        let mut text = format!("{name}: {} steps{workspace}\n", self.steps().len());
        for step in self.steps().iter().take(MOST) {
            let verb = if step.first { "set" } else { "add" };
            let device = match (&step.act, step.device) {
                (Act::Leaf(Leaf::Move(_)), _) | (_, None) => String::new(),
                (_, Some(device)) => format!(" on {device}"),
            };
            let _ = writeln!(text, "  {verb} {}{device}", step.act);
        }
        if self.steps().len() > MOST {
            text.push_str("  …\n");
        }
        text
    }
}

/// What a step does, in a word or a few.
impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zero => f.write_str("zero"),
            Self::Copy => f.write_str("copy"),
            Self::Conjugate => f.write_str("conjugate"),
            Self::Pass(pass) => pass.fmt(f),
            Self::Each(stencil, _) => write!(f, "{} stencils of one array", stencil.terms().len()),
            Self::Maps(maps) => write!(f, "{} maps at once", maps.count()),
            Self::Transforms(transforms) => {
                let all: Vec<String> = transforms.all.iter().map(points).collect();
                write!(f, "fft of {}", all.join(", then "))
            }
            Self::Leaf(leaf) => leaf.fmt(f),
        }
    }
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sum of ")?;
        for (at, summand) in self.summands().iter().enumerate() {
            let joint = if at == 0 { "" } else { " + " };
            write!(f, "{joint}{summand}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Summand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.after.is_some() {
            f.write_str("weights · ")?;
        }
        match &self.stencil {
            None => f.write_str("x")?,
            Some(stencil) => write!(f, "stencil of {}", taps(stencil))?,
        }
        if self.before.is_some() { f.write_str(" · weights") } else { Ok(()) }
    }
}

impl fmt::Display for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pointwise(factor) if factor.is_conjugation() => f.write_str("conjugate"),
            Self::Pointwise(factor) => match factor.read().0 {
                0 => f.write_str("map"),
                1 => f.write_str("map with 1 array of weights"),
                arrays => write!(f, "map with {arrays} arrays of weights"),
            },
            Self::Stencil(stencil) => write!(f, "stencil of {}", taps(stencil)),
            Self::Index { map, adjoint } => {
                write!(f, "{} {}", if *adjoint { "add" } else { "copy" }, boxes(map))
            }
            Self::Gather(gather) => write!(f, "gather of {}", entries(gather)),
            Self::Projection(projection) => f.write_str(&curves(projection)),
            Self::Scan(scan) => write!(f, "scan: {}", sums(scan)),
            Self::Fourier(fourier) => write!(f, "fft of {}", points(fourier)),
            Self::Matrix(matrix) => {
                let shape = matrix.array.shape();
                write!(f, "gemm with a matrix of shape {shape:?} along axis {}", matrix.axis)?;
                f.write_str(if matrix.transposed { ", transposed" } else { "" })
            }
            Self::Move(devices) => write!(f, "move from {} to {}", devices.domain, devices.range),
            Self::Map { map, orientation } => write!(f, "{}{}", map.name(), orientation.mark()),
            Self::Call(program) => write!(f, "{} steps of a shared part", program.steps().len()),
        }
    }
}

/// `2 taps along axis 0 and 3 taps along axis 1`
fn taps(stencil: &Stencil) -> String {
    let axes = stencil.terms().iter();
    let taps =
        |(axis, band): &(usize, Band)| format!("{} taps along axis {axis}", band.interior().len());
    axes.map(taps).collect::<Vec<_>>().join(" and ")
}

/// `sums along curves from axis 0 on`, or `curves spread from axis 0 on`
fn curves(projection: &Projection) -> String {
    let what = if projection.is_transposed() { "curves spread" } else { "sums along curves" };
    format!("{what} from axis {} on", projection.axis())
}

/// `running sums along axis 0`, or `running sums along axis 0 from its end`
fn sums(scan: &Scan) -> String {
    let from = if scan.is_backward() { " from its end" } else { "" };
    format!("running sums along axis {}{from}", scan.axis())
}

/// `64 points along axis 0`, or `64 points along axis 0, to signals`
fn points(fourier: &Fourier) -> String {
    let to = if fourier.is_inverse() { ", to signals" } else { "" };
    let of = if fourier.signals() == Signals::Cosines { " of cosines" } else { "" };
    format!("{} points{of} along axis {}{to}", fourier.points(), fourier.axis())
}

/// `7 entries along axis 0`, or `7 entries from axis 0 on` where several are counted as one.
fn entries(gather: &Gather) -> String {
    let (axis, entries) = (gather.axis(), gather.entries());
    let noun = if entries == 1 { "entry" } else { "entries" };
    match (gather.rows(), gather.columns()) {
        ([_], [_]) => format!("{entries} {noun} along axis {axis}"),
        _ => format!("{entries} {noun} from axis {axis} on"),
    }
}

/// `1 box`
fn boxes(map: &IndexMap) -> String {
    match map.boxes().count() {
        1 => "1 box".into(),
        boxes => format!("{boxes} boxes"),
    }
}
