package yarn

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

// inFlight bounds the requests that a source has under way at once.
const inFlight = 4

// Each calls send for each item, at most four at a time, and waits for them. send sends requests.
func Each[T any](ctx context.Context, items []T, send func(ctx context.Context, item T)) {
	var g errgroup.Group
	g.SetLimit(inFlight)
	for _, item := range items {
		g.Go(func() error {
			ctx, done := rest.Keep(ctx)
			defer done()
			send(ctx, item)
			return nil
		})
	}
	_ = g.Wait() // requests return no error
}

// Together calls all functions as Each does.
func Together(ctx context.Context, requests ...func(context.Context)) {
	Each(ctx, requests, func(ctx context.Context, send func(context.Context)) { send(ctx) })
}

// Read decodes the response to a request, which may have failed with err. what names the request in errors. A value of
// the wrong type is unknown, never an error; only text that is not JSON is one (facts/hadoop.md A1). Of duplicate keys
// the last one counts.
func Read[T any](what string, body []byte, err error) (v T, _ error) {
	return rest.Read[T]("hadoop: the answer to "+what, body, err) //nolint:wrapcheck // it is named
}

// Brief returns an error's text for a warning: its first line, cut, and the whole hint, which follows a long address.
func Brief(err error) string {
	if e, ok := errors.AsType[*rest.Error](err); ok && e.Hint != "" && len(e.Hint) < 400 {
		if text, found := strings.CutSuffix(err.Error(), " ("+e.Hint+")"); found {
			return input.FirstLine(text) + " (" + e.Hint + ")"
		}
	}
	return input.FirstLine(err.Error())
}

// Denied reports whether an error is a refusal of access.
func Denied(err error) bool {
	status := rest.Status(err)
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

// EndStates are the ends of jobs and DAGs by Hadoop's names.
var EndStates = map[string]dag.State{
	"SUCCEEDED": dag.Succeeded, "FAILED": dag.Failed, "KILLED": dag.Killed, "ERROR": dag.Failed,
}

// LoadWarning returns the warning about the load of other applications, if there is any.
func LoadWarning(load []dag.Load) []dag.Warning {
	if len(load) == 0 {
		return nil
	}
	mb := 0
	for i := range load {
		mb += load[i].HeldMB
	}
	return []dag.Warning{dag.Warningf(dag.WarnOtherLoad, "other applications use %d MB", mb)}
}

// oneLine returns foreign text as errors quote it: the first line, cut to 200 characters.
func oneLine(s string) string { return input.OneLine(s, 200) }

// ByID orders the ids of applications and jobs as the ResourceManager does: cluster start, then number.
func ByID(a, b string) int {
	pa, pb := strings.Split(a, "_"), strings.Split(b, "_")
	for i := 1; i < min(len(pa), len(pb)); i++ {
		if c := cmp.Or(cmp.Compare(len(pa[i]), len(pb[i])), cmp.Compare(pa[i], pb[i])); c != 0 {
			return c
		}
	}
	return cmp.Compare(a, b)
}

// RecordedManager returns the scheme and host of the ResourceManager whose answers are recorded; "" if there is none.
func RecordedManager(rec *recording.Answers) string {
	for _, a := range rec.All() {
		if u := a.URL; strings.HasPrefix(recording.Served(u), "/ws/v1/cluster/") {
			return u.Scheme + "://" + u.Host
		}
	}
	return ""
}

// IsPoll reports whether a request begins a poll of a ResourceManager: it requests the list of applications.
func IsPoll(u *url.URL) bool { return recording.Served(u) == "/ws/v1/cluster/apps" }

// RecordedApps returns the applications of the recorded lists as they were listed first, by submission.
func RecordedApps(rec *recording.Answers) []*App {
	var before *recording.Answer
	known := map[string]bool{}
	var out []*App
	for i := range rec.All() {
		a := &rec.All()[i]
		if a.Status != http.StatusOK || !IsPoll(a.URL) || a.SameText(before) {
			continue
		}
		before = a
		apps, _ := Apps([]byte(a.Text()), nil) // an unusable response has none
		for _, app := range apps {
			if !known[app.ID] {
				known[app.ID] = true
				out = append(out, app)
			}
		}
	}
	slices.SortStableFunc(out, Older)
	return out
}

// NewReplay returns a replay of the recorded polls of a ResourceManager, through a player. source makes its source of a
// client of the recorded cluster.
func NewReplay(rec *recording.Answers, p *recording.Player, every time.Duration, target Target,
	source func(*Client, Target) recording.Source,
) (*recording.Replay, error) {
	rm := RecordedManager(rec)
	if rm == "" {
		return nil, errors.New(
			"recording: no answer of a ResourceManager is recorded: record with attach --record FILE --raw")
	}
	client, err := NewClient(Site{RMs: []Manager{{URL: rm}}, JHS: rm}, rest.Options{Transport: p, Now: p.Now})
	if err != nil {
		return nil, err
	}
	r := recording.NewReplay(rec, rec.Polls(IsPoll), every)
	r.Seek = p.Seek
	target.Made, target.Final = p.Made, r.Last
	r.Source = source(client, target)
	return r, nil
}
