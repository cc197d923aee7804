package tez

import (
	"context"

	"github.com/paratimer/paratimer/adapters/pig"
	"github.com/paratimer/paratimer/adapters/yarn"
)

// Owns reports whether an id is that of a DAG or of a Hive query.
func Owns(id string) bool {
	_, is := IsDAG(id)
	return is || IsQuery(id)
}

// Follows reports that another DAG of the session may follow. By default one does if Pig runs the session.
func (s *Source) Follows() (what string, byDefault bool) {
	return "DAG of the session", pig.Is(s.app.Name)
}

// After returns the id of the session's next DAG after the watched one, or "" while there is none. over reports that
// no DAG can follow: the application has ended. After observes once.
func (s *Source) After(ctx context.Context) (id string, over bool, err error) {
	if s.st == nil {
		return "", true, nil
	}
	if err := s.overview.Observe(ctx); err != nil {
		return "", false, err
	}
	app, known := s.overview.App(ctx, s.app.ID)
	if !known {
		return "", true, nil
	}
	if s.session == nil {
		s.session = newSession(s.cluster, app.ID)
		s.session.grow(numberOf(s.st.id))
	}
	dags, err := s.session.observe(ctx, &app)
	if n := numberOf(s.st.id); len(dags) > n {
		return dags[n].id, false, nil
	}
	return "", app.Ended, err
}

// newestApp returns the newest application of Tez that has not ended, or an empty one.
func newestApp(all []*yarn.App) *yarn.App {
	newest := &yarn.App{}
	for _, a := range all {
		if a.Type == "TEZ" && !a.Ended && (newest.ID == "" || a.Submitted > newest.Submitted) {
			newest = a
		}
	}
	return newest
}
