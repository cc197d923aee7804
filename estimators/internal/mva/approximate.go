package mva

import (
	"fmt"
	"math"
)

// Options control the fixpoint iteration; zeroes select the defaults.
type Options struct {
	Tolerance     float64 // change of a queue, in customers, at which it ends; 1e-13 of the population
	Damping       float64 // kept part of the last queue, from 0 to below 1; none
	MaxIterations int     // 100,000
}

const (
	defaultTolerance  = 1e-13
	defaultIterations = 100_000
)

func (o Options) check(total float64) (Options, error) {
	if !(o.Tolerance >= 0) || !(o.Damping >= 0 && o.Damping < 1) || o.MaxIterations < 0 {
		return o, &NetworkError{
			-1, -1,
			fmt.Sprintf("tolerance %v, damping %v, at most %d iterations: give a tolerance from 0, a damping from 0 to below 1, iterations from 0",
				o.Tolerance, o.Damping, o.MaxIterations),
		}
	}
	if o.Tolerance == 0 {
		o.Tolerance = defaultTolerance * max(1, total)
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = defaultIterations
	}
	return o, nil
}

// BardSchweitzer approximates the network: an arriving customer finds the average queue, minus its own part (P.
// Schweitzer, 1979). Its cost does not depend on the population. It is exact for a single customer of a single
// class, and wrong by some percent if a few customers are at nearly equal centers.
//
// A center of s servers becomes a single one that is s times as fast, and a delay for the rest of the demand (A.
// Seidmann, P. Schweitzer and S. Shalev-Oren, 1987).
//
// If the iteration does not converge, the result says so; errors are a *NetworkError.
func BardSchweitzer(n *Network, o Options) (*Result, error) {
	if err := check(n); err != nil {
		return nil, err
	}
	total := 0.0
	for _, population := range n.Population {
		total += float64(population)
	}
	o, err := o.check(total)
	if err != nil {
		return nil, err
	}
	a := newApproximate(n)
	iterations, change := 0, 0.0
	for iterations < o.MaxIterations {
		iterations++
		if change = a.step(o.Damping); change <= o.Tolerance {
			break
		}
	}
	for i, c := range a.classes {
		a.throughput[c] = a.x[i]
	}
	r := n.result(a.residence, a.throughput)
	r.Iterations, r.Residual, r.Converged = iterations, change, change <= o.Tolerance
	return r, nil
}

type approximate struct {
	n          *Network
	classes    []int
	residence  [][]float64
	throughput []float64
	x          []float64
	waiting    [][]float64 // [class that takes part][center] customers where queues are possible
	all        []float64   // sums of waiting
}

func newApproximate(n *Network) *approximate {
	a := &approximate{
		n: n, residence: make([][]float64, len(n.Population)),
		throughput: make([]float64, len(n.Population)), all: make([]float64, len(n.Centres)),
	}
	for c, population := range n.Population {
		var ok bool
		if a.residence[c], a.throughput[c], ok = n.settled(c); ok {
			continue
		}
		a.classes = append(a.classes, c)
		// At first customers are spread by their demands.
		waiting, cycle := make([]float64, len(n.Centres)), n.think(c)
		for _, d := range n.Demand[c] {
			cycle += d
		}
		for k, d := range n.Demand[c] {
			if s := n.servers(k); s > 0 {
				waiting[k] = float64(population) * d / float64(s) / cycle
				a.all[k] += waiting[k]
			}
		}
		a.waiting = append(a.waiting, waiting)
	}
	a.x = make([]float64, len(a.classes))
	return a
}

// step updates all queues and returns the largest change of one.
func (a *approximate) step(damping float64) float64 {
	change := 0.0
	next := make([]float64, len(a.all))
	for i, c := range a.classes {
		population, cycle := float64(a.n.Population[c]), a.n.think(c)
		for k, d := range a.n.Demand[c] {
			r := d
			if s := float64(a.n.servers(k)); s > 0 {
				r = d/s*(1+a.all[k]-a.waiting[i][k]/population) + d*(s-1)/s
			}
			a.residence[c][k] = r
			cycle += r
		}
		a.x[i] = population / cycle
		for k, d := range a.n.Demand[c] {
			s := float64(a.n.servers(k))
			if s == 0 {
				continue
			}
			now := a.x[i] * (a.residence[c][k] - d*(s-1)/s)
			now += damping * (a.waiting[i][k] - now)
			change = max(change, math.Abs(now-a.waiting[i][k]))
			a.waiting[i][k] = now
			next[k] += now
		}
	}
	a.all = next
	return change
}
