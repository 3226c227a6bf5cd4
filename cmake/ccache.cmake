# Compiler cache when it is installed; a second build of the same source is then a copy.
find_program(REX_CCACHE ccache)
if(REX_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${REX_CCACHE})
endif()
find_program(REX_MOLD mold)
if(REX_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
