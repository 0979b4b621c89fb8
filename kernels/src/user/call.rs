//! The checks that the calls of user kernels share.

use arrayspan_bridge::{Array, View, ViewMut};

use super::declaration::Parameter;
use super::definition::Definition;
use super::input::Input;
use super::letters::Letters;
use crate::verb::{Slot, check};
use crate::{Error, Executor, Result};

/// Arguments whose number and dtypes fit.
pub(super) struct Bound {
    pub(super) letters: Letters,
}

/// Fails where nothing compiles kernels.
pub(super) fn expect_compiler(on: &dyn Executor, of: &Definition) -> Result<()> {
    let device = on.device();
    if device.kind().dialect().is_none() {
        return Err(super::no_compiler(device, &of.name));
    }
    Ok(())
}

impl Bound {
    /// Binds letters to the dtypes of the inputs.
    pub(super) fn new(of: &Definition, inputs: &[Input<'_>]) -> Result<Self> {
        count(of, "inputs", of.inputs.len(), inputs.len())?;
        let mut letters = Letters::default();
        for (input, parameter) in inputs.iter().zip(&of.inputs) {
            if let Input::Array(view) = input {
                letters.bind(of, parameter, view.dtype())?;
            }
        }
        Ok(Self { letters })
    }

    /// And to those of the outputs.
    pub(super) fn outputs(&mut self, of: &Definition, outputs: &[ViewMut<'_>]) -> Result<()> {
        count(of, "outputs", of.outputs.len(), outputs.len())?;
        let pairs = || outputs.iter().zip(&of.outputs);
        for (output, parameter) in pairs() {
            self.letters.bind(of, parameter, output.dtype())?;
        }
        pairs()
            .try_for_each(|(output, parameter)| self.letters.check(of, parameter, output.dtype()))
    }

    /// The inputs, broadcast to `shape` if there is one, numbers checked.
    pub(super) fn slots<'a>(
        &self,
        of: &Definition,
        inputs: &[Input<'a>],
        shape: Option<&[usize]>,
    ) -> Result<Vec<Slot<'a>>> {
        let slot = |(input, parameter): (&Input<'a>, &Parameter)| {
            let view: &View<'a> = match input {
                Input::Array(view) => view,
                Input::Number(number) => {
                    let dtype = self.letters.expect(of, parameter.kind)?;
                    let what = of.argument(parameter);
                    let wrong =
                        |why| Error::Argument { verb: of.verb(), why: format!("{what}: {why}") };
                    number.check(dtype).map_err(wrong)?;
                    return Ok(Slot::Number(*number, dtype));
                }
            };
            self.letters.check(of, parameter, view.dtype())?;
            let Some(shape) = shape else { return Ok(view.clone().into()) };
            let broadcast = view.clone().broadcast(shape).map_err(|_| Error::Shape {
                verb: of.verb(),
                argument: of.argument(parameter),
                expected: shape.to_vec(),
                found: view.shape().to_vec(),
            });
            Ok(broadcast?.into())
        };
        inputs.iter().zip(&of.inputs).map(slot).collect()
    }

    /// New arrays for the outputs.
    #[track_caller]
    pub(super) fn allocate(
        &self,
        on: &dyn Executor,
        of: &Definition,
        shape: &[usize],
    ) -> Result<Vec<Array>> {
        if let Some(output) = of.outputs.iter().find(|output| output.is_read) {
            let why = format!("{} is inout: there is no old value to read", of.argument(output));
            return check::argument(of.verb(), why);
        }
        let dtypes = of.outputs.iter().map(|output| self.letters.expect(of, output.kind));
        let dtypes = dtypes.collect::<Result<Vec<_>>>()?;
        let mut arrays = Vec::with_capacity(dtypes.len());
        for dtype in dtypes {
            arrays.push(on.empty(shape, dtype)?);
        }
        Ok(arrays)
    }
}

fn count(of: &Definition, what: &str, expected: usize, found: usize) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    check::argument(of.verb(), format!("'{}' has {expected} {what}, {found} are given", of.name))
}

/// The shape that all arrays among the inputs broadcast to.
pub(super) fn common_shape(of: &Definition, inputs: &[Input<'_>]) -> Result<Vec<usize>> {
    let mut common: Vec<usize> = Vec::new();
    for (input, parameter) in inputs.iter().zip(&of.inputs) {
        let Input::Array(view) = input else { continue };
        let shape = view.shape();
        if shape.len() > common.len() {
            common.splice(0..0, vec![1; shape.len() - common.len()]);
        }
        let start = common.len() - shape.len();
        for (mine, &extent) in common[start..].iter_mut().zip(shape) {
            if *mine == 1 {
                *mine = extent;
            }
        }
        // An extent that does not fit is found here or, for the axes of arrays that came before, by whoever broadcasts.
        if view.clone().broadcast(&common).is_err() {
            let (verb, argument) = (of.verb(), of.argument(parameter));
            return Err(Error::Shape { verb, argument, expected: common, found: shape.to_vec() });
        }
    }
    Ok(common)
}
