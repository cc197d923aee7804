package tez

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// NewPlayer returns a player of the recorded answers of a cluster with masters of Tez.
func NewPlayer(rec *recording.Answers) *recording.Player { return recording.NewPlayer(rec, recorded()) }

// NewReplay returns a replay of a DAG's recorded answers through a source. It returns nil if the recording, or its
// first query, has no DAG.
func NewReplay(rec *recording.Answers, o recording.Options) (*recording.Replay, error) {
	id, err := recordedDAG(rec, o.Workflow)
	if id == "" || err != nil {
		return nil, err
	}
	p := NewPlayer(rec)
	r, site, options, err := yarn.NewReplay(rec, p, o.Every)
	if err != nil {
		return nil, err
	}
	client, err := yarn.NewClient(site, options)
	if err != nil {
		return nil, err
	}
	r.Source = NewSource(client, yarn.Target{ID: id, Made: p.Made, Final: r.Last})
	return r, nil
}

// A recordedRun is a DAG with answers of its master, and the ResourceManager's report of its application.
type recordedRun struct {
	id, app    string
	name, user string
	submitted  dag.Instant
}

// recordedDAG selects the DAG to replay, by its id or its application's. Without an id it selects the first DAG of the
// application that was submitted first; "" if that is not of Tez.
func recordedDAG(rec *recording.Answers, workflow string) (id string, err error) {
	all, otherFirst := recordedRuns(rec)
	switch {
	case len(all) == 0, workflow == "" && otherFirst:
		return "", nil
	case workflow == "":
		return all[0].id, nil
	}
	e := &recording.UnknownError{Workflow: workflow}
	for _, d := range all {
		if d.id == workflow || d.app == workflow {
			return d.id, nil
		}
		e.Holds = append(e.Holds, strings.TrimSpace(fmt.Sprintf("%s %q of %s", d.id, d.name, d.user)))
	}
	if _, is := IsDAG(workflow); is {
		return "", e
	}
	return "", nil
}

// recordedRuns lists the DAGs of a recording by the submission of their application and by number. otherFirst means
// that an application of another engine was submitted earlier and has answers of its master.
func recordedRuns(rec *recording.Answers) (all []recordedRun, otherFirst bool) {
	answered := map[string]bool{} // applications
	for _, a := range rec.All() {
		path, proxied := strings.CutPrefix(recording.Served(a.URL), "/proxy/")
		app, path, _ := strings.Cut(path, "/")
		answered[app] = answered[app] || proxied
		number, isDAG := strings.CutPrefix(path, "ws/v2/tez/dagInfo?dagID=")
		id := dagsOf(app) + number
		if proxied && isDAG && a.Status == http.StatusOK && dagID.MatchString(id) &&
			!slices.ContainsFunc(all, func(d recordedRun) bool { return d.id == id }) {
			all = append(all, recordedRun{id: id, app: app})
		}
	}
	if len(all) == 0 {
		return nil, false
	}
	others := dag.Instant(1<<62 - 1)
	for _, a := range yarn.RecordedApps(rec) {
		for i := range all {
			if d := &all[i]; d.app == a.ID {
				d.name, d.user, d.submitted = a.Name, a.User, max(0, a.Submitted)
			}
		}
		if a.Type != "TEZ" && answered[a.ID] {
			others = min(others, max(0, a.Submitted))
		}
	}
	slices.SortFunc(all, func(a, b recordedRun) int {
		return cmp.Or(cmp.Compare(a.submitted, b.submitted), yarn.ByID(a.id, b.id))
	})
	return all, others < all[0].submitted
}
