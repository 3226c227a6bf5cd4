#include "decode/class_votes.h"

#include "decode/probability.h"

namespace rex::decode {

void ClassVotes::add(int32_t label, const engine::ClassCells& cells, float floor) {
  Vote& vote = votes_[static_cast<size_t>(label)];
  vote.sum += mean_of_cells(cells.marker, cells.type_to_marker, cells.marker_to_type);
  ++vote.windows;
  vote.linked |=
      cells.marker > floor && cells.marker_to_type > floor && cells.type_to_marker > floor;
}

double ClassVotes::confidence(int32_t label) const {
  const Vote& votes = vote(label);
  return votes.windows == 0 ? 0.0 : round4(votes.sum / votes.windows);
}

}  // namespace rex::decode
