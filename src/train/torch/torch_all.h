// LibTorch in one place: slow to compile, so it is the precompiled header of its few users.
#pragma once

#include <torch/torch.h>
#include <torch/version.h>

#define REX_TORCH_AT_LEAST(major, minor) \
  (TORCH_VERSION_MAJOR > (major) ||      \
   (TORCH_VERSION_MAJOR == (major) && TORCH_VERSION_MINOR >= (minor)))
