#include "model/write_model.h"

#include "core/mapped_file.h"
#include "model/files/safetensors.h"

namespace rex::model {
namespace {

namespace fs = std::filesystem;

Result<void> copy_one(const fs::path& from, const fs::path& to) {
  std::error_code error;
  if (!fs::exists(from, error))
    return fail(ErrorCode::kFileNotFound, "no such file", from.string());
  if (fs::equivalent(from, to, error)) return {};
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
  if (error) return fail(ErrorCode::kFileUnwritable, error.message(), to.string());
  return {};
}

Result<void> copy_vocabulary(const fs::path& from, const fs::path& to) {
  REX_TRY_VOID(copy_one(from / "vocab.txt", to / "vocab.txt"));
  for (const char* name :
       {"tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"}) {
    std::error_code error;
    if (fs::exists(from / name, error)) REX_TRY_VOID(copy_one(from / name, to / name));
  }
  return {};
}

// All but the weights.
Result<void> begin_folder(const fs::path& dir, const ModelConfig& config,
                          const fs::path& vocab_source_dir) {
  std::error_code error;
  fs::create_directories(dir, error);
  if (error) return fail(ErrorCode::kFileUnwritable, error.message(), dir.string());
  REX_TRY_VOID(copy_vocabulary(vocab_source_dir, dir));
  return write_text_file(dir / "config.json", config_json(config));
}

}  // namespace

Result<void> write_packed_folder(const fs::path& dir, const PackedModel& packed,
                                 const fs::path& vocab_source_dir) {
  REX_TRY_VOID(begin_folder(dir, packed.config, vocab_source_dir));
  return write_packed(dir / kPackedFileName, packed);
}

Result<void> write_checkpoint_folder(const fs::path& dir, const Weights& weights,
                                     const fs::path& vocab_source_dir, DType dtype) {
  REX_TRY_VOID(begin_folder(dir, weights.config, vocab_source_dir));
  Weights views = weights;
  std::vector<TensorToWrite> tensors;
  visit_tensors(views, [&](const std::string& name, const std::vector<int64_t>&, TensorView& view) {
    const bool keep = name == "rotary_emb.freqs";
    tensors.push_back({name, std::move(view), keep ? DType::kF32 : dtype});
  });
  return write_safetensors(dir / "model.safetensors", tensors);
}

}  // namespace rex::model
