// What Rust asks of libtorch, in plain C. `shim.rs` declares the same.
//
// A function that returns a bool says whether it succeeded; one that did not has written a Failure. No exception
// leaves. A tensor is an `at::Tensor *`, as tch holds it.
#pragma once

#include <stddef.h>
#include <stdint.h>

extern "C" {

enum Kind : int32_t {
    KIND_OTHER = 0,
    KIND_OUT_OF_MEMORY = 1, // c10::OutOfMemoryError, std::bad_alloc
    KIND_ACCELERATOR = 2,   // c10::AcceleratorError, with the driver's code
    KIND_UNAVAILABLE = 3,   // a library cannot be loaded
};

struct Failure {
    Kind kind;
    int32_t code;
    char message[1016]; // ends with a zero
};

// A dtype in DLPack's terms; 255 where DLPack has none.
struct Dtype {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
};

// What is known about a tensor. Sizes and strides belong to it; names live as long as the process. What follows
// `lazy` is set for dense tensors on the CPU and on CUDA only.
struct Description {
    bool defined;
    bool strided;    // neither sparse nor nested nor MKL-DNN's own
    bool storage;    // elements lie in memory, rather than being made up when asked for
    bool quantised;
    bool gradients;
    int8_t device_type; // c10::DeviceType: 0 is the CPU, 1 is CUDA
    int8_t device_index;
    const char *layout;
    const char *scalar;
    bool lazy;       // the conjugate or the negative bit is set
    bool alone;      // nobody else holds the tensor or its storage
    Dtype dtype;
    size_t ndim;
    const int64_t *sizes;
    const int64_t *strides;
    uintptr_t data;
};

struct Statistics {
    int64_t live, peak, reserved, refusals;
};

// What a node of torch's graph does with the gradient that arrives there. `name` is read during the call only.
struct Backward {
    const char *name;
    size_t name_bytes;
    void *context;
    // The gradient that goes on, as a new tensor. On any thread, also on several at once; no panic leaves.
    bool (*apply)(const void *context, const void *gradient, void **out, Failure *failure);
    // Runs exactly once, on any thread.
    void (*release)(void *context);
};

// A stream in torch's own terms.
struct TorchStream {
    int64_t id;
    int8_t index;
};

bool arrayspan_torch_describe(const void *tensor, Description *out, Failure *failure);
// The name of a c10::DeviceType, until the next call on this thread.
const char *arrayspan_torch_device_name(int8_t type);
// Gives up the graph of a tensor, in place.
bool arrayspan_torch_detach(void *tensor, Failure *failure);
// A row-major copy on the same device, whose bits are resolved.
bool arrayspan_torch_copy(const void *tensor, void **out, Failure *failure);
// A tensor over memory that is given back by `release(context)`, which runs exactly once, also on failure.
bool arrayspan_torch_wrap(uintptr_t data, const int64_t *sizes, const int64_t *strides, size_t ndim,
                          Dtype dtype, int32_t cuda_index, void *context, void (*release)(void *),
                          void **out, Failure *failure);
// The context of a tensor made by `wrap` with that `release`, or null.
void *arrayspan_torch_context(const void *tensor, void (*release)(void *));

// Whether torch's graph of this thread goes on from the tensor.
bool arrayspan_torch_is_recorded(const void *tensor);
// Makes `to` the result of a function of `from` in torch's graph. Takes the context over, also on failure.
bool arrayspan_torch_record_function(const void *from, const void *to, Backward backward, Failure *failure);

bool arrayspan_torch_load_cuda(Failure *failure);
bool arrayspan_torch_current_stream(int8_t index, uintptr_t *raw, Failure *failure);
bool arrayspan_torch_exchange_stream(int8_t index, uintptr_t raw, TorchStream *before, Failure *failure);
bool arrayspan_torch_restore_stream(TorchStream before, Failure *failure);
// Torch does not reuse a tensor's memory before the work then on the stream is done.
bool arrayspan_torch_record_stream(const void *tensor, int8_t index, uintptr_t raw, Failure *failure);

bool arrayspan_torch_empty_cache(Failure *failure);
// `known` is false before torch has used a device.
bool arrayspan_torch_statistics(int8_t index, bool *known, Statistics *out, Failure *failure);
}
