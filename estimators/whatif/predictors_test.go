package whatif

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/estimators/queueing"
)

// A plan of two jobs, the second after the first, on 4 nodes with 2 map slots and 1 reduce slot each.
func twoJobs() (*queueing.Spec, *dag.Plan, Room) {
	job := queueing.Job{
		Copies: 1, Maps: 16, Reduces: 4, Map: queueing.Demand{CPU: 4, Disk: 1},
		Shuffle: queueing.Demand{Network: 0.05}, Merge: queueing.Demand{CPU: 2, Disk: 1},
	}
	spec := &queueing.Spec{
		Nodes: 4, CPUs: 2, MapSlots: 2, ShuffleThreads: 2, ReduceSlots: 1,
		Jobs: []queueing.Job{job, job},
	}
	spec.Jobs[0].Name, spec.Jobs[1].Name = "j", "k"
	p := equal(16, 4, 8)
	p.Cluster.ReduceSlots, p.Cluster.SlotsPerNode = 4, 2
	p.Jobs = append(p.Jobs, p.Jobs[0])
	p.Jobs[1].Node, p.Jobs[1].After = "k", []int{0}
	return spec, p, Room{Maps: 8, Reduces: 4}
}

// TestQueueingWarns holds that what the model says against itself is passed on, once.
func TestQueueingWarns(t *testing.T) {
	spec, p, room := twoJobs()
	p.Jobs[1].After = nil // now they are beside each other
	q, err := NewQueueing(spec, p, room)
	if err != nil {
		t.Fatal(err)
	}
	if a := ask(t, q, Change{}); len(a.Warnings) != 1 || a.Warnings[0].Code != "several_jobs" {
		t.Errorf("%+v", a.Warnings)
	}
}

func TestQueueingSumsWaves(t *testing.T) {
	spec, p, room := twoJobs()
	q, err := NewQueueing(spec, p, room)
	if err != nil {
		t.Fatal(err)
	}
	one := *spec
	one.Jobs = spec.Jobs[:1]
	r, err := queueing.Solve(&one, queueing.Product, queueing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	base := ask(t, q, Change{})
	if d := base.Remaining.Seconds() - 2*r.Response(); math.Abs(d) > 0.002 {
		t.Errorf("two waves take %v, one %v s", *base.Remaining, r.Response())
	}
	for _, c := range []Change{
		{Slots: []Slots{{Op: Times, N: 2}}},
		{Slots: []Slots{{N: 24}}},
		{Slots: []Slots{{Op: Add, N: 12}}},
		{Pace: []Pace{{Factor: 0.5}}},
		{Scale: 0.5},
	} {
		if a := ask(t, q, c); *a.Remaining >= *base.Remaining || *a.Remaining < *base.Remaining/4 {
			t.Errorf("%s: %v, base %v", c, *a.Remaining, *base.Remaining)
		}
	}
	more := *spec
	more.Jobs = append([]queueing.Job(nil), spec.Jobs[:1]...)
	more.Jobs[0].Maps, more.Jobs[0].Merge = 32, queueing.Demand{CPU: 4, Disk: 2}
	if r, err = queueing.Solve(&more, queueing.Product, queueing.Options{}); err != nil {
		t.Fatal(err)
	}
	if a := ask(t, q, Change{Scale: 2}); math.Abs(a.Remaining.Seconds()-2*r.Response()) > 0.002 {
		t.Errorf("twice the input takes %v, twice the maps %v s a wave", *a.Remaining, r.Response())
	}
	ratio := 0.5
	for _, c := range []Change{
		{Policy: YARN},
		{Even: true},
		{SlowStart: &ratio},
		{Unfailing: true},
		{Failures: []Failure{{}}},
		{Slots: []Slots{{Op: Add, N: 1}}},
		{Slots: []Slots{{N: math.Inf(1)}}},
		{Scale: 1e-6},
	} {
		var cannot *UnsupportedError
		if a, err := q.Predict(c); !errors.As(err, &cannot) || cannot.Model != ModelQueueing {
			t.Errorf("%s: %+v, %v", c, a, err)
		}
	}
	if spec.Nodes != 4 || spec.Jobs[0].Maps != 16 || spec.Jobs[0].Map.CPU != 4 {
		t.Errorf("the spec was changed: %+v", spec)
	}
	// Jobs that the plan does not know share the cluster.
	p.Jobs[0].Node = "other"
	both, err := NewQueueing(spec, p, room)
	if err != nil {
		t.Fatal(err)
	}
	if len(both.waves) != 1 || len(both.waves[0]) != 2 {
		t.Errorf("waves %v", both.waves)
	}
}

func ask(t *testing.T, p Predictor, c Change) Answer {
	t.Helper()
	a, err := p.Predict(c)
	if err != nil || a.Remaining == nil {
		t.Fatalf("%s: %+v, %v", c, a, err)
	}
	return a
}

// A curve of 10 + 80·scale/machines seconds, known on up to 8 machines.
func curve(machines, scale float64) ernest.Prediction {
	p := ernest.Prediction{Point: ernest.Point{Machines: machines, Scale: scale}, Seconds: 10 + 80*scale/machines}
	p.Low, p.High = 0.9*p.Seconds, 1.1*p.Seconds
	if machines > 8 {
		p.Refused = &ernest.Warning{Code: "far", Text: "too far"}
	}
	return p
}

func TestErnestMovesAlongItsCurve(t *testing.T) {
	e := NewErnest(curve, 4, 1, Room{Maps: 8, Reduces: 8}, false)
	for _, x := range []struct {
		c    Change
		want time.Duration
	}{
		{Change{}, 30 * time.Second},
		{Change{Slots: []Slots{{Op: Times, N: 2}}}, 20 * time.Second},
		{Change{Slots: []Slots{{N: 8}}}, 50 * time.Second},
		{Change{Slots: []Slots{{Op: Add, N: -8}}, Scale: 3}, 130 * time.Second},
		{Change{Scale: 3}, 70 * time.Second},
	} {
		if a := ask(t, e, x.c); *a.Remaining != x.want || a.Model != ModelErnest || *a.Low >= *a.Remaining ||
			*a.High <= *a.Remaining {
			t.Errorf("%s: %+v", x.c, a)
		}
	}
	for _, c := range []Change{
		{Even: true},
		{Policy: Ideal},
		{Slots: []Slots{{Op: Times, N: 4}}},
		{Slots: []Slots{{Op: Times, N: 0.1}}},
		{Slots: []Slots{{Which: Maps, N: 3}}},
		{Pace: []Pace{{Factor: 2}}},
	} {
		if a, err := e.Predict(c); !errors.As(err, new(*UnsupportedError)) {
			t.Errorf("%s: %+v, %v", c, a, err)
		}
	}
	forced := NewErnest(curve, 4, 1, Room{Maps: 8, Reduces: 8}, true)
	if a := ask(t, forced, Change{Slots: []Slots{{Op: Times, N: 4}}}); *a.Remaining != 15*time.Second ||
		len(a.Warnings) != 1 {
		t.Errorf("%+v", a)
	}
}

// Where two models answer, both are there, and a difference of more than a fifth is a warning.
func TestModelsThatDisagree(t *testing.T) {
	_, p, _ := twoJobs()
	r := planned(p) // 200 ms
	rep, err := Ask(Scene{
		Models: []Predictor{r, NewErnest(curve, 4, 1, r.Room(), false)}, Room: r.Room(),
		Wanted: r.Wanted(),
	}, []Change{{Scale: 2}, {Even: true}})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(rep.Base.Answers); n != 2 || rep.Base.Disagreement < 100 || rep.Base.Warnings[0].Code != WarnDisagree {
		t.Errorf("%+v", rep.Base)
	}
	if even := rep.Alone[1]; len(even.Answers) != 1 || even.Warnings[0].Code != WarnUnsupported ||
		!math.IsNaN(even.Disagreement) {
		t.Errorf("%+v", even)
	}
	if rep.Together == nil || len(rep.Limits) != 4 || rep.Curve == nil || len(rep.Curve.Points) > CurvePoints {
		t.Errorf("%+v", rep)
	}
}

// staircase takes a second on 64 slots and more, and is twice as fast on twice the slots up to there.
type staircase struct{}

func (staircase) Predict(c Change) (Answer, error) {
	n := 4.0
	for _, s := range c.Slots {
		n = s.N
	}
	d := time.Duration(max(1, 64/n) * float64(time.Second))
	return Answer{Remaining: &d}, nil
}

// The knee of a curve that falls as it should up to 64 containers, and then no more, is the first point from which no
// doubling saves a tenth: at 60.9, a doubling ends at 1 s instead of 1.05.
func TestKnee(t *testing.T) {
	c, err := CurveOf(staircase{}, Room{Policy: dag.YARN, Containers: 4, ContainerMB: 1}, []int{400})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Points) > CurvePoints || c.Points[0].Room.Containers != 1 ||
		c.Points[len(c.Points)-1].Room.Containers < 400 {
		t.Errorf("%d points, from %v to %v", len(c.Points), c.Points[0].Room, c.Points[len(c.Points)-1].Room)
	}
	knee, before := c.Points[c.Knee], c.Points[c.Knee-1]
	if knee.Room.Containers < 58 || knee.Room.Containers > 71 || before.Room.Containers >= 60 {
		t.Errorf("the knee is at %v, the point before at %v", knee.Room, before.Room)
	}
	base := 0
	for _, p := range c.Points {
		if p.Base {
			base++
			if p.Room.Containers != 4 || p.Remaining != 16*time.Second {
				t.Errorf("%+v", p)
			}
		}
	}
	if base != 1 {
		t.Errorf("%d points are the base", base)
	}
}

func TestTogether(t *testing.T) {
	if _, err := Together([]Change{{Scale: 2}, {Scale: 3}}); err == nil {
		t.Error("two scales at once")
	}
	if _, err := Together([]Change{{Slots: []Slots{{N: 3}}}, {Slots: []Slots{{Which: Maps, N: 3}}}}); err == nil {
		t.Error("two numbers of map slots at once")
	}
	c, err := Together([]Change{
		{Slots: []Slots{{Which: Maps, N: 3}}},
		{Slots: []Slots{{Which: Reduces, N: 2}}},
		{Failures: []Failure{{What: FailNode}}},
		{Failures: []Failure{{What: FailTask}}},
		{Scale: 2},
		{Even: true},
		{Policy: FIFO},
	})
	if want := "policy fifo, slots map=3, slots reduce=2, scale 2, skew none, fail task, fail node"; err != nil ||
		c.String() != want {
		t.Errorf("%s, %v; want %s", c, err, want)
	}
}
