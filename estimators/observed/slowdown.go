package observed

import (
	"fmt"
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// A slowdown is how much longer a unit takes in this run than in the profile's: in the phase itself if that was
// watched, else in phases of its kind, else in all (docs/facts/paratimer.md P16; docs/facts/measured.md 3 measured this
// order). What other phases showed is drawn towards what would be expected without them, the less the more phases
// showed it: each job may have changed in its own way.
type slowdown struct {
	own  map[[2]int]float64
	kind [2]float64
	all  float64
}

// minRatioMS is how much work both sides of a slowdown must have: ratios of tiny works are noise and, carried over,
// ruin every later job (docs/facts/measured.md 3).
const minRatioMS = 3000

// How many phases the expectation weighs as much as, against phases of the same kind and of the other kind that were
// seen.
const (
	sameKind  = 0.1
	otherKind = 0.5
)

// pausePower is the power of the pace of pauses that is expected of work before any was seen. On a busy cluster starts
// of JVMs take longer, and so does work that needs processors; work that waits for disks or networks need not.
const pausePower = 0.3

// Slowdown factors outside are clipped (docs/facts/paratimer.md P16). What a record costs in a sample may be mostly
// overhead: where this run's tasks get so many times as much, it may be that many times too high.
const slowMin, slowMax = 0.1, 10

func (m *Model) slowdowns(profile *profiles.Match) *slowdown {
	s := &slowdown{own: map[[2]int]float64{}, kind: [2]float64{math.NaN(), math.NaN()}, all: 1}
	if profile == nil {
		return s
	}
	s.all = clip(math.Pow(m.pace, pausePower))
	least := slowMin / max(m.inputs, 1)
	clip := func(v float64) float64 { return min(max(v, least), slowMax) }
	var seen, expected [2]float64
	var phases [2]float64
	for j := range m.phases {
		for _, k := range [...]dag.StageIndex{dag.Map, dag.Reduce} {
			alpha, weight := m.phases[j][k].seen.alpha()
			was := m.priors[j][k].alpha
			if !(weight >= minRatioMS) || !(was > 0) || weight/alpha*was < minRatioMS {
				continue
			}
			s.own[[2]int{j, int(k)}] = clip(alpha / was)
			phases[k]++
			seen[k] += weight
			expected[k] += weight / alpha * was
		}
	}
	for k := range s.kind {
		if expected[k] > 0 {
			s.kind[k] = clip(math.Pow(seen[k]/expected[k], phases[k]/(phases[k]+sameKind)))
		}
	}
	if e := expected[0] + expected[1]; e > 0 {
		n := phases[0] + phases[1]
		s.all = clip(math.Pow((seen[0]+seen[1])/e, n/(n+otherKind)) * math.Pow(s.all, otherKind/(n+otherKind)))
	}
	return s
}

func clip(v float64) float64 { return min(max(v, slowMin), slowMax) }

func (s *slowdown) of(j int, k dag.StageIndex) float64 {
	if f, ok := s.own[[2]int{j, int(k)}]; ok {
		return f
	}
	if f := s.kind[k]; !math.IsNaN(f) {
		return f
	}
	return s.all
}

// warnProfile checks the profile against the run.
func (m *Model) warnProfile(s *dag.Snapshot, profile *profiles.Match, slow *slowdown) {
	switch {
	case profile == nil && len(s.Profiles) > 0:
		m.Warnings = append(m.Warnings, dag.Warning{Code: dag.WarnNoProfile, Text: fmt.Sprintf(
			"no profile fits %s: none has a job of the same name, feature or aliases; learn one from a run of this script", s.Plan.Name)})
	case profile != nil && (slow.all >= slowMax || slow.all <= slowMin):
		m.Warnings = append(m.Warnings, dag.Warning{Code: dag.WarnProfileDoubted, Text: fmt.Sprintf(
			"this run takes %.2g times as long for a tuple as the profile %s says: is it of the same script and cluster?", slow.all, profile.Plan.Name)})
	}
}
