package runreport

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// TestPartsOfATask checks that the parts of a task's time add up to its length, whatever the counters are.
func TestPartsOfATask(t *testing.T) {
	t.Parallel()
	full := dag.TaskMetrics{
		Deserialize: 500, Run: 9000, CPU: 3000, GC: 1000, FetchWait: 2000, ShuffleWriteTime: 100,
		Python: 900, Result: 200,
	}
	for name, c := range map[string]struct {
		metrics dag.TaskMetrics
		want    [timeParts]dag.Millis
	}{
		"all":           {full, [timeParts]dag.Millis{300, 500, 1000, 3000, 2000, 900, 100, 2000, 200}},
		"none":          {dag.TaskMetrics{}, [timeParts]dag.Millis{schedulerDelay: 10_000}},
		"run too long":  {dag.TaskMetrics{Run: math.MaxInt32, CPU: 20_000}, [timeParts]dag.Millis{cpuTime: 10_000}},
		"start is long": {dag.TaskMetrics{Deserialize: 99_000, Run: 50}, [timeParts]dag.Millis{deserialization: 10_000}},
	} {
		a := dag.BlankAttempt(0, 0)
		a.Start, a.End, a.Metrics = 1000, 11_000, &c.metrics
		sum := time.Duration(0)
		for part, d := range partsOf(&a) {
			if sum += d; d != c.want[part].Duration() {
				t.Errorf("%s: %s is %v, want %v ms", name, timePartTexts[part].name, d, c.want[part])
			}
		}
		if sum != 10*time.Second {
			t.Errorf("%s: the parts add up to %v", name, sum)
		}
	}
}

// TestStageTimesTable checks that a stage has one bar with a part for each part of its longest tasks, the 20th part of
// all, and that names are escaped.
func TestStageTimesTable(t *testing.T) {
	t.Parallel()
	state := dag.StageState{}
	for task := range int32(40) {
		a := dag.BlankAttempt(task, 0)
		a.State, a.Start, a.End = dag.AttemptSucceeded, 0, 1000*dag.Instant(task+1)
		a.Metrics = &dag.TaskMetrics{Run: dag.Millis(1000 * (task + 1)), CPU: 1000, InputBytes: 10, SpilledBytes: 5}
		state.Attempts = append(state.Attempts, a)
	}
	s := &dag.Snapshot{
		Plan: &dag.Plan{Jobs: []dag.Job{{Node: "application", Stages: []dag.Stage{{Name: "<b>", Tasks: 40, Known: true}}}}},
		Jobs: []dag.JobState{{Stages: []dag.StageState{state}}},
	}
	r := sample()
	r.StageTimes = stageTimesOf(s, map[stageKey]time.Duration{{0, 0}: time.Minute})
	if len(r.StageTimes) != 1 || len(stageTimesOf(s, nil)) != 0 {
		t.Fatalf("%+v", r.StageTimes)
	}
	got := r.StageTimes[0]
	if got.Tasks != 40 || got.Longest != 2 || got.LongestSeconds != 39.5 || got.InputBytes != 400 ||
		got.SpilledBytes != 200 || len(got.TimeParts) != 2 ||
		got.TimeParts[0] != (TimePart{"cpu", 1, 40, cpuTime}) || got.TimeParts[1] != (TimePart{"off_cpu", 38.5, 780, offCPU}) {
		t.Errorf("%+v", got)
	}
	page := written(t, r)
	for _, want := range []string{
		`<rect class="open" x="0%" y="3" width="2.5316%" height="12"/><rect class="" x="2.5316%"`,
		"off the JVM&#39;s CPU 97%", "&lt;b&gt;",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// TestAdviceText checks that an advice has a number only if a replay gave one.
func TestAdviceText(t *testing.T) {
	t.Parallel()
	a := Advice{Summary: "Tasks of s spilled", Help: "More memory"}
	if got := a.text(100, true); got != "Tasks of s spilled. More memory would have helped." {
		t.Error(got)
	}
	a.GainSeconds = new(frame.Seconds(12))
	if got := a.text(100, false); got != "Tasks of s spilled. More memory would save about 12s, 12%." {
		t.Error(got)
	}
}
