package schedule_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/schedule"
)

var update = flag.Bool("update", false, "rewrite testdata/*.txt; commit only changes that you can explain")

// TestScenarios replays small plans and compares the drawn schedules. A file holds paragraphs: commands, ----, the
// drawing.
//
//	slots maps=5 reduces=5 per_node=2 setup=1s
//	job a after=x,y maps=2*8s,3s reduces=1*2s
//	fail a.m2 after=3s    the first attempt fails so long after its start; again: the next attempt
//	at 3s                 draw what is planned at that instant, when no further failure is known
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scenarios", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			var out []string
			for i, p := range strings.Split(strings.TrimSpace(string(b)), "\n\n") {
				in, want, _ := strings.Cut(p, "\n----")
				sc := scenario{fails: map[string][]time.Duration{}, at: dag.NoInstant}
				for _, line := range strings.Split(in, "\n") {
					if err := sc.command(line); err != nil {
						t.Fatalf("paragraph %d: %q: %v", i+1, line, err)
					}
				}
				if len(sc.plan.Jobs) == 0 { // a comment
					out = append(out, p)
					continue
				}
				got := strings.TrimRight(sc.draw(t), "\n")
				if !*update && got != strings.TrimSpace(want) {
					t.Errorf("paragraph %d:\n%s\ngot\n%s\nwant\n%s", i+1, in, got, want)
				}
				out = append(out, in+"\n----\n"+got)
			}
			if *update {
				if err := os.WriteFile(f, []byte(strings.Join(out, "\n\n")+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

type scenario struct {
	plan  dag.Plan
	fails map[string][]time.Duration // by task: when each attempt fails after its start
	at    dag.Instant
}

func (sc *scenario) command(line string) error {
	line, _, _ = strings.Cut(line, "#")
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil
	}
	switch words[0] {
	case "slots":
		return sc.slots(words[1:])
	case "job":
		return sc.job(words[1:])
	case "fail":
		after, err := time.ParseDuration(strings.TrimPrefix(words[2], "after="))
		sc.fails[words[1]] = append(sc.fails[words[1]], after)
		return err
	case "at":
		at, err := time.ParseDuration(words[1])
		sc.at = dag.Instant(at.Milliseconds())
		return err
	}
	return fmt.Errorf("no such command")
}

func (sc *scenario) slots(words []string) (err error) {
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		switch c := &sc.plan.Cluster; key {
		case "maps":
			c.MapSlots, err = strconv.Atoi(value)
		case "reduces":
			c.ReduceSlots, err = strconv.Atoi(value)
		case "per_node":
			c.SlotsPerNode, err = strconv.Atoi(value)
		case "setup":
			c.Setup, err = time.ParseDuration(value)
		default:
			err = fmt.Errorf("no such key %s", key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (sc *scenario) job(words []string) (err error) {
	j := dag.Job{Node: words[0], Stages: dag.MapReduce(dag.Stage{Known: true}, dag.Stage{Known: true})}
	var after []string
	for _, w := range words[1:] {
		key, value, _ := strings.Cut(w, "=")
		switch key {
		case "after":
			after = strings.Split(value, ",")
		case "maps":
			var stage dag.Stage
			stage, err = phase(value, 1)
			j.SetStage(dag.Map, stage)
		case "reduces":
			var stage dag.Stage
			stage, err = phase(value, 3)
			j.SetStage(dag.Reduce, stage)
		default:
			err = fmt.Errorf("no such key %s", key)
		}
		if err != nil {
			return err
		}
	}
	for _, a := range after {
		i := slices.IndexFunc(sc.plan.Jobs, func(j dag.Job) bool { return j.Node == a })
		if n, e := strconv.Atoi(a); e == nil {
			i = n - 1 // by position, where the job comes later in the plan
		}
		j.After = append(j.After, i)
	}
	sc.plan.Jobs = append(sc.plan.Jobs, j)
	return nil
}

// phase reads lengths: "6*10s,3s" is six tasks of 10 s and one of 3 s. A tuple is a millisecond of the last pipeline.
func phase(s string, pipes int) (dag.Stage, error) {
	var lengths []float64
	for _, part := range strings.Split(s, ",") {
		n, d, ok := strings.Cut(part, "*")
		if !ok {
			n, d = "1", part
		}
		count, err := strconv.Atoi(n)
		if err != nil {
			return dag.Stage{}, err
		}
		length, err := time.ParseDuration(d)
		if err != nil {
			return dag.Stage{}, err
		}
		lengths = append(lengths, slices.Repeat([]float64{float64(length.Milliseconds())}, count)...)
	}
	tuples := dag.Each(lengths)
	if slices.Min(lengths) == slices.Max(lengths) {
		tuples = dag.Uniform(lengths[0])
	}
	p := dag.Stage{Known: true, Tasks: len(lengths), Pipelines: make([]dag.Pipeline, pipes)}
	for i := range p.Pipelines {
		p.Pipelines[i] = dag.Pipeline{Tuples: dag.Uniform(0), Alpha: dag.Uniform(0)}
	}
	p.Pipelines[pipes-1] = dag.Pipeline{Tuples: tuples, Alpha: dag.Uniform(1)}
	return p, nil
}

func (sc *scenario) draw(t *testing.T) string {
	t.Helper()
	var c golden.Case
	none := [4]float64{1, 1, 1, 1}
	s := golden.Start(&sc.plan)
	run := mustReplay(t, s, c.Left(s, none),
		schedule.Options{Fault: func(x schedule.Task, start, _ dag.Instant) (dag.Instant, bool) {
			fails := sc.fails[schedule.TaskName(&sc.plan, x.Job, x.Stage, x.Index, 0)]
			if x.Attempt >= len(fails) {
				return 0, false
			}
			return start.Add(fails[x.Attempt]), true
		}})
	if sc.at.Known() {
		s = golden.Cut(&sc.plan, run, sc.at)
		run = mustReplay(t, s, c.Left(s, none), schedule.Options{})
	}
	return ascii(&sc.plan, run)
}
