package tez

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/tasktable"
	"github.com/paratimer/paratimer/dag"
)

// counters are those of an attempt that estimates use, by name. It is nil if there are none of any name.
type counters map[string]number

// The requested counters. All are in one group.
const (
	taskCounters = "org.apache.tez.common.counters.TaskCounter"
	counterNames = "INPUT_RECORDS_PROCESSED,REDUCE_INPUT_RECORDS,OUTPUT_RECORDS,INPUT_SPLIT_LENGTH_BYTES," +
		"SHUFFLE_BYTES_DECOMPRESSED,NUM_SHUFFLED_INPUTS,SHUFFLE_PHASE_TIME,MERGE_PHASE_TIME"
)

// of returns the value of a counter, or NaN.
func (c counters) of(name string) float64 {
	if v, ok := c[name]; ok && v >= 0 {
		return float64(v)
	}
	return math.NaN()
}

// set keeps a counter that estimates use.
func (c *counters) set(name string, value number) {
	if *c == nil {
		*c = counters{}
	}
	if _, rest, isUsed := strings.Cut(counterNames, name); isUsed && (rest == "" || rest[0] == ',') {
		(*c)[strings.Clone(name)] = value
	}
}

// UnmarshalJSON reads the counters of a history. Counters of another form are unknown.
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
	_ = json.Unmarshal(b, &w)
	for _, g := range w.Groups {
		for _, each := range g.Counters {
			if g.Name == taskCounters {
				c.set(string(each.Name), each.Value)
			}
		}
	}
	return nil
}

// copies reports whether a vertex copies the output of others in pieces. If its edges are unknown, the counters decide.
func (v *vertex) copies(c counters) bool {
	inPieces := func(s source) bool { return s.movement == scatterGather || s.movement == custom }
	return slices.ContainsFunc(v.sources, inPieces) || len(v.sources) == 0 && c.of("REDUCE_INPUT_RECORDS") > 0
}

// countFinal applies the counters of an attempt that has ended.
func (v *vertex) countFinal(a *attempt, e *event, now dag.Instant) {
	v.table.Change(a.Task)
	v.count(a, e.Counters, true, now)
	if e.Counters != nil && a.State == dag.AttemptSucceeded {
		a.reportsLeft = 0
	}
}

// maxMS bounds the length of a phase in milliseconds: a year.
const maxMS = 365 * 86400e3

// count applies counters that were observed at an instant. Counters that decreased are applied as they are. Tez does
// not write final counters that are 0.
func (v *vertex) count(a *attempt, c counters, isFinal bool, at dag.Instant) {
	if c == nil || a.reportsLeft == 0 {
		return
	}
	a.FirstReport = dag.FirstKnown(a.FirstReport, at)
	done, reduced, out := c.of("INPUT_RECORDS_PROCESSED"), c.of("REDUCE_INPUT_RECORDS"), c.of("OUTPUT_RECORDS")
	if isFinal && math.IsNaN(done) && math.IsNaN(reduced) {
		done = 0
	}
	if isFinal && math.IsNaN(out) {
		out = 0
	}
	if v.copies(c) {
		if reduced >= 0 {
			done = reduced
		}
		a.Bytes = c.of("SHUFFLE_BYTES_DECOMPRESSED")
		// From its start to the end of copy and of sort; 0 before.
		copied, sorted := c.of("SHUFFLE_PHASE_TIME"), c.of("MERGE_PHASE_TIME")
		if copied > 0 && copied < maxMS && a.Start.Known() {
			a.CopyEnd = a.Start + dag.Instant(copied)
			if sorted >= copied && sorted < maxMS {
				a.SortEnd = a.Start + dag.Instant(sorted)
			}
		}
		// Views and checks expect a copying stage's records in its last pipeline.
		a.Done[dag.Work] = done
	} else {
		a.Bytes = c.of("INPUT_SPLIT_LENGTH_BYTES")
		done = v.own(c, done)
	}
	a.Done[0], a.Out = done, out
	tasktable.Mark(&a.Attempt, 0, at)
}

// own returns the processed records without broadcast input. The first attempt in a container reads and counts the
// whole output of the broadcasting vertices. Later attempts reuse it from the container.
func (v *vertex) own(c counters, done float64) float64 {
	if !(c.of("NUM_SHUFFLED_INPUTS") > 0) {
		return done
	}
	for _, s := range v.sources {
		if s.movement != broadcast {
			continue
		}
		tasks := 0
		for _, t := range s.vertex.table.All() {
			for i := range t.attempts {
				if a := &t.attempts[i]; a.State == dag.AttemptSucceeded && a.Out >= 0 {
					done -= a.Out
					tasks++
				}
			}
		}
		if !s.vertex.hasTasks || tasks < s.vertex.tasks {
			return 0 // it waits for them
		}
	}
	return max(0, done)
}
