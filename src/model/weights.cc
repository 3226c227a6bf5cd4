#include "model/weights.h"

#include <algorithm>
#include <map>

#include "model/checkpoint.h"
#include "model/files/bytes.h"

namespace rex::model {
namespace {

constexpr size_t kMaxListed = 10;

// One sort of misfit: the first few in words, then how many more.
class Misfits {
 public:
  explicit Misfits(std::string_view what) : what_(what) {}

  void add(const std::string& one) {
    if (++count_ <= kMaxListed) listed_ += (count_ > 1 ? ", " : "") + one;
  }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::string text() const {
    std::string text = std::to_string(count_) + " " + what_ + ": " + listed_;
    if (count_ > kMaxListed) text += " and " + std::to_string(count_ - kMaxListed) + " more";
    return text;
  }

 private:
  std::string what_;
  std::string listed_;
  size_t count_ = 0;
};

// Moves each tensor of the file to its place in `weights`.
Result<void> place_tensors(TensorList& list, Weights& weights) {
  Misfits missing("missing"), misshaped("of another shape"), extra("unknown");
  std::map<std::string_view, TensorView*> unplaced;
  for (NamedTensor& item : list.tensors) unplaced.emplace(item.name, &item.tensor);
  visit_tensors(weights,
                [&](const std::string& name, const std::vector<int64_t>& shape, TensorView& view) {
                  const auto found = unplaced.find(name);
                  if (found == unplaced.end()) return missing.add(name);
                  if (found->second->shape != shape) {
                    misshaped.add(name + " is " + shape_text(found->second->shape) +
                                  " instead of " + shape_text(shape));
                  }
                  view = std::move(*found->second);
                  unplaced.erase(found);
                });
  for (const auto& [name, tensor] : unplaced) extra.add(printable(name));
  std::string message;
  for (const Misfits* misfits : {&missing, &misshaped, &extra}) {
    if (misfits->empty()) continue;
    message += (message.empty() ? "" : "; ") + misfits->text();
  }
  if (message.empty()) return {};
  return fail(ErrorCode::kCheckpointMismatch,
              "the tensors do not fit config.json: " + std::move(message));
}

}  // namespace

Result<std::shared_ptr<const Weights>> load_weights(const std::filesystem::path& model_dir) {
  auto weights = std::make_shared<Weights>();
  REX_TRY(config, load_config(model_dir));
  weights->config = config;
  REX_TRY(checkpoint, open_checkpoint(model_dir));
  if (auto placed = place_tensors(checkpoint.list, *weights); !placed) {
    return fail(std::move(placed).error().in(checkpoint.path.string()));
  }
  weights->ignored = std::move(checkpoint.list.ignored);
  weights->owner = std::move(checkpoint.owner);
  return weights;
}

}  // namespace rex::model
