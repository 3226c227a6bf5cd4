#include "engine/cuda/tuning_file.h"

#include <cublasLt.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/cuda/device.h"

namespace rex::engine::cuda {
namespace {

std::string heading_of(int device) {
  cudaDeviceProp properties{};
  int driver = 0;
  check(cudaGetDeviceProperties(&properties, device), "device properties");
  check(cudaDriverGetVersion(&driver), "driver version");
  return std::string("# ") + properties.name + ", driver " + std::to_string(driver) +
         ", cuBLASLt " + std::to_string(cublasLtGetVersion());
}

}  // namespace

TuningFile::TuningFile(std::string path, int device)
    : path_(std::move(path)), heading_(heading_of(device)) {
  if (path_.empty()) return;
  std::ifstream file(path_);
  bool ours = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) ours = line == heading_;
    if (!ours) {
      others_ += line + '\n';
    } else if (line != heading_) {
      choices_ += line + '\n';
    }
  }
}

void TuningFile::keep(const std::string& choices) const {
  if (path_.empty() || choices == choices_) return;
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), ignored);
  const std::string beside = path_ + "." + std::to_string(getpid());
  {
    std::ofstream file(beside);
    file << others_ << heading_ << '\n' << choices;
    if (!file.flush()) return;
  }
  std::filesystem::rename(beside, path_, ignored);
}

}  // namespace rex::engine::cuda
