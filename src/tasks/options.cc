#include <cmath>

#include "tasks/request.h"

namespace rex::tasks {
namespace {

Result<void> read_number(const Json& value, const std::string& place, double low, double high,
                         double& out) {
  if (!value.is_number()) {
    return fail(ErrorCode::kOptionType, "expected a number, found " + std::string(json_kind(value)),
                place);
  }
  const double number = value.get<double>();
  if (!(number >= low && number <= high)) {
    return fail(
        ErrorCode::kOptionRange,
        "is " + value.dump() + "; allowed are " + Json(low).dump() + " to " + Json(high).dump(),
        place);
  }
  out = number;
  return {};
}

Result<void> read_probability(const Json& value, const std::string& place, double& out) {
  return read_number(value, place, 0.0, 1.0, out);
}

Result<void> read_integer(const Json& value, const std::string& place, int32_t low, int32_t high,
                          int32_t& out) {
  double number = 0.0;
  if (!value.is_number_integer()) {
    return fail(ErrorCode::kOptionType,
                "expected a whole number, found " + std::string(json_kind(value)), place);
  }
  if (auto read = read_number(value, place, low, high, number); !read) {
    return fail(ErrorCode::kOptionRange,
                "is " + value.dump() + "; allowed are " + std::to_string(low) + " to " +
                    std::to_string(high),
                place);
  }
  out = static_cast<int32_t>(std::lround(number));
  return {};
}

Result<void> read_flag(const Json& value, const std::string& place, bool& out) {
  if (!value.is_boolean()) {
    return fail(ErrorCode::kOptionType,
                "expected true or false, found " + std::string(json_kind(value)), place);
  }
  out = value.get<bool>();
  return {};
}

// One of a few words; `out` gets its index.
Result<void> read_word(const Json& value, const std::string& place,
                       std::initializer_list<std::string_view> words, size_t& out) {
  std::string allowed;
  size_t index = 0;
  for (const std::string_view word : words) {
    if (value.is_string() && value.get_ref<const std::string&>() == word) {
      out = index;
      return {};
    }
    allowed += allowed.empty() ? "" : ", ";
    allowed += word;
    ++index;
  }
  return fail(value.is_string() ? ErrorCode::kOptionRange : ErrorCode::kOptionType,
              "expected one of " + allowed, place);
}

Result<void> read_thresholds(const Json& value, const std::string& place,
                             std::map<std::string, double>& out) {
  if (!value.is_object()) {
    return fail(ErrorCode::kOptionType,
                "expected {\"label\": number}, found " + std::string(json_kind(value)), place);
  }
  for (const auto& [label, threshold] : value.items()) {
    REX_TRY_VOID(read_probability(threshold, place + "/" + pointer_escape(label), out[label]));
  }
  return {};
}

struct OptionRow {
  std::string_view name;
  Result<void> (*read)(const Json& value, const std::string& place, TaskOptions& out);
};

Result<void> read_threshold(const Json& v, const std::string& p, TaskOptions& o) {
  return read_probability(v, p, o.threshold.emplace(0.0));
}

constexpr int32_t kMany = 1'000'000;

constexpr OptionRow kOptions[] = {
    {"threshold", read_threshold},
    {"confidence_threshold", read_threshold},
    {"thresholds", [](const Json& v, const std::string& p,
                      TaskOptions& o) { return read_thresholds(v, p, o.query.thresholds); }},
    {"multi_label_threshold",
     [](const Json& v, const std::string& p, TaskOptions& o) {
       return read_probability(v, p, o.query.multi_label_threshold);
     }},
    {"max_span_num",
     [](const Json& v, const std::string& p, TaskOptions& o) {
       return read_integer(v, p, 0, kMany, o.query.max_span_num);
     }},
    {"max_length", [](const Json& v, const std::string& p,
                      TaskOptions& o) { return read_integer(v, p, 16, 512, o.query.max_length); }},
    {"stride", [](const Json& v, const std::string& p,
                  TaskOptions& o) { return read_integer(v, p, 0, 256, o.query.stride); }},
    {"overlap",
     [](const Json& v, const std::string& p, TaskOptions& o) -> Result<void> {
       size_t word = 0;
       REX_TRY_VOID(read_word(v, p, {"all", "longest", "score"}, word));
       o.query.overlap = static_cast<pipeline::Overlap>(word);
       return {};
     }},
    {"partial_paths", [](const Json& v, const std::string& p,
                         TaskOptions& o) { return read_flag(v, p, o.query.partial_paths); }},
    {"allow_empty", [](const Json& v, const std::string& p,
                       TaskOptions& o) { return read_flag(v, p, o.query.allow_empty); }},
    {"behaviour",
     [](const Json& v, const std::string& p, TaskOptions& o) -> Result<void> {
       size_t word = 0;
       REX_TRY_VOID(read_word(v, p, {"standard", "reference"}, word));
       o.query.behaviour = static_cast<pipeline::Behaviour>(word);
       return {};
     }},
    {"reference_final_step",
     [](const Json& v, const std::string& p, TaskOptions& o) {
       return read_flag(v, p, o.query.reference_final_step);
     }},
    {"implicit_aspect", [](const Json& v, const std::string& p,
                           TaskOptions& o) { return read_flag(v, p, o.implicit_aspect); }},
    {"event_suffix",
     [](const Json& v, const std::string& p, TaskOptions& o) -> Result<void> {
       size_t word = 0;
       REX_TRY_VOID(read_word(v, p, {"off", "auto"}, word));
       o.event_suffix = word == 1;
       return {};
     }},
    {"top_k", [](const Json& v, const std::string& p,
                 TaskOptions& o) { return read_integer(v, p, 0, kMany, o.top_k); }},
    {"min_confidence", [](const Json& v, const std::string& p,
                          TaskOptions& o) { return read_probability(v, p, o.min_confidence); }},
    {"coref_max_distance",
     [](const Json& v, const std::string& p, TaskOptions& o) {
       return read_integer(v, p, 0, kMany, o.coref_max_distance);
     }},
    {"label_template",
     [](const Json& v, const std::string& p, TaskOptions& o) -> Result<void> {
       if (!v.is_string()) return fail(ErrorCode::kOptionType, "expected a string", p);
       o.label_template = v.get<std::string>();
       if (o.label_template.find("{label}") == std::string::npos) {
         return fail(ErrorCode::kOptionRange, "must contain {label}", p);
       }
       return {};
     }},
};

}  // namespace

Result<void> read_options(const Json& object, const std::string& place, bool strict,
                          TaskOptions& options, std::vector<Warning>& warnings) {
  if (!object.is_object()) {
    return fail(ErrorCode::kOptionType,
                "expected an object, found " + std::string(json_kind(object)), place);
  }
  for (const auto& [name, value] : object.items()) {
    const std::string here = place + "/" + pointer_escape(name);
    const OptionRow* found = nullptr;
    for (const OptionRow& row : kOptions) {
      if (row.name == name) found = &row;
    }
    if (found != nullptr) {
      REX_TRY_VOID(found->read(value, here, options));
    } else if (strict) {
      return fail(ErrorCode::kFieldUnknown, "there is no option \"" + name + "\"", here);
    } else {
      warnings.push_back({"UNKNOWN_FIELD", "there is no option \"" + name + "\"; ignored", here});
    }
  }
  return {};
}

}  // namespace rex::tasks
