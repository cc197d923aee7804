package nearestfit

import (
	"flag"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/sketch"
)

// The drawn cases are the same in every run; -rapid.seed=0 draws others.
func init() { _ = flag.Set("rapid.seed", "20261121") }

// TestAgainstNaive compares drawn jobs with the definition, after each few records.
func TestAgainstNaive(t *testing.T) {
	rules := map[Rule]int{}
	rapid.Check(t, func(t *rapid.T) { againstNaive(t, rules) })
	for rule := NoRule; rule <= Fallback; rule++ {
		if rules[rule] == 0 {
			t.Errorf("rule %v was never used: nothing is compared", rule)
		}
	}
}

func againstNaive(t *rapid.T, rules map[Rule]int) {
	p := Params{
		DeltaBytes:    rapid.SampledFrom([]float64{0, 5, 30}).Draw(t, "delta"),
		MatchRatio:    rapid.SampledFrom([]float64{0, 0.05, 0.5}).Draw(t, "match"),
		SmoothSeconds: rapid.SampledFrom([]float64{0, 0.5, 5}).Draw(t, "smooth"),
		R2:            rapid.SampledFrom([]float64{0, 0.9, 0.999}).Draw(t, "r2"),
		Weights:       rapid.SampledFrom([]Weights{Counts, Unit, PerSecond}).Draw(t, "weights"),
		TaskRatioMin:  0.02,
		Use:           rapid.SampledFrom([]Use{Both, Both, FitOnly, NeighboursOnly}).Draw(t, "use"),
		Pooled:        rapid.Bool().Draw(t, "pooled"),
	}
	size := rapid.SampledFrom([]float64{10, 20, 21, 30, 50, 70, 100, 200, 500})
	tasks := make([]Task, rapid.IntRange(1, 4).Draw(t, "tasks"))
	n := &naive{p: p, tasks: make([]naiveTask, len(tasks))}
	for i := range tasks {
		tasks[i].Implicit = float64(rapid.IntRange(0, 500).Draw(t, "implicit"))
		tasks[i].Bytes = tasks[i].Implicit
		for range rapid.IntRange(0, 5).Draw(t, "explicit") {
			x := size.Draw(t, "size")
			tasks[i].Explicit = append(tasks[i].Explicit, dag.GroupSize{Bytes: x, Count: 1})
			tasks[i].Bytes += x
			n.tasks[i].explicit = append(n.tasks[i].explicit, x)
		}
		slices.Sort(n.tasks[i].explicit)
		n.tasks[i].left, n.tasks[i].total = tasks[i].Implicit, tasks[i].Bytes
	}
	j := New(tasks, p)
	for range rapid.IntRange(0, 4).Draw(t, "ticks") {
		for range rapid.IntRange(0, 12).Draw(t, "records") {
			task := rapid.IntRange(0, len(tasks)-1).Draw(t, "task")
			x := size.Draw(t, "bytes")
			seconds := x*x/100*rapid.Float64Range(0.5, 1.5).Draw(t, "noise") + float64(task)
			n.record(task, 7, x, seconds)
			j.Record(task, 7, x, seconds, 1)
		}
		compareNaive(t, n, j.Predict(), rules)
	}
}

func compareNaive(t *rapid.T, n *naive, p *Prediction, rules map[Rule]int) {
	same := func(what string, task int, got, want float64) {
		if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) || math.IsNaN(got) != math.IsNaN(want) {
			t.Fatalf("task %d: %s is %v, by the definition %v", task, what, got, want)
		}
	}
	for i := range n.tasks {
		for _, x := range []float64{10, 25, 60, 300, 1000} {
			f, rule := p.Time(i, x)
			want, by := n.time(i, x)
			rules[rule]++
			if rule != by {
				t.Fatalf("task %d: %v bytes by %v, by the definition %v", i, x, rule, by)
			}
			same("time", i, f, want)
		}
		left := p.Remaining(i)
		same("remaining", i, left.Seconds, n.remaining(i))
		same("explicit bytes", i, left.Explicit, total(n.tasks[i].explicit))
		same("implicit bytes", i, left.Implicit, n.tasks[i].left)
		job, own := n.ratios(i)
		same("job ratio", i, p.JobRatio(i), job)
		same("task ratio", i, p.TaskRatio(i), own)
	}
}

// By hand: reports of 1, 3 and 2 seconds a byte; the first is taken as it is, each later one counts for half.
// A minute of work weighs what EWMA says, the minute before it that much less.
func TestEWMA(t *testing.T) {
	p := Default()
	p.EWMA = 0.25
	record := func(pieces int) *Prediction {
		j := New([]Task{{Implicit: 100, Bytes: 100}}, p)
		for _, bytes := range []float64{4, 10, 1} {
			for range pieces {
				j.Record(0, 1, bytes/float64(pieces), 60/float64(pieces), 1)
			}
		}
		return j.Predict()
	}
	want := (100. - 15) * 60 * (0.75*0.75 + 0.75 + 1) / (4*0.75*0.75 + 10*0.75 + 1)
	got := record(1)
	if math.Abs(got.JobRatio(0)-want) > 1e-9 || got.TaskRatio(0) != got.JobRatio(0) {
		t.Errorf("%v by the job, %v by the task, want %v", got.JobRatio(0), got.TaskRatio(0), want)
	}
	// Reports are as frequent as groups are short. That is no reason to forget faster.
	if many := record(1000).JobRatio(0); math.Abs(many-want) > 0.05*want {
		t.Errorf("in a thousand reports a minute %v, in one %v", many, want)
	}
}

// A key that half of the maps told of has half its size: its group matches none, and stays.
func TestConserve(t *testing.T) {
	tasks := []Task{{
		Explicit: []dag.GroupSize{{Bytes: 50, Count: 4}, {Bytes: 1000, Count: 1}}, Implicit: 200,
		Bytes: 1400,
	}}
	for _, c := range []struct {
		conserve bool
		done     float64 // groups of 100 bytes
		explicit []dag.GroupSize
		implicit float64
	}{
		{false, 4, []dag.GroupSize{{Bytes: 50, Count: 4}, {Bytes: 1000, Count: 1}}, 0},
		{true, 0, []dag.GroupSize{{Bytes: 50, Count: 4}, {Bytes: 1000, Count: 1}}, 200},
		{true, 2, []dag.GroupSize{{Bytes: 50, Count: 4}, {Bytes: 1000, Count: 1}}, 0},
		{true, 3, []dag.GroupSize{{Bytes: 50, Count: 2}, {Bytes: 1000, Count: 1}}, 0},
		{true, 4, []dag.GroupSize{{Bytes: 1000, Count: 1}}, 0},
		{true, 9, []dag.GroupSize{{Bytes: 1000, Count: 0.5}}, 0}, // more than was promised
		{true, 14, nil, 0},
	} {
		p := Default()
		p.Conserve = c.conserve
		j := New(tasks, p)
		if c.done > 0 {
			j.Record(0, 1, 100, 1, c.done)
		}
		got := j.Predict()
		if left := got.tasks[0].left; !slices.Equal(left, c.explicit) || got.Remaining(0).Implicit != c.implicit {
			t.Errorf("%v done: left %v and %v bytes, want %v and %v", c.done, left, got.Remaining(0).Implicit,
				c.explicit, c.implicit)
		}
	}
}

// Bytes that are not known are not held to.
func TestConserveUnknown(t *testing.T) {
	p := Default()
	p.Conserve = true
	j := New([]Task{{Explicit: []dag.GroupSize{{Bytes: 50, Count: 4}}, Implicit: math.NaN(), Bytes: math.NaN()}}, p)
	j.Record(0, 1, 100, 1, 9)
	if left := j.Predict().Remaining(0); left.Explicit != 200 {
		t.Errorf("%v explicit bytes left, want 200", left.Explicit)
	}
}

func TestWeights(t *testing.T) {
	points := []point{
		{Size: 1, Mean: 0, Count: 5},
		{Size: 2, Mean: 0.5, Count: 3},
		{Size: 3, Mean: 10, Count: 2},
	}
	for w, want := range map[Weights][]float64{Counts: {5, 3, 2}, Unit: {1, 1, 1}, PerSecond: {5000, 6, 0.2}} {
		var got []float64
		for _, p := range weighted(points, w) {
			got = append(got, p.Weight)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d: %v, want %v", w, got, want)
		}
	}
}

// Groups that come as one record of many are those that come one by one.
func TestManyAtOnce(t *testing.T) {
	tasks := []Task{{
		Explicit: []dag.GroupSize{{Bytes: 10, Count: 2}, {Bytes: 100, Count: 1}}, Implicit: 100,
		Bytes: 220,
	}}
	one, many := New(tasks, Default()), New(tasks, Default())
	for range 5 {
		one.Record(0, 3, 10, 2, 1)
	}
	many.Record(0, 3, 10, 2, 5)
	a, b := one.Predict().Remaining(0), many.Predict().Remaining(0)
	if a.Seconds != b.Seconds || a.Implicit != b.Implicit || a.Implicit != 70 || a.Explicit != 100 {
		t.Errorf("one by one %+v, at once %+v", a, b)
	}
}

// A prediction stays what it was when more arrives.
func TestPredictionIsReadOnly(t *testing.T) {
	j := New([]Task{{Explicit: []dag.GroupSize{{Bytes: 10, Count: 2}}, Implicit: 100, Bytes: 120}}, Default())
	j.Record(0, 1, 30, 3, 1)
	p := j.Predict()
	before := p.Remaining(0)
	for i := range 50 {
		j.Record(0, 2, float64(i), 9, 1)
	}
	if after := p.Remaining(0); after.Seconds != before.Seconds || after.Implicit != before.Implicit {
		t.Errorf("it was %+v, it is %+v", before, after)
	}
}

// What cannot be is not measured; what is not known stays unknown.
func TestNothingEscapes(t *testing.T) {
	j := New([]Task{{
		Explicit: []dag.GroupSize{{Bytes: math.Inf(1), Count: 1}, {Bytes: 5, Count: math.NaN()}},
		Implicit: math.NaN(), Bytes: -1,
	}, {}}, Params{DeltaBytes: math.NaN(), R2: math.NaN(), EWMA: -1})
	bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 1e300}
	for _, v := range bad {
		j.Record(0, 1, v, 1, 1)
		j.Record(0, 1, 1, v, 1)
		j.Record(0, 1, 1, 1, v)
	}
	j.Record(0, math.NaN(), 1, 1, 1)
	j.Record(0, 1, 1, 1, 0)
	j.Record(-1, 1, 1, 1, 1)
	j.Record(2, 1, 1, 1, 1)
	p := j.Predict()
	if len(p.all().points) != 0 {
		t.Errorf("measured: %v", p.all().points)
	}
	for task := -1; task < 3; task++ {
		f, rule := p.Time(task, 10)
		if !math.IsNaN(f) || rule != NoRule {
			t.Errorf("task %d: %v by %v", task, f, rule)
		}
		if left := p.Remaining(task); math.IsNaN(left.Seconds) == (task == 1) {
			t.Errorf("task %d has %v left", task, left.Seconds)
		}
		if !math.IsNaN(p.JobRatio(task)) || !math.IsNaN(p.TaskRatio(task)) {
			t.Errorf("task %d has a ratio", task)
		}
	}
	// The largest values that are taken give no infinity.
	j = New([]Task{{
		Explicit: []dag.GroupSize{{Bytes: maxMeasured, Count: maxMeasured}}, Implicit: maxMeasured,
		Bytes: maxMeasured,
	}}, Default())
	for _, x := range []float64{0, 1, 2, 3, 4, 5, 1e6} {
		j.Record(0, 1, x, math.Pow(x/1e6, 6)*maxMeasured, maxMeasured)
	}
	if left := j.Predict().Remaining(0); math.IsInf(left.Seconds, 0) || math.IsNaN(left.Seconds) {
		t.Errorf("%v s left", left.Seconds)
	}
}

func TestFromGroups(t *testing.T) {
	g := &dag.Groups{Reduces: []dag.ReduceGroups{
		{
			Bytes: 130, Explicit: []dag.GroupSize{{Bytes: 100, Count: 1}}, Implicit: 30, Attempt: 0,
			Done: []dag.GroupPoint{
				{At: 5000, Bytes: 10, Took: time.Second, Count: 2},
			},
		},
		{Bytes: 50, Implicit: 50, Attempt: 0, Done: []dag.GroupPoint{{
			At: 4000, Bytes: 20, Took: 3 * time.Second,
			Count: 1,
		}}},
		{Bytes: math.NaN(), Implicit: math.NaN(), Attempt: -1},
	}}
	j := FromGroups(g, Default())
	j.Start(2, 2.5)
	p := j.Predict()
	want := New([]Task{
		{Explicit: g.Reduces[0].Explicit, Implicit: 30, Bytes: 130},
		{Implicit: 50, Bytes: 50},
		{Implicit: math.NaN(), Bytes: math.NaN()},
	}, Default())
	want.Start(2, 2.5)
	want.Record(1, 4, 20, 3, 1)
	want.Record(0, 5, 10, 1, 2)
	q := want.Predict()
	for i := range g.Reduces {
		a, b := p.Remaining(i), q.Remaining(i)
		if (a.Seconds != b.Seconds || a.At != b.At) && !math.IsNaN(b.Seconds) || a.At != b.At {
			t.Errorf("task %d: %+v, want %+v", i, a, b)
		}
	}
	if left := p.Remaining(2); !math.IsNaN(left.Seconds) || left.At != 2.5 {
		t.Errorf("of the last task nothing is known: %+v", left)
	}
}

// tasksOf returns the tasks that the output of maps makes.
func tasksOf(maps []sketch.Profile[int], reduces, lambda, capacity int) []Task {
	tasks, join := make([]Task, reduces), sketch.NewJoin[int](reduces, lambda, capacity)
	for _, m := range maps {
		join.Add(m)
	}
	for i, p := range join.Inputs() {
		tasks[i].Bytes, tasks[i].Implicit = p.Bytes, p.Implicit
		for _, k := range p.Explicit {
			tasks[i].Explicit = append(tasks[i].Explicit, dag.GroupSize{Bytes: k.Bytes, Count: 1})
		}
	}
	return tasks
}

// flood records n groups of different sizes in all tasks.
func flood(j *Job, n int) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		x := math.Floor(math.Exp(r.Float64() * 14))
		j.Record(i%len(j.tasks), float64(i), x, x*x*1e-6*(1+0.1*r.Float64()), 1)
	}
}

func floodTasks(n int) []Task {
	maps := []sketch.Profile[int]{{Bytes: make([]float64, n)}}
	for i := range n * 1000 {
		bytes := float64(10 + i*7%20000)
		maps[0].Keys = append(maps[0].Keys, sketch.Key[int]{Key: i, Reduce: i % n, Bytes: bytes})
		maps[0].Bytes[i%n] += 3 * bytes
	}
	return tasksOf(maps, n, 0, 0)
}

// Bytes, groups and time are kept however much arrives; points are not.
func TestBounded(t *testing.T) {
	j := New(floodTasks(20), Default())
	flood(j, 200_000)
	points, seconds, count, done := 0, 0.0, 0.0, 0.0
	for i := range j.tasks {
		if n := len(j.tasks[i].profile.points); n > maxTaskPoints {
			t.Errorf("task %d keeps %d points", i, n)
		}
		points += len(j.tasks[i].profile.points)
	}
	for _, c := range j.Predict().all().points {
		seconds += c.Mean * c.Count
		count += c.Count
	}
	if points > maxPoints {
		t.Errorf("%d points in all tasks", points)
	}
	for i := range j.tasks {
		done += j.tasks[i].work.seconds
	}
	if math.Abs(seconds/done-1) > 1e-9 || count != 200_000 {
		t.Errorf("%v groups of %v s, want 200000 of %v s", count, seconds, done)
	}
	// Each record costs a few bytes at most once the bounds are reached.
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	flood(j, 200_000)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 8<<20 { //nolint:gosec // a few megabytes
		t.Errorf("another 200,000 groups keep %d more bytes", grown)
	}
	runtime.KeepAlive(j)
}

// Condensed, the job predicts what it would with all points.
func TestCondensedPredictsTheSame(t *testing.T) {
	tasks := floodTasks(2)
	j := New(tasks, Default())
	flood(j, 100_000)
	p := j.Predict()
	for _, x := range []float64{1000, 30_000, 1e6} {
		if got, rule := p.Time(0, x); math.Abs(got/(x*x*1e-6*1.05)-1) > 0.05 {
			t.Errorf("%v bytes take %v by %v, want about %v", x, got, rule, x*x*1e-6*1.05)
		}
	}
}

func BenchmarkRecord(b *testing.B) {
	tasks := floodTasks(100)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		j := New(tasks, Default())
		b.StartTimer()
		flood(j, 100_000)
	}
}

func BenchmarkPredict(b *testing.B) {
	j := New(floodTasks(100), Default())
	flood(j, 100_000)
	b.ReportAllocs()
	for b.Loop() {
		p := j.Predict()
		for i := range 100 {
			p.Remaining(i)
		}
	}
}

// A join's groups take the product of two sides: their time is no function of their size. A fit to finished groups of
// nearly one size must not predict years for a group that is a hundred times as large.
func TestBoundedFit(t *testing.T) {
	predict := func(bounded bool) float64 {
		p := Default()
		p.Pooled, p.Weights, p.Bounded = true, PerSecond, bounded
		j := New([]Task{{Bytes: 3000, Explicit: []dag.GroupSize{{Bytes: 2000, Count: 1}}}}, p)
		for i, bytes := range []float64{20, 22, 24, 26, 28, 30} {
			j.Record(0, float64(i), bytes, 0.001*math.Pow(bytes/20, 6), 1)
		}
		s, _ := j.Predict().Time(0, 2000)
		return s
	}
	if s := predict(false); s < 900 {
		t.Errorf("without bounds: %g s, want the power 6 of the finished groups", s)
	}
	// Sizes from 20 to 30 support a power of 1.6, up to a size of 45, and from there on time by size.
	if s := predict(true); !(s > 0.02 && s < 2) {
		t.Errorf("with bounds: %g s", s)
	}
}

// TestNothingLeftOfReadInput checks that nothing is left of the groups of a task that has read all of its bytes, even
// if a finished group was larger than the explicit one that it is taken for.
func TestNothingLeftOfReadInput(t *testing.T) {
	t.Parallel()
	p := Default()
	p.Conserve = true
	j := New([]Task{{Explicit: []dag.GroupSize{{Bytes: 1000, Count: 1}}, Implicit: 500, Bytes: 1500}}, p)
	j.Record(0, 10, 1020, 10, 1)
	if left := j.Predict().Remaining(0); !(left.Seconds > 0) || left.Explicit+left.Implicit != 480 {
		t.Errorf("before the last group %+v", left)
	}
	j.Record(0, 15, 480, 5, 1)
	if left := j.Predict().Remaining(0); left.Seconds != 0 || left.Explicit != 0 || left.Implicit != 0 {
		t.Errorf("after it %+v", left)
	}
}
