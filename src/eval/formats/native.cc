#include "eval/formats/native.h"

#include <algorithm>

#include "eval/formats/fields.h"
#include "eval/formats/lines.h"
#include "eval/sample.h"
#include "schema/schema.h"

namespace rex::eval::formats {
namespace {

using pipeline::TextKind;

// A line of the file to write.
struct Line {
  std::string id;
  TextKind kind = TextKind::kExtraction;
  std::string text;  // with its marker
  std::vector<ItemList> lists;
};

Json lists_json(const std::vector<ItemList>& lists) {
  Json json = Json::array();
  for (const ItemList& list : lists) {
    Json items = Json::array();
    for (const Item& item : list) {
      items.push_back(
          {{"type", item.type}, {"span", item.span}, {"offset", {item.start, item.end}}});
    }
    json.push_back(std::move(items));
  }
  return json;
}

Line class_line(const Document& document, TextKind kind) {
  const std::string marker(marker_of(kind));
  Line line{document.id, kind, marker + document.text, {}};
  for (const auto& path : document.classes) {
    ItemList list;
    for (const std::string& label : path)
      list.push_back({label, marker, 0, static_cast<int32_t>(marker.size())});
    line.lists.push_back(std::move(list));
  }
  return line;
}

void add_labels(const ItemList& list, Json& schema) {
  Json* level = &schema;
  for (const Item& item : list) {
    if (level->is_null()) *level = Json::object();
    level = &(*level)[item.type];
  }
}

bool allows(const Json& schema, const ItemList& list) {
  const Json* level = &schema;
  for (const Item& item : list) {
    if (!level->is_object() || !level->contains(item.type)) return false;
    level = &(*level)[item.type];
  }
  return true;
}

// What the documents of a file have in common.
struct FileShape {
  bool entities = false, classes = false, several_classes = false;

  explicit FileShape(const std::vector<Document>& documents) {
    for (const Document& document : documents) {
      entities |= !document.entities.empty();
      classes |= !document.classes.empty();
      several_classes |= document.classes.size() > 1;
    }
  }

  [[nodiscard]] TextKind kind_of(const Document& document, const NativeOptions& options) const {
    if (document.kind && *document.kind != TextKind::kExtraction) return *document.kind;
    if (options.class_kind) return *options.class_kind;
    return several_classes ? TextKind::kMultiLabel : TextKind::kSingleLabel;
  }
};

Result<std::vector<Line>> lines_of(const Document& document, const FileShape& file,
                                   const NativeOptions& options) {
  std::vector<Line> lines;
  const bool bare = document.entities.empty() && document.classes.empty();
  const bool is_class =
      document.kind ? *document.kind != TextKind::kExtraction : file.classes && !file.entities;
  if (!document.entities.empty() || (bare && !is_class)) {
    REX_TRY(text, text::CharText::make(document.text));
    lines.push_back({document.id, TextKind::kExtraction, document.text, chains_of(document, text)});
  }
  if (!document.classes.empty() || (bare && is_class)) {
    Line line = class_line(document, file.kind_of(document, options));
    if (!lines.empty()) line.id += "-classes";
    lines.push_back(std::move(line));
  }
  return lines;
}

Result<Document> read_line(const Json& json, const std::string& place, Batch& batch) {
  REX_TRY(sample, read_sample(json, {}));
  Document document;
  if (sample.query.kind == TextKind::kExtraction) {
    document = document_of(sample.gold, place, batch);
  } else {
    for (const ItemList& list : sample.gold) {
      std::vector<std::string> path;
      for (const Item& item : list) path.push_back(item.type);
      if (!path.empty()) document.classes.push_back(std::move(path));
    }
  }
  document.kind = sample.query.kind;
  document.text = std::move(sample.query.text);
  document.id = id_text(sample.id);
  return document;
}

}  // namespace

Batch read_native(std::string_view jsonl) {
  Batch batch;
  for_each_line(jsonl, [&](Result<Json> json, const std::string& place) {
    if (!json) return batch.add(fail(std::move(json).error()), place);
    batch.add(read_line(*json, place, batch), place);
  });
  return batch;
}

Result<std::string> write_native(Batch& batch, const NativeOptions& options) {
  Json given;
  if (!options.schema.is_null()) {
    REX_TRY(tree, schema::parse_schema(options.schema));
    given = schema::to_json(tree);
  }
  const FileShape file(batch.documents);
  Json spans = Json::object(), classes = Json::object();
  std::vector<Line> lines;
  for (const Document& document : batch.documents) {
    auto made = lines_of(document, file, options);
    const std::string place = "record " + document.id + " ";
    if (!made) {
      batch.bad.push_back(std::move(made).error().in(place));
      continue;
    }
    for (Line& line : *made) {
      const auto unknown = std::find_if(line.lists.begin(), line.lists.end(), [&](const auto& l) {
        return !given.is_null() && !allows(given, l);
      });
      if (unknown != line.lists.end()) {
        std::string labels;
        for (const Item& item : *unknown) labels += (labels.empty() ? "" : "/") + item.type;
        batch.bad.push_back(
            {ErrorCode::kSampleInvalid, "the schema does not have " + labels, place});
        continue;
      }
      for (const ItemList& list : line.lists)
        add_labels(list, line.kind == TextKind::kExtraction ? spans : classes);
      lines.push_back(std::move(line));
    }
  }
  std::string out;
  for (const Line& line : lines) {
    const Json& all = line.kind == TextKind::kExtraction ? spans : classes;
    const Json& schema = given.is_null() ? all : given;
    if (schema.empty())
      return fail(ErrorCode::kSchemaEmpty, "no text of the file has a label", "--schema");
    out += json_line({{"id", line.id},
                      {"text", line.text},
                      {"schema", schema},
                      {"info_list", lists_json(line.lists)}}) +
           "\n";
  }
  return out;
}

}  // namespace rex::eval::formats
