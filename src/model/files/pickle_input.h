// The bytes of a pickle, taken from front to back, each step checked against the end; and the
// errors of the machine, which name the byte of the current opcode.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"
#include "model/files/bytes.h"

namespace rex::model {

class PickleInput {
 public:
  explicit PickleInput(std::string_view text) : text_(text) {}  // borrows the text

  [[nodiscard]] size_t left() const { return text_.size() - at_; }

  [[nodiscard]] Failure damaged(std::string why) const {
    return fail(ErrorCode::kCheckpointInvalid, "the pickle is damaged: " + std::move(why), place());
  }
  [[nodiscard]] Failure unsafe(const std::string& what) const {
    return fail(ErrorCode::kCheckpointUnsafe, what + " at " + place() + " is not allowed", place());
  }

  Result<uint8_t> take_opcode() {
    opcode_at_ = at_;
    return take_number<uint8_t>();
  }

  Result<std::string_view> take(size_t size) {
    if (size > left()) return damaged("it ends in the middle of an opcode");
    const std::string_view taken = text_.substr(at_, size);
    at_ += size;
    return taken;
  }

  template <class Number>
  Result<Number> take_number() {
    REX_TRY(bytes, take(sizeof(Number)));
    return load_number<Number>(std::as_bytes(std::span(bytes)), 0);
  }

  // Up to the next line feed, which is taken too but not returned.
  Result<std::string_view> take_line() {
    const size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) return damaged("a line has no end");
    const std::string_view line = text_.substr(at_, end - at_);
    at_ = end + 1;
    return line;
  }

  // A length byte, then little-endian two's complement of at most eight bytes.
  Result<int64_t> take_long1() {
    REX_TRY(size, take_number<uint8_t>());
    if (size > sizeof(int64_t)) return damaged("a number of more than 64 bits");
    REX_TRY(bytes, take(size));
    const bool negative = !bytes.empty() && (static_cast<uint8_t>(bytes.back()) & 0x80U) != 0;
    uint64_t value = negative ? ~uint64_t{0} : 0;
    for (size_t i = bytes.size(); i-- > 0;) value = value << 8U | static_cast<uint8_t>(bytes[i]);
    return static_cast<int64_t>(value);
  }

 private:
  [[nodiscard]] std::string place() const { return "byte " + std::to_string(opcode_at_); }

  std::string_view text_;
  size_t at_ = 0;         // next byte
  size_t opcode_at_ = 0;  // of the current opcode
};

}  // namespace rex::model
