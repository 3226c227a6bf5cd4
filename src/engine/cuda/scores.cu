// One block computes 64×64 cells over all C values: on tensor cores for FP16 and BF16, in registers
// for FP32; sums in FP32 always. Steps of 128 bytes of values, the next two on their way while one is
// multiplied. The cells pass through shared memory, where every thread judges its share and hits
// are appended with one atomic a warp. The host puts the list in order.
#include "engine/cuda/mma.cuh"
#include "engine/cuda/scores.h"

namespace rex::engine::cuda {
namespace {

constexpr int kThreads = 128;
template <class T>
constexpr int kDepth = 128 / sizeof(T);  // values of a step
template <class T>
constexpr int kLd = kDepth<T> + 16 / sizeof(T);
constexpr int kLdCells = kScoreTile + 1;

constexpr int kSteps = 3;  // in shared memory at once

template <class T>
struct Step {
  T query[kScoreTile * kLd<T>];
  T key[kScoreTile * kLd<T>];
};

template <class T>
union Shared {
  Step<T> steps[kSteps];
  float cells[kScoreTile * kLdCells];  // when all is multiplied
};

// Rows from `rows` on repeat the last; their cells are not looked at.
template <class T>
__device__ __forceinline__ void load_tile(T* to, const T* from, int ld, int rows) {
  constexpr int kPerChunk = 16 / sizeof(T), kChunks = kDepth<T> / kPerChunk;
#pragma unroll 4
  for (int i = threadIdx.x; i < kScoreTile * kChunks; i += kThreads) {
    const int row = i / kChunks, part = i % kChunks;
    copy_async_16(to + row * kLd<T> + part * kPerChunk,
                  from + static_cast<size_t>(min(row, rows - 1)) * ld + part * kPerChunk);
  }
}

// Four warps of 16 rows.
template <class T>
struct TensorSum {  // for 16-bit types
  float sum[8][4] = {};
  __device__ __forceinline__ void add(const Step<T>& s) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      uint32_t a[4];
      load_matrix(a, s.query + (warp * 16 + lane % 16) * kLd<T> + k * 16 + lane / 16 * 8);
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        uint32_t b[4];
        load_matrix(b, s.key + (n * 16 + lane % 8 + lane / 16 * 8) * kLd<T> + k * 16 + lane / 8 % 2 * 8);
        mma<T>(sum[2 * n], a, b[0], b[1]);
        mma<T>(sum[2 * n + 1], a, b[2], b[3]);
      }
    }
  }
  __device__ __forceinline__ void store(float* cells) const {
    const int warp = threadIdx.x / 32, quad = threadIdx.x % 32 / 4, pair = threadIdx.x % 4;
#pragma unroll
    for (int n = 0; n < 8; ++n) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        cells[(warp * 16 + quad + e / 2 * 8) * kLdCells + n * 8 + pair * 2 + e % 2] = sum[n][e];
      }
    }
  }
};

// Each thread 4 rows by 8 columns.
template <class T>
struct PlainSum {
  float sum[4][8] = {};
  __device__ __forceinline__ void add(const Step<T>& s) {
    const int row = threadIdx.x / 8 * 4, col = threadIdx.x % 8;
    for (int k = 0; k < kDepth<T>; ++k) {
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const float q = to_float(s.query[(row + r) * kLd<T> + k]);
#pragma unroll
        for (int c = 0; c < 8; ++c) sum[r][c] += q * to_float(s.key[(col + c * 8) * kLd<T> + k]);
      }
    }
  }
  __device__ __forceinline__ void store(float* cells) const {
    const int row = threadIdx.x / 8 * 4, col = threadIdx.x % 8;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
#pragma unroll
      for (int c = 0; c < 8; ++c) cells[(row + r) * kLdCells + col + c * 8] = sum[r][c];
    }
  }
};

template <class T>
__device__ __forceinline__ void append(const ScoreArguments<T>& a, bool hit, DeviceLink link) {
  const unsigned hits = __ballot_sync(0xFFFFFFFFU, hit);
  if (hits == 0) return;
  const int lane = threadIdx.x % 32, leader = __ffs(static_cast<int>(hits)) - 1;
  uint32_t base = 0;
  if (lane == leader) base = atomicAdd(a.count, static_cast<uint32_t>(__popc(hits)));
  base = __shfl_sync(0xFFFFFFFFU, base, leader);
  const uint32_t place = base + static_cast<uint32_t>(__popc(hits & ((1U << lane) - 1U)));
  if (hit && place < static_cast<uint32_t>(a.capacity)) a.links[place] = link;
}

template <class T, class Sum>
__global__ __launch_bounds__(kThreads) void score_kernel(ScoreArguments<T> a) {
  extern __shared__ __align__(16) unsigned char memory[];
  Shared<T>& s = *reinterpret_cast<Shared<T>*>(memory);
  const ScoreJob job = a.jobs[blockIdx.x];
  const DevicePass pass = a.passes[job.pass];
  const int rows = min(kScoreTile, pass.token_count - job.row);
  const int cols = min(kScoreTile, pass.token_count - job.col);
  const T* query = a.query + static_cast<size_t>(pass.token_begin + job.row) * a.ld;
  const T* key = a.key + static_cast<size_t>(pass.token_begin + job.col) * a.ld;
  const int steps = a.hidden / kDepth<T>;
  const auto load_step = [&](int i) {
    if (i < steps) {
      load_tile(s.steps[i % kSteps].query, query + i * kDepth<T>, a.ld, rows);
      load_tile(s.steps[i % kSteps].key, key + i * kDepth<T>, a.ld, cols);
    }
    copy_async_commit();
  };
  Sum sum;
  for (int i = 0; i < kSteps - 1; ++i) load_step(i);
  for (int i = 0; i < steps; ++i) {
    copy_async_wait<kSteps - 2>();
    __syncthreads();  // step i has come, and all warps have left step i − 1
    load_step(i + kSteps - 1);
    sum.add(s.steps[i % kSteps]);
  }
  copy_async_wait<0>();
  __syncthreads();
  sum.store(s.cells);
  __syncthreads();

  for (int i = threadIdx.x; i < kScoreTile * kScoreTile; i += kThreads) {
    const int r = i / kScoreTile, c = i % kScoreTile;
    const int row = job.row + r, col = job.col + c;
    const bool inside = r < rows && c < cols;
    const float logit = s.cells[r * kLdCells + c];
    const bool row_text = row >= pass.text_begin, col_text = col >= pass.text_begin;
    const int row_type = inside && !row_text ? a.type_ordinals[pass.token_begin + row] : -1;
    const int col_type = inside && !col_text ? a.type_ordinals[pass.token_begin + col] : -1;
    const bool span = inside && row_text && col_text && row <= col;
    const bool head = inside && row_text && col_type >= 0, tail = inside && col_text && row_type >= 0;
    const bool wanted = span || head || tail;
    if (wanted && !isfinite(logit)) atomicAdd(a.non_finite, 1U);
    const int kind = span ? kSpanLink : head ? kHeadLink : kTailLink;
    append(a, wanted && logit > pass.logit_floor,
           {job.pass * 4 + kind, static_cast<int16_t>(tail ? row_type : row),
            static_cast<int16_t>(head ? col_type : col), logit});
    if (wanted && pass.class_begin >= 0) {
      const int marker = pass.text_begin;
      if (head && row == marker) a.classes[pass.class_begin + col_type].marker_to_type = logit;
      if (tail && col == marker) a.classes[pass.class_begin + row_type].type_to_marker = logit;
      // Kept once a pass, before the first type's entry is complete: the host spreads it.
      if (span && row == marker && col == marker) a.classes[pass.class_begin].marker = logit;
    }
  }
}

}  // namespace

template <class T>
void score(const ScoreArguments<T>& arguments, cudaStream_t stream) {
  using Sum = std::conditional_t<sizeof(T) == 2, TensorSum<T>, PlainSum<T>>;
  constexpr int kBytes = sizeof(Shared<T>);
  check(cudaFuncSetAttribute(score_kernel<T, Sum>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes),
        "shared memory of the scores");
  score_kernel<T, Sum>
      <<<static_cast<unsigned>(arguments.job_count), kThreads, kBytes, stream>>>(arguments);
  check(cudaGetLastError(), "scores");
}

template void score(const ScoreArguments<float>&, cudaStream_t);
template void score(const ScoreArguments<half>&, cudaStream_t);
template void score(const ScoreArguments<bfloat>&, cudaStream_t);

}  // namespace rex::engine::cuda
