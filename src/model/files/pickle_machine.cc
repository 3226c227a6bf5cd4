#include "model/files/pickle_machine.h"

#include <algorithm>

#include "model/files/bytes.h"
#include "model/files/pickle_input.h"
#include "model/files/pickle_opcodes.h"
#include "model/files/tensor_list.h"

namespace rex::model {
namespace {

constexpr PickleId kUnset = UINT32_MAX;

class Machine {
 public:
  explicit Machine(std::span<const std::byte> pickle) : input_(as_text(pickle)) {}

  Result<PickleResult> run() {
    for (;;) {
      REX_TRY(opcode, input_.take_opcode());
      if (opcode == kStop) return finish();
      REX_TRY_VOID(step(opcode));
      if (objects_.size() > kMaxPickleObjects || stack_.size() > kMaxPickleStack) {
        return damaged("it holds more objects than a state dict can have");
      }
    }
  }

 private:
  [[nodiscard]] Failure damaged(std::string why) const { return input_.damaged(std::move(why)); }
  [[nodiscard]] Failure unsafe(const std::string& what) const { return input_.unsafe(what); }

  // Stack -------------------------------------------------------------------------------------

  Result<void> push(PickleObject object) {
    stack_.push_back(static_cast<PickleId>(objects_.size()));
    objects_.push_back(std::move(object));
    return {};
  }
  Result<void> push_number(int64_t value) {
    return push({.kind = PickleKind::kInt, .number = value});
  }

  [[nodiscard]] size_t above_mark() const {
    return stack_.size() - (marks_.empty() ? 0 : marks_.back());
  }

  Result<PickleId> pop() {
    if (above_mark() == 0) return damaged("the stack is empty");
    const PickleId id = stack_.back();
    stack_.pop_back();
    return id;
  }

  Result<std::vector<PickleId>> pop_items(size_t count) {
    if (above_mark() < count) return damaged("the stack is empty");
    const auto first = stack_.end() - static_cast<ptrdiff_t>(count);
    std::vector<PickleId> items(first, stack_.end());
    stack_.erase(first, stack_.end());
    return items;
  }

  Result<std::vector<PickleId>> pop_to_mark() {
    if (marks_.empty()) return damaged("no mark on the stack");
    REX_TRY(items, pop_items(above_mark()));
    marks_.pop_back();
    return items;
  }

  Result<PickleObject*> top(PickleKind kind) {
    if (above_mark() == 0) return damaged("the stack is empty");
    PickleObject& object = objects_[stack_.back()];
    if (object.kind != kind) {
      return damaged("expected " + std::string(name_of(kind)) + ", found " +
                     std::string(name_of(object.kind)));
    }
    return &object;
  }

  [[nodiscard]] bool is(PickleId id, PickleKind kind) const { return objects_[id].kind == kind; }

  // A shape or strides. The bound keeps repeated use of one long tuple cheap.
  [[nodiscard]] bool is_numbers(PickleId id) const {
    const PickleObject& tuple = objects_[id];
    return tuple.kind == PickleKind::kTuple && tuple.items.size() <= kMaxRank &&
           std::all_of(tuple.items.begin(), tuple.items.end(),
                       [this](PickleId item) { return is(item, PickleKind::kInt); });
  }

  // Opcodes -----------------------------------------------------------------------------------

  Result<void> step(uint8_t opcode) {
    switch (opcode) {
      case kProto: return proto();
      case kFrame: return frame();
      case kNone: return push({.kind = PickleKind::kNone});
      case kNewTrue: return push({.kind = PickleKind::kBool, .number = 1});
      case kNewFalse: return push({.kind = PickleKind::kBool, .number = 0});
      case kBinInt: return number<int32_t>();
      case kBinInt1: return number<uint8_t>();
      case kBinInt2: return number<uint16_t>();
      case kLong1: return long1();
      case kBinFloat: return real();
      case kBinUnicode: return string<uint32_t>();
      case kShortBinUnicode: return string<uint8_t>();
      case kEmptyTuple: return push({.kind = PickleKind::kTuple});
      case kEmptyList: return push({.kind = PickleKind::kList});
      case kEmptyDict: return push({.kind = PickleKind::kDict});
      case kMark: return mark();
      case kTuple: return tuple_to_mark();
      case kTuple1: return tuple(1);
      case kTuple2: return tuple(2);
      case kTuple3: return tuple(3);
      case kAppend: return add(PickleKind::kList, pop_items(1));
      case kAppends: return add(PickleKind::kList, pop_to_mark());
      case kSetItem: return add(PickleKind::kDict, pop_items(2));
      case kSetItems: return add(PickleKind::kDict, pop_to_mark());
      case kBinPut: return put<uint8_t>();
      case kLongBinPut: return put<uint32_t>();
      case kMemoize: return remember(remembered_);
      case kBinGet: return get<uint8_t>();
      case kLongBinGet: return get<uint32_t>();
      case kGlobal: return global();
      case kStackGlobal: return stack_global();
      case kBinPersId: return storage();
      case kReduce: return reduce();
      case kBuild: return build();
      default: return unknown(opcode);
    }
  }

  [[nodiscard]] Result<void> unknown(uint8_t opcode) const {
    const std::string_view name = name_of_opcode(opcode);
    if (name.empty()) return damaged("byte value " + std::to_string(opcode) + " is no opcode");
    return unsafe("opcode " + std::string(name));
  }

  Result<void> proto() {
    REX_TRY(version, input_.take_number<uint8_t>());
    if (version < 2 || version > 5) return damaged("protocol " + std::to_string(version));
    return {};
  }

  Result<void> frame() {
    REX_TRY(size, input_.take_number<uint64_t>());
    if (size > input_.left()) return damaged("a frame reaches beyond its end");
    return {};
  }

  template <class Number>
  Result<void> number() {
    REX_TRY(value, input_.take_number<Number>());
    return push_number(value);
  }

  Result<void> long1() {
    REX_TRY(value, input_.take_long1());
    return push_number(value);
  }

  Result<void> real() {
    REX_TRY_VOID(input_.take(sizeof(double)));
    return push({.kind = PickleKind::kFloat});
  }

  template <class Length>
  Result<void> string() {
    REX_TRY(size, input_.take_number<Length>());
    REX_TRY(text, input_.take(size));
    return push({.kind = PickleKind::kString, .text = text});
  }

  Result<void> mark() {
    if (marks_.size() >= kMaxPickleStack) return damaged("too many marks");
    marks_.push_back(stack_.size());
    return {};
  }

  Result<void> tuple(size_t size) {
    REX_TRY(items, pop_items(size));
    return push({.kind = PickleKind::kTuple, .items = std::move(items)});
  }

  Result<void> tuple_to_mark() {
    REX_TRY(items, pop_to_mark());
    return push({.kind = PickleKind::kTuple, .items = std::move(items)});
  }

  // Items into the list or dictionary that is now on top.
  Result<void> add(PickleKind kind, Result<std::vector<PickleId>> popped) {
    REX_TRY(items, std::move(popped));
    if (kind == PickleKind::kDict && items.size() % 2 != 0) return damaged("a key has no value");
    REX_TRY(container, top(kind));
    container->items.insert(container->items.end(), items.begin(), items.end());
    return {};
  }

  template <class Index>
  Result<void> put() {
    REX_TRY(index, input_.take_number<Index>());
    return remember(index);
  }

  Result<void> remember(size_t index) {
    if (above_mark() == 0) return damaged("the stack is empty");
    if (index >= kMaxPickleObjects) return damaged("a memo index above the limit");
    if (index >= memo_.size()) memo_.resize(index + 1, kUnset);
    if (memo_[index] == kUnset) ++remembered_;
    memo_[index] = stack_.back();
    return {};
  }

  template <class Index>
  Result<void> get() {
    REX_TRY(index, input_.take_number<Index>());
    if (index >= memo_.size() || memo_[index] == kUnset) return damaged("an unset memo index");
    stack_.push_back(memo_[index]);
    return {};
  }

  Result<void> global() {
    REX_TRY(module, input_.take_line());
    REX_TRY(name, input_.take_line());
    return push_global(module, name);
  }

  Result<void> stack_global() {
    REX_TRY(parts, pop_items(2));
    if (!is(parts[0], PickleKind::kString) || !is(parts[1], PickleKind::kString)) {
      return damaged("a global's name is not text");
    }
    return push_global(objects_[parts[0]].text, objects_[parts[1]].text);
  }

  Result<void> push_global(std::string_view module, std::string_view name) {
    if (const std::optional<PickleGlobal> global = find_global(module, name)) {
      return push({.kind = PickleKind::kGlobal,
                   .text = global->name,
                   .storage_class = global->storage_class});
    }
    return unsafe("global " + printable(module) + "." + printable(name));
  }

  // A persistent id is ("storage", class, key, device, number of items).
  Result<void> storage() {
    REX_TRY(id, pop());
    const std::vector<PickleId>& parts = objects_[id].items;
    const bool formed = is(id, PickleKind::kTuple) && parts.size() == 5 &&
                        is(parts[0], PickleKind::kString) && objects_[parts[0]].text == "storage" &&
                        objects_[parts[1]].storage_class != nullptr &&
                        is(parts[1], PickleKind::kGlobal) && is(parts[2], PickleKind::kString) &&
                        is(parts[3], PickleKind::kString) && is(parts[4], PickleKind::kInt) &&
                        objects_[parts[4]].number >= 0;
    if (!formed) return damaged("a persistent id is not a storage");
    return push({.kind = PickleKind::kStorage,
                 .number = objects_[parts[4]].number,
                 .text = objects_[parts[2]].text,
                 .storage_class = objects_[parts[1]].storage_class});
  }

  Result<void> reduce() {
    REX_TRY(pair, pop_items(2));
    const PickleObject& function = objects_[pair[0]];
    if (function.kind != PickleKind::kGlobal) {
      return unsafe("a call of " + std::string(name_of(function.kind)));
    }
    if (!is(pair[1], PickleKind::kTuple)) return damaged("arguments are not a tuple");
    const std::vector<PickleId>& arguments = objects_[pair[1]].items;
    if (function.text == kOrderedDict) {
      if (!arguments.empty()) return unsafe("OrderedDict with arguments");
      return push({.kind = PickleKind::kDict});
    }
    if (function.text == kRebuildTensor) return rebuild_tensor(arguments);
    if (function.text == kRebuildParameter) return rebuild_parameter(arguments);
    return unsafe("a call of " + std::string(function.text));
  }

  // Hooks are functions that torch would call: there must be none.
  [[nodiscard]] bool is_empty_dict(PickleId id) const {
    return is(id, PickleKind::kDict) && objects_[id].items.empty();
  }

  Result<void> rebuild_tensor(const std::vector<PickleId>& arguments) {
    const bool formed = arguments.size() == 6 && is(arguments[0], PickleKind::kStorage) &&
                        is(arguments[1], PickleKind::kInt) && is_numbers(arguments[2]) &&
                        is_numbers(arguments[3]) && is(arguments[4], PickleKind::kBool);
    if (!formed) return damaged("a tensor's description has another form");
    if (!is_empty_dict(arguments[5])) return unsafe("a tensor with hooks");
    return push({.kind = PickleKind::kTensor, .items = {arguments.begin(), arguments.begin() + 4}});
  }

  Result<void> rebuild_parameter(const std::vector<PickleId>& arguments) {
    const bool formed = arguments.size() == 3 && is(arguments[0], PickleKind::kTensor) &&
                        is(arguments[1], PickleKind::kBool);
    if (!formed) return damaged("a parameter's description has another form");
    if (!is_empty_dict(arguments[2])) return unsafe("a parameter with hooks");
    stack_.push_back(arguments[0]);
    return {};
  }

  // A state dict carries an attribute `_metadata`; attributes of dictionaries are dropped.
  Result<void> build() {
    REX_TRY(pair, pop_items(2));
    if (!is(pair[0], PickleKind::kDict) || !is(pair[1], PickleKind::kDict)) {
      return unsafe("opcode BUILD on " + std::string(name_of(objects_[pair[0]].kind)));
    }
    stack_.push_back(pair[0]);
    return {};
  }

  Result<PickleResult> finish() {
    if (!marks_.empty() || stack_.size() != 1) return damaged("it leaves more than one object");
    if (input_.left() != 0) return damaged("it goes on after its end");
    return PickleResult{std::move(objects_), stack_.back()};
  }

  PickleInput input_;
  std::vector<PickleObject> objects_;
  std::vector<PickleId> stack_;
  std::vector<size_t> marks_;  // heights of the stack
  std::vector<PickleId> memo_;
  size_t remembered_ = 0;  // set entries of the memo: MEMOIZE takes this as its index
};

}  // namespace

std::string_view name_of(PickleKind kind) {
  switch (kind) {
    case PickleKind::kNone: return "None";
    case PickleKind::kBool: return "a flag";
    case PickleKind::kInt: return "a whole number";
    case PickleKind::kFloat: return "a number";
    case PickleKind::kString: return "a string";
    case PickleKind::kTuple: return "a tuple";
    case PickleKind::kList: return "a list";
    case PickleKind::kDict: return "a dictionary";
    case PickleKind::kGlobal: return "a global";
    case PickleKind::kStorage: return "a storage";
    case PickleKind::kTensor: break;
  }
  return "a tensor";
}

Result<PickleResult> run_pickle(std::span<const std::byte> pickle) {
  if (pickle.size() > kMaxPickleBytes) {
    return fail(ErrorCode::kCheckpointInvalid,
                "the pickle has " + std::to_string(pickle.size()) + " bytes, at most " +
                    std::to_string(kMaxPickleBytes) + " are accepted");
  }
  return Machine(pickle).run();
}

}  // namespace rex::model
