package tez

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/paratimer/paratimer/adapters/pig"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
)

// A DAG is one of the DAGs that were submitted to a session.
type DAG struct {
	ID   string
	Name string // the plan's name; "" if the master's history file cannot be read
	// Query is the id that Hive gave to the DAG's query; "" for other DAGs.
	Query string
	Ended bool
}

// A Session lists the DAGs of an application, which run one after another. It is safe for concurrent use.
type Session struct {
	cluster Cluster
	newest  atomic.Pointer[DAG] // of the newest complete observation; nil before the first DAG

	mu    sync.Mutex // held for an observation
	files *files     // of the newest master; nil before its container is known
	dags  []DAG      // by number; Name is empty while it is unknown
}

// NewSession returns a session without observations.
func NewSession(cluster Cluster) *Session { return &Session{cluster: cluster} }

// mostDAGs bounds the stored DAGs of a session.
const mostDAGs = 100_000

// Observe returns the DAGs of an application by number. It reads new data of the master's files. If the NodeManager
// does not serve them, Observe queries the master for the next DAG. A master without that DAG writes an error into
// its log, so call Observe rarely in this case. If the ResourceManager's proxy refuses too, Observe returns its error.
func (s *Session) Observe(ctx context.Context, app yarn.App) ([]DAG, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.observe(ctx, app)
	dags := slices.Clone(s.dags)
	if n := len(dags); n > 0 {
		s.newest.Store(&dags[n-1])
	}
	return dags, err
}

func (s *Session) observe(ctx context.Context, app yarn.App) error {
	prefix := dagsOf(app.ID)
	if s.files = filesOf(s.cluster, &app, s.files); s.files != nil {
		s.files.list(ctx)
	}
	if !s.files.areListed() {
		return s.ask(ctx, app, prefix)
	}
	s.grow(prefix, s.files.newestDAG(prefix))
	s.files.readHistories(ctx, func(text string) { s.record(prefix, text) })
	for i := range s.dags {
		if d := &s.dags[i]; d.Name == "" && pig.Is(app.Name) {
			d.setTitle(&planBody{Name: text(app.Name)}) // Pig's DAG names differ only in a number
		}
	}
	return nil
}

// grow records that there are at least n DAGs.
func (s *Session) grow(prefix string, n int) {
	for k := len(s.dags) + 1; k <= min(n, mostDAGs); k++ {
		s.dags = append(s.dags, DAG{ID: prefix + strconv.Itoa(k)})
	}
}

// ask queries the master for the first unknown DAG.
func (s *Session) ask(ctx context.Context, app yarn.App, prefix string) error {
	next := strconv.Itoa(len(s.dags) + 1)
	body, err := s.cluster.Proxy(ctx, app.ID, rest.Request{Path: "ws/v2/tez/dagInfo?dagID=" + next})
	if rest.Status(err) == http.StatusNotFound {
		return nil
	}
	var d dagBody
	if err == nil && json.Unmarshal(body, &d) == nil && string(d.DAG.ID) == prefix+next {
		s.grow(prefix, len(s.dags)+1)
		_, s.dags[len(s.dags)-1].Ended = finalStates[string(d.DAG.Status)]
	}
	return err
}

// record applies a record of the history. Only those about the beginning and the end of a DAG are decoded.
func (s *Session) record(prefix, line string) {
	line = strings.TrimSpace(line)
	if !strings.Contains(line, "DAG_SUBMITTED") && !strings.Contains(line, "DAG_FINISHED") ||
		!strings.Contains(line[:min(len(line), 200)], prefix) {
		return
	}
	events, _ := recordEvents([]byte(line))
	for i := range events {
		e := &events[i]
		n, err := strconv.Atoi(strings.TrimPrefix(e.entity, prefix))
		if err != nil || n < 1 || n > mostDAGs {
			return
		}
		s.grow(prefix, n)
		d := &s.dags[n-1]
		d.Ended = d.Ended || e.kind == "DAG_FINISHED"
		if e.kind == "DAG_SUBMITTED" && e.plan != nil {
			d.setTitle(e.plan)
		}
	}
}

// setTitle sets the same name that a source of the DAG uses.
func (d *DAG) setTitle(p *planBody) {
	d.Name = titleOf(d.ID, p).name
	if p.isHive() {
		d.Query, _, _ = strings.Cut(string(p.Context.CallerID), "_User:")
	}
}

// Resolve returns the DAG that an id of Tez's own names. For the id of a Hive query that is the DAG that runs it. Hive
// tags a session with the id of its first query, so sessions with that tag come first. If no file names the query,
// Resolve returns the tagged application. If neither exists, ok is false, and found is the workflow's id in Hive on
// MapReduce.
func Resolve(ctx context.Context, c Cluster, apps []*yarn.App, id string) (found string, ok bool) {
	if _, isDAG := IsDAG(id); isDAG {
		return id, true
	}
	query, tagged := strings.TrimPrefix(id, "hive_"), ""
	sessions := slices.DeleteFunc(apps, func(a *yarn.App) bool { return a.Type != "TEZ" || a.Container == "" })
	slices.SortStableFunc(sessions, func(a, b *yarn.App) int {
		switch has, other := a.Tagged(query), b.Tagged(query); {
		case has && !other:
			return -1
		case other && !has:
			return 1
		}
		return int(b.Submitted - a.Submitted)
	})
	for _, a := range sessions[:min(len(sessions), mostSessions)] {
		if a.Tagged(query) {
			tagged = a.ID
		}
		dags, err := NewSession(c).Observe(ctx, *a)
		if err != nil {
			continue
		}
		for _, d := range dags {
			if d.Query == query {
				return d.ID, true
			}
		}
	}
	if tagged == "" {
		return "hive_" + query, false
	}
	return tagged, true
}

// mostSessions bounds the sessions that are searched for a query.
const mostSessions = 20
