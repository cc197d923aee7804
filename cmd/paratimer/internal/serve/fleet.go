package serve

import (
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/units"
)

// Limits of a board.
const (
	mostRunning = 2000 // running queries
	mostEnded   = 100  // ended queries, the newest
)

// A Board is a sink of many watches. It serves a page of all queries, and below it the live report of each.
type Board struct {
	every time.Duration
	model estimators.Model
	zone  *time.Location

	mu      sync.Mutex
	queries map[string]*query // by id
	ended   int               // how many queries have ended
}

// A query has the row and the page of a query.
type query struct {
	view.Query
	page  *Page
	ended int // its number among those that have ended, from 1; 0 if it runs
}

// NewBoard returns a board without queries. Browsers reload every time that every has passed; model is for the
// reports, zone is the time zone for display.
func NewBoard(model estimators.Model, every time.Duration, zone *time.Location) *Board {
	return &Board{every: every, model: model, zone: zone, queries: map[string]*query{}}
}

// Show records a tick of a query. It ignores queries without an id or beyond the limits.
func (b *Board) Show(tick frame.Tick) error {
	row := view.QueryOf(tick)
	if row.ID == "" {
		return nil
	}
	b.mu.Lock()
	q := b.queries[row.ID]
	if q == nil {
		if len(b.queries) >= mostRunning+mostEnded || row.State.Ended() && tick.Frame.StaleSeconds > 0 {
			b.mu.Unlock()
			return nil
		}
		q = &query{page: NewPage(&runreport.Collector{From: row.ID, Model: b.model}, b.every, b.zone)}
		q.page.up = "../../"
		b.queries[row.ID] = q
	}
	if tick.Snapshot == nil { // a missed observation does not include them
		row.User, row.Queue = q.User, q.Queue
	}
	if q.Query = row; row.State.Ended() && q.ended == 0 {
		b.ended++
		q.ended = b.ended
		maps.DeleteFunc(b.queries, func(_ string, q *query) bool { return q.ended > 0 && q.ended <= b.ended-mostEnded })
	}
	b.mu.Unlock()
	return q.page.Show(tick)
}

// Forget drops a query that is no longer watched although it has not ended.
func (b *Board) Forget(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.queries, id)
}

// Queries returns the rows, the worst first.
func (b *Board) Queries() []view.Query {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := units.Each(slices.Collect(maps.Values(b.queries)), func(q *query) view.Query { return q.Query })
	view.SortQueries(all)
	return all
}

// Handler serves the page of all queries at /, its content at /main, and the live report of a query at q/ID/ and
// q/ID/main.
func (b *Board) Handler() http.Handler {
	mux := http.NewServeMux()
	all := func(w http.ResponseWriter, r *http.Request) {
		send(w, r, runreport.Fleet(b.Queries(), b.zone), b.every)
	}
	mux.HandleFunc("GET /{$}", all)
	mux.HandleFunc("GET /main", all)
	one := func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		q := b.queries[r.PathValue("id")]
		b.mu.Unlock()
		if q != nil {
			q.page.answer(w, r)
			return
		}
		http.Error(w, "This query is no longer watched. / lists those that are.", http.StatusNotFound)
	}
	mux.HandleFunc("GET /q/{id}/{$}", one)
	mux.HandleFunc("GET /q/{id}/main", one)
	return Guarded(mux)
}
