// The options of every command that runs the model.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "api/open_model.h"

namespace rex::cli {

struct ModelOptions {
  std::string model;
  std::string device = "auto", precision = "auto", sparse_attention = "true";
  int32_t threads = 0;
  int32_t max_batch_tokens = 0;

  void add_to(CLI::App& command);
  // Loads the model; a note about the device goes to standard error. Errors of open_model().
  [[nodiscard]] Result<std::unique_ptr<pipeline::Pipeline>> open() const;
};

}  // namespace rex::cli
