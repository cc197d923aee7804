package tez

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
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

// recorded returns the texts of a recorded master: the requested parts of its lists and of its log files. They are
// built at their first use, by the first answer about them.
func recorded() recording.Texts {
	var mu sync.Mutex
	lists, files := map[*recording.Answer]list{}, map[*recording.Answer]*file{}
	return func(u *url.URL, answers []*recording.Answer, at dag.Instant) (string, bool) {
		mu.Lock()
		defer mu.Unlock()
		first := answers[0]
		if root, ids := listOf(u); root != "" {
			if lists[first] == nil {
				lists[first] = split(answers, root)
			}
			return lists[first].rows(ids, root, at), true
		}
		if !strings.Contains(u.Path, "/ws/v1/node/containers/") || !strings.Contains(u.Path, "/logs/") {
			return "", false
		}
		if files[first] == nil {
			files[first] = putTogether(answers)
		}
		return files[first].part(u.Query().Get("size"), at), true
	}
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

// A list has the newest rows by vertex or attempt: JSON objects, separated by commas.
type list map[string][]dated[string]

// listOf returns the root of a list of Tez and the requested ids, none for the whole list. The root of another address
// is "".
func listOf(u *url.URL) (root string, ids []string) {
	_, name, _ := strings.Cut(u.Path, "/ws/v2/tez/")
	query := map[string]string{"verticesInfo": "vertexID", "tasksInfo": "vertexID", "attemptsInfo": "attemptID"}[name]
	if query == "" {
		return "", nil
	}
	if asked := u.Query().Get(query); asked != "" {
		ids = strings.Split(asked, ",")
	}
	return strings.TrimSuffix(name, "Info"), ids
}

// rows returns the newest rows up to t of the requested ids of a list.
func (l list) rows(ids []string, root string, t dag.Instant) string {
	if ids == nil {
		ids = slices.SortedFunc(maps.Keys(l), func(a, b string) int {
			return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
		})
	}
	var out []string
	for _, id := range ids {
		if text := newest(l[id], t); text != "" {
			out = append(out, text)
		}
	}
	return `{"` + root + `":[` + strings.Join(out, ",") + `]}`
}

// split groups the rows of all answers about a list by vertex or attempt.
func split(answers []*recording.Answer, root string) list {
	out := list{}
	for _, a := range answers {
		var b map[string]json.RawMessage
		var objects []json.RawMessage
		if a.Status != http.StatusOK || json.Unmarshal([]byte(a.Text()), &b) != nil ||
			json.Unmarshal(b[root], &objects) != nil {
			continue
		}
		texts := map[string][]string{}
		if _, ids := listOf(a.URL); root == "tasks" {
			for _, id := range ids {
				texts[id] = nil // the vertex may have no tasks at this time
			}
		}
		for _, object := range objects {
			var b struct{ ID string }
			if json.Unmarshal(object, &b) == nil {
				id := rowID(root, b.ID)
				texts[id] = append(texts[id], string(object))
			}
		}
		for id, parts := range texts {
			text := strings.Join(parts, ",")
			if n := len(out[id]); n == 0 || out[id][n-1].v != text {
				out[id] = append(out[id], dated[string]{a.At, text})
			}
		}
	}
	return out
}

// rowID returns the id of a row as requests use it: the index of a vertex, or vertex, task and number of an attempt.
func rowID(root, id string) string {
	parts := strings.Split(id, "_") // kind, cluster, application, DAG, vertex, task, number
	if len(parts) < 5 {
		return id
	}
	parts = parts[4:]
	if root != "attempts" {
		parts = parts[:1]
	}
	for i, p := range parts {
		parts[i] = cmp.Or(strings.TrimLeft(p, "0"), "0")
	}
	return strings.Join(parts, "_")
}

// A file is a log file, built from all recorded pieces. Log files only grow. Bytes without a piece are line ends.
type file struct {
	data    []byte
	lengths []dated[int64]
}

// mostOfFile bounds a log file, in bytes.
const mostOfFile = 64 << 20

// part returns a NodeManager's response for a log file at t. size requests the first or last bytes.
func (f *file) part(size string, t dag.Instant) string {
	whole := newest(f.lengths, t)
	data := f.data[:whole]
	if n, err := strconv.ParseInt(size, 10, 64); err == nil && n < 0 {
		data = data[max(0, whole+n):]
	} else if err == nil && n > 0 {
		data = data[:min(n, whole)]
	}
	return fmt.Sprintf("LogLength:%d\nLogContents:\n%s", whole, data)
}

func putTogether(answers []*recording.Answer) *file {
	type piece struct {
		end  int64
		text string
	}
	var pieces []piece
	f := &file{}
	whole := int64(0)
	for _, a := range answers {
		n, text, ok := SplitLog(a.Text())
		if a.Status == http.StatusOK && ok && n <= mostOfFile && int64(len(text)) <= n {
			whole = max(whole, n)
			pieces = append(pieces, piece{n, text})
			f.lengths = append(f.lengths, dated[int64]{a.At, whole})
		}
	}
	f.data = bytes.Repeat([]byte("\n"), int(whole))
	for _, p := range slices.Backward(pieces) { // the earliest one counts: the first line of later ones may be scrubbed
		copy(f.data[p.end-int64(len(p.text)):], p.text)
	}
	return f
}
