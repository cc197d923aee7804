package spark

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// formatted is a plan of Spark 3.5 in its usual mode: a join of which one side is done, the other runs, and a sort.
const formatted = `== Physical Plan ==
AdaptiveSparkPlan (17)
+- == Current Plan ==
   Execute InsertIntoHadoopFsRelationCommand (16)
   +- WriteFiles (15)
      +- Sort (14)
         +- Exchange (13)
            +- HashAggregate (12)
               +- Project (11)
                  +- * SortMergeJoin Inner (10)
                     :- * Sort (5)
                     :  +- AQEShuffleRead (4)
                     :     +- ShuffleQueryStage (3), Statistics(sizeInBytes=336.3 KiB, rowCount=7.17E+3)
                     :        +- Exchange (2)
                     :           +- Scan csv  (1)
                     +- Sort (9)
                        +- ShuffleQueryStage (8)
                           +- Exchange (7)
                              +- Scan csv  (6)
+- == Initial Plan ==
   Sort (19)
   +- Exchange (18)


(2) Exchange
Input [1]: [cust#7]
Arguments: hashpartitioning(coalesce(cust#7, 0), 20), ENSURE_REQUIREMENTS, [plan_id=149]

(7) Exchange
Input [1]: [cust#31]
Arguments: hashpartitioning(cust#31, 20), ENSURE_REQUIREMENTS, [plan_id=164]

(13) Exchange
Input [2]: [city#17, total#34]
Arguments: rangepartitioning(total#34 DESC NULLS LAST, 10), ENSURE_REQUIREMENTS, [plan_id=177]

`

// simple is a plan in the mode "simple", without adaptive execution: it broadcasts, and counts at the end.
const simple = `== Physical Plan ==
*(3) HashAggregate(keys=[], functions=[count(1)])
+- Exchange SinglePartition, ENSURE_REQUIREMENTS, [plan_id=80]
   +- *(2) HashAggregate(keys=[], functions=[partial_count(1)])
      +- *(2) BroadcastHashJoin [a#1], [b#2], Inner, BuildRight, false
         :- *(2) Range (0, 100, step=1, splits=4)
         +- BroadcastExchange HashedRelationBroadcastMode(List(input[0, bigint, false]),false), [plan_id=75]
            +- *(1) Range (0, 10, step=1, splits=4)
`

// TestPlanOfText checks which stages a text tells, and which of them nobody has submitted after so many jobs.
func TestPlanOfText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		jobs  int
		names string
		tasks []int // at most
		left  []int // jobs to come
	}{
		{
			formatted, 2, "Scan, Scan, Sort SortMergeJoin HashAggregate, Sort",
			[]int{0, 0, 20, 10},
			[]int{0, 0, 2, 1},
		},
		// The job of the second scan is not there yet.
		{formatted, 1, "Scan, Scan, Sort SortMergeJoin HashAggregate, Sort", []int{0, 0, 20, 10}, []int{0, 1, 2, 1}},
		// The text is older than the job which samples.
		{formatted, 3, "Scan, Scan, Sort SortMergeJoin HashAggregate, Sort", []int{0, 0, 20, 10}, []int{0, 0, 1, 1}},
		{simple, 0, "Range, Range BroadcastHashJoin HashAggregate, HashAggregate", []int{0, 0, 1}, []int{1, 1, 1}},
		{simple, 1, "Range, Range BroadcastHashJoin HashAggregate, HashAggregate", []int{0, 0, 1}, []int{0, 1, 1}},
		{simple, 2, "Range, Range BroadcastHashJoin HashAggregate, HashAggregate", []int{0, 0, 1}, []int{0, 0, 0}},
	} {
		p := parsePlan(c.text)
		if p == nil {
			t.Fatal("no plan")
		}
		var names []string
		var tasks []int
		for i := range p.exchanges {
			names, tasks = append(names, p.exchanges[i].name), append(tasks, p.tasks(i))
		}
		left, _ := p.left(make([]int, c.jobs))
		if strings.Join(names, ", ") != c.names || !slices.Equal(tasks, c.tasks) || !slices.Equal(left, c.left) {
			t.Errorf("after %d jobs: %q, %v tasks at most, %v jobs to come", c.jobs, names, tasks, left)
		}
	}
	long := strings.Repeat(" +- Sort\n", mostPlanNodes+1)
	for _, text := range []string{"", "== Physical Plan ==\n", "Sort\nSort\n", long} {
		if parsePlan(text) != nil {
			t.Errorf("%.20q is a plan", text)
		}
	}
}

// TestComingOfLog holds that an execution of adaptive execution always has the stages that it has in the end: those
// that were submitted and those to come. Nobody else adds any.
func TestComingOfLog(t *testing.T) {
	t.Parallel()
	l, err := openLog(filepath.Join("testdata", "aqe-3.eventlog.gz"))
	if err != nil {
		t.Fatal(err)
	}
	unit := l.Reader("/sql/3")
	whole := l.Reader("")
	foreseen := 0
	for n, e := range l.events {
		e.kind.apply(unit.app, &e)
		e.kind.apply(whole.app, &e)
		s, ok := unit.app.Snapshot(e.at, false)
		if !ok || s.State.Ended() {
			continue
		}
		stages := s.Plan.Jobs[0].Stages
		if len(stages) != 8 {
			t.Fatalf("event %d, %s: %d stages", n, e.kind.name, len(stages))
		}
		names := map[string]bool{}
		for k := range stages {
			if names[stages[k].Name] {
				t.Fatalf("event %d: two are named %s", n, stages[k].Name)
			}
			names[stages[k].Name] = true
			if stages[k].Foreseen {
				foreseen++
			}
			for _, edge := range stages[k].After {
				if int(edge.From) >= k {
					t.Fatalf("event %d: %s reads a stage that comes after it", n, stages[k].Name)
				}
			}
		}
		unknown := func(s dag.Stage) bool { return s.Foreseen && !s.Known }
		commits := len(unit.app.running()) == 0 &&
			!slices.ContainsFunc(stages, func(s dag.Stage) bool { return s.Foreseen })
		if open := commits || slices.ContainsFunc(stages, unknown); s.Plan.Open != open {
			t.Fatalf("event %d: open is %v", n, s.Plan.Open)
		}
		if w, _ := whole.app.Snapshot(e.at, false); !w.Plan.Open || len(w.Plan.Jobs[0].Stages) != 8 {
			t.Fatalf("event %d: of the application %d stages, open %v", n, len(w.Plan.Jobs[0].Stages), w.Plan.Open)
		}
	}
	if foreseen == 0 {
		t.Error("no stage was foreseen")
	}
	s, _ := unit.app.Snapshot(l.Last, false)
	if s.State != dag.Succeeded || len(s.Plan.Jobs[0].Stages) != 8 {
		t.Errorf("in the end %v, %d stages", s.State, len(s.Plan.Jobs[0].Stages))
	}
}

func FuzzPlanText(f *testing.F) {
	f.Add(formatted, 2)
	f.Add(simple, 1)
	f.Fuzz(func(t *testing.T, text string, jobs int) {
		p := parsePlan(text)
		if p == nil {
			return
		}
		last := len(p.exchanges) - 1
		for i := range p.exchanges {
			for _, k := range p.exchanges[i].reads {
				if k >= i {
					t.Fatalf("%d reads %d", i, k)
				}
			}
		}
		jobs = min(max(jobs, 0), 100)
		ids := make([]int, jobs)
		left, of := p.left(ids)
		for i, n := range left {
			if _, known := of[i]; n < 0 || n > 2 || n > 0 && known || i > last {
				t.Fatalf("%d jobs to come of %d, %v", n, i, of)
			}
		}
	})
}

// TestPlanOfLog holds that an execution has the newest plan that its log tells while it runs.
func TestPlanOfLog(t *testing.T) {
	t.Parallel()
	a := NewApp("")
	const pkg = "org.apache.spark.sql.execution.ui.SparkListenerSQL"
	for _, c := range []struct {
		line string
		want int // stages; -1: no plan
	}{
		{`{"Event":"` + pkg + `ExecutionStart","executionId":1,"time":1,"physicalPlanDescription":"Sort\n+- Exchange\n"}`, 2},
		{`{"Event":"` + pkg + `AdaptiveExecutionUpdate","executionId":1,"physicalPlanDescription":"Sort\n"}`, 1},
		{`{"Event":"` + pkg + `ExecutionEnd","executionId":1,"time":2}`, -1},
		{`{"Event":"` + pkg + `AdaptiveExecutionUpdate","executionId":1,"physicalPlanDescription":"Sort\n"}`, -1},
	} {
		kind, w, ok := parseEvent([]byte(c.line))
		if !ok || kind == nil {
			t.Fatalf("%s is no event", c.line)
		}
		e := w.event(kind, 1)
		kind.apply(a, &e)
		got := -1
		if p := a.executions[1].plan; p != nil {
			got = len(p.exchanges)
		}
		if got != c.want || e.more.PlanText != "" {
			t.Errorf("after %s: %d stages, want %d", c.line, got, c.want)
		}
	}
}
