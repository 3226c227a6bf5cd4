#include "eval/formats/label_studio.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "eval/formats/fields.h"
#include "eval/formats/label_studio_offsets.h"

namespace rex::eval::formats {
namespace {

// The annotation of a task that counts; null when nobody has labelled it.
const Json& chosen_annotation(const Json& task) {
  const Json& all = value_at(task, "annotations");
  const Json* chosen = nullptr;
  for (const Json& annotation : all) {
    if (value_at(annotation, "was_cancelled") == true) continue;
    if (value_at(annotation, "ground_truth") == true) return annotation;
    if (chosen == nullptr) chosen = &annotation;
  }
  return chosen == nullptr ? value_at(Json(), "") : *chosen;
}

bool is_region(const Json& result) {
  return value_at(result, "type") == "labels";
}

// "task 7" by its id, else "task number 3".
std::string task_place(const Json& task, size_t index) {
  const std::string id = id_text(value_at(task, "id"));
  return id.empty() ? "task number " + std::to_string(index + 1) : "task " + id;
}

std::string result_place(const Json& result, size_t index) {
  const std::string id = id_text(value_at(result, "id"));
  return " result " + (id.empty() ? "number " + std::to_string(index + 1) : id);
}

// Reads one task.
class Task {
 public:
  Task(const Json& json, std::string place, Batch& batch)
      : json_(json), place_(std::move(place)), batch_(batch) {}

  // How its regions vote for UTF-16; 0 for a task that cannot be read.
  int vote() {
    const Json& words = value_at(value_at(json_, "data"), "text");
    if (!words.is_string()) return 0;
    const auto text = text::CharText::make(words.get<std::string>());
    if (!text) return 0;
    const Utf16Text units(*text);
    int votes = 0;
    for (const Json& result : value_at(chosen_annotation(json_), "result")) {
      if (!is_region(result)) continue;
      const auto readings = readings_of(result, *text, units, "");
      if (readings) votes += readings->vote();
    }
    return votes;
  }

  Result<Document> read(bool prefer_utf16) {
    const Json& data = value_at(json_, "data");
    REX_TRY(words, string_at(data, "text", " /data"));
    document_.id = id_text(value_at(data, "id"));
    if (document_.id.empty()) document_.id = id_text(value_at(json_, "id"));
    document_.text = words;
    REX_TRY(text, text::CharText::make(std::move(words)));
    const Utf16Text units(text);
    const Json& results = value_at(chosen_annotation(json_), "result");
    if (!results.is_array())
      return fail(ErrorCode::kSampleInvalid, "the annotation has no list \"result\"");
    for (size_t i = 0; i < results.size(); ++i) {
      const std::string place = result_place(results[i], i);
      if (is_region(results[i])) {
        REX_TRY_VOID(read_region(results[i], text, units, prefer_utf16, place));
      }
    }
    for (size_t i = 0; i < results.size(); ++i) {
      if (!is_region(results[i])) REX_TRY_VOID(read_other(results[i], result_place(results[i], i)));
    }
    return std::move(document_);
  }

 private:
  static Result<RegionReadings> readings_of(const Json& result, const text::CharText& text,
                                            const Utf16Text& units, const std::string& place) {
    const Json& value = value_at(result, "value");
    REX_TRY(start, integer_at(value, "start", place + " /value"));
    REX_TRY(end, integer_at(value, "end", place + " /value"));
    return RegionReadings(text, units, start, end, id_text(value_at(value, "text")));
  }

  Result<void> read_region(const Json& result, const text::CharText& text, const Utf16Text& units,
                           bool prefer_utf16, const std::string& place) {
    REX_TRY(readings, readings_of(result, text, units, place));
    const Json& value = value_at(result, "value");
    const bool known = value_at(value, "text").is_string();
    const auto range = readings.choose(prefer_utf16);
    if (!range) {
      return fail(ErrorCode::kSampleInvalid,
                  known ? "\"" + id_text(value["text"]) +
                              "\" is not the text at its offsets, as chars or as UTF-16 units"
                        : "the offsets are no part of the text",
                  place);
    }
    if (!known && readings.chars != readings.utf16) {
      return fail(ErrorCode::kSampleInvalid,
                  "the region has no text that tells whether it counts chars or UTF-16 units",
                  place);
    }
    const Json& labels = value_at(value, "labels");
    if (!labels.is_array() || labels.empty())
      return fail(ErrorCode::kSampleInvalid, "the region has no label", place);
    std::vector<size_t>& entities = regions_[id_text(value_at(result, "id"))];
    for (const Json& label : labels) {
      REX_TRY(entity, make_entity(id_text(label), range->first, range->second, text, place));
      entities.push_back(document_.entities.size());
      document_.entities.push_back(std::move(entity));
    }
    return {};
  }

  Result<void> read_other(const Json& result, const std::string& place) {
    const std::string type = id_text(value_at(result, "type"));
    const Json& value = value_at(result, "value");
    if (type == "relation") return read_relation(result, place);
    if (type == "choices" && !value.contains("start")) return read_choices(value, place);
    if (type == "taxonomy" && !value.contains("start")) return read_taxonomy(value, place);
    batch_.lose(value.contains("start") ? type + " of a region" : "a result of type " + type,
                place_ + place);
    return {};
  }

  Result<std::vector<size_t>> region(const Json& result, const char* key,
                                     const std::string& place) {
    const auto found = regions_.find(id_text(value_at(result, key)));
    if (found == regions_.end())
      return fail(ErrorCode::kSampleInvalid, "there is no region of this id", place + " /" + key);
    return found->second;
  }

  Result<void> read_relation(const Json& result, const std::string& place) {
    REX_TRY(from, region(result, "from_id", place));
    REX_TRY(to, region(result, "to_id", place));
    const Json& labels = value_at(result, "labels");
    if (!labels.is_array() || labels.empty()) {
      batch_.lose("a relation without a label", place_ + place);
      return {};
    }
    const Json& direction = value_at(result, "direction");
    for (const Json& label : labels) {
      const std::string name = id_text(label);
      if (name.empty())
        return fail(ErrorCode::kSampleInvalid, "a label is no string", place + " /labels");
      for (const size_t a : from) {
        for (const size_t b : to) {
          if (direction != "left") document_.relations.push_back({a, b, name});
          if (direction == "left" || direction == "bi") document_.relations.push_back({b, a, name});
        }
      }
    }
    return {};
  }

  Result<void> read_choices(const Json& value, const std::string& place) {
    const Json& choices = value_at(value, "choices");
    if (!choices.is_array())
      return fail(ErrorCode::kSampleInvalid, "expected a list", place + " /value/choices");
    for (const Json& choice : choices) REX_TRY_VOID(add_class({choice}, place + " /value/choices"));
    return {};
  }

  Result<void> read_taxonomy(const Json& value, const std::string& place) {
    const Json& paths = value_at(value, "taxonomy");
    if (!paths.is_array())
      return fail(ErrorCode::kSampleInvalid, "expected a list", place + " /value/taxonomy");
    for (const Json& path : paths) {
      REX_TRY_VOID(add_class(
          path.is_array() ? std::vector<Json>(path.begin(), path.end()) : std::vector<Json>{path},
          place + " /value/taxonomy"));
    }
    return {};
  }

  Result<void> add_class(const std::vector<Json>& labels, const std::string& place) {
    std::vector<std::string> path;
    for (const Json& label : labels) {
      path.push_back(id_text(label));
      if (path.back().empty())
        return fail(ErrorCode::kSampleInvalid, "a class is no string or empty", place);
    }
    if (path.empty()) return fail(ErrorCode::kSampleInvalid, "an empty path of classes", place);
    document_.classes.push_back(std::move(path));
    return {};
  }

  const Json& json_;
  std::string place_;
  Batch& batch_;
  Document document_;
  std::map<std::string, std::vector<size_t>> regions_;  // entities of a result's id
};

// "byte 17" of a file with many lines as "line 2, byte 17".
Error with_line(Error error, std::string_view json) {
  constexpr std::string_view kByte = "byte ";
  size_t byte = 0;
  if (!error.place.starts_with(kByte)) return error;
  std::from_chars(error.place.data() + kByte.size(), error.place.data() + error.place.size(), byte);
  const std::string_view before = json.substr(0, byte == 0 ? 0 : byte - 1);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  return std::move(error).in("line " + std::to_string(line) + ", ");
}

size_t valid_annotations(const Json& task) {
  size_t count = 0;
  for (const Json& annotation : value_at(task, "annotations"))
    count += value_at(annotation, "was_cancelled") == true ? 0 : 1;
  return count;
}

Json result_json(std::string id, const char* type, const char* control, Json value) {
  return {{"id", std::move(id)},
          {"type", type},
          {"from_name", control},
          {"to_name", "text"},
          {"value", std::move(value)}};
}

Json results_of(const Document& document, const text::CharText& text) {
  Json results = Json::array();
  for (size_t i = 0; i < document.entities.size(); ++i) {
    const Entity& entity = document.entities[i];
    results.push_back(result_json("e" + std::to_string(i), "labels", "label",
                                  {{"start", entity.start},
                                   {"end", entity.end},
                                   {"text", text.slice(entity.start, entity.end)},
                                   {"labels", Json::array({entity.type})}}));
  }
  for (const Relation& relation : document.relations) {
    results.push_back({{"type", "relation"},
                       {"from_id", "e" + std::to_string(relation.from)},
                       {"to_id", "e" + std::to_string(relation.to)},
                       {"direction", "right"},
                       {"labels", Json::array({relation.type})}});
  }
  Json choices = Json::array(), paths = Json::array();
  for (const auto& path : document.classes) {
    if (path.size() == 1)
      choices.push_back(path[0]);
    else
      paths.push_back(path);
  }
  if (!choices.empty())
    results.push_back(result_json("c", "choices", "choice", {{"choices", std::move(choices)}}));
  if (!paths.empty())
    results.push_back(result_json("t", "taxonomy", "taxonomy", {{"taxonomy", std::move(paths)}}));
  return results;
}

}  // namespace

Result<Batch> read_label_studio(std::string_view json) {
  auto parsed = parse_json(json);
  if (!parsed) return fail(with_line(std::move(parsed).error(), json));
  const Json& tasks = *parsed;
  if (!tasks.is_array()) {
    return fail(ErrorCode::kSampleInvalid,
                "expected a list of tasks; export from Label Studio as JSON");
  }
  Batch batch;
  int votes = 0;
  for (const Json& task : tasks) votes += Task(task, "", batch).vote();
  for (size_t i = 0; i < tasks.size(); ++i) {
    const std::string place = task_place(tasks[i], i);
    if (!tasks[i].is_object()) {
      batch.add(fail(ErrorCode::kSampleInvalid, "expected an object"), place);
    } else if (!tasks[i].contains("data")) {
      batch.add(fail(ErrorCode::kSampleInvalid,
                     "there is no \"data\"; export from Label Studio as JSON, not as JSON-MIN"),
                place);
    } else if (valid_annotations(tasks[i]) == 0) {
      ++batch.unlabelled;
    } else {
      batch.add(Task(tasks[i], place, batch).read(votes > 0), place);
      for (size_t more = valid_annotations(tasks[i]); more > 1; --more)
        batch.lose("a further annotation of the same task", place);
    }
  }
  return batch;
}

std::string write_label_studio(const Batch& batch) {
  std::string out = "[";
  for (size_t i = 0; i < batch.documents.size(); ++i) {
    const Document& document = batch.documents[i];
    // The text was one before, so that it is UTF-8 of a fitting length.
    const auto text = text::CharText::make(document.text);
    Json annotation = {{"result", results_of(document, *text)}};
    Json task = {{"id", i + 1},
                 {"data", {{"text", document.text}, {"id", document.id}}},
                 {"annotations", Json::array({std::move(annotation)})}};
    out += (i == 0 ? "\n" : ",\n") + json_line(task);
  }
  return out + "\n]\n";
}

}  // namespace rex::eval::formats
