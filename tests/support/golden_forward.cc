#include "support/golden_forward.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "engine/batch.h"
#include "support/test_data.h"

namespace rex {
namespace {

using Json = nlohmann::ordered_json;

// A plain safetensors reader for the types that only the golden files use.
struct GoldenFile {
  explicit GoldenFile(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
    uint64_t size = 0;
    std::memcpy(&size, bytes.data(), sizeof size);
    header = Json::parse(bytes.substr(8, size));
    data = bytes.data() + 8 + size;
  }

  [[nodiscard]] bool has(const std::string& name) const { return header.contains(name); }
  [[nodiscard]] size_t dim(const std::string& name, size_t axis) const {
    return header.at(name).at("shape").at(axis).get<size_t>();
  }

  template <class T>
  std::vector<double> as(const std::string& name) const {
    const Json& entry = header.at(name);
    const auto begin = entry.at("data_offsets")[0].get<size_t>();
    const auto end = entry.at("data_offsets")[1].get<size_t>();
    std::vector<T> raw((end - begin) / sizeof(T));
    std::memcpy(raw.data(), data + begin, end - begin);
    return {raw.begin(), raw.end()};
  }
  [[nodiscard]] std::vector<double> values(const std::string& name) const {
    const auto type = header.at(name).at("dtype").get<std::string>();
    if (type == "F64") return as<double>(name);
    if (type == "F32") return as<float>(name);
    if (type == "I32") return as<int32_t>(name);
    if (type == "I64") return as<int64_t>(name);
    return as<uint8_t>(name);
  }

  std::string bytes;
  Json header;
  const char* data = nullptr;
};

// P18: roles by walking the ids; positions are stored, so only group and type are derived here.
std::vector<uint32_t> words_of(const GoldenForward& golden) {
  constexpr int32_t kSep = 2, kPrefix = 12800, kType = 12801;
  std::vector<uint32_t> words;
  uint32_t groups = 0, group = 0, type = 0;
  for (size_t i = 0; i < golden.ids.size(); ++i) {
    if (golden.ids[i] == kPrefix) {
      group = ++groups;
      type = 0;
    } else if (golden.ids[i] == kType) {
      group = groups;
      ++type;
    } else if (golden.ids[i] == kSep) {
      group = 0;
    }
    const bool outside = group == 0;
    words.push_back(engine::TokenWord::pack(static_cast<uint32_t>(golden.positions[i]),
                                            outside ? 0 : group, outside ? 0 : type));
  }
  return words;
}

void read_logits(const GoldenFile& file, size_t item, size_t n, GoldenForward& golden) {
  const auto put = [&](const std::string& name, size_t stride) {
    const std::vector<double> values = file.values(name);
    const size_t rows = file.dim(name, 1);
    for (size_t r = 0; r < rows; ++r) {
      const auto begin = values.begin() + static_cast<ptrdiff_t>((item * rows + r) * n);
      golden.logits[r * stride] = {begin, begin + static_cast<ptrdiff_t>(n)};
    }
  };
  golden.logits_double = file.has("logits_f64");
  if (golden.logits_double) return put("logits_f64", 1);
  const bool strided = file.has("logits_f32_row_stride");
  put("logits_f32", strided ? static_cast<size_t>(file.values("logits_f32_row_stride")[0]) : 1);
  if (file.has("logits_f64_rows_every_16")) {
    golden.logits.clear();
    put("logits_f64_rows_every_16", 16);
    golden.logits_double = true;
  }
}

void read_mask(const GoldenFile& file, size_t item, size_t n, GoldenForward& golden) {
  const bool packed = file.has("attention_mask_packed");
  const std::string name = packed ? "attention_mask_packed" : "attention_mask";
  const std::vector<double> values = file.values(name);
  const size_t stored = file.dim(name, 2);
  for (size_t row = 0; row < n; ++row) {
    for (size_t col = 0; col < n; ++col) {
      const size_t at = (item * n + row) * stored + (packed ? col / 8 : col);
      const auto value = static_cast<uint32_t>(values[at]);
      golden.mask.push_back(static_cast<uint8_t>(packed ? value >> (7 - col % 8) & 1U : value));
    }
  }
}

GoldenForward read_item(const GoldenFile& file, const Json& entry, size_t item) {
  GoldenForward golden;
  const size_t n = file.dim("input_ids", 1);
  const auto rows = [&](const std::string& name) {
    const std::vector<double> all = file.values(name);
    const auto begin = all.begin() + static_cast<ptrdiff_t>(item * n);
    return std::vector<int32_t>(begin, begin + static_cast<ptrdiff_t>(n));
  };
  golden.ids = rows("input_ids");
  golden.positions = rows("position_ids");
  const std::vector<int32_t> segments = rows("token_type_ids");
  golden.text_begin =
      static_cast<int32_t>(std::find(segments.begin(), segments.end(), 1) - segments.begin());
  golden.logit_rms = entry.at("logit_rms").get<double>();
  golden.words = words_of(golden);
  for (const std::string key : {"hidden0", "hidden1", "hidden2", "hidden3", "q", "k"}) {
    for (const bool is_double : {true, false}) {
      const std::string name = key + (is_double ? "_f64" : "_f32");
      if (!file.has(name) || golden.matrices.contains(key)) continue;
      const std::vector<double> all = file.values(name);
      const size_t cols = file.dim(name, 2);
      const auto begin = all.begin() + static_cast<ptrdiff_t>(item * n * cols);
      golden.matrices[key] = {is_double, cols, {begin, begin + static_cast<ptrdiff_t>(n * cols)}};
    }
  }
  read_logits(file, item, n, golden);
  read_mask(file, item, n, golden);
  return golden;
}

}  // namespace

std::vector<GoldenForward> load_golden_forwards(const std::string& model) {
  const auto folder = shared_golden_dir() / "forward";
  std::ifstream index(folder / (model + ".index.json"));
  std::vector<GoldenForward> all;
  for (const Json& entry : Json::parse(index)) {
    const GoldenFile file(folder / entry.at("file").get<std::string>());
    const size_t n = file.dim("input_ids", 1);
    for (size_t item = 0; item < file.dim("input_ids", 0); ++item) {
      // M18: a padded pass sees its padding in the reference; the product never pads.
      if (entry.at("lengths")[item].get<size_t>() != n) continue;
      GoldenForward golden = read_item(file, entry, item);
      // A full row of a padded batch is computed as if alone.
      golden.name = entry.at("file").get<std::string>() + "[" + std::to_string(item) + "]";
      all.push_back(std::move(golden));
    }
  }
  return all;
}

}  // namespace rex
