package simulation

import (
	"math/rand/v2"

	"github.com/paratimer/paratimer/estimators/queueing"
)

// The centres that a task visits, in order.
const (
	cpu = iota
	fibre
	disk
	network
	kinds
)

// draw returns a task's service demand at each centre. remote is the share of its network demand that crosses the
// network.
func (r *run) draw(d queueing.Demand, times, remote float64) [kinds]float64 {
	all := [kinds]float64{d.CPU * times, d.Fibre * times, d.Disk * times, d.Network * times * remote}
	if r.options.Distribution == Exponential {
		for i := range all {
			all[i] *= r.random.ExpFloat64()
		}
	}
	return all
}

// source returns the random source of a run. Each run of a seed has its own stream.
func source(seed uint64, run int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(run)))
}
