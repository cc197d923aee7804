package spark

import (
	"cmp"
	"slices"
)

// strangePools returns the names of pools with unknown properties that have stages. all counts all pools with
// stages.
func (f *facts) strangePools() (names []string, all int) {
	if !f.conf.fair() {
		return nil, 0
	}
	seen := map[string]bool{}
	for id := range f.unitStages() {
		s := f.stages[id]
		if s == nil {
			continue
		}
		name := f.poolOf(s)
		if _, known := f.pools[name]; !known && !seen[name] {
			names = append(names, name)
		}
		seen[name] = true
	}
	slices.Sort(names)
	return names, len(seen)
}

// poolOf returns the pool of a stage if pools share the cores, else "". A waiting stage gets the pool of its job's
// other stages, because no response lists the pool of a waiting stage.
func (f *facts) poolOf(s *stage) string {
	if !f.conf.fair() {
		return ""
	}
	pool := s.pool
	for _, id := range s.jobs {
		if j := f.jobs[id]; j != nil {
			for _, other := range j.stages {
				if of := f.stages[other]; pool == "" && of != nil {
					pool = of.pool
				}
			}
		}
	}
	return cmp.Or(pool, "default")
}

// poolOfJobs returns the pool of the first job with known stages. All jobs of an execution share it.
func (f *facts) poolOfJobs(ids []int) string {
	for _, id := range ids {
		if j := f.jobs[id]; j != nil {
			if s := f.stages[j.last()]; s != nil {
				return f.poolOf(s)
			}
		}
	}
	return ""
}
