package spark

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// TestAddress checks which texts are addresses of a driver, and the requests to it.
func TestAddress(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"localhost:4040":                     "http://localhost:4040",
		"http://localhost:4040":              "http://localhost:4040",
		"http://localhost:4040/":             "http://localhost:4040",
		"http://localhost:4040/jobs/":        "http://localhost:4040",
		"localhost:4041/stages/stage":        "http://localhost:4041",
		"http://h:4040/jobs/job/?id=1#a":     "http://h:4040",
		"h:4040/SQL/execution/?id=3":         "http://h:4040",
		"http://h:4040/?id=3":                "http://h:4040/?id=3",
		"http://u:p@h:4040/jobs/":            "http://u:p@h:4040/jobs/",
		"http://driver:4040/api/v1/version":  "http://driver:4040",
		"https://knox:8443/gateway/d/spark":  "https://knox:8443/gateway/d/spark",
		"10.0.0.7:4040":                      "http://10.0.0.7:4040",
		"[::1]:4040":                         "http://[::1]:4040",
		"nightly":                            "",
		"spark://master:7077":                "",
		"application_1795222440184_0007":     "",
		"yarn":                               "",
		"":                                   "",
		"nightly:1:2":                        "",
		"app-20251009085320-0000/sql/newest": "",
	} {
		if got, ok := Address(typed); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", typed, got, ok, want)
		}
	}
}

// TestFindLocal checks that a driver that starts up is waited for if no other one answers, and for how long.
func TestFindLocal(t *testing.T) {
	t.Parallel()
	starts := []Listed{{URL: "http://localhost:4040", State: dag.Submitted}}
	ready := []Listed{{URL: "http://localhost:4040", ID: "local-1", State: dag.Running}}
	for name, c := range map[string]struct {
		after time.Duration // it is ready then
		other bool          // another one is from the beginning
		want  []Listed
		waits time.Duration
	}{
		"ready":          {0, false, ready, 0},
		"starts":         {11 * time.Second, false, ready, 11 * time.Second},
		"never":          {time.Hour, false, starts, startFor},
		"beside another": {time.Hour, true, ready, 0},
	} {
		bubble(t, name, func(t *testing.T) {
			began, messages := time.Now(), 0
			got := findLocal(t.Context(), func(context.Context) []Listed {
				switch {
				case c.other:
					return slices.Concat(starts, ready)
				case time.Since(began) < c.after:
					return starts
				}
				return ready
			}, func(string) { messages++ })
			waited := time.Since(began)
			if !slices.Equal(got, c.want) || waited != c.waits || messages != min(1, int(c.waits)) {
				t.Errorf("got %v after %v, %d messages", got, waited, messages)
			}
		})
	}
}

// TestDoctor checks that Doctor reports of each service whether it responds.
func TestDoctor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		f    fake
		want string
	}{
		{fake{tasks: 8}, "spark driver ok, spark jobs ok, spark job page warn, spark history server warn, spark event log warn"},
		{fake{tasks: 8, over: true}, "spark driver ok, spark jobs ok, spark job page warn, spark history server warn, spark event log warn"},
		{fake{down: true}, "spark driver fail"},
	} {
		c.f.now = 1795366700000
		var got []string
		for _, check := range Doctor(t.Context(), &c.f) {
			got = append(got, check.Name+" "+string(check.Status))
			if check.Text == "" || check.Status == yarn.Fail && !strings.Contains(check.Text, "refused") {
				t.Errorf("%+v", check)
			}
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("got %s\nwant %s", s, c.want)
		}
	}
}
