package queueing

import (
	"fmt"
	"math"
	"testing"
)

// Utilizations are of all the time that is simulated, so they are the tasks' demands divided by the time that the tasks
// take. The mean of each run's own is more: a run that happens to be short is a busy one. Here it was 8% more.
func TestUtilization(t *testing.T) {
	t.Parallel()
	s := simulatedJob(4, 4, 1, 1)
	r, err := Simulate(s, SimulationOptions{Runs: 4000})
	if err != nil {
		t.Fatal(err)
	}
	j := &s.Jobs[0]
	for _, c := range []struct {
		name       string
		busy, work float64
	}{
		{"CPU", busy(r, CPU), (4*j.Map.CPU + 16*j.Shuffle.CPU + 4*j.Merge.CPU) / 16},
		{"disk", busy(r, Disk), (4*j.Map.Disk + 16*j.Shuffle.Disk + 4*j.Merge.Disk) / 4},
	} {
		if want := c.work / r.Makespan; math.Abs(c.busy/want-1) > .02 {
			t.Errorf("%s: got utilization %.4f, want %.4f", c.name, c.busy, want)
		}
	}
}

// Nodes with several disks (§4.1): the models are as near to the simulation as with one, and more disks help where
// disks are short.
func TestDisks(t *testing.T) {
	t.Parallel()
	for _, slots := range []int{2, 4, 8} {
		before := math.Inf(1)
		for _, disks := range []int{1, 2, 4} {
			s := simulatedJob(4, 128, slots, 1)
			s.Disks = disks
			r, err := Simulate(s, SimulationOptions{Runs: 200})
			if err != nil {
				t.Fatal(err)
			}
			truth, standardError := r.Jobs[0].Response, float64(r.Jobs[0].StandardError)
			if truth > before+3*standardError {
				t.Errorf("p_m %d, %d disks: %.1f s, with fewer %.1f s", slots, disks, truth, before)
			}
			before = truth
			for m, within := range map[Model][2]float64{
				Product:        {-.13, .13},
				ViannaForkJoin: {-.03, .20},
			} {
				a, err := Solve(s, m, Options{})
				if err != nil {
					t.Fatal(err)
				}
				off := a.Response()/truth - 1
				t.Logf("p_m %d, %d disks, %v: %.1f s, simulated %.1f ± %.1f, %+.1f%%", slots, disks, m, a.Response(),
					truth, standardError, 100*off)
				if off < within[0] || off > within[1] {
					t.Errorf("p_m %d, %d disks, %v: %+.1f%% off", slots, disks, m, 100*off)
				}
				for _, c := range a.Centres {
					if want := map[CentreKind]int{CPU: 4, Disk: disks}[c.Kind]; want > 0 &&
						c.Servers != want {
						t.Errorf("%v of %d servers, want %d", c.Kind, c.Servers, want)
					}
				}
			}
			work := 128*(s.Jobs[0].Map.Disk+4*s.Jobs[0].Shuffle.Disk) + 4*s.Jobs[0].Merge.Disk
			if want := work / float64(4*disks) / truth; math.Abs(busy(r, Disk)/want-1) > .05 {
				t.Errorf("p_m %d, %d disks: got utilization %.3f, want %.3f", slots, disks, busy(r, Disk), want)
			}
		}
	}
}

// Jobs of a single map that are submitted again when they end are a closed network, for which mean value analysis is
// exact under processor sharing. The throughputs are those of octave-queueing 1.2.7 (facts/queueing.md b).
func TestExactMVA(t *testing.T) {
	type demand = Demand
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
		s := &Spec{Nodes: 1, CPUs: c.cpus, MapSlots: 1, ShuffleThreads: 1}
		for i, d := range c.demands {
			s.Jobs = append(s.Jobs, Job{Copies: c.copies[i], Maps: 1, Map: d})
		}
		r, err := Simulate(s, SimulationOptions{Runs: 20, Cycles: 400, Seed: 1})
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

func published(pm, ps int) *Spec {
	s, ok := measuredJob(pm, ps)
	if !ok {
		panic(fmt.Sprintf("no configuration (%d,%d) is published", pm, ps))
	}
	return s
}

var simulatedConfigurations = [][2]int{{1, 1}, {1, 5}, {4, 1}, {4, 5}}

// An independent simulation of the same demands (facts/queueing.md e.4) gives these responses, where they are
// random with standard errors of 8 to 11 s.
func TestIndependentSimulation(t *testing.T) {
	for _, c := range []struct {
		name    string
		options SimulationOptions
		theirs  [4]float64
		error   float64
	}{
		{"processor sharing", SimulationOptions{}, [4]float64{590.7, 580.5, 447.6, 385.3}, 11},
		{"deterministic", SimulationOptions{Distribution: Deterministic, Runs: 1}, [4]float64{517.8, 503.2, 417.9, 367.4}, 0},
	} {
		if c.options.Runs == 0 {
			c.options.Runs = 200
		}
		for i, at := range simulatedConfigurations {
			r, err := Simulate(published(at[0], at[1]), c.options)
			if err != nil {
				t.Fatal(err)
			}
			ours := &r.Jobs[0]
			within := .06 // of what is printed with one decimal
			if c.error > 0 {
				within = 2.5 * math.Hypot(c.error, float64(ours.StandardError))
			}
			text := fmt.Sprintf("%s %v: %.1f ± %.1f, theirs %v", c.name, at, ours.Response, ours.StandardError,
				c.theirs[i])
			t.Log(text)
			if !(math.Abs(ours.Response-c.theirs[i]) <= within) {
				t.Errorf("%s: more than %.1f apart", text, within)
			}
		}
	}
}

// What a task takes at its centres, in the same simulation.
func TestIndependentResidence(t *testing.T) {
	maps, shuffles := [4]float64{8.73, 8.90, 15.57, 17.41}, [4]float64{1.21, 1.31, 1.80, 2.54}
	for i, at := range simulatedConfigurations {
		r, err := Simulate(published(at[0], at[1]), SimulationOptions{Runs: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name         string
			ours, theirs float64
		}{
			{"map", r.Jobs[0].Classes[Map].Takes, maps[i]},
			{"shuffle", r.Jobs[0].Classes[Shuffle].Takes, shuffles[i]},
		} {
			t.Logf("%v %s %.3f, theirs %.2f", at, c.name, c.ours, c.theirs)
			if !(math.Abs(c.ours/c.theirs-1) < .025) {
				t.Errorf("%v: a %s takes %.3f, theirs %.2f", at, c.name, c.ours, c.theirs)
			}
		}
	}
}

// Whatever the job, it takes at least as long as a chain of its tasks and as its busiest centre, and no longer than all
// tasks one after the other.
func FuzzSimulate(f *testing.F) {
	f.Add(uint8(3), uint8(4), uint8(4), uint8(1), uint8(20), uint8(3), 5., 3., .5, uint8(0))
	f.Add(uint8(1), uint8(1), uint8(1), uint8(5), uint8(1), uint8(0), 0., 0., 1., uint8(1))
	f.Add(uint8(2), uint8(1), uint8(9), uint8(2), uint8(7), uint8(9), 1e-9, 1e9, 0., uint8(7))
	f.Fuzz(func(t *testing.T, nodes, cpus, pm, ps, maps, reduces uint8, cpu, disk, net float64, how uint8) {
		s := &Spec{
			Nodes: int(nodes % 9), CPUs: int(cpus % 9), MapSlots: int(pm % 9), ShuffleThreads: int(ps % 9),
			Jobs: []Job{{
				Copies: 1, Maps: int(maps % 32), Reduces: int(reduces % 9), Map: Demand{CPU: cpu, Disk: disk},
				Shuffle: Demand{Network: net, Disk: net}, Merge: Demand{Disk: cpu, Fibre: net},
			}},
		}
		o := SimulationOptions{
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
			busy(r, CPU), busy(r, Fibre), busy(r, Disk), busy(r, Network),
		} {
			if !(u >= 0 && u <= 1+slip) {
				t.Errorf("utilisations of %+v", r)
			}
		}
	})
}
