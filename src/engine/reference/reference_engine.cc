#include "engine/reference/reference_engine.h"

#include <cmath>

#include "core/check.h"
#include "engine/collect_links.h"
#include "engine/tables.h"

namespace rex::engine {
namespace {

using Vector = std::vector<double>;

struct Linear {
  Matrix weight;  // [out][in]
  Vector bias;    // [out]
};

struct Norm {
  Vector weight, bias;
  double eps = 0.0;
};

struct Layer {
  Linear query, key, value, attention_out, ffn_in, ffn_out;
  Norm attention_norm, output_norm;
};

Vector as_vector(const model::TensorView& tensor) {
  const std::vector<float> values = model::as_floats(tensor);
  return {values.begin(), values.end()};
}

Matrix as_matrix(const model::TensorView& tensor) {
  const Vector flat = as_vector(tensor);
  const auto rows = static_cast<size_t>(tensor.shape[0]);
  const size_t cols = flat.size() / rows;
  Matrix matrix(rows);
  for (size_t r = 0; r < rows; ++r) {
    matrix[r].assign(flat.begin() + static_cast<ptrdiff_t>(r * cols),
                     flat.begin() + static_cast<ptrdiff_t>((r + 1) * cols));
  }
  return matrix;
}

// Eight sums side by side: several times faster than one, and still plain.
double dot(const double* a, const double* b, size_t n) {
  constexpr size_t kLanes = 8;
  double sums[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  double sum = 0.0;
  for (const double part : sums) sum += part;
  for (; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

Matrix project(const Linear& linear, const Matrix& x) {
  Matrix y(x.size(), Vector(linear.weight.size()));
  for (size_t t = 0; t < x.size(); ++t) {
    for (size_t o = 0; o < linear.weight.size(); ++o) {
      y[t][o] = linear.bias[o] + dot(x[t].data(), linear.weight[o].data(), x[t].size());
    }
  }
  return y;
}

// Biased variance ("Conventions").
void normalize(const Norm& norm, Matrix& x) {
  for (Vector& row : x) {
    const auto n = static_cast<double>(row.size());
    double mean = 0.0, variance = 0.0;
    for (const double v : row) mean += v / n;
    for (const double v : row) variance += (v - mean) * (v - mean) / n;
    const double scale = 1.0 / std::sqrt(variance + norm.eps);
    for (size_t i = 0; i < row.size(); ++i) {
      row[i] = (row[i] - mean) * scale * norm.weight[i] + norm.bias[i];
    }
  }
}

void add(Matrix& x, const Matrix& y) {
  for (size_t t = 0; t < x.size(); ++t) {
    for (size_t i = 0; i < x[t].size(); ++i) x[t][i] += y[t][i];
  }
}

void gelu(Matrix& x) {  // M13
  for (Vector& row : x) {
    for (double& v : row) v = v / 2.0 * (1.0 + std::erf(v / std::sqrt(2.0)));
  }
}

// M22: adjacent pairs, angle = position · frequency.
void rotate(Matrix& x, std::span<const uint32_t> words, const Vector& frequencies) {
  for (size_t t = 0; t < x.size(); ++t) {
    for (size_t i = 0; i < frequencies.size(); ++i) {
      const double angle = TokenWord::position(words[t]) * frequencies[i];
      const double even = x[t][2 * i], odd = x[t][2 * i + 1];
      x[t][2 * i] = even * std::cos(angle) - odd * std::sin(angle);
      x[t][2 * i + 1] = odd * std::cos(angle) + even * std::sin(angle);
    }
  }
}

}  // namespace

struct ReferenceModel::Parameters {
  model::ModelConfig config;
  SlotTable slots{};
  Matrix words;  // word embeddings
  Norm embedding_norm;
  Matrix relative;  // R' (M5)
  std::vector<Layer> layers;
  Matrix conv;  // [out][3 · C], tap-major
  Vector conv_bias;
  Norm conv_norm;
  Linear query_head, key_head;
  Vector frequencies;

  [[nodiscard]] Matrix embed(std::span<const int32_t> ids) const {
    Matrix x;
    for (const int32_t id : ids) {
      REX_CHECK(id >= 0 && id < config.vocab_rows, "token id outside the embedding table");
      x.push_back(words[static_cast<size_t>(id)]);
    }
    normalize(embedding_norm, x);  // M1
    return x;
  }

  [[nodiscard]] Matrix attention(const Layer& layer, const Matrix& x,
                                 std::span<const uint32_t> token_words) const;
  [[nodiscard]] Matrix convolve(const Matrix& x) const;
};

Matrix ReferenceModel::Parameters::attention(const Layer& layer, const Matrix& x,
                                             std::span<const uint32_t> token_words) const {
  const Matrix q = project(layer.query, x), k = project(layer.key, x), v = project(layer.value, x);
  const Matrix pk = project(layer.key, relative), pq = project(layer.query, relative);  // M7
  const size_t n = x.size(), width = static_cast<size_t>(config.head_width());
  const double scale =
      std::sqrt(static_cast<float>(3 * width));  // M9; the reference's f32 constant
  Matrix context(n, Vector(x[0].size(), 0.0));
  for (size_t head = 0; head < static_cast<size_t>(config.heads); ++head) {
    const size_t c = head * width;
    for (size_t i = 0; i < n; ++i) {
      Vector score(n, 0.0);
      std::vector<bool> seen(n, false);
      double highest = -INFINITY;
      for (size_t j = 0; j < n; ++j) {
        seen[j] = TokenWord::visible(token_words[i], token_words[j]) &&  // P21–P24
                  (token_words[j] & TokenWord::kUnseen) == 0;
        if (!seen[j]) continue;
        const auto distance = static_cast<int32_t>(TokenWord::position(token_words[i])) -
                              static_cast<int32_t>(TokenWord::position(token_words[j]));
        const auto u =
            static_cast<size_t>(slots[static_cast<size_t>(distance + kMaxPassTokens - 1)]);
        score[j] = (dot(&q[i][c], &k[j][c], width) + dot(&q[i][c], &pk[u][c], width) +
                    dot(&k[j][c], &pq[u][c], width)) /
                   scale;  // M9
        highest = std::max(highest, score[j]);
      }
      double sum = 0.0;
      for (size_t j = 0; j < n; ++j) {
        score[j] = seen[j] ? std::exp(score[j] - highest) : 0.0;  // M10
        sum += score[j];
      }
      for (size_t j = 0; j < n; ++j) {
        for (size_t d = 0; d < width; ++d) context[i][c + d] += score[j] / sum * v[j][c + d];
      }
    }
  }
  return context;
}

// M14: zero beyond both ends; M18: so no padding token is ever seen.
Matrix ReferenceModel::Parameters::convolve(const Matrix& x) const {
  const size_t n = x.size(), width = x[0].size();
  Matrix out(n, conv_bias);
  for (size_t t = 0; t < n; ++t) {
    for (size_t tap = 0; tap < 3; ++tap) {
      if (t + tap < 1 || t + tap - 1 >= n) continue;
      const Vector& row = x[t + tap - 1];
      for (size_t o = 0; o < out[t].size(); ++o)
        out[t][o] += dot(row.data(), &conv[o][tap * width], width);
    }
  }
  return out;
}

ReferenceModel::ReferenceModel(const model::Weights& w) {
  const auto linear = [](const model::TensorView& weight, const model::TensorView& bias) {
    return Linear{as_matrix(weight), as_vector(bias)};
  };
  const auto norm = [&](const model::TensorView& weight, const model::TensorView& bias) {
    return Norm{as_vector(weight), as_vector(bias), static_cast<double>(w.config.layer_norm_eps)};
  };
  auto p = std::make_unique<Parameters>();
  p->config = w.config;
  p->slots = make_slot_table(w.config);
  p->words = as_matrix(w.word_embeddings);
  p->embedding_norm = norm(w.embedding_norm_weight, w.embedding_norm_bias);
  p->relative = as_matrix(w.relative_embeddings);
  normalize(norm(w.relative_norm_weight, w.relative_norm_bias), p->relative);  // M5
  for (const model::LayerWeights& l : w.layers) {
    p->layers.push_back(
        {linear(l.query_weight, l.query_bias), linear(l.key_weight, l.key_bias),
         linear(l.value_weight, l.value_bias), linear(l.attention_out_weight, l.attention_out_bias),
         linear(l.ffn_in_weight, l.ffn_in_bias), linear(l.ffn_out_weight, l.ffn_out_bias),
         norm(l.attention_norm_weight, l.attention_norm_bias),
         norm(l.output_norm_weight, l.output_norm_bias)});
  }
  if (w.config.conv_kernel == 3) {
    const auto width = static_cast<size_t>(w.config.hidden);
    p->conv = as_matrix(w.conv_weight);  // [out][C · 3], tap fastest
    for (Vector& row : p->conv) {
      Vector tap_major(row.size());
      for (size_t i = 0; i < width; ++i) {
        for (size_t tap = 0; tap < 3; ++tap) tap_major[tap * width + i] = row[i * 3 + tap];
      }
      row = std::move(tap_major);
    }
    p->conv_bias = as_vector(w.conv_bias);
    p->conv_norm = norm(w.conv_norm_weight, w.conv_norm_bias);
  }
  p->query_head = linear(w.query_head_weight, w.query_head_bias);
  p->key_head = linear(w.key_head_weight, w.key_head_bias);
  p->frequencies = as_vector(w.rotary_frequencies);
  parameters_ = std::move(p);
}

ReferenceModel::~ReferenceModel() = default;

ReferenceTrace ReferenceModel::forward(std::span<const int32_t> ids,
                                       std::span<const uint32_t> words) const {
  const Parameters& p = *parameters_;
  ReferenceTrace trace;
  Matrix x = p.embed(ids);
  trace.hidden.push_back(x);
  for (size_t l = 0; l < p.layers.size(); ++l) {
    const Layer& layer = p.layers[l];
    Matrix y = project(layer.attention_out, p.attention(layer, x, words));  // M11
    add(y, x);
    normalize(layer.attention_norm, y);
    Matrix h = project(layer.ffn_in, y);  // M12
    gelu(h);
    h = project(layer.ffn_out, h);
    add(h, y);
    normalize(layer.output_norm, h);
    if (l == 0 && !p.conv.empty()) {  // M14–M17
      Matrix g = p.convolve(trace.hidden[0]);
      gelu(g);
      add(h, g);
      normalize(p.conv_norm, h);
    }
    x = std::move(h);
    trace.hidden.push_back(x);
  }
  trace.query = project(p.query_head, x);  // M21
  trace.key = project(p.key_head, x);
  rotate(trace.query, words, p.frequencies);
  rotate(trace.key, words, p.frequencies);
  for (const Vector& q : trace.query) {  // M23
    Vector row;
    for (const Vector& k : trace.key) row.push_back(dot(q.data(), k.data(), q.size()));
    trace.logits.push_back(std::move(row));
  }
  return trace;
}

namespace {

class ReferenceEngine : public Engine {
 public:
  ReferenceEngine(std::shared_ptr<const model::Weights> weights, BatchLimits limits)
      : weights_(std::move(weights)), model_(*weights_) {
    info_ = {"cpu", "f64", "reference engine: plain loops in double precision", 1, limits};
  }

  [[nodiscard]] const EngineInfo& info() const override { return info_; }
  [[nodiscard]] const MemoryPlan& plan() const override { return plan_; }

  Result<void> run(const PackedBatch& batch, LinkLists& out) override {
    REX_TRY_VOID(check_batch(batch, info_.limits));
    out.clear();
    for (const PassInfo& pass : batch.passes) {
      const auto begin = static_cast<size_t>(pass.token_begin);
      const auto count = static_cast<size_t>(pass.token_count);
      const ReferenceTrace trace = model_.forward(batch.token_ids.subspan(begin, count),
                                                  batch.token_words.subspan(begin, count));
      collect_links(
          batch, pass,
          [&](int32_t row, int32_t col) {
            return static_cast<float>(
                trace.logits[static_cast<size_t>(row)][static_cast<size_t>(col)]);
          },
          out);
    }
    return {};
  }

 private:
  std::shared_ptr<const model::Weights> weights_;
  ReferenceModel model_;
  EngineInfo info_;
  MemoryPlan plan_;  // nothing is planned here
};

}  // namespace

std::unique_ptr<Engine> make_reference_engine(std::shared_ptr<const model::Weights> weights,
                                              BatchLimits limits) {
  return std::make_unique<ReferenceEngine>(std::move(weights), limits);
}

}  // namespace rex::engine
