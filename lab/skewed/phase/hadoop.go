package phase

// A Gauge returns the job's progress as Hadoop shows it, at non-decreasing instants.
type Gauge struct {
	run   *Run
	total []float64
	tasks []reader
}

// A reader is the read position of a task.
type reader struct {
	spans []span
	done  float64 // bytes of finished spans
	from  float64 // start of the current span
}

// A span is a group or a burst: the end of its processing, and its bytes.
type span struct{ until, bytes float64 }

// Gauge returns a gauge at the start of the run.
func (r *Run) Gauge() *Gauge {
	g := &Gauge{run: r, total: r.Work.Bytes(), tasks: make([]reader, len(r.Start))}
	for _, p := range r.Seen {
		t := &g.tasks[p.Task]
		if n := len(t.spans); n > 0 && t.spans[n-1].until == p.At {
			t.spans[n-1].bytes += p.Bytes * p.Count
			continue
		}
		t.spans = append(t.spans, span{p.At, p.Bytes * p.Count})
	}
	for i := range g.tasks {
		g.tasks[i].from = r.Start[i]
	}
	return g
}

// At returns the mean over the tasks of the share of bytes that was read, 0..1. The current group counts by its time,
// as the reader's position in it is not known (docs/facts/nearestfit.md N15).
func (g *Gauge) At(t float64) float64 {
	sum := 0.0
	for i := range g.tasks {
		switch {
		case t < g.run.Start[i]:
		case t >= g.run.Stop[i] || g.total[i] == 0:
			sum++
		default:
			sum += g.tasks[i].read(t) / g.total[i]
		}
	}
	return sum / float64(len(g.tasks))
}

// read returns the bytes that a task has read by t.
func (r *reader) read(t float64) float64 {
	for len(r.spans) > 0 && r.spans[0].until <= t {
		r.done += r.spans[0].bytes
		r.from = r.spans[0].until
		r.spans = r.spans[1:]
	}
	if len(r.spans) == 0 || r.spans[0].until <= r.from {
		return r.done
	}
	return r.done + r.spans[0].bytes*(t-r.from)/(r.spans[0].until-r.from)
}
