package spark

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
)

// usualLog is the log of a run of 56.23 s: 16 tasks of 10 s, then 8 of 8 s, on 4 cores.
func usualLog() []string {
	const origin = 1_760_000_000_000
	now := origin
	var out []string
	add := func(name, format string, args ...any) {
		out = append(out, fmt.Sprintf(`{"Event":"SparkListener%s",`, name)+fmt.Sprintf(format, args...)+"}")
	}
	stage := func(id, tasks int, more string) string {
		parents := "[]"
		if id > 0 {
			parents = "[0]"
		}
		return fmt.Sprintf(`{"Stage ID":%d,"Stage Attempt ID":0,"Stage Name":"stage%d at job.py:%d","Number of Tasks":%d,"RDD Info":[{"RDD ID":%d}],"Parent IDs":%s%s}`,
			id, id, id, tasks, id, parents, more)
	}
	add("LogStart", `"Spark Version":"3.5.1"`)
	add("EnvironmentUpdate", `"Spark Properties":{}`)
	add("ApplicationStart", `"App Name":"nightly","App ID":"app-1","Timestamp":%d,"User":"me"`, now)
	add("ExecutorAdded", `"Timestamp":%d,"Executor ID":"1","Executor Info":{"Host":"node1","Total Cores":4}`, now+500)
	now += 1000
	add("JobStart", `"Job ID":0,"Submission Time":%d,"Stage Infos":[%s,%s],"Properties":{}`, now, stage(0, 16, ""),
		stage(1, 8, ""))
	task := 0
	for id, of := range [][2]int{{16, 10_000}, {8, 8000}} {
		now += 10
		submitted := now
		add("StageSubmitted", `"Stage Info":%s,"Properties":{}`, stage(id, of[0], fmt.Sprintf(`,"Submission Time":%d`, now)))
		now += 90
		for n := 0; n < of[0]; n += 4 {
			for i := range 4 {
				add("TaskStart", `"Stage ID":%d,"Stage Attempt ID":0,"Task Info":{"Task ID":%d,"Index":%d,"Attempt":0,"Launch Time":%d,"Executor ID":"1"}`,
					id, task+i, n+i, now)
			}
			for i := range 4 {
				add("TaskEnd", `"Stage ID":%d,"Stage Attempt ID":0,"Task End Reason":{"Reason":"Success"},"Task Info":{"Task ID":%d,"Index":%d,"Attempt":0,"Launch Time":%d,"Executor ID":"1","Finish Time":%d},"Task Metrics":{"Executor Deserialize Time":10,"Executor Run Time":%d,"Input Metrics":{"Records Read":1000}}`,
					id, task+i, n+i, now, now+of[1], of[1]-20)
			}
			now, task = now+of[1], task+4
		}
		now += 10
		add("StageCompleted", `"Stage Info":%s`, stage(id, of[0], fmt.Sprintf(`,"Submission Time":%d,"Completion Time":%d`, submitted, now)))
	}
	now += 10
	add("JobEnd", `"Job ID":0,"Completion Time":%d,"Job Result":{"Result":"JobSucceeded"}`, now)
	add("ApplicationEnd", `"Timestamp":%d`, now+980)
	return out
}

// in returns the places of the events of a kind in a log.
func in(lines []string, kind string) []int {
	var out []int
	for i, l := range lines {
		if strings.HasPrefix(l, `{"Event":"SparkListener`+kind+`"`) {
			out = append(out, i)
		}
	}
	return out
}

// without is a log without the events at some places.
func without(lines []string, places ...int) []string {
	var out []string
	for i, l := range lines {
		if !slices.Contains(places, i) {
			out = append(out, l)
		}
	}
	return out
}

// lastSnapshot is the last snapshot of a log.
type lastSnapshot struct {
	state                         dag.State
	took                          time.Duration
	tasks, succeeded, killed, top int // top: most tasks that ran at once
	cores                         int
	reason                        string
	warnings                      []string
	first                         dag.Instant
}

// play plays a log second by second, and holds what must be so at each of them.
func play(t *testing.T, lines []string) lastSnapshot {
	t.Helper()
	l, err := readLog(strings.NewReader(strings.Join(lines, "\n") + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := l.Reader("")
	var out lastSnapshot
	if span := l.Last.Sub(l.First); span > 24*time.Hour {
		t.Fatalf("the log is %v long", span)
	}
	for now := l.First; ; now += 1000 {
		now = min(now, l.Last)
		s, ok := r.At(now)
		if ok {
			valid(t, s)
			out.check(t, s)
		}
		if now == l.Last || ok && s.State.Ended() {
			break
		}
	}
	for _, w := range l.Warnings() {
		out.warnings = append(out.warnings, w.Text)
	}
	return out
}

func (p *lastSnapshot) check(t *testing.T, s *dag.Snapshot) {
	t.Helper()
	running := 0
	p.tasks, p.succeeded, p.killed, p.warnings = 0, 0, 0, nil
	for k := range s.Jobs[0].Stages {
		p.tasks += s.Plan.Jobs[0].Stages[k].Tasks
		p.succeeded += s.Jobs[0].Stages[k].Succeeded()
		for _, a := range s.Jobs[0].Stages[k].Attempts {
			switch a.State {
			case dag.AttemptRunning:
				running++
			case dag.AttemptKilled:
				p.killed++
			}
			if a.Start < s.Origin() || a.End.Known() && a.End < a.Start {
				t.Fatalf("a task from %v to %v of a run from %v on", a.Start, a.End, s.Origin())
			}
		}
	}
	for _, w := range s.Warnings {
		if w.Code == dag.WarnTooLarge {
			t.Fatal(w.Text)
		}
		p.warnings = append(p.warnings, w.Text)
	}
	p.top, p.state, p.first = max(p.top, running), s.State, s.Origin()
	p.took, p.reason, p.cores = s.Jobs[0].Finished.Sub(s.Origin()), s.Jobs[0].Diagnosis, s.Plan.Cluster.Cores
}

// whole checks that a log shows the usual run.
func (p *lastSnapshot) whole(t *testing.T, name string) {
	t.Helper()
	if p.state != dag.Succeeded || p.took < 56*time.Second || p.took > 58230*time.Millisecond || p.tasks != 24 ||
		p.succeeded != 24 || p.killed != 0 || p.top > 4 {
		t.Errorf("%s: %v after %v, %d tasks, %d succeeded, %d killed, %d at once", name, p.state, p.took, p.tasks,
			p.succeeded, p.killed, p.top)
	}
}

func (p *lastSnapshot) warns(t *testing.T, name, text string) {
	t.Helper()
	if !slices.ContainsFunc(p.warnings, func(w string) bool { return strings.Contains(w, text) }) {
		t.Errorf("%s: warnings %q lack %q", name, p.warnings, text)
	}
}

func TestWholeLog(t *testing.T) {
	t.Parallel()
	p := play(t, usualLog())
	if p.whole(t, "the log"); p.took != 56230*time.Millisecond || len(p.warnings) > 0 || p.cores != 4 {
		t.Errorf("%v on %d cores, warnings %q", p.took, p.cores, p.warnings)
	}
}

// TestMissingEvents checks that a run is whole although its driver dropped events, and that a warning counts them.
func TestMissingEvents(t *testing.T) {
	t.Parallel()
	log := usualLog()
	ends, starts := in(log, "TaskEnd"), in(log, "TaskStart")
	var odd []int
	for i := 1; i < len(ends); i += 2 {
		odd = append(odd, ends[i])
	}
	for name, c := range map[string]struct {
		drop  []int
		warns string
	}{
		"every second TaskEnd":        {odd, "missing in the log: 12 events of jobs, stages or tasks; the driver dropped them"},
		"the last TaskEnd":            {ends[23:], "log: 1 event "},
		"all of the last wave":        {ends[20:], "log: 4 events"},
		"JobStart":                    {in(log, "JobStart"), "log: 1 event "},
		"JobEnd":                      {in(log, "JobEnd"), "log: 1 event "},
		"JobStart and StageSubmitted": {append(in(log, "StageSubmitted"), in(log, "JobStart")...), "log: 3 events"},
		"both StageSubmitted":         {in(log, "StageSubmitted"), "log: 2 events"},
		"both StageCompleted":         {in(log, "StageCompleted"), "log: 2 events"},
		"StageCompleted and JobEnd":   {append(in(log, "StageCompleted"), in(log, "JobEnd")...), "log: 3 events"},
		"three TaskStart":             {starts[5:8], "log: 3 events"},
		"all TaskStart":               {starts, "log: 24 events"},
		"ExecutorAdded":               {in(log, "ExecutorAdded"), "how many cores 1 executor had is not in the event log"},
		"ApplicationStart":            {in(log, "ApplicationStart"), ""},
	} {
		p := play(t, without(log, c.drop...))
		if p.whole(t, name); c.warns != "" {
			p.warns(t, name, c.warns)
		}
		if p.cores != 4 {
			t.Errorf("%s: %d cores", name, p.cores)
		}
	}
	for _, kind := range []string{"JobStart", "StageSubmitted", "StageCompleted", "TaskStart", "TaskEnd", "JobEnd"} {
		for _, n := range in(log, kind) {
			p := play(t, without(log, n))
			p.whole(t, fmt.Sprintf("line %d", n+1))
		}
	}
}

// TestBrokenEvents checks that an event without what its kind needs is left out and counted, and hides nothing.
func TestBrokenEvents(t *testing.T) {
	t.Parallel()
	for _, broken := range []string{
		`"StageSubmitted","Stage Info":{}`, `"StageSubmitted"`, `"StageCompleted","Stage Info":{}`,
		`"StageCompleted","Stage Info":{"Stage ID":0}`, `"StageSubmitted","Stage Info":{"Stage ID":0,"Number of Tasks":99999999}`,
		`"StageSubmitted","Stage Info":{"Stage ID":123456789012,"Number of Tasks":4}`,
		`"StageCompleted","Stage Info":{"Stage ID":0,"Stage Attempt ID":99999,"Number of Tasks":4}`,
		`"StageCompleted","Stage Info":{"Stage ID":-3,"Number of Tasks":4}`, `"StageSubmitted","Stage Info":[]`,
		`"JobStart"`, `"JobStart","Job ID":7`, `"JobStart","Job ID":0,"Stage Infos":[{}]`, `"JobStart","Stage Infos":[]`,
		`"JobEnd"`, `"JobEnd","Job ID":0`, `"JobEnd","Job ID":0,"Job Result":{}`,
		`"TaskStart"`, `"TaskStart","Stage ID":0,"Task Info":{}`, `"TaskStart","Stage ID":0,"Task Info":{"Task ID":3}`,
		`"TaskEnd","Stage ID":0`, `"TaskEnd","Stage ID":0,"Task Info":null`, `"TaskEnd","Stage ID":0,"Task Info":{"Task ID":3}`,
		`"TaskEnd","Stage ID":0,"Task Info":{"Task ID":3,"Index":3,"Launch Time":1760000001100,"Executor ID":"1"}`,
		`"TaskStart","Stage ID":0,"Stage Attempt ID":-7,"Task Info":{"Task ID":3,"Index":3,"Launch Time":1760000001100,"Executor ID":"1"}`,
		`"ExecutorAdded"`, `"ExecutorAdded","Timestamp":1760000000500,"Executor ID":"1"`,
		`"ExecutorAdded","Executor ID":"1","Executor Info":{"Total Cores":99999999999}`, `"ExecutorRemoved"`,
	} {
		log := usualLog()
		line := `{"Event":"SparkListener` + strings.Replace(broken, `"`, "", 1) + "}"
		for _, n := range []int{5, 20, 45} {
			p := play(t, slices.Insert(slices.Clone(log), n, line))
			p.whole(t, line)
			p.warns(t, line, "left out of the event log: 1 line that no event can be read from")
		}
	}
	for _, strange := range []string{
		`"StageSubmitted","Stage Info":{"Stage ID":999999999,"Number of Tasks":4}`,
		`"TaskEnd","Stage ID":999999999,"Task End Reason":{"Reason":"Success"},"Task Info":{"Task ID":900,"Launch Time":1760000001100,"Executor ID":"1","Finish Time":1760000002100}`,
		`"JobEnd","Job ID":999999999,"Completion Time":1760000002100,"Job Result":{"Result":"JobFailed"}`,
		`"SQLExecutionStart","executionId":7`,
	} {
		line := `{"Event":"SparkListener` + strings.Replace(strange, `"`, "", 1) + "}"
		p := play(t, slices.Insert(usualLog(), 20, line))
		p.whole(t, line)
	}
}

var timeFields = regexp.MustCompile(`("(?:Timestamp|Submission Time|Completion Time|Launch Time|Finish Time)":)(\d{13})`)

// stepped returns a line with all its times moved by some milliseconds.
func stepped(line string, by int) string {
	return timeFields.ReplaceAllStringFunc(line, func(s string) string {
		var at int
		m := timeFields.FindStringSubmatch(s)
		_, _ = fmt.Sscan(m[2], &at)
		return fmt.Sprint(m[1], at+by)
	})
}

// TestLogClock checks the length of a run whose clock is set, and what the warning names.
func TestLogClock(t *testing.T) {
	t.Parallel()
	hour := 3_600_000
	end := len(usualLog())
	for name, c := range map[string]struct {
		from, to, by int
		warns        string
	}{
		"an executor an hour ahead":         {3, 4, hour, "line 4 is 1h ahead"},
		"a task's end two months ahead":     {20, 21, 1440 * hour, "line 21 is 60d ahead"},
		"the job's start an hour behind":    {4, 5, -hour, "line 5 is 1h"},
		"an hour forward for good":          {30, end, hour, "line 31 is 1h ahead; ParaTimer moved 29 events"},
		"an hour back for good":             {30, end, -hour, "1h"},
		"an hour ahead until near the end":  {6, end - 3, hour, "1h ahead"},
		"the first event a day ahead":       {2, 3, 24 * hour, "line 3 is "},
		"the application's end a day early": {end - 1, end, -24 * hour, "behind"},
	} {
		log := usualLog()
		for i := c.from; i < c.to; i++ {
			log[i] = stepped(log[i], c.by)
		}
		p := play(t, log)
		p.whole(t, name)
		p.warns(t, name, "the clock of the event log steps: ")
		p.warns(t, name, c.warns)
	}
	// One executor's tasks have another clock.
	log := usualLog()
	for i, n := range in(log, "TaskEnd") {
		if i%2 == 0 {
			log[n] = stepped(log[n], -hour)
		}
	}
	p := play(t, log)
	p.whole(t, "half of the tasks' ends an hour behind")
}

// TestAnyStep checks that a run stays as long as it is, whichever event's clock is wrong.
func TestAnyStep(t *testing.T) {
	t.Parallel()
	log := usualLog()
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(0, len(log)-2).Draw(r, "line")
		by := rapid.IntRange(1, 1<<33).Draw(r, "by")
		if rapid.Bool().Draw(r, "behind") {
			by = -by
		}
		damaged := slices.Clone(log)
		damaged[n] = stepped(damaged[n], by)
		p := play(t, damaged)
		if p.state != dag.Succeeded || p.took < 55200*time.Millisecond || p.took > 58240*time.Millisecond ||
			p.succeeded != 24 || p.killed > 0 {
			r.Fatalf("line %d by %d ms: %+v", n+1, by, p)
		}
	})
}

// TestCancelledByShutdown checks that what follows the application's end in the log is why it failed.
func TestCancelledByShutdown(t *testing.T) {
	t.Parallel()
	log := usualLog()
	n := in(log, "TaskEnd")[16] // four tasks of the second stage run
	for _, jobEnds := range []bool{true, false} {
		cut := slices.Concat(log[:n], []string{
			`{"Event":"SparkListenerApplicationEnd","Timestamp":1760000044000}`,
			`{"Event":"SparkListenerStageCompleted","Stage Info":{"Stage ID":1,"Stage Attempt ID":0,"Number of Tasks":8,"Completion Time":1760000044100,"Failure Reason":"Stage cancelled because SparkContext was shut down"}}`,
		})
		if jobEnds {
			cut = append(cut, `{"Event":"SparkListenerJobEnd","Job ID":0,"Completion Time":1760000044178,"Job Result":{"Result":"JobFailed","Exception":{"Message":"Job 0 cancelled because SparkContext was shut down"}}}`)
		}
		p := play(t, cut)
		if jobEnds && (p.state != dag.Failed || p.took != 43178*time.Millisecond || p.killed != 4 ||
			len(p.warnings) > 0 || p.reason != "Job 0 cancelled because SparkContext was shut down") {
			t.Errorf("%+v", p)
		}
		if !jobEnds {
			if p.state != dag.EndedUnconfirmed {
				t.Errorf("without the job's end: %+v", p)
			}
			p.warns(t, "without the job's end", "its event log has no end of that job")
		}
	}
}

// TestNoExecutorAdded checks that executors have as many cores as had a task at once if the log does not show it.
func TestNoExecutorAdded(t *testing.T) {
	t.Parallel()
	log := usualLog()
	p := play(t, without(log, in(log, "ExecutorAdded")...))
	if p.whole(t, "no executor"); p.cores != 4 || p.top != 4 {
		t.Errorf("%d cores, %d tasks at once", p.cores, p.top)
	}
}

// TestDoubledEvents checks that events, or a piece of a log, count once if they are there twice.
func TestDoubledEvents(t *testing.T) {
	t.Parallel()
	log := usualLog()
	for name, twice := range map[string][]string{
		"the whole log":  slices.Concat(log[:len(log)-1], log),
		"its first half": slices.Concat(log[:30], log),
		"a piece":        slices.Concat(log[:40], log[20:]),
		"its last piece": slices.Concat(log, log[40:]),
	} {
		p := play(t, twice)
		p.whole(t, name)
		p.warns(t, name, "events that it has twice")
	}
	for n := range log {
		p := play(t, slices.Concat(log[:n+1], log[n:]))
		p.whole(t, fmt.Sprintf("line %d twice", n+1))
	}
}
