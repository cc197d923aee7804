package planfile

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

var update = flag.Bool("update", false, "write what the bad files in testdata give into their .err files")

// Every broken file in testdata/bad gives the error beside it.
func TestBadFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*[nl]")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			_, err := ReadFile(f, Options{Name: filepath.Base(f)})
			if err == nil {
				t.Fatal("it is read")
			}
			got, golden := err.Error()+"\n", f+".err"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func read(t *testing.T, src string) (*dag.Plan, error) {
	t.Helper()
	return Read(strings.NewReader(src), Options{})
}

func TestErrorsKeepTheirEvidence(t *testing.T) {
	_, err := ReadFile("testdata/bad/cycle.yaml", Options{})
	var where *Error
	var cycle *dag.CycleError
	if !errors.As(err, &where) || where.Line != 3 || where.Column != 22 || where.Field != "jobs[0].after" ||
		!errors.As(err, &cycle) || len(cycle.Jobs) != 3 {
		t.Errorf("got %#v, %#v", where, cycle)
	}
}

// TestOlderOrigin checks that groups that an older version derived from counters are unknown.
func TestOlderOrigin(t *testing.T) {
	t.Parallel()
	p, err := read(t, "cluster: {map_slots: 1, reduce_slots: 1}\njobs: [{name: a, map: {tasks: 1}, "+
		"reduce: {tasks: 1, groups: {origin: counters, tasks: [{bytes: 9}]}}}]")
	if err != nil || p.Jobs[0].Stages[dag.Reduce].Groups != nil {
		t.Errorf("%v", err)
	}
}

// A policy is a name, or a mapping with the same and more. What is written is read again.
func TestPolicies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text   string
		policy dag.Policy
		order  []dag.OrderKey
	}{
		{"fifo", dag.FIFO, nil},
		{"yarn", dag.YARN, nil},
		{"{}", dag.FIFO, nil},
		{"{slots: separate}", dag.FIFO, nil},
		{"{slots: containers}", dag.YARN, nil},
		{"{order: [submit]}", dag.FIFO, []dag.OrderKey{dag.BySubmit}},
		{"{slots: containers, order: [submit]}", dag.YARN, []dag.OrderKey{dag.BySubmit}},
		{"{order: [priority, running, submit]}", dag.FIFO, []dag.OrderKey{dag.ByPriority, dag.ByRunning, dag.BySubmit}},
		{"{order: [size, remaining], slots: containers}", dag.YARN, []dag.OrderKey{dag.BySize, dag.ByRemaining}},
	} {
		src := "version: 1\ncluster: {policy: " + c.text +
			", map_slots: 1, memory: 4GB}\njobs: [{name: a, priority: -2, map: {tasks: 1, records: 1, cost: 1s}}]\n"
		plan, err := Read(strings.NewReader(src), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if plan.Cluster.Policy != c.policy || !reflect.DeepEqual(plan.Cluster.Order, c.order) ||
			plan.Jobs[0].Priority != -2 {
			t.Errorf("%s: %v %v, priority %d", c.text, plan.Cluster.Policy, plan.Cluster.Order, plan.Jobs[0].Priority)
		}
		var out bytes.Buffer
		if err := Write(&out, plan); err != nil {
			t.Fatal(err)
		}
		again, err := Read(&out, Options{})
		if err != nil || !reflect.DeepEqual(again, plan) {
			t.Errorf("%s: written and read again: %+v %v, want %+v", c.text, again, err, plan)
		}
	}
}

// TestStageFaults checks that errors in stages are reported with their place.
func TestStageFaults(t *testing.T) {
	t.Parallel()
	for stages, want := range map[string]string{
		"[{name: a, tasks: 1}, {name: a, tasks: 1}]":                                                                        `two stages of the job are called "a"`,
		"[{name: scan, tasks: 1}, {name: join, after: [scam], tasks: 1}]":                                                   `stage "join" is after "scam", which is not among the stages before it; did you mean "scan"?`,
		"[{name: a, after: [b], tasks: 1}, {name: b, tasks: 1}]":                                                            `stage "a" is after "b"`,
		"[{name: a, tasks: 1}, {name: b, tasks: 1}, {name: c, after: [a, b], edge: [barrier, barrier, barrier], tasks: 1}]": "3 edges to 2 stages",
		"[{name: a, tasks: 2}, {name: b, after: [a], edge: one_to_one, tasks: 3}]":                                          "3 tasks read 2 tasks one to one",
		"[{name: a, tasks: 1, cores: 3}]":                                                                                   "one of them needs 3",
	} {
		_, err := Read(strings.NewReader(
			"version: 2\ncluster: {policy: executors, cores: 2}\njobs: [{name: q, stages: "+stages+"}]"), Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", stages, err, want)
		}
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"attach", "estimate", "every", "rm", "score"}
	for word, want := range map[string]string{
		"atach": "attach", "attahc": "attach", "evry": "every", "rmm": "rm", "scoer": "score",
		"nonsense": "", "": "", "x": "", strings.Repeat("attach", 1000): "",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("Nearest(%.20q) = %q, want %q", word, got, want)
		}
	}
}
