package simulation

import (
	"math/rand/v2"

	"github.com/paratimer/paratimer/estimators/queueing"
)

// The centres that a task visits, in this order.
const (
	cpu = iota
	fibre
	disk
	network
	kinds
)

// draw is the service that one task asks of each centre, remote the share of it that comes over the network.
func (r *run) draw(d queueing.Demand, times, remote float64) [kinds]float64 {
	all := [kinds]float64{d.CPU * times, d.Fibre * times, d.Disk * times, d.Network * times * remote}
	if r.options.Distribution == Exponential {
		for i := range all {
			all[i] *= r.random.ExpFloat64()
		}
	}
	return all
}

// source is the randomness of a run: runs of one seed share nothing.
func source(seed uint64, run int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(run)))
}
