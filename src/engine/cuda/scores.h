// The score matrix Z (M23) where decoding reads it: cells above the floor leave as a compact list.
#pragma once

#include "engine/cuda/device.h"

namespace rex::engine::cuda {

inline constexpr int kScoreTile = 64;

// Z of rows [row, row + 64) and columns [col, col + 64) of one pass (pass-relative).
struct ScoreJob {
  int32_t pass;
  int32_t row;
  int32_t col;
};

struct DevicePass {
  int32_t token_begin;
  int32_t token_count;
  int32_t text_begin;
  float logit_floor;
  int32_t class_begin;  // first entry in the class cells, or −1
};

enum LinkKind : int32_t { kSpanLink, kHeadLink, kTailLink };

// A cell above the floor. For heads col, and for tails row, is the type's ordinal.
struct DeviceLink {
  int32_t pass_and_kind;  // pass · 4 + LinkKind
  int16_t row, col;
  float logit;
};

struct DeviceClassCells {
  float marker, marker_to_type, type_to_marker;
};

template <class T>
struct ScoreArguments {
  const T* query;  // [T, ld] rotated
  const T* key;
  int32_t ld;
  int32_t hidden;
  const DevicePass* passes;
  const int16_t* type_ordinals;  // [T] ordinal of a [TYPE] token in its pass, or −1
  const ScoreJob* jobs;
  int32_t job_count;
  DeviceLink* links;
  int32_t capacity;
  uint32_t* count;  // of links found; may exceed the capacity, what is beyond is not stored
  DeviceClassCells* classes;
  uint32_t* non_finite;  // cells that are NaN or infinite (Q3: no links)
};

template <class T>
void score(const ScoreArguments<T>& arguments, cudaStream_t stream);

}  // namespace rex::engine::cuda
