package runreport

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/planview"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
	"github.com/paratimer/paratimer/timeline"
)

// A drawing is the data that a chart is made from.
type drawing struct {
	s     *dag.Snapshot // its plan is completed by the model as far as possible
	sch   *schedule.Schedule
	path  *pathfrag.Path
	ahead *pathfrag.Path // standard's path of the rest of the run; nil without a prediction
	view  planview.View  // for its titles
	jobs  []int          // by job of the plan: its index in the report, -1 for a job that only a profile has
	known []int          // by fragment: its index in the chart, -1 for one that is left out

	fragment, round []int32 // by span of sch: its fragment and its round there, -1 none
	onPath          []bool  // by fragment
	planned         bool    // nothing has started
}

// newDrawing joins the history of a run with standard's schedule for the rest. Without a prediction it is the history
// alone.
func newDrawing(run dag.Run, model estimators.Model) (*drawing, error) {
	d := &drawing{s: run.Now()}
	if !d.s.State.Ended() && model != nil {
		w := estimators.NewReplayContext(run, model, estimators.Options{})
		if e, err := estimators.Scenarios()[0].Of(w); err == nil && e.Path != nil {
			d.s, d.ahead = w.Now(), e.Path
			if d.sch, err = timeline.HistoryAndPlan(d.s, e.Path.Schedule); err != nil {
				return nil, err
			}
		}
	}
	var err error
	if d.sch == nil {
		if d.sch, err = timeline.History(d.s); err != nil {
			return nil, err
		}
	}
	if d.path, err = pathfrag.Find(d.s.Plan, d.sch, estimators.Tolerances(d.sch, d.s.Plan, run)); err != nil {
		return nil, err
	}
	d.sch = d.path.Schedule
	d.view = planview.View{Plan: d.s.Plan, Path: d.path}
	d.match(run.Now())
	d.index()
	return d, nil
}

// match finds the observed job for each job of the plan. Their names differ if a profile replaces the plan.
func (d *drawing) match(seen *dag.Snapshot) {
	d.jobs = make([]int, len(d.s.Plan.Jobs))
	byID, byNode := map[string]int{}, map[string]int{}
	for j := range seen.Plan.Jobs {
		byNode[seen.Plan.Jobs[j].Node] = j
		if id := seen.Jobs[j].ID; id != "" {
			byID[id] = j
		}
	}
	for j := range d.jobs {
		if i, ok := byID[d.s.Jobs[j].ID]; ok {
			d.jobs[j] = i
		} else if i, ok := byNode[d.s.Plan.Jobs[j].Node]; ok {
			d.jobs[j] = i
		} else {
			d.jobs[j] = -1
		}
	}
}

// index records the fragment and the round of each span.
func (d *drawing) index() {
	n := len(d.sch.Spans)
	d.fragment, d.round, d.onPath = make([]int32, n), make([]int32, n), make([]bool, len(d.path.Fragments))
	for i := range n {
		d.fragment[i], d.round[i] = -1, -1
	}
	for f := range d.path.Fragments {
		for at, r := range d.path.Fragments[f].Rounds {
			for _, i := range d.path.Rounds[r].Spans {
				d.fragment[i], d.round[i] = int32(f), int32(at)
			}
		}
	}
	for _, seg := range d.path.Critical {
		d.onPath[seg.Fragment] = true
	}
}

func (d *drawing) seconds(t dag.Instant) frame.Seconds { return *frame.Since(t, d.sch.Now) }

// jobsIn returns the nodes of the jobs with a span in a fragment, in plan order.
func (d *drawing) jobsIn(f *pathfrag.Fragment) []string {
	var in []int32
	for _, r := range f.Rounds {
		for _, i := range d.path.Rounds[r].Spans {
			if at, found := slices.BinarySearch(in, d.sch.Spans[i].Job); !found {
				in = slices.Insert(in, at, d.sch.Spans[i].Job)
			}
		}
	}
	out := make([]string, len(in))
	for i, j := range in {
		out[i] = d.s.Plan.Jobs[j].Node
	}
	return out
}

// critical returns the critical path through the fragments, by their index in the path. It covers the chart.
func (d *drawing) critical() []Segment {
	out := []Segment{}
	many := len(d.path.Critical) > MostSegments
	for _, seg := range d.path.Critical {
		s := Segment{
			Fragment: seg.Fragment, Title: d.view.Title(seg.Fragment), StartSeconds: d.seconds(seg.Start),
			EndSeconds: d.seconds(seg.End),
		}
		if n := len(out); many && n > 0 && out[n-1].Title == s.Title {
			out[n-1].EndSeconds = s.EndSeconds
			continue
		}
		out = append(out, s)
	}
	return out
}

// fragments returns fragments in order: those of the path's segments, and the longest others. It replaces the
// segments' indices by those of the result.
func (d *drawing) fragments(path []Segment) []Fragment {
	keep := make([]int, len(d.path.Fragments))
	for i := range keep {
		keep[i] = i
	}
	if len(keep) > MostFragments {
		named := make([]bool, len(keep))
		must := 0
		for _, s := range path {
			if !named[s.Fragment] {
				must++
			}
			named[s.Fragment] = true
		}
		length := func(f int) dag.Instant { return d.path.Fragments[f].End - d.path.Fragments[f].Start }
		slices.SortStableFunc(keep, func(a, b int) int {
			if named[a] != named[b] {
				return order(named[b]) - order(named[a])
			}
			return cmp.Compare(length(b), length(a))
		})
		keep = keep[:max(must, MostFragments)]
		slices.Sort(keep)
	}
	d.known = make([]int, len(d.path.Fragments))
	for i := range d.known {
		d.known[i] = -1
	}
	out := []Fragment{}
	for _, f := range keep {
		from := &d.path.Fragments[f]
		d.known[f] = len(out)
		out = append(out, Fragment{
			Jobs: d.jobsIn(from), Phase: frame.PhaseOf(d.s.Plan, d.path.JobOf(from), from.Stage, from.Pause),
			Width: from.Width, Rounds: len(from.Rounds),
			StartSeconds: d.seconds(from.Start), EndSeconds: d.seconds(from.End), Critical: d.onPath[f],
		})
	}
	for i := range path {
		path[i].Fragment = d.known[path[i].Fragment]
	}
	return out
}
