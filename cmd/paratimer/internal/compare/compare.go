package compare

import (
	"fmt"
	"math"

	"github.com/paratimer/paratimer/dag"
)

// A Comparison compares the last run with earlier ones. Times are milliseconds; NaN is unknown.
type Comparison struct {
	Runs    []*Run   // in order of their start
	Why     []string // by run: why it is not a baseline; "" for one that is
	Subject int      // the run that is compared: the last one
	Base    int      // the run that it is compared with; -1 if none is suitable
	// Total is how much longer the subject took than the base. Effects split Total by cause and add up to it. They
	// are NaN and nil if one of the two did not succeed; Effects is also nil if a critical path is unknown.
	Total    float64
	Effects  map[Effect]float64
	Rows     []Row
	Changes  []Change // by row
	Path     PathChange
	Findings []Finding // by row, maps first
}

// A Change is a job's part of the difference.
type Change struct {
	// Before and Now are the job's milliseconds on the critical path; NaN if the path is unknown or the run does
	// not have the job.
	Before, Now float64
	Effects     map[Effect]float64
}

// A PathChange has the jobs on the critical paths, by node in order of the path, each once.
type PathChange struct {
	Before []string `json:"before"`
	Now    []string `json:"now"`
	Came   []string `json:"came"`
	Left   []string `json:"left"`
}

// A BaseError is the error for a run that cannot be the base.
type BaseError struct {
	Run int // counted from 1
	Why string
}

func (e *BaseError) Error() string { return fmt.Sprintf("run %d cannot be the base: %s", e.Run, e.Why) }

// Compare compares the last of at least two runs with base, counted from 1 in order of their starts. If base is 0
// it is the newest earlier run that succeeded. The error is a *BaseError, or that the runs are of different scripts.
func Compare(runs []*Run, base int) (*Comparison, error) {
	InOrder(runs)
	c := &Comparison{
		Runs: runs, Subject: len(runs) - 1, Base: -1, Total: math.NaN(),
		Path: PathChange{[]string{}, []string{}, []string{}, []string{}},
		Why:  make([]string, len(runs)),
	}
	for i, r := range runs[:c.Subject] {
		if c.Why[i] = notBaseline(r); c.Why[i] == "" {
			c.Base = i
		}
	}
	switch {
	case base == 0:
	case base < 1 || base > c.Subject:
		return nil, &BaseError{Run: base, Why: fmt.Sprintf("it is one of the runs before the last: 1 to %d", c.Subject)}
	case c.Why[base-1] != "":
		return nil, &BaseError{Run: base, Why: c.Why[base-1]}
	default:
		c.Base = base - 1
	}
	var err error
	if c.Rows, err = align(runs); err != nil {
		return nil, err
	}
	c.pairStages()
	c.differ()
	c.judge()
	return c, nil
}

// notBaseline returns why a run's length is not a baseline for the script; "" if it is one.
func notBaseline(r *Run) string {
	switch {
	case r.State == dag.Failed:
		return "it failed"
	case r.State == dag.Killed:
		return "it was killed"
	case r.State != dag.Succeeded:
		return "it was not seen to its end"
	case !r.Succeeded():
		return "its length is not known"
	}
	return ""
}

// judge finds phases that became slower or faster than in all earlier runs that succeeded.
func (c *Comparison) judge() {
	for i := range c.Rows {
		n := c.Rows[i].Index[c.Subject]
		if n < 0 {
			continue
		}
		phases := c.Runs[c.Subject].Jobs[n].Phases
		for k := range phases {
			now := &phases[k]
			// nearest are the earlier phases that may also match, with the most similar length
			var earlier, nearest []*Phase
			for at, r := range c.Runs[:c.Subject] {
				j := c.Rows[i].Index[at]
				if j < 0 || c.Why[at] != "" {
					continue
				}
				if l := r.Jobs[j].Stage(now.Name); l >= 0 {
					earlier = append(earlier, &r.Jobs[j].Phases[l])
					nearest = append(nearest, r.Jobs[j].nearest(now, l))
				}
			}
			f, ok := judge(earlier, now)
			if !ok {
				continue
			}
			if least, ok := judge(nearest, now); !ok || least.Slower != f.Slower {
				continue // it may be a change of another stage
			}
			f.Row, f.Phase = i, dag.StageIndex(k) //nolint:gosec // an index
			c.Findings = append(c.Findings, f)
		}
	}
}

// Regressed reports whether a phase became slower.
func (c *Comparison) Regressed() bool {
	for i := range c.Findings {
		if c.Findings[i].Slower {
			return true
		}
	}
	return false
}
