package queueing

import (
	"cmp"
	"math"
	"slices"
)

func sortTasks(all []task) {
	slices.SortStableFunc(all, func(a, b task) int { return cmp.Compare(a.start, b.start) })
}

// contend returns the residence of each task of a job among the tasks that it overlaps, by node (equations 5 and 6).
func (d *detail) contend(j *detailJob, ji int, others detailQueues) [][]vector {
	fresh := make([][]vector, len(d.nodes))
	for n := range d.nodes {
		seen := make([]vector, len(j.tasks[n]))
		d.meet(j.tasks[n], j.tasks[n], seen, 1, false)
		for m, g := range d.nodes {
			like := g.nodes
			if m == n {
				like--
			}
			if like > 0 {
				d.meet(j.tasks[n], j.tasks[m], seen, float64(like), true)
			}
		}
		fresh[n] = make([]vector, len(seen))
		known := map[[2]int]vector{} // by CPU and disk: a node has many tasks but few such pairs
		for i := range seen {
			t := &j.tasks[n][i]
			spot := [2]int{t.cpu, t.disk}
			apart, ok := known[spot]
			if !ok {
				apart = others.seen(ji, n, t.cpu, t.disk)
				known[spot] = apart
			}
			for k := range t.demand {
				fresh[n][i][k] = t.demand[k] * (1 + math.Max(0, seen[i][k]) + apart[k])
			}
		}
	}
	return fresh
}

// meet adds the load that each task of one list meets from the tasks of another list. If apart is true, the lists are
// of different nodes and meet only in the network. Both lists are sorted by start.
func (d *detail) meet(tasks, others []task, seen []vector, like float64, apart bool) {
	open := 0 // all others before this index have ended
	for i := range tasks {
		t := &tasks[i]
		if apart && t.demand[Network] == 0 || t.end <= t.start+merged {
			continue
		}
		for open < len(others) && others[open].end <= t.start+merged {
			open++
		}
		var own vector
		for k := range own {
			own[k] = t.stay.share(CentreKind(k))
		}
		for o := open; o < len(others) && others[o].start < t.end-merged; o++ {
			u := &others[o]
			if u.end <= t.start+merged || !apart && o == i {
				continue
			}
			if apart && u.demand[Network] == 0 {
				continue
			}
			seen[i].add(t.finds(u, own, like*d.alpha(t, u), apart))
		}
	}
}

// alpha returns the share of t that u overlaps (§3.5). With exponential times, the remaining times from when both run
// are exponential with the drawn remainder as mean: E[min] divided by t's length.
func (d *detail) alpha(t, u *task) float64 {
	from := math.Max(t.start, u.start)
	rest, other := t.end-from, u.end-from
	if d.reading.exponential {
		return rest * other / (rest + other) / (t.end - t.start)
	}
	return math.Min(rest, other) / (t.end - t.start)
}

// finds returns the load that t meets from u at its centres by equation 5: u without the delay that t causes.
func (t *task) finds(u *task, own vector, alpha float64, apart bool) (seen vector) {
	left := u.stay
	rest := u.stay.sum()
	for k := range left {
		if CentreKind(k) != Network && apart || CentreKind(k) == CPU && t.cpu != u.cpu || CentreKind(k) == Disk &&
			t.disk != u.disk {
			left[k] = 0 // the two tasks do not meet there
			continue
		}
		kept := u.demand[k] * own[k]
		left[k] -= kept
		rest -= kept
	}
	if rest <= 0 {
		return vector{}
	}
	for k := range left {
		seen[k] = alpha * left[k] / rest
	}
	return seen
}

func (v *vector) add(w vector) {
	for k := range v {
		v[k] += w[k]
	}
}
