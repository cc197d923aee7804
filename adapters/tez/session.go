package tez

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/hadoop"
	"github.com/paratimer/paratimer/adapters/pig"
)

// A DAG is one of those that a session has been given.
type DAG struct {
	ID   string
	Name string // as plans have it; "" if the master's history file cannot be read
	// Query is the id that Hive gave to the query that the DAG runs; "" if it is none of Hive's.
	Query string
	Ended bool
}

// A Session lists the DAGs of an application, which runs one after the other. It is not safe for concurrent use.
type Session struct {
	cluster Cluster
	logs    *logs // of the newest master; nil before its container is known
	dags    []DAG // by number; those that nothing names yet have no Name
}

// NewSession returns a session that has asked nothing yet.
func NewSession(cluster Cluster) *Session { return &Session{cluster: cluster} }

// mostDAGs bounds the DAGs of a session that are told apart.
const mostDAGs = 100_000

// Observe returns the DAGs of an application, by number, the newest one last. It reads what the master's files have
// grown by. If the NodeManager does not give them, the master is asked for the next DAG, which makes the master write
// an error where there is none: ask seldom. The error is that of the ResourceManager's proxy, if it refuses as well.
func (s *Session) Observe(ctx context.Context, app hadoop.App) ([]DAG, error) {
	if app.Container != "" && (s.logs == nil || s.logs.container != app.Container) {
		s.logs = newLogs(app.Node, app.Container)
	}
	prefix := "dag_" + strings.TrimPrefix(app.ID, "application_") + "_"
	if s.logs != nil {
		s.logs.list(ctx, s.cluster)
	}
	if s.logs == nil || s.logs.sizes == nil {
		err := s.ask(ctx, app, prefix)
		return slices.Clone(s.dags), err
	}
	for name := range s.logs.sizes {
		if rest, ok := strings.CutPrefix(name, "syslog_"+prefix); ok {
			n, _ := strconv.Atoi(strings.TrimSuffix(rest, "_post")) // 0 is no DAG
			s.grow(prefix, n)
		}
	}
	for _, name := range historyFiles(s.logs.sizes) {
		s.logs.read(ctx, s.cluster, name, historyEnd, func(text string) { s.record(prefix, text) })
	}
	for i := range s.dags {
		if d := &s.dags[i]; d.Name == "" && pig.Is(app.Name) {
			d.entitle(&planBody{Name: text(app.Name)}) // as Pig's DAGs are named, but for a number
		}
	}
	return slices.Clone(s.dags), nil
}

// grow notes that there are n DAGs at least.
func (s *Session) grow(prefix string, n int) {
	for k := len(s.dags) + 1; k <= min(n, mostDAGs); k++ {
		s.dags = append(s.dags, DAG{ID: prefix + strconv.Itoa(k)})
	}
}

// ask asks the master for the first DAG that is not known.
func (s *Session) ask(ctx context.Context, app hadoop.App, prefix string) error {
	next := strconv.Itoa(len(s.dags) + 1)
	body, err := s.cluster.Proxy(ctx, app.ID, "ws/v2/tez/dagInfo?dagID="+next)
	if status(err) == http.StatusNotFound {
		return nil
	}
	var d dagBody
	if err == nil && json.Unmarshal(body, &d) == nil && string(d.DAG.ID) == prefix+next {
		s.grow(prefix, len(s.dags)+1)
		_, s.dags[len(s.dags)-1].Ended = dagStates[string(d.DAG.Status)]
	}
	return err
}

// record takes a record of the history.
func (s *Session) record(prefix, line string) {
	line = strings.TrimSpace(line)
	begun, ended := strings.Contains(line, "DAG_SUBMITTED"), strings.Contains(line, "DAG_FINISHED")
	if !begun && !ended || !strings.Contains(line[:min(len(line), 200)], prefix) {
		return
	}
	var r record
	if json.Unmarshal([]byte(line), &r) != nil {
		return
	}
	n, err := strconv.Atoi(strings.TrimPrefix(string(r.Entity), prefix))
	if err != nil || n < 1 || n > mostDAGs {
		return
	}
	s.grow(prefix, n)
	for _, e := range r.Events {
		d := &s.dags[n-1]
		d.Ended = d.Ended || e.Type == "DAG_FINISHED"
		if e.Type == "DAG_SUBMITTED" && r.Other.Plan != nil {
			d.entitle(r.Other.Plan)
		}
	}
}

// entitle names the DAG, as a source of it does.
func (d *DAG) entitle(p *planBody) {
	g := newGraph(d.ID)
	g.entitle(p)
	d.Name = g.name
	if strings.EqualFold(string(p.Context.Context), "HIVE") {
		d.Query, _, _ = strings.Cut(string(p.Context.CallerID), "_User:")
	}
}

// findQuery returns the DAG that runs a query, by the id that Hive gave to it. Hive tags a session with the id of its
// first query, so that the one with that tag is asked first. If no file names the query, it is the newest DAG of the
// application with its tag. ok is false if there is none of these.
func findQuery(ctx context.Context, c Cluster, apps []hadoop.App, query string) (id string, ok bool) {
	tagged := ""
	sessions := slices.DeleteFunc(apps, func(a hadoop.App) bool { return a.Type != "TEZ" || a.Container == "" })
	slices.SortStableFunc(sessions, func(a, b hadoop.App) int {
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
		dags, err := NewSession(c).Observe(ctx, a)
		if err != nil {
			continue
		}
		for _, d := range dags {
			if d.Query == query {
				return d.ID, true
			}
		}
	}
	return tagged, tagged != ""
}

// mostSessions bounds the sessions whose files are read for a query.
const mostSessions = 20

// IsQuery reports whether a text is an id that Hive gives to a query.
func IsQuery(id string) bool { return hiveQuery.MatchString(id) }
