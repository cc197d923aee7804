package schedule

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
)

func mustReplay(t *testing.T, s *dag.Snapshot, left Left, opt Options) *Schedule {
	t.Helper()
	sch, err := Replay(s, left, opt)
	if err != nil {
		t.Fatal(err)
	}
	return sch
}

func spansOf(sch *Schedule, job int, k dag.StageIndex) []Span {
	var out []Span
	for _, sp := range sch.Spans {
		if int(sp.Job) == job && sp.Stage == k {
			out = append(out, sp)
		}
	}
	return out
}

// Recording join-1: four early reduces of job 1, half of its room, hold their containers while job 2's maps wait.
func TestYARNEarlyReducesHoldContainers(t *testing.T) {
	sch := mustReplay(t, blankSnapshot(joinPlan()), joinLeft, Options{})
	lastMap := dag.Instant(0)
	for _, sp := range spansOf(sch, 0, dag.Map) {
		lastMap = max(lastMap, sp.End)
	}
	early := 0
	for _, sp := range spansOf(sch, 0, dag.Reduce) {
		if sp.Start < lastMap.Add(-5*second) {
			early++
			if sp.End < lastMap {
				t.Errorf("reduce %d ends at %d, before the last map at %d", sp.First, sp.End, lastMap)
			}
		}
	}
	if early < 3 || early > 4 {
		t.Errorf("%d reduces start early; ramp-up allows half of 8 containers", early)
	}
	late := blankSnapshot(joinPlan())
	for j := range late.Plan.Jobs {
		late.Plan.Jobs[j].MapReduce.SlowStart = 1
	}
	for _, sp := range spansOf(mustReplay(t, late, joinLeft, Options{}), 0, dag.Reduce) {
		if sp.Start < lastMap.Add(-5*second) {
			t.Errorf("with slow start 1.0 reduce %d starts at %d", sp.First, sp.Start)
		}
	}
}

// TestDrivers submits one graph as each driver does: the job after the short one waits for the whole wave, for the
// short one alone, or for all before it; a serial driver leaves a job's parent alone as well.
func TestDrivers(t *testing.T) {
	t.Parallel()
	p := joinPlan()
	p.Jobs = []dag.Job{yarnJobOf("short", nil, 1, 1), yarnJobOf("long", nil, 20, 1), yarnJobOf("next", []int{0}, 1, 1)}
	pause := recordedOverheads.Wave
	for _, c := range []struct {
		driver dag.Driver
		job    int
		after  int
	}{{dag.Waves, 2, 1}, {dag.Eager, 2, 0}, {dag.Serial, 1, 0}, {dag.Serial, 2, 1}} {
		plan := *p
		plan.Driver = c.driver
		sch := mustReplay(t, blankSnapshot(&plan), joinLeft, Options{})
		if got, want := sch.Submitted[c.job], sch.Finished[c.after].Add(pause); got != want {
			t.Errorf("%v: job %d is submitted at %d, want %d", c.driver, c.job, got, want)
		}
		if c.driver == dag.Eager && sch.Submitted[2] >= sch.Finished[1] {
			t.Error("an eager job waits for one that it does not come after")
		}
		var gaps []Span
		for _, sp := range sch.Spans {
			if sp.Pause == dag.Wave && sp.End == sch.Submitted[c.job] {
				gaps = append(gaps, sp)
			}
		}
		if len(gaps) != 1 || gaps[0].End.Sub(gaps[0].Start) != pause {
			t.Errorf("%v: the pause before job %d is %v", c.driver, c.job, gaps)
		}
		// What has been submitted is not submitted again, and a job whose parent has failed never is.
		seen := blankSnapshot(&plan)
		seen.Jobs[0] = dag.JobState{ID: "a", State: dag.Failed, Submitted: 0, Finished: 1, Stages: seen.Jobs[0].Stages}
		late := mustReplay(t, seen, joinLeft, Options{})
		if late.Submitted[2].Known() || !late.Finished[1].Known() {
			t.Errorf("%v: after a failure jobs end at %v", c.driver, late.Finished)
		}
	}
}

// Recording wide-1: a branch's second job waits until the other branches' first have ended (facts/hadoop.md C2).
func TestYARNWaveIsABarrier(t *testing.T) {
	p := joinPlan()
	p.Jobs = []dag.Job{yarnJobOf("short", nil, 1, 1), yarnJobOf("long", nil, 20, 1), yarnJobOf("next", []int{0}, 1, 1)}
	sch := mustReplay(t, blankSnapshot(p), joinLeft, Options{})
	if sch.Finished[0] >= sch.Finished[1] {
		t.Fatalf("the short job ends at %d, the long one at %d", sch.Finished[0], sch.Finished[1])
	}
	if want := sch.Finished[1].Add(recordedOverheads.Wave); sch.Submitted[2] != want {
		t.Errorf("the next wave is submitted at %d, want %d", sch.Submitted[2], want)
	}
}

// Recording failure-1, and ParaTimer section 3.2.2: the container of a failed map goes to the next map, the retry takes
// a later one.
func TestYARNRetryTakesALaterContainer(t *testing.T) {
	killed := dag.Instant(15_000)
	fault := func(task Task, start, end dag.Instant) (dag.Instant, bool) {
		return killed, task.Job == 0 && task.Stage == dag.Map && task.Index == 6 && task.Attempt == 0
	}
	sch := mustReplay(t, blankSnapshot(joinPlan()), joinLeft, Options{Fault: fault})
	var failed, retry, next Span
	for _, sp := range spansOf(sch, 0, dag.Map) {
		switch {
		case sp.First == 6 && sp.Outcome == Fails:
			failed = sp
		case sp.First == 6:
			retry = sp
		case sp.First == 8:
			next = sp
		}
	}
	if failed.End != killed || retry.Attempt != 1 {
		t.Fatalf("failed %+v, retry %+v", failed, retry)
	}
	if next.Slots[0] != failed.Slots[0] || next.Start > killed.Add(2*second) {
		t.Errorf("map 8 starts at %d in lane %d; the failed one left lane %d at %d", next.Start, next.Slots[0],
			failed.Slots[0], killed)
	}
	if retry.Start <= next.Start {
		t.Errorf("the retry starts at %d, not after map 8 at %d", retry.Start, next.Start)
	}
}

// Recording nodelost-1: the master believes in attempts on a lost node for three minutes, and all reduces wait.
func TestYARNLostNodeHoldsUpTheJob(t *testing.T) {
	p := joinPlan()
	p.Jobs = []dag.Job{yarnJobOf("a", nil, 2, 1)}
	p.Overheads.Abandon = 180 * second
	s := blankSnapshot(p)
	s.At = 100_000
	s.Nodes = []dag.NodeState{
		{Name: "n1", MemoryMB: 1536, LostAt: dag.NoInstant},
		{Name: "n2", MemoryMB: 1536, Lost: true, LostAt: 90_000},
	}
	s.Jobs[0] = dag.JobState{
		ID: "job_1_0001", State: dag.Running, Submitted: 0, Started: 3000, Finished: dag.NoInstant, HeldMB: 1024,
		Stages: []dag.StageState{{Attempts: []dag.Attempt{
			{
				Task: 0, State: dag.AttemptRunning, Node: 0, Slot: -1, Start: 95_000, End: dag.NoInstant,
				CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant,
			},
			{
				Task: 1, State: dag.AttemptRunning, Node: 1, Slot: -1, Start: 80_000, End: dag.NoInstant,
				CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant,
			},
		}}, {}},
	}
	sch := mustReplay(t, s, joinLeft, Options{})
	again := spansOf(sch, 0, dag.Map)
	last := again[len(again)-1]
	if last.First != 1 || last.Attempt != 1 || last.Start < 270_000 || last.Start > 275_000 {
		t.Errorf("the lost map runs again as %+v, want attempt 1 from 270 s on", last)
	}
}

// Another application keeps its containers until its expected end, and gives them back evenly.
func TestYARNOtherApplicationsHoldContainers(t *testing.T) {
	alone := mustReplay(t, blankSnapshot(joinPlan()), joinLeft, Options{}).Remaining()
	s := blankSnapshot(joinPlan())
	s.Load = []dag.Load{{ID: "application_1_0001", Before: true, Submitted: -1000, HeldMB: 1536, Until: 200_000}}
	beside := mustReplay(t, s, joinLeft, Options{}).Remaining()
	if beside < alone+20*second {
		t.Errorf("beside another application it takes %v, alone %v", beside, alone)
	}
	s = blankSnapshot(joinPlan())
	s.Plan.Cluster.QueueMB = 1536
	if limited := mustReplay(t, s, joinLeft, Options{}).Remaining(); limited < alone+20*second {
		t.Errorf("in a queue of half the cluster it takes %v, else %v", limited, alone)
	}
}

// A pool that early reduces have filled while maps wait is no deadlock: the AM preempts them.
func TestYARNPreemptsReducesThatBlockMaps(t *testing.T) {
	p := joinPlan()
	p.Cluster.MemoryMB = 1024 // an AM and two containers
	p.Jobs = []dag.Job{yarnJobOf("a", nil, 6, 4)}
	p.Jobs[0].MapReduce.RampUp = 1
	s := blankSnapshot(p)
	s.At = 50_000
	s.Jobs[0] = dag.JobState{
		ID: "job_1_0001", State: dag.Running, Submitted: 0, Started: 3000, Finished: dag.NoInstant,
		Stages: make([]dag.StageState, dag.MapReduceStages),
	}
	for i := range int32(2) {
		s.Jobs[0].Stages[dag.Reduce].Attempts = append(s.Jobs[0].Stages[dag.Reduce].Attempts, dag.Attempt{
			Task: i, State: dag.AttemptRunning, Node: -1, Slot: -1,
			Start: 40_000, End: dag.NoInstant, CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant,
		})
	}
	sch := mustReplay(t, s, joinLeft, Options{})
	done := map[int32]int{}
	for _, sp := range spansOf(sch, 0, dag.Reduce) {
		if sp.Outcome == OK {
			done[sp.First] += int(sp.Count)
		}
	}
	if len(done) != 4 {
		t.Errorf("reduces that succeed: %v", done)
	}
}

func TestYARNSaysWhatIsStuck(t *testing.T) {
	p := joinPlan()
	p.Cluster.MemoryMB = 256
	_, err := Replay(blankSnapshot(p), joinLeft, Options{})
	stuck, ok := err.(*StuckError)
	if !ok || stuck.Job != "a" {
		t.Fatalf("got %v, want a StuckError of job a", err)
	}
}

// Recording failing-1, but with a branch that goes on: what depends on a failed job never comes.
func TestYARNDoesNotWaitForTheChildrenOfAFailedJob(t *testing.T) {
	p := joinPlan()
	s := blankSnapshot(p)
	s.At = 60_000
	s.Jobs[0] = dag.JobState{
		ID: "job_1_0001", State: dag.Failed, Submitted: 0, Started: 3000, Finished: 50_000,
		Stages: make([]dag.StageState, dag.MapReduceStages),
	}
	s.Jobs[1] = dag.JobState{
		ID: "job_1_0002", State: dag.Running, Submitted: 0, Started: 3000, Finished: dag.NoInstant,
		HeldMB: 512, Stages: make([]dag.StageState, dag.MapReduceStages),
	}
	sch := mustReplay(t, s, joinLeft, Options{})
	if len(spansOf(sch, 2, dag.Map)) > 0 || sch.Submitted[2].Known() {
		t.Errorf("the join is submitted at %d", sch.Submitted[2])
	}
	if len(spansOf(sch, 1, dag.Map)) == 0 {
		t.Error("the other job does not go on")
	}
}

// A job that holds as many early reduces as it may asks for no more: containers that its maps have just given back go
// to maps (recording etl-1, where ten maps of a wave end at one instant).
func TestYARNHeldReducesAreNotAskedForAgain(t *testing.T) {
	p := joinPlan()
	p.Jobs = []dag.Job{yarnJobOf("a", nil, 20, 12)}
	s := blankSnapshot(p)
	s.At = 60 * 1000
	js := &s.Jobs[0]
	js.State, js.Submitted, js.Started, js.HeldMB = dag.Running, 0, 1000, 512
	for i := range int32(10) {
		js.Stages[dag.Map].Attempts = append(js.Stages[dag.Map].Attempts,
			dag.Attempt{Task: i, State: dag.AttemptSucceeded, Start: 5000, End: 60 * 1000})
	}
	for i := range int32(5) {
		js.Stages[dag.Reduce].Attempts = append(js.Stages[dag.Reduce].Attempts,
			dag.Attempt{
				Task: i, State: dag.AttemptRunning, Start: 10 * 1000, End: dag.NoInstant,
				CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant,
			})
	}
	left := func(task Task) Cost { return Cost{Work: 20 * second, Same: 1} }
	maps, reduces := 0, 0
	sch := mustReplay(t, s, left, Options{})
	for _, sp := range sch.Spans {
		switch {
		case sp.Start < s.At || sp.Start > s.At.Add(5*second):
		case sp.Stage == dag.Map:
			maps += int(sp.Count)
		default:
			reduces += int(sp.Count)
		}
	}
	if maps != 5 || reduces != 0 {
		t.Errorf("%d maps and %d reduces start now; the five containers that are free go to maps: half of the room is held by reduces", maps, reduces)
	}
}

// Until the next container is given nothing starts, masters and tasks of later jobs included; what runs goes on. Then
// all is as it would have been.
func TestYARNNextContainer(t *testing.T) {
	s := blankSnapshot(joinPlan())
	usual := mustReplay(t, s, joinLeft, Options{})
	held := *s
	held.NextContainer = s.At.Add(100 * second)
	for _, opt := range []Options{{}, {EndOnly: &EndOnly{}}} {
		late := mustReplay(t, &held, joinLeft, opt)
		if got := late.End.Sub(usual.End); got < 95*second || got > 105*second {
			t.Errorf("100 s later all ends %v later", got)
		}
		for _, sp := range late.Spans {
			if sp.Count > 0 && sp.Start < held.NextContainer {
				t.Errorf("task %d of job %d starts at %d", sp.First, sp.Job, sp.Start)
			}
		}
	}
}

// TestEndOnlyWaitsForTheNextContainer: tasks that end before the next container is given free room that stays empty
// until then, also where only the end is wanted.
func TestEndOnlyWaitsForTheNextContainer(t *testing.T) {
	t.Parallel()
	p := &dag.Plan{
		Cluster: dag.Cluster{Policy: dag.YARN, MemoryMB: 1024},
		Jobs:    []dag.Job{yarnJobOf("j", nil, 4, 0)},
	}
	s := blankSnapshot(p)
	s.At, s.NextContainer = 10_000, 50_000
	s.Jobs[0].State, s.Jobs[0].Submitted, s.Jobs[0].Started = dag.Running, 0, 0
	s.Jobs[0].Stages[dag.Map].Attempts = []dag.Attempt{{
		Node: -1, State: dag.AttemptRunning, Start: 1000, End: dag.NoInstant,
		CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant,
	}}
	for _, opt := range []Options{{}, {EndOnly: &EndOnly{}}} {
		sch := mustReplay(t, s, func(Task) Cost { return Cost{Work: 10 * second, Same: 1} }, opt)
		if sch.End != 70_000 {
			t.Errorf("it ends at %d, want 70000: two maps at a time from 50000 on", sch.End)
		}
	}
}
