package tez

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/tasktable"
	"github.com/paratimer/paratimer/dag"
)

// counters are an attempt's counters that estimates use; NaN if they were not reported.
type counters struct {
	processed, reduced, out, split, shuffled float64
	inputs                                   float64 // source outputs that it has read
	shuffleMS, mergeMS                       float64 // from its start to the end of copy and of sort; 0 before
	any                                      bool
}

// The requested counters. All are in one group.
const (
	taskCounters = "org.apache.tez.common.counters.TaskCounter"
	counterNames = "INPUT_RECORDS_PROCESSED,REDUCE_INPUT_RECORDS,OUTPUT_RECORDS,INPUT_SPLIT_LENGTH_BYTES," +
		"SHUFFLE_BYTES_DECOMPRESSED,NUM_SHUFFLED_INPUTS,SHUFFLE_PHASE_TIME,MERGE_PHASE_TIME"
)

// countersOf returns the counters of an attempt. Tez does not write counters of an ended attempt that are 0.
func countersOf(m map[string]number, isFinal bool) counters {
	c := counters{any: len(m) > 0}
	to := []*float64{
		&c.processed, &c.reduced, &c.out, &c.split, &c.shuffled, &c.inputs, &c.shuffleMS, &c.mergeMS,
	}
	for i, name := range strings.Split(counterNames, ",") {
		*to[i] = math.NaN()
		if v, ok := m[name]; ok && v >= 0 {
			*to[i] = float64(v)
		}
	}
	if isFinal && c.any {
		if math.IsNaN(c.processed) && math.IsNaN(c.reduced) {
			c.processed = 0
		}
		if math.IsNaN(c.out) {
			c.out = 0
		}
	}
	return c
}

// UnmarshalJSON reads the counters of a history.
func (c *counters) UnmarshalJSON(b []byte) error {
	var w struct {
		Groups []struct {
			Name     text `json:"counterGroupName"`
			Counters []struct {
				Name  text   `json:"counterName"`
				Value number `json:"counterValue"`
			}
		} `json:"counterGroups"`
	}
	_ = json.Unmarshal(b, &w) // counters of another form are unknown
	m := map[string]number{}
	for _, g := range w.Groups {
		for _, each := range g.Counters {
			if g.Name == taskCounters {
				m[string(each.Name)] = each.Value
			}
		}
	}
	*c = countersOf(m, true)
	return nil
}

// copies reports whether a vertex copies the output of others in pieces. If its edges are unknown, the counters decide.
func (v *vertex) copies(c *counters) bool {
	inPieces := func(s source) bool { return s.movement == scatterGather || s.movement == custom }
	return slices.ContainsFunc(v.sources, inPieces) || len(v.sources) == 0 && c.reduced > 0
}

// countFinal applies the counters of an attempt that has ended.
func (st *state) countFinal(v *vertex, a *attempt, e *event, now dag.Instant) {
	v.table.Change(a.Task)
	st.count(v, a, &e.Counters, now)
	a.hasFinalCounters = a.hasFinalCounters || e.Counters.any && a.State == dag.AttemptSucceeded
}

// maxMS bounds the length of a phase in milliseconds: a year.
const maxMS = 365 * 86400e3

// count applies counters that were observed at an instant. Counters that decreased are applied as they are.
func (st *state) count(v *vertex, a *attempt, c *counters, at dag.Instant) {
	if !c.any || a.hasFinalCounters {
		return
	}
	a.FirstReport = dag.FirstKnown(a.FirstReport, at)
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
	tasktable.Mark(&a.Attempt, 0, at)
}

// own returns the processed records without broadcast input. The first attempt in a container reads and counts the
// whole output of the broadcasting vertices. Later attempts reuse it from the container.
func (st *state) own(v *vertex, c *counters, done float64) float64 {
	if !(c.inputs > 0) {
		return done
	}
	for _, s := range v.sources {
		if s.movement != broadcast {
			continue
		}
		from := st.vertices[s.vertex]
		tasks := 0
		for _, t := range from.table.All() {
			for i := range t.attempts {
				if a := &t.attempts[i]; a.State == dag.AttemptSucceeded && a.Out >= 0 {
					done -= a.Out
					tasks++
				}
			}
		}
		if !from.hasTasks || tasks < from.tasks {
			return 0 // it waits for them
		}
	}
	return max(0, done)
}
