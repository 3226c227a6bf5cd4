#include "eval/sample.h"

#include <algorithm>
#include <memory>

#include "text/utf8.h"

namespace rex::eval {
namespace {

using pipeline::Behaviour;
using pipeline::TextKind;

constexpr std::string_view kClassify = "[CLASSIFY]";
constexpr std::string_view kMultiClassify = "[MULTICLASSIFY]";

TextKind kind_of(std::string_view text) {
  if (text.starts_with(kClassify)) return TextKind::kSingleLabel;
  return text.starts_with(kMultiClassify) ? TextKind::kMultiLabel : TextKind::kExtraction;
}

std::string at(const std::string& place, size_t index) {
  return place + "/" + std::to_string(index);
}

bool has_item_shape(const Json& json) {
  if (!json.is_object() || !json.contains("type") || !json.contains("span") ||
      !json.contains("offset"))
    return false;
  const Json& offset = json["offset"];
  return json["type"].is_string() && json["span"].is_string() && offset.is_array() &&
         offset.size() == 2 && offset[0].is_number_integer() && offset[1].is_number_integer();
}

Result<Item> read_item(const Json& json, const text::CharText& text, const std::string& place) {
  if (!has_item_shape(json)) {
    return fail(ErrorCode::kSampleInvalid,
                "expected {\"type\", \"span\", \"offset\": [start, end]}", place);
  }
  const auto start = json["offset"][0].get<int64_t>(), end = json["offset"][1].get<int64_t>();
  Item item{json["type"].get<std::string>(), json["span"].get<std::string>(), 0, 0};
  const bool inside = start >= 0 && start <= end && end <= text.size();
  if (!inside || text.slice(static_cast<int32_t>(start), static_cast<int32_t>(end)) != item.span) {
    return fail(ErrorCode::kSampleInvalid, "\"" + item.span + "\" is not the text at its offset",
                place);
  }
  item.start = static_cast<int32_t>(start);
  item.end = static_cast<int32_t>(end);
  return item;
}

Result<std::vector<ItemList>> read_gold(const Json& line, const text::CharText& text) {
  const auto lists = line.find("info_list");
  if (lists == line.end() || !lists->is_array()) {
    return fail(ErrorCode::kSampleInvalid,
                lists == line.end() ? "there is none" : "expected a list of lists", "/info_list");
  }
  std::vector<ItemList> gold;
  for (size_t i = 0; i < lists->size(); ++i) {
    const std::string place = at("/info_list", i);
    if (!(*lists)[i].is_array())
      return fail(ErrorCode::kSampleInvalid, "expected a list of items", place);
    ItemList list;
    for (size_t j = 0; j < (*lists)[i].size(); ++j) {
      REX_TRY(item, read_item((*lists)[i][j], text, at(place, j)));
      list.push_back(std::move(item));
    }
    gold.push_back(std::move(list));
  }
  return gold;
}

// F4: the labels that occur, two levels at most.
Json derived_schema(const std::vector<ItemList>& gold) {
  Json schema = Json::object();
  for (const ItemList& list : gold) {
    if (list.empty()) continue;
    Json& below = schema[list[0].type];
    if (list.size() < 2) continue;
    if (below.is_null()) below = Json::object();
    below[list[1].type] = nullptr;
  }
  return schema;
}

Result<std::vector<schema::Path>> read_legal_paths(const Json& line) {
  std::vector<schema::Path> paths;
  const auto list = line.find("legal_output_type_list");
  if (list == line.end()) return paths;
  const auto is_text = [](const Json& label) { return label.is_string(); };
  for (const Json& path : *list) {
    if (!path.is_array() || !std::all_of(path.begin(), path.end(), is_text)) {
      return fail(ErrorCode::kSampleInvalid, "expected a list of label paths",
                  "/legal_output_type_list");
    }
    paths.push_back(path.get<schema::Path>());
  }
  return paths;
}

}  // namespace

std::string_view marker_of(TextKind kind) {
  if (kind == TextKind::kSingleLabel) return kClassify;
  return kind == TextKind::kMultiLabel ? kMultiClassify : std::string_view{};
}

Result<Sample> read_sample(const Json& line, const pipeline::QueryOptions& options) {
  if (!line.is_object()) {
    return fail(ErrorCode::kJsonInvalid,
                "expected an object, found " + std::string(json_kind(line)));
  }
  const auto text = line.find("text");
  if (text == line.end()) return fail(ErrorCode::kTextMissing, "there is no text", "/text");
  if (!text->is_string()) return fail(ErrorCode::kTextNotString, "the text is no string", "/text");
  REX_TRY(chars, text::CharText::make(text->get<std::string>()));
  Sample sample;
  sample.id = line.value("id", Json());
  REX_TRY(gold, read_gold(line, chars));
  sample.gold = std::move(gold);
  const bool reference = options.behaviour == Behaviour::kReference;
  auto tree =
      schema::parse_schema(line.contains("schema") ? line["schema"] : derived_schema(sample.gold),
                           {.reference = reference});
  if (!tree) return fail(std::move(tree).error().in("/schema"));
  REX_TRY(legal_paths, read_legal_paths(line));
  tree->legal_paths = std::move(legal_paths);
  sample.query.kind = kind_of(chars.utf8());
  sample.query.text = chars.utf8();
  if (!reference) sample.query.text.erase(0, marker_of(sample.query.kind).size());
  sample.query.schema = std::make_shared<const schema::Schema>(*std::move(tree));
  sample.query.options = options;
  return sample;
}

std::string text_of(const Sample& sample) {
  const bool marked = sample.query.options.behaviour == Behaviour::kReference;
  return (marked ? "" : std::string(marker_of(sample.query.kind))) + sample.query.text;
}

std::vector<ItemList> lists_of(const pipeline::Answer& answer, TextKind kind) {
  const std::string_view marker = marker_of(kind);
  std::vector<ItemList> lists;
  for (const pipeline::Chain& chain : answer.chains) {
    ItemList list;
    for (const pipeline::Step& step : chain) {
      if (step.start < 0) {
        list.push_back({step.label, std::string(marker), 0, static_cast<int32_t>(marker.size())});
      } else {
        list.push_back({step.label, step.span, step.start, step.end});
      }
    }
    lists.push_back(std::move(list));
  }
  return lists;
}

}  // namespace rex::eval
