// Answers for people and programs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tasks/work.h"

namespace rex::cli {

enum class Format : uint8_t { kText, kJson, kJsonl, kTable };

// The text with its spans marked — in colour, or as [span](label) — and one line for each chain;
// for class tasks the labels with their scores.
std::string render_text(const tasks::TaskAnswer& answer, std::string_view text, bool colour);

// One row for each step of each chain: chain, label, text, start, end, confidence.
std::string render_table(const tasks::TaskAnswer& answer);

// Any of the formats; ends with a line break. JSON formats hold to_json(answer), with `id` if any.
std::string render(const tasks::TaskAnswer& answer, std::string_view text, const Json& id,
                   Format format, bool colour);

}  // namespace rex::cli
