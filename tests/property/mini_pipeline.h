// The pipeline on models/mini and a mixed bag of queries, for the property tests.
#pragma once

#include <string>
#include <vector>

#include "pipeline/analyze.h"

namespace rex {

// Loaded once for the whole program.
pipeline::Pipeline& mini_pipeline();

pipeline::Query make_query(std::string text, const std::string& schema_json,
                           pipeline::TextKind kind = pipeline::TextKind::kExtraction);

// Every kind of query: one and several levels, one and several windows, all three text kinds.
std::vector<pipeline::Query> mixed_queries();

// Everything of an answer but its cost, to the last digit, as text.
std::string shown(const Result<pipeline::Answer>& result);

}  // namespace rex
