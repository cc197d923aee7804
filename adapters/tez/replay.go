package tez

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/yarn"
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

// recordedDAG selects the DAG to replay, by its id or its application's. Without an id it selects the first DAG of the
// application that was submitted first; "" if that is not of Tez. Only masters that have answered count.
func recordedDAG(rec *recording.Answers, workflow string) (id string, err error) {
	masters := map[string][]string{} // the DAGs of an application
	for _, a := range rec.All() {
		path, proxied := strings.CutPrefix(recording.Served(a.URL), "/proxy/")
		if !proxied {
			continue
		}
		app, path, _ := strings.Cut(path, "/")
		dags := masters[app]
		number, isDAG := strings.CutPrefix(path, "ws/v2/tez/dagInfo?dagID=")
		id := dagsOf(app) + number
		if isDAG && a.Status == http.StatusOK && dagID.MatchString(id) && !slices.Contains(dags, id) {
			dags = append(dags, id)
		}
		masters[app] = dags
	}
	e := &recording.UnknownError{Workflow: workflow}
	for _, a := range yarn.RecordedApps(rec) {
		dags, answered := masters[a.ID]
		if workflow == "" && answered && a.Type != "TEZ" {
			return "", nil
		}
		for _, id := range slices.SortedFunc(slices.Values(dags), yarn.ByID) {
			if workflow == "" || workflow == id || workflow == a.ID {
				return id, nil
			}
			e.Holds = append(e.Holds, strings.TrimSpace(fmt.Sprintf("%s %q of %s", id, a.Name, a.User)))
		}
	}
	if _, isDAG := IsDAG(workflow); isDAG && len(e.Holds) > 0 {
		return "", e
	}
	return "", nil
}
