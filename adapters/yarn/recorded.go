package yarn

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/hadoopconf"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/rest"
)

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
		apps, _ := Apps([]byte(a.Text())) // an unusable response has none
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

// NewReplay returns a replay of the recorded polls of a ResourceManager, through a player. Its source gets a client
// of the site with these options.
func NewReplay(rec *recording.Answers, p *recording.Player, every time.Duration) (
	r *recording.Replay, site hadoopconf.Site, o rest.Options, err error,
) {
	rm := RecordedManager(rec)
	if rm == "" {
		return nil, site, o, errors.New(
			"recording: no answer of a ResourceManager is recorded: record with attach --record FILE --raw")
	}
	r = recording.NewReplay(rec, rec.Polls(IsPoll), every)
	r.Seek = p.Seek
	r.IsEarly = func(err error) bool {
		_, early := errors.AsType[*NoWorkflowError](err)
		return early
	}
	site = hadoopconf.Site{RMs: []hadoopconf.Manager{{URL: rm}}, JHS: rm}
	return r, site, rest.Options{Transport: p, Now: p.Now}, nil
}
