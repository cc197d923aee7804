package yarn

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/rest"
)

// repeated is a JSON array of n times the same element.
func repeated(element string, n int) string {
	return "[" + strings.Repeat(element+",", n-1) + element + "]"
}

// allocates is how many bytes f allocates.
func allocates(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestManyShortLists: an answer may not have many short lists that take much more memory than their text together,
// although each by itself may be as short.
func TestManyShortLists(t *testing.T) {
	inside := `{"a":1}`
	for range 60 {
		inside = `{"queues":` + inside + `}`
	}
	for name, c := range map[string]struct {
		text   string
		decode func(text string) error
	}{
		"queues in queues": {
			`{"scheduler":{"schedulerInfo":{"queues":{"queue":` + repeated(`{"queues":{"queue":`+repeated(`{}`, 100)+
				`}}`, 3000) + `}}}}`,
			func(text string) error { var b schedulerBody; return decode("scheduler", []byte(text), &b) },
		},
		"queues alone": {
			`{"scheduler":{"schedulerInfo":{"queues":` + repeated(inside, 1000) + `}}}`,
			func(text string) error { var b schedulerBody; return decode("scheduler", []byte(text), &b) },
		},
		"keys in capitals and escapes": {
			`{"scheduler":{"SCHEDULERINFO":{"\u0071ueues":{"QUEUE":` + repeated(`{}`, 3000) + `}}}}`,
			func(text string) error { var b schedulerBody; return decode("scheduler", []byte(text), &b) },
		},
		"partitions": {
			`{"apps":{"app":` + repeated(`{"resourceInfo":{"resourceUsagesByPartition":`+repeated(`{}`, 1000)+`}}`,
				300) + `}}`,
			func(text string) error { var b appsBody; return decode("apps", []byte(text), &b) },
		},
		"labels": {
			`{"nodes":{"node":` + repeated(`{"nodeLabels":`+repeated(`0`, 3000)+`}`, 100) + `}}`,
			func(text string) error { var b nodesBody; return decode("nodes", []byte(text), &b) },
		},
	} {
		var err error
		n := allocates(func() { err = c.decode(c.text) })
		if !errors.Is(err, rest.ErrTooBig) || n > uint64(2*rest.Lists(len(c.text))) {
			t.Errorf("%s: %d bytes make %d: %v", name, len(c.text), n, err)
		}
	}
}

// TestMixedListsAreNotCopied: a list with an element of a wrong type is decoded without a copy of its text, however
// deep it is nested.
func TestMixedListsAreNotCopied(t *testing.T) {
	text := strings.Replace(queuesIn(60), `{"queueName":"deep"}`, `{"queueName":"deep","pad":"`+strings.Repeat("x",
		1<<20)+`"}`, 1)
	var b schedulerBody
	var err error
	if n := allocates(func() { err = decode("scheduler", []byte(text), &b) }); err != nil || n > uint64(4*len(text)) {
		t.Errorf("%d bytes make %d: %v", len(text), n, err)
	}
	if b.Scheduler.V.Info.V.find("deep") == nil {
		t.Error("the queue is lost")
	}
}

// TestRealAnswersAreLight: the lists of recorded answers take a half of what they may at most, and what is counted is
// what they take.
func TestRealAnswersAreLight(t *testing.T) {
	t.Parallel()
	for pattern, body := range map[string]any{
		"apps-*.json": &appsBody{}, "scheduler*.json": &schedulerBody{}, "nodes*.json": &nodesBody{},
	} {
		files, err := filepath.Glob(filepath.Join("testdata", pattern))
		if err != nil || len(files) == 0 {
			t.Errorf("%s: %v, %v", pattern, files, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := rest.Decode(file, text, body, (rest.Lists(len(text))-rest.Lists(0))/2); err != nil {
				t.Error(err)
			}
		}
	}
}
