#include "runtime/estimate.h"

#include <algorithm>

namespace rex::runtime {
namespace {

// Measured on long texts with many labels: resident memory over chars, passes and labels, rounded
// up to the next power of two.
constexpr int64_t kBase = int64_t{64} << 10;
constexpr int64_t kPerChar = 128;   // token with offsets, normalised copies, the answer's copy
constexpr int64_t kPerLabel = 512;  // node, ids, scores
constexpr int64_t kPerPass = 4096;  // pass, packed words, links of a usual text
constexpr int64_t kLabelTokens = 8;
constexpr int64_t kPromptTokens = 250;

int64_t count_labels(const Json& schema, int depth = 0) {
  if (depth > 16) return 1;
  if (!schema.is_structured()) return 1;
  int64_t labels = schema.is_object() ? static_cast<int64_t>(schema.size()) : 0;
  for (const Json& child : schema) {
    if (child.is_structured() || schema.is_array()) labels += count_labels(child, depth + 1);
  }
  return labels;
}

}  // namespace

RequestSize size_of(const tasks::TaskRequest& request) {
  RequestSize size;
  size.chars = static_cast<int64_t>(request.text.size());  // bytes: at least the chars
  for (const Json& field : request.fields) size.chars += static_cast<int64_t>(field.dump().size());
  size.labels =
      request.schema ? count_labels(*request.schema) : static_cast<int64_t>(request.labels.size());
  size.labels = std::max<int64_t>(1, size.labels);
  const int64_t length = request.options.query.max_length;
  const int64_t room = std::max<int64_t>(1, length / 2 - request.options.query.stride);
  size.windows = size.chars / 3 / room + 1;
  const int64_t prompts = size.labels * kLabelTokens / std::min(kPromptTokens, length / 2) + 1;
  size.passes = std::min<int64_t>(request.options.query.max_passes, size.windows * prompts);
  return size;
}

int64_t planned_bytes(const RequestSize& size) {
  return kBase + size.chars * kPerChar + size.labels * kPerLabel + size.passes * kPerPass;
}

int64_t legacy_bytes(const RequestSize& size, int32_t base_mb, int32_t per_label_mb) {
  return (int64_t{base_mb} + size.labels * per_label_mb) << 20;
}

}  // namespace rex::runtime
