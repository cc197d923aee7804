package nearestfit

import "github.com/paratimer/paratimer/dag"

// conserve takes out of explicit groups, the smallest first, what they and the implicit bytes are together beyond the
// bytes that are left. A key of which some maps told and others did not has a size below its true one: its group, when
// it is done, matches none, and what was told of it would stay to the end. Such keys are the smallest that are told.
// Groups that counters have seen only as bursts match none either.
//
// The paper does not say what becomes of them (section 4.2): this is a deviation, see Params.Conserve.
func conserve(explicit []dag.GroupSize, implicit, left float64) []dag.GroupSize {
	over := implicit - left
	for _, g := range explicit {
		over += g.Bytes * g.Count
	}
	if !(over > 0) { // NaN where bytes are not known
		return explicit
	}
	for i := range explicit {
		g := &explicit[i]
		if g.Bytes*g.Count > over {
			g.Count -= over / g.Bytes
			return explicit[i:]
		}
		over -= g.Bytes * g.Count
	}
	return nil
}
