package ernest

import "math/rand/v2"

// A law is what takes a job its time. Those of family ernest are what the model says; the others are not.
type law struct {
	name string
	at   func(machines, scale float64) float64
}

func theta(c ...float64) func(m, s float64) float64 {
	return func(m, s float64) float64 { return dot(c, features(BaseTerms(), m, s)) }
}

var ernestLaws = []law{
	{"work, tree", theta(1.9, 162, 0, 1.6)},
	{"all", theta(3, 120, 0.05, 0.8)},
	{"all, large", theta(10, 600, 0.8, 2)},
	{"work alone", theta(0, 500, 0, 0)},
	{"one to all", theta(5, 60, 2, 0)},
}

// designs are training runs: the authors' example, a larger design, a diagonal with large runs, and a grid.
var designs = []struct {
	name string
	at   [][2]float64 // machines, scale
}{
	{"rcv1", [][2]float64{
		{8, .125},
		{1, .015625},
		{1, .021382},
		{3, .050164},
		{3, .055921},
		{3, .061678},
		{4, .061678},
	}},
	{"640 parts", [][2]float64{
		{2, .00625},
		{2, .0091667},
		{2, .0120833},
		{4, .0120833},
		{4, .015},
		{5, .015},
		{4, .0179167},
		{5, .0179167},
		{5, .0208333},
		{5, .02375},
		{8, .0266667},
		{8, .0295833},
		{8, .0325},
		{8, .0354167},
		{4, .05},
	}},
	{"diagonal", [][2]float64{{1, .0625}, {1, .125}, {2, .125}, {2, .25}, {4, .25}, {4, .5}, {8, .5}, {8, 1}, {16, 1}}},
	{"grid", [][2]float64{
		{1, .1},
		{1, .2},
		{1, .4},
		{2, .1},
		{2, .2},
		{2, .4},
		{4, .1},
		{4, .2},
		{4, .4},
		{8, .1},
		{8, .2},
		{8, .4},
	}},
}

// measure makes runs that take what the law says, give or take a share.
func measure(at func(m, s float64) float64, where [][2]float64, noise float64, random *rand.Rand) []Row {
	rows := make([]Row, len(where))
	for i, p := range where {
		rows[i] = Row{p[0], p[1], at(p[0], p[1]) * noisy(noise, random), 0}
	}
	return rows
}

func noisy(noise float64, random *rand.Rand) float64 {
	if noise == 0 {
		return 1
	}
	return max(0.05, 1+noise*random.NormFloat64())
}
