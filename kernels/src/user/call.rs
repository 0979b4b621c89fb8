//! The checks that the calls of user kernels share.

use std::sync::Arc;

use arrayspan_bridge::{Array, View, ViewMut};

use super::declaration::Parameter;
use super::definition::Definition;
use super::input::Input;
use super::letters::Letters;
use crate::verb::{Call, LaunchCall, Slot, Work, check};
use crate::{Error, Executor, Result};

/// A call whose arguments fit a kernel in number and dtype.
pub(super) struct Bound<'c, 'a> {
    on: &'c dyn Executor,
    pub(super) of: &'c Arc<Definition>,
    pub(super) inputs: &'c [Input<'a>],
    letters: Letters,
}

impl<'c, 'a> Bound<'c, 'a> {
    /// Binds letters to the dtypes of the inputs. Fails where nothing compiles kernels.
    pub(super) fn new(
        on: &'c dyn Executor,
        of: &'c Arc<Definition>,
        inputs: &'c [Input<'a>],
    ) -> Result<Self> {
        let device = on.device();
        if device.kind().dialect().is_none() {
            return Err(super::no_compiler(device, &of.name));
        }
        count(of, "inputs", of.inputs.len(), inputs.len())?;
        let mut letters = Letters::default();
        for (input, parameter) in inputs.iter().zip(&of.inputs) {
            if let Input::Array(view) = input {
                letters.bind(of, parameter, view.dtype())?;
            }
        }
        Ok(Self { on, of, inputs, letters })
    }

    /// And to those of the outputs.
    pub(super) fn outputs(&mut self, outputs: &[ViewMut<'_>]) -> Result<()> {
        let of = self.of;
        count(of, "outputs", of.outputs.len(), outputs.len())?;
        let pairs = || outputs.iter().zip(&of.outputs);
        for (output, parameter) in pairs() {
            self.letters.bind(of, parameter, output.dtype())?;
        }
        pairs()
            .try_for_each(|(output, parameter)| self.letters.check(of, parameter, output.dtype()))
    }

    /// Fails unless all outputs have this shape.
    pub(super) fn expect_shape(&self, shape: &[usize], outputs: &[ViewMut<'_>]) -> Result<()> {
        let of = self.of;
        outputs.iter().zip(&of.outputs).try_for_each(|(output, declared)| {
            check::shape(of.verb(), of.argument(declared), shape, output.shape())
        })
    }

    /// Enqueues the kernel.
    pub(super) fn run(self, outputs: &mut [ViewMut<'_>], work: Work) -> Result<()> {
        let slots = self.slots(match &work {
            Work::Elements => outputs.first().map(ViewMut::shape),
            Work::Axes(shape, _) => Some(shape),
            Work::Geometry(_) => None,
        })?;
        let outputs = outputs.iter_mut().map(ViewMut::reborrow).collect();
        let call = LaunchCall::new(self.of, self.letters, slots, outputs, work);
        self.on.run(Call::Launch(call))
    }

    /// The inputs, broadcast to `shape` if there is one, numbers checked.
    fn slots(&self, shape: Option<&[usize]>) -> Result<Vec<Slot<'a>>> {
        let of = self.of;
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
        self.inputs.iter().zip(&of.inputs).map(slot).collect()
    }

    /// New arrays for the outputs.
    #[track_caller]
    pub(super) fn allocate(&self, shape: &[usize]) -> Result<Vec<Array>> {
        let of = self.of;
        if let Some(output) = of.outputs.iter().find(|output| output.is_read) {
            let why = format!("{} is inout: there is no old value to read", of.argument(output));
            return check::argument(of.verb(), why);
        }
        let dtypes = of.outputs.iter().map(|output| self.letters.expect(of, output.kind));
        let dtypes = dtypes.collect::<Result<Vec<_>>>()?;
        let mut arrays = Vec::with_capacity(dtypes.len());
        for dtype in dtypes {
            arrays.push(self.on.empty(shape, dtype)?);
        }
        Ok(arrays)
    }

    /// The shape that all arrays among the inputs broadcast to.
    pub(super) fn common_shape(&self) -> Result<Vec<usize>> {
        let of = self.of;
        let mut common: Vec<usize> = Vec::new();
        for (input, parameter) in self.inputs.iter().zip(&of.inputs) {
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
                return Err(Error::Shape {
                    verb,
                    argument,
                    expected: common,
                    found: shape.to_vec(),
                });
            }
        }
        Ok(common)
    }
}

fn count(of: &Definition, what: &str, expected: usize, found: usize) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    check::argument(of.verb(), format!("'{}' has {expected} {what}, {found} are given", of.name))
}
