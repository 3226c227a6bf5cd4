#include "eval/formats/doccano.h"

#include <algorithm>
#include <map>

#include "eval/formats/fields.h"
#include "eval/formats/lines.h"

namespace rex::eval::formats {
namespace {

// Reads one line.
class Record {
 public:
  Record(const Json& json, Document& document) : json_(json), document_(document) {}

  Result<void> read() {
    if (!json_.is_object()) return fail(ErrorCode::kSampleInvalid, "expected an object");
    REX_TRY(words, string_at(json_, json_.contains("text") ? "text" : "data", ""));
    document_.id = id_text(value_at(json_, "id"));
    document_.text = words;
    REX_TRY(text, text::CharText::make(std::move(words)));
    bool labelled = false;
    for (const char* key : {"label", "labels", "entities", "cats"}) {
      if (!json_.contains(key)) continue;
      labelled = true;
      REX_TRY_VOID(read_labels(key, text));
    }
    if (!labelled)
      return fail(ErrorCode::kSampleInvalid, "there is no label, labels, entities or cats");
    return read_relations();
  }

 private:
  Result<void> read_labels(const std::string& key, const text::CharText& text) {
    const Json& labels = json_[key];
    const std::string place = "/" + key;
    if (!labels.is_array()) return fail(ErrorCode::kSampleInvalid, "expected a list", place);
    for (size_t i = 0; i < labels.size(); ++i) {
      if (labels[i].is_string()) {
        document_.classes.push_back({labels[i].get<std::string>()});
      } else {
        REX_TRY(entity, read_entity(labels[i], text, at(place, i)));
        document_.entities.push_back(std::move(entity));
      }
    }
    return {};
  }

  Result<Entity> read_entity(const Json& json, const text::CharText& text,
                             const std::string& place) {
    if (json.is_object()) {
      REX_TRY(start, integer_at(json, "start_offset", place));
      REX_TRY(end, integer_at(json, "end_offset", place));
      REX_TRY(type, string_at(json, "label", place));
      const std::string id = id_text(value_at(json, "id"));
      if (!id.empty() && !by_id_.emplace(id, document_.entities.size()).second)
        return fail(ErrorCode::kSampleInvalid, "a second entity has this id", place + "/id");
      return make_entity(std::move(type), start, end, text, place);
    }
    if (!json.is_array() || json.size() != 3 || !json[0].is_number_integer() ||
        !json[1].is_number_integer() || !json[2].is_string()) {
      return fail(ErrorCode::kSampleInvalid,
                  "expected [start, end, type], an entity with offsets or the name of a class",
                  place);
    }
    return make_entity(json[2].get<std::string>(), json[0].get<int64_t>(), json[1].get<int64_t>(),
                       text, place);
  }

  Result<size_t> end_of(const Json& relation, const char* key, const std::string& place) {
    const auto found = by_id_.find(id_text(value_at(relation, key)));
    if (found == by_id_.end())
      return fail(ErrorCode::kSampleInvalid, "there is no entity of this id", place + "/" + key);
    return found->second;
  }

  Result<void> read_relations() {
    const Json& relations = value_at(json_, "relations");
    if (relations.is_null()) return {};
    if (!relations.is_array())
      return fail(ErrorCode::kSampleInvalid, "expected a list", "/relations");
    for (size_t i = 0; i < relations.size(); ++i) {
      const std::string place = at("/relations", i);
      REX_TRY(from, end_of(relations[i], "from_id", place));
      REX_TRY(to, end_of(relations[i], "to_id", place));
      REX_TRY(type, string_at(relations[i], "type", place));
      if (type.empty())
        return fail(ErrorCode::kSampleInvalid, "the relation has no type", place + "/type");
      document_.relations.push_back({from, to, std::move(type)});
    }
    return {};
  }

  const Json& json_;
  Document& document_;
  std::map<std::string, size_t> by_id_;
};

Result<Document> read_record(const Json& json) {
  Document document;
  REX_TRY_VOID(Record(json, document).read());
  return document;
}

Json labels_json(const Document& document) {
  Json labels = Json::array();
  for (const Entity& entity : document.entities)
    labels.push_back({entity.start, entity.end, entity.type});
  return labels;
}

void put_graph(const Document& document, Json& line) {
  Json entities = Json::array(), relations = Json::array();
  for (size_t i = 0; i < document.entities.size(); ++i) {
    const Entity& entity = document.entities[i];
    entities.push_back({{"id", i},
                        {"label", entity.type},
                        {"start_offset", entity.start},
                        {"end_offset", entity.end}});
  }
  for (size_t i = 0; i < document.relations.size(); ++i) {
    const Relation& relation = document.relations[i];
    relations.push_back(
        {{"id", i}, {"from_id", relation.from}, {"to_id", relation.to}, {"type", relation.type}});
  }
  line["entities"] = std::move(entities);
  line["relations"] = std::move(relations);
}

Json classes_json(const Document& document, Batch& batch) {
  Json classes = Json::array();
  for (const auto& path : document.classes) {
    if (path.size() == 1)
      classes.push_back(path[0]);
    else
      batch.lose("doccano has no classes below classes; shorten the path to one label",
                 place_of(document));
  }
  return classes;
}

}  // namespace

Batch read_doccano(std::string_view jsonl) {
  Batch batch;
  for_each_line(jsonl, [&](Result<Json> json, const std::string& place) {
    if (!json) return batch.add(fail(std::move(json).error()), place);
    batch.add(read_record(*json), place);
    const Json& comments = value_at(*json, "Comments");
    if (comments.is_array() && !comments.empty())
      batch.lose(std::to_string(comments.size()) + " comments", place + "/Comments");
  });
  return batch;
}

std::string write_doccano(Batch& batch) {
  const bool graph = std::any_of(batch.documents.begin(), batch.documents.end(),
                                 [](const Document& d) { return !d.relations.empty(); });
  std::string out;
  for (const Document& document : batch.documents) {
    Json line = {{"id", document.id}, {"text", document.text}};
    const bool is_class = document.kind ? *document.kind != pipeline::TextKind::kExtraction
                                        : !document.classes.empty();
    const bool both = !document.entities.empty() && !document.classes.empty();
    if (both) line["cats"] = classes_json(document, batch);
    if (graph && (both || !is_class))
      put_graph(document, line);
    else if (both)
      line["entities"] = labels_json(document);
    else
      line["label"] = is_class ? classes_json(document, batch) : labels_json(document);
    out += json_line(line) + "\n";
  }
  return out;
}

}  // namespace rex::eval::formats
