// Functions of ours in torch's graph: see shim.h.

#include "guard.h"
#include "shim.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/variable.h>

namespace {

namespace autograd = torch::autograd;

using Context = std::unique_ptr<void, void (*)(void *)>;

// A function that keeps nothing of its arguments: the gradient alone says what goes on. Whether what it does with the
// gradient is recorded too, for derivatives of higher order, is decided where any function's is: by the mode of the
// thread, which torch sets before it calls.
class Function final : public autograd::Node {
  public:
    Function(const Backward &backward, Context context)
        : name_(backward.name, backward.name_bytes), context_(std::move(context)), apply_(backward.apply) {}

    autograd::variable_list apply(autograd::variable_list &&gradients) override {
        // Nothing arrives where nothing depended on the result.
        if (gradients.empty() || !gradients[0].defined() || !task_should_compute_output(0)) {
            return {at::Tensor()};
        }
        void *out = nullptr;
        Failure failure;
        if (!apply_(context_.get(), &gradients[0], &out, &failure)) {
            // Torch hands it to whoever runs the way back. Of a type without a backtrace: the message is ours.
            throw std::runtime_error(failure.message);
        }
        const std::unique_ptr<at::Tensor> gradient(static_cast<at::Tensor *>(out));
        return {std::move(*gradient)};
    }

    std::string name() const override { return name_; }

  private:
    std::string name_;
    Context context_;
    decltype(Backward::apply) apply_;
};

} // namespace

bool arrayspan_torch_is_recorded(const void *raw) {
    return c10::GradMode::is_enabled() && tensor_of(raw).requires_grad();
}

bool arrayspan_torch_record_function(const void *from, const void *to, Backward backward, Failure *failure) {
    Context context(backward.context, backward.release);
    return guarded(failure, [&] {
        // Graphs may be long, so nodes are not deleted by recursion.
        const std::shared_ptr<Function> function(new Function(backward, std::move(context)), autograd::deleteNode);
        function->set_next_edges(autograd::collect_next_edges(tensor_of(from)));
        autograd::set_history(tensor_of(to), function);
    });
}
