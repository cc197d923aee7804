package ernest

import (
	"cmp"
	"fmt"
	"slices"
)

// SplitBy is what makes a run large.
type SplitBy uint8

// What makes a run large.
const (
	ByScale    SplitBy = iota
	ByMachines         // more machines
	ByWork             // machine-seconds: what a training run costs
)

var splitNames = []string{"scale", "machines", "machine-seconds"}

func (b SplitBy) String() string {
	if int(b) < len(splitNames) {
		return splitNames[b]
	}
	return fmt.Sprintf("SplitBy(%d)", uint8(b))
}

func (b SplitBy) of(r Row) float64 {
	switch b {
	case ByMachines:
		return r.Machines
	case ByWork:
		return r.Machines * r.Seconds
	default:
		return r.Scale
	}
}

// A Split divides the runs of a job into the small ones, which train, and the large ones, which are predicted.
type Split struct {
	By SplitBy
	// Below is the threshold: runs of at most it train. 0: take Quantile.
	Below float64
	// Quantile is the share of the different values that train, at least one and not all; 0 for 0.5.
	Quantile float64
}

func (s *Split) check() error {
	switch {
	case int(s.By) >= len(splitNames):
		return fmt.Errorf("%v: split by scale, machines or machine-seconds", s.By)
	case !finite(s.Below) || s.Below < 0:
		return fmt.Errorf("split at %s %v: give a number above 0", s.By, s.Below)
	case !finite(s.Quantile) || s.Quantile < 0 || s.Quantile >= 1:
		return fmt.Errorf("split at quantile %v: give a number above 0 and below 1", s.Quantile)
	}
	return nil
}

// divide sorts the runs into those that train and those that are predicted, each from small to large. Runs of one scale
// are divided by machines where they were to be by scale.
func (s Split) divide(rows []Row) (train, test []Row, warnings []Warning, err error) {
	by := s.By
	if by == ByScale && s.Below == 0 && distinct(column(rows, by.of)) == 1 &&
		distinct(column(rows, ByMachines.of)) > 1 {
		by = ByMachines
		warnings = append(warnings,
			Warning{"split_by_machines", fmt.Sprintf("all runs have scale %g: few machines train, many are predicted",
				rows[0].Scale)})
	}
	values := slices.Compact(column(rows, by.of))
	limit := s.Below
	if limit == 0 {
		q := s.Quantile
		if q == 0 {
			q = 0.5
		}
		n := max(1, min(len(values)-1, int(q*float64(len(values))+0.5)))
		limit = values[n-1]
	}
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b Row) int { return cmp.Compare(by.of(a), by.of(b)) })
	n := 0
	for n < len(sorted) && by.of(sorted[n]) <= limit {
		n++
	}
	switch {
	case n == 0:
		return nil, nil, warnings, fmt.Errorf("no run of %s %g or less to train on: the smallest has %g", by, limit,
			values[0])
	case n == len(sorted):
		return nil, nil, warnings, fmt.Errorf("no run of %s above %g to predict: %d runs, up to %g", by, limit,
			len(sorted), values[len(values)-1])
	}
	return sorted[:n:n], sorted[n:], warnings, nil
}
