package observed

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// A slowdown says how much longer a unit takes in this run than in the profile's: in the phase itself where that was
// watched, else in phases of its kind, else in all (facts P16; live.md 3 measured this order).
type slowdown struct {
	own  map[[2]int]float64
	kind [2]float64
	all  float64
}

// minRatioMS is how much work both sides of a slowdown must have: ratios of tiny works are noise and, carried over,
// ruin every later job (facts/live.md 3).
const minRatioMS = 3000

// Slowdown factors outside are clipped (facts P16).
const slowMin, slowMax = 0.1, 10

func (m *Model) slowdowns(profile *match) *slowdown {
	s := &slowdown{own: map[[2]int]float64{}, kind: [2]float64{math.NaN(), math.NaN()}, all: 1}
	if profile == nil {
		return s
	}
	var seen, expected [2]float64
	for j := range m.phases {
		known := profile.job(j)
		if known == nil {
			continue
		}
		for _, k := range [...]dag.Kind{dag.Map, dag.Reduce} {
			alpha, weight := m.phases[j][k].seen.alpha()
			was := m.priorOf(known, k).alpha
			if !(weight >= minRatioMS) || !(was > 0) || weight/alpha*was < minRatioMS {
				continue
			}
			s.own[[2]int{j, int(k)}] = clip(alpha / was)
			seen[k] += weight
			expected[k] += weight / alpha * was
		}
	}
	for k := range s.kind {
		if expected[k] > 0 {
			s.kind[k] = clip(seen[k] / expected[k])
		}
	}
	if e := expected[0] + expected[1]; e > 0 {
		s.all = clip((seen[0] + seen[1]) / e)
	}
	return s
}

func clip(v float64) float64 { return min(max(v, slowMin), slowMax) }

func (s *slowdown) of(j int, k dag.Kind) float64 {
	if f, ok := s.own[[2]int{j, int(k)}]; ok {
		return f
	}
	if f := s.kind[k]; !math.IsNaN(f) {
		return f
	}
	return s.all
}
