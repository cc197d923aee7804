package capture

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/paratimer/paratimer/adapters/tez"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// The requests in a recording of a Tez DAG may combine other tasks than a source's requests, and read other parts of
// a log file. Lists are therefore split into the newest row of each vertex or attempt, and log files are put together.

const (
	tezPath = "/ws/v2/tez/"
	logPath = "/ws/v1/node/containers/"
)

// tezAnswers are built at their first use.
type tezAnswers struct {
	mu    sync.Mutex
	lists map[string]map[string][]row // by path, then by vertex or attempt
	files map[string]*file            // by path
}

// A row is the part of a response about a vertex or an attempt: JSON objects, separated by commas.
type row struct {
	at   dag.Instant
	text string
}

// tezLists has the lists of Tez, and the query parameter that selects parts of each.
var tezLists = map[string]struct{ root, query string }{
	"verticesInfo": {"vertices", "vertexID"},
	"tasksInfo":    {"tasks", "vertexID"},
	"attemptsInfo": {"attempts", "attemptID"},
}

// listOf returns the root and the query parameter of a path's list of Tez.
func listOf(path string) (root, query string, ok bool) {
	_, name, found := strings.Cut(path, tezPath)
	l, ok := tezLists[name]
	return l.root, l.query, found && ok
}

// askedFor returns the requested ids of a list of Tez. It returns "" for the whole list, and for other addresses.
func askedFor(u *url.URL) string {
	if _, query, ok := listOf(u.Path); ok {
		return u.Query().Get(query)
	}
	return ""
}

// part returns the text of a response at t. For a list of Tez or a log file it returns the requested part.
func (r *Recording) part(u *url.URL, a *answer, t dag.Instant) string {
	switch {
	case a.status != http.StatusOK:
	case strings.Contains(u.Path, tezPath):
		if root, _, ok := listOf(u.Path); ok {
			return r.rows(u, root, t)
		}
	case strings.HasPrefix(u.Path, logPath) && strings.Contains(u.Path, "/logs/"):
		return r.log(u, t)
	}
	return a.body.String()
}

// rows returns the newest rows up to t of the requested part of a list of Tez.
func (r *Recording) rows(u *url.URL, root string, t dag.Instant) string {
	r.tez.mu.Lock()
	defer r.tez.mu.Unlock()
	path := served(u)
	list, made := r.tez.lists[path]
	if !made {
		list = r.takeApart(path, root)
		if r.tez.lists == nil {
			r.tez.lists = map[string]map[string][]row{}
		}
		r.tez.lists[path] = list
	}
	keys := strings.Split(askedFor(u), ",")
	if keys[0] == "" {
		keys = keys[:0]
		for k := range list {
			keys = append(keys, k)
		}
		slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	}
	var rows []string
	for _, k := range keys {
		all := list[k]
		n, _ := slices.BinarySearchFunc(all, t+1, func(r row, t dag.Instant) int { return cmp.Compare(r.at, t) })
		if n > 0 && all[n-1].text != "" {
			rows = append(rows, all[n-1].text)
		}
	}
	return `{"` + root + `":[` + strings.Join(rows, ",") + `]}`
}

// takeApart groups the rows of all responses of a path by vertex or attempt.
func (r *Recording) takeApart(path, root string) map[string][]row {
	out := map[string][]row{}
	put := func(key string, at dag.Instant, text string) {
		if n := len(out[key]); n == 0 || out[key][n-1].text != text {
			out[key] = append(out[key], row{at, text})
		}
	}
	for i := range r.paths[path] {
		a := &r.paths[path][i]
		var b map[string]json.RawMessage
		var rows []json.RawMessage
		if a.status != http.StatusOK || json.Unmarshal([]byte(a.body.String()), &b) != nil {
			continue
		}
		if json.Unmarshal(b[root], &rows) != nil {
			continue
		}
		of := map[string][]string{}
		for _, text := range rows {
			var id struct{ ID string }
			if json.Unmarshal(text, &id) != nil {
				continue
			}
			key := rowKey(root, id.ID)
			of[key] = append(of[key], string(text))
		}
		if a.query != "" && root == "tasks" { // the vertex has no tasks at this time
			for _, key := range strings.Split(a.query, ",") {
				of[key] = of[key][:len(of[key]):len(of[key])]
			}
		}
		for key, texts := range of {
			put(key, a.at, strings.Join(texts, ","))
		}
	}
	return out
}

// rowKey returns the key of a row as requests use it: the index of a vertex, or vertex, task and number of an attempt.
func rowKey(root, id string) string {
	parts := strings.Split(id, "_") // kind, cluster, application, DAG, vertex, task, number
	if len(parts) < 5 {
		return id
	}
	parts = parts[4:]
	if root != "attempts" {
		parts = parts[:1]
	}
	for i, p := range parts {
		parts[i] = strings.TrimLeft(p, "0")
		parts[i] = cmp.Or(parts[i], "0")
	}
	return strings.Join(parts, "_")
}

// A file is a log file, built from all recorded pieces. Log files only grow. Bytes without a piece are line ends.
type file struct {
	data    []byte
	lengths []length
}

type length struct {
	at dag.Instant
	n  int64
}

// mostOfFile bounds a log file, in bytes.
const mostOfFile = 64 << 20

// log returns a NodeManager's response for a log file at t. The address may request the first or last bytes.
func (r *Recording) log(u *url.URL, t dag.Instant) string {
	r.tez.mu.Lock()
	defer r.tez.mu.Unlock()
	path := served(u)
	f := r.tez.files[path]
	if f == nil {
		f = r.putTogether(path)
		if r.tez.files == nil {
			r.tez.files = map[string]*file{}
		}
		r.tez.files[path] = f
	}
	n, _ := slices.BinarySearchFunc(f.lengths, t+1, func(l length, t dag.Instant) int { return cmp.Compare(l.at, t) })
	if n == 0 {
		return ""
	}
	data := f.data[:min(f.lengths[n-1].n, int64(len(f.data)))]
	whole := len(data)
	if size, err := strconv.Atoi(u.Query().Get("size")); err == nil && size > 0 {
		data = data[:min(size, whole)]
	} else if err == nil && size < 0 && size > -whole {
		data = data[whole+size:]
	}
	return fmt.Sprintf("LogLength:%d\nLogContents:\n%s", whole, data)
}

func (r *Recording) putTogether(path string) *file {
	f := &file{}
	type piece struct {
		end  int64
		text string
	}
	var pieces []piece
	for i := range r.paths[path] {
		a := &r.paths[path][i]
		if a.status != http.StatusOK {
			continue
		}
		n, text, ok := tez.SplitLog(a.body.String())
		if !ok || n > mostOfFile || int64(len(text)) > n {
			continue
		}
		pieces = append(pieces, piece{n, text})
		if k := len(f.lengths); k > 0 && f.lengths[k-1].n >= n {
			n = f.lengths[k-1].n
		}
		f.lengths = append(f.lengths, length{a.at, n})
	}
	if len(f.lengths) == 0 {
		return f
	}
	f.data = make([]byte, f.lengths[len(f.lengths)-1].n)
	told := make([]bool, len(f.data))
	for _, p := range pieces {
		for i, at := 0, p.end-int64(len(p.text)); i < len(p.text); i, at = i+1, at+1 {
			if !told[at] {
				f.data[at], told[at] = p.text[i], true
			}
		}
	}
	for i, known := range told {
		if !known {
			f.data[i] = '\n'
		}
	}
	return f
}

// tezTarget selects the DAG to replay. Without an id it selects the first DAG of the first submitted application with
// a DAG. ok is false if the recording, or the id, is of MapReduce.
func (r *Recording) tezTarget(workflow string) (target tez.Target, ok bool, err error) {
	dags := r.dags()
	if len(dags) == 0 {
		return target, false, nil
	}
	if workflow == "" {
		return tez.Target{ID: dags[0].id}, !slices.ContainsFunc(r.submissions(), func(s *yarn.App) bool {
			return r.paths["/proxy/"+s.ID+"/ws/v1/mapreduce/jobs/"+s.Job()] != nil &&
				max(0, int64(s.Submitted)) < dags[0].at
		}), nil
	}
	for _, d := range dags {
		if d.id == workflow || d.app == workflow {
			return tez.Target{ID: d.id}, true, nil
		}
	}
	if _, is := tez.IsDAG(workflow); is {
		e := &UnknownError{Workflow: workflow}
		for _, d := range dags {
			e.Holds = append(e.Holds, strings.TrimSpace(fmt.Sprintf("%s %q of %s", d.id, d.name, d.user)))
		}
		return target, true, e
	}
	return target, false, nil
}

// A recordedDAG is a DAG with a response of its Tez master.
type recordedDAG struct {
	id, app, name, user string
	at                  int64 // when its application was submitted
	number              int
}

// dags lists the recording's DAGs by submission of their application and by number.
func (r *Recording) dags() []recordedDAG {
	var out []recordedDAG
	for path, list := range r.paths {
		rest, found := strings.CutPrefix(path, "/proxy/")
		app, rest, _ := strings.Cut(rest, "/")
		number, err := strconv.Atoi(strings.TrimPrefix(rest, "ws/v2/tez/dagInfo?dagID="))
		if !found || err != nil ||
			!slices.ContainsFunc(list, func(a answer) bool { return a.status == http.StatusOK }) {
			continue
		}
		id := "dag_" + strings.TrimPrefix(app, "application_") + "_" + strconv.Itoa(number)
		out = append(out, recordedDAG{id: id, app: app, number: number})
	}
	if len(out) == 0 {
		return nil
	}
	var before body
	for _, a := range r.paths[appsPath] {
		if a.status != http.StatusOK || a.body == before {
			continue
		}
		before = a.body
		listed, _ := yarn.Apps([]byte(a.body.String())) // an unusable response has none
		for _, app := range listed {
			for i := range out {
				if d := &out[i]; d.app == app.ID {
					d.name, d.user, d.at = app.Name, app.User, max(0, int64(app.Submitted))
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b recordedDAG) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.app, b.app), cmp.Compare(a.number, b.number))
	})
	return out
}
