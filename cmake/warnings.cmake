# One set of warnings for all of our own code. Contraction is off so that the same source gives
# the same bits in every build; kernels ask for fused products explicitly.
add_library(rex_warnings INTERFACE)
# -Wno-restrict: g++ 12 sees overlaps in std::string's operator+ that are not there.
target_compile_options(rex_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                       $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> -ffp-contract=off)
option(REX_WERROR "warnings are errors" OFF)
if(REX_WERROR)
  target_compile_options(rex_warnings INTERFACE -Werror)
endif()
