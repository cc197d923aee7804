package simulation

import (
	"testing"

	"github.com/paratimer/paratimer/estimators/queueing"
)

// Whatever the job, it takes at least as long as a chain of its tasks and as its busiest centre, and no longer than all
// tasks one after the other.
func FuzzSimulate(f *testing.F) {
	f.Add(uint8(3), uint8(4), uint8(4), uint8(1), uint8(20), uint8(3), 5., 3., .5, uint8(0))
	f.Add(uint8(1), uint8(1), uint8(1), uint8(5), uint8(1), uint8(0), 0., 0., 1., uint8(1))
	f.Add(uint8(2), uint8(1), uint8(9), uint8(2), uint8(7), uint8(9), 1e-9, 1e9, 0., uint8(7))
	f.Fuzz(func(t *testing.T, nodes, cpus, pm, ps, maps, reduces uint8, cpu, disk, net float64, how uint8) {
		s := &queueing.Spec{
			Nodes: int(nodes % 9), CPUs: int(cpus % 9), MapSlots: int(pm % 9), ShuffleThreads: int(ps % 9),
			Jobs: []queueing.Job{{
				Copies: 1, Maps: int(maps % 32), Reduces: int(reduces % 9), Map: queueing.Demand{CPU: cpu, Disk: disk},
				Shuffle: queueing.Demand{Network: net, Disk: net}, Merge: queueing.Demand{Disk: cpu, Fibre: net},
			}},
		}
		o := Options{
			Runs: 1, Distribution: Deterministic, Cycles: int(how & 3),
		}
		r, err := Simulate(s, o)
		if err != nil {
			return
		}
		j := s.Jobs[0]
		m, k := float64(j.Maps), float64(j.Reduces)
		chain, work := j.Map.Total(), m*j.Map.Total()
		if j.Reduces > 0 {
			chain += j.Shuffle.Total() - j.Shuffle.Network + j.Merge.Total()
			work += k * (m*j.Shuffle.Total() + j.Merge.Total())
		}
		const slip = 1e-6
		if got := r.Jobs[0].Response; !(got >= chain*(1-slip) && got <= work*(1+slip)) {
			t.Errorf("response %v, want %v to %v: %+v %+v", got, chain, work, s, o)
		}
		for _, u := range []float64{
			busy(r, queueing.CPU), busy(r, queueing.Fibre), busy(r, queueing.Disk), busy(r, queueing.Network),
		} {
			if !(u >= 0 && u <= 1+slip) {
				t.Errorf("utilisations of %+v", r)
			}
		}
	})
}
