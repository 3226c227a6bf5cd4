// doccano's JSON lines.
//
//   {"id": 1, "text": "…", "label": [[0, 2, "人物"]]}     sequence labelling; also "labels"
//   {"id": 1, "text": "…", "label": ["财经"]}             classes
//   {"id": 1, "text": "…", "entities": [{"id": 7, "label": "人物", "start_offset": 0,
//    "end_offset": 2}], "relations": [{"id": 3, "from_id": 7, "to_id": 8, "type": "高管"}]}
//   {"id": 1, "text": "…", "entities": [[0, 2, "城市"]], "cats": ["订票"]}   both
//
// Offsets are chars. Older exports call the text "data".
#pragma once

#include <string>
#include <string_view>

#include "eval/formats/document.h"

namespace rex::eval::formats {

// Other fields of a line (meta data) are not read; comments are lost.
Batch read_doccano(std::string_view jsonl);

// Sequence labelling when no document has a relation, else entities and relations. Class paths
// of more than one label are lost.
std::string write_doccano(Batch& batch);

}  // namespace rex::eval::formats
