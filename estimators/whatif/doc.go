// Package whatif predicts the effect of a change before it is made: when would a query end with other slots, more
// data, a failure, even reduces, or another scheduler? Each answer comes from a Predictor and names it.
//
// A change applies to a copy of the observed state, never to the state itself. For a running query it affects the
// remaining work, from now on. The package does no I/O and reads no clock; equal questions get equal answers.
//
// # Stability
//
// Young: names may change in a minor version; the changelog lists such changes (docs/api.md).
package whatif

// A Predictor is a model that predicts the end of a query under a change. It returns an *UnsupportedError for a
// change that it does not model. The zero Change gives the base for comparisons.
type Predictor interface {
	Predict(c Change) (Answer, error)
}
