#include "eval/formats/native.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

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
  std::string place;  // of its document
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
  Line line{document.id, kind, marker + document.text, {}, document.place};
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

// The kind of a document that has no entities beside classes, kind unknown.
TextKind kind_without_marker(const Document& document, const FileShape& file) {
  const bool is_class =
      !document.classes.empty() || (document.entities.empty() && file.classes && !file.entities);
  if (!is_class) return TextKind::kExtraction;
  return file.several_classes ? TextKind::kMultiLabel : TextKind::kSingleLabel;
}

Result<std::vector<Line>> lines_of(const Document& document, const FileShape& file,
                                   const NativeOptions& options) {
  std::vector<Line> lines;
  const bool bare = document.entities.empty() && document.classes.empty();
  const bool is_class =
      document.kind ? *document.kind != TextKind::kExtraction : file.classes && !file.entities;
  if (!document.entities.empty() || (bare && !is_class)) {
    REX_TRY(text, text::CharText::make(document.text));
    lines.push_back({document.id, TextKind::kExtraction, document.text, chains_of(document, text),
                     document.place});
  }
  if (!document.classes.empty() || (bare && is_class)) {
    Line line = class_line(document, file.kind_of(document, options));
    if (!lines.empty()) line.id += "-classes";
    lines.push_back(std::move(line));
  }
  return lines;
}

// Every node of a schema as the labels from its root, in any order.
void add_paths(const Json& schema, const std::string& above, std::set<std::string>& paths) {
  if (!schema.is_object()) return;
  for (const auto& [label, below] : schema.items()) {
    std::string path = above;
    path.append("\n").append(label);
    paths.insert(path);
    add_paths(below, path, paths);
  }
}

// Counts the lines of a file that would come back with something else in them.
class KeptParts {
 public:
  void add(const Sample& sample) {
    std::set<std::string> paths;
    add_paths(schema::to_json(*sample.query.schema), "", paths);
    const size_t group = sample.query.kind == TextKind::kExtraction ? 0 : 1;
    ++schemas_[group][std::move(paths)];
    for (const ItemList& list : sample.gold) {
      std::string path;
      for (const Item& item : list) labels_[group].insert(path += '\n' + item.type);
    }
    if (!sample.query.schema->legal_paths.empty()) ++legal_paths_;
  }

  [[nodiscard]] std::vector<Warning> warnings(const std::vector<Document>& documents) const {
    std::vector<Warning> warnings;
    const auto tell = [&](int64_t lines, const char* code, const std::string& message,
                          const char* place) {
      if (lines > 0) warnings.push_back({code, std::to_string(lines) + message, place});
    };
    int64_t other_schemas = 0, other_kinds = 0;
    for (size_t group = 0; group < schemas_.size(); ++group) {
      for (const auto& [paths, lines] : schemas_[group])
        other_schemas += paths == labels_[group] ? 0 : lines;
    }
    const FileShape file(documents);
    for (const Document& document : documents)
      other_kinds += kind_without_marker(document, file) == document.kind ? 0 : 1;
    tell(other_schemas, "SCHEMA_NOT_KEPT",
         " lines have a schema that is not the labels of the whole file; OUT does not hold it, so "
         "give --schema on the way back",
         "schema");
    tell(legal_paths_, "LEGAL_PATHS_NOT_KEPT",
         " lines have a list that OUT does not hold; it is lost on the way back",
         "legal_output_type_list");
    tell(other_kinds, "MARKER_NOT_KEPT",
         " lines would get another marker on the way back; keep class texts of one kind in a file "
         "of their own and give --classes",
         "text");
    return warnings;
  }

 private:
  // Of extraction and of class texts.
  std::array<std::map<std::set<std::string>, int64_t>, 2> schemas_;
  std::array<std::set<std::string>, 2> labels_;
  int64_t legal_paths_ = 0;
};

Document document_of_sample(Sample sample, const std::string& place, Batch& batch) {
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

// The lines of a file, and what they are allowed to hold.
struct NativeFile {
  std::vector<Line> lines;
  Json given, spans = Json::object(), classes = Json::object();  // schemas

  [[nodiscard]] Json json(const Line& line) const {
    return {{"id", line.id},
            {"text", line.text},
            {"schema", schema(line)},
            {"info_list", lists_json(line.lists)}};
  }
  [[nodiscard]] const Json& schema(const Line& line) const {
    if (!given.is_null()) return given;
    return line.kind == TextKind::kExtraction ? spans : classes;
  }
};

Result<NativeFile> native_file(Batch& batch, const NativeOptions& options) {
  NativeFile file;
  if (!options.schema.is_null()) {
    REX_TRY(tree, schema::parse_schema(options.schema));
    file.given = schema::to_json(tree);
  }
  const FileShape shape(batch.documents);
  for (const Document& document : batch.documents) {
    auto made = lines_of(document, shape, options);
    if (!made) {
      batch.bad.push_back(std::move(made).error().in(place_of(document)));
      continue;
    }
    for (Line& line : *made) {
      const auto unknown = std::find_if(line.lists.begin(), line.lists.end(), [&](const auto& l) {
        return !file.given.is_null() && !allows(file.given, l);
      });
      if (unknown != line.lists.end()) {
        std::string labels;
        for (const Item& item : *unknown) labels += (labels.empty() ? "" : "/") + item.type;
        batch.bad.push_back({ErrorCode::kSampleInvalid,
                             "the schema does not have " + labels + "; add it to --schema",
                             place_of(document)});
        continue;
      }
      for (const ItemList& list : line.lists)
        add_labels(list, line.kind == TextKind::kExtraction ? file.spans : file.classes);
      file.lines.push_back(std::move(line));
    }
  }
  for (const Line& line : file.lines) {
    if (file.schema(line).empty())
      return fail(ErrorCode::kSchemaEmpty, "no text of the file has a label", "--schema");
  }
  return file;
}

}  // namespace

Batch read_native(std::string_view jsonl) {
  Batch batch;
  KeptParts kept;
  for_each_line(jsonl, [&](Result<Json> json, const std::string& place) {
    if (!json) return batch.add(fail(std::move(json).error()), place);
    auto sample = read_sample(*json, {});
    if (!sample) return batch.add(fail(std::move(sample).error()), place);
    kept.add(*sample);
    batch.add(document_of_sample(*std::move(sample), place, batch), place);
  });
  batch.warnings = kept.warnings(batch.documents);
  return batch;
}

Result<std::string> write_native(Batch& batch, const NativeOptions& options) {
  REX_TRY(file, native_file(batch, options));
  std::string out;
  for (const Line& line : file.lines) out += json_line(file.json(line)) + "\n";
  return out;
}

Result<void> through_native(Batch& batch, const NativeOptions& options) {
  REX_TRY(file, native_file(batch, options));
  batch.documents.clear();
  for (const Line& line : file.lines) {
    // What was written is read again, so that both ways agree on what a line can hold.
    auto sample = read_sample(file.json(line), {});
    if (!sample)
      batch.add(fail(std::move(sample).error()), line.place);
    else
      batch.add(document_of_sample(*std::move(sample), line.place, batch), line.place);
  }
  return {};
}

}  // namespace rex::eval::formats
