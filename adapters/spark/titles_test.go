package spark

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// planText is a plan in Spark's mode "formatted", shortened: a join of two tables. The second one is read twice.
const planText = `== Physical Plan ==
AdaptiveSparkPlan (30)
+- == Final Plan ==
   Execute InsertIntoHadoopFsRelationCommand (14)
   +- WriteFiles (13)
      +- * HashAggregate (12)
         +- * SortMergeJoin Inner (11)
            :- * Sort (5)
            :  +- ShuffleQueryStage (4), Statistics(sizeInBytes=336.3 KiB, rowCount=7.17E+3)
            :     +- Exchange (3)
            :        +- * Project (2)
            :           +- Scan csv  (1)
            +- * Sort (10)
               +- ReusedExchange (9)
+- == Initial Plan ==
   Execute InsertIntoHadoopFsRelationCommand (25)
   +- Scan csv  (1)


(1) Scan csv 
Output [3]: [cust#7, qty#8L, item#9]
Location: InMemoryFileIndex [file:/lab/data/d3/orders, ... 2 entries]

(2) Project [codegen id : 1]
Output [1]: [qty#8L]

(3) Exchange
Arguments: hashpartitioning(cust#7, 20)

(5) Sort [codegen id : 4]

(6) Scan parquet spark_catalog.shop.customers
Batched: true

(8) Exchange

(9) ReusedExchange [Reuses operator id: 6]

(10) Sort [codegen id : 5]

(11) SortMergeJoin [codegen id : 6]
Left keys [1]: [cust#7]

(12) HashAggregate [codegen id : 6]
`

// TestDescribe checks the titles of stages with these scopes.
func TestDescribe(t *testing.T) {
	t.Parallel()
	plan := parsePlan(planText)
	for scopes, want := range map[string]string{
		"Scan csv/WholeStageCodegen (1)/Exchange":                                               "Scan (orders)",
		"Exchange/WholeStageCodegen (4)/WholeStageCodegen (5)/WholeStageCodegen (6)/WriteFiles": "SortMergeJoin + Aggregate + Write (orders ⋈ customers)",
		"WholeStageCodegen (4)":           "Sort",
		"Exchange":                        "Exchange",
		"WholeStageCodegen (9)":           "",
		"textFile/map":                    "",
		"BatchEvalPython/Window/Sort":     "Python + Window",
		"Generate/Expand/Union/Range":     "Generate + Expand + Union + …",
		"WholeStageCodegen (99999999999)": "",
	} {
		if got := plan.describe(strings.Split(scopes, "/")); got != want {
			t.Errorf("%s: %q, want %q", scopes, got, want)
		}
	}
	if got := queryPlan(nil).describe([]string{"Scan csv", "WholeStageCodegen (1)"}); got != "Scan" {
		t.Errorf("without a plan: %q", got)
	}
}

// TestScope checks that the operators of a cached plan are not those of the plan with the same numbers.
func TestScope(t *testing.T) {
	t.Parallel()
	s := &stage{}
	s.scope(map[int]string{
		1: "Scan csv ", 2: "WholeStageCodegen (1)", 3: "InMemoryTableScan", 4: "WholeStageCodegen (1)", 5: "Exchange",
	})
	want := "Scan csv, InMemoryTableScan, WholeStageCodegen (1), Exchange"
	if got := strings.Join(s.scopes, ", "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestTitles checks titles of stages: of a logged application of SQL, and of call sites.
func TestTitles(t *testing.T) {
	t.Parallel()
	log, err := openLog("testdata/aqe-3.eventlog.gz")
	if err != nil {
		t.Fatal(err)
	}
	snap, ok := log.Reader("").At(log.Last)
	if !ok {
		t.Fatal("no job")
	}
	want := []string{
		"Stage 0 · Scan (orders)", "Stage 1 · Scan (customers)", "Stage 2 · Scan (items)",
		"Stage 5 · SortMergeJoin (orders ⋈ customers)", "Stage 10 · SortMergeJoin + Aggregate (orders ⋈ customers ⋈ items)",
		"Stage 16 · Aggregate", "Stage 22 · Aggregate", "Stage 29 · Sort + Write",
	}
	for k := range snap.Plan.Jobs[0].Stages {
		if got := snap.Plan.StageName(0, snap.Plan.Jobs[0].NumStages()-1); k == 0 && got != want[len(want)-1] {
			t.Errorf("the last stage is %q", got)
		}
		if s := &snap.Plan.Jobs[0].Stages[k]; k < len(want) && s.Title != want[k] || !strings.HasPrefix(s.Name, "csv at ") {
			t.Errorf("stage %d is %q, its name %q", k, s.Title, s.Name)
		}
	}
	f := NewApp("").facts
	for name, want := range map[string]string{
		"reduceByKey at /home/me/app.py:14":                         "Stage 3 · reduceByKey at app.py:14",
		"parquet at NativeMethodAccessorImpl.java:0":                "Stage 3 · nightly sales",
		"$anonfun$withThreadLocalCaptured$1 at FutureTask.java:264": "Stage 3 · nightly sales",
		"":                       "Stage 3",
		strings.Repeat("ü", 200): "Stage 3 · " + strings.Repeat("ü", mostTitle-11) + "…",
	} {
		s := &stage{id: 3, name: name, jobs: []*job{{description: "nightly sales"}}}
		if got := f.titleOf(s); got != want || utf8.RuneCountInString(got) > mostTitle {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestParsePlanBounds checks that texts that are no plan, and plans that are too large, give little.
func TestParsePlanBounds(t *testing.T) {
	t.Parallel()
	if p := parsePlan(strings.Repeat("(1) Scan csv\n", mostPlanText)); p != nil {
		t.Errorf("%d operators of a text that is too long", len(p))
	}
	var b strings.Builder
	for i := range 2 * mostOperators {
		b.WriteString(strings.Repeat(" ", i%60) + "+- Project (" + strings.Repeat("9", i%7) + ")\n")
	}
	b.WriteString("(1) ReusedExchange [Reuses operator id: 2]\n(2) ReusedExchange [Reuses operator id: 1]\n(3) BroadcastHashJoin [codegen id : 1]\n")
	p := parsePlan(b.String())
	if len(p) > mostOperators {
		t.Errorf("%d operators", len(p))
	}
	for _, o := range p {
		_ = p.tables(o.number, 0)
	}
}
