package yarn

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A Cluster sends requests to a ResourceManager. *Client is a Cluster.
type Cluster interface {
	// RM returns the body of a JSON response with status 200. Everything else is an error, an *rest.Error if the server
	// responded.
	RM(ctx context.Context, path string) ([]byte, error)
	Now() dag.Instant // the cluster's clock
}

// A Hub polls a cluster for several sources: Refresh sends the requests that they share once. Several goroutines may
// use it, but Refresh is called by one at a time.
type Hub struct {
	cluster Cluster
	// Made, if set, returns when the current response for a path was made, as a capture records it. On a live cluster
	// it is now. The path begins with /ws and has no query.
	made  func(path string) dag.Instant
	view  atomic.Pointer[view]
	nodes *nodeTable
	// endedDue is set in a hub with one source. It reports whether the next list of the applications that run shall
	// include those that have ended.
	endedDue     func() bool
	nodesDoubted atomic.Bool // a master has reported after the newest list that a node is lost
	needs        atomic.Pointer[map[string]*dag.Need]
	endedAt      dag.Instant // when applications that have ended were listed last; used by Refresh alone
}

// NewHub returns a hub that has sent no request yet. made may be nil, or is as in Target.
func NewHub(cluster Cluster, made func(path string) dag.Instant) *Hub {
	nodes := &nodeTable{index: map[string]int32{}, back: map[int32]dag.Instant{}, listedAt: dag.NoInstant}
	h := &Hub{cluster: cluster, made: made, nodes: nodes, endedAt: dag.NoInstant}
	h.view.Store(&view{err: errNotListed})
	h.SetNeeds(nil)
	return h
}

// SetNeeds sets what applications have left to do, by their own masters' reports. The map may not change afterwards.
func (h *Hub) SetNeeds(needs map[string]*dag.Need) { h.needs.Store(&needs) }

var errNotListed = errors.New("hadoop: the applications have not been listed yet")

const (
	// endedEach is how many rounds lie between two lists of ended applications: a short job may start and end
	// between two rounds. A hub with one source lists them only if endedDue reports true.
	endedEach = 3
	// Queues change seldom. The metrics show nodes that come and go.
	nodesEach, queuesEach = 60, 10
	// busy is how many applications make a list long. Pending requests take two thirds of an application's 4 KB,
	// and long lists leave them out.
	busy = 100
	// endedLate is how far the list of ended applications reaches back before the previous list. The ResourceManager
	// publishes an end some time after its timestamp, and after a failover the clock is another ResourceManager's.
	endedLate = time.Minute
)

// Paths of the lists of applications. leanList leaves out the pending requests.
const (
	allApps     = "apps?deSelects=resourceRequests"
	runningApps = "apps?states=NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING&deSelects=resourceRequests"
	endedApps   = "apps?states=FINISHED,FAILED,KILLED&deSelects=resourceRequests" + leanList
	leanList    = ",resourceInfo,timeouts,appNodeLabelExpression,amNodeLabelExpression"
)

// lists returns the paths of the lists of applications that a round requests: those that run (or all), and those that
// have ended, "" in most rounds. A hub with one source sends one request a round. A hub of several sources requests
// ended applications separately, and only those that ended since its last list.
func (h *Hub) lists(round int, earlier *view) (main, ended string, all bool) {
	due := round%endedEach == 1
	main = runningApps
	switch {
	case h.endedDue != nil:
		if all = earlier.err != nil || due && h.endedDue(); all {
			main = allApps
		}
	case due || earlier.apps == nil:
		ended = endedApps
		if h.endedAt.Known() {
			ended += fmt.Sprintf("&finishedTimeBegin=%d", int64(h.endedAt)-endedLate.Milliseconds())
		}
	}
	if len(earlier.listed) > busy {
		main += leanList
	}
	return main, ended, all
}

// Refresh lists the applications and the state of the cluster. After an error sources miss their observations.
func (h *Hub) Refresh(ctx context.Context) error {
	earlier := h.view.Load()
	v := &view{
		round: earlier.round + 1, metrics: earlier.metrics, queues: earlier.queues, hasQueues: earlier.hasQueues,
	}
	err := h.poll(ctx, v, earlier)
	if err != nil {
		failed := *earlier
		failed.round, failed.err = v.round, err
		v = &failed
	}
	h.view.Store(v)
	return err
}

// poll requests the applications and the state of the cluster. Without the applications there is no view. If another
// request fails, its last response stays.
func (h *Hub) poll(ctx context.Context, v, earlier *view) error {
	var running, ended appsBody
	var runningErr, endedErr error
	v.at = h.cluster.Now()
	main, endedPath, all := h.lists(v.round, earlier)
	requests := []func(context.Context){
		func(ctx context.Context) { runningErr = ask(ctx, h.cluster, main, &running) },
		func(ctx context.Context) { v.metricsErr = ask(ctx, h.cluster, "metrics", &v.metrics) },
	}
	if endedPath != "" {
		requests = append(requests, func(ctx context.Context) { endedErr = ask(ctx, h.cluster, endedPath, &ended) })
	}
	var nodes nodesBody
	nodesErr := errNotListed
	listNodes := func(ctx context.Context) { nodesErr = ask(ctx, h.cluster, "nodes", &nodes) }
	nodesDue := v.round%nodesEach == 1 || !h.nodes.listedAt.Known()
	if nodesDue {
		requests = append(requests, listNodes)
	}
	if v.round%queuesEach == 1 || !v.hasQueues {
		requests = append(requests, func(ctx context.Context) {
			v.hasQueues = ask(ctx, h.cluster, "scheduler", &v.queues) == nil || v.hasQueues
		})
	}
	Together(ctx, requests...)
	withEnded := all || endedPath != "" && endedErr == nil
	if withEnded {
		h.endedAt = v.at
	}
	if runningErr != nil {
		return runningErr
	}
	if earlier.apps == nil {
		v.at = h.cluster.Now() // the cluster's clock was unknown before the first response
	}
	isDoubted := h.nodesDoubted.Swap(false)
	if !nodesDue && (isDoubted || v.nodesMoved(earlier)) {
		Together(ctx, listNodes)
	}
	if nodesErr == nil {
		isDoubted = h.nodes.list(nodes.Nodes.V.Node, h.MadeAt("/ws/v1/cluster/nodes", v.at))
	}
	if isDoubted {
		h.nodesDoubted.Store(true)
	}
	v.take(earlier, &running, &ended)
	v.miss(earlier, withEnded)
	return nil
}

// MadeAt returns when the current response for a path was made: now, unless a recording has that time.
func (h *Hub) MadeAt(path string, now dag.Instant) dag.Instant {
	if h.made == nil {
		return now
	}
	return dag.FirstKnown(h.made(path), now)
}

// ask requests a path from the ResourceManager, and replaces the earlier response, which stays if the request fails.
func ask[T any](ctx context.Context, c Cluster, path string, to *T) error {
	what, _, _ := strings.Cut(path, "?")
	body, err := c.RM(ctx, path)
	v, err := Read[T](what, body, err)
	if err == nil {
		*to = v
	}
	return err
}
