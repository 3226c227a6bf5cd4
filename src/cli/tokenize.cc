// `rexuninlu tokenize`: the WordPiece tokens of a text with ids and offsets.
#include <unistd.h>

#include <iostream>

#include "cli/commands.h"
#include "cli/terminal_text.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

namespace rex::cli {
namespace {

struct Options {
  std::string model, text;
  bool specials = false;
  CLI::Option* text_flag = nullptr;
};

Result<int> run(const Options& options, const Context& context) {
  if (options.text_flag->count() == 0 && is_terminal(STDIN_FILENO)) {
    return fail(ErrorCode::kTextMissing, "give --text or a text on standard input", "--text");
  }
  REX_TRY(text,
          options.text_flag->count() > 0 ? Result<std::string>(options.text) : read_input("-"));
  REX_TRY(tokenizer, text::Tokenizer::load(model_folder(options.model)));
  REX_TRY(chars, text::CharText::make(std::move(text)));
  REX_TRY(tokens, tokenizer->encode(chars.utf8(), options.specials ? text::SpecialMatching::kAll
                                                                   : text::SpecialMatching::kOff));
  Json list = Json::array();
  for (const text::Token& token : tokens) {
    const std::string piece(tokenizer->token_text(token.id));
    const std::string source(chars.slice(token.start, token.end));
    if (context.json) {
      list.push_back({{"id", token.id},
                      {"token", piece},
                      {"start", token.start},
                      {"end", token.end},
                      {"text", source}});
    } else {
      std::cout << pad(std::to_string(token.id), 8) << pad(printable(piece, true), 20)
                << pad(std::to_string(token.start) + "–" + std::to_string(token.end), 14)
                << printable(source, true) << '\n';
    }
  }
  if (context.json)
    std::cout << dump({{"chars", chars.size()}, {"tokens", std::move(list)}}, 2) << '\n';
  return 0;
}

}  // namespace

void register_tokenize(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("tokenize", "shows the tokens of a text: id, token, chars, source");
  command->footer(
      "Examples:\n"
      "  rexuninlu tokenize --text '北京2008年'\n"
      "  rexuninlu tokenize --json < text.txt");
  auto options = std::make_shared<Options>();
  command->add_option("--model", options->model, "model folder");
  options->text_flag =
      command->add_option("--text", options->text, "the text (default: standard input)");
  command->add_flag("--specials", options->specials,
                    "read [SEP] and the like as special tokens, as the original does");
  command->callback([options, &context] { context.finish(run(*options, context)); });
}

}  // namespace rex::cli
