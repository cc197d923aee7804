package simulation

import (
	"math"

	"github.com/paratimer/paratimer/estimators/queueing"
)

// classes sum up the residences of the tasks of each kind.
type classes [queueing.Merge + 1]class

type class struct {
	tasks     float64
	residence float64
	last      float64 // end of the last task, since submission; summed over cycles
}

func (c *classes) add(t *task, now float64) {
	k := &c[t.kind]
	k.tasks++
	k.residence += now - t.start
	k.last = now - t.copy.submitted
}

func (c *classes) addAll(o *classes) {
	for k := range c {
		c[k].tasks += o[k].tasks
		c[k].residence += o[k].residence
		c[k].last += o[k].last
	}
}

// A record is the sum of a copy's results over the cycles that count.
type record struct {
	responses, cycles float64
	classes           classes
}

// A sample is the result of one run.
type sample struct {
	makespan float64
	busy     [kinds]float64 // busy seconds of a server, mean over the servers of a kind
	jobs     []record
}

func (r *run) sample() *sample {
	s := &sample{makespan: r.now, jobs: make([]record, len(r.spec.Jobs))}
	for _, c := range r.copies {
		j := &s.jobs[c.job]
		j.responses += c.took.responses
		j.cycles += c.took.cycles
		j.classes.addAll(&c.took.classes)
	}
	servers := [kinds]float64{}
	for i := range r.centres {
		c := &r.centres[i]
		c.pass(r.now)
		k := i % 3
		if i == len(r.centres)-1 {
			k = network
		}
		s.busy[k] += c.busy
		servers[k] += c.servers
	}
	for k := range s.busy {
		s.busy[k] /= servers[k]
	}
	return s
}

// mean returns the mean of a figure over samples, with its standard error.
func mean(all []*sample, of func(*sample) float64) Mean {
	n, sum := float64(len(all)), 0.0
	for _, s := range all {
		sum += of(s)
	}
	m := Mean{Value: sum / n}
	square := 0.0
	for _, s := range all {
		d := of(s) - m.Value
		square += d * d
	}
	m.StandardError = math.Sqrt(square / (n - 1) / n)
	return m
}

func result(s *queueing.Spec, all []*sample) *Result {
	res := &Result{Runs: len(all), Makespan: mean(all, func(s *sample) float64 { return s.makespan })}
	for k, to := range []*float64{&res.CPU, &res.Fibre, &res.Disk, &res.Network} {
		if res.Makespan.Value > 0 {
			*to = mean(all, func(s *sample) float64 { return s.busy[k] }).Value / res.Makespan.Value
		}
	}
	for j := range s.Jobs {
		of := func(f func(*record) float64) Mean { return mean(all, func(s *sample) float64 { return f(&s.jobs[j]) }) }
		residence := func(k queueing.Kind) Mean {
			if k != queueing.Map && s.Jobs[j].Reduces == 0 {
				return Mean{}
			}
			return of(func(r *record) float64 { return r.classes[k].residence / r.classes[k].tasks })
		}
		res.Jobs = append(res.Jobs, Job{
			Name:        s.Jobs[j].Name,
			Response:    of(func(r *record) float64 { return r.responses / r.cycles }),
			Map:         residence(queueing.Map),
			Shuffle:     residence(queueing.Shuffle),
			Merge:       residence(queueing.Merge),
			LastMap:     of(func(r *record) float64 { return r.classes[queueing.Map].last / r.cycles }),
			LastShuffle: of(func(r *record) float64 { return r.classes[queueing.Shuffle].last / r.cycles }),
		})
	}
	return res
}
