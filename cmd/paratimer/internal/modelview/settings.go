package modelview

import (
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/estimators/queueing"
)

// A Setting is a part of a Spec that can be changed from the command line.
type Setting struct {
	Name, Does string // of the flag
	OfJob      bool   // it belongs to a job, not to the cluster
	Least      int
	Set        func(s *queueing.Spec, job, n int)
}

// Settings are all of them. Spec.Validate finds values that are too large.
var Settings = []Setting{
	{"nodes", "`N` nodes", false, 1, func(s *queueing.Spec, _, n int) { s.Nodes = n }},
	{"cpus", "`N` CPUs a node", false, 1, func(s *queueing.Spec, _, n int) { s.CPUs = n }},
	{"disks", "`N` disks a node", false, 1, func(s *queueing.Spec, _, n int) { s.Disks = n }},
	{"map-slots", "`N` maps at once on a node", false, 1, func(s *queueing.Spec, _, n int) { s.MapSlots = n }},
	{"reduce-slots", "`N` reduces at once on a node", false, 1, func(s *queueing.Spec, _, n int) { s.ReduceSlots = n }},
	{
		"shuffle-threads", "`N` map outputs at once for a reduce", false, 1,
		func(s *queueing.Spec, _, n int) { s.ShuffleThreads = n },
	},
	{"copies", "`N` such jobs at once", true, 1, func(s *queueing.Spec, job, n int) { s.Jobs[job].Copies = n }},
	{
		"maps", "`N` maps as large as the file's: reduces merge as much more", true, 1,
		func(s *queueing.Spec, job, n int) { s.Jobs[job] = s.Jobs[job].WithMaps(n) },
	},
	{
		"reduces", "deal the same data to `N` reduces", true, 0,
		func(s *queueing.Spec, job, n int) { s.Jobs[job] = s.Jobs[job].WithReduces(n) },
	},
}

// Copied returns a Spec that shares nothing with s.
func Copied(s *queueing.Spec) queueing.Spec {
	out := *s
	out.Jobs = slices.Clone(s.Jobs)
	return out
}

// A Variant is a Spec with the values of the settings that differ between variants.
type Variant struct {
	Values []Value
	Spec   *queueing.Spec
}

// maxVariants bounds a table.
const maxVariants = 1000

// Variants returns the Spec with each combination of the settings' values, which are parallel to Settings; the last
// setting varies fastest. job is the one to which the settings of a job apply.
func Variants(s *queueing.Spec, job int, values [][]int) ([]Variant, error) {
	all := []Variant{{Spec: s}}
	for i, list := range values {
		if len(list) == 0 {
			continue
		}
		if len(all)*len(list) > maxVariants {
			return nil, fmt.Errorf("these are more than the supported %d combinations of settings", maxVariants)
		}
		var next []Variant
		for _, v := range all {
			for _, n := range list {
				to := Copied(v.Spec)
				Settings[i].Set(&to, job, n)
				one := Variant{v.Values, &to}
				if len(list) > 1 {
					one.Values = append(slices.Clone(v.Values), Value{Settings[i].Name, n})
				}
				next = append(next, one)
			}
		}
		all = next
	}
	return all, nil
}
