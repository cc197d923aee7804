package input

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/dag"
)

// at is a manager without applications, at an instant.
type at dag.Instant

func (at) List(context.Context) ([]spark.Listed, error) { return nil, nil }
func (at) Driver(spark.Listed) spark.Driver             { return nil }
func (at) ListsAll() bool                               { return true }
func (a at) Now() dag.Instant                           { return dag.Instant(a) }

// TestChooseDriver checks which of the drivers on this machine is watched, and that several are listed.
func TestChooseDriver(t *testing.T) {
	t.Parallel()
	one := spark.Listed{URL: "http://localhost:4040", ID: "local-1", Name: "nightly", Began: 1_000_000, State: dag.Running}
	two := spark.Listed{URL: "http://localhost:4041", ID: "local-2", Name: "hourly", Began: 1_150_000, State: dag.Running}
	here := &manager{
		drivers: spark.NewDrivers(at(1_180_000)), where: "on this machine", how: "--spark URL", isLocal: true,
	}
	for _, c := range []struct {
		found []spark.Listed
		typed string
		want  string
		words []string
	}{
		{nil, "", "", nil},
		{nil, "nightly", "", nil},
		{[]spark.Listed{one}, "", one.URL, nil},
		{[]spark.Listed{one, two}, "hourly", two.URL, nil},
		{[]spark.Listed{one, two}, "local-1", one.URL, nil},
		{
			[]spark.Listed{one, two},
			"", "",
			[]string{"2 Spark applications on this machine: choose one by --spark URL", one.URL + "  nightly (local-1)  started 3m ago", two.URL + "  hourly (local-2)  started 30s ago"},
		},
		{[]spark.Listed{one, two}, "*ly", one.URL, nil},
		{[]spark.Listed{one, two}, "local-2/sql/7", two.URL, nil},
		{[]spark.Listed{one}, "weekly", "", []string{"nothing runs that is called weekly on this machine", "nightly"}},
		{[]spark.Listed{{URL: one.URL, State: dag.Submitted}}, "", "", []string{"is it a driver?"}},
	} {
		got, err := here.choose(c.found, c.typed)
		if got != nil && got.URL != c.want || (got != nil) != (c.want != "") || (err != nil) != (c.words != nil) {
			t.Errorf("%v, %q: %v, %v", c.found, c.typed, got, err)
		}
		for _, word := range c.words {
			if err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("%v, %q: no %q in %v", c.found, c.typed, word, err)
			}
		}
	}
	for typed, want := range map[string]bool{
		"localhost:4040": true, "http://localhost:4040": true, "nightly": false, "": false,
		"http://rm:8088/proxy/application_1795222440184_0007/": false,
	} {
		if got := driverIn(typed) != ""; got != want {
			t.Errorf("%q: %v", typed, got)
		}
	}
}

// TestAsk reads the number of an application, after answers that are none.
func TestAsk(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	got, err := ask(t.Context(), strings.NewReader("x\n0\n4\n 3 \n1\n"), &out, 3)
	if err != nil || got != 2 || strings.Count(out.String(), "[1-3]") != 4 {
		t.Errorf("%d, %v, %q", got, err, out.String())
	}
	if _, err := ask(t.Context(), strings.NewReader("9\n"), &out, 3); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("without an answer: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	idle, w := io.Pipe()
	defer w.Close()
	if _, err := ask(ctx, idle, io.Discard, 3); !errors.Is(err, context.Canceled) {
		t.Errorf("after an interrupt: %v", err)
	}
}

// TestPagesOf finds the pages of masters.
func TestPagesOf(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"http://m:8080":               "http://m:8080",
		"m1:18080,https://m2:8480/":   "http://m1:18080,https://m2:8480",
		"spark://m1:7077,m2:7078":     "http://m1:8080,http://m2:8080",
		"spark://m1":                  "",
		"spark://":                    "",
		"spark://m1:7077/app?x=1,b:1": "http://m1:8080,http://b:8080",
		"http://m:8080,":              "",
		"nightly":                     "",
	} {
		got, err := pagesOf(typed)
		if strings.Join(got, ",") != want || (err == nil) != (want != "") {
			t.Errorf("%s: %v, %v, want %s", typed, got, err, want)
		}
	}
}
