package simulate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/paratimer/paratimer/dag"
)

// maxGroups bounds the key groups of all jobs of a plan.
const maxGroups = 1_000_000

// keyed is a reduce phase that is simulated by key group. The plan must have all groups of all tasks, and group times.
type keyed struct {
	groups *dag.Groups
	curve  []dag.GroupPoint // by bytes, each size once
	walks  map[attemptKey]*walk
}

// keyedPhase returns nil if the plan does not have all groups. Tasks are then simulated by their records.
func keyedPhase(p *dag.Stage) *keyed {
	if p.Groups == nil || p.Count() == 0 || len(p.Groups.Reduces) != p.Count() {
		return nil
	}
	var points []dag.GroupPoint
	for i := range p.Groups.Reduces {
		r := &p.Groups.Reduces[i]
		if !(r.Implicit == 0 || math.IsNaN(r.Implicit) && len(r.Explicit) > 0) {
			return nil
		}
		points = append(points, r.Done...)
	}
	if len(points) == 0 {
		return nil
	}
	return &keyed{groups: p.Groups, curve: curve(points), walks: map[attemptKey]*walk{}}
}

// curve merges points of the same size.
func curve(points []dag.GroupPoint) []dag.GroupPoint {
	points = slices.Clone(points)
	slices.SortStableFunc(points, func(a, b dag.GroupPoint) int { return cmp.Compare(a.Bytes, b.Bytes) })
	var out []dag.GroupPoint
	for _, p := range points {
		if p.Count <= 0 {
			continue
		}
		if n := len(out); n > 0 && out[n-1].Bytes == p.Bytes {
			q := &out[n-1]
			q.Count += p.Count
			q.Took += millisOf((p.Took.Seconds() - q.Took.Seconds()) * 1000 * p.Count / q.Count)
			continue
		}
		out = append(out, p)
	}
	return out
}

// ms returns the time of a group by its size. Sizes between two points of the plan are interpolated linearly. Beyond
// the first and last point the time is proportional to the bytes.
func (k *keyed) ms(bytes float64) float64 {
	c := k.curve
	if len(c) == 0 {
		return 0
	}
	i := sort.Search(len(c), func(i int) bool { return c[i].Bytes >= bytes })
	at := func(i int) float64 { return c[i].Took.Seconds() * 1000 }
	switch {
	case i < len(c) && c[i].Bytes == bytes:
		return at(i)
	case i > 0 && i < len(c):
		share := (bytes - c[i-1].Bytes) / (c[i].Bytes - c[i-1].Bytes)
		return at(i-1) + share*(at(i)-at(i-1))
	case i == len(c):
		i--
	}
	if c[i].Bytes == 0 {
		return at(i)
	}
	return at(i) * bytes / c[i].Bytes
}

// keyedJob returns the reduces of a MapReduce job that is simulated by key group, or nil.
func keyedJob(j *dag.Job) *keyed {
	if !j.IsMapReduce() {
		return nil
	}
	return keyedPhase(&j.Stages[dag.Reduce])
}

// checkGroups returns an error if the plan's groups are too many or invalid.
func checkGroups(p *dag.Plan) error {
	all := 0.0
	for j := range p.Jobs {
		k := keyedJob(&p.Jobs[j])
		if k == nil {
			continue
		}
		for i := range k.groups.Reduces {
			ms := 0.0
			for _, s := range k.groups.Reduces[i].Explicit {
				if !(s.Bytes >= 0 && s.Count >= 0) {
					return &OptionError{"plan", fmt.Sprintf("reduce task %d of job %s: %v groups of %v bytes", i,
						p.Jobs[j].Node, s.Count, s.Bytes)}
				}
				all += math.Round(s.Count)
				ms += math.Round(s.Count) * k.ms(s.Bytes)
			}
			if !(ms >= 0 && ms <= maxWorkMS) {
				return &OptionError{
					"plan",
					fmt.Sprintf("reduce task %d of job %s: its key groups take %v ms, more than can be played", i,
						p.Jobs[j].Node, ms),
				}
			}
		}
	}
	if all > maxGroups {
		return &OptionError{"plan", fmt.Sprintf("%.0f key groups are more than the %d that can be played", all,
			maxGroups)}
	}
	return nil
}
