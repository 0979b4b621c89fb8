// The part that must be C++: see shim.h. Only headers of libtorch_cpu and libc10 are used, so that it builds and
// links without CUDA; what needs CUDA goes through the interfaces that libtorch_cuda registers when it is loaded.

#include "guard.h"
#include "shim.h"

#include <string>

#include <dlfcn.h>

#include <ATen/ATen.h>
#include <ATen/DLConvertor.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/COW.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace {

constexpr auto CUDA = c10::DeviceType::CUDA;

c10::Device cuda(int8_t index) { return {CUDA, index}; }

uintptr_t handle(const c10::impl::VirtualGuardImpl &guard, c10::Stream stream) {
    return reinterpret_cast<uintptr_t>(guard.getStreamNativeHandle(stream));
}

const char *name_of(c10::Layout layout) {
    switch (layout) {
    case c10::kStrided: return "strided";
    case c10::kSparse: return "sparse";
    case c10::kSparseCsr: return "sparse CSR";
    case c10::kSparseCsc: return "sparse CSC";
    case c10::kSparseBsr: return "sparse BSR";
    case c10::kSparseBsc: return "sparse BSC";
    case c10::kMkldnn: return "MKL-DNN's own";
    case c10::kJagged: return "jagged";
    default: return "unknown";
    }
}

// By the tables of torch's own converter. Its structs are not used: they leave out what makes the elements in memory
// others than those of the tensor, abort the process on shapes they dislike, and on an exception leave open who owns
// the memory.
Dtype dtype_of(const at::Tensor &tensor) {
    try {
        const DLDataType dtype = at::getDLDataType(tensor);
        return {dtype.code, dtype.bits, dtype.lanes};
    } catch (const c10::Error &) {
        return {255, 0, 0};
    }
}

// The stream with a driver's handle. Torch numbers a stream that it did not make by its handle; that it takes this
// number for this stream is checked, so that a torch which numbers them otherwise refuses instead of working elsewhere.
c10::Stream stream_of(const c10::impl::VirtualGuardImpl &guard, int8_t index, uintptr_t raw) {
    const auto known = guard.getDefaultStream(cuda(index));
    if (handle(guard, known) == raw) {
        return known;
    }
    const c10::Stream stream(c10::Stream::UNSAFE, cuda(index), static_cast<c10::StreamId>(raw));
    TORCH_CHECK(handle(guard, stream) == raw, "this libtorch has no stream with the handle ", raw);
    return stream;
}

} // namespace

bool arrayspan_torch_describe(const void *raw, Description *out, Failure *failure) {
    return guarded(failure, [&] {
        const at::Tensor &tensor = tensor_of(raw);
        *out = Description{};
        out->defined = tensor.defined();
        if (!out->defined) {
            return;
        }
        const auto device = tensor.device();
        out->device_type = static_cast<int8_t>(device.type());
        out->device_index = device.index();
        out->layout = tensor.is_nested() ? "nested" : name_of(tensor.layout());
        out->scalar = c10::toString(tensor.scalar_type());
        out->strided = tensor.layout() == c10::kStrided && !tensor.is_nested();
        out->quantised = tensor.is_quantized();
        out->storage = tensor.has_storage() && !tensor._is_zerotensor();
        out->gradients = tensor.requires_grad();
        const bool here = device.is_cpu() || device.is_cuda();
        if (!here || !out->strided || !out->storage || out->quantised) {
            return;
        }
        out->lazy = tensor.is_conj() || tensor.is_neg();
        // A copy-on-write storage is not shared, but its memory is.
        const auto &storage = tensor.storage();
        out->alone = tensor.use_count() == 1 && storage.use_count() == 1 &&
                     !c10::impl::cow::is_cow_data_ptr(storage.data_ptr());
        out->dtype = dtype_of(tensor);
        out->ndim = static_cast<size_t>(tensor.dim());
        out->sizes = tensor.sizes().data();
        out->strides = tensor.strides().data();
        out->data = reinterpret_cast<uintptr_t>(tensor.const_data_ptr());
    });
}

const char *arrayspan_torch_device_name(int8_t type) {
    thread_local std::string name;
    Failure ignored;
    const bool known = guarded(&ignored, [&] {
        name = c10::DeviceTypeName(static_cast<c10::DeviceType>(type), /*lower_case=*/true);
    });
    return known ? name.c_str() : "an unknown device";
}

bool arrayspan_torch_detach(void *raw, Failure *failure) {
    return guarded(failure, [&] {
        auto &tensor = *static_cast<at::Tensor *>(raw);
        // The assignment gives up the graph, and with it what the graph kept of the tensor.
        tensor = tensor.detach();
    });
}

bool arrayspan_torch_copy(const void *raw, void **out, Failure *failure) {
    return guarded(failure, [&] {
        const c10::NoGradGuard without_gradients;
        const at::Tensor &tensor = tensor_of(raw);
        auto copy = at::empty(tensor.sizes(), at::TensorOptions(tensor.scalar_type()).device(tensor.device()));
        // Resolves the bits, which a clone would keep.
        copy.copy_(tensor);
        *out = new at::Tensor(std::move(copy));
    });
}

bool arrayspan_torch_wrap(uintptr_t data, const int64_t *sizes, const int64_t *strides, size_t ndim,
                          Dtype dtype, int32_t cuda_index, void *context, void (*release)(void *),
                          void **out, Failure *failure) {
    const auto device = cuda_index < 0 ? c10::Device(c10::DeviceType::CPU) : cuda(static_cast<int8_t>(cuda_index));
    // Owns the context from the first statement on, whatever throws.
    auto maker = at::for_blob(reinterpret_cast<void *>(data), at::IntArrayRef(sizes, ndim));
    maker.context(context, release);
    return guarded(failure, [&] {
        const auto scalar = at::toScalarType(DLDataType{dtype.code, dtype.bits, dtype.lanes});
        const auto options = at::TensorOptions(scalar).device(device);
        maker.strides(at::IntArrayRef(strides, ndim)).options(options).target_device(device);
        *out = new at::Tensor(maker.make_tensor());
    });
}

void *arrayspan_torch_context(const void *raw, void (*release)(void *)) {
    const at::Tensor &tensor = tensor_of(raw);
    if (!tensor.defined() || !tensor.has_storage()) {
        return nullptr;
    }
    const auto &memory = tensor.storage().data_ptr();
    return memory.get_deleter() == release ? memory.get_context() : nullptr;
}

bool arrayspan_torch_load_cuda(Failure *failure) {
    const auto unavailable = [&](const char *why) {
        report(failure, KIND_UNAVAILABLE, 0, why);
        return false;
    };
    const auto registered = [] { return c10::impl::hasDeviceGuardImpl(CUDA); };
    if (!registered()) {
        // Beside the libtorch_cpu in use, so that the two fit together; else where the loader looks.
        std::string path = "libtorch_cuda.so";
        Dl_info found{};
        const bool beside = dladdr(reinterpret_cast<void *>(&at::toDLPackVersioned), &found) != 0;
        const std::string library = beside && found.dli_fname != nullptr ? found.dli_fname : "";
        const auto slash = library.rfind('/');
        if (slash != std::string::npos && library.find("libtorch_cpu", slash) != std::string::npos) {
            path = library.substr(0, slash + 1) + path;
        }
        // Never closed: what it registers stays.
        if (dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
            const char *why = dlerror();
            return unavailable(why == nullptr ? "libtorch_cuda.so cannot be opened" : why);
        }
    }
    if (!registered()) {
        return unavailable("libtorch_cuda.so has registered no devices");
    }
    bool ready = false;
    const bool asked = guarded(failure, [&] {
        ready = at::hasCUDA();
        if (ready) {
            at::globalContext().lazyInitDevice(CUDA);
        }
    });
    if (asked && !ready) {
        return unavailable("torch sees no device, or was asked for one before libtorch_cuda.so was loaded");
    }
    return asked;
}

bool arrayspan_torch_current_stream(int8_t index, uintptr_t *raw, Failure *failure) {
    return guarded(failure, [&] {
        const c10::impl::VirtualGuardImpl guard(CUDA);
        *raw = handle(guard, guard.getStream(cuda(index)));
    });
}

bool arrayspan_torch_exchange_stream(int8_t index, uintptr_t raw, TorchStream *before, Failure *failure) {
    return guarded(failure, [&] {
        const c10::impl::VirtualGuardImpl guard(CUDA);
        const auto old = guard.exchangeStream(stream_of(guard, index, raw));
        *before = {old.id(), static_cast<int8_t>(old.device_index())};
    });
}

bool arrayspan_torch_restore_stream(TorchStream before, Failure *failure) {
    return guarded(failure, [&] {
        const c10::impl::VirtualGuardImpl guard(CUDA);
        guard.exchangeStream(c10::Stream(c10::Stream::UNSAFE, cuda(before.index), before.id));
    });
}

bool arrayspan_torch_record_stream(const void *tensor, int8_t index, uintptr_t raw, Failure *failure) {
    return guarded(failure, [&] {
        const c10::impl::VirtualGuardImpl guard(CUDA);
        const auto &memory = tensor_of(tensor).storage().data_ptr();
        guard.recordDataPtrOnStream(memory, stream_of(guard, index, raw));
    });
}

bool arrayspan_torch_empty_cache(Failure *failure) {
    return guarded(failure, [&] {
        auto *allocator = c10::getDeviceAllocator(CUDA);
        if (allocator->initialized()) {
            allocator->emptyCache();
        }
    });
}

bool arrayspan_torch_statistics(int8_t index, bool *known, Statistics *out, Failure *failure) {
    return guarded(failure, [&] {
        auto *allocator = c10::getDeviceAllocator(CUDA);
        *known = allocator->initialized();
        if (*known) {
            const auto all = allocator->getDeviceStats(index);
            const auto sum = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);
            *out = {all.allocated_bytes[sum].current, all.allocated_bytes[sum].peak,
                    all.reserved_bytes[sum].current, all.num_ooms};
        }
    });
}
