// Package capture reads and writes raw recordings of REST traffic, and serves them in virtual time.
//
// A recording has JSON lines, plain or gzipped, with one response each: t (epoch ms before the request), ms
// (duration), date, url, status, type (Content-Type), body (for a redirect "Location: ..."). It is also the format of
// bug reports.
package capture

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// A Record is one line of a recording.
type Record struct {
	Version int     `json:"version,omitempty"` // in the first line of our own recordings
	T       float64 `json:"t"`
	Ms      float64 `json:"ms"`
	Date    string  `json:"date"`
	URL     string  `json:"url"`
	Status  int     `json:"status"` // 0 if there was no response; body is then the error
	Type    string  `json:"type"`
	Body    string  `json:"body"`
}

// Version is the version that this package reads and writes. Lines without a version have version 1.
const Version = 1

// A Recording has the responses of a file, by path and time.
type Recording struct {
	First, Last dag.Instant // times of its lines
	Lines       int         // usable lines
	Bad         int         // unusable lines, except a cut-off last one
	Torn        bool        // it ends in the middle of a line
	paths       map[string][]answer
	tez         tezAnswers
	kept        int    // bytes of stored bodies
	rm          string // scheme and host of the ResourceManager
	spark       bool   // it has requests to a Spark driver
}

type answer struct {
	at     dag.Instant // time of the request
	end    dag.Instant // time of the response
	status int
	kind   string // Content-Type
	query  string // the requested ids of a list of Tez
	date   string
	body   body
}

// appsPath is requested once per poll.
const appsPath = "/ws/v1/cluster/apps"

// longestAnswerMS bounds the duration of a response, because a recording may contain any value.
const longestAnswerMS = 3_600_000

// add adds a record. Equal consecutive bodies are stored once.
func (r *Recording) add(rec *Record) {
	u, err := url.Parse(rec.URL)
	if err != nil || u.Path == "" || !(rec.T > 0 && rec.T < 1<<53) {
		r.Bad++
		return
	}
	at := dag.Instant(rec.T)
	if r.Lines == 0 || at < r.First {
		r.First = at
	}
	if r.Lines == 0 || at > r.Last {
		r.Last = at
	}
	r.Lines++
	path := served(u)
	r.spark = r.spark || isSpark(u)
	if strings.HasPrefix(path, "/ws/v1/cluster/") && r.rm == "" {
		r.rm = u.Scheme + "://" + u.Host
	}
	list := r.paths[path]
	a := answer{
		at: at, end: at + dag.Instant(min(max(rec.Ms, 0), longestAnswerMS)), status: rec.Status, kind: rec.Type,
		query: askedFor(u), date: rec.Date, body: pack(strings.TrimPrefix(rec.Body, "\ufeff")),
	}
	if n := len(list); n > 0 && list[n-1].body == a.body {
		a.body = list[n-1].body
	} else {
		r.kept += a.body.size()
	}
	r.paths[path] = append(list, a)
}

// served returns the path without the prefix of a gateway. For HDFS it includes the operation, for Tez the DAG.
func served(u *url.URL) string {
	path := strings.TrimSuffix(u.Path, "/")
	if strings.HasPrefix(path, "/webhdfs/v1") {
		return path + "?" + u.Query().Get("op")
	}
	if isSpark(u) {
		return sparkPath(u)
	}
	for _, root := range []string{"/proxy/", "/ws/v1/"} {
		if i := strings.Index(path, root); i >= 0 {
			if path = path[i:]; strings.Contains(path, tezPath) {
				path += "?dagID=" + u.Query().Get("dagID")
			}
			return path
		}
	}
	return path
}

// finish sorts the responses by time and removes duplicates. Lines may be unordered and repeated.
func (r *Recording) finish() {
	for path, list := range r.paths {
		slices.SortStableFunc(list, func(a, b answer) int { return cmp.Compare(a.at, b.at) })
		r.paths[path] = slices.Clip(slices.Compact(list))
	}
}

// at returns the newest response of an address with a request at t or before.
func (r *Recording) at(u *url.URL, t dag.Instant) (answer, bool) {
	list := r.paths[served(u)]
	n, _ := slices.BinarySearchFunc(list, t+1, func(a answer, t dag.Instant) int { return cmp.Compare(a.at, t) })
	if n == 0 {
		return answer{}, false
	}
	return list[n-1], true
}

// ticks returns the instant of the last request of each recorded poll, and the instant of the last line. A poll
// begins with a request for /cluster/apps and ends before the longest following silence. At an earlier instant the
// player would serve responses of the previous poll and miss a master's last ones.
func (r *Recording) ticks() []dag.Instant {
	begun := r.paths[appsPath]
	if len(begun) == 0 {
		return nil
	}
	var all []answer
	for _, list := range r.paths {
		for _, a := range list {
			all = append(all, answer{at: a.at, end: a.end})
		}
	}
	slices.SortFunc(all, func(a, b answer) int { return cmp.Compare(a.at, b.at) })
	var out []dag.Instant
	for i := range begun[1:] {
		out = append(out, lastBeforeSilence(all, begun[i].at, begun[i+1].at))
	}
	return slices.Compact(append(out, r.Last))
}

// lastBeforeSilence returns the instant of the last request before the longest silence between from and to. During a
// silence no request is sent or in progress. all must be sorted by request time.
func lastBeforeSilence(all []answer, from, to dag.Instant) dag.Instant {
	i, _ := slices.BinarySearchFunc(all, from, func(a answer, t dag.Instant) int { return cmp.Compare(a.at, t) })
	last, longest, busy := from, dag.Instant(0), from
	for ; i < len(all) && all[i].at < to; i++ {
		busy = max(busy, all[i].end)
		next := to
		if i+1 < len(all) {
			next = min(next, all[i+1].at)
		}
		if next-busy >= longest {
			last, longest = all[i].at, next-busy
		}
	}
	return last
}
