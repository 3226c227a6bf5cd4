// The native form (F1–F4) and documents.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/json.h"
#include "eval/formats/document.h"

namespace rex::eval::formats {

// JSON lines. Every line is checked as read_sample() does; what document_of() loses is told.
// No tool has a place for schemas, legal_output_type_list and markers; Batch::warnings says when
// write_native() would not give the same ones again: SCHEMA_NOT_KEPT, LEGAL_PATHS_NOT_KEPT,
// MARKER_NOT_KEPT.
Batch read_native(std::string_view jsonl);

struct NativeOptions {
  Json schema;  // null: all labels of the file, in the order of their first appearance
  // Marker of class texts; none: [CLASSIFY] unless some text has several classes.
  std::optional<pipeline::TextKind> class_kind;
};

// JSON lines. A document with both entities and classes is two lines, the second one's id ending
// in "-classes". One with neither is a class text when the file has classes and no entities.
// Documents with labels that are not in `options.schema` go to batch.bad. Errors: SCHEMA_EMPTY
// when there is no label at all, those of parse_schema() for the given one.
Result<std::string> write_native(Batch& batch, const NativeOptions& options);

// Makes the documents what their native lines say, on the way from one tool to another. They keep
// their places. Same errors.
Result<void> through_native(Batch& batch, const NativeOptions& options);

}  // namespace rex::eval::formats
