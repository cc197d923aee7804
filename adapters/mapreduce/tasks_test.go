package mapreduce

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A heapCluster measures the heap in use, once for every `each` requests of attempts.
type heapCluster struct {
	*lab
	each, requests atomic.Int64
	most           atomic.Uint64
}

func (c *heapCluster) AM(ctx context.Context, app, path string) ([]byte, error) {
	if strings.HasSuffix(path, "/attempts") && c.requests.Add(1)%c.each.Load() == 0 {
		if n := heapInUse(); n > c.most.Load() {
			c.most.Store(n)
		}
	}
	return c.lab.AM(ctx, app, path)
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// attemptsOf is an answer with so many attempts of a map, each on a node of a long name, and with so long a
// diagnosis.
func attemptsOf(index, many, node, diagnosis int) string {
	var list []string
	for i := range many {
		list = append(list, fmt.Sprintf(
			`{"id":"attempt_1_0001_m_%06d_%d","state":"FAILED","startTime":%d,"finishTime":%d,"progress":30,"nodeHttpAddress":"%s","diagnostics":"no disk%s"}`,
			index, i, labStart+5000, labStart+6000, strings.Repeat("n", node), strings.Repeat(" ", diagnosis)))
	}
	return `{"taskAttempts":{"taskAttempt":[` + strings.Join(list, ",") + `]}}`
}

// TestAnswersOfATickAreNotKept: of hundreds of long answers about attempts only a few are in memory at once, and what
// is kept of them does not hold the rest.
func TestAnswersOfATickAreNotKept(t *testing.T) {
	const maps, long = 200, 64_000
	for name, answer := range map[string]func(index int) string{
		"a long diagnosis": func(index int) string { return attemptsOf(index, 1, 2, long) },
		"long names":       func(index int) string { return attemptsOf(index, long/4000, 3800, 0) },
	} {
		l := newLab()
		l.apps("1 RUNNING UNDEFINED 512")
		l.conf("0001", "a", "")
		states := make([]string, maps)
		for i := range states {
			states[i] = "RUNNING"
		}
		l.runs("0001", 0, states...)
		for i := range maps {
			l.am[fmt.Sprintf("0001/tasks/task_1_0001_m_%06d/attempts", i)] = answer(i)
		}
		c := &heapCluster{lab: l}
		c.each.Store(maps / 4)
		before := heapInUse()
		src := NewSource(c, yarn.Target{})
		s, err := src.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		after := heapInUse()
		runtime.KeepAlive(src)
		if most := float64(c.most.Load()) - float64(before); c.requests.Load() != maps || most > maps*long/2 ||
			float64(after)-float64(before) > maps*long/4 {
			t.Errorf("%s: %d answers of %d bytes: the heap grows by %.0f bytes, and by %d at the end", name,
				c.requests.Load(), long, most, int64(after)-int64(before))
		}
		if a := s.Jobs[0].Stages[dag.Map].Attempts; len(a) < maps || a[0].Diagnosis != "no disk" {
			t.Errorf("%s: %d attempts", name, len(a))
		}
	}
}

// TestManyAttempts: of a task with more attempts than any has the newest are taken.
func TestManyAttempts(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512")
	l.conf("0001", "a", "")
	l.runs("0001", 0, "RUNNING", "RUNNING")
	for i := range 2 {
		l.am[fmt.Sprintf("0001/tasks/task_1_0001_m_%06d/attempts", i)] = attemptsOf(i, mostAttempts+5, 2, 0)
	}
	s := l.tick(t, NewSource(l, yarn.Target{}), time.Second)
	first, n := int32(-1), 0
	for _, a := range s.Jobs[0].Stages[dag.Map].Attempts {
		if a.Task == 0 {
			if n++; first < 0 {
				first = a.Number
			}
		}
	}
	if n != mostAttempts || first != 5 {
		t.Errorf("%d attempts from %d on", n, first)
	}
}

// TestAttemptsOfATick: a tick asks for no more attempts once the workflow has too many to be estimated, and the next
// one drops them.
func TestAttemptsOfATick(t *testing.T) {
	const maps = mostTasks/mostAttempts + 2*requestsAtOnce
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512")
	l.conf("0001", "a", "")
	states := make([]string, maps)
	for i := range states {
		states[i] = "RUNNING"
	}
	l.runs("0001", 0, states...)
	for i := range maps {
		l.am[fmt.Sprintf("0001/tasks/task_1_0001_m_%06d/attempts", i)] = attemptsOf(i, mostAttempts, 2, 0)
	}
	src := NewSource(l, yarn.Target{})
	s := l.tick(t, src, time.Second)
	if n := len(s.Jobs[0].Stages[dag.Map].Attempts); n < mostTasks || n > mostTasks+requestsAtOnce*mostAttempts {
		t.Errorf("%d attempts are kept", n)
	}
	if s = l.tick(t, src, time.Second); !warned(s, dag.WarnTooLarge) || len(s.Jobs[0].Stages[dag.Map].Attempts) != 0 {
		t.Errorf("%d attempts: %v", len(s.Jobs[0].Stages[dag.Map].Attempts), s.Warnings)
	}
}

// listOf is a task list of so many maps that wait.
func listOf(maps int) string {
	tasks := make([]string, maps)
	for i := range tasks {
		tasks[i] = fmt.Sprintf(`{"id":"task_1_0001_m_%06d","state":"SCHEDULED","startTime":1,"progress":0}`, i)
	}
	return `{"tasks":{"task":[` + strings.Join(tasks, ",") + `]}}`
}

// TestTooLarge: the tasks of a workflow that is too large are not kept, its counts are shown, and it is estimated
// again once its list is shorter.
func TestTooLarge(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512")
	l.conf("0001", "a", "")
	l.runs("0001", 0, "RUNNING")
	whole := l.am["0001/tasks"]
	src := NewSource(l, yarn.Target{})
	if s := l.tick(t, src, 0); warned(s, dag.WarnTooLarge) {
		t.Errorf("a job of one task: %v", s.Warnings)
	}
	counted := func(maps int) {
		l.am["0001"] = fmt.Sprintf(`{"job":{"state":"RUNNING","mapsTotal":%d,"reducesTotal":0}}`, maps)
	}
	l.am["0001/tasks"] = listOf(mostTasks + 1)
	counted(mostTasks + 1)
	s := l.tick(t, src, time.Second)
	if !warned(s, dag.WarnTooLarge) || s.Plan.Jobs[0].Stages[dag.Map].Tasks != mostTasks+1 ||
		len(s.Jobs[0].Stages[dag.Map].Attempts) != 0 || s.State != dag.Running {
		t.Errorf("%v, %d maps, %d attempts, %v", s.Warnings, s.Plan.Jobs[0].Stages[dag.Map].Tasks,
			len(s.Jobs[0].Stages[dag.Map].Attempts), s.State)
	}
	if n := src.jobs["application_1_0001"].tasks[dag.Map].Len(); n != 0 {
		t.Errorf("%d tasks are kept", n)
	}
	l.am["0001/tasks"] = whole
	counted(1)
	for range mostTasks/listPart + 2 {
		s = l.tick(t, src, time.Second)
	}
	if warned(s, dag.WarnTooLarge) || len(s.Jobs[0].Stages[dag.Map].Attempts) != 1 {
		t.Errorf("after it became small: %v, %d attempts", s.Warnings, len(s.Jobs[0].Stages[dag.Map].Attempts))
	}
}

// TestCountsAreBoundedByTheList: what a master counts is believed up to what its list shows, and a small number
// without a list.
func TestCountsAreBoundedByTheList(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		counted, inList, want [2]int
	}{
		{[2]int{20, 3}, [2]int{}, [2]int{20, 3}},
		{[2]int{20, 3}, [2]int{19, 3}, [2]int{20, 3}},
		{[2]int{100_000, 5}, [2]int{100_000, 5}, [2]int{100_000, 5}},
		{[2]int{MaxTasks, MaxTasks}, [2]int{20_000, 0}, [2]int{20_000, fewTasks}},
		{[2]int{MaxTasks, 1}, [2]int{}, [2]int{fewTasks, 1}},                     // not listed yet
		{[2]int{300_000, 1}, [2]int{mostTasks + 1, 0}, [2]int{mostTasks + 1, 1}}, // too long to be read
	} {
		j := &job{size: size{counted: c.counted, inList: c.inList}}
		if got := [2]int{j.total(dag.Map), j.total(dag.Reduce)}; got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestOverlongList: a list that is too long to be read makes the workflow too large, whether its job runs or has
// ended.
func TestOverlongList(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512")
	l.conf("0001", "a", "")
	l.runs("0001", 0, "RUNNING")
	l.am["0001/tasks"] = `{"tasks":{"task":[` + strings.Repeat("{},", 1<<16) + `{}]}}`
	src := NewSource(l, yarn.Target{})
	if s := l.tick(t, src, 0); !warned(s, dag.WarnTooLarge) || s.Plan.Jobs[0].Stages[dag.Map].Tasks != 1 ||
		s.Jobs[0].State != dag.Running {
		t.Errorf("%v, %+v", s.Warnings, s.Plan.Jobs[0].Stages[dag.Map])
	}
	if l.tick(t, src, time.Second); l.requests["jobs/job_1_0001/tasks"] != 0 {
		t.Error("the list is requested again at once")
	}
	l.apps("1 FINISHED SUCCEEDED 0")
	l.ends("0001", "SUCCEEDED")
	l.jhs["0001/tasks"] = l.am["0001/tasks"]
	for range 100 {
		if l.tick(t, src, 30*time.Second); src.ended {
			return
		}
	}
	t.Error("it does not end")
}

// TestOneOverlongList: a job with a list that was read once stays trusted after one corrupted response.
func TestOneOverlongList(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512")
	l.conf("0001", "a", "")
	l.runs("0001", 0, "RUNNING")
	whole := l.am["0001/tasks"]
	src := NewSource(l, yarn.Target{})
	l.tick(t, src, 0)
	long := `{"tasks":{"task":[` + strings.Repeat("{},", 1<<16) + `{}]}}`
	l.am["0001/tasks"] = long
	if s := l.tick(t, src, time.Second); warned(s, dag.WarnTooLarge) || len(s.Jobs[0].Stages[dag.Map].Attempts) != 1 {
		t.Errorf("a master's: %v, %d attempts", s.Warnings, len(s.Jobs[0].Stages[dag.Map].Attempts))
	}
	l.apps("1 FINISHED SUCCEEDED 0")
	l.ends("0001", "SUCCEEDED")
	l.jhs["0001/tasks"] = long
	if s := l.tick(t, src, time.Second); s.State.Ended() || warned(s, dag.WarnTooLarge) {
		t.Errorf("the history server's: %v, %v", s.State, s.Warnings)
	}
	l.jhs["0001/tasks"] = strings.ReplaceAll(whole, "RUNNING", "KILLED")
	for range 5 {
		if l.tick(t, src, time.Second); src.ended {
			return
		}
	}
	t.Error("it does not end once the list is whole")
}

// TestListsOfNothing: a list with elements that take much more memory than its text is refused, in any place.
func TestListsOfNothing(t *testing.T) {
	t.Parallel()
	for name, element := range map[string]string{"objects": "{}", "nulls": "null", "numbers": "0"} {
		array := "[" + strings.Repeat(element+",", 1<<17) + element + "]"
		if _, err := yarn.Read[tasksBody]("tasks", []byte(`{"tasks":{"task":`+array+`}}`), nil); !errors.Is(err,
			rest.ErrTooBig) {
			t.Errorf("%s in an answer: %v", name, err)
		}
	}
}

// TestRoom checks that all workflows share one limit of tasks, of which a part is reserved for small workflows, and
// that an ended workflow no longer counts.
func TestRoom(t *testing.T) {
	t.Parallel()
	r := newHub(newLab())
	for i, c := range []struct {
		job   string
		tasks int
		want  bool
	}{
		{"a", mostTasks, true},
		{"b", mostTasks, true},
		{"b", mostTasks, true}, // again, not on top
		{"c", mostTasks, false},
		{"c", fewTasks + 1, false},
		{"c", fewTasks, true}, // a small one
		{"a", 0, true},
		{"d", mostTasks - fewTasks, true}, // what does not fit in takes no room
	} {
		if got := r.reserve(c.job, c.tasks) == ""; got != c.want {
			t.Errorf("%d: room for %d tasks of %s is %v", i, c.tasks, c.job, got)
		}
	}
	if r.forget(); len(r.tasks) != 0 {
		t.Errorf("of unknown applications: %v", r.tasks)
	}
}

// TestRoomForManySmallOnes: hundreds of workflows that are small each by itself are too large together.
func TestRoomForManySmallOnes(t *testing.T) {
	t.Parallel()
	r := newHub(newLab())
	for i := range 300 {
		if got := r.reserve(fmt.Sprintf("application_1_%04d", i), fewTasks) == ""; got != (i < roomTasks/fewTasks) {
			t.Errorf("room for %d is %v", i, got)
		}
	}
}

// TestRoomIsShared: the sources of a hub share one room, which a workflow that has ended gives back.
func TestRoomIsShared(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512")
	l.conf("0001", "a", "")
	l.runs("0001", 0, "RUNNING")
	l.am["0001"] = `{"job":{"state":"RUNNING","mapsTotal":20000,"reducesTotal":0}}`
	l.am["0001/tasks"] = listOf(20_000)
	hub := newHub(l)
	if err := refresh(t, hub); err != nil {
		t.Fatal(err)
	}
	hub.tasks = map[string]int{"application_0_0002": roomTasks}
	src := hub.Source("application_1_0001").(*Source)
	if s, err := src.Next(t.Context()); err != nil || !warned(s, dag.WarnTooLarge) {
		t.Errorf("where there is no room: %v, %v", s, err)
	}
	if err := refresh(t, hub); err != nil { // the other is unknown, so its room is free
		t.Fatal(err)
	}
	for range 2 {
		s, err := src.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if large := src.jobs["application_1_0001"].tasks[dag.Map].Len() == 0; large != warned(s,
			dag.WarnTooLarge) {
			t.Errorf("tasks are kept: %v; %v", !large, s.Warnings)
		}
	}
	if hub.tasks["application_1_0001"] != 20_000 {
		t.Errorf("wanted: %v", hub.tasks)
	}
}

// TestRenamedTasks: tasks that a master names in one list and not in the next count too, for they are kept.
func TestRenamedTasks(t *testing.T) {
	t.Parallel()
	j := &job{
		id: "job_1_0001", app: &yarn.App{ID: "application_1_0001"}, at: jobRunning, state: dag.Running,
		size: size{inList: [2]int{1000, 0}},
	}
	for i := range int32(mostTasks + 1) {
		j.tasks[dag.Map].Add(i, nil)
	}
	s := NewSource(newLab(), yarn.Target{})
	s.member = []*job{j}
	if s.weigh(); s.large == "" || j.tasks[dag.Map].Len() > 0 {
		t.Errorf("%q, %d tasks", s.large, j.tasks[dag.Map].Len())
	}
}

// TestListsOfATick: lists that have too many tasks together are not kept until all jobs have answered, and the
// workflow is too large.
func TestListsOfATick(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512", "2 RUNNING UNDEFINED 512")
	whole := map[string]string{}
	for _, id := range []string{"0001", "0002"} {
		l.conf(id, "a"+id, "")
		l.runs(id, 0, "RUNNING")
		whole[id] = l.am[id+"/tasks"]
		l.am[id+"/tasks"] = strings.ReplaceAll(listOf(mostTasks/2+1), "task_1_0001", "task_1_"+id)
	}
	src := NewSource(l, yarn.Target{})
	if s := l.tick(t, src, 0); !warned(s, dag.WarnTooLarge) || len(s.Jobs) != 2 {
		t.Errorf("%v, %d jobs", s.Warnings, len(s.Jobs))
	}
	for id, list := range whole {
		l.am[id+"/tasks"] = list
	}
	for range mostTasks/listPart + 2 {
		if s := l.tick(t, src, time.Second); !warned(s, dag.WarnTooLarge) && len(s.Jobs[0].Stages[dag.Map].Attempts)+
			len(s.Jobs[1].Stages[dag.Map].Attempts) == 2 {
			return
		}
	}
	t.Error("it is not estimated again")
}

// TestPlanOfOverlongLists: whatever masters count, a plan has no more tasks than it may have, so that a tape of it
// can be written.
func TestPlanOfOverlongLists(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512", "2 RUNNING UNDEFINED 512")
	for _, id := range []string{"0001", "0002"} {
		l.conf(id, "a"+id, "")
		l.runs(id, 0, "RUNNING")
		l.am[id] = fmt.Sprintf(`{"job":{"state":"RUNNING","mapsTotal":%d,"reducesTotal":%d}}`, MaxTasks, MaxTasks)
		l.am[id+"/tasks"] = `{"tasks":{"task":[` + strings.Repeat("{},", 1<<16) + `{}]}}`
	}
	s := l.tick(t, NewSource(l, yarn.Target{}), 0)
	total := 0
	for i := range s.Plan.Jobs {
		total += s.Plan.Jobs[i].Stages[dag.Map].Tasks + s.Plan.Jobs[i].Stages[dag.Reduce].Tasks
	}
	if total < 2*mostTasks || total > dag.MaxTasks {
		t.Errorf("%d tasks", total)
	}
}
