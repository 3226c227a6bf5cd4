#include "model/files/torch_checkpoint.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/checked.h"
#include "model/files/bytes.h"
#include "model/files/foreign_file.h"
#include "model/files/pickle.h"
#include "model/files/zip.h"

namespace rex::model {
namespace {

using Bytes = std::span<const std::byte>;

// Entries of the archive below its one folder.
class Archive {
 public:
  explicit Archive(const std::vector<ZipEntry>& entries) {
    for (const ZipEntry& entry : entries) entries_.emplace(entry.name, entry.bytes);
    for (const ZipEntry& entry : entries) {
      const size_t slash = entry.name.find('/');
      if (slash != std::string_view::npos && entry.name.substr(slash + 1) == "data.pkl") {
        folder_ = entry.name.substr(0, slash + 1);
        return;
      }
    }
  }

  [[nodiscard]] std::optional<Bytes> find(std::string_view name) const {
    const auto found = entries_.find(std::string(folder_) + std::string(name));
    if (found == entries_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::map<std::string_view, Bytes, std::less<>> entries_;
  std::string_view folder_;
};

Failure invalid(const PickledTensor& tensor, std::string message) {
  return fail(ErrorCode::kCheckpointInvalid, std::move(message),
              "tensor " + printable(tensor.name));
}

// Row-major without gaps. The stride of a dimension of one means nothing.
bool is_dense(const PickledTensor& tensor) {
  std::optional<uint64_t> expected = 1;
  for (size_t i = tensor.shape.size(); i-- > 0;) {
    const auto size = static_cast<uint64_t>(tensor.shape[i]);
    if (size != 1 && (!expected || static_cast<uint64_t>(tensor.strides[i]) != *expected)) {
      return false;
    }
    expected = expected ? checked_mul(*expected, size) : std::nullopt;
  }
  return true;
}

Result<Bytes> find_storage(const Archive& archive, const PickledTensor& tensor) {
  std::optional<Bytes> storage;
  if (tensor.storage_key.size() <= kMaxNameBytes) {
    storage = archive.find("data/" + std::string(tensor.storage_key));
  }
  if (!storage) {
    return invalid(tensor, "the archive has no entry data/" + printable(tensor.storage_key));
  }
  const int64_t shape[] = {tensor.storage_items};
  if (tensor_bytes(shape, tensor.storage_class.item_bytes) != storage->size()) {
    return invalid(tensor, "its storage should hold " + std::to_string(tensor.storage_items) +
                               " values of " + std::string(tensor.storage_class.type_name) +
                               ", the archive has " + std::to_string(storage->size()) + " bytes");
  }
  return *storage;
}

Result<TensorView> view_of(const Archive& archive, const PickledTensor& tensor) {
  if (!tensor.storage_class.dtype) {
    return fail(ErrorCode::kCheckpointMismatch,
                "its values are " + std::string(tensor.storage_class.type_name) +
                    "; accepted: f32, f16, bf16",
                "tensor " + printable(tensor.name));
  }
  REX_TRY(storage, find_storage(archive, tensor));
  const int32_t width = tensor.storage_class.item_bytes;
  const std::optional<uint64_t> bytes = tensor_bytes(tensor.shape, width);
  const std::optional<uint64_t> start =
      tensor.offset < 0
          ? std::nullopt
          : checked_mul(static_cast<uint64_t>(tensor.offset), static_cast<uint64_t>(width));
  if (!bytes || !start || *start > storage.size() || *bytes > storage.size() - *start) {
    return invalid(tensor, "shape " + shape_text(tensor.shape) + " from item " +
                               std::to_string(tensor.offset) + " lies outside its storage of " +
                               std::to_string(tensor.storage_items) + " items");
  }
  if (*bytes > 0 && !is_dense(tensor)) {
    return fail(ErrorCode::kCheckpointMismatch,
                "shape " + shape_text(tensor.shape) + " has strides " + shape_text(tensor.strides) +
                    "; only row-major tensors without gaps are read",
                "tensor " + printable(tensor.name));
  }
  return TensorView{*tensor.storage_class.dtype, tensor.shape, storage.subspan(*start, *bytes)};
}

}  // namespace

Result<TensorList> parse_torch_checkpoint(std::span<const std::byte> file) {
  if (!as_text(file).starts_with("PK\x03\x04")) {
    const std::string_view foreign = describe_foreign_file(file);
    return fail(
        ErrorCode::kCheckpointInvalid,
        foreign.empty() ? "this is not a torch checkpoint (no zip archive)" : std::string(foreign));
  }
  REX_TRY(entries, read_zip(file));
  const Archive archive(entries);
  const std::optional<Bytes> pickle = archive.find("data.pkl");
  if (!pickle) {
    return fail(ErrorCode::kCheckpointInvalid,
                "this zip archive is not a torch checkpoint: it has no data.pkl");
  }
  if (const auto order = archive.find("byteorder"); order && as_text(*order) != "little") {
    return fail(ErrorCode::kCheckpointMismatch,
                "byte order is " + printable(as_text(*order)) + "; accepted: little");
  }
  Result<std::vector<PickledTensor>> index = read_state_dict(*pickle);
  if (!index) return fail(std::move(index).error().in("data.pkl "));
  TensorList list;
  for (const PickledTensor& tensor : *index) {
    if (is_ignored_name(tensor.name)) {
      list.ignored.emplace_back(tensor.name);
      continue;
    }
    REX_TRY(view, view_of(archive, tensor));
    list.tensors.push_back({std::string(tensor.name), std::move(view)});
  }
  return list;
}

}  // namespace rex::model
