package yarn

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
)

// load decodes a body that a real Hadoop gave (testdata: copied from recordings, confs cut to the properties that are
// read).
func load[T any](t *testing.T, name string) T {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	v, err := Read[T](name, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func of[T any](t *testing.T, body string) T {
	t.Helper()
	v, err := Read[T]("test", []byte(body), nil)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return v
}

func TestApps(t *testing.T) {
	for file, want := range map[string]int{
		"apps-2.10.2-none.json": 0, "apps-3.4.2-none.json": 0, "apps-2.10.2.json": 1, "apps-3.4.2.json": 2,
		"apps-3.5.0.json": 1,
	} {
		b := load[appsBody](t, file)
		if len(b.Apps.V.App) != want {
			t.Errorf("%s: %d applications, want %d", file, len(b.Apps.V.App), want)
		}
		for _, a := range b.list() {
			if a.ID == "" || !a.Submitted.Known() || !a.Running || !a.MapReduce() || a.Ended {
				t.Errorf("%s: %+v", file, a)
			}
		}
	}
	b := load[appsBody](t, "apps-3.4.2.json")
	if a := b.list()[0]; a.MasterMB != 512 || a.PendingMB != 0 || a.HeldMB != 512 || a.Job() != "job_1795222440184_0008" {
		t.Errorf("%+v", a)
	}
}

// Lists and numbers come in all shapes (facts/hadoop.md A1).
func TestShapes(t *testing.T) {
	one := `{"id":"application_1_0001","startedTime":"17","progress":true,"name":7}`
	for _, body := range []string{
		`{"apps":{"app":[` + one + `]}}`, `{"apps":{"app":` + one + `}}`, `{"apps":{"app":[3,` + one + `,"x",null]}}`,
	} {
		var found *wireApp
		apps := of[appsBody](t, body).Apps.V.App
		for i := range apps {
			if apps[i].ID != "" {
				found = &apps[i]
			}
		}
		if found == nil || found.StartedTime.V != 17 || found.Progress.Known || found.Name != "7" {
			t.Errorf("%s: %+v", body, found)
		}
	}
	for _, body := range []string{
		`{}`, `{"apps":null}`, `{"apps":""}`, `{"apps":{}}`, `{"apps":[]}`, `{"apps":{"app":null}}`,
		`{"apps":{"app":""}}`,
		`{"apps":{"app":{}}}`, `{"apps":{"app":[]}}`, `{"apps":7}`, `{"apps":{"app":true}}`, `[]`, `null`,
	} {
		var b appsBody
		_ = decode("apps", []byte(body), &b) // of another kind of value, an error is as good as nothing
		if n := len(b.Apps.V.App); n != 0 {
			t.Errorf("%s: %d applications", body, n)
		}
	}
	for _, body := range []string{``, `{`, `<html></html>`, `{"apps":{"app":[`} {
		if _, err := Read[appsBody]("apps", []byte(body), nil); err == nil {
			t.Errorf("%q: got JSON, want an error", body)
		}
	}
}

// queuesIn is a scheduler's answer with so many queues in each other; beside each there is an element of a wrong type.
func queuesIn(depth int) string {
	queue := `{"queueName":"deep"}`
	for range depth {
		queue = `{"queues":{"queue":[` + queue + `,5, "x"]}}`
	}
	return `{"scheduler":{"schedulerInfo":` + queue + `}}`
}

// TestNestedListsAreReadOnce: an element of a wrong type at each level does not double the work with each level.
func TestNestedListsAreReadOnce(t *testing.T) {
	t.Parallel()
	began := time.Now()
	var b schedulerBody
	if err := decode("scheduler", []byte(queuesIn(40)), &b); err != nil {
		t.Fatal(err)
	}
	if b.Scheduler.V.Info.V.find("deep") == nil {
		t.Error("the queue is lost")
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("%v", took)
	}
}

// TestNestedTooDeep: an answer that is nested without need is refused before it is decoded.
func TestNestedTooDeep(t *testing.T) {
	t.Parallel()
	var b schedulerBody
	if err := decode("scheduler", []byte(queuesIn(200)), &b); !errors.Is(err, rest.ErrTooBig) {
		t.Error(err)
	}
}

// decode decodes a response as Read does.
func decode(what string, body []byte, v any) error {
	return rest.Decode("hadoop: the answer to "+what, body, v, rest.Lists(len(body)))
}
