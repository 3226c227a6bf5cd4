// score[i,j] = q_i·k_j + q_i·PK[u] + k_j·PQ[u],  u = slot(pos_i − pos_j)      (M8, M9)
//
// For a block of rows only the slots between its smallest and largest distance occur, so both
// position terms are small dense products with a band of the table:
//   keys:    K block · PQ band → one row of p2c scores a key, kept for all queries of the head
//   queries: Q block · PK band → c2p scores, made just before the block's softmax
// The two are then gathered by slot, added to Q·Kᵀ, masked by the two token words, and the
// softmax and the product with V follow while the block is in the cache.
//
// The products are made in f32 by tile_product(), or in half precision by a panel kernel (panel.h):
// then K, V and the position tables are panels, and the rows of Q, K and of the softmax's result
// are converted to what the kernel reads. Scores, softmax and sums are f32 either way.
//
// Scratch for n = 512, D = 64: about 1.5 MB, within a core's second-level cache.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/attention.cc"
// clang-format off: first, since it compiles the rest once for each target
#include "hwy/foreach_target.h"
// clang-format on

#include "engine/cpu/attention.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "engine/batch.h"
#include "engine/cpu/finish_panel.h"
#include "engine/cpu/tile_product-inl.h"
#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

#ifndef REX_ATTENTION_COMMON
#define REX_ATTENTION_COMMON
namespace rex::engine {

constexpr int32_t kBlockRows = 28;  // two register tiles of a panel kernel

constexpr int32_t rounded_up(int32_t value, int32_t step) {
  return (value + step - 1) / step * step;
}

// Where the parts of the scratch begin, in floats.
struct AttentionScratch {
  AttentionScratch(const AttentionShape& shape, int32_t tokens)
      : depth(rounded_up(shape.head_width, kDepthStep)),
        ld_tokens(rounded_up(tokens, kDepthStep)),
        ld_value(rounded_up(shape.head_width, kPanelColumns)),
        ld_band(rounded_up(std::min(shape.slots, tokens + kBlockRows), kPanelColumns) +
                kPanelColumns) {
    const int64_t n = tokens;
    const bool half = shape.panels != nullptr;
    const auto place = [this](int64_t floats) {
      const int64_t at = total;
      total += (floats + 63) / 64 * 64;
      return at;
    };
    key = place(half ? int64_t{ld_tokens} * depth / 2 : int64_t{shape.head_width} * ld_tokens);
    value = place(half ? int64_t{ld_tokens} * ld_value / 2 : n * ld_value);
    positions = place(ld_tokens);
    words = place(ld_tokens);
    base = place(ld_tokens);
    rows = place(half ? n * 2 * depth : 0);  // queries, then keys, as the kernel reads them
    weights = place(half ? int64_t{kBlockRows} * ld_tokens : 0);
    key_band = place(n * ld_band);
    query_band = place(int64_t{kBlockRows} * ld_band);
    scores = place(int64_t{kBlockRows} * ld_tokens);
    context = place(int64_t{kBlockRows} * ld_value);
  }
  int32_t depth, ld_tokens, ld_value, ld_band;
  int64_t key, value, positions, words, base, rows, weights, key_band, query_band, scores, context;
  int64_t total = 0;
};

}  // namespace rex::engine
#endif

HWY_BEFORE_NAMESPACE();
namespace rex::engine::HWY_NAMESPACE {

using FloatTag = hn::ScalableTag<float>;
using IntTag = hn::RebindToSigned<FloatTag>;

struct Range {
  int32_t low, high;
};

// Position ids of tokens [begin, end).
inline Range position_range(const int32_t* positions, int32_t begin, int32_t end) {
  const auto [low, high] = std::minmax_element(positions + begin, positions + end);
  return {*low, *high};
}

// Slots that occur between queries and keys of these ranges; the slot grows with the distance.
inline Range slot_range(const AttentionShape& shape, Range queries, Range keys) {
  const auto slot = [&](int32_t distance) {
    return (*shape.slot_table)[static_cast<size_t>(distance + kMaxPassTokens - 1)];
  };
  return {slot(queries.low - keys.high), slot(queries.high - keys.low)};
}

class Head {
 public:
  Head(const AttentionShape& shape, const AttentionHead& head, float* scratch)
      : shape_(shape),
        head_(head),
        at_(shape, head.tokens),
        memory_(scratch),
        positions_(reinterpret_cast<int32_t*>(scratch + at_.positions)),
        words_(reinterpret_cast<int32_t*>(scratch + at_.words)),
        base_(reinterpret_cast<int32_t*>(scratch + at_.base)) {}

  void run() {
    unpack_words();
    if (shape_.panels != nullptr) {
      convert_rows();
      pack_keys_and_values();
    } else {
      gather_keys_and_values();
    }
    all_ = position_range(positions_, 0, head_.tokens);
    make_key_bands();
    for (int32_t begin = 0; begin < head_.tokens; begin += kBlockRows) {
      attend_block(begin, std::min(kBlockRows, head_.tokens - begin));
    }
  }

 private:
  void unpack_words() {
    const int32_t n = head_.tokens;
    for (int32_t j = 0; j < at_.ld_tokens; ++j) {
      const uint32_t word = head_.words[static_cast<size_t>(std::min(j, n - 1))];
      positions_[j] = static_cast<int32_t>(TokenWord::position(word));
      words_[j] = static_cast<int32_t>(word);
    }
  }

  void gather_keys_and_values() {
    float* key = memory_ + at_.key;
    float* value = memory_ + at_.value;
    for (int32_t j = 0; j < head_.tokens; ++j) {
      const ptrdiff_t row = static_cast<ptrdiff_t>(j) * shape_.ld_qkv;
      for (int32_t c = 0; c < shape_.head_width; ++c) {
        key[static_cast<ptrdiff_t>(c) * at_.ld_tokens + j] = head_.key[row + c];
      }
      std::copy_n(head_.value + row, shape_.head_width,
                  value + static_cast<ptrdiff_t>(j) * at_.ld_value);
    }
  }

  [[nodiscard]] ptrdiff_t row_bytes() const {
    return int64_t{at_.depth} * bytes_of(shape_.panels->rows);
  }
  [[nodiscard]] std::byte* bytes(int64_t place) const {
    return reinterpret_cast<std::byte*>(memory_ + place);
  }
  [[nodiscard]] const std::byte* query_row(int32_t token) const {
    return bytes(at_.rows) + token * row_bytes();
  }
  [[nodiscard]] const std::byte* key_row(int32_t token) const {
    return query_row(head_.tokens + token);
  }

  // One row of `width` floats as the kernel reads it, filled with zeros up to `padded_width`.
  void convert(const float* from, int32_t width, int32_t padded_width, std::byte* to) const {
    if (shape_.panels->rows == RowType::kF32) {
      auto* floats = reinterpret_cast<float*>(to);
      std::copy_n(from, width, floats);
      std::fill(floats + width, floats + padded_width, 0.0F);
    } else {
      convert_row(shape_.panels->rows, {from, static_cast<size_t>(width)}, to, nullptr, nullptr);
    }
  }

  void convert_rows() {
    for (int32_t j = 0; j < head_.tokens; ++j) {
      const ptrdiff_t row = static_cast<ptrdiff_t>(j) * shape_.ld_qkv;
      std::byte* to = bytes(at_.rows) + j * row_bytes();
      convert(head_.query + row, shape_.head_width, at_.depth, to);
      convert(head_.key + row, shape_.head_width, at_.depth, to + head_.tokens * row_bytes());
    }
  }

  // K by its columns and V by its rows, in panels of halves: pairs of the inner dimension side by
  // side. What lies beyond the pass is zero.
  void pack_keys_and_values() {
    const int32_t n = head_.tokens, width = shape_.head_width;
    uint16_t half[kMaxHeadWidth];
    auto* key = reinterpret_cast<uint32_t*>(memory_ + at_.key);
    auto* value = reinterpret_cast<uint16_t*>(memory_ + at_.value);
    const int32_t pairs = at_.depth / 2;
    for (int32_t j = 0; j < at_.ld_tokens; ++j) {
      uint32_t* column = key + j / kPanelColumns * pairs * kPanelColumns + j % kPanelColumns;
      uint16_t* line = value + j / 2 * 2 * kPanelColumns + j % 2;
      if (j >= n) {
        for (int32_t p = 0; p < pairs; ++p) column[p * kPanelColumns] = 0;
      } else {
        const ptrdiff_t row = static_cast<ptrdiff_t>(j) * shape_.ld_qkv;
        convert_row(RowType::kF16, {head_.key + row, static_cast<size_t>(width)}, half, nullptr,
                    nullptr);
        for (int32_t p = 0; p < pairs; ++p)
          std::memcpy(column + p * kPanelColumns, half + 2 * p, sizeof(uint32_t));
        convert_row(RowType::kF16, {head_.value + row, static_cast<size_t>(width)}, half, nullptr,
                    nullptr);
      }
      for (int32_t c = 0; c < at_.ld_value; ++c) {
        line[c / kPanelColumns * at_.ld_tokens * kPanelColumns + c % kPanelColumns * 2] =
            j < n && c < width ? half[c] : uint16_t{0};
      }
    }
  }

  // out ← rows · panels [first, last), rows `stride` bytes apart, over `depth`.
  void panel_product(const std::byte* rows, ptrdiff_t stride, int32_t count, int32_t depth,
                     const void* panels, int32_t first, int32_t last, float* out,
                     int32_t ld) const {
    const ptrdiff_t panel_bytes = int64_t{depth} * kPanelColumns * 2;
    const auto* panel = static_cast<const std::byte*>(panels) + first * panel_bytes;
    for (int32_t p = first; p < last; ++p, panel += panel_bytes, out += kPanelColumns) {
      const std::byte* next = p + 1 < last ? panel + panel_bytes : panel;
      shape_.panels->run({rows, stride, count, depth, panel, out, next, ld});
    }
  }

  // Products of rows with the slots of a table; returns the slot of the first column.
  int32_t slot_product(bool queries, int32_t begin, int32_t rows, Range slots, float* out) const {
    if (shape_.panels != nullptr) {
      const int32_t first = slots.low / kPanelColumns;
      panel_product(queries ? query_row(begin) : key_row(begin), row_bytes(), rows, at_.depth,
                    queries ? head_.position_key : head_.position_query, first,
                    slots.high / kPanelColumns + 1, out, at_.ld_band);
      return first * kPanelColumns;
    }
    const float* from = queries ? head_.query : head_.key;
    const auto* table =
        static_cast<const float*>(queries ? head_.position_key : head_.position_query);
    tile_product(from + static_cast<ptrdiff_t>(begin) * shape_.ld_qkv,
                 static_cast<size_t>(shape_.ld_qkv), static_cast<size_t>(rows), table + slots.low,
                 static_cast<size_t>(shape_.ld_slots()), static_cast<size_t>(shape_.head_width),
                 static_cast<size_t>(slots.high - slots.low + 1), out,
                 static_cast<size_t>(at_.ld_band));
    return slots.low;
  }

  // p2c: for each key the products with the slots that any query can ask of its block.
  void make_key_bands() {
    float* band = memory_ + at_.key_band;
    for (int32_t begin = 0; begin < head_.tokens; begin += kBlockRows) {
      const int32_t rows = std::min(kBlockRows, head_.tokens - begin);
      const Range slots = slot_range(shape_, all_, position_range(positions_, begin, begin + rows));
      const int32_t first = slot_product(false, begin, rows, slots,
                                         band + static_cast<ptrdiff_t>(begin) * at_.ld_band);
      for (int32_t j = begin; j < begin + rows; ++j) base_[j] = j * at_.ld_band - first;
    }
    for (int32_t j = head_.tokens; j < at_.ld_tokens; ++j) base_[j] = base_[head_.tokens - 1];
  }

  void attend_block(int32_t begin, int32_t rows) {
    const auto width = static_cast<size_t>(shape_.head_width);
    float* scores = memory_ + at_.scores;
    float* band = memory_ + at_.query_band;
    float* context = memory_ + at_.context;
    const Range slots = slot_range(shape_, position_range(positions_, begin, begin + rows), all_);
    if (shape_.panels != nullptr) {
      panel_product(query_row(begin), row_bytes(), rows, at_.depth, memory_ + at_.key, 0,
                    at_.ld_tokens / kPanelColumns, scores, at_.ld_tokens);
    } else {
      tile_product(head_.query + static_cast<ptrdiff_t>(begin) * shape_.ld_qkv,
                   static_cast<size_t>(shape_.ld_qkv), static_cast<size_t>(rows), memory_ + at_.key,
                   static_cast<size_t>(at_.ld_tokens), width,
                   static_cast<size_t>(padded(head_.tokens)), scores,
                   static_cast<size_t>(at_.ld_tokens));
    }
    const int32_t first = slot_product(true, begin, rows, slots, band);
    float inverse_sum[kBlockRows];
    for (int32_t r = 0; r < rows; ++r) {
      inverse_sum[r] = softmax_row(begin + r, scores + static_cast<ptrdiff_t>(r) * at_.ld_tokens,
                                   band + static_cast<ptrdiff_t>(r) * at_.ld_band - first);
    }
    if (shape_.panels != nullptr) {
      const ptrdiff_t stride = int64_t{at_.ld_tokens} * bytes_of(shape_.panels->rows);
      for (int32_t r = 0; r < rows; ++r) {
        convert(scores + static_cast<ptrdiff_t>(r) * at_.ld_tokens, head_.tokens, at_.ld_tokens,
                bytes(at_.weights) + r * stride);
      }
      panel_product(bytes(at_.weights), stride, rows, at_.ld_tokens, memory_ + at_.value, 0,
                    at_.ld_value / kPanelColumns, context, at_.ld_value);
    } else {
      tile_product(scores, static_cast<size_t>(at_.ld_tokens), static_cast<size_t>(rows),
                   memory_ + at_.value, static_cast<size_t>(at_.ld_value),
                   static_cast<size_t>(head_.tokens),
                   static_cast<size_t>(padded(shape_.head_width)), context,
                   static_cast<size_t>(at_.ld_value));
    }
    for (int32_t r = 0; r < rows; ++r) {
      const float* from = context + static_cast<ptrdiff_t>(r) * at_.ld_value;
      float* to = head_.context + static_cast<ptrdiff_t>(begin + r) * shape_.ld_context;
      for (size_t c = 0; c < width; ++c) to[c] = from[c] * inverse_sum[r];
    }
  }

  [[nodiscard]] HWY_INLINE hn::Vec<IntTag> slots_of(hn::Vec<IntTag> distance) const {
    const IntTag di;
    if (shape_.plain_slots) {
      return hn::Min(hn::Max(hn::Add(distance, hn::Set(di, shape_.slots / 2)), hn::Zero(di)),
                     hn::Set(di, shape_.slots - 1));
    }
    return hn::GatherIndex(di, shape_.slot_table->data(),
                           hn::Add(distance, hn::Set(di, kMaxPassTokens - 1)));
  }

  // Keys that row word `own` may see (TokenWord::visible, vectorised), as a mask.
  [[nodiscard]] HWY_INLINE hn::Mask<IntTag> visible(uint32_t own, hn::Vec<IntTag> words) const {
    const IntTag di;
    const auto field = hn::Set(di, static_cast<int32_t>(TokenWord::kMax));
    const auto group = hn::And(hn::ShiftRight<10>(words), field);
    const auto type = hn::And(hn::ShiftRight<20>(words), field);
    const auto outside = hn::Eq(group, hn::Zero(di));
    const auto same_group = hn::Eq(group, hn::Set(di, static_cast<int32_t>(TokenWord::group(own))));
    if (TokenWord::type(own) == 0) return hn::Or(outside, same_group);
    const auto meets =
        hn::Or(hn::Eq(type, hn::Zero(di)),
               hn::Eq(type, hn::Set(di, static_cast<int32_t>(TokenWord::type(own)))));
    return hn::Or(outside, hn::And(same_group, meets));
  }

  // Completes the scores of row i, turns them into weights exp(s − max), returns 1 / their sum.
  // `band` is this row's c2p scores, to be indexed by slot.
  float softmax_row(int32_t i, float* scores, const float* band) const {
    const FloatTag df;
    const IntTag di;
    const auto lanes = static_cast<int32_t>(hn::Lanes(df));
    const int32_t n = head_.tokens;
    const auto hidden = hn::Set(df, -std::numeric_limits<float>::max());
    const uint32_t own = head_.words[static_cast<size_t>(i)];
    const auto position = hn::Set(di, positions_[i]);
    const float* key_band = memory_ + at_.key_band;
    auto highest = hidden;
    for (int32_t j = 0; j < n; j += lanes) {
      const auto slot = slots_of(hn::Sub(position, hn::LoadU(di, positions_ + j)));
      const auto c2p = hn::GatherIndex(df, band, slot);
      const auto p2c = hn::GatherIndex(df, key_band, hn::Add(slot, hn::LoadU(di, base_ + j)));
      auto score = hn::Add(hn::LoadU(df, scores + j), hn::Add(c2p, p2c));
      if (TokenWord::group(own) != 0) {
        const auto seen = visible(own, hn::LoadU(di, words_ + j));
        score = hn::IfThenElse(hn::RebindMask(df, seen), score, hidden);
      }
      if (j + lanes > n) {
        const auto inside = hn::Lt(hn::Iota(di, j), hn::Set(di, n));
        score = hn::IfThenElse(hn::RebindMask(df, inside), score, hidden);
      }
      highest = hn::Max(highest, score);
      hn::StoreU(score, df, scores + j);
    }
    highest = hn::MaxOfLanes(df, highest);
    auto sum = hn::Zero(df);
    for (int32_t j = 0; j < n; j += lanes) {
      const auto score = hn::LoadU(df, scores + j);
      const auto weight = hn::IfThenElseZero(hn::Ne(score, hidden),  // exactly 0 when masked (M10)
                                             hn::Exp(df, hn::Sub(score, highest)));
      sum = hn::Add(sum, weight);
      hn::StoreU(weight, df, scores + j);
    }
    return 1.0F / hn::GetLane(hn::SumOfLanes(df, sum));
  }

  const AttentionShape& shape_;
  const AttentionHead& head_;
  const AttentionScratch at_;
  float* memory_;
  int32_t* positions_;
  int32_t* words_;
  int32_t* base_;  // position of slot 0 in each key's band
  Range all_{0, 0};
};

void attend_impl(const AttentionShape& shape, const AttentionHead& head, float* scratch) {
  Head(shape, head, scratch).run();
}

}  // namespace rex::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rex::engine {

HWY_EXPORT(attend_impl);

void attend(const AttentionShape& shape, const AttentionHead& head, float* scratch) {
  HWY_DYNAMIC_DISPATCH(attend_impl)(shape, head, scratch);
}

int64_t attention_scratch_floats(const AttentionShape& shape, int32_t tokens) {
  return AttentionScratch(shape, tokens).total;
}

}  // namespace rex::engine
#endif
