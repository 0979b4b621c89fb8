//! What keeps its address, what is copied, and what comes back when a copy is refused.

use super::*;

/// Where the first element of a view is.
fn address(view: &View<'_>) -> usize {
    view.memory().address() + view.layout().offset() * view.dtype().bytes()
}

#[test]
fn owned_values_keep_their_address_from_library_to_library() {
    let x = values();
    let here = x.as_ptr().addr();
    let (x, report) = convert(x, to::array(), ConvertOptions::zero_copy()).unwrap();
    assert!(report.is_zero_copy(), "{report}");
    assert_eq!(address(&x.view()), here);
    let (x, _) = convert(x, to::ndarray::<f32, Ix2>(), ConvertOptions::zero_copy()).unwrap();
    assert_eq!(x.as_ptr().addr(), here);
    let (x, _) = convert(x, to::dlpack::<Legacy>(), ConvertOptions::zero_copy()).unwrap();
    // SAFETY: the capsule lives.
    assert_eq!(unsafe { (*x.as_raw()).dl_tensor.data }.addr(), here);
    let (x, _) = convert(x, to::dlpack::<Versioned>(), ConvertOptions::zero_copy()).unwrap();
    let (x, _) = convert(x, to::array(), ConvertOptions::zero_copy()).unwrap();
    assert_eq!(address(&x.view()), here, "still writable after two hand-overs");
}

#[test]
fn owned_values_keep_their_address_on_every_device() {
    for device in common::accelerators() {
        let x = on(device);
        let here = x.memory().address();
        let (x, _) = convert(x, to::dlpack::<Versioned>(), ConvertOptions::zero_copy()).unwrap();
        let (x, _) = convert(x, to::shared(), ConvertOptions::zero_copy()).unwrap();
        assert_eq!((x.device(), x.memory().address()), (device, here));
        let (x, _) =
            convert(x, to::array().on(device.kind()), ConvertOptions::zero_copy()).unwrap();
        let x = if device.kind() == DeviceKind::Cuda {
            let (x, _) = convert(x, to::cudarc::<f32>(), ConvertOptions::zero_copy()).unwrap();
            convert(x, to::array(), ConvertOptions::zero_copy()).unwrap().0
        } else {
            let (x, _) = convert(x, to::opencl::<f32>(), ConvertOptions::zero_copy()).unwrap();
            convert(x, to::array(), ConvertOptions::zero_copy()).unwrap().0
        };
        assert_eq!((x.device(), x.memory().address()), (device, here));
    }
}

#[test]
fn libraries_get_their_own_memory_back() {
    if let Some(device) = common::first("opencl") {
        let (buffer, _) =
            convert(array(), to::opencl_buffer::<f32>(), ConvertOptions::default()).unwrap();
        let handle = opencl3::memory::ClMem::get(&buffer);
        // SAFETY: nobody else knows the buffer.
        let buffer = unsafe { ShapedBuffer::new(buffer, SHAPE, device) };
        let (x, _) = convert(buffer, to::array(), ConvertOptions::zero_copy()).unwrap();
        let (buffer, report) =
            convert(x, to::opencl_buffer::<f32>(), ConvertOptions::zero_copy()).unwrap();
        assert!(report.is_zero_copy());
        assert_eq!(opencl3::memory::ClMem::get(&buffer), handle);
    }
    if common::first("cuda").is_some() {
        let (slice, _) =
            convert(array(), to::cuda_slice::<f32>(), ConvertOptions::default()).unwrap();
        let (x, _) = convert(slice, to::array(), ConvertOptions::zero_copy()).unwrap();
        let here = x.memory().address();
        let (slice, _) = convert(x, to::cuda_slice::<f32>(), ConvertOptions::zero_copy()).unwrap();
        let (x, _) = convert(slice, to::array(), ConvertOptions::zero_copy()).unwrap();
        assert_eq!(x.memory().address(), here);
    }
}

#[test]
fn what_is_shared_is_read_only_or_copied() {
    let shared = array().into_shared();
    let (x, report) = convert(&shared, to::shared(), ConvertOptions::zero_copy()).unwrap();
    assert!(report.is_zero_copy() && Arc::ptr_eq(x.memory(), shared.memory()));
    let (_, report) = convert(&shared, to::array(), ConvertOptions::default()).unwrap();
    assert_eq!(report.steps.get(ConvertStep::Export), Some(copied(Why::Shared)));
    let (_, report) =
        convert(&shared, to::dlpack::<Versioned>(), ConvertOptions::zero_copy()).unwrap();
    assert!(report.is_zero_copy());
    let (_, report) = convert(&shared, to::dlpack::<Legacy>(), ConvertOptions::default()).unwrap();
    assert_eq!(report.steps.get(ConvertStep::Export), Some(copied(Why::ReadOnly)));
    let read_only = values().into_shared();
    let (_, report) = convert(read_only, to::array(), ConvertOptions::default()).unwrap();
    assert_eq!(report.steps.get(ConvertStep::Export), Some(copied(Why::ReadOnly)));
}

#[test]
fn what_is_borrowed_is_copied_once_on_its_way() {
    let lent = values();
    let (_, report) = convert(&lent, to::array(), ConvertOptions::default()).unwrap();
    assert_eq!(report.steps.get(ConvertStep::Import), Some(copied(Why::Borrowed)));
    assert_eq!(report.bytes_copied(), 60);
    for device in common::accelerators() {
        let options = ConvertOptions::gpu(device.gpu_id());
        let (x, report) = convert(&lent, to::array().on(device.kind()), options).unwrap();
        assert_eq!(report.steps.get(ConvertStep::Transfer), Some(copied(Why::OtherDevice)));
        assert_eq!((x.device(), report.bytes_copied()), (device, 60));
        let (_, report) =
            convert(&x, to::ndarray::<f32, Ix2>(), ConvertOptions::default()).unwrap();
        assert_eq!((report.from_device, report.to_device), (device, Device::cpu()));
        assert_eq!(report.bytes_copied(), 60, "{report}");
    }
}

#[test]
fn zero_copy_only_refuses_every_copy_and_the_value_comes_back_unharmed() {
    fn refused<S: ArraySource, T: ArrayTarget>(x: S, target: T, why: Why) -> S {
        let (error, back) =
            try_convert(x, target, ConvertOptions::zero_copy()).map(|_| ()).unwrap_err();
        match error {
            Error::CopyRefused { why: found, bytes: 60, .. } => assert_eq!(found, why),
            other => panic!("{other}"),
        }
        back.unwrap()
    }
    let x = values();
    let here = x.as_ptr().addr();
    let mut x = x;
    for device in common::accelerators() {
        x = refused(x, to::array().on(device.kind()), Why::OtherDevice);
        x = refused(x, to::dlpack::<Versioned>().on(device.kind()), Why::OtherDevice);
        let there = refused(on(device), to::ndarray::<f32, Ix2>(), Why::OtherDevice);
        assert_eq!(there.device(), device);
        assert_eq!(read(there), read(&x));
    }
    assert_eq!((x.as_ptr().addr(), &x), (here, &values()));

    let ours = array().into_device(Device::cpu()).unwrap().0.view().to_array().unwrap();
    let ours = refused(ours, to::ndarray::<f32, Ix2>(), Why::Allocator);
    let capsule = refused(
        ours.into_dlpack::<Versioned>(None).unwrap(),
        to::ndarray::<f32, Ix2>(),
        Why::Allocator,
    );
    let shared = refused(
        SharedArray::from_dlpack(capsule, None).unwrap(),
        to::ndarray::<f32, Ix2>(),
        Why::Allocator,
    );
    let kept = shared.clone();
    let shared = refused(shared, to::array(), Why::Shared);
    assert!(Arc::ptr_eq(shared.memory(), kept.memory()));
    assert_eq!(read(shared), read(values()));

    if let Some(device) = common::first("opencl") {
        let lent = convert(on(device), to::opencl::<f32>(), ConvertOptions::default()).unwrap().0;
        let lent = refused(lent, to::opencl_buffer::<f32>(), Why::Allocator);
        assert_eq!(read(lent), read(values()));
        // SAFETY: nobody else knows the buffer.
        let buffer = unsafe {
            let made = convert(on(device), to::opencl_buffer::<f32>(), ConvertOptions::default());
            ShapedBuffer::new(made.unwrap().0, SHAPE, device)
        };
        let buffer = refused(buffer, to::ndarray::<f32, Ix2>(), Why::OtherDevice);
        assert_eq!(read(buffer), read(values()));
    }
    if let Some(device) = common::first("cuda") {
        let lent = convert(on(device), to::cudarc::<f32>(), ConvertOptions::default()).unwrap().0;
        let lent = refused(lent, to::cuda_slice::<f32>(), Why::Allocator);
        assert_eq!(read(lent), read(values()));
        let slice =
            convert(on(device), to::cuda_slice::<f32>(), ConvertOptions::default()).unwrap().0;
        let slice = refused(slice, to::ndarray::<f32, Ix1>(), Why::OtherDevice);
        assert_eq!(read(slice), read(values()));
    }
}

#[test]
fn a_refused_capsule_deletes_its_struct_once() {
    let producer = Producer::default();
    let deleted = producer.counter();
    let (_, back) =
        try_convert(producer.versioned(), to::ndarray::<f32, Ix2>(), ConvertOptions::zero_copy())
            .unwrap_err();
    let count = || deleted.load(std::sync::atomic::Ordering::SeqCst);
    assert_eq!(count(), 0);
    let (x, _) = convert(back.unwrap(), to::array(), ConvertOptions::zero_copy()).unwrap();
    assert_eq!(x.view().as_slice::<f32>().unwrap(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    drop(x);
    assert_eq!(count(), 1);
}

#[test]
fn a_value_given_back_holds_its_memory_and_nothing_else_does() {
    for device in common::accelerators() {
        let kind = device.kind();
        let (x, _) = convert(values(), to::shared().on(kind), ConvertOptions::default()).unwrap();
        let memory = Arc::downgrade(x.memory());
        let refused =
            try_convert(x, to::ndarray::<f64, Ix2>(), ConvertOptions::default()).unwrap_err();
        assert!(memory.upgrade().is_some(), "given back");
        drop(refused);
        assert!(memory.upgrade().is_none(), "{device}");
    }
}
