// The options of every command that runs the model.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "api/open_model.h"

namespace rex::cli {

struct ModelOptions {
  std::string model;
  std::string device = "cpu";
  int32_t threads = 0;
  int32_t max_batch_tokens = 2048;

  void add_to(CLI::App& command);
  // Loads the model. Errors of open_model().
  [[nodiscard]] Result<std::unique_ptr<pipeline::Pipeline>> open() const;
};

}  // namespace rex::cli
