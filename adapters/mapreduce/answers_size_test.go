package mapreduce

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
)

// allocates is how many bytes f allocates.
func allocates(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestKeysOfAnObject: an object in place of a list is not taken apart only to see that it is not empty.
func TestKeysOfAnObject(t *testing.T) {
	text := `{"tasks":{"task":{` + strings.Repeat(`"":0,`, 1<<18) + `"id":"task_1_0001_m_000000"}}}`
	var b tasksBody
	var err error
	if n := allocates(func() { err = yarn.Decode("tasks", []byte(text), &b) }); err != nil || len(b.Tasks.V.Task) != 1 ||
		n > uint64(2*len(text))+100_000 {
		t.Errorf("%d bytes make %d: %v, %d tasks", len(text), n, err, len(b.Tasks.V.Task))
	}
}

// TestRealAnswersAreLight: the lists of recorded answers take a half of what they may at most, and what is counted is
// what they take.
func TestRealAnswersAreLight(t *testing.T) {
	t.Parallel()
	tasks := 0
	for pattern, body := range map[string]any{
		"*-tasks*.json": &tasksBody{}, "*-attempts*.json": &attemptsBody{},
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
			if b, ok := body.(*tasksBody); ok && len(b.Tasks.V.Task) > 0 {
				tasks++
				n := len(b.Tasks.V.Task) * int(reflect.TypeFor[wireTask]().Size())
				if err := rest.Decode(file, text, body, n); err != nil {
					t.Error(err)
				}
				if err := rest.Decode(file, text, body, n-1); !errors.Is(err, rest.ErrTooBig) {
					t.Errorf("%s: %d tasks take less than %d bytes: %v", file, len(b.Tasks.V.Task), n, err)
				}
			}
		}
	}
	if tasks == 0 {
		t.Error("no list of tasks was weighed")
	}
}
