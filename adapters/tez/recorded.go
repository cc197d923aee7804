package tez

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// NewPlayer returns a player of the recorded answers of a cluster with masters of Tez.
func NewPlayer(rec *recording.Answers) *recording.Player { return recording.NewPlayer(rec, resourceOf) }

// NewReplay returns a replay of a DAG's recorded answers through a source. It returns nil if the recording, or its
// first query, has no DAG.
func NewReplay(rec *recording.Answers, o recording.Options) (*recording.Replay, error) {
	id, err := recordedDAG(rec, o.Workflow)
	if id == "" || err != nil {
		return nil, err
	}
	return yarn.NewReplay(rec, NewPlayer(rec), o.Every, yarn.Target{ID: id},
		func(c *yarn.Client, t yarn.Target) recording.Source { return NewSource(c, t) })
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

// The requests in a recording of a DAG may combine other tasks than a source's requests, and read other parts of a log
// file. Lists are therefore split into the newest row of each vertex or attempt, and log files are put together.

// resourceOf returns the resource of an address, or nil if it is of another service.
func resourceOf(u *url.URL, answers []*recording.Answer) recording.Resource {
	_, name, _ := strings.Cut(u.Path, "/ws/v2/tez/")
	selects := map[string]string{"verticesInfo": "vertexID", "tasksInfo": "vertexID", "attemptsInfo": "attemptID"}[name]
	switch {
	case selects != "":
		return listOf(answers, strings.TrimSuffix(name, "Info"), selects)
	case strings.Contains(u.Path, "/ws/v1/node/containers/") && strings.Contains(u.Path, "/logs/"):
		return fileOf(answers)
	}
	return nil
}

// A dated value was recorded at an instant.
type dated[T any] struct {
	at dag.Instant
	v  T
}

// newest returns the newest value up to an instant, or the zero value.
func newest[T any](all []dated[T], t dag.Instant) (v T) {
	n, _ := slices.BinarySearchFunc(all, t+1, func(d dated[T], t dag.Instant) int { return cmp.Compare(d.at, t) })
	if n > 0 {
		v = all[n-1].v
	}
	return v
}

// rowID matches the id of a vertex, task or attempt. Requests have the index of the vertex or, for an attempt, also its
// task and number.
var rowID = regexp.MustCompile(`^[a-z]+_\d+_\d+_\d+_0*(\d+)(?:_0*(\d+)_0*(\d+))?`)

// listOf returns a list with a name in JSON and a parameter that selects rows by their ids. It groups the rows of all
// answers by vertex or attempt.
func listOf(answers []*recording.Answer, root, selects string) recording.Resource {
	all := map[string][]dated[string]{} // JSON objects, separated by commas
	for _, a := range answers {
		var body map[string][]json.RawMessage
		if a.Status != http.StatusOK || json.Unmarshal([]byte(a.Text()), &body) != nil {
			continue
		}
		rows := map[string][]string{}
		for id := range strings.SplitSeq(a.URL.Query().Get("vertexID"), ",") {
			rows[id] = nil // the vertex may have no tasks at this time
		}
		for _, row := range body[root] {
			var b struct{ ID text }
			_ = json.Unmarshal(row, &b)
			if m := rowID.FindStringSubmatch(string(b.ID)); m != nil {
				id := strings.TrimRight(strings.Join(m[1:], "_"), "_")
				rows[id] = append(rows[id], string(row))
			}
		}
		for id, parts := range rows {
			text := strings.Join(parts, ",")
			if n := len(all[id]); n == 0 || all[id][n-1].v != text {
				all[id] = append(all[id], dated[string]{a.At, text})
			}
		}
	}
	return func(query url.Values, t dag.Instant) string {
		ids := slices.Sorted(maps.Keys(all))
		if some := query.Get(selects); some != "" {
			ids = strings.Split(some, ",")
		}
		var out []string
		for _, id := range ids {
			if text := newest(all[id], t); text != "" {
				out = append(out, text)
			}
		}
		return `{"` + root + `":[` + strings.Join(out, ",") + `]}`
	}
}

// mostOfFile bounds a log file, in bytes.
const mostOfFile = 64 << 20

// fileOf returns a log file, built from all recorded pieces. Log files only grow. Bytes without a piece are line ends.
// A NodeManager responds with the first or last bytes, as many as the size in the query.
func fileOf(answers []*recording.Answer) recording.Resource {
	type piece struct {
		end  int64
		text string
	}
	var pieces []piece
	var lengths []dated[int64]
	whole := int64(0)
	for _, a := range answers {
		size, _ := strconv.ParseInt(a.URL.Query().Get("size"), 10, 64) // 0 without one: the whole file
		n, text, ok := SplitLog(a.Text(), size)
		if a.Status == http.StatusOK && ok && n <= mostOfFile && int64(len(text)) <= n {
			whole = max(whole, n)
			pieces = append(pieces, piece{n, text})
			lengths = append(lengths, dated[int64]{a.At, whole})
		}
	}
	content := bytes.Repeat([]byte("\n"), int(whole))
	for _, p := range slices.Backward(pieces) { // the earliest one counts: the first line of later ones may be scrubbed
		copy(content[p.end-int64(len(p.text)):], p.text)
	}
	return func(query url.Values, t dag.Instant) string {
		whole := newest(lengths, t)
		data := content[:whole]
		if n, err := strconv.ParseInt(query.Get("size"), 10, 64); err == nil && n < 0 {
			data = data[max(0, whole+n):]
		} else if err == nil && n > 0 {
			data = data[:min(n, whole)]
		}
		return fmt.Sprintf("LogLength:%d\nLogContents:\n%s", whole, data)
	}
}
