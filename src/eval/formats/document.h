// A labelled text as annotation tools hold it: entities, relations between them, classes of the
// whole text. Every tool's form is read into documents and written from them, and documents become
// chains of the native form (F1–F3) and back here, so that all tools agree on what a chain is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "eval/metrics.h"
#include "pipeline/query.h"
#include "text/utf8.h"

namespace rex::eval::formats {

struct Entity {
  std::string type;
  int32_t start = 0;  // chars
  int32_t end = 0;
  bool operator==(const Entity&) const = default;
};

struct Relation {
  size_t from = 0;  // index of the subject or trigger in Document::entities
  size_t to = 0;
  std::string type;
  bool argument = false;  // a role of an event: the chain's label is the role alone
};

struct Document {
  std::string id;    // may be empty
  std::string text;  // without marker
  std::vector<Entity> entities;
  std::vector<Relation> relations;
  std::vector<std::vector<std::string>> classes;  // paths, outermost first
  std::optional<pipeline::TextKind> kind;         // known when it comes from the native form
  std::string place{};                            // where it was read
};

// Where errors of writing a document begin: its place, else "record ID"; a space at the end.
std::string place_of(const Document& document);

// What reading a file gave. Places name the record first: "line 3 /label/0", "task 7 result ab".
struct Batch {
  std::vector<Document> documents;
  std::vector<Error> bad;         // records that are not among the documents
  std::vector<Error> lost;        // annotations that have no place in the form; their records stay
  int64_t unlabelled = 0;         // records that nobody has labelled yet; no documents
  std::vector<Warning> warnings;  // about the file as a whole

  // A record, or its error with `place` in front.
  void add(Result<Document> document, const std::string& place);
  // Something of a good record that cannot be carried.
  void lose(std::string message, std::string place);
};

// Requires 0 <= start < end <= text.size() and a type. Errors: SAMPLE_INVALID.
Result<Entity> make_entity(std::string type, int64_t start, int64_t end, const text::CharText& text,
                           std::string place);

// The chains of a text's entities and relations:
//   a relation     [subject, object], the object's label being "relation(type of the object)", or
//                  the object's own type when that is this label or the relation's name already;
//   an argument    [trigger, argument], its label being the role;
//   an entity      [entity], unless a longer chain begins with it, or it has no meaning but the
//                  role that it fills (its type is the label of every relation that ends in it).
// Equal chains are one.
std::vector<ItemList> chains_of(const Document& document, const text::CharText& text);

// The reverse for lists of one and two items. An object becomes the entity of the type in
// brackets when the text has that entity, else an entity whose type is the whole label, so that
// chains_of() gives the same lists again. A list that begins another one says nothing more (F8)
// and needs no entity. Lists that do not come back, such as longer ones, are lost.
Document document_of(const std::vector<ItemList>& lists, const std::string& place, Batch& batch);

}  // namespace rex::eval::formats
