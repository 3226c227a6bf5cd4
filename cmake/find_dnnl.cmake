# oneDNN by header and library: Debian's dnnl-config.cmake asks for OpenCL, which we do not use.
find_path(REX_DNNL_INCLUDE dnnl.hpp REQUIRED)
find_library(REX_DNNL_LIBRARY dnnl REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
add_library(rex_dnnl INTERFACE)
target_include_directories(rex_dnnl SYSTEM INTERFACE ${REX_DNNL_INCLUDE})
target_link_libraries(rex_dnnl INTERFACE ${REX_DNNL_LIBRARY} OpenMP::OpenMP_CXX)
