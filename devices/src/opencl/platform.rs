//! Which devices there are, over all platforms.

use cl3::device::{
    CL_DEVICE_AVAILABLE, CL_DEVICE_COMPILER_AVAILABLE, CL_DEVICE_EXTENSIONS, CL_DEVICE_NAME,
    CL_DEVICE_TYPE, CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_UUID_KHR, get_device_ids,
};
use cl3::error_codes::{CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES, error_text};
use cl3::platform::{CL_PLATFORM_NAME, CL_PLATFORM_VENDOR, CL_PLATFORM_VERSION, get_platform_ids};

use super::query::Id;
use crate::opened::patiently;
use crate::{Error, Result};

/// A device and what decides its place in the list.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) id: Id,
    pub(super) platform: String,
    pub(super) name: String,
    pub(super) uuid: Option<[u8; 16]>,
    pub(super) accelerator: bool,
}

/// All usable devices in the order of their `gpu_id`: accelerators first, processors (`PoCL`, say) last;
/// otherwise as the platforms list them.
pub(super) fn find() -> Result<Vec<Found>> {
    let all: Result<_> = installed()?.into_iter().map(devices).collect();
    all.map(arrange)
}

/// What every platform says of itself, each text once.
pub(super) fn platforms() -> Result<Vec<String>> {
    let mut all: Vec<String> = installed()?.into_iter().map(describe).collect();
    let mut seen = std::collections::HashSet::new();
    all.retain(|platform| seen.insert(platform.clone()));
    Ok(all)
}

fn installed() -> Result<Vec<Id>> {
    let unavailable = |why| Error::Unavailable { what: "OpenCL".into(), why };
    if let Err(error) = cl3::load_library() {
        let set = std::env::var("OPENCL_DYLIB_PATH").map(|path| format!("{path} and then "));
        let tried = set.unwrap_or_default();
        return Err(unavailable(format!("no loader found: {error} (tried {tried}libOpenCL.so.1)")));
    }
    let platforms = patiently(|code| may_pass(*code), get_platform_ids).map_err(|code| {
        let call = "clGetPlatformIDs";
        let name = error_text(code);
        let absent =
            || unavailable(format!("no platform installed: {call} returned {name} ({code})"));
        refused(call, code).unwrap_or_else(absent)
    })?;
    Ok(platforms.into_iter().map(Id).collect())
}

/// Whether a refusal may be temporary.
fn may_pass(code: i32) -> bool {
    matches!(code, CL_OUT_OF_HOST_MEMORY | CL_OUT_OF_RESOURCES)
}

/// The error for a refusal that may pass, so that nobody takes what is missing for absent.
fn refused(call: &'static str, code: i32) -> Option<Error> {
    let (device, name) = ("opencl".into(), error_text(code).into());
    may_pass(code).then_some(Error::Driver { device, call, name, code })
}

fn describe(platform: Id) -> String {
    let facts = [CL_PLATFORM_NAME, CL_PLATFORM_VENDOR, CL_PLATFORM_VERSION];
    facts.map(|fact| platform.platform_text(fact)).join(", ")
}

fn devices(platform: Id) -> Result<Vec<Found>> {
    let described = describe(platform);
    let ask = || get_device_ids(platform.0, CL_DEVICE_TYPE_ALL);
    let ids = match patiently(|code| may_pass(*code), ask) {
        Ok(ids) => ids,
        // A platform without a device says CL_DEVICE_NOT_FOUND.
        Err(code) => refused("clGetDeviceIDs", code).map_or(Ok(Vec::new()), Err)?,
    };
    let usable = |id: &Id| {
        id.number(CL_DEVICE_AVAILABLE) != 0 && id.number(CL_DEVICE_COMPILER_AVAILABLE) != 0
    };
    let found = |id: Id| Found {
        id,
        platform: described.clone(),
        name: id.text(CL_DEVICE_NAME),
        uuid: uuid(id),
        accelerator: id.number(CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU == 0,
    };
    Ok(ids.into_iter().map(Id).filter(usable).map(found).collect())
}

fn uuid(id: Id) -> Option<[u8; 16]> {
    let known = id.text(CL_DEVICE_EXTENSIONS).contains("cl_khr_device_uuid");
    known.then(|| id.bytes(CL_DEVICE_UUID_KHR))?.filter(|uuid| *uuid != [0; 16])
}

/// Drops what is listed twice and puts accelerators first.
///
/// One platform reached through two entries of the loader comes twice with the same description and
/// the same devices. Two platforms that serve one device give it the same UUID; the first one stays.
fn arrange(platforms: Vec<Vec<Found>>) -> Vec<Found> {
    let mut seen: Vec<Vec<Found>> = Vec::new();
    for devices in platforms {
        let alike = |(a, b): (&Found, &Found)| a.platform == b.platform && a.name == b.name;
        let again = |other: &Vec<Found>| {
            other.len() == devices.len() && other.iter().zip(&devices).all(alike)
        };
        if !seen.iter().any(again) {
            seen.push(devices);
        }
    }
    let mut kept: Vec<Found> = Vec::new();
    for device in seen.into_iter().flatten() {
        let same = |other: &Found| {
            other.id == device.id || (device.uuid.is_some() && other.uuid == device.uuid)
        };
        if !kept.iter().any(same) {
            kept.push(device);
        }
    }
    kept.sort_by_key(|device| !device.accelerator);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(id: usize, platform: &str, uuid: u8, accelerator: bool) -> Found {
        let uuid = (uuid != 0).then_some([uuid; 16]);
        let (platform, name) = (platform.into(), "device".into());
        Found { id: Id(id as *mut _), platform, name, uuid, accelerator }
    }

    fn ids(found: &[Found]) -> Vec<usize> {
        found.iter().map(|device| device.id.0 as usize).collect()
    }

    #[test]
    fn accelerators_come_before_processors() {
        let pocl = vec![found(1, "PoCL", 0, false)];
        let gpus = vec![found(2, "NVIDIA", 2, true), found(3, "NVIDIA", 3, true)];
        assert_eq!(ids(&arrange(vec![pocl, gpus])), [2, 3, 1]);
    }

    #[test]
    fn a_platform_loaded_twice_is_listed_once() {
        let first = vec![found(1, "PoCL", 0, false), found(2, "PoCL", 0, true)];
        let second = vec![found(3, "PoCL", 0, false), found(4, "PoCL", 0, true)];
        assert_eq!(ids(&arrange(vec![first, second])), [2, 1]);
    }

    #[test]
    fn one_gpu_behind_two_platforms_is_listed_once() {
        let vendor = vec![found(1, "NVIDIA", 7, true)];
        let other = vec![found(2, "PoCL", 7, true), found(3, "PoCL", 0, false)];
        assert_eq!(ids(&arrange(vec![vendor, other])), [1, 3]);
    }

    #[test]
    fn two_equal_gpus_without_uuid_are_two() {
        let twins = vec![found(1, "AMD", 0, true), found(2, "AMD", 0, true)];
        assert_eq!(ids(&arrange(vec![twins])), [1, 2]);
    }
}
