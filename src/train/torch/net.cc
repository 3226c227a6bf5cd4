#include "train/torch/net.h"

#include <algorithm>
#include <cmath>

#include "engine/batch.h"
#include "model/write_model.h"

namespace rex::train {
namespace {

using engine::TokenWord;
using torch::Tensor;
using torch::indexing::Slice;

constexpr const char* kRotary = "rotary_emb.freqs";

// F23: biases and norms take no decay.
bool is_decayed(const std::string& name) {
  return !name.ends_with(".bias") && name.find("LayerNorm") == std::string::npos;
}

int64_t count_of(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  return count;
}

std::vector<model::ExpectedTensor> parameters_of(const model::ModelConfig& config,
                                                 bool language_head) {
  std::vector<model::ExpectedTensor> all = model::expected_tensors(config);
  std::erase_if(all, [](const model::ExpectedTensor& t) { return t.name == kRotary; });
  if (language_head) {
    const int64_t c = config.hidden;
    all.push_back({"language.dense.weight", {c, c}});
    all.push_back({"language.dense.bias", {c}});
    all.push_back({"language.LayerNorm.weight", {c}});
    all.push_back({"language.LayerNorm.bias", {c}});
    all.push_back({"language.bias", {config.vocab_rows}});
  }
  return all;
}

}  // namespace

Net::Net(const model::ModelConfig& config, const NetOptions& options)
    : config_(config), options_(options) {
  int64_t at = 0;
  for (const bool decayed_part : {true, false}) {
    for (model::ExpectedTensor& t : parameters_of(config, options.language_head)) {
      if (is_decayed(t.name) != decayed_part) continue;
      const int64_t count = count_of(t.shape);
      slices_.push_back({t.name, std::move(t.shape), at, count});
      at += (count + 7) / 8 * 8;  // products read whole vectors
    }
    if (decayed_part) decayed = at;
  }
  const auto place = torch::TensorOptions().device(options.device);
  master = torch::zeros({at}, place.dtype(options.master));
  compute_ =
      options.compute == options.master ? master : torch::zeros({at}, place.dtype(options.compute));
  grad = torch::zeros_like(compute_);
  compute_views_ = views_of(compute_, grad);
  master_views_ = views_of(master, {});
  std::vector<double> frequencies;
  for (int32_t i = 0; i < config.hidden / 2; ++i)
    frequencies.push_back(static_cast<float>(std::pow(10000.0, -2.0 * i / config.hidden)));
  frequencies_ = torch::tensor(frequencies, torch::kDouble);
}

Result<std::unique_ptr<Net>> Net::make(const model::ModelConfig& config,
                                       const NetOptions& options) {
  if (config.max_relative_positions > 0) {
    return fail(ErrorCode::kConfigUnsupported,
                "training computes plain distances only; max_relative_positions is " +
                    std::to_string(config.max_relative_positions),
                "max_relative_positions");
  }
  return std::unique_ptr<Net>(new Net(config, options));
}

Net::Views Net::views_of(const Tensor& flat, const Tensor& grads) const {
  Views views;
  const Tensor base = flat.detach();
  for (const auto& slice : slices_) {
    Tensor view = base.narrow(0, slice.begin, slice.count).view(slice.shape).detach();
    if (grads.defined()) {
      view.requires_grad_(true);
      view.mutable_grad() = grads.narrow(0, slice.begin, slice.count).view(slice.shape);
    }
    views.by_name[slice.name] = view;
  }
  for (int32_t i = 0; i < config_.layers; ++i) {
    const std::string at = "plm.encoder.layer." + std::to_string(i);
    const auto get = [&](const std::string& name) { return views.by_name.at(at + name); };
    views.layers.push_back(
        {get(".attention.self.query_proj.weight"), get(".attention.self.query_proj.bias"),
         get(".attention.self.key_proj.weight"), get(".attention.self.key_proj.bias"),
         get(".attention.self.value_proj.weight"), get(".attention.self.value_proj.bias"),
         get(".attention.output.dense.weight"), get(".attention.output.dense.bias"),
         get(".attention.output.LayerNorm.weight"), get(".attention.output.LayerNorm.bias"),
         get(".intermediate.dense.weight"), get(".intermediate.dense.bias"),
         get(".output.dense.weight"), get(".output.dense.bias"), get(".output.LayerNorm.weight"),
         get(".output.LayerNorm.bias")});
  }
  return views;
}

void Net::randomise(uint64_t seed) {
  torch::NoGradGuard guard;
  torch::manual_seed(seed);
  for (const auto& slice : slices_) {
    Tensor part = master.narrow(0, slice.begin, slice.count);
    if (slice.name.ends_with(".bias")) {
      part.zero_();
    } else if (slice.name.find("LayerNorm") != std::string::npos) {
      part.fill_(1);
    } else {
      part.normal_(0.0, 0.02);
    }
  }
  refresh();
}

void Net::load(const model::Weights& weights) {
  torch::NoGradGuard guard;
  model::Weights copy = weights;
  std::map<std::string, std::vector<float>> values;
  model::visit_tensors(
      copy, [&](const std::string& name, const std::vector<int64_t>&, model::TensorView& view) {
        values[name] = model::as_floats(view);
      });
  for (const auto& slice : slices_) {
    const auto found = values.find(slice.name);
    Tensor part = master.narrow(0, slice.begin, slice.count);
    if (found == values.end()) {  // the language head
      if (slice.name.ends_with(".bias"))
        part.zero_();
      else if (slice.name.find("LayerNorm") != std::string::npos)
        part.fill_(1);
      else
        part.normal_(0.0, 0.02);
      continue;
    }
    part.copy_(torch::from_blob(found->second.data(), {slice.count}, torch::kFloat));
  }
  std::vector<float>& frequencies = values[kRotary];
  frequencies_ = torch::from_blob(frequencies.data(), {static_cast<int64_t>(frequencies.size())},
                                  torch::kFloat)
                     .to(torch::kDouble)
                     .clone();
  refresh();
}

Result<void> Net::save(const std::filesystem::path& dir, const std::filesystem::path& vocabulary,
                       model::DType dtype) const {
  const Tensor flat = master.detach().to(torch::kCPU, torch::kFloat).contiguous();
  const Tensor frequencies = frequencies_.to(torch::kFloat).contiguous();
  std::map<std::string, std::span<const std::byte>> bytes;
  const auto* values = reinterpret_cast<const std::byte*>(flat.data_ptr<float>());
  for (const auto& slice : slices_)
    bytes[slice.name] = {values + slice.begin * 4, static_cast<size_t>(slice.count) * 4};
  bytes[kRotary] = {reinterpret_cast<const std::byte*>(frequencies.data_ptr<float>()),
                    static_cast<size_t>(frequencies.numel()) * 4};
  model::Weights weights;
  weights.config = config_;
  model::visit_tensors(
      weights, [&](const std::string& name, std::vector<int64_t> shape, model::TensorView& view) {
        view = {model::DType::kF32, std::move(shape), bytes.at(name)};
      });
  return model::write_checkpoint_folder(dir, weights, vocabulary, dtype);
}

void Net::refresh() {
  torch::NoGradGuard guard;
  if (!compute_.is_same(master)) compute_.copy_(master);
}

BatchTensors Net::put(std::span<const Row* const> rows) const {
  const auto b = static_cast<int64_t>(rows.size());
  size_t longest = 8;
  for (const Row* row : rows) longest = std::max(longest, row->ids.size());
  const auto n = static_cast<int64_t>((longest + 7) / 8 * 8);  // F17
  // One transfer: ids, words and lengths in one block.
  Tensor host = torch::zeros({2 * b * n + b}, torch::kInt);
  auto* ids = host.data_ptr<int32_t>();
  auto* words = ids + b * n;
  auto* lengths = words + b * n;
  BatchTensors out;
  int64_t max_position = 0;
  std::vector<int64_t> positives, targets, target_at;
  bool labelled = false;
  for (int64_t r = 0; r < b; ++r) {
    const Row& row = *rows[static_cast<size_t>(r)];
    const auto length = static_cast<int64_t>(row.ids.size());
    lengths[r] = static_cast<int32_t>(length);
    out.real_tokens += length;
    for (int64_t i = 0; i < n; ++i) {
      const auto at = static_cast<size_t>(i);
      if (i < length) {
        ids[r * n + i] = row.ids[at];
        words[r * n + i] = static_cast<int32_t>(row.words[at]);
      } else {
        words[r * n + i] = words[r * n + i - 1] % 1024 + 1;
      }
      max_position = std::max<int64_t>(max_position, words[r * n + i] % 1024);
    }
    for (const Cell cell : row.positives) positives.push_back((r * n + cell.row) * n + cell.col);
    for (size_t i = 0; i < row.targets.size(); ++i) {
      if (row.targets[i] < 0) continue;
      targets.push_back(row.targets[i]);
      target_at.push_back(r * n + static_cast<int64_t>(i));
    }
    labelled = labelled || row.targets.empty();
  }
  const auto device = options_.device;
  if (device.is_cuda()) host = host.pin_memory();
  const Tensor block = host.to(device, torch::kInt, /*non_blocking=*/true);
  const Tensor word = block.narrow(0, b * n, b * n).view({b, n});
  out.ids = block.narrow(0, 0, b * n).view({b, n}).to(torch::kLong);
  out.position = word.bitwise_and(1023).to(torch::kLong);
  const Tensor index = torch::arange(n, torch::TensorOptions().device(device).dtype(torch::kInt));
  out.real = index.unsqueeze(0).lt(block.narrow(0, 2 * b * n, b).unsqueeze(1));
  const Tensor part = word.div(1024, "floor");  // group and type together
  const Tensor group = part.bitwise_and(1023);
  const Tensor type = part.div(1024, "floor");
  const auto rows_of = [](const Tensor& t) { return t.unsqueeze(2); };
  const auto cols_of = [](const Tensor& t) { return t.unsqueeze(1); };
  const Tensor no_group = group.eq(0), no_type = type.eq(0);
  out.visible = rows_of(no_group)
                    .logical_or(cols_of(no_group))
                    .logical_or(rows_of(group)
                                    .eq(cols_of(group))
                                    .logical_and(rows_of(no_type)
                                                     .logical_or(cols_of(no_type))
                                                     .logical_or(rows_of(type).eq(cols_of(type)))))
                    .logical_and(rows_of(out.real))
                    .logical_and(cols_of(out.real));
  out.hidden = out.visible.logical_not();
  // M8, over the distances that occur alone, in whole vectors.
  const int64_t slots = config_.slots(), centre = slots / 2;
  out.slot_begin = std::max<int64_t>(0, (centre - max_position) / 8 * 8);
  out.slot_end = std::min(slots, (centre + max_position + 8) / 8 * 8);
  const Tensor position32 = word.bitwise_and(1023);
  out.slots = (rows_of(position32) - cols_of(position32) + centre)
                  .clamp(0, slots - 1)
                  .sub(out.slot_begin)
                  .to(torch::kLong);
  const auto on_device = [&](std::vector<int64_t>& values) {
    return torch::from_blob(values.data(), {static_cast<int64_t>(values.size())}, torch::kLong)
        .clone()
        .to(device);
  };
  if (labelled) {
    out.positive =
        torch::zeros({b * n * n}, torch::TensorOptions().device(device).dtype(torch::kBool));
    if (!positives.empty()) out.positive.index_fill_(0, on_device(positives), true);
    out.positive = out.positive.view({b, n, n});
  }
  if (!targets.empty()) {
    out.targets = on_device(targets);
    out.target_at = on_device(target_at);
  }
  return out;
}

Tensor Net::norm(const Tensor& x, const Tensor& weight, const Tensor& bias) const {
  return torch::layer_norm(x, {config_.hidden}, weight, bias, config_.layer_norm_eps);
}

Tensor Net::drop(const Tensor& x, bool training) const {
  return training && options_.dropout > 0 ? torch::dropout(x, options_.dropout, true) : x;
}

namespace {

// The two position terms of M9, [H, B, N, N], before the division: Q[q]·PK[slot] + K[k]·PQ[slot].
// Its backward pass keeps the factors that the layer keeps anyway and the batch's one index; left
// to the library, the products with the whole table would be kept too.
class DistanceTerms : public torch::autograd::Function<DistanceTerms> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& q, const Tensor& k,
                        const Tensor& pk, const Tensor& pq, const Tensor& slots) {
    torch::NoGradGuard guard;
    context->save_for_backward({q, k, pk, pq, slots});
    const Tensor index = by_head(slots, q.size(0));
    const auto shape = shape_of(q, pk, slots);
    const Tensor c2p = torch::bmm(q, pk.transpose(1, 2)).view(shape).gather(3, index);
    const Tensor p2c =
        torch::bmm(k, pq.transpose(1, 2)).view(shape).gather(3, index.transpose(2, 3));
    return c2p + p2c.transpose(2, 3);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto kept = context->get_saved_variables();
    const Tensor &q = kept[0], &k = kept[1], &pk = kept[2], &pq = kept[3], &slots = kept[4];
    const Tensor index = by_head(slots, q.size(0));
    const auto shape = shape_of(q, pk, slots);
    const auto onto_slots = [&](const Tensor& at, const Tensor& gradient) {
      return torch::zeros(shape, q.options())
          .scatter_add_(3, at, gradient)
          .view({q.size(0), q.size(1), pk.size(1)});
    };
    const Tensor c2p = onto_slots(index, gradients[0]);
    const Tensor dq = torch::bmm(c2p, pk), dpk = torch::bmm(c2p.transpose(1, 2), q);
    const Tensor p2c = onto_slots(index.transpose(2, 3), gradients[0].transpose(2, 3));
    return {dq, torch::bmm(p2c, pq), dpk, torch::bmm(p2c.transpose(1, 2), k), Tensor()};
  }

 private:
  static Tensor by_head(const Tensor& slots, int64_t heads) {
    return slots.unsqueeze(0).expand({heads, slots.size(0), slots.size(1), slots.size(2)});
  }
  static std::vector<int64_t> shape_of(const Tensor& q, const Tensor& pk, const Tensor& slots) {
    return {q.size(0), slots.size(0), slots.size(1), pk.size(1)};
  }
};

}  // namespace

// Heads come first, [H, B·N, D], so that the products with the position table are one product a
// head over all rows of the batch.
Tensor Net::attention(const Layer& w, const Tensor& x, const Tensor& table,
                      const BatchTensors& batch, bool training) const {
  const int64_t b = x.size(0), n = x.size(1), heads = config_.heads, d = config_.head_width();
  // M9; the reference rounds it to f32.
  const auto scale =
      static_cast<double>(static_cast<float>(std::sqrt(3.0 * static_cast<double>(d))));
  const auto by_head = [&](const Tensor& t) {
    return t.reshape({-1, heads, d}).transpose(0, 1).contiguous();
  };
  const Tensor q = by_head(torch::linear(x, w.q_w, w.q_b));
  const Tensor k = by_head(torch::linear(x, w.k_w, w.k_b));
  const Tensor v = by_head(torch::linear(x, w.v_w, w.v_b)).view({heads, b, n, d});
  const Tensor seen = drop(table, training);
  const Tensor pk = by_head(torch::linear(seen, w.k_w, w.k_b));  // M7, [H, S, D]
  const Tensor pq = by_head(torch::linear(seen, w.q_w, w.q_b));
  const Tensor terms = DistanceTerms::apply(q, k, pk, pq, batch.slots);
  const Tensor hidden_cells = batch.hidden.unsqueeze(0);
#if REX_TORCH_AT_LEAST(2, 2)
  // The fused kernel holds its scores in f32 and never stores them; padded rows, which may attend
  // to nothing, give some mean that nobody reads.
  if (x.is_cuda() && x.scalar_type() == torch::kBFloat16 &&
      options_.padding == Padding::kAsEngine) {
    const Tensor bias = (terms / scale).masked_fill(hidden_cells, -30000.0);
    const Tensor context = at::scaled_dot_product_attention(
        q.view({heads, b, n, d}), k.view({heads, b, n, d}), v, bias,
        training ? options_.dropout : 0.0, false, 1.0 / scale);
    return context.permute({1, 2, 0, 3}).reshape({b, n, heads * d});
  }
#endif
  const Tensor content =
      torch::bmm(q.view({heads * b, n, d}), (k / scale).view({heads * b, n, d}).transpose(1, 2))
          .view({heads, b, n, n});
  const Tensor score = content + terms / scale;
  // M10: masked cells take no part and are exactly zero, also in a row of padding.
  const Tensor lowest = score.masked_fill(hidden_cells, -3e38);
  Tensor weight = torch::softmax(lowest, -1).masked_fill(hidden_cells, 0.0);
  weight = drop(weight, training);
  const Tensor context =
      torch::bmm(weight.view({heads * b, n, n}), v.view({heads * b, n, d})).view({heads, b, n, d});
  return context.permute({1, 2, 0, 3}).reshape({b, n, heads * d});
}

Tensor Net::layer(const Layer& w, const Tensor& x, const Tensor& table, const BatchTensors& batch,
                  bool training) const {
  const Tensor context = attention(w, x, table, batch, training);
  const Tensor y =
      norm(drop(torch::linear(context, w.o_w, w.o_b), training) + x, w.on_w, w.on_b);  // M11
  const Tensor inner = torch::gelu(torch::linear(y, w.i_w, w.i_b));                    // M12, M13
  return norm(drop(torch::linear(inner, w.f_w, w.f_b), training) + y, w.fn_w, w.fn_b);
}

namespace {

// Keeps the two inputs of a layer and computes it again, with the same random masks, when its
// gradient is asked for. The gradients of the parameters arrive by themselves: they are leaves.
class Recomputed : public torch::autograd::Function<Recomputed> {
 public:
  using Body = std::function<Tensor(const Tensor&, const Tensor&)>;
  struct Saved : torch::CustomClassHolder {
    Body body;
    Tensor random_state;
  };

  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x,
                        const Tensor& table, const c10::intrusive_ptr<Saved>& saved) {
    torch::NoGradGuard guard;
    context->save_for_backward({x, table});
    context->saved_data["body"] = torch::IValue::make_capsule(saved);
    saved->random_state = generator(x).get_state();
    return saved->body(x, table);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto kept = context->get_saved_variables();
    const auto saved =
        c10::static_intrusive_pointer_cast<Saved>(context->saved_data["body"].toCapsule());
    at::Generator random = generator(kept[0]);
    const Tensor now = random.get_state();
    random.set_state(saved->random_state);
    Tensor x = kept[0].detach().requires_grad_(true);
    Tensor table = kept[1].detach().requires_grad_(true);
    {
      torch::AutoGradMode on(true);
      const Tensor out = saved->body(x, table);
      torch::autograd::backward({out}, {gradients[0]});
    }
    random.set_state(now);
    return {x.grad(), table.grad(), Tensor()};
  }

 private:
  static at::Generator generator(const Tensor& like) {
    return at::globalContext().defaultGenerator(like.device());
  }
};

}  // namespace

Tensor Net::recomputed(const Layer& w, const Tensor& x, const Tensor& table,
                       const BatchTensors& batch, bool training) const {
  auto saved = c10::make_intrusive<Recomputed::Saved>();
  saved->body = [this, &w, batch, training](const Tensor& in, const Tensor& positions) {
    return layer(w, in, positions, batch, training);
  };
  return Recomputed::apply(x, table, saved);
}

// M14–M16, as one product over the three neighbours of every token.
Tensor Net::convolution(const Tensor& embedded, const Tensor& first, const BatchTensors& batch,
                        bool training) const {
  const Views& w = views();
  const Tensor real = batch.real.unsqueeze(2).to(embedded.scalar_type());
  const Tensor in = options_.padding == Padding::kAsEngine ? embedded * real : embedded;
  const int64_t n = in.size(1), c = config_.hidden;
  const Tensor wide = torch::constant_pad_nd(in, {0, 0, 1, 1}, 0);
  const Tensor near =
      torch::cat({wide.narrow(1, 0, n), wide.narrow(1, 1, n), wide.narrow(1, 2, n)}, 2);
  const Tensor kernel = w["plm.encoder.conv.conv.weight"].permute({0, 2, 1}).reshape({c, 3 * c});
  const Tensor conv = torch::linear(near, kernel, w["plm.encoder.conv.conv.bias"]) * real;
  const Tensor gained = torch::gelu(drop(conv, training));
  return norm(first + gained, w["plm.encoder.conv.LayerNorm.weight"],
              w["plm.encoder.conv.LayerNorm.bias"]) *
         real;
}

Tensor Net::encode(const BatchTensors& batch, bool training, uint64_t recompute) {
  const Views& w = views();
  const Tensor embedded =
      drop(norm(torch::embedding(w["plm.embeddings.word_embeddings.weight"], batch.ids),
                w["plm.embeddings.LayerNorm.weight"], w["plm.embeddings.LayerNorm.bias"]),
           training);
  const Tensor table =
      norm(w["plm.encoder.rel_embeddings.weight"].slice(0, batch.slot_begin, batch.slot_end),
           w["plm.encoder.LayerNorm.weight"], w["plm.encoder.LayerNorm.bias"]);
  Tensor x = embedded;
  for (size_t i = 0; i < w.layers.size(); ++i) {
    x = (recompute >> i & 1) != 0 && torch::GradMode::is_enabled()
            ? recomputed(w.layers[i], x, table, batch, training)
            : layer(w.layers[i], x, table, batch, training);
    if (i == 0 && config_.conv_kernel > 0) x = convolution(embedded, x, batch, training);
  }
  return x;
}

Tensor Net::scores(const Tensor& hidden, const BatchTensors& batch) {
  const Views& w = views();
  const auto wide = master.scalar_type();
  const int64_t b = hidden.size(0), n = hidden.size(1), c = config_.hidden;
  const Tensor angle =
      batch.position.to(torch::kDouble).unsqueeze(2) * frequencies_.to(hidden.device());
  const Tensor cosine = angle.cos().to(wide), sine = angle.sin().to(wide);
  const auto turned = [&](const char* name) {
    const std::string at = name;
    const Tensor v =
        torch::linear(hidden, w[at + ".weight"], w[at + ".bias"]).to(wide).view({b, n, c / 2, 2});
    const Tensor even = v.select(3, 0), odd = v.select(3, 1);
    return torch::stack({even * cosine - odd * sine, odd * cosine + even * sine}, 3)
        .view({b, n, c});
  };
  return torch::bmm(turned("ffnq"), turned("ffnk").transpose(1, 2));
}

Tensor Net::language_loss(const Tensor& hidden, const BatchTensors& batch) {
  const Views& w = views();
  const Tensor at = hidden.reshape({-1, config_.hidden}).index_select(0, batch.target_at);
  const Tensor inner =
      norm(torch::gelu(torch::linear(at, w["language.dense.weight"], w["language.dense.bias"])),
           w["language.LayerNorm.weight"], w["language.LayerNorm.bias"]);
  const Tensor logits =
      torch::linear(inner, w["plm.embeddings.word_embeddings.weight"], w["language.bias"]);
  return torch::nn::functional::cross_entropy(logits.to(master.scalar_type()), batch.targets);
}

}  // namespace rex::train
