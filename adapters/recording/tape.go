package recording

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/paratimer/paratimer/adapters/naming"
	"github.com/paratimer/paratimer/dag"
)

// This file and taperows.go read the lines of tapes, the recordings of observations that older programs wrote. Programs
// of the next version will not read them.

// tapeVersion is the last version of tapes. Version 1 only has MapReduce jobs.
const tapeVersion = 2

const maxJobs = 1 << 16 // of a plan or snapshot

// tapeNames are those of fields in tapes that are not the field's own words, as lost_at of LostAt is. Lists with "-"
// are read by this package.
var tapeNames = newNames(map[reflect.Type]string{
	reflect.TypeFor[dag.Snapshot]():   "At t Plan - Jobs -",
	reflect.TypeFor[dag.NodeState]():  "MemoryMB mb",
	reflect.TypeFor[dag.QueueState](): "ShareMB share MaxMB max UserMB user MastersMB masters",
	reflect.TypeFor[dag.Load](): "Submitted sub HeldMB mb PendingMB ask MasterMB am ShareMB share " +
		"Progress ratio",
	reflect.TypeFor[dag.Need]():      "At t Map m Reduce r",
	reflect.TypeFor[dag.NeedPhase](): "Tasks n Running run Progress ratio LengthMS ms TaskMB mb",
	reflect.TypeFor[dag.Capacity]():  "At t",
	reflect.TypeFor[dag.Cluster]():   "MemoryMB mb",
	reflect.TypeFor[dag.Node]():      "MemoryMB mb",
	reflect.TypeFor[dag.Pool]():      "MinShare least",
	reflect.TypeFor[dag.Job]():       "MapReduce limits",
	reflect.TypeFor[dag.Stage]():     "MemoryMB mb MaxRunning most After reads",
	reflect.TypeFor[dag.Pipeline]():  "Tuples n",
	reflect.TypeFor[dag.Edge]():      "From i",
	reflect.TypeFor[dag.JobState]():  "Submitted sub Started start Finished end HeldMB mb Master am Avoided avoids Diagnosis why",
	reflect.TypeFor[dag.Groups]():    "Reduces -",
	reflect.TypeFor[dag.ReduceGroups](): "Bytes b Implicit rest Attempt n OpenBytes open OpenSince since OpenKey key " +
		"Explicit - Done -",
	reflect.TypeFor[dag.KeyGroup](): "Key k Bytes b",
})

// A tapeLine has the fields of a tape's line besides those of the snapshot.
type tapeLine struct {
	Plan *struct {
		Head json.RawMessage
		Jobs *int
		J    []struct {
			I   int
			Job json.RawMessage
		}
	}
	Jobs *int // their number
	J    []json.RawMessage

	s    *dag.Snapshot
	left int   // bytes that lists may still take
	err  error // the first one; nothing is read after it
}

// applyTape returns old with the changes of a line, and does not modify old. old is blank for a whole line. most is how
// many bytes lists may take. The caller must check the snapshot.
func applyTape(old *dag.Snapshot, text []byte, most int) (*dag.Snapshot, error) {
	s := *old
	l := tapeLine{s: &s, left: most}
	const value = 24 // bytes of one
	if l.allow(bytes.Count(text, []byte(","))+bytes.Count(text, []byte("{")), value); l.err != nil {
		return nil, l.err
	}
	l.change(text, &l, &s)
	l.setPlan()
	s.Jobs = resize(&l, dag.CloneStates(s.Jobs), l.Jobs, func() dag.JobState { return dag.BlockedJob(0) })
	if l.err != nil || s.Plan == nil || len(s.Plan.Jobs) != len(s.Jobs) {
		return &s, l.err // without an error it is unusable, as the caller will find
	}
	for i := range s.Jobs {
		stages := make([]dag.StageState, len(s.Plan.Jobs[i].Stages))
		copy(stages, s.Jobs[i].Stages)
		s.Jobs[i].Stages = stages
	}
	for _, job := range l.J {
		l.job(job)
	}
	l.fail(checkSize(&s, most))
	return &s, l.err
}

func (l *tapeLine) fail(err error) { l.err = cmp.Or(l.err, err) }

// read reads a value, if it is there.
func (l *tapeLine) read(text []byte, to any) {
	if text != nil && l.err == nil {
		l.err = jsonv2.Unmarshal(text, to, tapeNames.forms)
	}
}

// change reads an object with changes: into its own struct, and into the fields of a value.
func (l *tapeLine) change(text []byte, own, of any) {
	l.fail(json.Unmarshal(text, own))
	l.fail(tapeNames.patch(text, of))
}

// allow fails if a list may not grow by n items of a size.
func (l *tapeLine) allow(n, size int) {
	if l.left -= n * size; n < 0 || l.left < 0 {
		l.fail(errLarge)
	}
}

// at returns the item of a list, a blank one if there is no such item.
func at[T any](l *tapeLine, what string, list []T, i int) *T {
	if i < 0 || i >= len(list) {
		l.fail(fmt.Errorf("there is no %s %d, only %d", what, i, len(list)))
		return new(T)
	}
	return &list[i]
}

// resize cuts or extends a list to a length. -1 is that of no list.
func resize[T any](l *tapeLine, list []T, n *int, fresh func() T) []T {
	switch {
	case n == nil || l.err != nil:
		return list
	case *n < -1 || *n > maxJobs:
		l.fail(fmt.Errorf("%d jobs: not a number from 0 to %d", *n, maxJobs))
		return nil
	}
	list = slices.Clone(list[:min(max(*n, 0), len(list))])
	for len(list) < *n {
		list = append(list, fresh())
	}
	return list
}

// setPlan reads the changes of the plan.
func (l *tapeLine) setPlan() {
	if l.Plan == nil || l.err != nil {
		return
	}
	p := &dag.Plan{}
	if l.s.Plan != nil {
		*p = *l.s.Plan
	}
	if l.Plan.Head != nil {
		*p = dag.Plan{Jobs: p.Jobs}
		l.read(l.Plan.Head, p)
		p.Whole = naming.Whole(p.Engine)
	}
	p.Jobs = resize(l, slices.Clone(p.Jobs), l.Plan.Jobs, func() dag.Job {
		return dag.Job{Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})}
	})
	for _, c := range l.Plan.J {
		*at(l, "job of the plan", p.Jobs, c.I) = l.planJob(c.Job)
	}
	l.s.Plan = p
}

func (l *tapeLine) planJob(text []byte) (j dag.Job) {
	var more struct {
		Map, Reduce json.RawMessage
		Limits      struct {
			MasterMB int `json:"am_mb"`
		}
	}
	if text != nil {
		l.change(text, &more, &j)
	}
	if j.MasterMB = more.Limits.MasterMB; j.Stages == nil {
		var maps, reduces dag.Stage
		l.read(more.Map, &maps)
		l.read(more.Reduce, &reduces)
		j.Stages = dag.MapReduce(maps, reduces)
	}
	return j
}

// job applies the changes of a job's state.
func (l *tapeLine) job(text []byte) {
	c := struct {
		I      int
		Map    *stageChange     `json:"m"`
		Reduce *stageChange     `json:"r"`
		Stages []stageChange    `json:"s"`
		Groups *json.RawMessage `json:"g"`
	}{I: -1}
	l.fail(json.Unmarshal(text, &c))
	j := at(l, "job", l.s.Jobs, c.I)
	l.fail(tapeNames.patch(text, j))
	if c.Groups != nil && l.err == nil {
		j.Groups = l.groups(j.Groups, *c.Groups)
	}
	for k, stage := range []*stageChange{c.Map, c.Reduce} {
		if stage != nil {
			stage.I = k
			c.Stages = append(c.Stages, *stage)
		}
	}
	for i := range c.Stages {
		stage, last := &c.Stages[i], 0
		state := at(l, "stage", j.Stages, stage.I)
		if l.err != nil {
			return
		}
		if l.s.Plan.Jobs[c.I].IsMapReduce() && stage.I == int(dag.Reduce) {
			last = dag.Work
		}
		l.stage(stage, state, last)
	}
}

// groups returns the key groups of a job after a change.
func (l *tapeLine) groups(old *dag.Groups, text []byte) *dag.Groups {
	var c struct {
		Nil     bool
		Whole   json.RawMessage // nothing of the groups before stays
		Reduces *int
		R       []json.RawMessage
	}
	l.fail(json.Unmarshal(text, &c))
	g := &dag.Groups{}
	if old != nil && c.Whole == nil {
		*g = *old
	}
	l.fail(tapeNames.patch(text, g))
	if c.Reduces != nil {
		l.allow(max(0, *c.Reduces), int(reflect.TypeFor[dag.ReduceGroups]().Size()))
	}
	g.Reduces = resize(l, slices.Clone(g.Reduces), c.Reduces, dag.NoReduceGroups)
	for _, reduce := range c.R {
		l.reduce(g.Reduces, reduce)
	}
	if c.Nil {
		return nil
	}
	return g
}

// reduce applies the changes of the groups of a reduce. A size is a number of bytes, or [bytes, count]. Keep is how
// many of the points stay, -1 without a list. D are further points: [instant, bytes, took] or [instant, bytes, took,
// count], where each instant counts from the one before.
func (l *tapeLine) reduce(of []dag.ReduceGroups, text []byte) {
	c := struct {
		I     int
		Sizes []json.RawMessage
		Keep  *int
		D     [][]json.RawMessage
	}{I: -1}
	l.fail(json.Unmarshal(text, &c))
	to := at(l, "reduce", of, c.I)
	l.fail(tapeNames.patch(text, to))
	if c.Sizes != nil {
		to.Explicit = nil
	}
	for _, text := range c.Sizes {
		size := dag.GroupSize{Count: 1}
		var pair []json.RawMessage
		if json.Unmarshal(text, &pair) != nil {
			pair = []json.RawMessage{text}
		}
		l.values(pair, &size.Bytes, &size.Count)
		to.Explicit = append(to.Explicit, size)
	}
	if n := c.Keep; n != nil && *n > len(to.Done) {
		l.fail(fmt.Errorf("%d of %d points cannot stay", *n, len(to.Done)))
	} else if n != nil {
		to.Done = slices.Clone(to.Done[:max(*n, 0)])
	}
	before := max(l.s.At, 0)
	for _, row := range c.D {
		p := dag.GroupPoint{Count: 1}
		if l.values(row, &p.At, &p.Bytes, &p.Took, &p.Count); p.At.Known() {
			p.At += before
			before = p.At
		}
		to.Done = append(to.Done, p)
	}
}

// values reads a row of these values. Those at its end may be missing.
func (l *tapeLine) values(row []json.RawMessage, to ...any) {
	if len(row) > len(to) {
		l.fail(errRow)
		return
	}
	for i, text := range row {
		l.read(text, to[i])
	}
}
