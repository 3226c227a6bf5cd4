// Writes a model folder that load_weights() and the tokenizer read: for benchmarks at the official
// size, for tests, for converting a checkpoint.
#pragma once

#include <filesystem>

#include "core/result.h"
#include "model/packed_model.h"
#include "model/weights.h"

namespace rex::model {

// Creates `dir` if needed and writes config.json, model.safetensors with all weights as `dtype`
// (rotary frequencies always as f32: a rounded frequency turns far positions by whole angles),
// and copies of vocab.txt (required) and the tokenizer's JSON files (those that exist) from
// `vocab_source_dir`. The weights come last, so a folder with weights is complete.
// Errors: FILE_NOT_FOUND, FILE_UNREADABLE, FILE_UNWRITABLE (for example a full disk).
Result<void> write_checkpoint_folder(const std::filesystem::path& dir, const Weights& weights,
                                     const std::filesystem::path& vocab_source_dir,
                                     DType dtype = DType::kF32);

// The folder of a packed model: the vocabulary files as above, config.json, and the packed file
// last. Errors: the same.
Result<void> write_packed_folder(const std::filesystem::path& dir, const PackedModel& packed,
                                 const std::filesystem::path& vocab_source_dir);

}  // namespace rex::model
