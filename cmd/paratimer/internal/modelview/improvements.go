package modelview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/units"
)

// An Improvement is a change of the cluster or of a job's settings, and its predicted gain for the job that takes
// longest.
type Improvement struct {
	Code     string      `json:"code"`             // such as disk_speed
	Means    string      `json:"means"`            // such as "disks twice as fast"
	Response units.Float `json:"response_seconds"` // of the job after the change
	Saved    units.Float `json:"saved_ratio"`      // the saved time as a ratio of the response before
}

// change is a possible Improvement. to returns nil if the change does not apply to a Spec.
type change struct {
	code, means string
	to          func(queueing.Spec) *queueing.Spec
}

var changes = []change{
	{"disk_speed", "disks twice as fast", faster(queueing.Disk)},
	{"cpu_speed", "CPUs twice as fast", faster(queueing.CPU)},
	{"fibre_speed", "fibre channels twice as fast", faster(queueing.Fibre)},
	{"network_speed", "a network twice as fast", faster(queueing.Network)},
	{"map_slots", "twice the map slots", func(s queueing.Spec) *queueing.Spec {
		if s.MapSlots *= 2; s.MapSlots > queueing.MaxSlots {
			return nil
		}
		return &s
	}},
	{"shuffle_threads", "twice the shuffle threads", func(s queueing.Spec) *queueing.Spec {
		if s.ShuffleThreads *= 2; s.ShuffleThreads > queueing.MaxSlots || !reduces(&s) {
			return nil
		}
		return &s
	}},
	{"reduces", "twice the reduces, and slots for them", func(s queueing.Spec) *queueing.Spec {
		if !reduces(&s) {
			return nil
		}
		s.ReduceSlots = 2 * max(1, s.ReduceSlots)
		for i := range s.Jobs {
			s.Jobs[i] = WithReduces(s.Jobs[i], 2*s.Jobs[i].Reduces)
		}
		return &s
	}},
	{"nodes", "twice the nodes", func(s queueing.Spec) *queueing.Spec {
		if s.Nodes *= 2; s.Nodes > queueing.MaxNodes {
			return nil
		}
		return &s
	}},
}

func reduces(s *queueing.Spec) bool {
	return slices.ContainsFunc(s.Jobs, func(j queueing.Job) bool { return j.Reduces > 0 })
}

func faster(k queueing.CentreKind) func(queueing.Spec) *queueing.Spec {
	return func(s queueing.Spec) *queueing.Spec {
		if !uses(&s, k) {
			return nil
		}
		for i := range s.Jobs {
			j := &s.Jobs[i]
			for _, d := range []*queueing.Demand{&j.Map, &j.Shuffle, &j.Merge} {
				*[...]*float64{
					queueing.CPU: &d.CPU, queueing.Fibre: &d.Fibre, queueing.Disk: &d.Disk,
					queueing.Network: &d.Network,
				}[k] /= 2
			}
		}
		return &s
	}
}

// WithReduces returns a job with its data partitioned over n reduces: each gets its part of every map's output.
func WithReduces(j queueing.Job, n int) queueing.Job {
	if j.Reduces > 0 && n > 0 {
		part := float64(j.Reduces) / float64(n)
		j.Shuffle, j.Merge = times(j.Shuffle, part), times(j.Merge, part)
	}
	j.Reduces = n
	return j
}

// WithMaps returns a job with n maps of unchanged size: its data, and therefore each reduce's merge, grows with
// them.
func WithMaps(j queueing.Job, n int) queueing.Job {
	if j.Maps > 0 {
		j.Merge = times(j.Merge, float64(n)/float64(j.Maps))
	}
	j.Maps = n
	return j
}

func times(d queueing.Demand, f float64) queueing.Demand {
	return queueing.Demand{CPU: d.CPU * f, Fibre: d.Fibre * f, Disk: d.Disk * f, Network: d.Network * f}
}

// Copied returns a Spec that shares nothing with s.
func Copied(s *queueing.Spec) queueing.Spec {
	out := *s
	out.Jobs = slices.Clone(s.Jobs)
	return out
}

// Improvements evaluates each change alone with solve, and returns those that were solved, the best first.
func Improvements(s *queueing.Spec, before *queueing.Result, solve func(*queueing.Spec) (*queueing.Result,
	error),
) []Improvement {
	job := longest(before)
	was := before.Jobs[job].Response
	var out []Improvement
	for _, c := range changes {
		to := c.to(Copied(s))
		if to == nil {
			continue
		}
		r, err := solve(to)
		if err != nil || !r.Converged {
			continue // without a reliable result there is no advice
		}
		after := r.Jobs[job].Response
		out = append(out, Improvement{
			Code: c.code, Means: c.means, Response: units.Float(after),
			Saved: units.Float(1 - after/was),
		})
	}
	slices.SortStableFunc(out, func(a, b Improvement) int { return cmp.Compare(b.Saved, a.Saved) })
	return out
}

// longest returns the index of the job that takes longest.
func longest(r *queueing.Result) int {
	at := 0
	for i := range r.Jobs {
		if r.Jobs[i].Response > r.Jobs[at].Response {
			at = i
		}
	}
	return at
}

// little is a gain that is too small to be worth a change.
const little = 0.02

// Bound describes in a sentence what limits the job that takes longest, and what would help.
func (v *View) Bound() string {
	a := &v.Answers[0]
	centres := a.Centres()
	if len(centres) == 0 {
		return ""
	}
	busy := fmt.Sprintf("%s %s busy %s of the time", plural(centres[0]), be(centres[0]),
		units.Percent(centres[0].Utilisation))
	if len(v.Improvements) == 0 {
		return "The busiest resource: " + busy + "."
	}
	name := ""
	if len(v.Spec.Jobs) > 1 && a.Result != nil {
		name = a.Result.Jobs[longest(a.Result)].Name + ": "
	}
	best, others, nodes := split(v.Improvements)
	if best.Saved < little {
		return name + capital(busy) + ", but no single change would help much: the best, " + best.Means +
			", would save " +
			units.Percent(best.Saved) + "."
	}
	var more []string
	for _, l := range others {
		if l.Saved >= little && len(more) < 2 {
			more = append(more, l.Means+" "+units.Percent(l.Saved))
		}
	}
	if nodes.Saved >= little {
		more = append(more, nodes.Means+" "+units.Percent(nodes.Saved))
	}
	s := fmt.Sprintf("%s%s by %s (%s): %s would save %s", name, "Bound", bounds[best.Code], busy, best.Means,
		units.Percent(best.Saved))
	if len(more) > 0 {
		s += ", " + strings.Join(more, ", ")
	}
	return s + useless(v.Improvements) + "."
}

// split separates the change of nodes from the others: more nodes help nearly always, and do not show what limits a
// job.
func split(all []Improvement) (best Improvement, others []Improvement, nodes Improvement) {
	for _, l := range all {
		switch {
		case l.Code == "nodes":
			nodes = l
		case best.Code == "":
			best = l
		default:
			others = append(others, l)
		}
	}
	return best, others, nodes
}

// useless describes the change that people try first, more map slots, if it gains nothing or costs time.
func useless(all []Improvement) string {
	for _, l := range all {
		if l.Code == "map_slots" && l.Saved < little {
			if l.Saved < -little {
				return fmt.Sprintf("; %s would cost %s", l.Means, units.Percent(-l.Saved))
			}
			return "; " + l.Means + " would change little"
		}
	}
	return ""
}

// bounds describes the limit that each change removes.
var bounds = map[string]string{
	"disk_speed": "its disks", "cpu_speed": "its CPUs", "fibre_speed": "its fibre channels",
	"network_speed": "the network",
	"map_slots":     "map slots", "shuffle_threads": "shuffle threads", "reduces": "the work of each reduce",
}

func plural(c Centre) string {
	return [...]string{
		queueing.CPU: "the CPUs", queueing.Fibre: "the fibre channels", queueing.Disk: "the disks",
		queueing.Network: "the network",
	}[c.Kind]
}

func be(c Centre) string {
	if c.Kind == queueing.Network {
		return "is"
	}
	return "are"
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// byUse sorts centers, the busiest first.
func byUse(all []Centre) {
	slices.SortStableFunc(all, func(a, b Centre) int { return cmp.Compare(b.Utilisation, a.Utilisation) })
}
