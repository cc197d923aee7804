package collect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/sketch"
)

// A mapOutput is the input of a job's reduces, according to the profiles of its maps.
type mapOutput struct {
	maps    int // number of maps
	came    int // profiles that had been received
	reduces []dag.ReduceGroups
	whole   bool // the size of every key of these maps is known
}

// mapOutputOf joins profiles, which are ordered by map (docs/facts/nearestfit.md N7, N8).
func mapOutputOf(profiles []*profile, lambda, capacity int) mapOutput {
	p := mapOutput{maps: len(profiles), whole: true}
	all, reduces := make([]sketch.Profile[string], len(profiles)), 0
	for i, m := range profiles {
		all[i], reduces = m.Profile, max(reduces, len(m.Bytes))
		p.whole = p.whole && m.whole && len(m.Keys) <= lambda
	}
	rest := 0.0
	for _, r := range sketch.ReduceInputs(all, reduces, lambda, capacity) {
		p.reduces = append(p.reduces, reduceGroupsOf(&r))
		rest += r.Implicit
	}
	p.whole = p.whole && rest < 1 // no key was evicted
	return p
}

// reduceGroupsOf returns the input of a reduce, without its finished groups.
func reduceGroupsOf(p *sketch.ReduceInput[string]) dag.ReduceGroups {
	r := dag.NoReduceGroups()
	r.Bytes, r.Implicit = p.Bytes, p.Implicit
	for _, k := range p.Explicit {
		if n := len(r.Explicit); n > 0 && r.Explicit[n-1].Bytes == k.Bytes {
			r.Explicit[n-1].Count++
			continue
		}
		r.Explicit = append(r.Explicit, dag.GroupSize{Bytes: k.Bytes, Count: 1})
	}
	top := slices.Clone(p.Explicit)
	slices.SortFunc(top, func(a, b sketch.Key[string]) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Key, b.Key))
	})
	for _, k := range top[:min(len(top), dag.MaxTopGroups)] {
		r.Top = append(r.Top, dag.KeyGroup{Key: k.Key, Bytes: k.Bytes})
	}
	return r
}

// A tally counts the maps of a job in a snapshot.
type tally struct {
	tasks     int // in all; 0 unknown
	succeeded int
	silent    int // succeeded ones without a profile
}

func (t tally) over() bool { return t.tasks > 0 && t.succeeded >= t.tasks }

// settle drops the profiles of a job if all its maps have succeeded and have profiles: their joined output stays. A
// map that must run again, because its output is lost, writes the same.
func (j *job) settle(t tally) {
	if !t.over() || t.silent > 0 || j.mapOutput.came != j.came || len(j.maps) == 0 {
		return
	}
	for task := range j.maps {
		j.setProfile(task, nil)
	}
	j.settled = true
}

// count counts the maps.
func (j *job) count(phase *dag.Stage, attempts []dag.Attempt) tally {
	t := tally{tasks: phase.Count()}
	for i := range attempts {
		if a := &attempts[i]; a.State == dag.AttemptSucceeded {
			t.succeeded++
			if j.maps[a.Task] == nil && !j.settled {
				t.silent++
			}
		}
	}
	return t
}

// due reports whether to join the profiles anew: after each twentieth of the maps, and once all maps have
// succeeded. Each time a recording gets all known sizes.
func (j *job) due(t tally) bool {
	fresh := j.came - j.mapOutput.came
	return fresh > 0 && (t.over() || fresh*20 >= max(t.tasks, len(j.maps)))
}

// note returns why less is known than a tap could report.
func (j *job) note(t tally, reduces int, short bool, reported string) string {
	var out []string
	if j.silent != "" && j.came == 0 {
		out = append(out, j.silent)
	} else if j.reduces > 0 && j.reduces != reduces {
		out = append(out, fmt.Sprintf("no sizes of keys: the maps speak of %d reduces, the job has %d",
			j.reduces, reduces))
	} else if t.over() && t.silent > 0 {
		lost := fmt.Sprintf("%d of %d maps have not told their keys: %s", t.silent, t.tasks, j.silent)
		out = append(out, strings.TrimSuffix(lost, ": "))
	}
	if short {
		out = append(out, "of each map only a part of its largest keys is kept: the watcher has room for no more")
	}
	if reported != "" {
		out = append(out, reported)
	}
	return strings.Join(out, "; ")
}
