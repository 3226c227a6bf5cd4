#include "model/files/safetensors.h"

#include "model/checked_json.h"
#include "model/files/bytes.h"
#include "model/files/foreign_file.h"

namespace rex::model {
namespace {

constexpr size_t kLengthBytes = 8;

Failure invalid(std::string message) {
  return fail(ErrorCode::kCheckpointInvalid, std::move(message));
}

std::optional<DType> dtype_of(std::string_view name) {
  if (name == "F32") return DType::kF32;
  if (name == "F16") return DType::kF16;
  if (name == "BF16") return DType::kBF16;
  return std::nullopt;
}

// The JSON header's text, once its claimed length fits the file.
Result<std::string_view> header_text(std::span<const std::byte> file) {
  if (file.size() < kLengthBytes) {
    const std::string_view foreign = describe_foreign_file(file);
    return invalid(foreign.empty() ? "the file is too short for safetensors"
                                   : std::string(foreign));
  }
  const auto length = load_number<uint64_t>(file, 0);
  if (length > file.size() - kLengthBytes) {
    const std::string_view foreign = describe_foreign_file(file);
    if (!foreign.empty()) return invalid(std::string(foreign));
    return invalid("the header claims " + std::to_string(length) + " bytes, the file has " +
                   std::to_string(file.size()) + ": it is truncated or no safetensors file");
  }
  if (length > kMaxJsonBytes) {
    return invalid("the header has " + std::to_string(length) + " bytes, at most " +
                   std::to_string(kMaxJsonBytes) + " are accepted");
  }
  return as_text(file.subspan(kLengthBytes, length));
}

Result<std::vector<int64_t>> read_sizes(const Json& entry, const char* key, size_t max_count) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_array()) {
    return invalid(std::string(key) + " is not a list of numbers");
  }
  if (found->size() > max_count) {
    return invalid(std::string(key) + " has " + std::to_string(found->size()) +
                   " numbers, at most " + std::to_string(max_count) + " are accepted");
  }
  std::vector<int64_t> sizes;
  for (const Json& item : *found) {
    const bool fits =
        item.is_number_unsigned() && item.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX);
    if (!fits)
      return invalid(std::string(key) + " holds " + printable(item.dump()) + ", not a size");
    sizes.push_back(item.get<int64_t>());
  }
  return sizes;
}

// The bytes between data_offsets, once they lie inside the file.
Result<std::span<const std::byte>> tensor_range(const Json& entry,
                                                std::span<const std::byte> data) {
  REX_TRY(offsets, read_sizes(entry, "data_offsets", 2));
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    return invalid("data_offsets are not a range");
  }
  const auto begin = static_cast<uint64_t>(offsets[0]);
  const auto end = static_cast<uint64_t>(offsets[1]);
  if (end > data.size()) {
    return invalid("its bytes end at " + std::to_string(end) + ", the file holds " +
                   std::to_string(data.size()) + " bytes of data: it is truncated or damaged");
  }
  return data.subspan(begin, end - begin);
}

Result<TensorView> read_tensor(const Json& entry, std::span<const std::byte> data) {
  if (!entry.is_object() || entry.size() != 3) {
    return invalid("expected an object with dtype, shape and data_offsets");
  }
  const auto dtype_json = entry.find("dtype");
  if (dtype_json == entry.end() || !dtype_json->is_string())
    return invalid("dtype is not a string");
  const auto dtype_name = dtype_json->get<std::string>();
  const std::optional<DType> dtype = dtype_of(dtype_name);
  if (!dtype) {
    return fail(ErrorCode::kCheckpointMismatch,
                "dtype is " + printable(dtype_name) + "; accepted: F32, F16, BF16");
  }
  REX_TRY(shape, read_sizes(entry, "shape", kMaxRank));
  REX_TRY(bytes, tensor_range(entry, data));
  if (tensor_bytes(shape, bytes_of(*dtype)) != bytes.size()) {
    return invalid("shape " + shape_text(shape) + " of " + dtype_name + " does not fill its " +
                   std::to_string(bytes.size()) + " bytes");
  }
  return TensorView{*dtype, std::move(shape), bytes};
}

bool is_plain_file_name(std::string_view name) {
  return name.ends_with(".safetensors") && name.size() <= 255 &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

}  // namespace

Result<TensorList> parse_safetensors(std::span<const std::byte> file) {
  REX_TRY(text, header_text(file));
  REX_TRY(header, parse_object(text, ErrorCode::kCheckpointInvalid));
  const std::span<const std::byte> data = file.subspan(kLengthBytes + text.size());
  TensorList list;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    if (name.size() > kMaxNameBytes) return invalid("a tensor's name is too long");
    if (is_ignored_name(name)) {
      list.ignored.push_back(name);
      continue;
    }
    Result<TensorView> tensor = read_tensor(entry, data);
    if (!tensor) return fail(std::move(tensor).error().in("tensor " + printable(name)));
    list.tensors.push_back({name, *std::move(tensor)});
  }
  return list;
}

Result<ShardIndex> parse_shard_index(std::string_view json_text) {
  if (json_text.size() > kMaxJsonBytes) {
    return invalid("longer than " + std::to_string(kMaxJsonBytes) + " bytes");
  }
  REX_TRY(json, parse_object(json_text, ErrorCode::kCheckpointInvalid));
  const auto map = json.find("weight_map");
  if (map == json.end() || !map->is_object()) return invalid("weight_map is not an object");
  ShardIndex index;
  for (const auto& [name, file] : map->items()) {
    if (!file.is_string() || !is_plain_file_name(file.get_ref<const std::string&>())) {
      return fail(ErrorCode::kCheckpointInvalid,
                  printable(file.dump()) + " is not the plain name of a .safetensors file",
                  "/weight_map/" + printable(pointer_escape(name)));
    }
    index[file.get<std::string>()].push_back(name);
    if (index.size() > kMaxShards) {
      return invalid("more than " + std::to_string(kMaxShards) + " files");
    }
  }
  return index;
}

}  // namespace rex::model
