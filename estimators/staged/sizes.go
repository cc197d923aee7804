package staged

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// learnSizes finds how many units each task of a stage has, those of the stages before it being known.
func (m *Model) learnSizes(j int, k dag.StageIndex, l *law) {
	n := m.snapshot.Plan.Jobs[j].Stages[k].Count()
	l.size = make([]float64, n)
	l.sized = true
	if !l.seen.records {
		for i := range l.size {
			l.size[i] = l.prior.unit(i, n)
		}
		return
	}
	expected := l.expected(n)
	told, of := 0.0, 0.0
	open := make([]bool, n)
	for i := range open {
		open[i] = true
	}
	for _, e := range l.seen.ended {
		l.size[e.task], open[e.task] = e.units, false
		told += e.units
		of += expected[e.task]
	}
	// A running task that has all of its input tells how much that is.
	fetched := make(map[int32]float64)
	for _, a := range l.seen.running {
		if v := a.Total[dag.Copy]; v > 0 && open[a.Task] && !l.prior.own {
			fetched[a.Task] = v
			open[a.Task] = false
			l.size[a.Task] = v
			told += v
			of += expected[a.Task]
		}
	}
	rest := 0.0
	for i, o := range open {
		if o {
			rest += expected[i]
		}
	}
	ratio := 1.0
	switch in := m.input(j, k); {
	case l.prior.own:
	case in > 0 && rest > 0:
		ratio = max(in-told, 0.02*in*rest/(rest+of)) / rest
	case of > 0 && told > 0:
		usual := 0.0
		if l.prior.n > 0 {
			usual = expectedTasks * of / float64(len(l.seen.ended)+len(fetched))
		}
		ratio = (told + usual) / (of + usual)
	}
	perByte := 0.0
	if l.seen.bytes > 0 && told > 0 && !m.snapshot.Plan.Jobs[j].Stages[k].ReadsRecords() {
		perByte = told / l.seen.bytes
	}
	// Of a task that reports its progress what it has read tells how much it reads in all.
	totals, mean, count := make(map[int32]float64), 0.0, 0.0
	for _, a := range l.seen.running {
		if total := m.totalBy(l, a); total > 0 {
			totals[a.Task] = total
			mean, count = mean+total, count+1
		}
	}
	known := m.input(j, k) > 0 || l.prior.n > 0 || len(l.seen.ended)+len(fetched) > 0
	if l.sized = known || count > 0; !known && count > 0 {
		ratio = mean / count
	}
	for i, o := range open {
		if o {
			l.size[i] = expected[i] * ratio
		}
	}
	for _, a := range l.seen.running {
		switch total, told := totals[a.Task]; {
		case told && known:
			share := l.progress(a)
			l.size[a.Task] += share / (share + progressRatio) * (total - l.size[a.Task])
		case told:
			l.size[a.Task] = total
		case perByte > 0 && a.Bytes > 0:
			l.size[a.Task] = perByte * a.Bytes
		}
		if d := done(a); d > l.size[a.Task] {
			l.size[a.Task] = d
		}
	}
}

// totalBy is how many records a running attempt reads in all, by its progress; 0 where that does not tell. The engine
// gives progress now and records at times: those read by then are of the progress that it had then.
func (m *Model) totalBy(l *law, a *dag.Attempt) float64 {
	share, read := l.progress(a), done(a)
	if !(share > leastShare) || !(read > 0) {
		return 0
	}
	if from := l.begin(a); a.Last.At > from && a.Last.At < m.snapshot.At {
		share *= float64(a.Last.At-from) / float64(m.snapshot.At-from)
	}
	return read / share
}

// leastShare is the progress from which on it tells a task's size.
const leastShare = 0.1

// expectedTasks is how many tasks that have ended the profile's sizes weigh as much as: those that end first are the
// small ones.
const expectedTasks = 1

// expected are the tasks' units before this run has told any, up to a factor: the profile's, task by task where there
// are as many.
func (l *law) expected(n int) []float64 {
	p := &l.prior
	mean, slope := 1.0, 0.0
	if p.n > 0 && p.total > 0 && p.records {
		if p.n == n {
			return p.units
		}
		mean, slope = p.total/float64(p.n), p.trend()
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = mean * (1 + slope*place(i, n))
	}
	return out
}

// place is where a task is among n of them, from -0.5 for the first to 0.5 for the last.
func place(i, n int) float64 { return float64(i)/float64(max(1, n-1)) - 0.5*min(1, float64(n-1)) }

// trend is by how much the last task is larger than the first, in mean tasks. Engines sort the input of a scan by size.
// Where the sizes do not follow a line, none is expected.
func (p *prior) trend() float64 {
	mean := p.total / float64(p.n)
	xy, xx, yy := 0.0, 0.0, 0.0
	for i, units := range p.units {
		x, y := place(i, p.n), units/mean-1
		xy, xx, yy = xy+x*y, xx+x*x, yy+y*y
	}
	if p.n <= 2 || !(yy > 0) {
		return 0
	}
	slope, follows := xy/xx, xy*xy/(xx*yy)
	return min(max(slope*follows, -2), 2)
}

// input is how many records all tasks of a stage read together: what the stages before it have written and are expected
// to write; 0 where that is not known.
func (m *Model) input(j int, k dag.StageIndex) float64 {
	job := &m.snapshot.Plan.Jobs[j]
	total := 0.0
	for _, e := range job.Stages[k].After {
		if e.Kind == dag.Broadcast {
			continue
		}
		from := &m.stages[j][e.From]
		wrote, known := from.seen.out, from.seen.out > 0
		left := 0.0
		for _, size := range from.size {
			left += size
		}
		for _, e := range from.seen.ended {
			left -= e.units
		}
		if left > 0 && len(from.seen.ended) < len(from.size) {
			if math.IsNaN(from.sel) {
				return 0
			}
			wrote += left * from.sel
			known = true
		}
		if !known {
			return 0
		}
		total += wrote
	}
	if share := m.stages[j][k].prior.share; share > 0 {
		total *= share
	}
	return total
}

// taskSize is how many records a task reads, NaN where nothing tells.
func (m *Model) taskSize(j int, k dag.StageIndex, i int) float64 {
	if l := &m.stages[j][k]; l.sized && l.seen.records && i >= 0 && i < len(l.size) {
		return l.size[i]
	}
	return math.NaN()
}
