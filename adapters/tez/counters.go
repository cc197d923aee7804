package tez

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// counters are an attempt's counters that estimates use; NaN if they were not reported.
type counters struct {
	processed, reduced, out, split, shuffled float64
	inputs                                   float64 // source outputs that it has read
	shuffleMS, mergeMS                       float64 // from its start to the end of copy and of sort; 0 before
	any                                      bool
}

func countersOf(m map[string]number) counters {
	get := func(name string) float64 {
		if v, ok := m[name]; ok && v >= 0 {
			return float64(v)
		}
		return math.NaN()
	}
	return counters{
		processed: get("INPUT_RECORDS_PROCESSED"), reduced: get("REDUCE_INPUT_RECORDS"), out: get("OUTPUT_RECORDS"),
		split: get("INPUT_SPLIT_LENGTH_BYTES"), shuffled: get("SHUFFLE_BYTES_DECOMPRESSED"),
		inputs:    get("NUM_SHUFFLED_INPUTS"),
		shuffleMS: get("SHUFFLE_PHASE_TIME"), mergeMS: get("MERGE_PHASE_TIME"), any: len(m) > 0,
	}
}

// finalCounters returns the counters of an ended attempt. Tez does not write counters that are 0.
func finalCounters(m map[string]number) counters {
	c := countersOf(m)
	if c.any && math.IsNaN(c.processed) && math.IsNaN(c.reduced) {
		c.processed = 0
	}
	if c.any && math.IsNaN(c.out) {
		c.out = 0
	}
	return c
}

// copies reports whether a vertex copies the output of others in pieces. If its edges are unknown, the counters decide.
func (v *vertex) copies(c *counters) bool {
	for _, s := range v.sources {
		if s.movement == scatterGather || s.movement == custom {
			return true
		}
	}
	return len(v.sources) == 0 && c.reduced > 0
}

// count applies counters that were observed at an instant. Counters that decreased are applied as they are.
func (st *state) count(v *vertex, a *attempt, c *counters, at dag.Instant) {
	if !c.any || a.hasFinalCounters {
		return
	}
	if !a.FirstReport.Known() {
		a.FirstReport = at
	}
	done := c.processed
	if v.copies(c) {
		if c.reduced >= 0 {
			done = c.reduced
		}
		a.Bytes = c.shuffled
		if c.shuffleMS > 0 && c.shuffleMS < maxMS && a.Start.Known() {
			a.CopyEnd = a.Start + dag.Instant(c.shuffleMS)
			if c.mergeMS >= c.shuffleMS && c.mergeMS < maxMS {
				a.SortEnd = a.Start + dag.Instant(c.mergeMS)
			}
		}
		// Views and checks expect a copying stage's records in its last pipeline.
		a.Done[dag.Work] = done
	} else {
		a.Bytes = c.split
		done = st.own(v, c, done)
	}
	a.Done[0], a.Out = done, c.out
	if !(done > 0 || c.out > 0) {
		return
	}
	mark := dag.Mark{At: at, Done: done, Out: c.out}
	if !a.First.At.Known() {
		a.First, a.Last = mark, mark
	} else if !same(mark.Done, a.Last.Done) || !same(mark.Out, a.Last.Out) {
		a.Last = mark
	}
}

// maxMS bounds the length of a phase in milliseconds: a year.
const maxMS = 365 * 86400e3

// own returns the processed records without broadcast input. The first attempt in a container reads and counts the
// whole output of the broadcasting vertices. Later attempts reuse it from the container.
func (st *state) own(v *vertex, c *counters, done float64) float64 {
	if !(c.inputs > 0) {
		return done
	}
	for _, s := range v.sources {
		if s.movement != broadcast || int(s.vertex) >= len(st.vertices) {
			continue
		}
		from := st.vertices[s.vertex]
		out, tasks := 0.0, 0
		for _, t := range from.table.All() {
			for i := range t.attempts {
				if a := &t.attempts[i]; a.State == dag.AttemptSucceeded && a.Out >= 0 {
					out, tasks = out+a.Out, tasks+1
				}
			}
		}
		if !from.hasTasks || tasks < from.tasks {
			return 0 // it waits for them
		}
		done -= out
	}
	return max(0, done)
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
