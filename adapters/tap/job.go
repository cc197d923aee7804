package tap

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/sketch"
)

// A job has the batches received about one job.
type job struct {
	id     string
	cost   int // in bytes
	newest int // number of its newest batch in the store

	// Numbers of its tasks according to a snapshot; 0 if unknown.
	mapTasks, reduceTasks int

	maps     map[int32]bool       // that have reported a profile
	profiles *sketch.Join[string] // the output of these maps; nil if there are none
	complete bool                 // these maps have reported all their keys
	silent   string               // why a map has no profile; "" if none has reported that
	tasks    map[int32][]*attempt // of reduces

	// The input of the reduces, as of the first joined maps.
	joined int
	inputs []dag.ReduceGroups
	whole  bool // the size of every key of these maps is known
}

// reduces returns the number of reduces according to the maps; 0 if it is unknown.
func (j *job) reduces() int {
	if j.profiles == nil {
		return 0
	}
	return j.profiles.Reduces()
}

// check returns an error if a batch does not fit the job.
func (j *job) check(b *Batch, a Attempt) error {
	if n := j.reduces(); b.Map != nil && n > 0 && n != b.Map.Reduces {
		return refuse(http.StatusConflict, "map.r: this map has %d reduces, others of %s have %d", b.Map.Reduces, b.Job,
			n)
	}
	tasks := j.mapTasks
	if a.Reduce {
		tasks = j.reduceTasks
	}
	if tasks > 0 && a.Task >= tasks {
		return refuse(http.StatusConflict, "att: %s, but its job has %d such tasks", b.Attempt, tasks)
	}
	return nil
}

// growth returns the largest number of bytes that a batch can add to the cost.
func (j *job) growth(b *Batch, lambda int) int {
	n := attemptCost + pointCost*len(b.Points) + len(b.Note)
	if b.Map != nil {
		n += reduceCost*b.Map.Reduces + keyCost*min(len(b.Map.Top), lambda)
	}
	return n
}

// takeMap adds a valid batch of a map. All attempts of a map have the same output, so the first profile counts.
func (j *job) takeMap(b *Batch, task int32, l Limits) {
	switch m := b.Map; {
	case m != nil && !j.maps[task]:
		if j.profiles == nil {
			j.profiles, j.complete = sketch.NewJoin[string](m.Reduces, l.Lambda, l.Capacity), true
			j.cost += reduceCost * m.Reduces
		}
		p := sketch.Profile[string]{Bytes: m.Bytes}
		for _, k := range m.Top {
			p.Keys = append(p.Keys, sketch.Key[string]{Key: k.Name, Reduce: k.Reduce, Bytes: k.Bytes})
		}
		j.cost += mapCost - keyCost*j.profiles.Len()
		j.profiles.Add(p)
		j.cost += keyCost * j.profiles.Len()
		j.maps[task], j.complete = true, j.complete && m.Complete && len(m.Top) <= l.Lambda
	case m == nil && b.Note != "" && j.silent == "":
		j.silent = b.Note
		j.cost += len(b.Note)
	}
}

// takeGroups adds a valid batch of a reduce. most bounds the points of an attempt.
func (j *job) takeGroups(b *Batch, a Attempt, received time.Time, most int) {
	task, number := int32(a.Task), int32(a.Number)
	i := slices.IndexFunc(j.tasks[task], func(t *attempt) bool { return t.number == number })
	if i < 0 {
		i = len(j.tasks[task])
		j.tasks[task] = append(j.tasks[task], &attempt{number: number, seq: -1})
		j.cost += attemptCost
	}
	t := j.tasks[task][i]
	j.cost -= t.cost()
	t.take(b, received, most)
	j.cost += t.cost()
}

// join computes the input of the reduces from all profiles (facts/nearestfit.md N7, N8).
func (j *job) join() {
	rest := 0.0
	j.joined, j.inputs = len(j.maps), nil
	for _, r := range j.profiles.Inputs() {
		j.inputs = append(j.inputs, reduceGroupsOf(&r))
		rest += r.Implicit
	}
	j.whole = j.complete && rest < 1 // no key was evicted
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

// count counts the maps.
func (j *job) count(attempts []dag.Attempt) tally {
	t := tally{tasks: j.mapTasks}
	for i := range attempts {
		if a := &attempts[i]; a.State == dag.AttemptSucceeded {
			t.succeeded++
			if !j.maps[a.Task] {
				t.silent++
			}
		}
	}
	return t
}

// due reports whether to join the profiles again: after each twentieth of the maps, and once all maps have
// succeeded. Each time a recording gets all known sizes.
func (j *job) due(t tally) bool {
	fresh := len(j.maps) - j.joined
	return fresh > 0 && (t.over() || fresh*20 >= max(t.tasks, len(j.maps)))
}

// note returns the reason if the groups have less than a tap can report; "" if there is none.
func (j *job) note(t tally, reduces int, reported string) string {
	var out []string
	if j.silent != "" && len(j.maps) == 0 {
		out = append(out, j.silent)
	} else if n := j.reduces(); n > 0 && n != reduces {
		out = append(out, fmt.Sprintf("no sizes of keys: the maps report %d reduces, the job has %d", n, reduces))
	} else if t.over() && t.silent > 0 {
		lost := fmt.Sprintf("%d of %d maps have not reported their keys: %s", t.silent, t.tasks, j.silent)
		out = append(out, strings.TrimSuffix(lost, ": "))
	}
	if reported != "" {
		out = append(out, reported)
	}
	return strings.Join(out, "; ")
}

// best returns the attempt of a reduce with the groups that count; nil if there is none. It is the one that has
// succeeded, else the running one that has done most, as the engine's own progress and counters are those of the
// best attempt (TaskImpl.selectBestAttempt), else one that the snapshot does not have yet, else a lost one: its
// costs are valid until the next attempt reports. attempts are the snapshot's attempts of the task; is is the best one
// among them, or nil. An attempt that a newer one has replaced does not count.
func (j *job) best(task int32, attempts []dag.Attempt) (best *attempt, is *dag.Attempt) {
	most := 0
	for _, a := range j.tasks[task] {
		rank, s := ranks[dag.AttemptWaiting], (*dag.Attempt)(nil)
		if n := len(attempts); n > 0 && attempts[n-1].Number > a.number {
			rank = 0
		}
		for i := range attempts {
			if attempts[i].Number == a.number {
				rank, s = ranks[attempts[i].State], &attempts[i]
			}
		}
		if rank > most || rank == most && best != nil && a.done > best.done {
			best, most, is = a, rank, s
		}
	}
	return best, is
}

// ranks of attempts by their state in the snapshot. An attempt that the snapshot does not have yet ranks as a waiting
// one.
var ranks = map[dag.AttemptState]int{
	dag.AttemptFailed: 1, dag.AttemptKilled: 1, dag.AttemptWaiting: 2, dag.AttemptRunning: 3, dag.AttemptSucceeded: 4,
}

// sameSince is how far two batches may differ about the start of one group: their delays differ by less.
const sameSince = 2 * time.Second

// An attempt has the reports of one attempt of a reduce. Taps send batches in order.
type attempt struct {
	number int32
	seq    int     // of the newest batch; -1 before the first
	done   float64 // bytes of all groups that it has finished
	note   string

	// The groups that it has finished, in order. A snapshot that shows a point first sets its instant: the first
	// shown points have instants of the cluster's clock, the others of the collector's. Snapshots share the former.
	points []dag.GroupPoint
	shown  int

	// The group that it is in; nil if none.
	open    *Open
	since   time.Time   // by the collector's clock
	sinceAt dag.Instant // by the cluster's clock, once a snapshot has shown it
}

func (a *attempt) cost() int { return pointCost*len(a.points) + len(a.note) }

// take adds a batch. A batch that came before changes nothing.
func (a *attempt) take(b *Batch, received time.Time, most int) {
	if b.Seq <= a.seq {
		return
	}
	a.seq = b.Seq
	if b.Note != "" {
		a.note = b.Note
	}
	open := b.Open
	if b.Final {
		open = nil
	}
	if open != nil {
		since := received.Add(-seconds(open.Seconds))
		if a.open == nil || a.open.Name != open.Name || since.Sub(a.since).Abs() >= sameSince {
			a.since, a.sinceAt = since, dag.NoInstant // another group, else the instant that was shown stays
		}
	}
	a.open = open
	for _, p := range b.Points {
		a.points = append(a.points, dag.GroupPoint{
			At: dag.InstantOf(received.Add(-seconds(p.Age))), Bytes: p.Bytes, Took: seconds(p.Seconds), Count: p.Count,
		})
		a.done += p.Bytes * p.Count
	}
	if len(a.points) > most {
		a.condense(most / 2)
	}
}

// seconds converts seconds to a duration. Validation has bounded them.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// condense joins points until there are at most most: first those of the same size, then those of similar sizes,
// each at the place of the last one. The sums of bytes, time and count stay the same.
func (a *attempt) condense(most int) {
	for width := 0.0; len(a.points) > most; width = max(1e-3, 2*width) {
		a.join(width)
	}
}

// join makes one point of all points of the same size if width is 0, else of all points with the logarithm of their
// size in the same interval of this width. It leaves the previous points as they are.
func (a *attempt) join(width float64) {
	last := make(map[float64]int) // index of the newest point of a size or an interval
	all := slices.Clone(a.points)
	for i := range all {
		p, k := &all[i], all[i].Bytes
		if width > 0 {
			k = math.Floor(math.Log(max(k, 1)) / width)
		}
		if was, ok := last[k]; ok {
			q := &all[was]
			share := p.Count / (q.Count + p.Count)
			p.Bytes = q.Bytes + (p.Bytes-q.Bytes)*share
			p.Took = q.Took + time.Duration(float64(p.Took-q.Took)*share)
			p.Count, q.Count = q.Count+p.Count, 0
		}
		last[k] = i
	}
	isJoined := func(p dag.GroupPoint) bool { return p.Count == 0 }
	shown := len(slices.DeleteFunc(slices.Clone(all[:a.shown]), isJoined))
	a.points, a.shown = slices.DeleteFunc(all, isJoined), shown
}

// A moment is the time of a snapshot by both clocks, with the attempt's bounds.
type moment struct {
	now        time.Time   // by the collector's clock
	at         dag.Instant // by the cluster's clock
	start, end dag.Instant // of the attempt; unknown if they are not known, or not yet
}

// of converts a time of the collector's clock to the cluster's, within the bounds of the attempt and the snapshot.
func (m moment) of(t time.Time) dag.Instant {
	i := min(m.at.Add(t.Sub(m.now)), m.at)
	if m.end.Known() {
		i = min(i, m.end)
	}
	return max(i, m.start) // an unknown start is before all
}

// show adds the attempt's finished groups to its reduce, and the group that it is in while it runs.
func (a *attempt) show(r *dag.ReduceGroups, m moment) {
	for ; a.shown < len(a.points); a.shown++ {
		p := &a.points[a.shown]
		if p.At = m.of(p.At.Time()); a.shown > 0 {
			p.At = max(p.At, a.points[a.shown-1].At)
		}
	}
	r.Attempt, r.Done = a.number, slices.Clip(a.points)
	r.OpenBytes, r.OpenSince, r.OpenKey = math.NaN(), dag.NoInstant, ""
	if a.open == nil || m.end.Known() {
		return
	}
	if !a.sinceAt.Known() {
		a.sinceAt = m.of(a.since)
	}
	r.OpenBytes, r.OpenSince, r.OpenKey = a.open.Bytes, a.sinceAt, a.open.Name
}
