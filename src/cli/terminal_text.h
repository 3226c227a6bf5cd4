// Text for a terminal: widths of East Asian chars, and nothing that could command the terminal.
#pragma once

#include <string>
#include <string_view>

namespace rex::cli {

// Control chars become visible marks (tabs and line breaks a blank when `one_line`).
std::string printable(std::string_view utf8, bool one_line);

// Columns that a printable text takes: 2 for wide chars, 0 for combining ones.
int32_t display_width(std::string_view utf8);

// Padded with blanks to `width` columns.
std::string pad(std::string_view utf8, int32_t width);

}  // namespace rex::cli
