package simulation

import (
	"math"
	"testing"

	"github.com/paratimer/paratimer/estimators/queueing"
)

// Jobs of a single map that are submitted again when they end are a closed network, for which mean value analysis is
// exact under processor sharing. The throughputs are those of octave-queueing 1.2.7 (docs/facts/queueing.md b).
func TestExactMVA(t *testing.T) {
	type demand = queueing.Demand
	const delay = 20 // servers enough for all
	for _, c := range []struct {
		name       string
		cpus       int
		copies     []int
		demands    []demand
		throughput []float64
	}{
		{"N1", 1, []int{5}, []demand{{CPU: .5, Fibre: .2, Disk: .1}}, []float64{1.98051948052}},
		{
			"N1z", delay,
			[]int{5},
			[]demand{{CPU: 2, Fibre: .2, Disk: .5, Network: .1}},
			[]float64{1.46890535458},
		},
		{
			"N2", 4,
			[]int{4},
			[]demand{{CPU: 5.0764, Fibre: .0677, Disk: 3.1844}},
			[]float64{.295854939386},
		},
		{
			"N2b", 4,
			[]int{8},
			[]demand{{CPU: 5.0764, Fibre: .0677, Disk: 3.1844}},
			[]float64{.31358856304},
		},
		{
			"N3", 1,
			[]int{3, 2},
			[]demand{{CPU: 1, Fibre: 2, Disk: .5}, {CPU: .7, Fibre: 1.2, Disk: 2.5}},
			[]float64{.340603941125, .20483502285},
		},
		{
			"N3z", delay,
			[]int{3, 2},
			[]demand{{CPU: 4.5, Fibre: 1, Disk: 2}, {CPU: 2.5, Fibre: .7, Disk: 1.2}},
			[]float64{.262352961763, .29413896858},
		},
		{
			"N4", delay,
			[]int{4, 1, 1},
			[]demand{
				{CPU: 5.1057, Fibre: .0677, Disk: 3.1844},
				{CPU: .6608, Fibre: .0087, Disk: .4082, Network: .185},
				{CPU: 47.258, Fibre: 1.258, Disk: 59.2157},
			},
			[]float64{.204856745755, .367024833495, .00328141061776},
		},
	} {
		s := &queueing.Spec{Nodes: 1, CPUs: c.cpus, MapSlots: 1, ShuffleThreads: 1}
		for i, d := range c.demands {
			s.Jobs = append(s.Jobs, queueing.Job{Copies: c.copies[i], Maps: 1, Map: d})
		}
		r, err := Simulate(s, Options{Runs: 20, Cycles: 400, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range c.throughput {
			want, got, off := float64(c.copies[i])/x, r.Jobs[i].Response, float64(r.Jobs[i].StandardError)
			t.Logf("%s class %d: response %.4f ± %.4f, exactly %.4f", c.name, i, got, off, want)
			if !(math.Abs(got-want) < 3.5*off+.001*want) || !(off < .03*want) {
				t.Errorf("%s class %d: response %.4f ± %.4f, exactly %.4f", c.name, i, got, off,
					want)
			}
		}
	}
}
