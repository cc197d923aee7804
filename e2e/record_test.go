//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// A record is one answer of a capture.
type record struct {
	T      float64
	URL    string
	Status int
	Body   string
}

func (r record) at() time.Time { return time.UnixMilli(int64(r.T)) }

func (r record) path() string {
	path, _, _ := strings.Cut(r.URL, "?")
	return path
}

// records reads recorded answers.
func (l *lab) records(file string) []record {
	l.t.Helper()
	text, err := fixtures.Unpacked(file)
	l.must(err)
	_, text, _ = bytes.Cut(text, []byte("\n")) // the header
	var out []record
	for in := bytes.NewBuffer(text); ; {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return out
		}
		l.must(err)
		var r record
		l.must(json.Unmarshal(line, &r))
		out = append(out, r)
	}
}

// first returns the first good response with this end of the path, and whether there is one.
func first(records []record, suffix string, has ...string) (record, bool) {
next:
	for _, r := range records {
		if r.Status != 200 || !strings.HasSuffix(r.path(), suffix) {
			continue
		}
		for _, part := range has {
			if !strings.Contains(r.Body, part) {
				continue next
			}
		}
		return r, true
	}
	return record{}, false
}

// firstWork is when the watcher first read counters in which a task has worked.
func firstWork(records []record) (time.Time, bool) {
	for _, r := range records {
		if r.Status != 200 || !strings.HasSuffix(r.path(), "/counters") || !strings.Contains(r.path(), "/tasks/") {
			continue
		}
		var got struct {
			JobTaskCounters struct {
				TaskCounterGroup []struct {
					Counter []struct {
						Name  string
						Value int64
					}
				}
			}
		}
		if json.Unmarshal([]byte(r.Body), &got) != nil {
			continue
		}
		for _, g := range got.JobTaskCounters.TaskCounterGroup {
			for _, c := range g.Counter {
				if (c.Name == "MAP_INPUT_RECORDS" || c.Name == "REDUCE_INPUT_RECORDS") && c.Value > 0 {
					return r.at(), true
				}
			}
		}
	}
	return time.Time{}, false
}
