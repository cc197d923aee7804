package whatif

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// staircase takes a second on 64 slots and more, and is twice as fast on twice the slots up to there.
func staircase(c Change) (time.Duration, error) {
	n := 4.0
	for _, s := range c.Slots {
		n = s.N
	}
	return time.Duration(max(1, 64/n) * float64(time.Second)), nil
}

// The knee of a curve that falls as it should up to 64 containers, and then no more, is the first point from which no
// doubling saves a tenth: at 60.9, a doubling ends at 1 s instead of 1.05.
func TestKnee(t *testing.T) {
	c, err := curveOf(staircase, Room{Policy: dag.YARN, Containers: 4, ContainerMB: 1}, []int{400})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Points) > curvePoints || c.Points[0].Room.Containers != 1 ||
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
	twice := Pace{Factor: 2}
	if _, err := Together([]Change{{Pace: []Pace{twice}}, {Pace: []Pace{twice}}}); err == nil {
		t.Error("two paces of all jobs at once")
	}
	if c, err := Together([]Change{{Pace: []Pace{twice}}, {Pace: []Pace{{"j", 3}}}}); err != nil ||
		c.String() != "pace 2, pace j=3" {
		t.Errorf("%s, %v", c, err)
	}
	c, err := Together([]Change{
		{Slots: []Slots{{Which: Maps, N: 3}}},
		{Slots: []Slots{{Which: Reduces, N: 2}}},
		{Failures: []Failure{{What: FailNode}}},
		{Failures: []Failure{{What: FailTask}}},
		{Scale: 2},
		{Even: true},
		{Ideal: true},
	})
	if want := "policy ideal, slots map=3, slots reduce=2, scale 2, skew none, fail task, fail node"; err != nil ||
		c.String() != want {
		t.Errorf("%s, %v; want %s", c, err, want)
	}
}
