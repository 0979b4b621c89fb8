//! On which devices models and data live.

use std::fmt;

use arrayspan_bridge::devices::Device;

/// Where the models and the data of an operator live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Devices {
    /// Where models live.
    pub domain: Device,
    /// Where data live.
    pub range: Device,
}

impl Devices {
    /// Both on one device.
    #[must_use]
    pub fn both(device: Device) -> Self {
        Self { domain: device, range: device }
    }

    /// The device, if it is one.
    #[must_use]
    pub fn one(self) -> Option<Device> {
        (self.domain == self.range).then_some(self.domain)
    }

    /// Those of the adjoint.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { domain: self.range, range: self.domain }
    }
}

/// `cpu`, or `cpu to cuda:0`.
impl fmt::Display for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.domain.fmt(f)?;
        match self.one() {
            Some(_) => Ok(()),
            None => write!(f, " to {}", self.range),
        }
    }
}

/// A number for each device: one for that of an operator's arguments, which has no name, and one for each other that is
/// named. (Most operators need no list, so none is allocated.)
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PerDevice<T> {
    home: T,
    named: Vec<(Device, T)>,
}

impl<T: Copy + Default> PerDevice<T> {
    /// For one device alone.
    pub(crate) fn of(device: Option<Device>, value: T) -> Self {
        match device {
            None => Self { home: value, named: Vec::new() },
            Some(device) => Self { home: T::default(), named: vec![(device, value)] },
        }
    }

    pub(crate) fn get(&self, device: Option<Device>) -> T {
        let Some(device) = device else { return self.home };
        self.named.iter().find(|(of, _)| *of == device).map_or_else(T::default, |(_, v)| *v)
    }

    /// The one of a device, which may be changed.
    pub(crate) fn entry(&mut self, device: Option<Device>) -> &mut T {
        let Some(device) = device else { return &mut self.home };
        let at = self.named.iter().position(|(of, _)| *of == device).unwrap_or_else(|| {
            self.named.push((device, T::default()));
            self.named.len() - 1
        });
        &mut self.named[at].1
    }

    /// That of the arguments' device, which may have a name.
    pub(crate) fn at_home(&self, home: Option<Device>) -> T {
        if self.named.is_empty() { self.home } else { self.get(home) }
    }

    /// Whether something holds for one of them.
    pub(crate) fn any(&self, holds: impl Fn(T) -> bool) -> bool {
        holds(self.home) || self.named.iter().any(|(_, value)| holds(*value))
    }

    /// All of them, to be changed.
    pub(crate) fn each(&mut self) -> impl Iterator<Item = (Option<Device>, &mut T)> {
        let named = self.named.iter_mut().map(|(device, value)| (Some(*device), value));
        std::iter::once((None, &mut self.home)).chain(named)
    }

    /// Those of devices that have names.
    pub(crate) fn named(&self) -> &[(Device, T)] {
        &self.named
    }

    /// The same devices with other numbers, which are made of theirs.
    pub(crate) fn map<U>(&self, change: impl Fn(Option<Device>, T) -> U) -> PerDevice<U> {
        let named = self.named.iter();
        PerDevice {
            home: change(None, self.home),
            named: named.map(|&(device, value)| (device, change(Some(device), value))).collect(),
        }
    }
}
