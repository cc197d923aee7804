package nearestfit

import (
	"cmp"
	"math"
	"slices"
)

// naive is facts/nearestfit.md B4 read word by word: lists, no index, no bound. Only the fits are the package's.
type naive struct {
	p              Params
	tasks          []naiveTask
	points         []point
	implicit       []float64
	seconds, bytes float64
}

type naiveTask struct {
	explicit, implicit []float64
	left, last         float64
	points             []point
	seconds, bytes     float64
	total              float64
}

func (n *naive) record(task int, at, x, seconds float64) {
	t := &n.tasks[task]
	t.points, n.points = n.join(t.points, x, seconds), n.join(n.points, x, seconds)
	t.last = at
	t.seconds, n.seconds = t.seconds+seconds, n.seconds+seconds
	t.bytes, n.bytes = t.bytes+x, n.bytes+x
	best := -1
	for i, s := range t.explicit {
		if best < 0 || math.Abs(s-x) < math.Abs(t.explicit[best]-x) {
			best = i
		}
	}
	if best >= 0 && math.Abs(t.explicit[best]-x) <= n.p.MatchRatio*x {
		t.explicit = slices.Delete(t.explicit, best, best+1)
		return
	}
	t.left = max(0, t.left-x)
	t.implicit, n.implicit = append(t.implicit, x), append(n.implicit, x)
}

func (n *naive) join(points []point, x, seconds float64) []point {
	for i := range points {
		if c := &points[i]; c.Size == x && math.Abs(c.Mean-seconds) <= n.p.SmoothSeconds {
			c.Mean += (seconds - c.Mean) / (c.Count + 1)
			c.Count++
			return points
		}
	}
	return append(points, point{Size: x, Mean: seconds, Count: 1})
}

func (n *naive) fit(points []point) (powerFit, bool) {
	if n.p.Use == NeighboursOnly {
		return powerFit{}, false
	}
	sorted := slices.Clone(points)
	slices.SortStableFunc(sorted, func(a, b point) int { return cmp.Compare(a.Size, b.Size) })
	return fitPower(weighted(sorted, n.p.Weights), mostPower)
}

func (n *naive) near(points []point, x float64) (float64, bool) {
	sum, count := 0.0, 0.0
	for _, c := range points {
		if c.Size >= x-n.p.DeltaBytes && c.Size <= x+n.p.DeltaBytes && n.p.Use != FitOnly {
			sum += c.Mean * c.Count
			count += c.Count
		}
	}
	return sum / count, count > 0
}

func (n *naive) time(task int, x float64) (float64, Rule) {
	t := &n.tasks[task]
	own := t.points
	if n.p.Pooled {
		own = n.pooled()
	}
	if f, ok := n.near(t.points, x); ok {
		return f, OwnNeighbours
	}
	if m, ok := n.fit(own); ok && m.R2 >= n.p.R2 {
		return m.At(x), OwnFit
	}
	if f, ok := n.near(n.points, x); ok {
		return f, JobNeighbours
	}
	var best *powerFit
	low := math.Inf(1)
	for i := range n.tasks {
		of := n.tasks[i].points
		if n.p.Pooled {
			of = n.pooled()
		}
		m, ok := n.fit(of)
		if !ok {
			continue
		}
		worth := -m.R2
		if len(t.points) > 0 {
			worth = 0
			for _, c := range t.points {
				worth += (c.Mean - m.At(c.Size)) * (c.Mean - m.At(c.Size))
			}
		}
		if worth < low {
			best, low = &m, worth
		}
	}
	if best != nil {
		return best.At(x), BestFit
	}
	if n.bytes > 0 {
		return n.seconds / n.bytes * x, Fallback
	}
	return math.NaN(), NoRule
}

func (n *naive) pooled() []point {
	var all []point
	for i := range n.tasks {
		all = append(all, n.tasks[i].points...)
	}
	return all
}

func (n *naive) remaining(task int) float64 {
	t := &n.tasks[task]
	sum := 0.0
	for _, x := range t.explicit {
		f, _ := n.time(task, x)
		sum += f
	}
	if t.left == 0 {
		return sum
	}
	histogram := t.implicit
	if total(histogram) == 0 {
		histogram = n.implicit
	}
	if total(histogram) == 0 {
		return sum + t.left*n.seconds/n.bytes
	}
	for _, x := range histogram {
		f, _ := n.time(task, x)
		sum += t.left / total(histogram) * f
	}
	return sum
}

func total(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum
}

func (n *naive) ratios(task int) (job, own float64) {
	t := &n.tasks[task]
	rest := max(0, t.total-t.bytes)
	job = n.seconds / n.bytes * rest
	if n.bytes == 0 {
		job = math.NaN()
	}
	if t.bytes > n.p.TaskRatioMin*t.total {
		return job, t.seconds / t.bytes * rest
	}
	return job, job
}

// A turn is a task in list scheduling: finished or begun at an instant, or not begun, with the seconds left.
type turn struct {
	state   state
	at      float64
	seconds float64
}

type state int

const (
	unscheduled state = iota
	running
	finished
)

// naiveEnd is list scheduling, slot by slot (sections 3.2 and 3.6).
func naiveEnd(tasks []turn, slots int, now float64) float64 {
	end, busy := math.Inf(-1), 0
	var free []float64
	for _, t := range tasks {
		if t.state == finished {
			end = max(end, t.at)
		}
		if t.state == running {
			busy++
			free = append(free, max(now, t.at+t.seconds))
			end = max(end, free[len(free)-1])
		}
	}
	for range slots - busy {
		free = append(free, now)
	}
	for _, t := range tasks {
		if t.state != unscheduled {
			continue
		}
		if len(free) == 0 {
			return math.NaN()
		}
		slices.Sort(free)
		free[0] += t.seconds
		end = max(end, free[0])
	}
	if len(tasks) == 0 {
		return math.NaN()
	}
	return end
}
