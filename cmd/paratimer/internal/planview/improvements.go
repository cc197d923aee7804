package planview

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
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

// A change is a possible Improvement. It leaves a Spec as it is if it does not apply to it.
type change struct {
	code, means string
	removes     string // the limit that it removes
	apply       func(*queueing.Spec)
}

var changes = []change{
	{"disk_speed", "disks twice as fast", "its disks", faster(queueing.Disk)},
	{"cpu_speed", "CPUs twice as fast", "its CPUs", faster(queueing.CPU)},
	{"fibre_speed", "fibre channels twice as fast", "its fibre channels", faster(queueing.Fibre)},
	{"network_speed", "a network twice as fast", "the network", faster(queueing.Network)},
	{"map_slots", "twice the map slots", "map slots", func(s *queueing.Spec) { s.MapSlots *= 2 }},
	{"shuffle_threads", "twice the shuffle threads", "shuffle threads", func(s *queueing.Spec) {
		if slices.ContainsFunc(s.Jobs, func(j queueing.Job) bool { return j.Reduces > 0 }) {
			s.ShuffleThreads *= 2
		}
	}},
	{"reduces", "twice the reduces, and slots for them", "the work of each reduce", func(s *queueing.Spec) {
		for i := range s.Jobs {
			if j := &s.Jobs[i]; j.Reduces > 0 {
				*j = j.WithReduces(2 * j.Reduces)
				s.ReduceSlots = 2 * max(1, s.ReduceSlots)
			}
		}
	}},
	{"nodes", "twice the nodes", "", func(s *queueing.Spec) { s.Nodes *= 2 }},
}

func faster(k queueing.CentreKind) func(*queueing.Spec) {
	return func(s *queueing.Spec) {
		for i := range s.Jobs {
			j := &s.Jobs[i]
			for _, d := range []*queueing.Demand{&j.Map, &j.Shuffle, &j.Merge} {
				*d.At(k) /= 2
			}
		}
	}
}

// maxAdvised is the largest number of jobs for which improvements are computed: each of them solves the Spec again.
const maxAdvised = 10

// Advise adds the improvements, each change solved alone, the best first, and the limit of the job that takes longest.
// Without a reliable result there is no advice.
func (v *ModelView) Advise(s *queueing.Spec, solve func(*queueing.Spec) (*queueing.Result, error)) {
	before, err := solve(s)
	if err == nil && before.Converged && len(s.Jobs) <= maxAdvised {
		job := longest(before)
		for _, c := range changes {
			to := *s
			to.Jobs = slices.Clone(s.Jobs)
			c.apply(&to)
			if reflect.DeepEqual(&to, s) {
				continue
			}
			r, err := solve(&to)
			if err != nil || !r.Converged {
				continue
			}
			v.Improvements = append(v.Improvements, Improvement{
				Code: c.code, Means: c.means, Response: units.Float(r.Jobs[job].Response),
				Saved: units.Float(1 - r.Jobs[job].Response/before.Jobs[job].Response),
			})
		}
		slices.SortStableFunc(v.Improvements, func(a, b Improvement) int { return cmp.Compare(b.Saved, a.Saved) })
	}
	name := ""
	if len(s.Jobs) > 1 && v.Results[0].Sampling == nil && err == nil {
		name = before.Jobs[longest(before)].Name + ": "
	}
	v.Bound = bound(name, v.Results[0].Centres, v.Improvements)
}

// longest returns the index of the job that takes longest.
func longest(r *queueing.Result) int {
	return floats.MaxIdx(units.Each(r.Jobs, func(j queueing.JobResult) float64 { return j.Response }))
}

// little is a gain that is too small to be worth a change.
const little = 0.02

// bound returns a sentence about the limit of a job and the change that helps most. More nodes do not count: they
// nearly always help, so they do not show the limit.
func bound(name string, centres []queueing.Centre, all []Improvement) *string {
	if len(centres) == 0 {
		return nil
	}
	text := fmt.Sprintf("the busiest resource, %s, is busy %s of the time", centres[0].Kind,
		units.Percent(centres[0].Utilisation))
	at := slices.IndexFunc(all, func(l Improvement) bool { return l.Code != "nodes" })
	switch {
	case at < 0:
		text = page.Capital(text) + "."
	case all[at].Saved < little:
		text = name + page.Capital(text) + ", but no change other than more nodes would help much."
	default:
		limit := changes[slices.IndexFunc(changes, func(c change) bool { return c.code == all[at].Code })].removes
		text = fmt.Sprintf("%sBound by %s (%s): %s would save %s.", name, limit, text, all[at].Means,
			units.Percent(all[at].Saved))
	}
	return &text
}
