// The whole public interface. Only the standard library is needed to include it.
#pragma once

#include "rexuninlu/analyzer.h"
#include "rexuninlu/answer.h"
#include "rexuninlu/error.h"
