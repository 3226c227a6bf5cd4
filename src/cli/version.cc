// `rexuninlu version`: what this program is and what it was built with.
#include <iostream>

#include "cli/commands.h"

namespace rex::cli {

void register_version(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("version", "prints version, revision and compiler");
  command->callback([&context] {
    if (context.json) {
      std::cout << dump({{"version", REX_VERSION},
                         {"revision", REX_REVISION},
                         {"compiler", __VERSION__}})
                << '\n';
    } else {
      std::cout << "rexuninlu " << REX_VERSION << " (" << REX_REVISION << ", compiler "
                << __VERSION__ << ")\n";
    }
  });
}

}  // namespace rex::cli
