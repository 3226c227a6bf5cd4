// Logits to probabilities and confidences (M24, D15).
#pragma once

namespace rex::decode {

// sigmoid in float32.
float probability(float logit);

// Mean of three probabilities, summed in this order and divided in float32, then widened (D15).
double mean_of_cells(float first_logit, float second_logit, float third_logit);

// Nearest number of four decimals; exact ties to even (D15).
double round4(double value);

// The logit that a link must exceed so that its probability exceeds `threshold`, 0…1; 0.5 gives
// exactly 0 (M24).
float logit_of(double threshold);

}  // namespace rex::decode
