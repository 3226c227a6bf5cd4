// What an engine returns: the cells of the score matrix Z (M23) that decoding can use, as compact
// lists. Row a, column b of Z is q_rot[a] · k_rot[b]; P = sigmoid(Z).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rex::engine {

// A cell above the pass's floor. Text tokens are pass-relative indexes; types are ordinals
// 0…type_count-1 of the pass's type tokens.
struct Link {
  int32_t row = 0;
  int32_t col = 0;
  float logit = 0.0F;
};

// Z at the marker token c = text_begin and a type token y, whatever their sign.
struct ClassCells {
  float marker = 0.0F;          // Z[c, c]
  float marker_to_type = 0.0F;  // Z[c, y], the head link
  float type_to_marker = 0.0F;  // Z[y, c], the tail link
};

// Links of one pass, each list in row-major order (M25).
struct PassLinks {
  std::span<const Link> spans;          // head text token ≤ tail text token (D2)
  std::span<const Link> heads;          // row: text token, col: type ordinal
  std::span<const Link> tails;          // row: type ordinal, col: text token
  std::span<const ClassCells> classes;  // one for each type, when PassInfo::class_cells
};

// The links of a batch. Keeps its capacity between batches, so a steady state allocates nothing.
class LinkLists {
 public:
  [[nodiscard]] size_t size() const { return bounds_.size(); }
  [[nodiscard]] PassLinks pass(size_t index) const {
    const Bounds& b = bounds_[index];
    return {slice(spans_, b.span_begin, b.span_end), slice(heads_, b.head_begin, b.head_end),
            slice(tails_, b.tail_begin, b.tail_end), slice(classes_, b.class_begin, b.class_end)};
  }

  // For engines: clear, then for each pass in order push its cells and close it.
  void clear() {
    spans_.clear(), heads_.clear(), tails_.clear(), classes_.clear(), bounds_.clear();
    open_ = {};
  }
  void push_span(Link link) { spans_.push_back(link); }
  void push_head(Link link) { heads_.push_back(link); }
  void push_tail(Link link) { tails_.push_back(link); }
  void push_class(ClassCells cells) { classes_.push_back(cells); }
  void close_pass() {
    open_.span_end = spans_.size(), open_.head_end = heads_.size();
    open_.tail_end = tails_.size(), open_.class_end = classes_.size();
    bounds_.push_back(open_);
    open_ = {open_.span_end, 0, open_.head_end, 0, open_.tail_end, 0, open_.class_end, 0};
  }

 private:
  struct Bounds {
    size_t span_begin = 0, span_end = 0, head_begin = 0, head_end = 0;
    size_t tail_begin = 0, tail_end = 0, class_begin = 0, class_end = 0;
  };
  template <class T>
  static std::span<const T> slice(const std::vector<T>& all, size_t begin, size_t end) {
    return std::span<const T>(all).subspan(begin, end - begin);
  }

  std::vector<Link> spans_, heads_, tails_;
  std::vector<ClassCells> classes_;
  std::vector<Bounds> bounds_;
  Bounds open_;
};

}  // namespace rex::engine
