// How failures of C++ leave it.
#pragma once

#include "shim.h"

#include <cstring>
#include <exception>
#include <new>

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

inline const at::Tensor &tensor_of(const void *tensor) { return *static_cast<const at::Tensor *>(tensor); }

inline void report(Failure *failure, Kind kind, int32_t code, const char *message) noexcept {
    failure->kind = kind;
    failure->code = code;
    std::strncpy(failure->message, message, sizeof failure->message - 1);
    failure->message[sizeof failure->message - 1] = '\0';
}

// Runs `work`; an exception becomes a Failure.
template <class Work> bool guarded(Failure *failure, Work work) noexcept {
    try {
        work();
        return true;
    } catch (const c10::OutOfMemoryError &error) {
        report(failure, KIND_OUT_OF_MEMORY, 0, error.what_without_backtrace());
    } catch (const c10::AcceleratorError &error) {
        report(failure, KIND_ACCELERATOR, error.get_error_code(), error.what_without_backtrace());
    } catch (const c10::Error &error) {
        report(failure, KIND_OTHER, 0, error.what_without_backtrace());
    } catch (const std::bad_alloc &error) {
        report(failure, KIND_OUT_OF_MEMORY, 0, error.what());
    } catch (const std::exception &error) {
        report(failure, KIND_OTHER, 0, error.what());
    } catch (...) {
        report(failure, KIND_OTHER, 0, "an exception of an unknown type");
    }
    return false;
}
