// Failures as values. Nothing in this library throws, except std::bad_alloc while a request or an
// answer is copied by the caller itself.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace rexuninlu {

struct Error {
  std::string code;       // stable, for programs, for example SCHEMA_BAD_VALUE
  std::string message;    // what was found and what is allowed
  std::string place;      // JSON pointer, file, tensor or option; may be empty
  std::string advice;     // what to do next, English
  std::string advice_zh;  // the same, Chinese

  // One line: "/schema/人物: expected null or labels, found a number; write a label as …".
  [[nodiscard]] std::string to_string() const {
    return (place.empty() ? message : place + ": " + message) + "; " + advice;
  }
};

// A value, or the error that stands in its place. value() requires ok(), error() requires !ok().
template <class T>
class Expected {
 public:
  Expected(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Expected(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] const T& value() const& { return *std::get_if<0>(&state_); }
  [[nodiscard]] T& value() & { return *std::get_if<0>(&state_); }
  [[nodiscard]] T&& value() && { return std::move(*std::get_if<0>(&state_)); }
  [[nodiscard]] const Error& error() const { return *std::get_if<1>(&state_); }

  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace rexuninlu
