package yarn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/naming"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
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

type metricsBody struct {
	Metrics rest.Box[struct {
		TotalMB, AllocatedMB, ReservedMB input.Optional
		nodeCounts
	}] `json:"clusterMetrics"`
}

// A view holds the cluster's responses to one Refresh. A published view never changes.
type view struct {
	round   int
	at      dag.Instant // when it was requested
	err     error
	apps    map[string]*App // the running ones, and those that ended since the hub was made
	listed  []string        // applications of this round's list of those that run, or of all, by id
	running []string        // the ones that have not ended, by id
	// applications that ran and are on no list any more, until a list of ended ones was due to contain them
	missed map[string]*App
	alike  map[nameKey][]string // applications of one script, by id

	metrics    metricsBody
	metricsErr error // the newest request failed: metrics are older
	queues     schedulerBody
	hasQueues  bool
}

// maxEnded bounds the applications that are remembered after their end; a ResourceManager keeps 1,000 by default.
const maxEnded = 10_000

// known returns the last report of an application that runs, has ended or is missed; nil for any other.
func (v *view) known(app string) *App { return cmp.Or(v.apps[app], v.missed[app]) }

type nameKey struct{ script, user string }

func keyOf(a *App) nameKey { return nameKey{naming.HiveScript(a.FullName), a.User} }

// nodesMoved reports whether nodes came, went or changed since the last metrics that could be read.
func (v *view) nodesMoved(earlier *view) bool {
	was := earlier.metrics.Metrics.V.nodeCounts
	return v.metricsErr == nil && was.ActiveNodes.Known && v.metrics.Metrics.V.nodeCounts != was
}

// take makes the view from two lists: the applications that run, or all, and those that have ended.
func (v *view) take(earlier *view, running, ended *appsBody) {
	v.apps = make(map[string]*App, len(earlier.apps))
	for id, a := range earlier.apps {
		if a.Ended {
			v.apps[id] = a
		}
	}
	listed := running.list()
	for _, a := range slices.Concat(ended.list(), listed) {
		if was := earlier.known(a.ID); was != nil { // the same texts are kept once
			a.ID, a.User, a.Queue = was.ID, was.User, was.Queue
			if a.FullName == was.FullName {
				a.Name, a.FullName = was.Name, was.FullName
			}
		}
		v.apps[a.ID] = a.after(earlier.apps[a.ID])
	}
	past := slices.DeleteFunc(slices.Collect(maps.Values(v.apps)), func(a *App) bool { return !a.Ended })
	if len(past) > maxEnded {
		slices.SortFunc(past, Older)
		for _, a := range past[:len(past)-maxEnded] {
			delete(v.apps, a.ID)
		}
	}
	listed = input.Only(listed, func(a *App) bool { return v.apps[a.ID] != nil })
	v.listed = units.Each(listed, func(a *App) string { return a.ID })
	slices.SortFunc(v.listed, ByID)
	v.listed = slices.Compact(v.listed)
	v.alike = map[nameKey][]string{}
	for _, id := range slices.SortedFunc(maps.Keys(v.apps), ByID) {
		a := v.apps[id]
		v.alike[keyOf(a)] = append(v.alike[keyOf(a)], id)
		if !a.Ended {
			v.running = append(v.running, id)
		}
	}
}

// miss remembers applications that ran and are on no list. If an application was missed before a list of ended ones
// was requested and is not on that list either, the ResourceManager has forgotten it, as after a failover to one
// without a state store.
func (v *view) miss(earlier *view, withEnded bool) {
	v.missed = map[string]*App{}
	if !withEnded {
		maps.Copy(v.missed, earlier.missed)
	}
	for _, id := range earlier.running {
		v.missed[id] = earlier.apps[id]
	}
	maps.DeleteFunc(v.missed, func(id string, _ *App) bool { return v.apps[id] != nil })
}

// A Submitted is an application that runs or waits to.
type Submitted struct {
	App, Name, User, Queue string
	Engine                 string      // "Tez" or "Spark"; "" is MapReduce
	Title                  string      // the name of the DAG that it runs, if that is known; "" with MapReduce
	URL                    string      // of the driver's page, if it is not behind YARN's proxy
	At                     dag.Instant // its submission
	// Read means that its workflow is known; "" is a single job, or one with a conf that may not be read. Readable
	// means that its master can be queried.
	Read, Readable bool
	Workflow       string
	// HeldMB is the memory of its containers, its master's included. PendingMB is requested and not allocated. It
	// is NaN if the cluster does not report it (the fair scheduler), or if the list leaves it out (a busy cluster).
	HeldMB, Containers int
	PendingMB          float64
	// UserMB is the limit of its user in its queue, and QueueMB that of all users; 0 if unlimited or unknown.
	UserMB, QueueMB int
}

// sameWave is how far apart submissions of a wave may be (facts/measured.md 4: 0.2 s; a big job's splits take
// time).
const sameWave = 10 * time.Second

// SameWave reports whether two instants of submission are about the same.
func SameWave(a, b dag.Instant) bool {
	return a.Known() == b.Known() && (!a.Known() || a.Sub(b).Abs() < sameWave)
}

// SameScript reports whether two applications may be jobs of one wave of a script: alike, and submitted at about the
// same time.
func SameScript(a, b *Submitted) bool {
	return naming.HiveScript(a.Name) == naming.HiveScript(b.Name) && a.User == b.User && SameWave(a.At, b.At)
}

// Submitted lists the applications of an engine that run or wait to, by id.
func (h *Hub) Submitted(of func(*App) bool) []Submitted {
	v := h.view.Load()
	total, _ := h.Room()
	out := make([]Submitted, 0, len(v.running))
	for _, id := range v.running {
		a := v.apps[id]
		if !of(a) {
			continue
		}
		var q dag.QueueState
		if leaf := v.queues.Scheduler.V.Info.V.find(a.Queue); leaf != nil {
			q = leaf.state(a.Queue, total)
		}
		pendingMB := math.NaN()
		if a.HasPending {
			pendingMB = float64(a.PendingMB)
		}
		out = append(out, Submitted{
			App: id, Name: naming.HiveScript(naming.JobTitle(a.FullName)), User: a.User, Queue: a.Queue,
			At: a.Submitted, Readable: a.Running, HeldMB: a.HeldMB, Containers: max(0, a.Containers),
			PendingMB: pendingMB, UserMB: q.UserMB, QueueMB: q.MaxMB,
		})
	}
	return out
}

// Room returns the cluster's memory for containers and the free part of it, in MB. Both are 0 if unknown.
func (h *Hub) Room() (totalMB, freeMB int) {
	m := &h.view.Load().metrics.Metrics.V
	totalMB = m.TotalMB.Count(MaxMB)
	return totalMB, max(0, totalMB-m.AllocatedMB.Count(MaxMB)-m.ReservedMB.Count(MaxMB))
}

// App returns the last report of an application that runs, has ended since the hub was made, or was missed by the
// newest round; nil for any other. It may not be changed.
func (h *Hub) App(id string) *App { return h.view.Load().known(id) }

// Running returns the applications that have not ended, by id, and when they were requested.
func (h *Hub) Running() ([]*App, dag.Instant) {
	v := h.view.Load()
	return units.Each(v.running, func(id string) *App { return v.apps[id] }), v.at
}

// Alike returns the ids of the applications that may be parts of the same script as a, by id.
func (h *Hub) Alike(a *App) []string { return h.view.Load().alike[keyOf(a)] }
