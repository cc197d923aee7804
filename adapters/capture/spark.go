package capture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// The requests to a Spark driver depend on the recording program. A replay therefore applies all responses in the
// order of their requests, whatever a live source would request.

// isSpark reports whether an address is one of Spark's REST service or pages.
func isSpark(u *url.URL) bool {
	_, ok := spark.Concerns(u)
	return ok
}

// sparkPath returns the full path with the query, which identifies a response of Spark.
func sparkPath(u *url.URL) string {
	path := strings.TrimSuffix(u.Path, "/")
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	return path
}

// plays reports whether a recording is replayed as one of Spark. It is if it has no ResourceManager, or contains the
// requested Spark application.
func (r *Recording) plays(workflow string) bool {
	workflow, _ = spark.AppOf(workflow)
	if !r.spark || r.rm == "" {
		return r.spark
	}
	for path := range r.paths {
		u, err := url.Parse(path)
		if err != nil {
			continue
		}
		if app, ok := spark.Concerns(u); ok && app != "" && (workflow == "" || app == workflow) {
			return true
		}
	}
	return false
}

// A sparkAnswer is a response with its address.
type sparkAnswer struct {
	url *url.URL
	answer
}

// A sparkPlayer applies the responses of a recording, poll by poll.
type sparkPlayer struct {
	app     *spark.App
	answers []sparkAnswer
	rounds  []dag.Instant // when each poll begins
	now     dag.Instant
	done    bool
}

// newSparkSource returns a source of a Spark application, with a snapshot for each recorded list of applications.
func newSparkSource(rec *Recording, o Options) (*Source, error) {
	p := &sparkPlayer{}
	var ticks []dag.Instant
	apps := map[string]bool{}
	for path, list := range rec.paths {
		u, err := url.Parse(path)
		if err != nil {
			continue
		}
		app, ok := spark.Concerns(u)
		if !ok && !spark.OfManager(u) {
			continue
		}
		if app != "" {
			apps[app] = true
		}
		for _, a := range list {
			p.answers = append(p.answers, sparkAnswer{u, a})
			if spark.IsTick(u) {
				ticks = append(ticks, a.at)
			}
		}
	}
	slices.SortStableFunc(p.answers, func(x, y sparkAnswer) int {
		return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.url.Path, y.url.Path),
			cmp.Compare(x.url.RawQuery, y.url.RawQuery))
	})
	if app, _ := spark.AppOf(o.Workflow); app != "" && !apps[app] {
		e := &UnknownError{Workflow: o.Workflow}
		for app := range apps {
			e.Holds = append(e.Holds, app+" of Spark")
		}
		slices.Sort(e.Holds)
		return nil, e
	}
	if len(ticks) == 0 {
		return nil, errors.New(
			"capture: no answer of /api/v1/applications of Spark is recorded: there are no rounds to play")
	}
	slices.Sort(ticks)
	ticks = slices.Compact(ticks)
	p.app = spark.NewApp(o.Workflow)
	p.choose()
	p.rounds = ticks
	return &Source{rec: rec, spark: p, query: p, ticks: thin(ticks, o.Every)}, nil
}

// choose selects the first listed application if none was requested.
func (p *sparkPlayer) choose() {
	for i := range p.answers {
		a := &p.answers[i]
		if p.app.ID() == "" && a.status == http.StatusOK && spark.IsTick(a.url) &&
			p.app.TakeApplication([]byte(a.body.String())) {
			return
		}
	}
}

// Next applies all responses up to the end of the current poll.
func (p *sparkPlayer) Next(ctx context.Context) (*dag.Snapshot, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if p.done {
		return nil, io.EOF
	}
	until := dag.Instant(1<<62 - 1)
	if n, _ := slices.BinarySearch(p.rounds, p.now+1); n < len(p.rounds) {
		until = p.rounds[n]
	}
	why, told := "nothing was answered", false
	for len(p.answers) > 0 && p.answers[0].at < until {
		a := &p.answers[0]
		w := spark.Answer{URL: a.url, At: a.end, Status: a.status, Type: a.kind, Body: a.body.String}
		if took := p.app.Take(&w); took {
			told = told || !spark.IsTick(a.url)
		} else if spark.IsTick(a.url) {
			why = recordedFailure(&a.answer)
		}
		p.answers = p.answers[1:]
	}
	final := p.now >= p.rounds[len(p.rounds)-1]
	if !told && !final && p.app.Begun() {
		return nil, &dag.MissedError{At: p.app.Time(p.now), Err: fmt.Errorf("the driver was asked: %s", why)}
	}
	snap, ok := p.app.Snapshot(p.now, final)
	if !ok {
		if final {
			return nil, p.app.Missing()
		}
		return nil, &yarn.NoWorkflowError{}
	}
	p.done = snap.State.Ended()
	return snap, nil
}

// recordedFailure describes why a response was not usable.
func recordedFailure(a *answer) string {
	if a.status == 0 {
		return strings.TrimSpace(a.body.String())
	}
	return fmt.Sprintf("%d %s, %s", a.status, http.StatusText(a.status), a.kind)
}
