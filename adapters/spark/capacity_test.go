package spark

import (
	"fmt"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// at returns the instant some seconds after the application began.
func at(s float64) dag.Instant { return dag.Instant(1_700_000_000_000).Add(time.Duration(s * 1e9)) }

// withExecutors is an application of executors of two cores that were added at these seconds, with a stage of so many
// tasks that was submitted after 5 s.
func withExecutors(tasks int, added ...float64) *App {
	a := NewApp("app-1")
	a.began = at(0)
	for i, t := range added {
		e := a.all[a.executorAt(fmt.Sprint(i))]
		e.host, e.cores, e.added = fmt.Sprintf("10.0.0.%d:7", i), 2, at(t)
	}
	s := a.stageAt(0)
	j := &job{submitted: at(5), completed: dag.NoInstant, status: "RUNNING", stages: []*stage{s}}
	a.addJob(j)
	s.jobs, s.tasks = []*job{j}, tasks
	t := a.tryOf(0, 0)
	t.status, t.tasks, t.submitted = "ACTIVE", tasks, at(5)
	return a
}

func (e *executor) goes(t float64, reason string) {
	e.active, e.removed, e.reason = false, at(t), reason
}

// comingAt words the executors to come, by seconds after the application began.
func comingAt(coming []dag.Capacity) string {
	out := ""
	for _, c := range coming {
		out += fmt.Sprintf("%d@%v ", c.Cores, c.At.Sub(at(0)).Seconds())
	}
	return out
}

func TestLostExecutorsComeAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		lost float64
		why  string
		more []float64
		now  float64
		want string
	}{
		{"lost", 20, "Command exited with code 137", nil, 20.5, "2@24 "}, // the first took 4 s
		{"late", 20, "Command exited with code 137", nil, 40, "2@50 "},
		{"given up", 20, "Command exited with code 137", nil, 85, ""},
		{"there again", 20, "Command exited with code 137", []float64{22}, 23, ""},
		{"given back", 20, "Executor killed by driver.", nil, 20.5, ""},
	} {
		a := withExecutors(9, append([]float64{4, 4.5}, c.more...)...)
		a.all[1].goes(c.lost, c.why)
		elastic, coming := a.capacity(at(c.now))
		if got := comingAt(coming); got != c.want || elastic != (dag.Elastic{}) {
			t.Errorf("%s: %q, want %q; %+v", c.name, got, c.want, elastic)
		}
	}
	// What one took that came in place of another predicts what the next one will.
	a := withExecutors(9, 4, 4.5, 21)
	a.all[1].goes(20, "lost")
	a.all[2].goes(30, "lost")
	if _, coming := a.capacity(at(30.1)); comingAt(coming) != "2@31.1 " {
		t.Errorf("after a start of 1 s: %q", comingAt(coming))
	}
}

func TestDynamicAllocation(t *testing.T) {
	t.Parallel()
	most := map[string]string{
		"spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.maxExecutors": "8",
		"spark.dynamicAllocation.minExecutors": "1", "spark.executor.cores": "2",
	}
	with := func(key, value string) map[string]string {
		out := map[string]string{"spark.dynamicAllocation." + key: value}
		for k, v := range most {
			if _, there := out[k]; !there {
				out[k] = v
			}
		}
		return out
	}
	for _, c := range []struct {
		name  string
		conf  map[string]string
		tasks int
		added []float64
		now   float64
		want  string
		max   int // cores
	}{
		// One more is requested at 6 s, two at 7 s, four at 8 s. The first took 2 s.
		{"all", most, 40, []float64{2}, 6, "2@8 4@9 8@10 ", 16},
		{"as many as the tasks need", most, 7, []float64{2}, 6, "2@8 4@9 ", 16},
		{"tasks have room", most, 2, []float64{2}, 6, "", 16},
		{"one has come", most, 40, []float64{2, 8}, 8.5, "4@9.5 8@10 ", 16},
		{"slower", with("schedulerBacklogTimeout", "3s"), 40, []float64{2}, 6, "2@10 4@13 8@16 ", 16},
		{"sustained", with("sustainedSchedulerBacklogTimeout", "2000ms"), 40, []float64{2}, 6, "2@8 4@10 8@12 ", 16},
		// Three seconds are usual; what has not come for long will not come at once.
		{"none there", most, 3, nil, 5.5, "2@8.25 2@9 ", 16},
		{"none requested before the first job", with("minExecutors", "0"), 2, nil, 5.5, "2@9 ", 16},
		// Executors that are no longer expected limit the number that is expected later.
		{"given up", most, 40, []float64{2}, 75, "", 2},
		{"no bound", with("maxExecutors", ""), 40, []float64{2}, 6, "", 2},
		{"off", with("enabled", "false"), 40, []float64{2}, 6, "", 0},
	} {
		a := withExecutors(c.tasks, c.added...)
		a.conf = c.conf
		elastic, coming := a.capacity(at(c.now))
		if got := comingAt(coming); got != c.want || elastic.Max != c.max {
			t.Errorf("%s: %q of %d cores, want %q of %d", c.name, got, elastic.Max, c.want, c.max)
		}
	}
	a := withExecutors(40, 2)
	a.conf = most
	want := dag.Elastic{Max: 16, Each: 2, Backlog: time.Second, Sustain: time.Second, Start: 2 * time.Second}
	if snap, ok := a.Snapshot(at(6), false); !ok || snap.Plan.Cluster.Elastic != want || len(snap.Coming) != 3 {
		t.Errorf("the snapshot has %+v", snap)
	}
	// Cores of the application bound executors as well, and tasks may take several.
	a.conf = with("maxExecutors", "")
	a.conf["spark.cores.max"], a.conf["spark.task.cpus"] = "12", "2"
	if elastic, _ := a.capacity(at(6)); elastic.Max != 6 {
		t.Errorf("12 cores, two a task: %d at once", elastic.Max)
	}
}

func TestSpans(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]time.Duration{
		"3": 3 * time.Second, "3s": 3 * time.Second, " 250MS ": 250 * time.Millisecond, "1min": time.Minute,
		"2m": 2 * time.Minute, "": time.Second, "soon": time.Second, "-1s": time.Second, "1y": time.Second,
		"99999999999h": time.Second,
	} {
		if got := span(s, time.Second); got != want {
			t.Errorf("%q is %v, want %v", s, got, want)
		}
	}
}
