#include "train/sources.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "core/mapped_file.h"
#include "engine/batch.h"

namespace rex::train {
namespace {

// Rows of each piece of work, laid together in the order of the pieces.
std::vector<Row> joined(std::vector<std::vector<Row>> parts) {
  std::vector<Row> rows;
  for (std::vector<Row>& part : parts)
    std::move(part.begin(), part.end(), std::back_inserter(rows));
  return rows;
}

class EpochSource : public RowSource {
 public:
  EpochSource(std::vector<DataSet> sets, RowBuilder builder, uint64_t seed, int32_t threads)
      : seed_(seed) {
    std::vector<const Example*> all;
    for (const DataSet& set : sets) {
      for (const Example& example : set.examples) all.push_back(&example);
    }
    std::vector<RowBuilder> builders(static_cast<size_t>(threads), builder);
    std::vector<std::vector<Row>> parts(all.size());
    parallel_for(all.size(), threads, [&](size_t i, int32_t thread) {
      if (!builders[static_cast<size_t>(thread)].append(*all[i], parts[i])) parts[i].clear();
    });
    rows_ = joined(std::move(parts));
  }
  std::vector<Row> pool(uint64_t index) override {
    std::vector<Row> rows = rows_;
    Rng(seed_, index).shuffle(rows);
    return rows;
  }

 private:
  uint64_t seed_;
  std::vector<Row> rows_;
};

class MixSource : public RowSource {
 public:
  MixSource(std::vector<DataSet> sets, const RowBuilder& builder, Augmenter augmenter,
            const MixOptions& options, uint64_t seed, int32_t threads)
      : sets_(std::move(sets)),
        augmenter_(std::move(augmenter)),
        options_(options),
        seed_(seed),
        builders_(static_cast<size_t>(threads), builder) {
    std::erase_if(sets_, [](const DataSet& set) { return set.examples.empty(); });
    double sum = 0.0;
    for (const DataSet& set : sets_) {
      const auto factor = options.factors.find(set.name);
      sum +=
          std::pow(static_cast<double>(std::min(set.examples.size(), options.cap)), options.power) *
          (factor == options.factors.end() ? 1.0 : factor->second);
      bounds_.push_back(sum);
    }
  }
  std::vector<Row> pool(uint64_t index) override {
    std::vector<std::vector<Row>> parts(options_.samples);
    parallel_for(parts.size(), static_cast<int32_t>(builders_.size()),
                 [&](size_t i, int32_t thread) {
                   Rng rng(seed_, index + 1, i + 1);
                   draw(rng, builders_[static_cast<size_t>(thread)], parts[i]);
                 });
    return joined(std::move(parts));
  }
  [[nodiscard]] size_t dropped() const override { return dropped_; }

 private:
  void draw(Rng& rng, RowBuilder& builder, std::vector<Row>& rows) {
    const double at = rng.uniform() * bounds_.back();
    const auto found = std::upper_bound(bounds_.begin(), bounds_.end(), at) - bounds_.begin();
    const auto& examples = sets_[std::min(static_cast<size_t>(found), sets_.size() - 1)].examples;
    const Example& example = examples[rng.below(examples.size())];
    const Example& other = examples[rng.below(examples.size())];
    if (!builder.append(augmenter_.vary(example, other, rng), rows)) {
      rows.clear();
      ++dropped_;
    }
    if (rows.size() > static_cast<size_t>(options_.max_rows)) {
      rng.shuffle(rows);
      rows.resize(static_cast<size_t>(options_.max_rows));
    }
  }

  std::vector<DataSet> sets_;
  Augmenter augmenter_;
  MixOptions options_;
  uint64_t seed_;
  std::vector<double> bounds_;
  std::vector<RowBuilder> builders_;
  std::atomic<size_t> dropped_{0};
};

class TextSource : public RowSource {
 public:
  TextSource(std::vector<uint16_t> tokens, const text::Tokenizer& tokenizer, size_t rows,
             int32_t window, uint64_t seed)
      : tokens_(std::move(tokens)),
        special_(tokenizer.special()),
        vocabulary_(static_cast<uint64_t>(tokenizer.size()) - 4),
        count_(rows),
        window_(window),
        seed_(seed) {}

  std::vector<Row> pool(uint64_t index) override {
    std::vector<Row> rows(count_);
    for (size_t i = 0; i < count_; ++i) {
      Rng rng(seed_, index + 1, i + 1);
      const auto length = static_cast<size_t>(i % 32 == 0 ? 512 : window_) - 2;
      const size_t begin = rng.below(tokens_.size() - length);
      Row& row = rows[i];
      row.ids.push_back(special_.cls);
      row.ids.insert(row.ids.end(), tokens_.begin() + static_cast<ptrdiff_t>(begin),
                     tokens_.begin() + static_cast<ptrdiff_t>(begin + length));
      row.ids.push_back(special_.sep);
      row.targets.assign(row.ids.size(), -1);
      for (size_t t = 0; t < row.ids.size(); ++t) {
        row.words.push_back(engine::TokenWord::pack(static_cast<uint32_t>(t), 0, 0));
        int32_t& id = row.ids[t];
        if (id <= special_.mask || !rng.chance(0.15)) continue;
        row.targets[t] = id;
        const double fate = rng.uniform();
        if (fate < 0.8)
          id = special_.mask;
        else if (fate < 0.9)
          id = static_cast<int32_t>(104 + rng.below(vocabulary_ - 104));
      }
    }
    return rows;
  }

 private:
  std::vector<uint16_t> tokens_;
  text::SpecialIds special_;
  uint64_t vocabulary_;
  size_t count_;
  int32_t window_;
  uint64_t seed_;
};

}  // namespace

std::unique_ptr<RowSource> epoch_source(std::vector<DataSet> sets, RowBuilder builder,
                                        uint64_t seed, int32_t threads) {
  return std::make_unique<EpochSource>(std::move(sets), std::move(builder), seed, threads);
}

std::unique_ptr<RowSource> mix_source(std::vector<DataSet> sets, RowBuilder builder,
                                      Augmenter augmenter, const MixOptions& options, uint64_t seed,
                                      int32_t threads) {
  return std::make_unique<MixSource>(std::move(sets), builder, std::move(augmenter), options, seed,
                                     threads);
}

Result<std::unique_ptr<RowSource>> text_source(const std::vector<std::filesystem::path>& files,
                                               const text::Tokenizer& tokenizer, size_t rows,
                                               int32_t window, uint64_t seed, int32_t threads) {
  constexpr size_t kPiece = size_t{1} << 18;
  std::vector<uint16_t> all;
  for (const auto& file : files) {
    REX_TRY(text, read_text_file(file, size_t{4} << 30));
    std::vector<std::string_view> pieces;  // whole lines
    for (size_t begin = 0; begin < text.size();) {
      size_t end = std::min(begin + kPiece, text.size());
      end = std::min(text.find('\n', end), text.size());
      pieces.push_back(std::string_view(text).substr(begin, end - begin));
      begin = end + 1;
    }
    std::vector<std::vector<uint16_t>> parts(pieces.size());
    std::atomic<bool> good{true};
    parallel_for(pieces.size(), threads, [&](size_t i, int32_t) {
      // A blank line ends a document, which [SEP] marks.
      std::string_view rest = pieces[i];
      bool blank = false;
      while (!rest.empty()) {
        const size_t end = std::min(rest.find('\n'), rest.size());
        const auto tokens = tokenizer.encode(rest.substr(0, end));
        if (!tokens)
          good = false;
        else if (tokens->empty() && !blank)
          parts[i].push_back(static_cast<uint16_t>(tokenizer.special().sep));
        blank = tokens && tokens->empty();
        if (tokens) {
          for (const text::Token& token : *tokens)
            parts[i].push_back(static_cast<uint16_t>(token.id));
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    });
    if (!good) return fail(ErrorCode::kEncodingInvalid, "the text is not UTF-8", file.string());
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  }
  if (all.size() < 4096) {
    return fail(ErrorCode::kSampleInvalid, "the texts have " + std::to_string(all.size()) +
                                               " tokens; at least 4096 are needed");
  }
  return std::make_unique<TextSource>(std::move(all), tokenizer, rows, window, seed);
}

std::vector<std::vector<uint32_t>> cut_batches(const std::vector<Row>& rows, size_t max_tokens,
                                               size_t max_rows, bool by_length, Rng& rng) {
  std::vector<uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0U);
  if (by_length) {
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return rows[a].ids.size() < rows[b].ids.size();
    });
  }
  std::vector<std::vector<uint32_t>> batches;
  size_t longest = 0;
  for (const uint32_t i : order) {
    const size_t length = (rows[i].ids.size() + 7) / 8 * 8;
    const size_t would = std::max(longest, length);
    if (batches.empty() || batches.back().size() >= max_rows ||
        (batches.back().size() + 1) * would > max_tokens) {
      batches.emplace_back();
      longest = length;
    } else {
      longest = would;
    }
    batches.back().push_back(i);
  }
  if (by_length) rng.shuffle(batches);
  return batches;
}

}  // namespace rex::train
