package events

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
)

// A run is stamps of an application, and where its first job begins and its last one ends.
type run struct {
	stamps     []Stamp
	start, end int
}

const origin = dag.Instant(1_760_000_000_000)

// runOf is an application with a job for each list of stages: each stage has tasks of some milliseconds on some cores.
func runOf(cores int, jobs ...[][]int) *run {
	r := &run{start: -1}
	now := origin
	add := func(wait dag.Instant, s Stamp) int {
		now += wait
		s.At = now
		r.stamps = append(r.stamps, s)
		return len(r.stamps) - 1
	}
	plain, soon := Stamp{Began: -1, Took: -1}, Stamp{Began: -1, Took: -1, Soon: true}
	add(0, soon)   // the application
	add(500, soon) // an executor
	for _, stages := range jobs {
		if n := add(500, soon); r.start < 0 {
			r.start = n
		}
		for _, tasks := range stages {
			add(20, plain) // the stage
			type running struct {
				began int
				end   dag.Instant
				took  int
			}
			var on []running
			for len(tasks) > 0 || len(on) > 0 {
				for len(tasks) > 0 && len(on) < cores {
					on = append(on, running{add(0, plain), now + dag.Instant(tasks[0]), tasks[0]})
					tasks = tasks[1:]
				}
				slices.SortStableFunc(on, func(a, b running) int { return int(a.end - b.end) })
				t := on[0]
				on = on[1:]
				add(max(0, t.end-now), Stamp{
					Began: t.began, Soon: true, Took: time.Duration(max(0, t.took-10)) * time.Millisecond,
				})
			}
			add(10, plain) // its end
		}
		r.end = add(5, plain)
	}
	add(980, plain) // the application's end
	return r
}

// length returns how long the run took by its stamps, which must be in order.
func (r *run) length(t interface {
	Helper()
	Fatalf(string, ...any)
},
) (time.Duration, []Step) {
	t.Helper()
	shift, steps := Straighten(r.stamps)
	at := make([]dag.Instant, len(r.stamps))
	latest := dag.NoInstant
	for i, s := range r.stamps {
		if at[i] = s.At; shift != nil {
			at[i] += shift[i]
		}
		if latest.Known() && at[i] < latest-tolerance {
			t.Fatalf("entry %d is at %d, after one at %d", i, at[i]-origin, latest-origin)
		}
		at[i] = max(at[i], latest)
		latest = at[i]
	}
	return at[r.end].Sub(at[r.start]), steps
}

func (r *run) move(from, to int, by time.Duration) {
	for i := from; i < to; i++ {
		r.stamps[i].At = r.stamps[i].At.Add(by)
	}
}

func even(n, ms int) []int { return slices.Repeat([]int{ms}, n) }

// usual has two stages on four cores, as long as 56 s.
func usual() *run { return runOf(4, [][]int{even(16, 10_000), even(8, 8000)}) }

func within(d, of, by time.Duration) bool { return d >= of-by && d <= of+by }

// TestSteps checks the length of a run whose clock is set while it runs.
func TestSteps(t *testing.T) {
	t.Parallel()
	whole, steps := usual().length(t)
	if steps != nil {
		t.Fatalf("a clock that is right steps: %+v", steps)
	}
	last := len(usual().stamps)
	for name, c := range map[string]struct {
		from, to int
		by       time.Duration
		steps    int
	}{
		"the first entry is an hour ahead":            {0, 1, time.Hour, 1},
		"the first entry is an hour behind":           {0, 1, -time.Hour, 0}, // no more than an application that waits
		"an executor before the job is an hour ahead": {1, 2, time.Hour, 1},
		"the job's start is two months ahead":         {2, 3, 1440 * time.Hour, 1},
		"the job's start is an hour behind":           {2, 3, -time.Hour, 1},
		"a task's end is two months ahead":            {8, 9, 1440 * time.Hour, 1},
		"a task's end is an hour behind":              {8, 9, -time.Hour, 1},
		"the job's end is five seconds ahead":         {last - 2, last - 1, 5 * time.Second, 1},
		"the job's end is an hour behind":             {last - 2, last - 1, -time.Hour, 1},
		"the application's end is an hour behind":     {last - 1, last, -time.Hour, 1},
		"an hour forward for good among tasks":        {20, last, time.Hour, 1},
		"an hour back for good among tasks":           {20, last, -time.Hour, 1},
		"an hour back for good, early":                {6, last, -time.Hour, 1},
		"an hour back for good, late":                 {last - 6, last, -time.Hour, 1},
		"an hour ahead for a while":                   {10, 30, time.Hour, 1},
		"an hour behind for a while":                  {10, 30, -time.Hour, 1},
		"an hour ahead until shortly before the end":  {4, last - 3, time.Hour, 1},
		"five minutes forward among tasks":            {30, last, 5 * time.Minute, 1},
		"twenty seconds back for good among tasks":    {20, last, -20 * time.Second, 1},
		"ten seconds back for good among tasks":       {21, last, -10 * time.Second, 1},
		"half a second is no step":                    {8, 9, 500 * time.Millisecond, 0},
	} {
		r := usual()
		r.move(c.from, c.to, c.by)
		got, steps := r.length(t)
		if !within(got, whole, time.Second) || len(steps) != c.steps {
			t.Errorf("%s: %v instead of %v, steps %+v", name, got, whole, steps)
		}
		for _, s := range steps {
			if by := max(s.Ahead, -s.Ahead); !within(by, max(c.by, -c.by), 12*time.Second) {
				t.Errorf("%s: a step of %v instead of %v", name, s.Ahead, c.by)
			}
		}
	}
}

// TestLongRun checks the length of a run of hours whose clock is set by one in its middle: times are there twice.
func TestLongRun(t *testing.T) {
	t.Parallel()
	tasks := make([]int, 90)
	for i := range tasks {
		tasks[i] = 400_000 + 7919*i%300_000
	}
	whole, _ := runOf(4, [][]int{tasks}).length(t)
	for _, by := range []time.Duration{-time.Hour, time.Hour, -2 * time.Hour, -30 * time.Minute} {
		for from := 10; from < 180; from += 7 {
			r := runOf(4, [][]int{tasks})
			r.move(from, len(r.stamps), by)
			if got, steps := r.length(t); !within(got, whole, 2*time.Second) {
				t.Errorf("from entry %d on by %v: %v instead of %v, %+v", from, by, got, whole, steps)
			}
		}
	}
}

// TestPauses checks that a time without any entry is no step if no task runs in it or one works through it.
func TestPauses(t *testing.T) {
	t.Parallel()
	r := runOf(2, [][]int{even(2, 1000)}, [][]int{even(2, 1000)})
	const end = 9 // of the first job
	r.move(end+1, len(r.stamps), time.Hour)
	if got, steps := r.length(t); got < time.Hour || steps != nil {
		t.Errorf("a driver's hour between jobs: %v, %+v", got, steps)
	}
	r = runOf(2, [][]int{{1000, 3_600_000}})
	if got, steps := r.length(t); got < time.Hour || steps != nil {
		t.Errorf("a task of an hour: %v, %+v", got, steps)
	}
	r.stamps[len(r.stamps)-1].At += 3_600_000
	if _, steps := r.length(t); steps != nil {
		t.Errorf("an hour after the last job: %+v", steps)
	}
}

// TestUnknown checks that entries without times do no harm.
func TestUnknown(t *testing.T) {
	t.Parallel()
	for _, stamps := range [][]Stamp{
		nil, {{At: dag.NoInstant, Began: -1}}, {{At: dag.NoInstant, Began: 5}, {At: origin, Began: 0, Took: 1}},
	} {
		if shift, steps := Straighten(stamps); shift != nil || steps != nil {
			t.Errorf("%v: %v, %v", stamps, shift, steps)
		}
	}
}

// TestOneStep checks that a run's length stays within two seconds of the true one wherever one entry is stepped, and
// that no second is negative. That the application's end is late nothing contradicts, nor that the job's end is by a
// second.
func TestOneStep(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		jobs := make([][][]int, rapid.IntRange(1, 3).Draw(t, "jobs"))
		for j := range jobs {
			jobs[j] = rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(20, 30_000), 1, 12), 1, 3).Draw(t, "tasks")
		}
		r := runOf(rapid.IntRange(1, 5).Draw(t, "cores"), jobs...)
		whole, _ := r.length(t)
		n := rapid.IntRange(0, len(r.stamps)-2).Draw(t, "entry")
		by := time.Duration(rapid.IntRange(1, 1<<33).Draw(t, "by")) * time.Millisecond
		if rapid.Bool().Draw(t, "behind") {
			by = -by
		}
		r.move(n, n+1, by)
		if got, steps := r.length(t); !within(got, whole, 2*time.Second+100*time.Millisecond) {
			t.Fatalf("entry %d of %d by %v: %v instead of %v, steps %+v", n, len(r.stamps), by, got, whole, steps)
		}
	})
}

// TestForGood checks the same of a clock that is set back in the middle and stays so.
func TestForGood(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tasks := rapid.SliceOfN(rapid.IntRange(5000, 9000), 6, 20).Draw(t, "tasks")
		r := runOf(2, [][]int{tasks})
		whole, _ := r.length(t)
		n := rapid.IntRange(5, len(r.stamps)-3).Draw(t, "entry")
		by := time.Duration(rapid.IntRange(60_000, 1<<30).Draw(t, "by")) * time.Millisecond
		r.move(n, len(r.stamps), -by)
		if got, steps := r.length(t); !within(got, whole, 10*time.Second) {
			t.Fatalf("from entry %d of %d by %v: %v instead of %v, steps %+v", n, len(r.stamps), by, got, whole, steps)
		}
	})
}
