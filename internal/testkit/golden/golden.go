// Package golden loads the golden cases of the independent reference program (facts/paratimer.md A9, A10) for
// tests. For property tests it draws random cases (Draw, DrawFault) and takes snapshots from replayed runs (Cut).
//
// A case is a plan with costs, the expectations at t = 0, and snapshots at some instants with their expectations.
// Package fixtures finds the files. Fields that are missing in a file are nil: compare only the others.
package golden

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
	"github.com/paratimer/paratimer/schedule"
	"pgregory.net/rapid"
)

// A Case is one plan of a golden file.
type Case struct {
	Name           string        `json:"name"`
	Plan           *dag.Plan     `json:"-"` // costs and sizes are in its pipelines; equal values are uniform series
	Delta1, Delta2 time.Duration `json:"-"`
	// Slowdown is s(p) of facts/paratimer.md A10 in the order map, copy, sort, reduce. It applies at instants, not
	// to Initial.
	Slowdown      [4]float64 `json:"-"`
	Initial       Forecast   `json:"initial"`
	ActualTotalMS *float64   `json:"actual_total_ms"`
	Instants      []Instant  `json:"-"` // in order of time
}

// A Forecast is the reference program's result for a plan and a snapshot.
type Forecast struct {
	Schedule       []Span     `json:"schedule"` // nil if the file has none
	Rounds         []Round    `json:"rounds"`
	Fragments      []Fragment `json:"fragments"`
	CriticalPath   []Segment  `json:"critical_path"`
	CriticalPathMS *int64     `json:"critical_path_ms"`
	// WorstSingleTaskMS is set only in Initial. Elsewhere it is in Expect.
	WorstSingleTaskMS *float64 `json:"worst_single_task_ms"`
}

// Parts of a case's schedule. Tasks are named as by schedule.TaskName; in a Span, without the primes of earlier
// attempts.
type (
	// A Span is one attempt of a schedule.
	Span struct {
		Task    string `json:"task"`
		Attempt int32  `json:"attempt"`
		Slot    int32  `json:"slot"`
		StartMS int64  `json:"start_ms"`
		EndMS   int64  `json:"end_ms"`
		Outcome string `json:"outcome"`
	}
	// A Round is a round as in package pathfrag.
	Round struct {
		ID      int      `json:"id"`
		Type    string   `json:"type"`
		StartMS int64    `json:"start_ms"`
		EndMS   int64    `json:"end_ms"`
		Width   int      `json:"width"`
		Tasks   []string `json:"tasks"`
	}
	// A Fragment is a path fragment as in package pathfrag.
	Fragment struct {
		Round
		Rounds                []int `json:"rounds"`
		SumOfRoundDurationsMS int64 `json:"sum_of_round_durations_ms"`
	}
	// A Segment is a part of the critical path.
	Segment struct {
		Fragment int    `json:"fragment"`
		Kind     string `json:"kind"` // full or extra
		StartMS  int64  `json:"start_ms"`
		EndMS    int64  `json:"end_ms"`
	}
)

// An Instant is a snapshot and its expectations.
type Instant struct {
	At       dag.Instant   `json:"t_ms"`
	Failure  bool          `json:"is_failure_instant"` // the static path is planned again here
	Snapshot *dag.Snapshot `json:"-"`
	// Expect has numbers by their names in facts/paratimer.md A10, nil for NaN; also failure_hold, a bool, and
	// task_remaining_ms, rem of each running task by its name without primes.
	Expect map[string]any `json:"expect"`
	Replan Forecast       `json:"replan"` // Schedule is set in the random cases
	// Future is the part of the re-plan's schedule that ends after At; nil in the random cases.
	Future []Span `json:"replan_schedule_future"`
}

// Load returns every case of every g*.json and random_cases*.json, in order of file name.
func Load(t testing.TB) []*Case {
	t.Helper()
	var cases []*Case
	for _, pattern := range []string{"g*.json", "random_cases*.json"} {
		files, err := filepath.Glob(fixtures.Golden(pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no golden case %s: %v", pattern, err)
		}
		for _, f := range files {
			cases = append(cases, read(t, f)...)
		}
	}
	return cases
}

// Named returns one of the project's own cases by the name of its file, such as "g01_fig3a".
func Named(t testing.TB, name string) *Case {
	t.Helper()
	return read(t, fixtures.Own(name+".json"))[0]
}

// read returns the cases of one file, which contains one case or a list.
func read(t testing.TB, file string) []*Case {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if b[0] == '{' {
		b = fmt.Appendf(nil, "[%s]", b)
	}
	var raw []rawCase
	if err := json.Unmarshal(b, &raw); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	cases := make([]*Case, len(raw))
	for i := range raw {
		raw[i].Name = cmp.Or(raw[i].Name, fmt.Sprintf("%s/seed=%d", filepath.Base(file), raw[i].Seed))
		cases[i] = raw[i].decode(t)
	}
	return cases
}

type rawCase struct {
	Case
	Seed    int64          `json:"seed"`
	Cluster map[string]int `json:"cluster"`
	Params  struct {
		Delta1   int64              `json:"delta1_ms"`
		Delta2   int64              `json:"delta2_ms"`
		Slowdown map[string]float64 `json:"slowdown_by_pipe"`
	} `json:"params"`
	Jobs []struct {
		ID      string                         `json:"id"`
		Deps    []string                       `json:"deps"`
		Maps    rawStage[[]float64]            `json:"maps"`
		Reduces rawStage[map[string][]float64] `json:"reduces"`
	} `json:"plan"`
	Ticks []struct {
		Instant
		State rawState `json:"state"`
	} `json:"instants"`
}

// A rawStage has tuples of the pipeline map, or by pipelines of reduces.
type rawStage[Tuples any] struct {
	Count  int                `json:"count"`
	Tuples Tuples             `json:"tuples_per_task"`
	Alpha  map[string]float64 `json:"alpha_ms_per_tuple"`
}

// pipeNames are the names of pipelines in the files: map, then the three of a reduce.
var pipeNames = [...]string{"map", "copy", "sort", "reduce"}

func (r *rawCase) decode(t testing.TB) *Case {
	c := &r.Case
	c.Delta1 = time.Duration(r.Params.Delta1) * time.Millisecond
	c.Delta2 = time.Duration(r.Params.Delta2) * time.Millisecond
	for i, name := range pipeNames {
		c.Slowdown[i] = 1
		if s, ok := r.Params.Slowdown[name]; ok {
			c.Slowdown[i] = s
		}
	}
	c.Plan = &dag.Plan{Name: c.Name, Cluster: dag.Cluster{
		MapSlots: r.Cluster["map_slots"], ReduceSlots: r.Cluster["reduce_slots"],
		SlotsPerNode: r.Cluster["slots_per_node"], Setup: time.Duration(r.Cluster["setup_ms"]) * time.Millisecond,
	}}
	index := map[string]int{}
	for i, j := range r.Jobs {
		index[j.ID] = i
	}
	for _, raw := range r.Jobs {
		j := dag.Job{Node: raw.ID, Name: raw.ID, Stages: dag.MapReduce(
			stageOf(raw.Maps.Count, map[string][]float64{"map": raw.Maps.Tuples}, raw.Maps.Alpha, pipeNames[:1]),
			stageOf(raw.Reduces.Count, raw.Reduces.Tuples, raw.Reduces.Alpha, pipeNames[1:]),
		)}
		for _, d := range raw.Deps {
			j.After = append(j.After, index[d])
		}
		c.Plan.Jobs = append(c.Plan.Jobs, j)
	}
	for _, raw := range r.Ticks {
		in := raw.Instant
		in.Snapshot = raw.State.decode(t, c.Plan)
		c.Instants = append(c.Instants, in)
	}
	return c
}

// stageOf makes a stage; one that the file does not have has no pipelines. Equal tuples become a uniform series, so
// that the cases test uniform stages too.
func stageOf(count int, tuples map[string][]float64, alpha map[string]float64, pipes []string) dag.Stage {
	s := dag.Stage{Known: true, Tasks: count}
	for _, name := range pipes {
		if alpha == nil {
			break
		}
		series, each := dag.Uniform(0), tuples[name]
		switch {
		case len(each) > 0 && slices.Min(each) == slices.Max(each):
			series = dag.Uniform(each[0])
		case len(each) > 0:
			series = dag.Each(each)
		}
		s.Pipelines = append(s.Pipelines, dag.Pipeline{Tuples: series, Alpha: dag.Uniform(alpha[name])})
	}
	return s
}

// Draw returns a small random case without expectations: up to five jobs in any plan order, uniform and varied
// phases, some tasks of length 0, few slots, and tolerances about as long as tasks.
func Draw(t *rapid.T) *Case {
	n := rapid.IntRange(1, 5).Draw(t, "jobs")
	c := &Case{Name: "drawn", Slowdown: [4]float64{1, 1, 1, 1}}
	c.Delta1 = ms(rapid.SampledFrom([]int{0, 0, 10, 25, 200}).Draw(t, "delta1"))
	c.Delta2 = ms(rapid.SampledFrom([]int{0, 15, 200}).Draw(t, "delta2"))
	c.Plan = &dag.Plan{Jobs: make([]dag.Job, n), Cluster: dag.Cluster{
		MapSlots:     rapid.IntRange(1, 7).Draw(t, "map slots"),
		ReduceSlots:  rapid.IntRange(1, 5).Draw(t, "reduce slots"),
		SlotsPerNode: rapid.IntRange(1, 3).Draw(t, "slots per node"),
		Setup:        ms(rapid.SampledFrom([]int{0, 0, 5}).Draw(t, "setup")),
	}}
	first := make([]int, n)
	for i := range first {
		first[i] = i
	}
	order := rapid.Permutation(first).Draw(t, "plan order")
	for at, j := range order {
		job := &c.Plan.Jobs[j]
		job.Node = "j" + string(rune('1'+j))
		for _, a := range order[:at] {
			if rapid.IntRange(0, 3).Draw(t, "after") == 0 {
				job.After = append(job.After, a)
			}
		}
		job.Stages = dag.MapReduce(drawPhase(t, 10, 1), drawPhase(t, 6, 3))
	}
	return c
}

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

func drawPhase(t *rapid.T, most, pipes int) dag.Stage {
	p := dag.Stage{Known: true, Tasks: rapid.IntRange(0, most).Draw(t, "tasks")}
	uniform := rapid.Bool().Draw(t, "uniform")
	for range pipes {
		sizes := dag.Uniform(float64(rapid.IntRange(0, 4).Draw(t, "tens") * 10))
		if !uniform {
			each := make([]float64, p.Tasks)
			for i := range each {
				each[i] = float64(rapid.IntRange(0, 40).Draw(t, "tuples"))
			}
			sizes = dag.Each(each)
		}
		p.Pipelines = append(p.Pipelines,
			dag.Pipeline{Tuples: sizes, Alpha: dag.Uniform(rapid.SampledFrom([]float64{1, 0.37}).Draw(t, "alpha"))})
	}
	return p
}

// DrawFault returns a fault that makes some first to third attempts fail at random times. It is deterministic for
// each attempt.
func DrawFault(t *rapid.T) schedule.Fault {
	seed := rapid.Uint64().Draw(t, "fault seed")
	percent := rapid.SampledFrom([]int{0, 10, 40}).Draw(t, "percent of attempts that fail")
	return func(x schedule.Task, start, end dag.Instant) (dag.Instant, bool) {
		r := rand.New(rand.NewPCG(seed, uint64(x.Job)<<48|uint64(x.Stage)<<40|uint64(x.Index)<<8|uint64(x.Attempt)))
		if x.Attempt > 2 || r.IntN(100) >= percent {
			return 0, false
		}
		return start + dag.Instant(r.Int64N(int64(end-start)+1)), true
	}
}

// PhaseOf makes a phase of equal tasks; costs are alternately tuples and alpha of each pipeline.
func PhaseOf(n int, tuplesAndAlpha ...float64) dag.Stage {
	p := dag.Stage{Tasks: n, Known: true}
	for i := 0; i < len(tuplesAndAlpha); i += 2 {
		p.Pipelines = append(p.Pipelines, dag.Pipeline{
			Tuples: dag.Uniform(tuplesAndAlpha[i]),
			Alpha:  dag.Uniform(tuplesAndAlpha[i+1]),
		})
	}
	return p
}

// OneJob has four maps of 10 s on two slots, then two reduces of 20 s.
func OneJob() *dag.Plan {
	return &dag.Plan{Cluster: dag.Cluster{MapSlots: 2, ReduceSlots: 2}, Jobs: []dag.Job{
		{Node: "j1", Stages: dag.MapReduce(PhaseOf(4, 1000, 10), PhaseOf(2, 0, 0, 0, 0, 1000, 20))},
	}}
}
