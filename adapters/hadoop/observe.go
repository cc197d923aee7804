package hadoop

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// inFlight bounds the questions under way at once.
const inFlight = 4

// ask puts all questions, at most inFlight at a time. A question keeps its own error.
func ask(ctx context.Context, questions ...func(context.Context)) {
	var g errgroup.Group
	g.SetLimit(inFlight)
	for _, q := range questions {
		g.Go(func() error {
			ctx, done := holding(ctx)
			defer done()
			q(ctx)
			return nil
		})
	}
	_ = g.Wait() // questions return no error
}

// get decodes an answer. Decoding a long one takes seconds and cannot be interrupted: it is left alone once the context is done.
func get[T any](ctx context.Context, what string, body []byte, err error) (T, error) {
	var v T
	if err != nil {
		return v, err
	}
	if len(body) <= shortBody {
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

const (
	appsAll     = "apps?deSelects=resourceRequests"
	appsRunning = appsAll + "&states=NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING"
	// What an application waits for takes two thirds of its 4 KB; on a busy cluster it is done without.
	appsBrief, busy = ",resourceInfo,timeouts,appNodeLabelExpression,amNodeLabelExpression", 100
	appsBriefly     = appsAll + appsBrief + "&states=NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING"
	// Between waves a job could come and go unseen: then each such tick asks for ended applications too.
	allEach = 3
	// Queues change seldom. Of nodes that come and go the metrics tell.
	nodesEach, queuesEach = 60, 10
)

// observe puts this tick's questions. Nothing is asked twice. It fails only where nothing can be said at all.
func (s *Source) observe(ctx context.Context) error {
	if err := s.observeCluster(ctx); err != nil {
		s.missed, s.missedAt = true, s.now
		return err
	}
	s.catchUp()
	if s.ticks == 0 {
		s.now = s.cluster.Now() // before its first answer the cluster's clock was not known
		if s.hub == nil {
			s.seenAt = s.now
		}
	}
	s.missed = false
	if err := s.choose(); err != nil {
		return err
	}
	for range searches {
		if asked := s.observeConfs(ctx); asked == 0 || !s.byWorkflow() || s.choose() == nil && s.chosen != "" {
			break
		}
	}
	if s.workflow == "" && s.conf() != nil && s.conf().workflow != "" {
		s.observeConfs(ctx) // of its siblings, now that they can be told
	}
	if err := s.enlist(); err != nil {
		return err
	}
	s.observeLost(ctx)
	s.observeInputs(ctx)
	err := s.observeJobs(ctx)
	s.observeAvoided(ctx)
	s.observeNeeds(ctx)
	s.world.guess()
	return cmp.Or(ctx.Err(), err)
}

// observeCluster asks for the applications and the state of the cluster. Without the applications there is no tick.
func (s *Source) observeCluster(ctx context.Context) error {
	if s.hub != nil {
		return s.hub.serve(s)
	}
	s.seenAt = s.now
	path := appsRunning
	if s.ticks == 0 || s.missed || s.idle() && s.ticks%allEach == 0 {
		path = appsAll
	}
	if len(s.listed) > busy {
		path = strings.Replace(path, "resourceRequests", "resourceRequests"+appsBrief, 1)
	}
	var apps appsBody
	var appsErr error
	var w answers
	questions := []func(context.Context){
		func(ctx context.Context) {
			body, err := s.cluster.RM(ctx, path)
			apps, appsErr = get[appsBody](ctx, "apps", body, err)
		},
		func(ctx context.Context) {
			body, err := s.cluster.RM(ctx, "metrics")
			w.metrics, w.metricsErr = get[metricsBody](ctx, "metrics", body, err)
		},
	}
	nodes := func(ctx context.Context) {
		body, err := s.cluster.RM(ctx, "nodes")
		w.nodes, w.nodesErr = get[nodesBody](ctx, "nodes", body, err)
		w.nodesAsked = true
	}
	if s.ticks%nodesEach == 0 || !s.world.listedAt.Known() {
		questions = append(questions, nodes)
	}
	if s.ticks%queuesEach == 0 || !s.world.queuesKnown {
		questions = append(questions, func(ctx context.Context) {
			body, err := s.cluster.RM(ctx, "scheduler")
			w.queues, w.queuesErr = get[schedulerBody](ctx, "scheduler", body, err)
			w.queuesAsked = true
		})
	}
	ask(ctx, questions...)
	if appsErr != nil {
		return appsErr
	}
	if !w.nodesAsked && s.world.nodesMoved(&w) {
		ask(ctx, nodes)
	}
	s.listed = s.listed[:0]
	for i := range apps.Apps.v.App {
		a := &apps.Apps.v.App[i]
		if a.ID != "" {
			s.apps[string(a.ID)] = a.after(s.apps[string(a.ID)])
			s.listed = append(s.listed, string(a.ID))
		}
	}
	slices.SortFunc(s.listed, byID)
	s.listed = slices.Compact(s.listed)
	s.world.take(&w, s)
	return nil
}

// idle says that no job of the workflow is under way.
func (s *Source) idle() bool {
	for _, j := range s.member {
		if !j.state.Ended() {
			return false
		}
	}
	return len(s.member) > 0
}

// observeLost asks for members that the list leaves out: they have ended, or the ResourceManager has forgotten them.
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
		switch a := &answers[i].App.v; {
		case errs[i] == nil && string(a.ID) == j.app:
			s.apps[j.app] = a.after(s.apps[j.app])
		case status(errs[i]) == http.StatusNotFound:
			// Forgotten, as after a restart of a ResourceManager without a state store: the history server is asked from now on.
			gone := *s.apps[j.app]
			gone.State, gone.AllocatedMB, gone.forgotten = "FINISHED", num{}, true
			s.apps[j.app] = &gone
		}
	}
}
