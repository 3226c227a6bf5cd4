#include <algorithm>
#include <cstring>

#include "core/check.h"
#include "core/json.h"
#include "model/files/partial_file.h"
#include "model/files/safetensors.h"

namespace rex::model {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kChunkValues = size_t{64} * 1024;

constexpr std::string_view format_name(DType dtype) {
  switch (dtype) {
    case DType::kF16: return "F16";
    case DType::kBF16: return "BF16";
    case DType::kF32: break;
  }
  return "F32";
}

size_t file_bytes(const TensorToWrite& item) {
  return static_cast<size_t>(item.tensor.count()) * static_cast<size_t>(bytes_of(item.dtype));
}

std::vector<const TensorToWrite*> file_order(std::span<const TensorToWrite> tensors) {
  std::vector<const TensorToWrite*> order;
  for (const TensorToWrite& item : tensors) order.push_back(&item);
  std::sort(order.begin(), order.end(), [](const TensorToWrite* a, const TensorToWrite* b) {
    const int32_t width_a = bytes_of(a->dtype), width_b = bytes_of(b->dtype);
    return width_a != width_b ? width_a > width_b : a->name < b->name;
  });
  return order;
}

// The length and the JSON text, filled with spaces so that the data are aligned.
std::string make_header(std::span<const TensorToWrite* const> order) {
  Json header = Json::object();
  header["__metadata__"] = {{"format", "pt"}};
  size_t offset = 0;
  for (const TensorToWrite* item : order) {
    REX_CHECK(!header.contains(item->name), "names differ: " + item->name);
    const size_t end = offset + file_bytes(*item);
    header[item->name] = {{"dtype", format_name(item->dtype)},
                          {"shape", item->tensor.shape},
                          {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.append((kAlignment - (sizeof(uint64_t) + text.size()) % kAlignment) % kAlignment, ' ');
  const uint64_t length = text.size();
  std::string start(sizeof length, '\0');
  std::memcpy(start.data(), &length, sizeof length);
  return start + text;
}

// Converts a piece at a time, so that memory does not grow with the tensor.
Result<void> write_tensor(PartialFile& file, const TensorToWrite& item) {
  if (item.tensor.dtype == item.dtype) return file.write(item.tensor.bytes);
  const auto in_width = static_cast<size_t>(bytes_of(item.tensor.dtype));
  const auto out_width = static_cast<size_t>(bytes_of(item.dtype));
  const auto count = static_cast<size_t>(item.tensor.count());
  std::vector<float> values(std::min(count, kChunkValues));
  std::vector<std::byte> encoded(values.size() * out_width);
  for (size_t first = 0; first < count; first += kChunkValues) {
    const size_t size = std::min(kChunkValues, count - first);
    const TensorView piece{item.tensor.dtype,
                           {static_cast<int64_t>(size)},
                           item.tensor.bytes.subspan(first * in_width, size * in_width)};
    copy_as_float(piece, std::span(values).first(size));
    const auto out = std::span(encoded).first(size * out_width);
    encode_floats(std::span(values).first(size), item.dtype, out);
    REX_TRY_VOID(file.write(out));
  }
  return {};
}

}  // namespace

Result<void> write_safetensors(const std::filesystem::path& path,
                               std::span<const TensorToWrite> tensors) {
  const std::vector<const TensorToWrite*> order = file_order(tensors);
  const std::string header = make_header(order);
  PartialFile file(path);
  REX_TRY_VOID(file.create());
  REX_TRY_VOID(file.write(std::as_bytes(std::span(header))));
  for (const TensorToWrite* item : order) REX_TRY_VOID(write_tensor(file, *item));
  return file.commit();
}

}  // namespace rex::model
