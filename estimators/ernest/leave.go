package ernest

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// leaveOut predicts each run by a model of the others, those of its group left out with it. NaN where the others do not
// determine it. More than folds groups are left out several at a time.
func (r *regression) leaveOut(group []int, groups, folds int) []float64 {
	n, k := r.a.Dims()
	each := (groups + folds - 1) / folds
	left := make([]float64, n)
	for first := 0; first < groups; first += each {
		gone := func(i int) bool { return group[i] >= first && group[i] < first+each }
		var data, seconds []float64
		for i := range n {
			if !gone(i) {
				data = append(data, r.a.RawRowView(i)...)
				seconds = append(seconds, r.seconds[i])
			}
		}
		var others *regression
		if len(seconds) > 0 {
			others, _ = regress(mat.NewDense(len(seconds), k, data), seconds)
		}
		for i := range n {
			if !gone(i) {
				continue
			}
			left[i] = math.NaN()
			if others != nil && others.span.holds(r.a.RawRowView(i)) {
				left[i] = dot(r.a.RawRowView(i), others.x)
			}
		}
	}
	return left
}

// foldsFor bounds what leave-one-out costs: a model a fold, of all the other rows.
func foldsFor(rows int) int { return max(10, min(200, (1<<20)/rows)) }

// configurations numbers the runs by their machines and scale. Runs of one configuration are left out together, else each
// would vouch for the other.
func configurations(rows []Row) (group []int, groups int) {
	type key struct{ machines, scale float64 }
	seen := map[key]int{}
	for _, row := range rows {
		k := key{row.Machines, row.Scale}
		if _, ok := seen[k]; !ok {
			seen[k] = len(seen)
		}
		group = append(group, seen[k])
	}
	return group, len(seen)
}

// meanError is the mean of |predicted/actual - 1| over the runs that are predicted and took time, NaN where there is none.
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
