package mva

import (
	"fmt"
	"math"
)

// A NetworkError means that a network is invalid. Class and Centre are from 0, -1 if the fault is not that of one.
type NetworkError struct {
	Class, Centre int
	What          string
}

func (e *NetworkError) Error() string {
	switch {
	case e.Class >= 0 && e.Centre >= 0:
		return fmt.Sprintf("class %d at centre %d: %s", e.Class+1, e.Centre+1, e.What)
	case e.Class >= 0:
		return fmt.Sprintf("class %d: %s", e.Class+1, e.What)
	case e.Centre >= 0:
		return fmt.Sprintf("centre %d: %s", e.Centre+1, e.What)
	}
	return e.What
}

// A SizeError means that an exact solution of a network would take too much time or memory.
type SizeError struct {
	States       float64 // Π (population + 1)
	MultiServers int     // centers with several servers: each doubles the work
	Servers      int     // of the largest of them
}

func (e *SizeError) Error() string {
	if e.Servers > maxServers {
		return fmt.Sprintf("a centre of %d servers with more customers: the exact solution takes at most %d; use Bard-Schweitzer", e.Servers, maxServers)
	}
	return fmt.Sprintf("the exact solution goes through %.4g populations, with %d centres of several servers: use Bard-Schweitzer",
		e.States, e.MultiServers)
}

func fault(class, centre int, format string, args ...any) error {
	return &NetworkError{Class: class, Centre: centre, What: fmt.Sprintf(format, args...)}
}

// maxPopulation bounds the range in which a float64 counts exactly.
const maxPopulation = 1 << 40

func check(n *Network) error {
	switch {
	case len(n.Centres) == 0:
		return fault(-1, -1, "no centres: give at least one")
	case len(n.Population) == 0:
		return fault(-1, -1, "no classes: give at least one")
	case len(n.Demand) != len(n.Population):
		return fault(-1, -1, "%d classes with the demands of %d: give each one's", len(n.Population), len(n.Demand))
	case n.Think != nil && len(n.Think) != len(n.Population):
		return fault(-1, -1, "%d classes with %d thinking times: give each one, or none", len(n.Population),
			len(n.Think))
	}
	for k, c := range n.Centres {
		if c.Servers < 0 {
			return fault(-1, k, "%d servers: give at least 1", c.Servers)
		}
	}
	for c, population := range n.Population {
		if population < 0 || population > maxPopulation {
			return fault(c, -1, "%d customers: give 0 to %d", population, maxPopulation)
		}
		if len(n.Demand[c]) != len(n.Centres) {
			return fault(c, -1, "%d demands at %d centres: give one each", len(n.Demand[c]), len(n.Centres))
		}
		total := n.think(c)
		if !(total >= 0) || math.IsInf(total, 1) {
			return fault(c, -1, "thinks for %v s: give a number from 0", total)
		}
		for k, d := range n.Demand[c] {
			if !(d >= 0) || math.IsInf(d, 1) {
				return fault(c, k, "a demand of %v s: give a number from 0", d)
			}
			total += d
		}
		if total != 0 && !(total*float64(population) < largest && total > smallest) {
			return fault(c, -1, "%d customers of %v s a cycle: beyond what can be computed; give another unit",
				population, total)
		}
	}
	return nil
}

// Bounds within which sums and quotients of demands neither overflow nor vanish.
const (
	largest  = 1e100
	smallest = 1e-100
)

func (n *Network) think(class int) float64 {
	if n.Think == nil {
		return 0
	}
	return n.Think[class]
}

// idle reports whether a class has no demand and no thinking time.
func (n *Network) idle(class int) bool {
	for _, d := range n.Demand[class] {
		if d > 0 {
			return false
		}
	}
	return n.think(class) == 0
}

// servers returns the number of servers, 0 for a delay center.
func (n *Network) servers(centre int) int {
	if n.Centres[centre].Delay {
		return 0
	}
	return max(1, n.Centres[centre].Servers)
}

// result computes a result from residences and throughputs.
func (n *Network) result(residence [][]float64, throughput []float64) *Result {
	r := &Result{Residence: residence, Throughput: throughput, Converged: true}
	for c, x := range throughput {
		utilisation, queue, response := make([]float64, len(n.Centres)), make([]float64, len(n.Centres)), 0.0
		for k, d := range n.Demand[c] {
			response += residence[c][k]
			if x > 0 && d > 0 {
				utilisation[k], queue[k] = x*d, x*residence[c][k]
			}
		}
		r.Utilisation, r.Queue, r.Response = append(r.Utilisation, utilisation), append(r.Queue, queue),
			append(r.Response, response)
	}
	return r
}

// settled returns the result of a class that does not take part: without customers, or without demands.
func (n *Network) settled(class int) (residence []float64, throughput float64, ok bool) {
	residence = make([]float64, len(n.Centres))
	switch {
	case n.Population[class] == 0:
		for k := range residence {
			residence[k] = math.NaN()
		}
		return residence, 0, true
	case n.idle(class):
		return residence, math.Inf(1), true
	}
	return residence, 0, false
}
