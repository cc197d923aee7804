package phase

// A Run is a finished reduce phase, from instant 0 on.
type Run struct {
	Work  *Work
	Slots int
	Start []float64 // by task
	Stop  []float64
	Over  float64 // when the last task stopped
	Seen  []Point // the reported points, by instant, then task
}

// Play runs the tasks in index order, each on the first free slot. The shuffle takes no time.
func Play(w *Work, slots int) *Run {
	n := len(w.Order)
	r := &Run{Work: w, Slots: slots, Start: make([]float64, n), Stop: make([]float64, n)}
	free := make([]float64, slots)
	for task, order := range w.Order {
		first := 0
		for s := range free {
			if free[s] < free[first] {
				first = s
			}
		}
		r.Start[task] = free[first]
		at := free[first]
		for _, key := range order {
			at += w.Groups[key].Seconds
		}
		r.Stop[task] = at
		free[first] = at
		r.Over = max(r.Over, at)
	}
	r.Seen = r.points()
	return r
}
