// Ctrl-C and SIGTERM as a stop token: the first one asks the run to finish cleanly, a second one
// ends the program at once.
#pragma once

#include <stop_token>
#include <thread>

namespace rex::cli {

// At most one at a time; signals behave as before once it is gone.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
  [[nodiscard]] bool requested() const { return source_.stop_requested(); }

 private:
  std::stop_source source_;
  std::jthread watcher_;
};

}  // namespace rex::cli
