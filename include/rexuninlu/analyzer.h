// Load a model once, then ask it about any number of texts.
//
//   auto analyzer = rexuninlu::Analyzer::load("models/mini");
//   if (!analyzer) return report(analyzer.error());
//   auto answer = analyzer->analyze({.task = "ner", .text = "…", .schema = R"(["人物"])"});
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "rexuninlu/answer.h"
#include "rexuninlu/error.h"

namespace rexuninlu {

struct LoadOptions {
  std::string device = "auto";     // auto (a GPU if one is usable), cpu, cuda or cuda:N
  std::string precision = "auto";  // auto (GPU f16, CPU f32), f32, f16, bf16 or int8 (CPU)
  int32_t threads = 0;             // CPU; 0: all cores that the process may use
  int32_t max_batch_tokens = 0;    // tokens computed together; memory is planned for it; >= 512;
                                   // 0: 2,048 on the CPU, 8,192 on a GPU
  int32_t max_text_chars = 1'000'000;
};

// One text with one task. `schema` or `labels` may be left out where the task has a default.
struct Request {
  std::string task;         // ner, relation, event, absa, sentiment, coref, classification,
                            // multi_label, hierarchical, matching, reading, or an alias
  std::string text;         // UTF-8
  std::string schema = {};  // JSON in any accepted form, or one bare label
  std::vector<std::string> labels = {};  // short form of a flat schema
  std::string fields_json = {};          // the task's own fields, for example {"question": "…"}
  std::string options_json = {};         // for example {"threshold": 0.4}
};

using Outcome = Expected<Answer>;

struct ModelInfo {
  std::string device;     // "cpu", "cuda:0"
  std::string precision;  // "f32", "f16", "bf16", "int8"
  std::string detail;     // instruction set, library version
  int32_t threads = 1;
};

// Thread-safe: one object serves every thread; texts of concurrent calls share batches. Answers
// depend on their request alone, not on its neighbours.
class Analyzer {
 public:
  // Loads a model folder. Errors: FILE_NOT_FOUND, CONFIG_…, VOCABULARY_…, CHECKPOINT_…,
  // OPTION_RANGE, MEMORY_EXHAUSTED.
  static Expected<Analyzer> load(const std::filesystem::path& model_dir,
                                 const LoadOptions& options = {});

  Analyzer(const Analyzer&) = delete;
  Analyzer& operator=(const Analyzer&) = delete;
  Analyzer(Analyzer&& other) noexcept;
  Analyzer& operator=(Analyzer&& other) noexcept;
  ~Analyzer();

  // One outcome for each request, in order; a bad request fails alone. When `stop` is requested,
  // requests not yet finished fail with CANCELLED.
  [[nodiscard]] std::vector<Outcome> analyze(std::span<const Request> requests,
                                             std::stop_token stop = {}) const noexcept;
  [[nodiscard]] Outcome analyze(const Request& request, std::stop_token stop = {}) const noexcept;

  [[nodiscard]] ModelInfo info() const;

 private:
  struct Impl;
  explicit Analyzer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace rexuninlu
