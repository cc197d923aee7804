package chaos

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// A sparkAnswer is a recorded one.
type sparkAnswer struct {
	At     int64 `json:"t"`
	URL    string
	Status int
	Body   string
}

// A sparkPlayer plays a recording as the web service of a driver and as a history server. The recording holds whole
// lists; what a question chooses of them, it gets.
type sparkPlayer struct {
	mu   sync.Mutex
	now  dag.Instant
	all  map[string][]sparkAnswer // by server, path and query, oldest first
	last map[string]dag.Instant   // by server
}

const sparkDriver, sparkHistory = "driver:4040", "history:18080"

// openSpark reads a recording of a driver at one address and a history server at another.
func openSpark(t *testing.T, file, driver, history string) *sparkPlayer {
	t.Helper()
	p := &sparkPlayer{all: map[string][]sparkAnswer{}, last: map[string]dag.Instant{}}
	names := map[string]string{driver: sparkDriver, history: sparkHistory}
	r := bufio.NewReader(bytes.NewReader(fixtures.Read(t, file)))
	for {
		line, err := r.ReadBytes('\n')
		if err == io.EOF {
			return p
		}
		if err != nil {
			t.Fatal(err)
		}
		var a sparkAnswer
		if err := json.Unmarshal(line, &a); err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(a.URL)
		if err != nil {
			t.Fatal(err)
		}
		if host := names[u.Host]; host != "" && a.Status != 0 {
			key := host + u.RequestURI()
			p.all[key] = append(p.all[key], a)
			p.last[host] = max(p.last[host], dag.Instant(a.At))
		}
	}
}

func (p *sparkPlayer) seek(at dag.Instant) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = at
}

// newest is the newest recorded answer; ok is false before there is one.
func (p *sparkPlayer) newest(key string) (a sparkAnswer, ok bool) {
	all := p.all[key]
	n, _ := slices.BinarySearchFunc(all, int64(p.now)+1, func(a sparkAnswer, at int64) int {
		return int(a.At - at)
	})
	if n == 0 {
		return sparkAnswer{}, false
	}
	return all[n-1], true
}

// RoundTrip answers. A driver that has ended refuses.
func (p *sparkPlayer) RoundTrip(r *http.Request) (*http.Response, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.URL.Host == sparkDriver && p.now > p.last[sparkDriver] {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	}
	a, ok := p.answer(r.URL)
	if !ok {
		a = sparkAnswer{Status: http.StatusNotFound, Body: "no such thing"}
	}
	kind := "application/json"
	if strings.HasPrefix(a.Body, "<") || !ok {
		kind = "text/html;charset=utf-8"
	}
	return &http.Response{
		StatusCode: a.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header:        http.Header{"Content-Type": {kind}, "Date": {p.now.Time().UTC().Format(http.TimeFormat)}},
		ContentLength: int64(len(a.Body)), Body: io.NopCloser(strings.NewReader(a.Body)),
	}, nil
}

func (p *sparkPlayer) answer(u *url.URL) (a sparkAnswer, ok bool) {
	if a, ok := p.newest(u.Host + u.RequestURI()); ok {
		return a, true
	}
	q := u.Query()
	parts := strings.Split(u.Path, "/")
	switch last := parts[len(parts)-1]; {
	case last == "taskList":
		a, ok = p.newest(u.Host + u.Path + "?length=100000")
		a.Body = choose(a.Body, q["status"], "", "")
		a.Body = slice(a.Body, q.Get("offset"), q.Get("length"))
	case last == "jobs" || last == "stages":
		a, ok = p.newest(u.Host + u.Path)
		a.Body = choose(a.Body, q["status"], "", "")
	case parts[len(parts)-2] == "jobs" || parts[len(parts)-2] == "stages":
		a, ok = p.newest(u.Host + strings.TrimSuffix(u.Path, "/"+last))
		id := "jobId"
		if parts[len(parts)-2] == "stages" {
			id = "stageId"
		}
		a.Body = choose(a.Body, nil, id, last)
		if id == "jobId" {
			a.Body = strings.Trim(a.Body, "[]")
		}
		ok = ok && len(a.Body) > 2
	}
	return a, ok
}

// choose keeps the elements of a list with one of some states and with an id.
func choose(body string, states []string, field, id string) string {
	return rows(body, func(row map[string]json.RawMessage) bool {
		var state string
		_ = json.Unmarshal(row["status"], &state) // "" is no state
		return (len(states) == 0 || slices.ContainsFunc(states, func(s string) bool {
			return strings.EqualFold(s, state)
		})) && (field == "" || string(row[field]) == id)
	})
}

// slice keeps some elements of a list from one on.
func slice(body, offset, length string) string {
	from, _ := strconv.Atoi(offset) // none is 0
	n, err := strconv.Atoi(length)
	if err != nil {
		n = 20
	}
	i := -1
	return rows(body, func(map[string]json.RawMessage) bool {
		i++
		return i >= from && i < from+n
	})
}

func rows(body string, keep func(map[string]json.RawMessage) bool) string {
	var all []json.RawMessage
	if json.Unmarshal([]byte(body), &all) != nil {
		return body
	}
	all = slices.DeleteFunc(all, func(raw json.RawMessage) bool {
		var row map[string]json.RawMessage
		return json.Unmarshal(raw, &row) != nil || !keep(row)
	})
	if all == nil {
		return "[]"
	}
	out, _ := json.Marshal(all) // it was JSON
	return string(out)
}
