#include "engine/cpu/cpu_engine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "engine/cpu/arena_plan.h"
#include "engine/cpu/pack_weights.h"
#include "engine/reference/reference_engine.h"
#include "support/temp_dir.h"

namespace rex::engine {
namespace {

model::ModelConfig small_config() {
  model::ModelConfig config = model::base_config();
  config.layers = 2;
  config.hidden = 96;
  config.heads = 4;  // head width 24: no whole vector on AVX-512
  config.intermediate = 160;
  config.vocab_rows = 300;
  return config;
}

// A batch under construction; owns the arrays.
struct Batch {
  std::vector<int32_t> ids, types;
  std::vector<uint32_t> words;
  std::vector<PassInfo> passes;

  // A pass of `types_wanted` types of two tokens and `text` text tokens.
  void add(int32_t types_wanted, int32_t text, std::mt19937& random) {
    PassInfo pass;
    pass.token_begin = static_cast<int32_t>(ids.size());
    pass.type_begin = static_cast<int32_t>(types.size());
    pass.type_count = types_wanted;
    pass.class_cells = true;
    pass.logit_floor = -INFINITY;
    const auto put = [&](uint32_t position, uint32_t group, uint32_t type) {
      ids.push_back(static_cast<int32_t>(random() % 300));
      words.push_back(TokenWord::pack(position, group, type));
    };
    put(0, 0, 0);
    put(1, 1, 0);
    for (int32_t t = 1; t <= types_wanted; ++t) {
      types.push_back(static_cast<int32_t>(ids.size()) - pass.token_begin);
      put(2, 1, static_cast<uint32_t>(t));
      put(3, 1, static_cast<uint32_t>(t));
    }
    pass.text_begin = static_cast<int32_t>(ids.size()) - pass.token_begin + 1;
    for (uint32_t p = 0; p < static_cast<uint32_t>(text) + 2; ++p) put(4 + p, 0, 0);
    pass.token_count = static_cast<int32_t>(ids.size()) - pass.token_begin;
    passes.push_back(pass);
  }
  [[nodiscard]] PackedBatch view() const { return {ids, words, passes, types}; }
};

constexpr WeightType kPrecisions[] = {WeightType::kF32, WeightType::kBF16, WeightType::kF16,
                                      WeightType::kInt8};

std::unique_ptr<Engine> cpu_engine(const std::shared_ptr<const model::Weights>& weights,
                                   int32_t threads, WeightType precision = WeightType::kF32) {
  auto engine = make_cpu_engine(
      weights,
      {.threads = threads, .limits = {.tokens = 1024, .passes = 64}, .precision = precision});
  EXPECT_TRUE(engine) << engine.error().to_string();
  return std::move(*engine);
}

void expect_same(const PassLinks& a, const PassLinks& b) {
  const auto same = [](std::span<const Link> x, std::span<const Link> y) {
    ASSERT_EQ(x.size(), y.size());
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(x[i].row, y[i].row);
      ASSERT_EQ(x[i].col, y[i].col);
      ASSERT_EQ(x[i].logit, y[i].logit) << "link " << i;  // bit for bit
    }
  };
  same(a.spans, b.spans);
  same(a.heads, b.heads);
  same(a.tails, b.tails);
  ASSERT_EQ(a.classes.size(), b.classes.size());
  for (size_t i = 0; i < a.classes.size(); ++i) {
    ASSERT_EQ(a.classes[i].marker, b.classes[i].marker);
    ASSERT_EQ(a.classes[i].marker_to_type, b.classes[i].marker_to_type);
    ASSERT_EQ(a.classes[i].type_to_marker, b.classes[i].type_to_marker);
  }
}

// Of the logits' spread: largest error that each precision may show on this small random model.
// Measured: f32 2.5e-6, bf16 1.4e-2, f16 1.2e-2, int8 1.8e-2; the promise for f32 is 1e-5.
double allowed_error(WeightType precision) {
  switch (precision) {
    case WeightType::kF32: return 1e-5;
    case WeightType::kBF16: return 0.02;
    case WeightType::kF16: return 0.02;
    case WeightType::kInt8: return 0.05;
  }
  return 0.0;
}

Batch mixed_batch() {
  std::mt19937 random(1);
  Batch batch;
  for (const auto& [types, text] :
       {std::pair{1, 1}, std::pair{3, 40}, std::pair{0, 5}, std::pair{20, 150}}) {
    batch.add(types, text, random);
  }
  return batch;
}

// Largest difference of all cells, relative to the root mean square of the pass's span logits.
double worst_error(const LinkLists& got, const LinkLists& want) {
  double worst = 0.0;
  for (size_t p = 0; p < want.size(); ++p) {
    const PassLinks a = got.pass(p), b = want.pass(p);
    EXPECT_EQ(a.spans.size(), b.spans.size());
    double spread = 0.0;
    for (const Link& link : b.spans)
      spread += link.logit * link.logit / static_cast<double>(b.spans.size());
    spread = std::sqrt(spread);
    const auto compare = [&](std::span<const Link> x, std::span<const Link> y) {
      for (size_t i = 0; i < x.size(); ++i)
        worst = std::max(worst, std::abs(x[i].logit - y[i].logit) / spread);
    };
    compare(a.spans, b.spans);
    compare(a.heads, b.heads);
    compare(a.tails, b.tails);
  }
  return worst;
}

TEST(CpuEngine, EveryPrecisionAgreesWithTheReferenceEngine) {
  const auto weights = model::random_weights(small_config(), 5);
  const Batch batch = mixed_batch();
  LinkLists got, want;
  const auto reference = make_reference_engine(weights, {.tokens = 1024, .passes = 64});
  ASSERT_TRUE(reference->run(batch.view(), want));
  for (const WeightType precision : kPrecisions) {
    ASSERT_TRUE(cpu_engine(weights, 2, precision)->run(batch.view(), got));
    const double worst = worst_error(got, want);
    std::printf("%s: largest error of the logits relative to their spread %.1e\n",
                std::string(name_of(precision)).c_str(), worst);
    EXPECT_LT(worst, allowed_error(precision)) << name_of(precision);
    EXPECT_GT(worst, 0.0);
  }
}

// Only Highway's kernels, as on a processor without the special instructions.
TEST(CpuEngine, ThePortableKernelsAgreeToo) {
  const auto weights = model::random_weights(small_config(), 5);
  const Batch batch = mixed_batch();
  LinkLists got, want;
  const auto reference = make_reference_engine(weights, {.tokens = 1024, .passes = 64});
  ASSERT_TRUE(reference->run(batch.view(), want));
  ASSERT_EQ(setenv("REXUNINLU_CPU_ISA", "portable", 1), 0);
  for (const WeightType precision : kPrecisions) {
    const auto engine = cpu_engine(weights, 2, precision);
    EXPECT_EQ(engine->info().detail, panel_kernel(WeightType::kF32).name);
    ASSERT_TRUE(engine->run(batch.view(), got));
    EXPECT_LT(worst_error(got, want), allowed_error(precision)) << name_of(precision);
  }
  unsetenv("REXUNINLU_CPU_ISA");
}

// A packed file gives the same bits as packing at the start.
TEST(CpuEngine, AConvertedModelGivesTheSameBits) {
  const auto weights = model::random_weights(small_config(), 6);
  const Batch batch = mixed_batch();
  TempDir dir;
  for (const WeightType precision : kPrecisions) {
    LinkLists expected, links;
    ASSERT_TRUE(cpu_engine(weights, 1, precision)->run(batch.view(), expected));
    ThreadTeam team(2);
    const auto packed = pack_weights(*weights, precision, team);
    ASSERT_TRUE(packed) << packed.error().to_string();
    const auto path = dir.path() / model::kPackedFileName;
    ASSERT_TRUE(model::write_packed(path, **packed));
    const auto opened = model::open_packed(path);
    ASSERT_TRUE(opened) << opened.error().to_string();
    const auto engine =
        make_cpu_engine(*opened, {.threads = 2, .limits = {.tokens = 1024, .passes = 64}});
    ASSERT_TRUE(engine) << engine.error().to_string();
    EXPECT_EQ((*engine)->info().precision, name_of(precision));
    ASSERT_TRUE((*engine)->run(batch.view(), links));
    for (size_t p = 0; p < links.size(); ++p) expect_same(links.pass(p), expected.pass(p));
  }
}

TEST(CpuEngine, AForeignOrIncompletePackedModelIsRefused) {
  const auto weights = model::random_weights(small_config(), 6);
  ThreadTeam team(1);
  const auto packed = pack_weights(*weights, WeightType::kInt8, team);
  ASSERT_TRUE(packed);
  const auto error_of = [&](auto change) {
    auto changed = std::make_shared<model::PackedModel>(**packed);
    change(*changed);
    const auto made = make_cpu_engine(std::shared_ptr<const model::PackedModel>(changed),
                                      {.threads = 1, .limits = {.tokens = 1024, .passes = 64}});
    EXPECT_FALSE(made);
    return made ? Error{} : made.error();
  };
  EXPECT_EQ(error_of([](model::PackedModel& m) { m.format = "gpu-7"; }).place, "/format");
  EXPECT_EQ(error_of([](model::PackedModel& m) { m.precision = "f8"; }).place, "/precision");
  EXPECT_EQ(error_of([](model::PackedModel& m) { m.precision = "f32"; }).code,
            ErrorCode::kCheckpointMismatch);
  for (size_t i = 0; i < (*packed)->sections.size(); ++i) {  // each section missing or too short
    const Error missing = error_of([&](model::PackedModel& m) { m.sections[i].name = "?"; });
    EXPECT_EQ(missing.code, ErrorCode::kCheckpointMismatch) << (*packed)->sections[i].name;
    const Error cut = error_of([&](model::PackedModel& m) {
      m.sections[i].bytes = m.sections[i].bytes.first(m.sections[i].bytes.size() - 4);
    });
    EXPECT_EQ(cut.code, ErrorCode::kCheckpointMismatch) << (*packed)->sections[i].name;
  }
}

// The promise of engine.h: neighbours, their order and the number of threads change no bit.
TEST(CpuEngine, APassHasTheSameBitsInEveryBatchAndForEveryThreadCount) {
  const auto weights = model::random_weights(small_config(), 6);
  for (const WeightType precision : kPrecisions) {
    const auto one = cpu_engine(weights, 1, precision);
    const auto two = cpu_engine(weights, 2, precision);
    const auto three = cpu_engine(weights, 3, precision);
    for (const int32_t neighbours : {0, 1, 7, 31}) {
      std::mt19937 pass_random(42), random(static_cast<uint32_t>(neighbours));
      Batch alone, crowd;
      alone.add(4, 37, pass_random);
      for (int32_t i = 0; i < neighbours; ++i) {
        if (i == neighbours / 2) {
          std::mt19937 again(42);
          crowd.add(4, 37, again);
        }
        crowd.add(static_cast<int32_t>(random() % 4), static_cast<int32_t>(random() % 20), random);
      }
      const size_t place = neighbours == 0 ? 0 : static_cast<size_t>(neighbours / 2);
      if (neighbours == 0) crowd = alone;
      LinkLists expected, links;
      ASSERT_TRUE(one->run(alone.view(), expected));
      for (Engine* engine : {one.get(), two.get(), three.get()}) {
        ASSERT_TRUE(engine->run(crowd.view(), links));
        expect_same(links.pass(place), expected.pass(0));
      }
    }
  }
}

TEST(CpuEngine, OnlyLinksAboveTheFloorComeBack) {
  const auto weights = model::random_weights(small_config(), 7);
  const auto engine = cpu_engine(weights, 1);
  std::mt19937 random(3);
  Batch batch;
  batch.add(5, 60, random);
  LinkLists all, some;
  ASSERT_TRUE(engine->run(batch.view(), all));
  batch.passes[0].logit_floor = 0.0F;
  batch.passes[0].class_cells = false;
  ASSERT_TRUE(engine->run(batch.view(), some));
  size_t positive = 0;
  for (const Link& link : all.pass(0).spans) positive += link.logit > 0.0F ? 1 : 0;
  EXPECT_EQ(some.pass(0).spans.size(), positive);
  EXPECT_LT(positive, all.pass(0).spans.size());
  for (const Link& link : some.pass(0).spans) EXPECT_GT(link.logit, 0.0F);
  EXPECT_TRUE(some.pass(0).classes.empty());
}

TEST(CpuEngine, PlanIsValidAndPrintsEveryBuffer) {
  for (const int32_t tokens : {512, 2048, 8192}) {
    const MemoryPlan plan = plan_cpu_arena(model::base_config(), {.tokens = tokens, .passes = 64},
                                           2, {768, 2304, 3072});
    EXPECT_EQ(check_plan(plan), "");
    int64_t heaviest = 0;
    for (size_t step = 0; step < plan.steps.size(); ++step) {
      int64_t live = 0;
      for (const PlannedBuffer& b : plan.buffers) {
        const auto s = static_cast<int32_t>(step);
        if (b.first_step <= s && s <= b.last_step) live += b.bytes;
      }
      heaviest = std::max(heaviest, live);
    }
    EXPECT_LE(plan.arena_bytes, heaviest * 105 / 100) << "no plan can be below the heaviest step";
    for (const PlannedBuffer& b : plan.buffers)
      EXPECT_NE(to_text(plan).find(b.name), std::string::npos);
  }
}

TEST(CpuEngine, TooLargeABatchIsRefusedAndTheEngineGoesOn) {
  const auto weights = model::random_weights(small_config(), 8);
  const auto engine = cpu_engine(weights, 1);
  std::mt19937 random(4);
  Batch large, small;
  for (int i = 0; i < 8; ++i) large.add(1, 200, random);
  small.add(1, 20, random);
  LinkLists links;
  const auto result = engine->run(large.view(), links);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kWorkTooLarge);
  EXPECT_TRUE(engine->run(small.view(), links));
}

TEST(CpuEngine, OptionsOutsideTheirRangeAreNamed) {
  const auto weights = model::random_weights(small_config(), 9);
  const auto made =
      make_cpu_engine(weights, {.threads = 1, .limits = {.tokens = 100, .passes = 1}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kOptionRange);
  EXPECT_EQ(made.error().place, "max_batch_tokens");
  EXPECT_FALSE(make_cpu_engine(weights, {.threads = -1, .limits = {}}));
}

}  // namespace
}  // namespace rex::engine
