//! Operators of which nothing is known but their two directions.

use std::fmt;

use arrayspan_bridge::devices::Device;
use arrayspan_operators::Devices;
use arrayspan_operators::author::*;

/// What a direction does; told whether it is the adjoint.
pub(crate) type Enqueue =
    Box<dyn Fn(bool, Context<'_>, View<'_>, ViewMut<'_>, Update<'_>) -> Result<()> + Send + Sync>;

/// An operator as its author writes it, of one function for both directions; what it says of itself is what its fields hold.
pub(crate) struct Opaque {
    pub(crate) name: &'static str,
    pub(crate) domain: Space,
    pub(crate) range: Space,
    pub(crate) enqueue: Enqueue,
    pub(crate) workspace: usize,
    /// What it says it is; nothing without it.
    pub(crate) said: Option<Properties>,
    pub(crate) devices: Option<Devices>,
    pub(crate) elsewhere: Vec<(Device, usize)>,
}

impl Opaque {
    /// One that `enqueue` applies, told whether it is the adjoint.
    pub(crate) fn new(
        name: &'static str,
        [domain, range]: [&Space; 2],
        enqueue: impl Fn(bool, Context<'_>, View<'_>, ViewMut<'_>, Update<'_>) -> Result<()>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        let (domain, range, enqueue) = (domain.clone(), range.clone(), Box::new(enqueue));
        let (workspace, said, devices, elsewhere) = (0, None, None, Vec::new());
        Self { name, domain, range, enqueue, workspace, said, devices, elsewhere }
    }

    /// One that copies in both directions.
    pub(crate) fn copying(name: &'static str, spaces: [&Space; 2]) -> Self {
        Self::new(name, spaces, |_, on, x, y, update| Ok(on.copy(x, y, update)?))
    }

    /// The same, saying more of itself than can be known.
    pub(crate) fn saying(self, more: impl Fn(Properties) -> Properties) -> Self {
        Self { said: Some(more(self.properties())), ..self }
    }
}

impl fmt::Debug for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl LinearMap for Opaque {
    fn name(&self) -> &'static str {
        self.name
    }

    fn domain(&self) -> &Space {
        &self.domain
    }

    fn range(&self) -> &Space {
        &self.range
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        (self.enqueue)(false, on, x, y, update)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        (self.enqueue)(true, on, y, x, update)
    }

    fn workspace(&self) -> usize {
        self.workspace
    }

    fn properties(&self) -> Properties {
        self.said.unwrap_or(Properties::of(self))
    }

    fn devices(&self) -> Option<Devices> {
        self.devices
    }

    fn elsewhere(&self) -> Vec<(Device, usize)> {
        self.elsewhere.clone()
    }
}

/// The same operator, of which nothing is known.
pub(crate) fn hidden(operator: Operator) -> Operator {
    Operator::new(opaque(operator))
}

/// The same operator, of which nothing is known but that it holds arrays on a device.
pub(crate) fn bound(operator: Operator, device: Device) -> Operator {
    Operator::new(Opaque { devices: Some(Devices::both(device)), ..opaque(operator) })
}

/// An operator without its form: where it is, what memory it takes, and whether it is linear.
fn opaque(operator: Operator) -> Opaque {
    let spaces = [operator.domain().clone(), operator.range().clone()];
    let complex_linear = operator.properties().complex_linear;
    let (workspace, devices) = (LinearMap::workspace(&operator), operator.devices());
    let elsewhere = operator.elsewhere();
    let enqueue =
        move |adjoint, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update<'_>| {
            if adjoint {
                operator.enqueue_adjoint(on, x, y, update)
            } else {
                operator.enqueue(on, x, y, update)
            }
        };
    let opaque = Opaque::new("Opaque", [&spaces[0], &spaces[1]], enqueue);
    let opaque = opaque.saying(|mut said| {
        said.complex_linear = complex_linear;
        said
    });
    Opaque { workspace, devices, elsewhere, ..opaque }
}
