// Where training rows come from, in pools: all rows of an epoch, a draw from many data sets, or
// windows of plain text with masked tokens. Pool i depends on the seed and i alone, so a run that
// was stopped goes on exactly where it was.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "train/augment.h"
#include "train/data_set.h"

namespace rex::train {

class RowSource {
 public:
  virtual ~RowSource() = default;
  // Deterministic in `index`. Not thread-safe.
  virtual std::vector<Row> pool(uint64_t index) = 0;
  // Labels that no prompt could hold and the like, found while rows were made.
  [[nodiscard]] virtual size_t dropped() const { return 0; }
};

// Pool i: every row of every example, in an order of its own (F11, fine-tuning).
std::unique_ptr<RowSource> epoch_source(std::vector<DataSet> sets, RowBuilder builder,
                                        uint64_t seed, int32_t threads);

struct MixOptions {
  size_t samples = 4096;  // drawn for a pool
  // A set of n examples is drawn with weight min(n, cap) to this power, times its factor.
  double power = 0.6;
  size_t cap = 12000;
  std::map<std::string, double> factors;
  int32_t max_rows = 4;  // of one sample, picked at random
};

// Pool i: samples of many sets, varied (multi-task training).
std::unique_ptr<RowSource> mix_source(std::vector<DataSet> sets, RowBuilder builder,
                                      Augmenter augmenter, const MixOptions& options, uint64_t seed,
                                      int32_t threads);

// Pool i: windows of documents with 15 % of the tokens to be guessed (80 % masked, 10 % another
// token, 10 % themselves). Most windows are `window` tokens long, every eighth is 512.
// Errors: FILE_NOT_FOUND, FILE_UNREADABLE, ENCODING_INVALID; SAMPLE_INVALID for too little text.
Result<std::unique_ptr<RowSource>> text_source(const std::vector<std::filesystem::path>& files,
                                               const text::Tokenizer& tokenizer, size_t rows,
                                               int32_t window, uint64_t seed, int32_t threads);

// Indexes of rows, cut into batches of at most `tokens` padded tokens and `rows` rows. With
// `by_length` rows of like length go together (less padding) and the batches are shuffled.
std::vector<std::vector<uint32_t>> cut_batches(const std::vector<Row>& rows, size_t max_tokens,
                                               size_t max_rows, bool by_length, Rng& rng);

}  // namespace rex::train
