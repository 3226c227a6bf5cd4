// The sub-commands: one file each, one line each here. A command registers its options and a
// callback that leaves its exit code in the context.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/context.h"

namespace rex::cli {

using Register = void (*)(CLI::App& app, Context& context);

void register_analyze(CLI::App& app, Context& context);
void register_inspect(CLI::App& app, Context& context);
void register_tokenize(CLI::App& app, Context& context);
void register_validate_schema(CLI::App& app, Context& context);
void register_eval(CLI::App& app, Context& context);
void register_bench(CLI::App& app, Context& context);
void register_make_model(CLI::App& app, Context& context);
void register_convert(CLI::App& app, Context& context);
void register_train(CLI::App& app, Context& context);
void register_convert_data(CLI::App& app, Context& context);
void register_serve(CLI::App& app, Context& context);
void register_version(CLI::App& app, Context& context);

inline constexpr Register kCommands[] = {
    register_analyze,      register_inspect, register_tokenize,   register_validate_schema,
    register_eval,         register_bench,   register_make_model, register_convert,
    register_convert_data, register_train,   register_serve,      register_version,
};

}  // namespace rex::cli
