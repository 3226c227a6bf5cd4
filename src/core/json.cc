#include "core/json.h"

#include <optional>
#include <set>
#include <vector>

namespace rex {
namespace {

// Builds the document while watching depth and keys; nlohmann's own DOM builder keeps no path.
class StrictReader : public nlohmann::json_sax<Json> {
 public:
  explicit StrictReader(JsonLimits limits) : limits_(limits) {}

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }

  bool start_object(size_t /*count*/) override { return open(Json::object()); }
  bool start_array(size_t /*count*/) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& value) override {
    Frame& frame = stack_.back();
    frame.key = value;
    frame.key_is_new = frame.seen.insert(value).second;
    if (!frame.key_is_new && limits_.reject_duplicate_keys) {
      error_ =
          Error{ErrorCode::kSchemaDuplicateKey, "key \"" + value + "\" stands twice", pointer()};
      return false;
    }
    return true;
  }

  bool parse_error(size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& exception) override {
    std::string message = exception.what();
    const bool encoding = message.find("UTF-8") != std::string::npos;
    // "[json.exception.parse_error.101] parse error at line 1, column 3: syntax error …"
    if (const size_t colon = message.find(": "); colon != std::string::npos)
      message.erase(0, colon + 2);
    error_ = Error{encoding ? ErrorCode::kEncodingInvalid : ErrorCode::kJsonInvalid, message,
                   "byte " + std::to_string(position)};
    return false;
  }

  Result<Json> take() && {
    if (error_) return fail(std::move(*error_));
    return std::move(root_);
  }

 private:
  struct Frame {
    Json value;
    std::string key;
    bool key_is_new = true;
    std::set<std::string> seen;
  };

  [[nodiscard]] std::string pointer() const {
    std::string path;
    for (const Frame& frame : stack_) {
      path += '/';
      path +=
          frame.value.is_array() ? std::to_string(frame.value.size()) : pointer_escape(frame.key);
    }
    return path;
  }

  bool put(Json value) {
    if (stack_.empty()) {
      root_ = std::move(value);
    } else if (Frame& parent = stack_.back(); parent.value.is_array()) {
      parent.value.push_back(std::move(value));
    } else if (parent.key_is_new) {
      // operator[] would scan all keys for the new one: quadratic time for hostile input.
      parent.value.get_ref<Json::object_t&>().push_back({parent.key, std::move(value)});
    } else {
      parent.value[parent.key] = std::move(value);
    }
    return true;
  }

  bool open(Json container) {
    if (stack_.size() >= limits_.max_depth) {
      error_ =
          Error{ErrorCode::kSchemaTooDeep,
                "nested deeper than " + std::to_string(limits_.max_depth) + " levels", pointer()};
      return false;
    }
    stack_.push_back({std::move(container), {}, true, {}});
    return true;
  }

  bool close() {
    Json value = std::move(stack_.back().value);
    stack_.pop_back();
    return put(std::move(value));
  }

  JsonLimits limits_;
  std::vector<Frame> stack_;
  Json root_;
  std::optional<Error> error_;
};

}  // namespace

Result<Json> parse_json(std::string_view text, JsonLimits limits) {
  StrictReader reader(limits);
  Json::sax_parse(text.begin(), text.end(), &reader);
  return std::move(reader).take();
}

std::string pointer_escape(std::string_view key) {
  std::string escaped;
  for (const char c : key) {
    if (c == '~') {
      escaped += "~0";
    } else if (c == '/') {
      escaped += "~1";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

Json warnings_json(const std::vector<Warning>& warnings) {
  Json json = Json::array();
  for (const Warning& w : warnings)
    json.push_back({{"code", w.code}, {"message", w.message}, {"param", w.place}});
  return json;
}

std::string_view json_kind(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null: return "null";
    case Json::value_t::boolean: return "a boolean";
    case Json::value_t::string: return "a string";
    case Json::value_t::array: return "a list";
    case Json::value_t::object: return "an object";
    default: return "a number";
  }
}

}  // namespace rex
