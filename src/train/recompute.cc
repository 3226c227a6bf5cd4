#include "train/recompute.h"

#include <algorithm>

#include "model/weights.h"

namespace rex::train {
namespace {

// Workspace that the libraries of matrix products keep on a GPU; measured on an H200 at two sizes
// of the model (74 and 88 MB).
constexpr int64_t kLibraryBytes = 80'000'000;

}  // namespace

Result<RecomputePolicy> parse_recompute(const std::string& name) {
  if (name == "off") return RecomputePolicy::kOff;
  if (name == "task") return RecomputePolicy::kTask;
  if (name == "memory") return RecomputePolicy::kMemory;
  return fail(ErrorCode::kOptionRange,
              "\"" + name + "\" is no policy of recomputation; there are off, task and memory",
              "dynamic_checkpoint");
}

StepMemory step_memory(const model::ModelConfig& config, const StepPrecision& precision,
                       const StepShape& shape) {
  const int64_t c = config.hidden, f = config.intermediate, h = config.heads;
  const int64_t n = shape.length, t = shape.rows * n, e = precision.bytes;
  const int64_t mask = precision.dropout ? 1 : 0;
  int64_t parameters = 0;
  for (const model::ExpectedTensor& tensor : model::expected_tensors(config)) {
    int64_t count = 1;
    for (const int64_t extent : tensor.shape) count *= extent;
    parameters += count;
  }
  StepMemory m;
  // Master, two moments and the summed gradient in f32; the step's gradient, and a second copy of
  // the weights when computing in bf16.
  m.constant = parameters * (16 + e + (e < 4 ? e : 0)) + (precision.fused ? kLibraryBytes : 0);
  m.optimizer = parameters * 4;
  m.batch = t * n * (8 + 3) + t * 24;
  // Input, q, k, v, context (twice: by head and by token), two sums before norms, the middle; the
  // feed-forward before and after its activation; masks of two dropouts; statistics of two norms.
  m.layer = t * (9 * c * e + 2 * f * e + 2 * c * mask + 16);
  if (precision.fused) {
    m.layer += t * h * (n * e + 4);  // the bias of the scores, one sum a row
  } else {
    m.layer += t * h * n * (2 * e + mask);  // probabilities before and after dropout
  }
  m.layer_input = t * c * e;
  // Embedding and convolution (three neighbours), then the head in f32: both rotated sides, their
  // factors, and the scores three times for the two sums of the loss.
  m.head = t * c * (4 + 3) * e + t * c * (2 * 4 * 3 + 4 + 4) + t * n * 4 * 3;
  // Backward: of the feed-forward part, the gradients of its middle and of six rows; of attention,
  // the gradients of the scores twice. Without the fused kernel those of the table's products too.
  const int64_t feed_forward = t * (2 * f + 6 * c) * e, attention = t * h * n * 2 * e;
  m.passing = precision.fused ? std::max(feed_forward, attention)
                              : feed_forward + attention + t * h * shape.slots * e;
  return m;
}

uint64_t layers_to_recompute(RecomputePolicy policy, const std::string& task,
                             const model::ModelConfig& config, const StepMemory& memory,
                             int64_t budget) {
  uint64_t mask = 0;
  if (policy == RecomputePolicy::kTask) {
    std::vector<int32_t> layers;
    if (task == "ner") layers = {2, 5, 9};
    if (task == "event_extraction") layers = {4, 6, 10};
    if (task == "sentiment") layers = {3, 7, 11};
    for (const int32_t layer : layers) {
      if (layer < config.layers) mask |= uint64_t{1} << layer;
    }
  }
  if (policy == RecomputePolicy::kMemory) {
    int64_t count = 0;
    while (count < config.layers && memory.peak(config.layers, count) > budget) ++count;
    for (int64_t layer = 0; layer < count; ++layer) mask |= uint64_t{1} << layer;
  }
  return mask;
}

}  // namespace rex::train
