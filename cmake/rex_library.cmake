# rex_library(<folder> SOURCES … [DEPS …] [PRIVATE_DEPS …] [TESTS …])
# One library rex_<folder> a folder of src/, and one test program rex_<folder>_test for the tests
# that stand beside the code. Sources are listed by name.
function(rex_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;PRIVATE_DEPS;TESTS" ${ARGN})
  add_library(rex_${name} STATIC ${ARG_SOURCES})
  target_include_directories(rex_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(rex_${name} PUBLIC ${ARG_DEPS} PRIVATE rex_warnings ${ARG_PRIVATE_DEPS})
  set_target_properties(rex_${name} PROPERTIES UNITY_BUILD ${REX_UNITY} UNITY_BUILD_BATCH_SIZE 12)
  if(REX_TESTS AND ARG_TESTS)
    rex_test(rex_${name}_test SOURCES ${ARG_TESTS} DEPS rex_${name})
  endif()
endfunction()

# rex_test(<program> SOURCES … [DEPS …]): a GoogleTest program, each test known to ctest by name.
function(rex_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  if(REX_UNITY)  # tests have helpers of the same names, so they share headers only
    target_precompile_headers(${name} PRIVATE <gmock/gmock.h> <gtest/gtest.h> <nlohmann/json.hpp>)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} rex_test_support rex_warnings GTest::gtest_main GTest::gmock)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 900)
endfunction()
