package modelview

import (
	"slices"

	"github.com/paratimer/paratimer/estimators/queueing"
)

// A Setting is a part of a Spec that can be changed from the command line, by the flag of its name.
type Setting struct {
	Name  string
	OfJob bool // it belongs to a job, not to the cluster
	Least int
	Set   func(s *queueing.Spec, job, n int)
}

// Settings are all of them. Spec.Validate finds values that are too large.
var Settings = []Setting{
	{"nodes", false, 1, func(s *queueing.Spec, _, n int) { s.Nodes = n }},
	{"cpus", false, 1, func(s *queueing.Spec, _, n int) { s.CPUs = n }},
	{"disks", false, 1, func(s *queueing.Spec, _, n int) { s.Disks = n }},
	{"map-slots", false, 1, func(s *queueing.Spec, _, n int) { s.MapSlots = n }},
	{"reduce-slots", false, 1, func(s *queueing.Spec, _, n int) { s.ReduceSlots = n }},
	{"shuffle-threads", false, 1, func(s *queueing.Spec, _, n int) { s.ShuffleThreads = n }},
	{"copies", true, 1, func(s *queueing.Spec, job, n int) { s.Jobs[job].Copies = n }},
	{"maps", true, 1, func(s *queueing.Spec, job, n int) { s.Jobs[job] = s.Jobs[job].WithMaps(n) }},
	{"reduces", true, 0, func(s *queueing.Spec, job, n int) { s.Jobs[job] = s.Jobs[job].WithReduces(n) }},
}

// Copied returns a Spec that shares nothing with s.
func Copied(s *queueing.Spec) queueing.Spec {
	out := *s
	out.Jobs = slices.Clone(s.Jobs)
	return out
}
