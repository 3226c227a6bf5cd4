# LibTorch by header and library, for Debian's libtorch-dev and for the LibTorch inside a PyTorch
# installation (asked of python3 unless REX_TORCH_DIR names the folder). Its own CMake files want
# the whole CUDA toolkit and its compiler, which the trainer does not need.
set(REX_TORCH_DIR "" CACHE PATH "folder of LibTorch or of the Python package torch; empty: look for it")
if(NOT REX_TORCH_DIR)
  execute_process(COMMAND python3 -c "import os, torch; print(os.path.dirname(torch.__file__))"
                  OUTPUT_VARIABLE REX_PYTHON_TORCH OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
find_path(REX_TORCH_INCLUDE ATen/ATen.h REQUIRED HINTS ${REX_TORCH_DIR}/include ${REX_PYTHON_TORCH}/include)
find_path(REX_TORCH_API_INCLUDE torch/torch.h REQUIRED
          HINTS ${REX_TORCH_INCLUDE}/torch/csrc/api/include)
add_library(rex_torch INTERFACE)
target_include_directories(rex_torch SYSTEM INTERFACE ${REX_TORCH_INCLUDE} ${REX_TORCH_API_INCLUDE})
foreach(name torch torch_cpu c10)
  find_library(REX_TORCH_LIB_${name} ${name} REQUIRED HINTS ${REX_TORCH_DIR}/lib ${REX_PYTHON_TORCH}/lib)
  list(APPEND torch_libraries ${REX_TORCH_LIB_${name}})
endforeach()
find_library(REX_TORCH_LIB_cuda torch_cuda HINTS ${REX_TORCH_DIR}/lib ${REX_PYTHON_TORCH}/lib)
if(REX_TORCH_LIB_cuda)
  find_library(REX_TORCH_LIB_c10_cuda c10_cuda HINTS ${REX_TORCH_DIR}/lib ${REX_PYTHON_TORCH}/lib REQUIRED)
  find_path(REX_CUDA_RUNTIME_INCLUDE cuda_runtime_api.h HINTS /usr/local/cuda/include
            ${REX_PYTHON_TORCH}/../nvidia/cu13/include ${REX_PYTHON_TORCH}/../nvidia/cuda_runtime/include)
  list(APPEND torch_libraries ${REX_TORCH_LIB_cuda} ${REX_TORCH_LIB_c10_cuda})
  if(REX_CUDA_RUNTIME_INCLUDE)
    target_include_directories(rex_torch SYSTEM INTERFACE ${REX_CUDA_RUNTIME_INCLUDE})
    target_compile_definitions(rex_torch INTERFACE REX_TORCH_CUDA)
  endif()
endif()
# The CUDA part registers itself when it is loaded; nothing refers to it by name. Libraries that
# these ones need lie beside them or in the folders that they know.
target_link_options(rex_torch INTERFACE -Wl,--no-as-needed -Wl,--allow-shlib-undefined)
target_link_libraries(rex_torch INTERFACE ${torch_libraries})
get_filename_component(REX_TORCH_LIBRARY_DIR ${REX_TORCH_LIB_torch} DIRECTORY)
message(STATUS "LibTorch: ${REX_TORCH_LIBRARY_DIR}")
