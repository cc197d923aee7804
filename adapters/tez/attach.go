package tez

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/pig"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// An Observer yields snapshots of a workflow.
type Observer interface {
	Next(ctx context.Context) (*dag.Snapshot, error)
}

// A Workflow yields snapshots of a Tez workflow, or of one of another engine that is no Tez application. The
// ResourceManager reports which engine runs it. A Workflow is not safe for concurrent use.
type Workflow struct {
	cluster Cluster
	target  yarn.Target
	other   func(yarn.Target) Observer
	source  Observer
	session *Session // for After; nil before its first call
}

// NewWorkflow returns a Workflow for target on cluster: a DAG, an application or a Hive query by id, or the user's
// newest running application. other opens a target that is not of Tez.
func NewWorkflow(cluster Cluster, target yarn.Target, other func(yarn.Target) Observer) *Workflow {
	return &Workflow{cluster: cluster, target: target, other: other}
}

// Next observes once. It returns the errors of both engines' sources.
func (w *Workflow) Next(ctx context.Context) (*dag.Snapshot, error) {
	if w.source == nil {
		id, of, err := w.find(ctx)
		switch {
		case err != nil:
			return nil, err
		case of:
			w.source = NewSource(w.cluster, Target{ID: id, Made: w.target.Made, Final: w.target.Final})
		default:
			target := w.target
			target.ID = id
			w.source = w.other(target)
		}
	}
	s, err := w.source.Next(ctx)
	if _, none := errors.AsType[*yarn.NoWorkflowError](err); none && w.target.ID == "" {
		w.source = nil // the next application may use the other engine
	}
	if errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	return s, err
}

// Script reports whether the newest snapshot is from a Pig script, which may run several DAGs in its session.
func (w *Workflow) Script() bool {
	src, is := w.source.(*Source)
	return is && pig.Is(src.app.Name)
}

// After returns the id of the session's next DAG after the watched one, or "" while there is none. over reports that
// no DAG can follow: the application has ended, or is not of Tez. After observes once.
func (w *Workflow) After(ctx context.Context) (id string, over bool, err error) {
	src, is := w.source.(*Source)
	if !is || src.st == nil {
		return "", true, nil
	}
	if err := src.overview.Observe(ctx); err != nil {
		return "", false, err
	}
	app, known := src.overview.App(ctx, src.app.ID)
	if !known {
		return "", true, nil
	}
	if w.session == nil {
		w.session = NewSession(w.cluster)
		w.session.grow(dagsOf(app.ID), numberOf(src.st.id))
	}
	dags, err := w.session.Observe(ctx, app)
	if n := numberOf(src.st.id); len(dags) > n {
		return dags[n].ID, false, nil
	}
	return "", app.Ended, err
}

// find reports whether the target is a DAG or an application of Tez, and returns its id.
func (w *Workflow) find(ctx context.Context) (id string, of bool, err error) {
	id = w.target.ID
	if _, is := IsDAG(id); is {
		return id, true, nil
	}
	query := ""
	if IsQuery(id) {
		query = strings.TrimPrefix(id, "hive_")
	}
	if id != "" && query == "" && !appID.MatchString(id) {
		return id, false, nil // the id of a MapReduce job or workflow
	}
	over := yarn.NewOverview(w.cluster, w.target.Made)
	if err := over.Observe(ctx); err != nil {
		return "", false, &dag.MissedError{At: over.Now(), Err: err}
	}
	if query != "" {
		if found, ok := findQuery(ctx, w.cluster, over.Listed(), query); ok {
			return found, true, nil
		}
		return "hive_" + query, false, nil // the name in Hive on MapReduce
	}
	if id != "" {
		a, _ := over.App(ctx, id)
		return id, a.Type == "TEZ", nil
	}
	newest := newestApp(over.Listed(), w.target.User, "TEZ", "MAPREDUCE")
	if newest.Type != "TEZ" {
		return "", false, nil
	}
	return newest.ID, true, nil
}

// newestApp returns the newest application of a user that has not ended and has one of the types, or an empty one. ""
// is any user.
func newestApp(all []*yarn.App, user string, types ...string) *yarn.App {
	newest := &yarn.App{}
	for _, a := range all {
		isCandidate := !a.Ended && slices.Contains(types, a.Type) && (user == "" || a.User == user)
		if isCandidate && (newest.ID == "" || a.Submitted > newest.Submitted) {
			newest = a
		}
	}
	return newest
}
