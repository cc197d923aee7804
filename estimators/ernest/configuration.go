package ernest

import "math"

// A configuration summarizes the runs that have the same machines and scale.
type configuration struct {
	machines, scale float64
	features        []float64 // of the model
	runs            float64
	seconds         float64 // mean of the runs
	log, variance   float64 // mean and variance of the logarithms of the seconds
}

// configured summarizes the runs of each group, in the order of the groups. It leaves out runs that took no time.
func configured(rows []Row, group []int, groups int, features func(i int) []float64) []configuration {
	all := make([]configuration, groups)
	for i, r := range rows {
		if r.Seconds <= 0 {
			continue
		}
		c, log := &all[group[i]], math.Log(r.Seconds)
		if c.runs == 0 {
			c.machines, c.scale, c.features = r.Machines, r.Scale, features(i)
		}
		c.runs++
		c.seconds += (r.Seconds - c.seconds) / c.runs
		before := c.log
		c.log += (log - c.log) / c.runs
		c.variance += (log - before) * (log - c.log)
	}
	kept := all[:0]
	for _, c := range all {
		if c.runs > 0 {
			c.variance /= c.runs
			kept = append(kept, c)
		}
	}
	return kept
}

// thinned keeps at most most configurations, evenly spaced.
func thinned(all []configuration, most int) []configuration {
	if len(all) <= most {
		return all
	}
	kept := make([]configuration, most)
	for i := range kept {
		kept[i] = all[i*len(all)/most]
	}
	return kept
}

// directions counts the ways to leave the range of the rows: more machines, fewer machines, more input, less input.
const directions = 4

// A way is the distance of a point beyond the rows in each direction, in doublings.
type way [directions]float64

func (r reach) way(machines, scale float64) way {
	w := way{machines / r.machines[1], r.machines[0] / machines, scale / r.scale[1], r.scale[0] / scale}
	for d, factor := range w {
		w[d] = math.Log2(beyond(factor, [2]float64{0, 1}))
	}
	return w
}

// only reports whether w leaves the range in the given direction and in no other.
func (w way) only(direction int) bool {
	for d, v := range w {
		if (v > 0) != (d == direction) {
			return false
		}
	}
	return true
}

func reachOfConfigurations(all []configuration) reach {
	rows := make([]Row, len(all))
	for i, c := range all {
		rows[i] = Row{Machines: c.machines, Scale: c.scale, Seconds: c.seconds}
	}
	return reachOf(rows)
}
