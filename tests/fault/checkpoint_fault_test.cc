// Checkpoints cut off, changed or made to harm: always an error or a whole model, never a crash, a
// run of foreign code, or memory taken on the file's word. Run under the sanitizers too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>

#include "fault/torch_archive.h"
#include "model/files/safetensors.h"
#include "model/files/torch_checkpoint.h"
#include "model/weights.h"
#include "support/temp_dir.h"
#include "support/test_data.h"

namespace rex::model {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

ModelConfig small_config() {
  return {.layers = 1,
          .hidden = 8,
          .heads = 2,
          .intermediate = 12,
          .vocab_rows = 20,
          .position_buckets = 4};
}

std::string read_all(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The two files of one small model of random weights.
std::string small_safetensors() {
  Weights weights = *random_weights(small_config(), 5);
  std::vector<TensorToWrite> tensors;
  visit_tensors(weights, [&](const std::string& name, const std::vector<int64_t>&,
                             TensorView& view) { tensors.push_back({name, view, DType::kF16}); });
  const TempDir dir;
  EXPECT_TRUE(write_safetensors(dir.path() / "file", tensors));
  return read_all(dir.path() / "file");
}

std::string small_torch_file(bool zip64) {
  Weights weights = *random_weights(small_config(), 5);
  std::vector<pickled::Tensor> index;
  std::vector<std::string> storages;
  visit_tensors(weights,
                [&](const std::string& name, const std::vector<int64_t>& shape, TensorView& view) {
                  std::vector<int64_t> strides(shape.size(), 1);
                  for (size_t i = shape.size() - 1; i > 0; --i)
                    strides[i - 1] = strides[i] * shape[i];
                  index.push_back({.name = name,
                                   .shape = shape,
                                   .strides = strides,
                                   .key = std::to_string(storages.size()),
                                   .storage_items = view.count()});
                  const auto* bytes = reinterpret_cast<const char*>(view.bytes.data());
                  storages.emplace_back(bytes, view.bytes.size());
                });
  return make_torch_file(pickled::state_dict(index), storages, zip64);
}

// A model folder with this checkpoint.
class Folder {
 public:
  Folder(const std::string& file, const std::string& content) {
    dir_.write("config.json", config_json(small_config()));
    dir_.write(file, content);
  }
  [[nodiscard]] Result<std::shared_ptr<const Weights>> load() const {
    return load_weights(dir_.path());
  }
  [[nodiscard]] const fs::path& path() const { return dir_.path(); }

 private:
  TempDir dir_;
};

// Reads every byte that a view covers, so that a sanitizer sees a wrong one.
double touch(const TensorList& list) {
  double sum = 0;
  for (const NamedTensor& item : list.tensors) {
    for (const float value : as_floats(item.tensor)) sum += std::isfinite(value) ? value : 0;
  }
  return sum;
}

using Parser = Result<TensorList> (*)(std::span<const std::byte>);

void expect_error_or_whole(Parser parse, const std::string& content) {
  const auto list = parse(raw_bytes(content));
  if (list) {
    EXPECT_TRUE(std::isfinite(touch(*list)));
  } else {
    EXPECT_FALSE(list.error().message.empty());
    EXPECT_LT(list.error().to_string().size(), 2000U);
  }
}

void flip_bits(Parser parse, const std::string& content, size_t first, size_t last, int rounds) {
  std::mt19937 random(20240607);  // NOLINT: the same flips in every run
  for (int round = 0; round < rounds; ++round) {
    std::string changed = content;
    const auto flips = 1 + random() % 4;
    for (unsigned i = 0; i < flips; ++i) {
      const size_t at = first + random() % (last - first);
      changed[at] = static_cast<char>(changed[at] ^ (1 << random() % 8));
    }
    expect_error_or_whole(parse, changed);
  }
}

TEST(CheckpointFault, SmallModelsOfAllFormsAreWholeBeforeTheyAreHarmed) {
  EXPECT_TRUE(Folder("model.safetensors", small_safetensors()).load());
  for (const bool zip64 : {false, true}) {
    const auto weights = Folder("pytorch_model.bin", small_torch_file(zip64)).load();
    EXPECT_TRUE(weights) << weights.error().to_string();
  }
}

TEST(CheckpointFault, TruncatedTorchFileIsAnErrorAtEveryLength) {
  for (const bool zip64 : {false, true}) {
    const std::string content = small_torch_file(zip64);
    for (size_t i = 0; i < 400; ++i) {
      // 200 lengths over the whole file, then the last 200 bytes one by one
      const size_t size = i < 200 ? content.size() * i / 200 : content.size() - 1 - (i - 200);
      const auto list = parse_torch_checkpoint(raw_bytes(content.substr(0, size)));
      ASSERT_FALSE(list) << size;
      EXPECT_EQ(list.error().code, ErrorCode::kCheckpointInvalid) << size;
    }
  }
}

TEST(CheckpointFault, TruncatedSafetensorsFileIsAnErrorAtEveryLength) {
  const std::string content = small_safetensors();
  for (size_t size = 0; size < content.size(); ++size) {
    const auto list = parse_safetensors(raw_bytes(content.substr(0, size)));
    ASSERT_FALSE(list) << size;
    EXPECT_EQ(list.error().code, ErrorCode::kCheckpointInvalid) << size;
  }
}

TEST(CheckpointFault, TruncatedTorchFileOfTheReferenceIsAnError) {
  REX_NEED_SHARED_GOLDEN();
  const std::string content = read_all(shared_golden_dir() / "tiny-b" / "pytorch_model.bin");
  ASSERT_GT(content.size(), 1'000'000U);
  for (size_t i = 0; i < 200; ++i) {
    const std::string cut = content.substr(0, content.size() * i / 200);
    const auto list = parse_torch_checkpoint(raw_bytes(cut));
    ASSERT_FALSE(list) << cut.size();
    EXPECT_EQ(list.error().code, ErrorCode::kCheckpointInvalid) << cut.size();
  }
}

TEST(CheckpointFault, FlippedBitsNeverCrashTheReaders) {
  const std::string safetensors = small_safetensors();
  const size_t header = 8 + *reinterpret_cast<const uint32_t*>(safetensors.data());
  flip_bits(parse_safetensors, safetensors, 0, header, 1000);
  flip_bits(parse_safetensors, safetensors, 0, safetensors.size(), 200);
  for (const bool zip64 : {false, true}) {
    const std::string torch = small_torch_file(zip64);
    const size_t pickle_end = torch.find("archive/byteorder");
    flip_bits(parse_torch_checkpoint, torch, 0, pickle_end, 1000);
    flip_bits(parse_torch_checkpoint, torch, torch.find("PK\x01\x02"), torch.size(), 1000);
  }
}

TEST(CheckpointFault, PickleThatCallsOsSystemIsRefusedAndNotRun) {
  const TempDir dir;
  const fs::path proof = dir.path() / "executed";
  const std::string call = pickled::global("posix", "system") +
                           pickled::tuple({pickled::text("touch " + proof.string())}) + "R";
  const Folder folder("pytorch_model.bin", make_torch_file(pickled::whole(call), {}));
  const auto weights = folder.load();
  ASSERT_FALSE(weights);
  EXPECT_EQ(weights.error().code, ErrorCode::kCheckpointUnsafe);
  EXPECT_EQ(weights.error().message, "global posix.system at byte 2 is not allowed");
  EXPECT_EQ(weights.error().place,
            (folder.path() / "pytorch_model.bin").string() + ", data.pkl byte 2");
  EXPECT_FALSE(fs::exists(proof));
}

TEST(CheckpointFault, SafetensorsHeaderThatClaims2To60BytesTakesNoMemory) {
  const Folder folder("model.safetensors", little_endian(uint64_t{1} << 60U) + "{}");
  const auto weights = folder.load();
  ASSERT_FALSE(weights);
  EXPECT_EQ(weights.error().code, ErrorCode::kCheckpointInvalid);
  EXPECT_THAT(weights.error().message, HasSubstr("claims 1152921504606846976 bytes"));
}

TEST(CheckpointFault, HiddenSize770IsRefusedBeforeTheCheckpointIsOpened) {
  const TempDir dir;
  std::string config = config_json(base_config());
  config.replace(config.find("768"), 3, "770");
  dir.write("config.json", config);
  const auto weights = load_weights(dir.path());
  ASSERT_FALSE(weights);
  EXPECT_EQ(weights.error().code, ErrorCode::kConfigUnsupported);
  EXPECT_THAT(weights.error().message, HasSubstr("hidden_size is 770"));
}

TEST(CheckpointFault, GitLfsPointerInPlaceOfTheFileIsNamed) {
  const Folder folder("pytorch_model.bin",
                      "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n");
  EXPECT_THAT(folder.load().error().message, HasSubstr("Git LFS pointer"));
}

TEST(CheckpointFault, FolderInPlaceOfTheFileIsAnError) {
  const TempDir dir;
  dir.write("config.json", config_json(small_config()));
  fs::create_directory(dir.path() / "model.safetensors");
  EXPECT_EQ(load_weights(dir.path()).error().code, ErrorCode::kFileUnreadable);
}

// A header as long as is accepted, of the shortest entries, is refused in bounded time.
TEST(CheckpointFault, LargestHeaderOfGarbageEndsSoon) {
  std::string header = "{";
  for (int i = 0; header.size() < 250'000; ++i) header += "\"" + std::to_string(i) + "\":0,";
  header += "\"x\":0}";
  const auto list =
      parse_safetensors(raw_bytes(little_endian(static_cast<uint64_t>(header.size())) + header));
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().code, ErrorCode::kCheckpointInvalid);
}

}  // namespace
}  // namespace rex::model
