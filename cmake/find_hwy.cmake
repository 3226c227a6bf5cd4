# Highway: vector code compiled once for each instruction set and chosen at run time.
find_path(REX_HWY_INCLUDE hwy/highway.h REQUIRED)
find_library(REX_HWY_LIBRARY hwy REQUIRED)
add_library(rex_hwy INTERFACE)
target_include_directories(rex_hwy SYSTEM INTERFACE ${REX_HWY_INCLUDE})
target_link_libraries(rex_hwy INTERFACE ${REX_HWY_LIBRARY})
