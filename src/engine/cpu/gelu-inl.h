// The exact GELU (M13): v/2 · (1 + erf(v/√2)), erf to 1.5e-7 absolute by the rational form in
// Abramowitz and Stegun 7.1.26.
//
// Per-target header: included inside HWY_NAMESPACE sources only.
#if defined(REX_GELU_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef REX_GELU_INL_H
#undef REX_GELU_INL_H
#else
#define REX_GELU_INL_H
#endif

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace rex::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu(D d, V value) {
  const V half = hn::Mul(value, hn::Set(d, 0.5F));
  const V x = hn::Abs(hn::Mul(value, hn::Set(d, 0.70710678F)));
  const V t = hn::Div(hn::Set(d, 1.0F), hn::MulAdd(x, hn::Set(d, 0.3275911F), hn::Set(d, 1.0F)));
  V sum = hn::Set(d, 1.061405429F);
  sum = hn::MulAdd(sum, t, hn::Set(d, -1.453152027F));
  sum = hn::MulAdd(sum, t, hn::Set(d, 1.421413741F));
  sum = hn::MulAdd(sum, t, hn::Set(d, -0.284496736F));
  sum = hn::MulAdd(sum, t, hn::Set(d, 0.254829592F));
  const V tail = hn::Mul(hn::Mul(sum, t), hn::Exp(d, hn::Neg(hn::Mul(x, x))));  // 1 − erf(x)
  // v/2 · (1 + erf): for v < 0 this is v/2 · tail without cancellation.
  const V rest = hn::Mul(half, tail);
  return hn::IfThenElse(hn::Lt(value, hn::Zero(d)), rest, hn::Sub(value, rest));
}

}  // namespace rex::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
