package ernest

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// leaveOut predicts each run by a model of the runs in other groups. The result is NaN if those do not determine it.
// If there are more groups than folds, several groups are left out at a time.
func (r *regression) leaveOut(group []int, groups, folds int) []float64 {
	each := (groups + folds - 1) / folds
	members := make([][]int, (groups+each-1)/each)
	for i, g := range group {
		members[g/each] = append(members[g/each], i)
	}
	blocks := make([]*mat.Dense, len(members))
	for f, runs := range members {
		blocks[f] = r.block(runs)
	}
	left := make([]float64, len(group))
	for f, runs := range members {
		others := without(blocks, f)
		for _, i := range runs {
			left[i] = math.NaN()
			if others != nil && others.span.Holds(r.a.RawRowView(i)) {
				left[i] = dot(r.a.RawRowView(i), others.x)
			}
		}
	}
	return left
}

// block returns the features and seconds of some runs side by side. Many runs are replaced by the triangle of their
// QR decomposition, which has the same least squares solutions with at most columns+1 rows.
func (r *regression) block(runs []int) *mat.Dense {
	_, k := r.a.Dims()
	b := mat.NewDense(len(runs), k+1, nil)
	for row, i := range runs {
		b.SetRow(row, append(r.a.RawRowView(i)[:k:k], r.seconds[i]))
	}
	if len(runs) <= k+1 {
		return b
	}
	var qr mat.QR
	qr.Factorize(b)
	var triangle mat.Dense
	qr.RTo(&triangle)
	return mat.DenseCopyOf(triangle.Slice(0, k+1, 0, k+1))
}

// without fits all blocks but one. It returns nil if no rows are left or the fit fails.
func without(blocks []*mat.Dense, gone int) *regression {
	var data, seconds []float64
	k := 0
	for f, b := range blocks {
		if f == gone {
			continue
		}
		n, columns := b.Dims()
		k = columns - 1
		for i := range n {
			data = append(data, b.RawRowView(i)[:k]...)
			seconds = append(seconds, b.At(i, k))
		}
	}
	if len(seconds) == 0 {
		return nil
	}
	r, err := regress(mat.NewDense(len(seconds), k, data), seconds)
	if err != nil {
		return nil
	}
	return r
}

// maxFolds limits the cost of leave-one-out: one model for each fold.
const maxFolds = 100

// configurations numbers the runs by their machines, scale and iterations. Repeated runs of one configuration are left
// out together; otherwise each would predict the other.
func configurations(rows []Row) (group []int, groups int) {
	seen := map[Point]int{}
	for _, row := range rows {
		k := row.Point()
		if _, ok := seen[k]; !ok {
			seen[k] = len(seen)
		}
		group = append(group, seen[k])
	}
	return group, len(seen)
}

// leaveActive leaves rows out of a model with only the terms that have a coefficient above 0. Fewer configurations
// determine those terms, so this checks a model with as many configurations as terms.
func (m *Model) leaveActive(group []int, groups int) error {
	var active []int
	for j, c := range m.Coefficients {
		if c > 0 {
			active = append(active, j)
		}
	}
	if len(active) == 0 {
		return nil
	}
	a := mat.NewDense(len(m.Rows), len(active), nil)
	for to, from := range active {
		a.SetCol(to, mat.Col(nil, from, m.base.a))
	}
	r, err := regress(a, m.base.seconds)
	if err != nil {
		return err
	}
	m.Left = r.leaveOut(group, groups, maxFolds)
	m.LOO, _ = meanError(m.Left, r.seconds)
	return nil
}

// meanError returns the mean of |predicted/actual - 1| over the runs that have a prediction and took time, and their
// number. The mean is NaN if there are none.
func meanError(predicted, actual []float64) (mean float64, count int) {
	sum := 0.0
	for i, p := range predicted {
		if e := math.Abs(p/actual[i] - 1); actual[i] > 0 && !math.IsNaN(e) {
			sum += e
			count++
		}
	}
	if count == 0 {
		return math.NaN(), 0
	}
	return sum / float64(count), count
}

// SplitBy selects the quantity that makes a run large.
type SplitBy uint8

// The quantities to split by.
const (
	ByScale    SplitBy = iota
	ByMachines         // more machines
	ByWork             // machine-seconds, the cost of a training run
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

// A Split divides the runs of a job into small ones for training and large ones for testing.
type Split struct {
	By SplitBy
	// Below is the threshold: runs of at most this size train. 0: use Quantile.
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

// divide splits the runs into training and test runs, each sorted from small to large. If all runs have the same
// scale, a split by scale becomes a split by machines.
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
