#include "decode/class_choice.h"

#include <algorithm>

namespace rex::decode {
namespace {

double sum_of(const Chain& chain) {
  double sum = 0.0;
  for (const Step& step : chain) sum += step.confidence;
  return sum;
}

Chain chain_of(const std::vector<std::string>& path, const std::vector<double>& confidences) {
  Chain chain;
  for (size_t i = 0; i < path.size(); ++i) {
    chain.push_back({.label = path[i], .span = {}, .confidence = confidences[i]});
  }
  return chain;
}

std::vector<double> average(const std::vector<std::vector<double>>& hits) {
  std::vector<double> mean(hits.front().size(), 0.0);
  for (const std::vector<double>& hit : hits) {
    for (size_t i = 0; i < mean.size(); ++i) mean[i] += hit[i];
  }
  for (double& value : mean) value /= static_cast<double>(hits.size());
  return mean;
}

template <class Measure>
std::vector<Chain> first_greatest(std::vector<Chain> chains, Measure measure) {
  if (chains.empty()) return {};
  const auto best =
      std::max_element(chains.begin(), chains.end(),
                       [&](const Chain& a, const Chain& b) { return measure(a) < measure(b); });
  return {std::move(*best)};
}

}  // namespace

std::vector<Chain> choose_one(std::vector<Chain> chains) {
  return first_greatest(std::move(chains), mean_confidence);
}

std::vector<Chain> choose_many(std::vector<Chain> chains,
                               const std::function<double(const Chain&)>& threshold_of,
                               bool allow_empty) {
  std::vector<Chain> chosen;
  for (const Chain& chain : chains) {
    if (mean_confidence(chain) > threshold_of(chain)) chosen.push_back(chain);
  }
  if (!chosen.empty() || allow_empty) return chosen;
  return choose_one(std::move(chains));
}

std::vector<Chain> greatest_sum(std::vector<Chain> chains) {
  return first_greatest(std::move(chains), sum_of);
}

void PathHits::add(const std::vector<std::string>& path, const std::vector<double>& confidences) {
  const auto known = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.path == path; });
  if (known != entries_.end()) {
    known->hits.push_back(confidences);
  } else {
    entries_.push_back({path, {confidences}});
  }
}

std::vector<Chain> PathHits::best() const {
  if (entries_.size() == 1) return all();
  std::vector<Chain> averaged;
  for (const Entry& entry : entries_) averaged.push_back(chain_of(entry.path, average(entry.hits)));
  return greatest_sum(std::move(averaged));
}

std::vector<Chain> PathHits::all() const {
  std::vector<Chain> chains;
  for (const Entry& entry : entries_) chains.push_back(chain_of(entry.path, entry.hits.front()));
  return chains;
}

}  // namespace rex::decode
