# Revision for `rexuninlu version`; "unknown" outside a git checkout.
execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} rev-parse --short HEAD
                OUTPUT_VARIABLE REX_REVISION OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT REX_REVISION)
  set(REX_REVISION unknown)
endif()
