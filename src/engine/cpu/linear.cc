#include "engine/cpu/linear.h"

#include <algorithm>
#include <array>

#include "core/check.h"

namespace rex::engine {
namespace {

using dnnl::memory;

// About 0.6–1.5 MB of packed weights a slice: most of a core's second-level cache, and slices
// enough to keep a few threads busy on short texts.
int32_t slice_width(int32_t in) {
  return in <= 1024 ? 192 : 128;
}

constexpr size_t kRowCounts = kRowBlock / kRowStep;

// Products and streams must belong to the same engine object; it is an immutable handle.
const dnnl::engine& library_engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

}  // namespace

LinearContext::LinearContext() : stream_(library_engine()) {}

struct Linear::Impl {
  // A product of one row count with one slice width.
  struct Product {
    dnnl::matmul primitive;
    memory::desc source, weights, bias, target, scratch;
  };
  struct Slice {
    int32_t begin = 0;  // first output column
    int32_t width = 0;
    AlignedFloats packed, bias;
    const std::array<Product, kRowCounts>* products = nullptr;
  };

  Shape shape;
  std::vector<std::pair<int32_t, std::unique_ptr<std::array<Product, kRowCounts>>>> by_width;
  std::vector<Slice> slices;
  int64_t scratch_bytes = 0;

  const std::array<Product, kRowCounts>& products_of(int32_t width);
  [[nodiscard]] Product make_product(int32_t rows, int32_t width,
                                     const memory::desc* weights) const;
  void pack(Slice& slice, std::span<const float> weight) const;
};

Linear::Impl::Product Linear::Impl::make_product(int32_t rows, int32_t width,
                                                 const memory::desc* weights) const {
  constexpr auto kF32 = memory::data_type::f32;
  Product product;
  product.source = {{rows, shape.in}, kF32, memory::format_tag::ab};
  product.weights = weights != nullptr
                        ? *weights
                        : memory::desc({shape.in, width}, kF32, memory::format_tag::any);
  product.bias = {{1, width}, kF32, memory::format_tag::ab};
  product.target = {{rows, width}, kF32, memory::format_tag::ab};
  dnnl::post_ops post;
  if (shape.epilogue == Epilogue::kBiasGelu) {
    post.append_eltwise(1.0F, dnnl::algorithm::eltwise_gelu_erf, 0.0F, 0.0F);
  }
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(post);
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::matmul::desc description(product.source, product.weights, product.bias,
                                       product.target);
  const dnnl::matmul::primitive_desc chosen(description, attributes, library_engine());
  product.weights = chosen.weights_desc();
  product.scratch = chosen.scratchpad_desc();
  product.primitive = dnnl::matmul(chosen);
  return product;
}

// All row counts share the packed layout that the largest one chose.
const std::array<Linear::Impl::Product, kRowCounts>& Linear::Impl::products_of(int32_t width) {
  for (const auto& [known, products] : by_width) {
    if (known == width) return *products;
  }
  auto products = std::make_unique<std::array<Product, kRowCounts>>();
  products->back() = make_product(kRowBlock, width, nullptr);
  for (size_t i = 0; i + 1 < kRowCounts; ++i) {
    const auto rows = static_cast<int32_t>(i + 1) * kRowStep;
    (*products)[i] = make_product(rows, width, &products->back().weights);
  }
  for (const Product& product : *products) {
    scratch_bytes = std::max(scratch_bytes, static_cast<int64_t>(product.scratch.get_size()));
  }
  return *by_width.emplace_back(width, std::move(products)).second;
}

void Linear::Impl::pack(Slice& slice, std::span<const float> weight) const {
  const memory::desc plain({shape.in, slice.width}, memory::data_type::f32,
                           memory::format_tag::ba);  // [out, in] seen as in × out
  const memory::desc& packed = slice.products->back().weights;
  slice.packed = AlignedFloats(packed.get_size() / sizeof(float));
  const float* rows =
      weight.data() + static_cast<size_t>(slice.begin) * static_cast<size_t>(shape.in);
  memory from(plain, library_engine(),
              const_cast<float*>(rows));  // NOLINT: the library only reads it
  memory to(packed, library_engine(), slice.packed.data());
  dnnl::stream stream(library_engine());
  dnnl::reorder(from, to).execute(stream, from, to);
  stream.wait();
}

Linear::Linear(const Shape& shape, std::span<const float> weight, std::span<const float> bias) {
  REX_CHECK(weight.size() == static_cast<size_t>(shape.in) * static_cast<size_t>(shape.out),
            "weight is [out, in]");
  REX_CHECK(bias.size() == static_cast<size_t>(shape.out), "bias is [out]");
  auto impl = std::make_unique<Impl>();
  impl->shape = shape;
  for (int32_t begin = 0; begin < shape.out; begin += slice_width(shape.in)) {
    Impl::Slice slice;
    slice.begin = begin;
    slice.width = std::min(slice_width(shape.in), shape.out - begin);
    slice.products = &impl->products_of(slice.width);
    slice.bias = AlignedFloats(static_cast<size_t>(slice.width));
    std::copy_n(bias.begin() + begin, slice.width, slice.bias.data());
    impl->pack(slice, weight);
    impl->slices.push_back(std::move(slice));
  }
  impl_ = std::move(impl);
}

Linear::~Linear() = default;
Linear::Linear(Linear&&) noexcept = default;

int32_t Linear::task_count(int32_t rows) const {
  const int32_t blocks = (rows + kRowBlock - 1) / kRowBlock;
  return blocks * static_cast<int32_t>(impl_->slices.size());
}

void Linear::run_task(int32_t task, int32_t rows, const float* x, float* y,
                      LinearContext& context) const {
  const int32_t blocks = (rows + kRowBlock - 1) / kRowBlock;
  const Impl::Slice& slice = impl_->slices[static_cast<size_t>(task / blocks)];
  const int32_t first = task % blocks * kRowBlock;
  const int32_t steps = (std::min(kRowBlock, rows - first) + kRowStep - 1) / kRowStep;
  const Impl::Product& product = (*slice.products)[static_cast<size_t>(steps - 1)];

  const float* source = x + static_cast<ptrdiff_t>(first) * impl_->shape.in;
  float* tile = context.tile_.data();
  // The library takes mutable pointers for its inputs and only reads them.
  const auto view = [&](const memory::desc& desc, const void* data) {
    return memory(desc, library_engine(), const_cast<void*>(data));  // NOLINT
  };
  const memory source_view = view(product.source, source);
  const memory weight_view = view(product.weights, slice.packed.data());
  const memory bias_view = view(product.bias, slice.bias.data());
  const memory target_view = view(product.target, tile);
  const memory scratch_view = view(product.scratch, context.scratch_.data());
  const std::array<dnnl_exec_arg_t, 5> arguments = {{{DNNL_ARG_SRC, source_view.get()},
                                                     {DNNL_ARG_WEIGHTS, weight_view.get()},
                                                     {DNNL_ARG_BIAS, bias_view.get()},
                                                     {DNNL_ARG_DST, target_view.get()},
                                                     {DNNL_ARG_SCRATCHPAD, scratch_view.get()}}};
  const int count = product.scratch.get_size() > 0 ? 5 : 4;
  const dnnl_status_t status = dnnl_primitive_execute(
      product.primitive.get(), context.stream_.get(), count, arguments.data());
  REX_CHECK(status == dnnl_success, "oneDNN status " + std::to_string(status));

  const int32_t last = std::min(rows, first + kRowBlock);
  for (int32_t row = first; row < last; ++row, tile += slice.width) {
    float* target = y + static_cast<ptrdiff_t>(row) * impl_->shape.out + slice.begin;
    if (impl_->shape.epilogue == Epilogue::kBiasResidual) {
      for (int32_t i = 0; i < slice.width; ++i) target[i] += tile[i];
    } else {
      std::copy_n(tile, slice.width, target);
    }
  }
}

int64_t Linear::weight_bytes() const {
  int64_t bytes = 0;
  for (const Impl::Slice& slice : impl_->slices) bytes += slice.packed.bytes() + slice.bias.bytes();
  return bytes;
}

int64_t Linear::context_bytes() const {
  const auto tile = static_cast<int64_t>(kRowBlock) * impl_->slices.front().width;
  return impl_->scratch_bytes + tile * static_cast<int64_t>(sizeof(float));
}

void Linear::prepare(LinearContext& context) const {
  const auto scratch = static_cast<size_t>(impl_->scratch_bytes);
  const auto tile =
      static_cast<size_t>(kRowBlock) * static_cast<size_t>(impl_->slices.front().width);
  if (context.scratch_.size() < scratch) context.scratch_.resize(scratch);
  if (context.tile_.size() < tile) context.tile_ = AlignedFloats(tile);
}

}  // namespace rex::engine
