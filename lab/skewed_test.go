package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/tap"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/nearestfit"
	"github.com/paratimer/paratimer/sketch"
)

// newTestLab returns a lab with some of its tables' rows: those with a text.
func newTestLab(t *testing.T, largest float64, seeds int, graphs, keep string) *lab {
	t.Helper()
	l, err := newLab(largest, seeds, graphs)
	if err != nil {
		t.Fatal(err)
	}
	for name, table := range l.tables {
		var rows [][]string
		for _, row := range table.Rows {
			if strings.Contains(row[0], keep) {
				rows = append(rows, row)
			}
		}
		table.Rows = rows
		l.tables[name] = table
	}
	return l
}

// TestCommittedRows: the committed document has what the program measures.
func TestCommittedRows(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "evidence", "nearestfit.md"))
	if err != nil {
		t.Fatal(err)
	}
	l := newTestLab(t, 10_000, 5, "", " 1.8 ") // few groups
	l.add(l.tables["fig6"])
	if err := l.measure(); err != nil {
		t.Fatal(err)
	}
	rows := l.Table("fig6")
	if strings.Count(rows, "\n") != 4 {
		t.Fatal(rows)
	}
	_, rows, _ = strings.Cut(rows, "---|\n")
	for row := range strings.Lines(rows) {
		if !strings.Contains(string(text), "\n"+row) {
			t.Errorf("docs/evidence/nearestfit.md has not this line: make nearestfit\n%s", row)
		}
	}
	for _, words := range strings.Split(nearestFitText, "\n{{") {
		_, words, _ = strings.Cut(words, "}}")
		if !strings.Contains(words, "{{") && !strings.Contains(string(text), strings.TrimSpace(words)) {
			t.Errorf("docs/evidence/nearestfit.md differs from nearestfit.tmpl: run make nearestfit\n%s", words)
		}
	}
	if !strings.Contains(string(text), strings.TrimSpace(live)) || !strings.Contains(string(text), benchmarks) {
		t.Error("docs/evidence/nearestfit.md has not what live.md and table3.md say: make nearestfit")
	}
}

// TestWrite: a small document has every table, the same each time, and no entry that is not a number.
func TestWrite(t *testing.T) {
	graphs := t.TempDir()
	for _, name := range []string{"ca-GrQc-und", "facebook-und", "gowalla-subset-und", "wiki-Vote-in"} {
		if err := os.WriteFile(filepath.Join(graphs, name+".degcount.txt"), []byte("1 20\n7 5\n30 2\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var documents [2]bytes.Buffer
	for i := range documents {
		l := newTestLab(t, 200, 1, graphs, "")
		for _, table := range l.tables {
			l.add(table)
		}
		if err := l.measure(); err != nil {
			t.Fatal(err)
		}
		if err := Write(&documents[i], nearestFitText, l); err != nil {
			t.Fatal(err)
		}
	}
	if documents[0].String() != documents[1].String() {
		t.Error("two documents of the same seeds differ")
	}
	for _, bad := range []string{"NaN", "Inf", "%!", "nil"} {
		if strings.Contains(documents[0].String(), bad) {
			t.Errorf("the document has %q", bad)
		}
	}
	for _, bad := range []string{"0 3\n", "2 -1\n", "x 1\n", "1 99999999\n"} {
		file := filepath.Join(graphs, "bad.degcount.txt")
		if err := os.WriteFile(file, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := degrees(file); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestLabIsChecked(t *testing.T) {
	for _, c := range []struct {
		largest float64
		seeds   int
	}{{10_000, 0}, {0, 5}, {math.NaN(), 5}, {1e9, 1}} {
		if _, err := newLab(c.largest, c.seeds, ""); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
}

// TestScore: equation 2 in points, the mean of the seeds' means, and the worst of all.
func TestScore(t *testing.T) {
	var a, b, all gridScore
	a.add(.1)
	a.add(.3)
	a.add(math.NaN())
	b.add(.1)
	all.merge(&a, 2)
	all.merge(&b, 2)
	if got := all.String(); got != "15.00 / 30.0 (none: 1)" {
		t.Errorf("got %s, want 15, 30 and 1", got)
	}
	all.merge(&gridScore{}, 2)
	if got := all.String(); got != "none" {
		t.Errorf("a run without a prediction is %q", got)
	}
}

// TestForeseen: without noise an estimate from the curve is exact.
func TestForeseen(t *testing.T) {
	l := newTestLab(t, 200, 1, "", "")
	r, err := l.play("n² 1.4 4 2", true, 1)
	if err != nil {
		t.Fatal(err)
	}
	if s := l.watch(r, []string{"curve known"})["curve known"]; s.ticks == 0 || s.none > 0 || s.most > 1e-8 {
		t.Errorf("got %+v", s)
	}
}

// TestEnds: a task goes on on its slot, the next ones start on the slot that is free first. Without the work of one
// task there is no end.
func TestEnds(t *testing.T) {
	w := &watcher{jobRun: &jobRun{slots: 2, start: []float64{0, 0, 5, 9, 9}, stop: []float64{5, 9, 9, 12, 13}}}
	w.job = nearestfit.New(make([]nearestfit.Task, 5), nearestfit.Default())
	w.job.Start(1, 0)
	w.job.Start(2, 5)
	w.prediction = w.job.Predict()
	left := []float64{0, 10, 3, 4, 1}
	of := func(_ *watcher, task int) float64 { return left[task] }
	if end := w.ends(of, 6); end != 12 { // the tasks end at 5, 10, 8, 12 and 11
		t.Errorf("the end is %v, want 12", end)
	}
	for task := 1; task < len(left); task++ {
		known := left[task]
		left[task] = math.NaN()
		if end := w.ends(of, 6); !math.IsNaN(end) {
			t.Errorf("task %d is unknown, and the end is %v", task, end)
		}
		left[task] = known
	}
}

// TestReduceInputs: all keys known leave nothing implicit, few keys much; bytes are always the task's.
func TestReduceInputs(t *testing.T) {
	l := newTestLab(t, 200, 1, "", "")
	r, err := l.play("n² 1.2 3 3", false, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []form{{}, streaming(), {Lambda: 10, Entries: 20}, {Lambda: 10, Entries: 20, Counts: true}} {
		for i, task := range f.tasks(r.work) {
			known := bytesOf(task.Explicit)
			if task.Bytes != r.bytes[i] || known+task.Implicit < task.Bytes-1e-6 ||
				f.Lambda == 0 && known != task.Bytes {
				t.Errorf("%+v: task %d of %v bytes has %v, %v explicit and %v implicit", f, i, r.bytes[i], task.Bytes,
					known, task.Implicit)
			}
		}
	}
}

// TestSent: what the page has of the bytes of the profiles that maps send (section 8.4).
func TestSent(t *testing.T) {
	l := newTestLab(t, 10_000, 1, "", "")
	r, err := l.play("n² 1.2 8 8", false, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range l.tables["lambda"].Rows {
		f := l.forms[row[0]]
		sent, err := f.sent(r.work)
		if err != nil {
			t.Fatal(err)
		}
		shuffle, known := 0.0, 0.0
		for i, task := range f.tasks(r.work) {
			shuffle, known = shuffle+r.bytes[i], known+bytesOf(task.Explicit)
		}
		want := []string{
			row[0], fmt.Sprintf("%.0f%%", 100*known/shuffle),
			fmt.Sprintf("%.1f kB, %.0f%% of its output", sent/1000, 100*sent*mapTasks/shuffle),
			fmt.Sprintf("%.3f%%", 100*sent/128e6),
		}
		if !slices.Equal(row, want) {
			t.Errorf("tables.json has %q, want %q", row, want)
		}
	}
}

// sent returns the bytes of a map's profile in the tap's format, with its largest keys, in the mean over the maps.
func (f *form) sent(w *work) (float64, error) {
	sum := 0.0
	for m, parts := range w.maps {
		top := tap.MapProfile{Reduces: len(w.order), Bytes: make([]float64, len(w.order)), Lambda: f.Lambda}
		parts = slices.Clone(parts)
		slices.SortStableFunc(parts, func(a, b part) int { return int(b.bytes - a.bytes) })
		for i, p := range parts {
			task := w.groups[p.key].task
			top.Bytes[task] += p.bytes
			top.Records += p.bytes / valueBytes
			if i < f.Lambda {
				name := sketch.HashedName(fmt.Append(nil, p.key))
				top.Top = append(top.Top, tap.Key{Name: name, Reduce: task, Bytes: p.bytes})
			}
		}
		top.Complete = len(top.Top) == len(parts)
		text, err := (&tap.Batch{
			Version: tap.Version, Job: "job_1700000000000_0001", Final: true, Map: &top,
			Attempt: fmt.Sprintf("attempt_1700000000000_0001_m_%06d_0", m),
		}).Encode()
		if err != nil {
			return 0, err
		}
		sum += float64(len(text)) / float64(len(w.maps))
	}
	return sum, nil
}

// TestLevels: facts/nearestfit.md B, n = 10,000 and sigma = 2: 10000, two of 5000 … 8192 of 1.
func TestLevels(t *testing.T) {
	got := map[float64]int{}
	for _, v := range levels(10_000, 2) {
		got[v]++
	}
	want := map[float64]int{
		10000: 1, 5000: 2, 2500: 4, 1250: 8, 625: 16, 313: 32, 156: 64, 78: 128, 39: 256, 20: 512, 10: 1024, 5: 2048,
		2: 4096, 1: 8192,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestWorkIsConserved: maps write what groups have, tasks take each group once, a task takes its mean time, and the
// points are all groups, their bytes and their time. The same seed makes the same work.
func TestWorkIsConserved(t *testing.T) {
	l := newTestLab(t, 500, 1, "", "")
	r, err := l.play("n² 1.3 3 2", false, 1)
	if err != nil {
		t.Fatal(err)
	}
	byKey, taken := make([]float64, len(r.groups)), make([]int, len(r.groups))
	for _, parts := range r.maps {
		for _, p := range parts {
			byKey[p.key] += p.bytes
		}
	}
	seconds, all := 0.0, 0.0
	for i, g := range r.groups {
		if g.bytes != byKey[i] {
			t.Errorf("key %d: groups have %v bytes, maps wrote %v", i, g.bytes, byKey[i])
		}
		seconds, all = seconds+g.seconds, all+g.bytes
	}
	for task, order := range r.order {
		for _, key := range order {
			taken[key]++
			if r.groups[key].task != task {
				t.Errorf("task %d takes key %d of task %d", task, key, r.groups[key].task)
			}
		}
	}
	for key, n := range taken {
		if n != 1 {
			t.Errorf("key %d is taken %d times", key, n)
		}
	}
	count, reported, bytes := 0.0, 0.0, 0.0
	for i, p := range r.seen {
		count, reported, bytes = count+p.count, reported+p.count*p.seconds, bytes+p.count*p.bytes
		if i > 0 && p.at < r.seen[i-1].at {
			t.Fatalf("point %d goes back in time", i)
		}
	}
	if math.Abs(seconds-3*meanSeconds) > 1e-6 || math.Abs(reported-seconds) > 1e-6 {
		t.Errorf("three tasks take %v s, and %v as reported", seconds, reported)
	}
	if count != float64(len(r.groups)) || math.Abs(bytes-all) > 1e-9*all {
		t.Errorf("%v groups of %v bytes are reported of %d of %v", count, bytes, len(r.groups), all)
	}
	again, _ := l.play("n² 1.3 3 2", false, 1)
	other, _ := l.play("n² 1.3 3 2", false, 2)
	if !reflect.DeepEqual(r, again) || reflect.DeepEqual(r.order, other.order) {
		t.Error("the seed does not decide the work")
	}
}

// TestHashIsFair: each of 8 tasks gets about an eighth of 8,000 keys, with the differences that chance makes.
func TestHashIsFair(t *testing.T) {
	count := make([]int, 8)
	for key := range 8000 {
		count[taskOf(3, key, 8)]++
	}
	chi := 0.0
	for i, n := range count {
		if n < 880 || n > 1120 {
			t.Errorf("task %d has %d keys of 8000", i, n)
		}
		chi += float64((n-1000)*(n-1000)) / 1000
	}
	if chi < 1 || chi > 25 { // of 7 degrees of freedom: one time in 200 or less
		t.Errorf("keys go to tasks as %v: not by chance", count)
	}
}

// TestDeal: all records are dealt, evenly, also if drawn from the normal distribution.
func TestDeal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	count := make([]int, 20)
	for _, n := range []int{0, 1, 19, 20_000, 20_100, 1_000_000} {
		deal(rng, n, count)
		sum := 0
		for _, c := range count {
			sum += c
			if mean := float64(n) / 20; math.Abs(float64(c)-mean) > 6*math.Sqrt(mean)+1 {
				t.Errorf("%d values: a map has %d", n, c)
			}
		}
		if sum != n {
			t.Errorf("%d values dealt of %d", sum, n)
		}
	}
}

func bytesOf(sizes []dag.GroupSize) float64 {
	sum := 0.0
	for _, s := range sizes {
		sum += s.Bytes * s.Count
	}
	return sum
}

// workOf returns the work of groups, in the order of each task.
func workOf(tasks int, groups ...group) *work {
	w := &work{groups: groups, order: make([][]int, tasks), bytes: make([]float64, tasks)}
	for key, g := range groups {
		w.order[g.task] = append(w.order[g.task], key)
		w.bytes[g.task] += g.bytes
	}
	return w
}

// TestPlayKeepsSlotsBusy: with two slots a third task begins when the first one stops.
func TestPlayKeepsSlotsBusy(t *testing.T) {
	r := playWork(workOf(4, group{0, 100, 5, 5}, group{1, 100, 9, 9}, group{2, 100, 2, 2}, group{3, 100, 3, 3}), 2)
	if want := []float64{0, 0, 5, 7}; !reflect.DeepEqual(r.start, want) {
		t.Errorf("start at %v, want %v", r.start, want)
	}
	if r.end != 10 {
		t.Errorf("over at %v, want 10", r.end)
	}
}

// TestBursts: facts/nearestfit.md N11.
func TestBursts(t *testing.T) {
	var groups []group
	take := func(n int, bytes, seconds float64) {
		for range n {
			groups = append(groups, group{bytes: bytes, seconds: seconds})
		}
	}
	take(101, 10, 1) // one more than may be pending
	take(2, 20, 5)   // flushed by the one that is alone
	take(1, 50, 8)
	take(1, 60, 7)
	want := []point{{101, 0, 10, 1, 101}, {119, 0, 20, 4, 2}, {119, 0, 50, 10, 1}, {126, 0, 60, 7, 1}}
	if got := playWork(workOf(1, groups...), 1).seen; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// TestHadoopProgress: facts/nearestfit.md N15. Two tasks on one slot; the running group counts by its time.
func TestHadoopProgress(t *testing.T) {
	r := playWork(workOf(2, group{0, 100, 10, 10}, group{0, 300, 10, 10}, group{1, 100, 5, 5}), 1)
	for _, c := range []struct{ at, want float64 }{
		{0, 0},
		{5, .0625},
		{10, .125},
		{15, .3125},
		{20, .5},
		{22.5, .75},
		{25, 1},
	} {
		if got := r.hadoop(c.at); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("at %v: %v, want %v", c.at, got, c.want)
		}
	}
}

func TestKinds(t *testing.T) {
	sizes := levels(50, 1.5)
	for _, kind := range []string{"linear", "n²", "n⁴", "join", "blocks"} {
		values, costs := costsOf(kind, sizes, rand.New(rand.NewPCG(1, 1)))
		if len(values) != len(costs) || len(values) == 0 {
			t.Fatalf("%s: %d sizes, %d costs", kind, len(values), len(costs))
		}
		for i, v := range values {
			if v < 1 || v != math.Trunc(v) || costs[i] <= 0 {
				t.Errorf("%s: group %d has %v values and costs %v", kind, i, v, costs[i])
			}
		}
	}
}
