// Aspect–opinion pairs, for the tasks absa and sentiment: the `#` in front of the text that stands
// for an absent aspect (D13), and the reading of pairs.
#pragma once

#include <string>
#include <string_view>

#include "tasks/forms.h"

namespace rex::tasks {

// "positive", "negative" or "neutral" for the usual Chinese and English names of polarities,
// brackets ignored; empty for any other label.
std::string_view polarity_of(std::string_view label);

// Undoes the `#`: every offset one lower; a step that is the `#` itself loses its place.
pipeline::Chain without_hash(pipeline::Chain chain);

// {"pairs": [{"aspect", "opinion", "polarity"?, "polarity_label"?, "confidence"}],
//  "aspects_without_opinion", "tuples"?}. An absent aspect is null.
Json aspect_result(const pipeline::Answer& answer);

// One extraction query over the text, with `#` when options.implicit_aspect; `finish` may add to
// the result.
Result<Work> ask_aspects(const TaskRequest& request, void (*finish)(Json& result));

}  // namespace rex::tasks
