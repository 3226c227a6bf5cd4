#include "eval/formats/brat.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace rex::eval::formats {
namespace {

using Words = std::vector<std::string_view>;

Words split(std::string_view text, char mark) {
  Words parts;
  while (true) {
    const size_t end = text.find(mark);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Parts between spaces, none of them empty.
Words words_of(std::string_view text) {
  Words parts = split(text, ' ');
  std::erase(parts, std::string_view());
  return parts;
}

bool read_number(std::string_view text, int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool is_break(std::string_view text) {
  return !text.empty() && text.find_first_not_of(" \t\r\n") == std::string_view::npos &&
         text.find_first_of("\r\n") != std::string_view::npos;
}

Failure bad(std::string message, std::string place = {}) {
  return fail(ErrorCode::kSampleInvalid, std::move(message), std::move(place));
}

// Roles as written in an event, each with the identifier that fills it.
using Arguments = std::vector<std::pair<std::string, std::string>>;

// What a written role means: without its number when the event has it without one too.
std::string role_of(const std::string& name, const Arguments& arguments) {
  const std::string base = name.substr(0, name.find_last_not_of("0123456789") + 1);
  const bool numbered = std::any_of(arguments.begin(), arguments.end(),
                                    [&](const auto& other) { return other.first == base; });
  return numbered ? base : name;
}

// One E line.
struct Event {
  std::string place;
  size_t trigger = 0;
  Arguments arguments;
};

// Reads the lines of one text: entities first, since others refer to them.
class Reader {
 public:
  Reader(const text::CharText& text, std::string place, Document& document, Batch& batch)
      : text_(text), place_(std::move(place)), document_(document), batch_(batch) {}

  Result<void> read(std::string_view ann) {
    const Words lines = split(ann, '\n');
    for (const std::string_view pass : {"T", "E", "R*AMN#"}) {
      for (size_t i = 0; i < lines.size(); ++i) {
        std::string_view line = lines[i];
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
        here_ = "line " + std::to_string(i + 1);
        const bool known = std::string_view("TERAMN*#").find(line[0]) != std::string_view::npos;
        auto done = known ? Result<void>() : bad("no kind of annotation begins like this");
        if (known && pass.find(line[0]) != std::string_view::npos) done = read_line(line);
        if (!done) return fail(std::move(done).error().in(here_));
      }
    }
    return read_arguments();
  }

 private:
  Result<void> read_line(std::string_view line) {
    const Words fields = split(line, '\t');
    if (line[0] == '#' || line[0] == 'A' || line[0] == 'M' || line[0] == 'N') {
      batch_.lose(line[0] == '#'   ? "a note"
                  : line[0] == 'N' ? "a normalisation"
                                   : "an attribute",
                  place_ + here_);
      return {};
    }
    if (fields.size() < 2) return bad("expected an identifier, a tab and the annotation");
    const std::string id(fields[0]);
    switch (line[0]) {
      case 'T': return read_entity(id, fields);
      case 'E': return read_event(id, fields[1]);
      case 'R': return read_relation(fields[1]);
      default: return read_equal(fields[1]);
    }
  }

  // "0 5;6 10" as [start, end) of the whole; false when the parts lie apart.
  Result<bool> read_range(std::string_view range, int64_t& start, int64_t& end) {
    bool whole = true, first = true;
    for (const std::string_view part : split(range, ';')) {
      const Words ends = words_of(part);
      int64_t from = 0, to = 0;
      if (ends.size() != 2 || !read_number(ends[0], from) || !read_number(ends[1], to))
        return bad("expected TYPE START END");
      if (from < 0 || from >= to || to > text_.size())
        return bad("the offsets are no part of the text; they count code points");
      if (!first) {
        whole = whole && end <= from &&
                is_break(text_.slice(static_cast<int32_t>(end), static_cast<int32_t>(from)));
      }
      if (first) start = from;
      end = to;
      first = false;
    }
    return whole;
  }

  Result<void> read_entity(const std::string& id, const Words& fields) {
    const size_t space = fields[1].find(' ');
    if (space == std::string_view::npos) return bad("expected TYPE START END");
    int64_t start = 0, end = 0;
    REX_TRY(whole, read_range(fields[1].substr(space + 1), start, end));
    if (entities_.contains(id)) return bad("a second entity has this identifier");
    if (!whole) {
      entities_[id] = kLost;
      batch_.lose("discontinuous spans are not supported; annotate one span, or each part alone",
                  place_ + here_);
      return {};
    }
    REX_TRY(entity, make_entity(std::string(fields[1].substr(0, space)), start, end, text_, ""));
    if (fields.size() < 3) return bad("the words of the entity are missing");
    // The words may hold tabs themselves.
    std::string told(fields[2]);
    for (size_t i = 3; i < fields.size(); ++i) told.append("\t").append(fields[i]);
    const std::string words(text_.slice(entity.start, entity.end));
    if (flat(words) != flat(told))
      return bad("\"" + told + "\" is not the text at its offsets, which is \"" + flat(words) +
                 "\"");
    entities_[id] = document_.entities.size();
    document_.entities.push_back(std::move(entity));
    return {};
  }

  // White space as single spaces, as brat writes the words of an entity.
  static std::string flat(const std::string& words) {
    std::string out;
    for (const char c : words) {
      const bool space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
      if (!space) out += c;
      if (space && !out.ends_with(' ')) out += ' ';
    }
    return out;
  }

  Result<void> read_event(const std::string& id, std::string_view body) {
    Event event{here_, 0, {}};
    const Words words = words_of(body);
    for (const std::string_view word : words) {
      const size_t colon = word.rfind(':');
      if (colon == std::string_view::npos) return bad("expected TYPE:TRIGGER ROLE:ARGUMENT …");
      event.arguments.emplace_back(word.substr(0, colon), word.substr(colon + 1));
    }
    if (words.empty()) return bad("the event has no trigger");
    const auto [type, trigger] = event.arguments[0];
    const auto found = entities_.find(trigger);
    if (found == entities_.end()) return bad("there is no " + trigger);
    event.trigger = found->second;
    if (event.trigger != kLost && document_.entities[event.trigger].type != type) {
      return bad("the trigger " + trigger + " is a \"" + document_.entities[event.trigger].type +
                 "\", the event a \"" + type + "\"; give both the same type");
    }
    event.arguments.erase(event.arguments.begin());
    if (!triggers_.emplace(id, event.trigger).second)
      return bad("a second event has this identifier");
    events_.push_back(std::move(event));
    return {};
  }

  Result<void> read_arguments() {
    for (const Event& event : events_) {
      for (const auto& [name, id] : event.arguments) {
        auto to = entity(id);
        if (!to) return fail(std::move(to).error().in(event.place));
        add_relation(event.trigger, *to, role_of(name, event.arguments), true, event.place);
      }
    }
    return {};
  }

  Result<void> read_relation(std::string_view body) {
    const Words words = words_of(body);
    if (words.size() != 3 || !words[1].starts_with("Arg1:") || !words[2].starts_with("Arg2:"))
      return bad("expected TYPE Arg1:ID Arg2:ID");
    REX_TRY(from, entity(std::string(words[1].substr(5))));
    REX_TRY(to, entity(std::string(words[2].substr(5))));
    add_relation(from, to, std::string(words[0]), false, here_);
    return {};
  }

  Result<void> read_equal(std::string_view body) {
    const Words words = words_of(body);
    if (words.size() < 3) return bad("expected TYPE ID ID …");
    REX_TRY(from, entity(std::string(words[1])));
    for (size_t i = 2; i < words.size(); ++i) {
      REX_TRY(to, entity(std::string(words[i])));
      add_relation(from, to, std::string(words[0]), false, here_);
    }
    return {};
  }

  void add_relation(size_t from, size_t to, std::string type, bool argument,
                    const std::string& where) {
    if (from == kLost || to == kLost)
      batch_.lose("\"" + type + "\" of a discontinuous span", place_ + where);
    else
      document_.relations.push_back({from, to, std::move(type), argument});
  }

  // An entity or an event's trigger; kLost for a discontinuous one.
  Result<size_t> entity(const std::string& id) {
    if (const auto found = entities_.find(id); found != entities_.end()) return found->second;
    if (const auto found = triggers_.find(id); found != triggers_.end()) return found->second;
    return bad("there is no " + id);
  }

  static constexpr size_t kLost = static_cast<size_t>(-1);

  const text::CharText& text_;
  std::string place_, here_;
  Document& document_;
  Batch& batch_;
  std::map<std::string, size_t> entities_, triggers_;
  std::vector<Event> events_;
};

Result<void> check_name(const std::string& name, const char* what) {
  if (name.empty()) return bad("brat needs a name here", what);
  if (name.find_first_of(" \t\r\n") == std::string::npos) return {};
  return bad("brat's names have no white space; rename it", std::string(what) + " " + name);
}

// brat splits "TYPE:TRIGGER" and "ROLE:ARGUMENT" at every colon.
Result<void> check_no_colon(const std::string& name, const char* what) {
  if (name.find(':') == std::string::npos) return {};
  return bad("brat has \":\" behind this name in an event's line; rename it without one",
             std::string(what) + " " + name);
}

// TYPE START END and the words, both in parts around line breaks.
Result<std::string> entity_text(const Entity& entity, const text::CharText& text) {
  REX_TRY_VOID(check_name(entity.type, "entity"));
  const auto is_line_break = [&](int32_t i) {
    return text.slice(i, i + 1) == "\n" || text.slice(i, i + 1) == "\r";
  };
  if (is_line_break(entity.start) || is_line_break(entity.end - 1)) {
    return bad("brat has no entity that begins or ends with a line break; shorten it",
               "entity " + entity.type);
  }
  std::string ranges, words;
  for (int32_t i = entity.start; i < entity.end;) {
    int32_t end = i;
    while (end < entity.end && !is_line_break(end)) ++end;
    if (end > i) {
      ranges += (ranges.empty() ? "" : ";") + std::to_string(i) + " " + std::to_string(end);
      words.append(words.empty() ? "" : " ").append(text.slice(i, end));
    }
    i = end + 1;
  }
  return entity.type + " " + ranges + "\t" + words;
}

// The roles of one event with brat's numbers: the second 时间 is 时间2.
Result<Arguments> numbered(const Arguments& roles) {
  Arguments written;
  std::map<std::string, int> times;
  for (const auto& [role, id] : roles) {
    const int count = ++times[role];
    written.emplace_back(role + (count > 1 ? std::to_string(count) : ""), id);
  }
  for (size_t i = 0; i < roles.size(); ++i) {
    const std::string meant = role_of(written[i].first, written);
    if (meant == roles[i].first) continue;
    return bad("brat numbers the repeated roles of an event, and this one would come back as \"" +
                   meant + "\"; rename it so that it does not end in a digit",
               "role " + roles[i].first);
  }
  return written;
}

}  // namespace

Result<Document> read_brat(std::string text, std::string_view ann, const std::string& place,
                           Batch& batch) {
  Document document;
  document.text = text;
  REX_TRY(chars, text::CharText::make(std::move(text)));
  Batch lost;
  REX_TRY_VOID(Reader(chars, place, document, lost).read(ann));
  for (Error& error : lost.lost) batch.lost.push_back(std::move(error));
  return document;
}

Result<std::string> write_brat(const Document& document) {
  if (!document.classes.empty() ||
      document.kind.value_or(pipeline::TextKind::kExtraction) != pipeline::TextKind::kExtraction)
    return bad("brat has no classes of a whole text; use another form for this record");
  REX_TRY(text, text::CharText::make(document.text));
  std::string entities, relations, events;
  for (size_t i = 0; i < document.entities.size(); ++i) {
    REX_TRY(line, entity_text(document.entities[i], text));
    entities += "T" + std::to_string(i + 1) + "\t" + line + "\n";
  }
  const auto id_of = [](size_t entity) { return "T" + std::to_string(entity + 1); };
  std::map<size_t, Arguments> roles;  // of a trigger
  size_t count = 0;
  for (const Relation& relation : document.relations) {
    REX_TRY_VOID(check_name(relation.type, relation.argument ? "role" : "relation"));
    if (relation.argument) {
      REX_TRY_VOID(check_no_colon(relation.type, "role"));
      roles[relation.from].emplace_back(relation.type, id_of(relation.to));
    } else {
      relations += "R" + std::to_string(++count) + "\t" + relation.type +
                   " Arg1:" + id_of(relation.from) + " Arg2:" + id_of(relation.to) + "\n";
    }
  }
  count = 0;
  for (const auto& [trigger, arguments] : roles) {
    const std::string& type = document.entities[trigger].type;
    REX_TRY_VOID(check_no_colon(type, "trigger"));
    REX_TRY(written, numbered(arguments));
    events += "E" + std::to_string(++count) + "\t" + type + ":" + id_of(trigger);
    for (const auto& [role, id] : written) events.append(" ").append(role).append(":").append(id);
    events += "\n";
  }
  return entities + relations + events;
}

}  // namespace rex::eval::formats
