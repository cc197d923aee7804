package mrjob

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
)

// A report is groups begun and records read so far, at a second of the reduce phase. idle repeats the one before.
type report struct {
	at, groups, records float64
	idle, final         bool
}

const second = dag.Instant(1000)

func follow(number int32, limit int, reports ...report) *GroupCount {
	g := &GroupCount{}
	feed(g, number, limit, reports...)
	return g
}

func feed(g *GroupCount, number int32, limit int, reports ...report) {
	a := dag.Attempt{Number: number, SortEnd: 100 * second, End: dag.NoInstant}
	sum := 0.0
	for _, r := range reports {
		if !r.idle {
			sum++
		}
		at := a.SortEnd + dag.Instant(r.at*1000)
		if r.final {
			a.End = at
		}
		g.Count(&a, &Counts{Groups: r.groups, ReduceIn: r.records, Sum: sum}, 10, r.final, at, limit)
	}
}

// points are [second, bytes, seconds, count].
func points(g *GroupCount) [][4]float64 {
	var out [][4]float64
	for _, p := range g.done {
		out = append(out, [4]float64{float64(p.At-100*second) / 1000, p.Bytes, p.Took.Seconds(), p.Count})
	}
	return out
}

// By hand from what GroupCount says of bursts; a record has 10 bytes.
func TestGroupCount(t *testing.T) {
	for _, c := range []struct {
		name    string
		reports []report
		want    [][4]float64
	}{
		{"nothing begun", []report{{at: 1}, {at: 2, groups: 0, records: 0}}, nil},
		{
			"Streaming swallows all at once: one burst, at the end",
			[]report{
				{at: 1, groups: 8, records: 80},
				{at: 2, groups: 8, records: 80, idle: true},
				{at: 40, groups: 8, records: 80, final: true},
			},
			[][4]float64{{40, 100, 5, 8}},
		},
		{
			"Pig reads a bag, then works on it: the time until the next one is its own, that of the change is halved",
			[]report{
				{at: 2, groups: 1, records: 50},
				{at: 3, groups: 1, records: 50},
				{at: 9, groups: 1, records: 50},
				{at: 11, groups: 2, records: 60},
				{at: 13, groups: 2, records: 60, final: true},
			},
			[][4]float64{{10, 500, 10, 1}, {13, 100, 3, 1}},
		},
		{
			"a group that is read for long is told from the small ones of its burst",
			[]report{
				{at: 2, groups: 4, records: 8},
				{at: 12, groups: 4, records: 108},
				{at: 14, groups: 5, records: 112, final: true},
			},
			// The last of four begun has 2 + 100 records and a half of the four that came with the next; so with time.
			[][4]float64{{13, 1040, 11.5, 1}, {13, 20, 0.5, 3}, {14, 20, 1, 1}},
		},
		{
			"an answer between two reports is none: the time is the next one's",
			[]report{
				{at: 1, groups: 1, records: 1},
				{at: 2, groups: 1, records: 1, idle: true},
				{at: 3, groups: 2, records: 2},
				{at: 3, groups: 2, records: 2, final: true},
			},
			[][4]float64{{2, 10, 2, 1}, {3, 10, 1, 1}},
		},
		{
			"a clock that steps back, and an answer older than the one before",
			[]report{
				{at: 5, groups: 1, records: 1},
				{at: 3, groups: 9, records: 9},
				{at: 7, groups: 2, records: 2},
				{at: 8, groups: 2, records: 2, final: true},
			},
			[][4]float64{{6, 10, 6, 1}, {8, 10, 2, 1}},
		},
		{
			"counters that go back: what was open cannot be told, what follows can",
			[]report{
				{at: 2, groups: 5, records: 50},
				{at: 4, groups: 3, records: 30},
				{at: 5, groups: 3, records: 40},
				{at: 6, groups: 4, records: 50},
				{at: 8, groups: 4, records: 50, final: true},
			},
			[][4]float64{{8, 100, 3, 1}},
		},
		{
			"a last report that is seen after the end: the time beyond it is taken back, the burst is whole",
			[]report{
				{at: 2, groups: 2, records: 4},
				{at: 6, groups: 6, records: 12},
				{at: 5, groups: 6, records: 12, final: true},
			},
			[][4]float64{{2.8, 20, 1.4, 2}, {5, 20, 0.55, 4}},
		},
		{
			"what follows the end is not counted",
			[]report{{at: 2, groups: 2, records: 4, final: true}, {at: 3, groups: 9, records: 90, final: true}},
			[][4]float64{{2, 20, 1, 2}},
		},
		{
			"counters of no sense",
			[]report{
				{at: 1, groups: math.NaN(), records: 5},
				{at: 2, groups: 2, records: math.NaN()},
				{at: 3, groups: -1, records: 3},
			},
			nil,
		},
	} {
		if got := points(follow(0, 100, c.reports...)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A new attempt's groups replace the old one's, they are never added.
func TestGroupCountOfANewAttempt(t *testing.T) {
	g := follow(0, 100, report{at: 1, groups: 3, records: 9}, report{at: 2, groups: 5, records: 12})
	if len(g.done) == 0 {
		t.Fatal("nothing was counted")
	}
	feed(g, 1, 100, report{at: 4, groups: 1, records: 2}, report{at: 6, groups: 1, records: 2, final: true})
	if got, want := points(g), [][4]float64{{6, 20, 6, 1}}; g.attempt != 1 || !slices.Equal(got, want) {
		t.Errorf("attempt %d: %v, want %v", g.attempt, got, want)
	}
}

// Whatever is reported, all groups, records and time are in the points once, and there are not too many.
func TestGroupCountAddsUp(t *testing.T) {
	halved := 0
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(16, 40).Draw(t, "limit")
		var reports []report
		now := report{}
		for range rapid.IntRange(0, 80).Draw(t, "reports") {
			now.at += float64(rapid.IntRange(0, 5).Draw(t, "seconds"))
			more := float64(rapid.SampledFrom([]int{0, 0, 1, 1, 20}).Draw(t, "groups"))
			now.groups += more
			now.records += more
			if now.groups > 0 {
				now.records += float64(rapid.SampledFrom([]int{0, 0, 3, 100}).Draw(t, "records"))
			}
			now.idle = rapid.IntRange(0, 4).Draw(t, "idle") == 0 && len(reports) > 0
			if now.idle {
				now.groups, now.records = reports[len(reports)-1].groups, reports[len(reports)-1].records
			}
			reports = append(reports, now)
		}
		now.groups++
		now.records++
		now.idle, now.final = false, true
		g := follow(0, limit, append(reports, now)...)
		var groups, records, seconds float64
		for _, p := range g.done {
			groups += p.Count
			records += p.Count * p.Bytes / 10
			seconds += p.Count * p.Took.Seconds()
			if p.Took < 0 || p.Bytes < 0 || p.Count <= 0 {
				t.Fatalf("a point of %+v", p)
			}
		}
		if math.Abs(groups-now.groups) > 1e-6 || math.Abs(records-now.records) > 1e-6 ||
			math.Abs(seconds-now.at) > 1e-4 {
			t.Fatalf("%v groups, %v records, %v s in all, want %v, %v, %v", groups, records, seconds, now.groups,
				now.records, now.at)
		}
		if len(g.done) > limit {
			t.Fatalf("%d points, at most %d", len(g.done), limit)
		}
		if !slices.IsSortedFunc(g.done, func(a, b dag.GroupPoint) int { return int(a.At - b.At) }) {
			t.Fatalf("not in order: %v", points(g))
		}
		if len(g.done) > 0 && g.done[0].Count > 1 && len(reports) > limit {
			halved++
		}
	})
	if halved == 0 {
		t.Error("nothing was condensed")
	}
}

func TestHalve(t *testing.T) {
	in := []dag.GroupPoint{
		{At: 1, Bytes: 100, Took: time.Second, Count: 1},
		{At: 2, Bytes: 10, Took: 100 * time.Millisecond, Count: 3},
		{
			At: 3, Bytes: 20, Took: 500 * time.Millisecond,
			Count: 1,
		},
	}
	want := []dag.GroupPoint{
		{At: 1, Bytes: 100, Took: time.Second, Count: 1},
		{At: 3, Bytes: 12.5, Took: 200 * time.Millisecond, Count: 4},
	}
	if got := halve(in); !slices.Equal(got, want) || in[1].Count != 3 {
		t.Errorf("%v, want %v", got, want)
	}
}
