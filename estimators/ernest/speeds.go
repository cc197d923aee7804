package ernest

import (
	"fmt"
	"math"
	"slices"

	"github.com/paratimer/paratimer/units"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Speed is a measurement of one machine of a type, in any unit, such as GB/s of memory bandwidth (§4.3). Larger is
// faster.
type Speed struct {
	Machine string
	Value   float64 // above 0
}

// Speeds is the distribution of speeds of machines of one type, from measurements.
type Speeds struct {
	// Slowness of each machine, ascending: its time divided by that of the mean machine. The variation between
	// measurements of one machine is removed.
	Slowness []float64
	// Reliability is the share, 0 to 1, of the variance of single measurements that comes from differences between
	// machines.
	Reliability float64
	// Early is the reason why the measurements do not suffice; empty if machines differ by more than chance.
	Early string
}

// LearnSpeeds separates differences between machines from those between measurements of one machine, by an analysis
// of variance of the logarithms. Errors name the invalid measurement, counted from 1.
func LearnSpeeds(all []Speed) (*Speeds, error) {
	if len(all) > MaxRows {
		return nil, fmt.Errorf("%d measurements: at most %d are taken", len(all), MaxRows)
	}
	var logs []float64
	var machines [][]float64 // the logarithms of each
	at := map[string]int{}
	for i, s := range all {
		if !finite(s.Value) || s.Value <= 0 || s.Value > mostScale || s.Value < 1/mostScale {
			return nil, fmt.Errorf("measurement %d: machine %s has speed %v: give a number above 0", i+1, s.Machine,
				s.Value)
		}
		j, known := at[s.Machine]
		if !known {
			j = len(machines)
			at[s.Machine] = j
			machines = append(machines, nil)
		}
		machines[j] = append(machines[j], math.Log(s.Value))
		logs = append(logs, math.Log(s.Value))
	}
	mean := stat.Mean(logs, nil)
	between, within, squares := 0.0, 0.0, 0.0
	for _, m := range machines {
		n, off := float64(len(m)), stat.Mean(m, nil)-mean
		between += n * off * off
		within += n * stat.PopVariance(m, nil)
		squares += n * n
	}
	s, n, groups := &Speeds{}, float64(len(all)), float64(len(machines))
	const least = 3 // the fewest machines for a variance
	switch {
	case groups < least:
		s.Early = early("%d machines were measured: at least %d are needed", len(machines), least)
		return s, nil
	case n-groups < groups/2:
		s.Early = early("of %d machines there are %d measurements: measure at least half of them twice, to tell slow machines from slow moments", len(machines), len(all))
		return s, nil
	}
	within /= n - groups
	between /= groups - 1
	if chance := byNoise(between, within, groups-1, n-groups); chance > byChance {
		s.Early = early("machines differ by no more than measurements of one do (by chance in %s of cases)",
			units.Percent(chance))
		return s, nil
	}
	own := (between - within) / ((n - squares/n) / (groups - 1)) // variance of the machines
	s.Reliability = own / (own + within)
	total := 0.0
	for _, m := range machines {
		slow := math.Exp((mean - stat.Mean(m, nil)) * own / (own + within/float64(len(m))))
		s.Slowness = append(s.Slowness, slow)
		total += slow
	}
	for i := range s.Slowness {
		s.Slowness[i] *= groups / total
	}
	slices.Sort(s.Slowness)
	return s, nil
}

func early(format string, args ...any) string {
	return "too early to say: " + fmt.Sprintf(format, args...)
}

// byNoise returns the probability of such mean squares if the machines are alike (Fisher).
func byNoise(between, within, d1, d2 float64) float64 {
	const rounding = 1e-24 // of logarithms that are equal
	if within <= rounding {
		if between > rounding {
			return 0
		}
		return 1
	}
	return distuv.F{D1: d1, D2: d2}.Survival(between / within)
}

// order returns the expected slowness of the j-th fastest of n machines drawn from the measured distribution.
func (s *Speeds) order(j, n int) float64 {
	sum, before := 0.0, 0.0
	for i, v := range s.Slowness {
		share := mathext.RegIncBeta(float64(j), float64(n-j+1), float64(i+1)/float64(len(s.Slowness)))
		sum += v * (share - before)
		before = share
	}
	return sum
}

// kept returns the expected slowness of the slowest of the kept machines if more were started, each was measured
// once, and the slowest were dropped. slowest is the value without spare machines. An unreliable measurement drops
// the wrong machines: the gain shrinks to the square of the reliability or a little more, as TestSpareSimulated
// shows.
func (s *Speeds) kept(machines, more int, slowest float64) float64 {
	return slowest + s.Reliability*s.Reliability*(s.order(machines, machines+more)-slowest)
}

// mean returns the expected mean slowness of the kept machines. The gain shrinks to the reliability or a little more.
func (s *Speeds) mean(machines, more int) float64 {
	left := float64(machines + more)
	for j := machines + 1; j <= machines+more; j++ {
		left -= s.order(j, machines+more)
	}
	return 1 + s.Reliability*(left/float64(machines)-1)
}
