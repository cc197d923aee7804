package collect

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/tap"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/sketch"
)

// A job is what was received about one job.
type job struct {
	id      string
	cost    int // in bytes
	charged int // of these, what the store has counted
	newest  int // number of its newest batch in the store

	// Numbers of its tasks according to a snapshot; 0 if unknown.
	mapTasks, reduceTasks int

	reduces   int // according to its maps; 0 if unknown
	maps      map[int32]*profile
	came      int // profiles received, including those that replaced others
	mapOutput mapOutput
	settled   bool   // mapOutput is that of all maps, and their profiles are dropped
	silent    string // why a map has no profile; "" if none has reported that
	tasks     map[int32][]*attempt
}

// A profile is the output of a map, by reduce and key. All attempts of the map have the same output. A profile is
// immutable: a new one replaces it.
type profile struct {
	sketch.Profile[string]
	whole bool // Keys are all its keys
}

// cost returns 0 for nil.
func (p *profile) cost() int {
	if p == nil {
		return 0
	}
	n := profileCost + cellCost*len(p.Bytes)
	for i := range p.Keys {
		n += keyCost + len(p.Keys[i].Key)
	}
	return n
}

// profileOf returns the profile in a batch, with its lambda largest keys.
func profileOf(m *tap.MapProfile, lambda int) *profile {
	p := &profile{whole: m.Complete && len(m.Top) <= lambda}
	p.Bytes = slices.Clone(m.Bytes)
	p.Keys = make([]sketch.Key[string], len(m.Top))
	for i, k := range m.Top {
		p.Keys[i] = sketch.Key[string]{Key: k.Name, Reduce: k.Reduce, Bytes: k.Bytes}
	}
	slices.SortFunc(p.Keys, func(a, b sketch.Key[string]) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Key, b.Key))
	})
	return p.cut(lambda)
}

// cut returns the profile with its lambda largest keys.
func (p *profile) cut(lambda int) *profile {
	if len(p.Keys) <= lambda {
		return p
	}
	q := *p
	q.Keys, q.whole = slices.Clone(p.Keys[:lambda]), false
	return &q
}

// setProfile replaces the profile of a map; nil drops it.
func (j *job) setProfile(task int32, p *profile) {
	j.cost += p.cost() - j.maps[task].cost()
	j.maps[task] = p
	if p == nil {
		delete(j.maps, task)
	}
}

// profiles returns the profiles of the maps, by index, without maps that the job does not have.
func (j *job) profiles() (out []*profile) {
	for _, task := range slices.Sorted(maps.Keys(j.maps)) {
		if j.mapTasks == 0 || int(task) < j.mapTasks {
			out = append(out, j.maps[task])
		}
	}
	return out
}

// lower keeps the lambda largest keys of each map.
func (j *job) lower(lambda int) {
	for task, p := range j.maps {
		if q := p.cut(lambda); q != p {
			j.setProfile(task, q)
			j.came++
		}
	}
}

// find returns the attempt of a reduce with that number; nil if it has reported nothing.
func (j *job) find(task, number int32) *attempt {
	for _, a := range j.tasks[task] {
		if a.number == number {
			return a
		}
	}
	return nil
}

// take adds a valid batch: a is its attempt, p its profile, if any. most bounds the points of an attempt.
func (j *job) take(b *tap.Batch, a tap.Attempt, p *profile, received time.Time, most int) {
	task, number := int32(a.Task), int32(a.Number)
	switch {
	case a.Reduce:
		t := j.find(task, number)
		if t == nil {
			t = &attempt{number: number}
			j.tasks[task] = append(j.tasks[task], t)
			j.cost += t.cost()
		}
		j.cost -= t.cost()
		t.take(b, received, most)
		j.cost += t.cost()
	case p != nil:
		j.setProfile(task, p)
		j.reduces = b.Map.Reduces
		j.came++
	case b.Note != "" && j.silent == "":
		j.silent = b.Note
		j.cost += len(b.Note)
	}
}

// best returns the attempt of a reduce with the groups that count; nil if there is none. It is the one that has
// succeeded, else the running one that has done most, as the engine's own progress and counters are those of the
// best attempt (TaskImpl.selectBestAttempt), else one that the snapshot does not have yet, else a lost one: its
// costs are valid until the next attempt reports. seen are the snapshot's attempts of the task; is is the best one
// among them, or nil.
func (j *job) best(task int32, seen []dag.Attempt) (best *attempt, is *dag.Attempt) {
	most := 0
	for _, a := range j.tasks[task] {
		r, s := rank(a.number, seen)
		if r > most || r == most && best != nil && a.done > best.done {
			best, most, is = a, r, s
		}
	}
	return best, is
}

// Ranks of attempts by their state in the snapshot. An attempt that the snapshot does not have yet ranks as a waiting
// one. An attempt that a newer one has replaced is unfit.
const unfit = 0

var ranks = map[dag.AttemptState]int{
	dag.AttemptFailed: 1, dag.AttemptKilled: 1, dag.AttemptWaiting: 2, dag.AttemptRunning: 3, dag.AttemptSucceeded: 4,
}

func rank(number int32, seen []dag.Attempt) (rank int, is *dag.Attempt) {
	for i := range seen {
		if s := &seen[i]; s.Number == number {
			return ranks[s.State], s
		}
	}
	if len(seen) > 0 && seen[len(seen)-1].Number > number {
		return unfit, nil
	}
	return ranks[dag.AttemptWaiting], nil
}
