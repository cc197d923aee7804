package tape

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"github.com/paratimer/paratimer/dag"
)

// A phaseLine has the changes of a phase's attempts.
//
// A row is [task, mask, value…]: the first attempt of the task, and the values of its fields in mask. All other
// fields are as predicted by fill. If mask has the bit fMany, the row is [task, mask, number, count, value…] and
// describes the attempts with this number of count tasks, starting at task.
type phaseLine struct {
	All  bool            `json:"all,omitempty"` // the rows are the whole list, in order
	Nil  bool            `json:"nil,omitempty"` // with All: the list is nil
	Gone json.RawMessage `json:"x,omitempty"`   // [task, number] of removed attempts
	Rows json.RawMessage `json:"a,omitempty"`

	Submitted opt[instant] `json:"sub,omitzero"` // of the stage
}

// A key identifies an attempt in its phase.
type key struct{ task, number int32 }

func keyOf(a *dag.Attempt) key { return key{a.Task, a.Number} }

func (k key) less(o key) bool { return k.task < o.task || k.task == o.task && k.number < o.number }

// ordered reports whether the attempts are unique and ordered by task, then number.
func ordered(as []dag.Attempt) bool {
	for i := 1; i < len(as); i++ {
		if !keyOf(&as[i-1]).less(keyOf(&as[i])) {
			return false
		}
	}
	return true
}

// A rower appends rows. It delays the last row to see whether the next attempt repeats it.
type rower struct {
	at   dag.Instant
	last int // the phase's last pipeline
	out  []byte

	before flat // the previous attempt, from which a new one is predicted
	any    bool // there is a previous attempt

	first key // the delayed row, of count attempts
	count int
	mask  uint32
	vals  []byte
	now   []byte
}

// encodePhase returns the changes from old to as, or nil if there are none. last is the pipeline of the work reports.
func encodePhase(old, as []dag.Attempt, last int, at dag.Instant) *phaseLine {
	if len(old) == len(as) && (old == nil) == (as == nil) && (len(as) == 0 || &old[0] == &as[0]) {
		return nil
	}
	r := rower{at: at, last: last}
	if as == nil || old == nil && len(as) == 0 || !ordered(old) || !ordered(as) {
		for i := range as {
			r.add(&as[i], nil)
		}
		return &phaseLine{All: true, Nil: as == nil, Rows: r.close()}
	}
	var gone []byte
	i := 0
	for n := range as {
		for i < len(old) && keyOf(&old[i]).less(keyOf(&as[n])) {
			gone = appendGone(gone, keyOf(&old[i]))
			i++
		}
		if i < len(old) && keyOf(&old[i]) == keyOf(&as[n]) {
			r.add(&as[n], &old[i])
			i++
		} else {
			r.add(&as[n], nil)
		}
	}
	for ; i < len(old); i++ {
		gone = appendGone(gone, keyOf(&old[i]))
	}
	p := &phaseLine{Rows: r.close(), Gone: closeList(gone)}
	if p.Rows == nil && p.Gone == nil {
		return nil
	}
	return p
}

// lastPipeline returns the pipeline of the work reports of stage k: the third for reduces of MapReduce, else the first.
func lastPipeline(mapReduce bool, k int) int {
	if mapReduce && k == int(dag.Reduce) {
		return dag.Work
	}
	return 0
}

// fill predicts attempt a: unchanged or, for a new one, like the attempt of the previous row in the next slot.
func fill(w *flat, old *dag.Attempt, before *flat, any bool) {
	switch {
	case old != nil:
		w.flatten(old)
	case any:
		*w = *before
		if s := int32(int64(w[fSlot])); s >= 0 && s < math.MaxInt32 {
			w[fSlot]++
		}
	default:
		*w = blankAttempt
	}
}

func (r *rower) add(a, old *dag.Attempt) {
	var guess, is flat
	fill(&guess, old, &r.before, r.any)
	is.flatten(a)
	diagnosis := ""
	if old != nil {
		diagnosis = old.Diagnosis
		if is == guess && a.Diagnosis == diagnosis {
			return
		}
	}
	r.now = r.now[:0]
	mask := r.differ(&guess, &is, 0, fFirstReport)
	was := guess
	copy(guess[:fFirstReport], is[:fFirstReport])
	guess.predict(&was, r.last, r.at)
	mask |= r.differ(&guess, &is, fFirstReport, fields)
	if a.Diagnosis != diagnosis {
		mask |= 1 << fDiagnosis
		r.now = appendText(append(r.now, ','), a.Diagnosis)
	}
	r.before, r.any = is, true
	next := int64(a.Task) == int64(r.first.task)+int64(r.count) && a.Number == r.first.number
	if r.count > 0 && next && mask == r.mask && bytes.Equal(r.now, r.vals) {
		r.count++
		return
	}
	r.flush()
	r.first, r.count, r.mask = keyOf(a), 1, mask
	r.vals, r.now = r.now, r.vals
}

// differ appends the values of fields from..to-1 that differ from the guess, and returns their mask.
func (r *rower) differ(guess, is *flat, from, to int) uint32 {
	mask := uint32(0)
	for f := from; f < to; f++ {
		if is[f] != guess[f] {
			mask |= 1 << f
			r.now = r.appendValue(r.now, f, is)
		}
	}
	return mask
}

func (r *rower) appendValue(b []byte, f int, w *flat) []byte {
	b = append(b, ',')
	switch fieldKinds[f] {
	case floatField:
		return appendNum(b, num(w[f]))
	case instantField:
		if i := dag.Instant(w[f]); i != dag.NoInstant {
			return strconv.AppendInt(b, int64(i-base(w, f, r.at)), 10)
		}
		return append(b, null...)
	}
	return strconv.AppendInt(b, int64(w[f]), 10)
}

// base returns the origin of instant field f: the attempt's start or, for the start itself, the line's instant.
func base(w *flat, f int, at dag.Instant) dag.Instant {
	if start := dag.Instant(w[fStart]); f != fStart && start.Known() {
		return start
	}
	if !at.Known() {
		return 0
	}
	return at
}

// flush appends the delayed row.
func (r *rower) flush() {
	if r.count == 0 {
		return
	}
	b := append(r.out, opening(r.out), '[')
	b = append(strconv.AppendInt(b, int64(r.first.task), 10), ',')
	if r.count == 1 && r.first.number == 0 {
		b = strconv.AppendUint(b, uint64(r.mask), 10)
	} else {
		b = append(strconv.AppendUint(b, uint64(r.mask|1<<fMany), 10), ',')
		b = append(strconv.AppendInt(b, int64(r.first.number), 10), ',')
		b = strconv.AppendInt(b, int64(r.count), 10)
	}
	r.out = append(append(b, r.vals...), ']')
	r.count = 0
}

func (r *rower) close() json.RawMessage {
	r.flush()
	return closeList(r.out)
}

func appendGone(b []byte, k key) []byte {
	b = append(b, opening(b), '[')
	b = append(strconv.AppendInt(b, int64(k.task), 10), ',')
	return append(strconv.AppendInt(b, int64(k.number), 10), ']')
}

// opening returns the byte before the next element of the list b.
func opening(b []byte) byte {
	if len(b) == 0 {
		return '['
	}
	return ','
}

func closeList(b []byte) json.RawMessage {
	if len(b) == 0 {
		return nil
	}
	return append(b, ']')
}
