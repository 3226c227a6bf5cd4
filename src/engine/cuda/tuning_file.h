// Measured choices of products, kept between starts: a text file with one section for each GPU,
// driver and library version. A choice made elsewhere is never used.
#pragma once

#include <string>

namespace rex::engine::cuda {

// One thread. Reading and writing never fail loudly: without the file the start takes longer.
class TuningFile {
 public:
  // An empty `path` keeps nothing.
  TuningFile(std::string path, int device);

  // The section of this GPU, driver and cuBLASLt; empty when there is none.
  [[nodiscard]] const std::string& choices() const { return choices_; }

  // Replaces the section and writes the file anew when something changed (write beside, rename).
  void keep(const std::string& choices) const;

 private:
  std::string path_, heading_, choices_, others_;
};

}  // namespace rex::engine::cuda
