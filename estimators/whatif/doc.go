// Package whatif answers the question that is asked before anything is changed: when would a query end with other
// slots, more data, a failure, even reduces, another scheduler? Each answer comes from a Predictor, and says which.
//
// A change is applied to a copy of what was observed, never to the observation. Of a query that runs it concerns what
// is left, from now on. The package does no I/O and reads no clock; the same question gets the same answer.
//
// # Stability
//
// Young: names may change in a minor version, which the changelog then says (docs/api.md).
package whatif

// A Predictor is a model that can say when a query would end under a change. It returns an *UnsupportedError for a
// change that it knows nothing of. The zero Change is the base that changes are held against.
type Predictor interface {
	Predict(c Change) (Answer, error)
}
