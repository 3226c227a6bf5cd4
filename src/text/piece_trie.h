// A set of strings that answers "which is the longest one that this text starts with?" in one
// walk. Immutable after construction.
//
// Nodes stand breadth first, so that the children of a node are neighbours, in the order of their
// chars: a step is a binary search. Only the root, with its thousands of children, has a table by
// char. No hashing, hence no input that makes it slow.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rex::text {

class PieceTrie {
 public:
  struct Piece {
    std::u32string chars;  // not empty
    int32_t id = 0;
  };
  struct Match {
    int32_t id = -1;
    size_t length = 0;  // chars; 0: nothing matches
  };

  // Memory: 12 bytes a distinct beginning and 4 bytes for each code point up to the highest first
  // char. Requires distinct pieces.
  explicit PieceTrie(std::vector<Piece> pieces);

  [[nodiscard]] Match longest_match(std::u32string_view text) const;

 private:
  static constexpr int32_t kNoPiece = -1;
  static constexpr uint32_t kNoNode = 0;  // the root is nobody's child

  [[nodiscard]] uint32_t child_of(uint32_t node, char32_t label) const;

  std::vector<char32_t> label_;        // the char that leads to a node; node 0 is the root
  std::vector<uint32_t> first_child_;  // one more than nodes: children of n are [n], [n + 1]
  std::vector<int32_t> id_;            // the piece that ends at a node, or kNoPiece
  std::vector<uint32_t> root_child_;   // first char → node or kNoNode
};

}  // namespace rex::text
