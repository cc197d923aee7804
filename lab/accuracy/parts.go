package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/paratimer/paratimer/lab/replaytest"
)

// A part of the model can be left out by edits of its source, so that the program needs no switch for it.
type part struct {
	name  string
	edits []replaytest.Edit
}

const (
	observeFile  = "estimators/cost/observe.go"
	overheadFile = "estimators/cost/overhead.go"
	growthFile   = "estimators/cost/growth.go"
	leftFile     = "estimators/cost/left.go"
)

// parts are the parts of the model for a query of MapReduce jobs.
var parts = []part{
	{"nothing", nil},
	{"preemption for all of a job's hanging maps: for one", []replaytest.Edit{{
		File: "schedule/master.go", Old: "all := min(max(maps.requested(), 1), most/maps.size+1) * maps.size",
		New: "all := maps.size",
	}}},
	{"what a profile's tasks took each: their records at one rate", []replaytest.Edit{{
		File: "estimators/profiles/tasks.go", Old: "if sum > 0 {", New: "if sum > 0 && !rates {",
	}}},
	{"starts apart from work, as reports show them: tasks as a whole", []replaytest.Edit{{
		File: observeFile, Old: "first*rate; up > 0 {", New: "first*rate; up > 0 && up < 0 {",
	}}},
	{"pauses between jobs show the pace of overhead: starts alone do", []replaytest.Edit{{
		File: overheadFile, Old: "append([]group{o.launch.group()}, pauses...)", New: "[]group{o.launch.group()}",
	}}},
	{"paces as tasks show them: as in the profile", []replaytest.Edit{{
		File: paceFile, Old: "p.factor, p.loaded = math.Exp(p.a), math.Exp(p.b)",
		New: "p.a, p.b, p.factor, p.loaded = 0, 0, 1, 1",
	}}},
	{"input by what the jobs before wrote: by their own tasks", []replaytest.Edit{{
		File: growthFile, Old: "return o.input(st) / was", New: "return 0 * was",
	}}},
	{"growth of what has shown none as of the others: as in the profile", []replaytest.Edit{{
		File: sizesFile, Old: "z.common = z.commonGrowth()", New: "z.common = normal{0, z.numbers.Growth}",
	}}},
	{"sizes of maps that have read a fiftieth: of all that have begun", []replaytest.Edit{{
		File: "adapters/mapreduce/counters.go", Old: "const leastRead = 0.02", New: "const leastRead = 0",
	}}},
	{"running tasks by their own records: by their stage", []replaytest.Edit{{
		File: leftFile, Old: "left, shown := max(whole-r.took, 0.1*whole), 0.0\n\tif r.read > 0 {",
		New: "left, shown := max(whole-r.took, 0.1*whole), 0.0\n\tif r.read < 0 {",
	}}},
	{"silent attempts drawn as widely as unseen stages: as their stage", []replaytest.Edit{{
		File: leftFile, Old: "if st.bytes && m.silentTask(r) {", New: "if false {",
	}}},
	{"other applications by their masters and progress: as they are now", []replaytest.Edit{{
		File: observeFile, Old: "o.s.Load = load.Expect(run, o.s.Plan, o.starts.at(2, false))",
		New: "_ = load.Expect",
	}}},
	{"a stall may last as long again: it is over now", []replaytest.Edit{{
		File: "estimators/load/stall.go", Old: "return Stall(s.At.Sub(since))", New: "return 0 * Stall(s.At.Sub(since))",
	}}},
}

// A worth is the accuracy without a part.
type worth struct {
	means  []float64
	ranges ranges
	steps  int
}

func (w *worth) add(r *result) {
	w.means = append(w.means, mean(r.head.points))
	w.ranges.sum(&r.ranges)
	w.steps += r.steps.large
}

func (w *worth) String() string {
	return fmt.Sprintf("%s | %s | %.0f %% | %d", number(median(w.means)),
		number(most(slices.DeleteFunc(w.means, math.IsNaN))),
		100*float64(w.ranges.held[1])/float64(max(w.ranges.ticks, 1)), w.steps)
}

// bought writes the effect of each part: the results on all recordings without it, both without a profile and with
// the profile of median mean error.
func bought(out io.Writer, recs []*recording) error {
	fmt.Fprint(out, `
## What each part of the model buys

The same recordings, with the profiles shown above and without any, and one part of the model left out at a time: median and worst of the runs' means, how often the
80 % range holds over all ticks together, and the steps above 5 % of all runs. A part that one run needs does not show in a median.

| left out | with profile: median | worst | 80 % held | steps | without: median | worst | 80 % held | steps |
|---|---|---|---|---|---|---|---|---|
`)
	for _, p := range parts {
		with, without, err := p.measure(recs)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "| %s | %s | %s |\n", p.name, with, without)
	}
	return nil
}

func (p *part) measure(recs []*recording) (with, without *worth, err error) {
	command, err := replaytest.BuildEdited(context.Background(), p.edits)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", p.name, err)
	}
	defer func() { _ = command.Remove() }() // leftovers are in a temporary folder
	t := tool{command}
	with, without = &worth{}, &worth{}
	got, alone := map[*recording]*result{}, map[*recording]*result{}
	var mu sync.Mutex
	err = each(recs, func(r *recording) error {
		var a *result
		if len(r.with) > 0 {
			var err error
			if a, err = t.replay(r, r.middle().other, "own"); err != nil {
				return err
			}
		}
		b, err := t.replay(r, nil, "own")
		mu.Lock()
		defer mu.Unlock()
		got[r], alone[r] = a, b
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for _, r := range recs {
		if got[r] != nil {
			with.add(got[r])
		}
		without.add(alone[r])
	}
	return with, without, nil
}
