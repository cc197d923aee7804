package recordings

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// readings are the runs with both a capture and the history files of their jobs.
var readings = []string{"join-1", "failure-1", "skew-1", "refailure-1", "quadratic-1", "amrestart-1"}

// historyOf is a folder with the history files of one recording.
func historyOf(t *testing.T, name string) string {
	t.Helper()
	files, err := filepath.Glob(fixtures.Recording(name + ".job_*.jhist.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no history of %s: %v", name, err)
	}
	dir := t.TempDir()
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(f)), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// wholeOf plays a recording to its end.
func wholeOf(t *testing.T, path string) dag.Run {
	t.Helper()
	src, err := input.OpenRecording(path, recording.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run, err := input.WholeRun(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// captures are the runs of the captures that were played, by name. Each is played once, because that takes seconds.
var captures = struct {
	sync.Mutex
	runs map[string]func() dag.Run
}{runs: map[string]func() dag.Run{}}

// captured plays a run's capture.
func captured(t *testing.T, name string) dag.Run {
	t.Helper()
	captures.Lock()
	play, begun := captures.runs[name]
	if !begun {
		play = sync.OnceValue(func() dag.Run { return wholeOf(t, fixtures.Recording(name+".jsonl.zst")) })
		captures.runs[name] = play
	}
	captures.Unlock()
	return play()
}

// both plays a run from its history and from its capture.
func both(t *testing.T, name string) (history, capture dag.Run) {
	t.Helper()
	return wholeOf(t, historyOf(t, name)), captured(t, name)
}

// TestReadingsAgree checks that a run's history agrees with its watcher: jobs and their order, and to the
// millisecond when each job and each attempt began and ended, how, and with which counters. It contains nothing of
// attempts that a failed master had (amrestart), nor of what an attempt without success had read.
func TestReadingsAgree(t *testing.T) {
	t.Parallel()
	for _, name := range readings {
		t.Run(name, func(t *testing.T) {
			runH, runC := both(t, name)
			h, c := runH.Now(), runC.Now()
			if h.ID != c.ID || h.User != c.User || h.Queue != c.Queue || h.State != c.State ||
				h.Plan.Name != c.Plan.Name {
				t.Errorf("the workflow is %s %s %s %v %q, captured as %s %s %s %v %q",
					h.ID, h.User, h.Queue, h.State, h.Plan.Name, c.ID, c.User, c.Queue, c.State, c.Plan.Name)
			}
			if h.Origin() != c.Origin() || len(h.Jobs) != len(c.Jobs) {
				t.Fatalf("%d jobs from %d, captured %d from %d", len(h.Jobs), h.Origin(), len(c.Jobs), c.Origin())
			}
			for j := range h.Jobs {
				a, b := h.Jobs[j], c.Jobs[j]
				a.Stages, b.Stages = nil, nil // compared below
				b.Groups = nil                // counters between two reports: history has only the last ones
				// the ResourceManager's word: a master's container is held some seconds longer
				a.HeldMB, b.HeldMB = 0, 0
				if diff := cmp.Diff(b, a); diff != "" {
					t.Errorf("job %s: - capture, + history\n%s", a.ID, diff)
				}
				p, q := &h.Plan.Jobs[j], &c.Plan.Jobs[j]
				if p.Node != q.Node || p.Name != q.Name || !slices.Equal(p.After, q.After) ||
					p.Stages[dag.Map].Tasks != q.Stages[dag.Map].Tasks ||
					p.Stages[dag.Reduce].Tasks != q.Stages[dag.Reduce].Tasks {
					t.Errorf("job %s of the plan is %+v, captured %+v", a.ID, p, q)
				}
				if p.MapReduce.MapMB != q.MapReduce.MapMB || p.MapReduce.ReduceMB != q.MapReduce.ReduceMB {
					t.Errorf("job %s: containers are %+v, captured %+v", a.ID, p.MapReduce, q.MapReduce)
				}
				for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
					sameAttempts(t, a.ID, k, h.Jobs[j].Stages[k].Attempts, c.Jobs[j].Stages[k].Attempts,
						h.Jobs[j].Attempt > 1)
				}
			}
		})
	}
}

// sameAttempts compares the attempts of a phase. restarted is true if a master was restarted: then the watcher saw more
// than history holds, and did not see the last counters of some.
func sameAttempts(t *testing.T, job string, k dag.StageIndex, history, capture []dag.Attempt, restarted bool) {
	t.Helper()
	if restarted {
		unknown := 0
		capture = slices.DeleteFunc(slices.Clone(capture), func(a dag.Attempt) bool {
			if a.Number < 1000 {
				unknown++
				if a.State == dag.AttemptFailed {
					t.Errorf("%s was not stopped but %v", a.Name(job, dag.MapReduceName(k)), a.State)
				}
			}
			return a.Number < 1000
		})
		if unknown == 0 {
			t.Errorf("%s: the capture has no %v attempt of the master that failed", job, k)
		}
	}
	if len(history) != len(capture) {
		t.Fatalf("%s: %d %v attempts, captured %d", job, len(history), k, len(capture))
	}
	for i := range history {
		a, b := history[i], capture[i]
		a.First, a.Last, a.FirstReport = b.First, b.Last, b.FirstReport // when it was seen
		if a.State != dag.AttemptSucceeded {
			if a.Ratio > b.Ratio+0.1 {
				t.Errorf("%s had come to %.2f, captured %.2f", a.Name(job, dag.MapReduceName(k)), a.Ratio, b.Ratio)
			}
			a.Ratio, a.Done, a.Total, a.Out, a.Bytes = b.Ratio, b.Done, b.Total, b.Out, b.Bytes
		} else if restarted {
			if b.Done[0] > a.Done[0] || b.Out > a.Out {
				t.Errorf("%s read %v, captured %v", a.Name(job, dag.MapReduceName(k)), a.Done, b.Done)
			}
			a.Done, a.Total, a.Out = b.Done, b.Total, b.Out
		}
		if diff := cmp.Diff(b, a, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s: - capture, + history\n%s", a.Name(job, dag.MapReduceName(k)), diff)
		}
	}
}

// TestReadingsGiveOneProfile checks that a profile from history predicts as well as one from a capture: the
// same sizes and lengths, and costs within a tenth where a phase worked for seconds. A map's start-up follows from
// the times of its twelfths; what a reduce's is follows from the end of its copy.
func TestReadingsGiveOneProfile(t *testing.T) {
	t.Parallel()
	for _, name := range readings {
		t.Run(name, func(t *testing.T) {
			runH, runC := both(t, name)
			h, c := cost.Learn(runH), cost.Learn(runC)
			near := func(what string, got, want, tolerance float64) {
				if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > tolerance*max(math.Abs(want), 1) {
					t.Errorf("%s: %v, captured %v", what, got, want)
				}
			}
			for _, n := range []float64{1, 4, 8} { // tasks that start together
				at := func(o dag.Overheads) float64 { return o.SetupMin.Seconds() + n*o.SetupPer.Seconds() }
				near("start-up", at(h.Overheads), at(c.Overheads), 0.45)
			}
			for j := range h.Jobs {
				for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
					a, b := &h.Jobs[j].Stages[k], &c.Jobs[j].Stages[k]
					worked := 0.0
					for i := range a.Tasks {
						near("extent", a.Extent.At(i), b.Extent.At(i), 0)
						if name != "amrestart-1" { // the capture lacks last counters there
							near("out", a.Out.At(i), b.Out.At(i), 0)
						}
						near("bytes", a.Bytes.At(i), b.Bytes.At(i), 0)
					}
					if len(a.Pipelines) != len(b.Pipelines) {
						t.Fatalf("%v of %s: %d pipelines, captured %d", k, h.Jobs[j].Node, len(a.Pipelines),
							len(b.Pipelines))
					}
					for p := range a.Pipelines {
						worked += b.Pipelines[p].Alpha.At(0) * b.Pipelines[p].Tuples.At(0) / 1000
						if worked > 2 {
							near(dag.MapReduceName(k)+" cost of "+h.Jobs[j].Node, a.Pipelines[p].Alpha.At(0),
								b.Pipelines[p].Alpha.At(0), 0.1)
						}
					}
				}
			}
		})
	}
}

// TestHistoryTellsNothingAhead checks that a snapshot contains nothing that came after it.
func TestHistoryTellsNothingAhead(t *testing.T) {
	t.Parallel()
	dir := historyOf(t, "failure-1")
	src, err := input.OpenRecording(dir, recording.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for {
		s, err := src.Next(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		checkPresent(t, s)
	}
}

// checkPresent checks that nothing in a snapshot is later than the snapshot.
func checkPresent(t *testing.T, s *dag.Snapshot) {
	t.Helper()
	past := func(what string, at dag.Instant) {
		if at.Known() && at > s.At {
			t.Fatalf("%s at %d is reported at %d", what, at, s.At)
		}
	}
	for j := range s.Jobs {
		js := &s.Jobs[j]
		past("submission", js.Submitted)
		past("start", js.Started)
		past("end", js.Finished)
		if s.Plan.Jobs[j].Stages[dag.Map].Known && !js.Started.Known() && js.Attempt == 0 {
			t.Fatalf("the size of %s is reported before its master came", js.ID)
		}
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			for i := range js.Stages[k].Attempts {
				a := &js.Stages[k].Attempts[i]
				for _, at := range []dag.Instant{
					a.Start, a.End, a.CopyEnd, a.SortEnd, a.First.At, a.Last.At,
					a.FirstReport,
				} {
					past(a.Name(js.ID, dag.MapReduceName(k)), at)
				}
				if a.State == dag.AttemptRunning && (a.End.Known() || a.Diagnosis != "") {
					t.Fatalf("%s runs and has ended", a.Name(js.ID, dag.MapReduceName(k)))
				}
				if a.State == dag.AttemptRunning && !(a.Ratio >= 0 && a.Ratio <= 1) {
					t.Fatalf("%s is at %v", a.Name(js.ID, dag.MapReduceName(k)), a.Ratio)
				}
			}
		}
	}
}

// TestImportIsWhatReplayReads checks that the tape of a history is that history.
func TestImportIsWhatReplayReads(t *testing.T) {
	t.Parallel()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
	dir, out := historyOf(t, "skew-1"), t.TempDir()
	code, stdout, stderr := session.Run(t, "history", "add", dir, "-o", out, "--output", "json")
	if code != 0 || !strings.Contains(stdout, `"jobs":1`) || stderr != "" {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	tapes, err := filepath.Glob(filepath.Join(out, "*"))
	if err != nil || len(tapes) != 1 || !strings.HasSuffix(tapes[0], ".jsonl.zst") {
		t.Fatalf("the folder holds %v, %v", tapes, err)
	}
	_, fromTape, _ := session.Run(t, "replay", tapes[0], "--output", "ndjson")
	_, fromFile, _ := session.Run(t, "replay", dir, "--output", "ndjson")
	if fromTape == "" || fromTape != fromFile {
		t.Error("the frames of the tape are not those of the history")
	}
}
