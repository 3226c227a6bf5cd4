// Checks of a query's options before anything runs.
#pragma once

#include "core/result.h"
#include "pipeline/query.h"

namespace rex::pipeline {

// Errors: OPTION_RANGE with the option's name as place.
Result<void> check_options(const QueryOptions& options);

// OPTION_NO_EFFECT for every key of `thresholds` that names no label and no path of the schema.
std::vector<Warning> unused_thresholds(const QueryOptions& options, const schema::Schema& schema);

}  // namespace rex::pipeline
