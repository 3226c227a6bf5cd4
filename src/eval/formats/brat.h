// brat's standoff form: a text and lines of annotations on it.
//
//   T1<tab>人物 1 4<tab>何雨柱                   an entity; chars
//   T2<tab>人物 1 4;6 8<tab>…                   a discontinuous one: lost, unless only line breaks
//                                              lie between the parts (brat cuts spans there)
//   R1<tab>高管 Arg1:T2 Arg2:T1                 a relation
//   E1<tab>降息:T3 机构:T2 时间:T4 时间2:T5       an event: trigger and arguments, each an entity
//   or
//                                              an event (its trigger); a role's number is no part
//                                              of it when the event has the role itself
//   *<tab>Equiv T1 T2                          equal entities: relations from the first to each
//   A1 M1 N1 #1                                attributes, normalisations, notes: lost
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eval/formats/document.h"

namespace rex::eval::formats {

// `ann`, which is UTF-8, on `text`; lost lines go to `batch`, their place beginning with `place`.
// Errors, placed at "line N": SAMPLE_INVALID for what cannot be read, for references to nothing
// and for words that are not the text's; ENCODING_INVALID.
Result<Document> read_brat(std::string text, std::string_view ann, const std::string& place,
                           Batch& batch);

// The .ann file: relations whose name is the whole label as arguments of events, others as R lines.
// Errors: SAMPLE_INVALID for a text with classes and, placed at "entity …", "relation …",
// "trigger …" or "role …", for what would not come back: names with white space, ":" in the names
// of an event's line, roles that brat's numbers would make others (时间2 beside 时间), entities
// that begin or end with a line break.
Result<std::string> write_brat(const Document& document);

// Every X.txt and X.ann below a folder, in the order of their names; the id is X with its folders.
// Errors: FILE_NOT_FOUND, FILE_UNREADABLE. A file without its partner is a bad record.
Result<Batch> read_brat_folder(const std::string& folder);

struct BratFile {
  std::string name;  // a relative path
  std::string text;
};

// The documents as ID.txt and ID.ann; without an id 1, 2, … Those that write_brat() refuses and
// whose ids are no relative path or are there twice become bad records.
std::vector<BratFile> brat_files(Batch& batch);

// Writes the files below a folder, over those that are there. Errors: FILE_UNWRITABLE.
Result<void> write_brat_folder(const std::vector<BratFile>& files, const std::string& folder);

}  // namespace rex::eval::formats
