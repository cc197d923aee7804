package mapreduce

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A corrupted lab has a history server with corrupted responses where corrupt selects them.
type corruptLab struct {
	*lab
	corrupt func(path string) error
}

func (l *corruptLab) JHS(ctx context.Context, path string) ([]byte, error) {
	body, err := l.lab.JHS(ctx, path)
	if e := l.corrupt(path); e != nil {
		return nil, e
	}
	return body, err
}

// spoils breaks the answers to paths that have this in them.
func (l *corruptLab) corrupts(part string, with rest.Error) {
	l.corrupt = func(path string) error {
		if !strings.Contains(path, part) {
			return nil
		}
		with.URL = path
		return &with
	}
}

// over is a lab whose job of three maps has just ended, and a source that has seen it run.
func over(t *testing.T) (*corruptLab, *Source) {
	t.Helper()
	l := &corruptLab{newLab(), func(string) error { return nil }}
	l.apps("1 RUNNING UNDEFINED 1024")
	l.conf("0001", "a", "")
	l.runs("0001", 0, "RUNNING", "RUNNING", "RUNNING")
	src := NewSource(l, yarn.Target{})
	l.tick(t, src, 10*time.Second)
	l.runs("0001", 0, "SUCCEEDED", "SUCCEEDED", "SUCCEEDED")
	l.ends("0001", "SUCCEEDED")
	for path, body := range l.am {
		if strings.HasPrefix(path, "0001/tasks") {
			l.jhs[path] = strings.ReplaceAll(body, `"value":9`, `"value":70`)
		}
	}
	l.apps("1 FINISHED SUCCEEDED 0")
	return l, src
}

func (l *corruptLab) reads(t *testing.T, s *dag.Snapshot, want int) {
	t.Helper()
	n := 0
	for _, a := range s.Jobs[0].Stages[dag.Map].Attempts {
		if a.Done[0] == 70 {
			n++
		}
	}
	if n != want || s.State.Ended() != (want == 3) {
		t.Errorf("%v after %d maps' last counters, want %d", s.State, n, want)
	}
}

// TestListUnknownForAMoment: a history server that lists a job and not yet its tasks is requested again. An old
// response on the way may look so.
func TestListUnknownForAMoment(t *testing.T) {
	l, src := over(t)
	list := l.jhs["0001/tasks"]
	delete(l.jhs, "0001/tasks")
	l.reads(t, l.tick(t, src, 3*time.Second), 0)
	l.jhs["0001/tasks"] = list
	l.reads(t, l.tick(t, src, 3*time.Second), 3)
}

// TestCutConnections: unlike a question that nobody answers in time, one whose answer breaks off does not keep the
// others back.
func TestCutConnections(t *testing.T) {
	l, src := over(t)
	l.corrupts("m_000000", rest.Error{Err: io.ErrUnexpectedEOF})
	l.reads(t, l.tick(t, src, 3*time.Second), 2)
	l.corrupt = func(string) error { return nil }
	l.reads(t, l.tick(t, src, 3*time.Second), 3)
}

// TestUnread: the end waits minutes, not for ever, for data that the history server lacks; data that it
// has reported is not requested again.
func TestUnread(t *testing.T) {
	l, src := over(t)
	l.corrupts("m_000001/counters", rest.Error{Status: http.StatusInternalServerError})
	l.reads(t, l.tick(t, src, 3*time.Second), 2)
	for n := range int(unreadPatience/(6*time.Second)) - 1 {
		l.reads(t, l.tick(t, src, 6*time.Second), 2)
		if l.requests["0001/tasks/task_1_0001_m_000001/attempts"]+l.requests["0001/tasks/task_1_0001_m_000000/counters"] > 0 {
			t.Fatalf("tick %d repeats requests: %v", n, l.requests)
		}
	}
	if s := l.tick(t, src, 6*time.Second); s.State != dag.Succeeded {
		t.Errorf("%v, %v after the end", s.State, s.At.Sub(labStart+20_001))
	}
	if _, err := src.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("%v", err)
	}
}
