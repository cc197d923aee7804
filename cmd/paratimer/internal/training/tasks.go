package training

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/dag"
)

// clusterOf returns the number of nodes in a run, and the most simultaneous maps and reduces on one node.
func clusterOf(s *dag.Snapshot) (count int, peak [2]int) {
	type change struct {
		at   dag.Instant
		by   int
		node int32
		kind dag.StageIndex
	}
	var all []change
	nodes := map[int32]bool{}
	for i := range s.Jobs {
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			for _, a := range s.Jobs[i].Stages[k].Attempts {
				if a.Start.Known() && a.End.Known() {
					all = append(all, change{a.Start, 1, a.Node, k}, change{a.End, -1, a.Node, k})
					nodes[a.Node] = true
				}
			}
		}
	}
	// At the same instant, ends come before starts.
	slices.SortStableFunc(all,
		func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	held := map[change]int{} // by node and kind
	for _, c := range all {
		at := change{node: c.node, kind: c.kind}
		held[at] += c.by
		peak[c.kind] = max(peak[c.kind], held[at])
	}
	if n := len(s.Nodes); nodes[-1] && n > 1 { // nodes of the tasks are unknown: assume an equal share of all
		peak = [2]int{(peak[dag.Map] + n - 1) / n, (peak[dag.Reduce] + n - 1) / n}
	}
	return max(len(nodes), len(s.Nodes)), peak
}

// A task is a task that succeeded.
type task struct {
	seconds float64 // time in its slot, for a reduce since it had all map outputs; NaN unknown
	moved   float64 // bytes in the recording: read (map) or shuffled (reduce); NaN unknown
	used    mapreduce.Usage
}

func tasksOf(run *JobRun, job int) (out [2][]task) {
	state := &run.End.Jobs[job]
	for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
		for i := range state.Stages[k].Attempts {
			a := &state.Stages[k].Attempts[i]
			if a.State != dag.AttemptSucceeded {
				continue
			}
			t := task{seconds: math.NaN(), moved: a.Bytes, used: mapreduce.UsageOf(nil)}
			begin := a.Start
			if k == dag.Reduce && a.CopyEnd.Known() {
				begin = a.CopyEnd
			}
			if begin.Known() && a.End.Known() && a.End >= begin {
				t.seconds = a.End.Sub(begin).Seconds()
			}
			if u, ok := run.Used[mapreduce.TaskID{Job: state.ID, Kind: k, Index: a.Task}]; ok {
				t.used = u
			}
			out[k] = append(out[k], t)
		}
	}
	return out
}

// A Rate is a number of bytes per second, with its original text.
type Rate struct {
	Bytes float64 // more than 0
	Text  string
}

// rates are the units of a rate in bytes per second. Bits are for networks.
var rates = map[string]float64{
	"B/s": 1, "kB/s": 1e3, "KB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9, "KiB/s": 1 << 10, "MiB/s": 1 << 20, "GiB/s": 1 << 30,
	"bit/s": 1. / 8, "kbit/s": 1e3 / 8, "Mbit/s": 1e6 / 8, "Gbit/s": 1e9 / 8,
}

// ParseRate parses a rate such as 100MB/s or 1Gbit/s.
func ParseRate(s string) (Rate, error) {
	digits := strings.TrimRightFunc(s, func(r rune) bool {
		return r == '/' || r == ' ' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
	})
	v, err := strconv.ParseFloat(digits, 64)
	factor, known := rates[strings.TrimSpace(s[len(digits):])]
	if err != nil || !known || !(v > 0) || math.IsInf(v*factor, 0) || v*factor < 1 {
		return Rate{}, fmt.Errorf("%q is not a rate: write it like 100MB/s, 90MiB/s or 1Gbit/s", s)
	}
	return Rate{v * factor, s}, nil
}
