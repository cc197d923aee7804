package tez

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

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/dag"
)

// The requests in a recording of a DAG may combine other tasks than a source's requests, and read other parts of a log
// file. Lists are therefore split into the newest row of each vertex or attempt, and log files are put together.

const (
	servicePath = "/ws/v2/tez/"
	logPath     = "/ws/v1/node/containers/"
)

// recorded has the lists and files of recorded answers. They are built at their first use, by the first answer about
// them.
type recorded struct {
	mu    sync.Mutex
	lists map[*recording.Answer]map[string][]row // by vertex or attempt
	files map[*recording.Answer]*file
}

// Recorded returns the texts of a recorded master: the requested parts of its lists and of its log files.
func Recorded() recording.Texts {
	r := &recorded{lists: map[*recording.Answer]map[string][]row{}, files: map[*recording.Answer]*file{}}
	return func(u *url.URL, answers []*recording.Answer, at dag.Instant) (string, bool) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if root, _, ok := listOf(u.Path); ok {
			return r.rows(u, answers, root, at), true
		}
		if strings.Contains(u.Path, logPath) && strings.Contains(u.Path, "/logs/") {
			return r.log(u, answers, at), true
		}
		return "", false
	}
}

// A row is the part of a response about a vertex or an attempt: JSON objects, separated by commas.
type row struct {
	at   dag.Instant
	text string
}

// lists has the lists of Tez, and the query parameter that selects parts of each.
var lists = map[string]struct{ root, query string }{
	"verticesInfo": {"vertices", "vertexID"},
	"tasksInfo":    {"tasks", "vertexID"},
	"attemptsInfo": {"attempts", "attemptID"},
}

// listOf returns the root and the query parameter of a path's list of Tez.
func listOf(path string) (root, query string, ok bool) {
	_, name, found := strings.Cut(path, servicePath)
	l, ok := lists[name]
	return l.root, l.query, found && ok
}

// askedFor returns the requested ids of a list of Tez. It returns "" for the whole list, and for other addresses.
func askedFor(u *url.URL) string {
	if _, query, ok := listOf(u.Path); ok {
		return u.Query().Get(query)
	}
	return ""
}

// rows returns the newest rows up to t of the requested part of a list.
func (r *recorded) rows(u *url.URL, answers []*recording.Answer, root string, t dag.Instant) string {
	list, made := r.lists[answers[0]]
	if !made {
		list = split(answers, root)
		r.lists[answers[0]] = list
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

// split groups the rows of all answers about a list by vertex or attempt.
func split(answers []*recording.Answer, root string) map[string][]row {
	out := map[string][]row{}
	put := func(key string, at dag.Instant, text string) {
		if n := len(out[key]); n == 0 || out[key][n-1].text != text {
			out[key] = append(out[key], row{at, text})
		}
	}
	for _, a := range answers {
		var b map[string]json.RawMessage
		var rows []json.RawMessage
		if a.Status != http.StatusOK || json.Unmarshal([]byte(a.Text()), &b) != nil {
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
		if asked := askedFor(a.URL); asked != "" && root == "tasks" { // the vertex has no tasks at this time
			for _, key := range strings.Split(asked, ",") {
				of[key] = of[key][:len(of[key]):len(of[key])]
			}
		}
		for key, texts := range of {
			put(key, a.At, strings.Join(texts, ","))
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
func (r *recorded) log(u *url.URL, answers []*recording.Answer, t dag.Instant) string {
	f := r.files[answers[0]]
	if f == nil {
		f = putTogether(answers)
		r.files[answers[0]] = f
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

func putTogether(answers []*recording.Answer) *file {
	f := &file{}
	type piece struct {
		end  int64
		text string
	}
	var pieces []piece
	for _, a := range answers {
		if a.Status != http.StatusOK {
			continue
		}
		n, text, ok := SplitLog(a.Text())
		if !ok || n > mostOfFile || int64(len(text)) > n {
			continue
		}
		pieces = append(pieces, piece{n, text})
		if k := len(f.lengths); k > 0 && f.lengths[k-1].n >= n {
			n = f.lengths[k-1].n
		}
		f.lengths = append(f.lengths, length{a.At, n})
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
