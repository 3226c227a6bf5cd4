// Label Studio's JSON: a list of tasks.
//
//   [{"id": 7, "data": {"text": "…"}, "annotations": [{"id": 3, "was_cancelled": false, "result": [
//     {"id": "ab", "type": "labels", "from_name": "label", "to_name": "text",
//      "value": {"start": 0, "end": 2, "text": "…", "labels": ["人物"]}},
//     {"type": "relation", "from_id": "ab", "to_id": "cd", "direction": "right",
//      "labels": ["高管"]},
//     {"type": "choices", …, "value": {"choices": ["财经"]}},
//     {"type": "taxonomy", …, "value": {"taxonomy": [["学业", "拖延"]]}}]}]}]
//
// Offsets are chars since the end of 2021 (label-studio-frontend #308); before, they were UTF-16
// code units, which differ after an emoji. "text" decides: chars when they give it, else UTF-16;
// where both give it and differ, what the other regions of the file tell.
#pragma once

#include <string>
#include <string_view>

#include "eval/formats/document.h"

namespace rex::eval::formats {

// Of a task's annotations the one marked ground_truth is taken, else the first that is not
// cancelled; further ones are lost. A task without any is not labelled yet. Regions of other types
// and choices for a region are lost. The id is data.id, else the task's.
// Errors: JSON_INVALID at "line N, byte M", SAMPLE_INVALID when the file is no list.
Result<Batch> read_label_studio(std::string_view json);

// Tasks to import, with control names "label", "choice", "taxonomy" and object name "text".
std::string write_label_studio(const Batch& batch);

}  // namespace rex::eval::formats
