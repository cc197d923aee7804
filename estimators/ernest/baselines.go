package ernest

import "math"

// Baselines are what a prediction should be better than, in the order of ScoredRun.Baselines: the mean of the training
// runs; the nearest of them; work that is divided evenly, by the mean of seconds·machines; times in proportion to
// scale; and to scale/machines.
var Baselines = []string{"mean", "nearest", "1/machines", "scale", "scale/machines"}

func baselines(train []Row, r Row) []float64 {
	return []float64{
		proportional(train, r, func(Row) float64 { return 1 }),
		nearest(train, r),
		proportional(train, r, func(r Row) float64 { return 1 / r.Machines }),
		proportional(train, r, func(r Row) float64 { return r.Scale }),
		proportional(train, r, func(r Row) float64 { return r.Scale / r.Machines }),
	}
}

// proportional is the mean time per unit of something, as often as the run has it.
func proportional(train []Row, r Row, of func(Row) float64) float64 {
	sum := 0.0
	for _, t := range train {
		sum += t.Seconds / of(t)
	}
	return sum / float64(len(train)) * of(r)
}

// nearest is the mean of the runs whose machines and scale are the fewest doublings away.
func nearest(train []Row, r Row) float64 {
	least, sum, n := math.Inf(1), 0.0, 0.0
	for _, t := range train {
		d := math.Abs(math.Log2(t.Machines/r.Machines)) + math.Abs(math.Log2(t.Scale/r.Scale))
		if d < least*(1-1e-12) {
			least, sum, n = d, 0, 0
		}
		if d <= least*(1+1e-12) {
			sum, n = sum+t.Seconds, n+1
		}
	}
	return sum / n
}
