package whatif

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// Room is how many tasks can run at once.
type Room struct {
	Policy dag.Policy
	// N is the number of map slots and of reduce slots under FIFO. Of executors, N[0] is the number of cores. Under
	// YARN, N[0] is the number of containers that fit into our queue's share of the memory; application masters use
	// some of them. N[0] is 0 if it is unknown.
	N           [2]int
	ContainerMB int // YARN: the largest container that a task requests
}

// Total returns the number of all slots, containers or cores.
func (r Room) Total() int { return r.N[0] + r.N[1] }

// roomOf returns the room of a snapshot's cluster.
func roomOf(s *dag.Snapshot) Room {
	c := &s.Plan.Cluster
	switch c.Policy {
	case dag.FIFO:
		return Room{Policy: dag.FIFO, N: [2]int{c.MapSlots, c.ReduceSlots}}
	case dag.Executors:
		return Room{Policy: dag.Executors, N: [2]int{capacity(s)}}
	}
	mb := slotSize(s.Plan)
	return Room{Policy: dag.YARN, N: [2]int{capacity(s) / mb}, ContainerMB: mb}
}

// slotSize returns the pool's capacity for one slot: the largest container in MB that a task requests, or one core.
func slotSize(p *dag.Plan) int {
	if p.Cluster.Policy == dag.Executors {
		return 1
	}
	mb := 0
	for j := range p.Jobs {
		for k := range p.Jobs[j].NumStages() {
			if stage := &p.Jobs[j].Stages[k]; stage.Count() > 0 || !stage.Known {
				mb = max(mb, need(p, j, k))
			}
		}
	}
	return cmp.Or(mb, dag.DefaultMB)
}

// need returns the capacity for a task of a stage: MB, 0 if unknown, or cores of executors.
func need(p *dag.Plan, j int, k dag.StageIndex) int {
	job := &p.Jobs[j]
	if p.Cluster.Policy == dag.Executors {
		return max(job.Stages[k].Cores, 1)
	}
	return job.TaskMB(k)
}

// capacity returns our queue's share of a pool: MB, or cores of executors.
func capacity(s *dag.Snapshot) int {
	c := &s.Plan.Cluster
	most := *size(c)
	if sum := nodesSize(s); sum > 0 && (most == 0 || sum < most) {
		most = sum
	}
	if c.QueueMB > 0 && c.Policy != dag.Executors {
		most = min(most, c.QueueMB)
	}
	return most
}

// size returns the whole capacity of a pool: MB, or cores of executors.
func size(c *dag.Cluster) *int {
	if c.Policy == dag.Executors {
		return &c.Cores
	}
	return &c.MemoryMB
}

// nodeSize returns a node's capacity for tasks: MB, or cores of an executor.
func nodeSize(s *dag.Snapshot, n *dag.NodeState) *int {
	if s.Plan.Cluster.Policy == dag.Executors {
		return &n.Cores
	}
	return &n.MemoryMB
}

func nodesSize(s *dag.Snapshot) int {
	sum := 0
	for i := range s.Nodes {
		if !s.Nodes[i].Lost {
			sum += *nodeSize(s, &s.Nodes[i])
		}
	}
	return sum
}

// A Point of a curve is the remaining time of the query with a number of slots.
type Point struct {
	Room      Room
	Remaining time.Duration
	Base      bool // the unchanged cluster
}

// A Curve is time against slots, in ascending order of slots. Under FIFO both kinds of slots grow together.
type Curve struct {
	Points []Point
	// Knee is the first point from which on no doubling saves KneeGain or more; -1 if the curve is flat at 0 or
	// empty.
	Knee int
}

// KneeGain is the share of the time that a doubling of the slots must save to be worthwhile; perfect scaling would
// save half. A rule about doublings does not depend on the range of the curve. A curvature does (Kneedle: Satopää et
// al., "Finding a Kneedle in a Haystack", 2011): its knee moves with the end of the curve.
const KneeGain = 0.1

// A curve has at most so many points, and begins so many halvings below the present cluster.
const (
	curvePoints   = 32
	curveHalvings = 2
)

// Curve computes time against slots: from a quarter of the room to a slot for each task that can run at once. The error
// is an *UnsupportedError if the room or the time of the query is unknown.
func (r *Replay) Curve() (*Curve, error) {
	base, err := r.Predict(Change{})
	if err == nil && base.Remaining == nil {
		err = &UnsupportedError{"slots", "the time of the query is unknown"}
	}
	if err != nil {
		return nil, err
	}
	return curveOf(r.End, r.Room(), r.wanted())
}

// curveOf computes the curve around a room. wanted is the number of slots of each kind that the tasks need.
func curveOf(end func(Change) (time.Duration, error), room Room, wanted [2]int) (*Curve, error) {
	if room.Policy != dag.FIFO && room.Total() == 0 {
		return nil, &UnsupportedError{"slots", "the memory of the cluster is unknown"}
	}
	most := 1.0
	for k, n := range room.N {
		if n > 0 {
			most = max(most, float64(wanted[k])/float64(n))
		}
	}
	up := math.Ceil(math.Log2(most)) + 1
	doubling := max(1, int((curvePoints-1)/(up+curveHalvings))) // points between a number of slots and its double
	c := &Curve{Knee: -1}
	for i := -curveHalvings * doubling; i <= int(up)*doubling && len(c.Points) < curvePoints; i++ {
		at := room.times(math.Exp2(float64(i) / float64(doubling)))
		if i == 0 {
			at = room
		}
		if n := len(c.Points); n > 0 && at == c.Points[n-1].Room && i != 0 {
			continue
		}
		d, err := end(at.change(room))
		if err != nil {
			if i < 0 { // too small to run any task
				continue
			}
			return nil, err
		}
		if n := len(c.Points); n > 0 && at == c.Points[n-1].Room {
			c.Points = c.Points[:n-1]
		}
		c.Points = append(c.Points, Point{Room: at, Remaining: d, Base: i == 0})
	}
	c.knee()
	return c, nil
}

// times scales the slots of a room, rounded, to at least one of each existing kind.
func (r Room) times(f float64) Room {
	for k, n := range r.N {
		if n > 0 {
			r.N[k] = max(1, int(min(math.Round(f*float64(n)), dag.MaxSlots)))
		}
	}
	return r
}

// change returns the change that leads from another room to this one.
func (r Room) change(from Room) (c Change) {
	for k, n := range r.N {
		which := [...]Which{Maps, Reduces}[k]
		if r.Policy != dag.FIFO {
			which = Both
		}
		if r != from && n > 0 {
			c.Slots = append(c.Slots, Slots{Which: which, N: float64(n)})
		}
	}
	return c
}

// String formats a room: "16 map and 8 reduce slots", "12 containers", "40 cores".
func (r Room) String() string {
	switch r.Policy {
	case dag.FIFO:
		return fmt.Sprintf("%d map and %d reduce slots", r.N[0], r.N[1])
	case dag.Executors:
		return fmt.Sprintf("%d cores", r.N[0])
	}
	return fmt.Sprintf("%d containers", r.N[0])
}

// knee sets Knee.
func (c *Curve) knee() {
	if !slices.ContainsFunc(c.Points, func(p Point) bool { return p.Remaining > 0 }) {
		return // no task is left, so slots make no difference
	}
	c.Knee = len(c.Points) - 1
	for i := len(c.Points) - 1; i >= 0; i-- {
		at, more := c.Points[i], c.Points[i+1:]
		double := func(p Point) bool { return p.Room.Total() >= 2*at.Room.Total() }
		if j := slices.IndexFunc(more, double); j >= 0 {
			t, twice := at.Remaining, more[j].Remaining
			if float64(t-twice) >= KneeGain*float64(t) && t > 0 {
				return
			}
		}
		c.Knee = i
	}
}
