// Package servers predicts how long equal jobs take that run side by side on one machine, from runs of fewer jobs.
// The model is a closed network with one centre; its demand and its number of servers are learned.
package servers

import (
	"fmt"
	"math"

	"github.com/paratimer/paratimer/estimators/internal/mva"
)

// A Row is a measurement: Jobs parallel jobs took Seconds each.
type Row struct {
	Jobs    int
	Seconds float64
}

// A RowError is an invalid row. Row counts from 0.
type RowError struct {
	Row  int
	What string
}

func (e *RowError) Error() string { return fmt.Sprintf("row %d: %s", e.Row+1, e.What) }

// A Model is a machine that runs parallel jobs.
type Model struct {
	Demand  float64 `json:"demand_seconds"` // of a job with a server for itself
	Servers int     `json:"servers"`        // number of jobs that run at full speed at once
	// Unseen reports that Servers is a lower bound: it was not given, and no row has more jobs than servers.
	Unseen bool `json:"at_least"`
	// Gain is the speed that a second job adds to a server, from 0 to 1: that of hardware threads. 0 if they are not
	// modelled.
	Gain     float64 `json:"gain_ratio"`
	Residual float64 `json:"residual_ratio"` // root mean square of predicted/actual - 1 over the rows
}

// Options describe the machine.
type Options struct {
	Servers int  // 0: learned
	Threads bool // learn Gain; otherwise a server is as fast with two jobs as with one
}

// Limits of a fit.
const (
	maxRows = 100_000
	maxJobs = 1_000
	steps   = 100 // of Gain
)

// Fit finds the demand, the servers and the gain with the least squares of relative errors.
//
// An error is a *RowError, or reports an invalid number of servers.
func Fit(rows []Row, o Options) (*Model, error) {
	most, err := check(rows, o)
	if err != nil {
		return nil, err
	}
	// The rows cannot distinguish more servers than jobs from as many servers as jobs.
	from, to := 1, most
	if o.Servers > 0 {
		from, to = o.Servers, o.Servers
	}
	counts := grouped(rows, most)
	// Start with the simplest machine. A machine that explains more replaces it only if it reduces the residual
	// clearly.
	best := fitted(counts, len(rows), to, 0)
	plain := best
	for s := from; s < to; s++ {
		if m := fitted(counts, len(rows), s, 0); m.Residual < best.Residual*(1-1e-12) {
			best = m
		}
	}
	best = plain.unless(best)
	plain = best
	for s := from; s <= to && s < most; s++ {
		for g := 1; o.Threads && g <= steps; g++ {
			if m := fitted(counts, len(rows), s, float64(g)/steps); m.Residual < best.Residual*(1-1e-12) {
				best = m
			}
		}
	}
	best = plain.unless(best)
	best.Unseen = o.Servers == 0 && best.Servers >= most
	return best, nil
}

// convincing is the share of the simpler machine's residual that a more complex one may have at most. Noise alone
// gives smaller reductions.
const convincing = 0.8

func (m *Model) unless(other *Model) *Model {
	if other.Residual <= convincing*m.Residual {
		return other
	}
	return m
}

func check(rows []Row, o Options) (most int, err error) {
	if len(rows) == 0 || len(rows) > maxRows {
		return 0, fmt.Errorf("%d rows: give 1 to %d", len(rows), maxRows)
	}
	if o.Servers < 0 || o.Servers > maxJobs {
		return 0, fmt.Errorf("%d servers: give 1 to %d, or 0 to learn it", o.Servers, maxJobs)
	}
	for i, r := range rows {
		if r.Jobs < 1 || r.Jobs > maxJobs {
			return 0, &RowError{i, fmt.Sprintf("%d jobs: give 1 to %d", r.Jobs, maxJobs)}
		}
		if !(r.Seconds > 1e-9 && r.Seconds < 1e12) {
			return 0, &RowError{i, fmt.Sprintf("%v s: give a number above 0", r.Seconds)}
		}
		most = max(most, r.Jobs)
	}
	return most, nil
}

// sums are the sums of 1/seconds and of its square over the rows with the same number of jobs. They suffice for a
// fit.
type sums struct {
	jobs       int
	one, twice float64
}

func grouped(rows []Row, most int) []sums {
	all := make([]sums, most+1)
	for _, r := range rows {
		s := &all[r.Jobs]
		s.one += 1 / r.Seconds
		s.twice += 1 / r.Seconds / r.Seconds
	}
	kept := all[:0]
	for n, s := range all {
		if s.twice > 0 {
			s.jobs = n
			kept = append(kept, s)
		}
	}
	return kept
}

// fitted computes the demand that minimizes Σ (demand·stretch/seconds - 1)².
func fitted(counts []sums, rows, servers int, gain float64) *Model {
	m := &Model{Servers: servers, Gain: gain}
	one, twice := 0.0, 0.0
	for _, s := range counts {
		x := m.stretch(s.jobs)
		one += x * s.one
		twice += x * x * s.twice
	}
	m.Demand = one / twice
	m.Residual = math.Sqrt(max(0, float64(rows)-m.Demand*one) / float64(rows))
	return m
}

// stretch returns the factor by which jobs take longer than a single one. With one centre and no think time, mean
// value analysis gives this factor for any distribution of service.
func (m *Model) stretch(jobs int) float64 {
	shared := min(max(0, jobs-m.Servers), m.Servers)
	return max(1, float64(jobs)/(float64(m.Servers)+m.Gain*float64(shared)))
}

// Predict returns the time of each of the parallel jobs, in seconds.
//
// If Gain is 0 it is the exact solution of the closed network, else that of a centre with a load-dependent speed. An
// *UnseenError means more jobs than the rows cover; the returned number is then a lower bound.
func (m *Model) Predict(jobs int) (seconds float64, err error) {
	if jobs < 1 || jobs > maxJobs {
		return math.NaN(), fmt.Errorf("%d jobs: give 1 to %d", jobs, maxJobs)
	}
	seconds = m.Demand * m.stretch(jobs)
	if m.Gain == 0 {
		network := &mva.Network{
			Centres: []mva.Centre{{Servers: m.Servers}}, Population: []int{jobs},
			Demand: [][]float64{{m.Demand}},
		}
		// Beyond the limits of the exact solution, its closed form is used.
		if r, err := mva.Exact(network); err == nil {
			seconds = r.Response[0]
		}
	}
	if m.Unseen && jobs > m.Servers {
		return m.Demand, &UnseenError{Servers: m.Servers}
	}
	return seconds, nil
}

// An UnseenError means that the rows never had all servers of the machine busy.
type UnseenError struct{ Servers int }

func (e *UnseenError) Error() string {
	return fmt.Sprintf("up to %d jobs at once none waited: measure more, or give the number of servers", e.Servers)
}
