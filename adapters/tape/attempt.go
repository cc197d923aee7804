package tape

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// A flat is an attempt as a row of 64-bit words, so that rows compare bit by bit. The order of its fields is part of
// the format: field f is bit 1<<f of a row's mask. Fields that change in each snapshot come first.
type flat [fields]uint64

// The fields of an attempt in a row. Task and number identify the row. Start comes before the other instants, which
// are relative to it.
const (
	fRatio       = 0
	fDone        = 1 // three pipelines
	fOut         = 4
	fBytes       = 5
	fState       = 6
	fStart       = 7
	fEnd         = 8
	fSlot        = 9
	fNode        = 10
	fTotal       = 11 // three pipelines
	fCopyEnd     = 14
	fSortEnd     = 15
	fFirstReport = 16
	fLastAt      = 17
	fLastDone    = 18
	fLastOut     = 19
	fFirstAt     = 20
	fFirstDone   = 21
	fFirstOut    = 22
	fields       = 23
	fDiagnosis   = 23 // text, after the words
	fMany        = 24 // not a field: the row has a number and a count before the values
)

type fieldKind uint8

const (
	intField fieldKind = iota
	floatField
	instantField
)

var fieldKinds = func() (k [fields]fieldKind) {
	for _, f := range []int{fEnd, fStart, fCopyEnd, fSortEnd, fFirstReport, fLastAt, fFirstAt} {
		k[f] = instantField
	}
	for _, f := range []int{
		fRatio, fDone, fDone + 1, fDone + 2, fOut, fBytes, fTotal, fTotal + 1, fTotal + 2,
		fLastDone, fLastOut, fFirstDone, fFirstOut,
	} {
		k[f] = floatField
	}
	return k
}()

// flatten sets w from a, without task, number and diagnosis.
func (w *flat) flatten(a *dag.Attempt) {
	w[fRatio] = math.Float64bits(a.Ratio)
	for p := range dag.Pipelines {
		w[fDone+p] = math.Float64bits(a.Done[p])
		w[fTotal+p] = math.Float64bits(a.Total[p])
	}
	w[fOut] = math.Float64bits(a.Out)
	w[fBytes] = math.Float64bits(a.Bytes)
	w[fState] = uint64(a.State)
	w[fEnd] = uint64(a.End)
	w[fStart] = uint64(a.Start)
	w[fSlot] = uint64(int64(a.Slot))
	w[fNode] = uint64(int64(a.Node))
	w[fCopyEnd] = uint64(a.CopyEnd)
	w[fSortEnd] = uint64(a.SortEnd)
	w[fFirstReport] = uint64(a.FirstReport)
	w[fLastAt], w[fLastDone], w[fLastOut] = mark(a.Last)
	w[fFirstAt], w[fFirstDone], w[fFirstOut] = mark(a.First)
}

func mark(m dag.Mark) (at, done, out uint64) {
	return uint64(m.At), math.Float64bits(m.Done), math.Float64bits(m.Out)
}

// unflatten sets a from w.
func (w *flat) unflatten(a *dag.Attempt) {
	a.Ratio = math.Float64frombits(w[fRatio])
	for p := range dag.Pipelines {
		a.Done[p] = math.Float64frombits(w[fDone+p])
		a.Total[p] = math.Float64frombits(w[fTotal+p])
	}
	a.Out = math.Float64frombits(w[fOut])
	a.Bytes = math.Float64frombits(w[fBytes])
	a.State = dag.AttemptState(w[fState])
	a.End = dag.Instant(w[fEnd])
	a.Start = dag.Instant(w[fStart])
	a.Slot = int32(int64(w[fSlot]))
	a.Node = int32(int64(w[fNode]))
	a.CopyEnd = dag.Instant(w[fCopyEnd])
	a.SortEnd = dag.Instant(w[fSortEnd])
	a.FirstReport = dag.Instant(w[fFirstReport])
	a.Last = dag.Mark{
		At: dag.Instant(w[fLastAt]), Done: math.Float64frombits(w[fLastDone]),
		Out: math.Float64frombits(w[fLastOut]),
	}
	a.First = dag.Mark{
		At: dag.Instant(w[fFirstAt]), Done: math.Float64frombits(w[fFirstDone]),
		Out: math.Float64frombits(w[fFirstOut]),
	}
}

// blankAttempt is the prediction for the first row of a new attempt.
var blankAttempt = func() (w flat) {
	for f, k := range fieldKinds {
		switch k {
		case floatField:
			w[f] = uint64(nan)
		case instantField:
			w[f] = uint64(unknown)
		}
	}
	none := int64(-1)
	w[fSlot], w[fNode] = uint64(none), uint64(none)
	w[fState] = uint64(dag.AttemptRunning)
	return w
}()

var unknown = dag.NoInstant

// predict sets the marks to their usual values if the counters of w differ from old's: a report at the instant at.
// last is the phase's last pipeline. Writer and reader predict in the same way, so a correct prediction takes no space.
func (w *flat) predict(old *flat, last int, at dag.Instant) {
	if w[fDone+last] == old[fDone+last] && w[fOut] == old[fOut] {
		return
	}
	w[fLastAt], w[fLastDone], w[fLastOut] = uint64(at), w[fDone+last], w[fOut]
	if dag.Instant(old[fFirstAt]) == dag.NoInstant {
		w[fFirstAt], w[fFirstDone], w[fFirstOut] = w[fLastAt], w[fLastDone], w[fLastOut]
	}
	if dag.Instant(old[fFirstReport]) == dag.NoInstant {
		w[fFirstReport] = uint64(at)
	}
}
