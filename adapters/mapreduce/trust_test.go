package mapreduce

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
)

// hosts responds by host.
type hosts struct {
	requests map[string]int // by host
	answers  map[string]func(r *http.Request) (status int, location string)
}

func (w *hosts) RoundTrip(r *http.Request) (*http.Response, error) {
	w.requests[r.URL.Host]++
	answer := w.answers[r.URL.Host]
	if answer == nil {
		return nil, errors.New("connection refused")
	}
	status, location := answer(r)
	h := http.Header{}
	body := ""
	if status == http.StatusOK {
		h.Set("Content-Type", "application/json")
		body = `{"job":{}}`
	}
	if location != "" {
		h.Set("Location", location)
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}, nil
}

func newHosts() *hosts {
	return &hosts{requests: map[string]int{}, answers: map[string]func(*http.Request) (int, string){}}
}

func well(*http.Request) (int, string) { return http.StatusOK, "" }

// standbyOf is a standby ResourceManager that points to another one.
func standbyOf(base string) func(*http.Request) (int, string) {
	return func(r *http.Request) (int, string) { return http.StatusTemporaryRedirect, base + r.URL.Path }
}

// TestRedirectToAStranger: a ResourceManager's redirect is followed, and kept, if flags or configuration name the host
// it leads to, and else answered by what to do.
func TestRedirectToAStranger(t *testing.T) {
	for name, c := range map[string]struct {
		to    string
		site  yarn.Site
		trust []string
		want  bool
	}{
		"not configured":       {"http://evil:8088", yarn.Site{}, nil, false},
		"part of a name":       {"http://rm1.evil:8088", yarn.Site{}, nil, false},
		"another port":         {"http://rm1:8090", yarn.Site{}, nil, true},
		"capitals":             {"https://RM1:8090", yarn.Site{}, nil, true},
		"a flag names it":      {"http://rm2.example:8088", yarn.Site{}, []string{"RM2.example"}, true},
		"the history server's": {"http://jhs:8088", yarn.Site{JHS: "http://jhs:19888"}, nil, true},
		"a gateway's":          {"http://front:8088", yarn.Site{Proxy: "https://front"}, nil, true},
		"not for copying":      {"http://a$(id):8088", yarn.Site{}, []string{"a$(id)"}, false},
	} {
		w := newHosts()
		w.answers["rm1:8088"] = standbyOf(c.to)
		host := c.to[strings.Index(c.to, "//")+2:]
		w.answers[host] = well
		cl := siteClient(t, c.site, rest.Options{Trust: c.trust, Transport: w}, "http://rm1:8088")
		for range 3 {
			_, err := cl.RM(t.Context(), "apps")
			if (err == nil) != c.want {
				t.Errorf("%s: %v", name, err)
			}
			if err != nil && name == "not configured" && !strings.Contains(err.Error(), "--set trust-host=evil") {
				t.Errorf("%s: the error does not say what to do: %v", name, err)
			}
		}
		if !c.want && w.requests[host] != 0 || c.want && (w.requests["rm1:8088"] != 1 || w.requests[host] != 3) {
			t.Errorf("%s: got requests %v", name, w.requests)
		}
	}
	// Of several, the next one gets the request.
	w := newHosts()
	w.answers["rm1:8088"], w.answers["rm2:8088"] = standbyOf("http://rm2.example:8088"), well
	if _, err := clientOf(t, rest.Options{Transport: w}, "http://rm1:8088", "http://rm2:8088").RM(t.Context(), "apps"); err != nil || w.requests["rm2.example:8088"] != 0 {
		t.Errorf("the second ResourceManager: got %v, requests %v", err, w.requests)
	}
}

// TestMastersRedirectNamesNoHistory: the address that a master redirects to gets no request while it runs. After its
// end, when the ResourceManager's proxy passes on the address that the master gave last, it
// gets requests only on a host that flags or configuration name, also if the history server is only guessed.
func TestMastersRedirectNamesNoHistory(t *testing.T) {
	const job = "mapreduce/jobs/job_1_0001"
	w := newHosts()
	to := "http://evil:19888/jobhistory/x"
	w.answers["rm:8088"] = func(*http.Request) (int, string) { return http.StatusFound, to }
	w.answers["rm:19999"], w.answers["evil:19888"], w.answers["other:19888"] = well, well, well
	guessed := yarn.Site{JHS: "http://rm:19888", JHSGuessed: true}
	c := siteClient(t, guessed, rest.Options{Transport: w}, "http://rm:8088")
	for range 3 {
		if _, err := c.AM(t.Context(), "application_1_0001", "jobs/job_1_0001"); rest.Status(err) != http.StatusFound {
			t.Fatal(err)
		}
	}
	if _, err := c.JHS(t.Context(), "info"); err == nil || w.requests["evil:19888"] != 0 {
		t.Errorf("a history server named by a master: got %v, requests %v", err, w.requests)
	}
	for range 2 {
		_, err := c.JHS(t.Context(), job)
		if err == nil || w.requests["evil:19888"] != 0 ||
			!strings.Contains(yarn.Brief(err),
				"the owner of the job chose this address: if the history server of your cluster is there, give --jhs http://evil:19888") {
			t.Errorf("a job that has ended: got %v, requests %v", err, w.requests)
		}
	}
	to = "http://rm:19999/jobhistory/job/job_1_0001" // on a host of the configuration
	if _, err := c.JHS(t.Context(), job); err != nil || w.requests["rm:19999"] != 1 {
		t.Errorf("on a named host: got %v, requests %v", err, w.requests)
	}
	to = "http://other:19888/jobhistory/job/job_1_0001"
	delete(w.answers, "rm:19999")
	if _, err := c.JHS(t.Context(), job); err == nil || w.requests["other:19888"] != 0 {
		t.Errorf("after it: got %v, requests %v", err, w.requests)
	}
	c = siteClient(t, guessed, rest.Options{Trust: []string{"other"}, Transport: w}, "http://rm:8088")
	if _, err := c.JHS(t.Context(), job); err != nil {
		t.Errorf("a trusted one: %v", err)
	}
	delete(w.requests, "other:19888")
	// Where one is named, no redirect names another, and the error has advice.
	c = siteClient(t, yarn.Site{JHS: "http://down:19888"}, rest.Options{Transport: w}, "http://rm:8088")
	if _, err := c.JHS(t.Context(), job); err == nil || w.requests["other:19888"] != 0 ||
		!strings.Contains(err.Error(), "--jhs http://other:19888") {
		t.Errorf("besides a named one: got %v, requests %v", err, w.requests)
	}
	c = siteClient(t, yarn.Site{JHS: "http://down:19888"}, rest.Options{Trust: []string{"other"}, Transport: w},
		"http://rm:8088")
	if _, err := c.JHS(t.Context(), job); err != nil {
		t.Errorf("a trusted one: %v", err)
	}
}
