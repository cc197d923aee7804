package hadoop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

// A Cluster sends a source's requests. Its methods return the bodies of JSON responses with status 200. Everything
// else is an error, an *rest.Error if the server responded. *Client is a Cluster.
type Cluster interface {
	RM(ctx context.Context, path string) ([]byte, error)
	AM(ctx context.Context, app, path string) ([]byte, error)
	JHS(ctx context.Context, path string) ([]byte, error)
	// HDFS sends a WebHDFS operation on an absolute path to one of several bases, such as http://nn:9870.
	HDFS(ctx context.Context, bases []string, path, op string) ([]byte, error)
	Now() dag.Instant // the cluster's clock
}

// A Source yields snapshots of one workflow. It is not safe for concurrent use.
type Source struct {
	cluster Cluster
	target  Target
	hub     *Hub // sends the requests that sources share
	round   int  // the hub's newest round that was served

	now    dag.Instant // time of this tick
	seenAt dag.Instant // when the applications were listed
	ticks  int

	apps     map[string]*wireApp // the ResourceManager's last list
	jobs     map[string]*job     // by application id: jobs that may belong to the workflow
	chosen   string              // application that stands for the workflow; "" until one is chosen
	workflow string              // its id; "" until a conf is known
	listed   []string            // applications in this tick's list, by id
	member   []*job              // jobs of the workflow, by application id
	state    clusterState
	queues   []dag.QueueState // of the newest snapshot; shared while nothing changes
	plan     *dag.Plan        // of the newest snapshot
	large    string           // why the workflow is too large to be estimated, "" if it is not
	relisted bool             // it is small enough again, and the lists are requested anew
	inLists  atomic.Int64     // tasks in the lists of this tick
	missedAt dag.Instant      // the last tick for which the hub had no response
	ended    bool
	warned   []dag.Warning // of this tick
}

// NewSource watches target on cluster, as the only source of a hub.
func NewSource(cluster Cluster, target Target) *Source {
	h := NewHub(cluster)
	h.only = h.source(target)
	return h.only
}

// alone reports whether the source is the only one of its hub.
func (s *Source) alone() bool { return s.hub.only == s }

// Next observes once. It neither waits nor retries. It returns a *NoWorkflowError while there is nothing to watch,
// a *dag.MissedError if an observation failed and a later one may succeed, and io.EOF after a snapshot with a final
// state.
func (s *Source) Next(ctx context.Context) (*dag.Snapshot, error) {
	if s.ended {
		return nil, io.EOF
	}
	defer func() { s.ticks++ }()
	s.now = s.cluster.Now()
	s.warned = nil
	if err := s.observe(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if _, none := errors.AsType[*NoWorkflowError](err); none {
			return nil, err
		}
		return nil, &dag.MissedError{At: s.now, Err: err}
	}
	if w, ok := s.cluster.(interface{ Warnings() []dag.Warning }); ok {
		s.warned = append(s.warned, w.Warnings()...)
	}
	snap := s.snapshot()
	if s.ended = snap.State.Ended(); s.ended {
		s.hub.room.hold(s.chosen, 0)
	}
	return snap, nil
}

func (s *Source) warn(code, format string, args ...any) {
	s.warned = append(s.warned, dag.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
}

// made returns when the response for path was made. A recording has that time; on a live cluster it is now.
func (s *Source) made(path string) dag.Instant {
	if s.target.Made != nil {
		if at := s.target.Made(path); at.Known() {
			return at
		}
	}
	return s.now
}

// inFlight bounds the requests under way at once.
const inFlight = 4

// ask sends all requests, at most inFlight at a time. Each request keeps its own error.
func ask(ctx context.Context, questions ...func(context.Context)) {
	var g errgroup.Group
	g.SetLimit(inFlight)
	for _, q := range questions {
		g.Go(func() error {
			ctx, done := rest.Keep(ctx)
			defer done()
			q(ctx)
			return nil
		})
	}
	_ = g.Wait() // requests return no error
}

// get decodes a response. Decoding a long one takes seconds and cannot be interrupted. If ctx ends first, get
// returns without waiting for it.
func get[T any](ctx context.Context, what string, body []byte, err error) (T, error) {
	var v T
	if err != nil {
		return v, err
	}
	if len(body) <= rest.Short {
		return v, decode(what, body, &v)
	}
	type decoded struct {
		v   T
		err error
	}
	done := make(chan decoded, 1)
	go func() {
		var d decoded
		d.err = decode(what, body, &d.v)
		done <- d
	}()
	select {
	case d := <-done:
		return d.v, d.err
	case <-ctx.Done():
		return v, context.Cause(ctx)
	}
}

// observe sends this tick's requests, none of them twice. It fails only if nothing can be reported at all.
func (s *Source) observe(ctx context.Context) error {
	if s.alone() {
		_ = s.hub.Refresh(ctx) // serve returns its error
	}
	if err := s.hub.serve(s); err != nil {
		s.missedAt = s.now
		return err
	}
	s.catchUp()
	if s.ticks == 0 {
		s.now = s.cluster.Now() // the cluster's clock was unknown before the first response
	}
	if err := s.choose(); err != nil {
		return err
	}
	for range searches {
		if asked := s.observeConfs(ctx); asked == 0 || !s.byWorkflow() || s.choose() == nil && s.chosen != "" {
			break
		}
	}
	if s.workflow == "" && s.conf() != nil && s.conf().workflow != "" {
		s.observeConfs(ctx) // of its siblings, now that they can be recognized
	}
	if err := s.enlist(); err != nil {
		return err
	}
	s.observeLost(ctx)
	s.observeInputs(ctx)
	err := s.observeJobs(ctx)
	s.observeAvoided(ctx)
	s.observeNeeds(ctx)
	s.state.guess()
	return cmp.Or(ctx.Err(), err)
}

// idle reports whether all jobs of the workflow have ended. Without jobs it is false.
func (s *Source) idle() bool {
	for _, j := range s.member {
		if !j.state.Ended() {
			return false
		}
	}
	return len(s.member) > 0
}

// observeLost requests members that the list leaves out: they have ended, or the ResourceManager has forgotten
// them.
func (s *Source) observeLost(ctx context.Context) {
	var lost []*job
	for _, j := range s.member {
		a := s.apps[j.app]
		_, listed := slices.BinarySearchFunc(s.listed, j.app, byID)
		if listed || a == nil || a.ended() && j.state.Ended() && a.AllocatedMB.count(maxMB) == 0 {
			continue
		}
		lost = append(lost, j)
	}
	answers, errs := make([]appBody, len(lost)), make([]error, len(lost))
	questions := make([]func(context.Context), len(lost))
	for i, j := range lost {
		questions[i] = func(ctx context.Context) {
			body, err := s.cluster.RM(ctx, "apps/"+j.app)
			answers[i], errs[i] = get[appBody](ctx, "apps/"+j.app, body, err)
		}
	}
	ask(ctx, questions...)
	for i, j := range lost {
		switch a := &answers[i].App.V; {
		case errs[i] == nil && string(a.ID) == j.app:
			s.apps[j.app] = a.after(s.apps[j.app])
		case rest.Status(errs[i]) == http.StatusNotFound:
			// The ResourceManager has forgotten it, as after a restart without a state store. From now on the
			// history server is queried.
			gone := *s.apps[j.app]
			gone.State, gone.AllocatedMB, gone.forgotten = "FINISHED", num{}, true
			s.apps[j.app] = &gone
		}
	}
}
