#include "model/checkpoint.h"

#include <set>
#include <vector>

#include "core/mapped_file.h"
#include "model/checked_json.h"
#include "model/files/bytes.h"
#include "model/files/safetensors.h"
#include "model/files/torch_checkpoint.h"
#include "model/places.h"

namespace rex::model {
namespace {

namespace fs = std::filesystem;

using Parser = Result<TensorList> (*)(std::span<const std::byte>);

Result<Checkpoint> open_single(const fs::path& path, Parser parse) {
  REX_TRY(mapped, MappedFile::open(path));
  auto file = std::make_shared<const MappedFile>(std::move(mapped));
  Result<TensorList> list = parse(file->bytes());
  if (!list) return fail(at_file(std::move(list).error(), path));
  return Checkpoint{*std::move(list), std::move(file), path};
}

// Holds when a shard has exactly the tensors that the index places there.
Result<void> check_shard(const TensorList& list, const std::vector<std::string>& indexed) {
  std::set<std::string_view> missing(indexed.begin(), indexed.end());
  std::string extra;
  const auto take = [&](const std::string& name) {
    if (missing.erase(name) == 0) extra = name;
  };
  for (const NamedTensor& item : list.tensors) take(item.name);
  for (const std::string& name : list.ignored) take(name);
  if (!missing.empty()) {
    return fail(ErrorCode::kCheckpointInvalid, "the index places tensor " +
                                                   printable(*missing.begin()) +
                                                   " in this file, which does not hold it");
  }
  if (!extra.empty()) {
    return fail(ErrorCode::kCheckpointInvalid,
                "holds tensor " + printable(extra) + ", which the index does not place here");
  }
  return {};
}

Result<Checkpoint> open_shards(const fs::path& index_path) {
  REX_TRY(text, read_text_file(index_path, kMaxJsonBytes));
  Result<ShardIndex> index = parse_shard_index(text);
  if (!index) return fail(at_file(std::move(index).error(), index_path));
  Checkpoint all{.list = {}, .owner = {}, .path = index_path};
  auto owners = std::make_shared<std::vector<std::shared_ptr<const void>>>();
  for (const auto& [file, names] : *index) {
    const fs::path path = index_path.parent_path() / file;
    REX_TRY(shard, open_single(path, parse_safetensors));
    if (auto fits = check_shard(shard.list, names); !fits) {
      return fail(at_file(std::move(fits).error(), path));
    }
    owners->push_back(std::move(shard.owner));
    for (NamedTensor& item : shard.list.tensors) all.list.tensors.push_back(std::move(item));
    for (std::string& name : shard.list.ignored) all.list.ignored.push_back(std::move(name));
  }
  all.owner = std::move(owners);
  return all;
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

}  // namespace

Result<Checkpoint> open_checkpoint(const fs::path& model_dir) {
  const fs::path single = model_dir / "model.safetensors";
  const fs::path index = model_dir / "model.safetensors.index.json";
  const fs::path torch = model_dir / "pytorch_model.bin";
  if (is_there(single)) return open_single(single, parse_safetensors);
  if (is_there(index)) return open_shards(index);
  if (is_there(torch)) return open_single(torch, parse_torch_checkpoint);
  return fail(ErrorCode::kFileNotFound,
              "no model.safetensors, model.safetensors.index.json or pytorch_model.bin",
              model_dir.string());
}

}  // namespace rex::model
