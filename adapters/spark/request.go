package spark

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/eventlog"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
)

const (
	// logPause is the least time between two requests for one event log: a history server reads and packs the whole log
	// for each.
	logPause = 30 * time.Second
	// missingLogPause is the least time for a log that the history server does not have yet, which costs it nothing. By
	// default the server looks for new logs every 10 s.
	missingLogPause = 5 * time.Second
)

// request returns a request to a driver or a history server for a path below base. The response is JSON or, for a job
// and for all stages, a page. For an event log, which is a zip, it is a list of eventlog.Job as JSON.
func request(client *yarn.Client, base, path string) rest.Request {
	r := rest.Request{Path: path, Advise: func(e *rest.Error, resp *rest.Response) { advise(client, e, resp) }}
	if base != "" {
		r.Bases = []string{base}
	}
	path, _, _ = strings.Cut("/"+path, "?")
	if e, _ := endpointOf(path); e != nil {
		// The proxy passes on the driver's Date, which may be another machine's.
		if r.Limit, r.Clock = e.limit, !e.page && base != "" && !strings.Contains(base, "/proxy/"); e.page {
			r.Usable = drawn
		}
	}
	if strings.HasSuffix(path, "/logs") {
		r.Reduce, r.Pause, r.MissingPause = edges, logPause, missingLogPause
	}
	return r
}

// edges reduces the zip of an event log to the edges between its stages: a source needs only these, and a recording may
// keep them.
func edges(kind string, body io.Reader) io.Reader {
	if kind != "application/octet-stream" && kind != "application/zip" {
		return nil
	}
	return eventlog.Edges(body)
}

// drawn reports whether a page has the graphs of stages or the list of pools. Other pages come from a proxy, or from a
// driver that starts.
func drawn(kind string, body []byte) bool {
	return kind == "text/html" &&
		(bytes.Contains(body, []byte("stage-metadata")) || bytes.Contains(body, []byte("SchedulingMode")))
}

// startText is in the page that a driver returns for any address while it starts.
const startText = "Spark is starting up"

var appInPath = regexp.MustCompile(`/(application_\d+_\d+|app-[\w-]+|local-\d+)(/|$)`)

// advise completes the error of a response: it recognizes a driver that starts, and names the user that a driver
// refuses, and what to request.
func advise(client *yarn.Client, e *rest.Error, r *rest.Response) {
	if r == nil {
		return
	}
	page := r.Body[:min(len(r.Body), 4096)]
	if (e.Text == "" || strings.Contains(e.Text, startText)) && bytes.Contains(page, []byte(startText)) {
		e.Text = startText
	}
	if e.Status == http.StatusOK && e.Text == startText {
		e.Hint = "wait until it is up"
	}
	u, err := url.Parse(e.URL)
	if err != nil || r.Header.Get("WWW-Authenticate") != "" || !strings.Contains(u.Path, "/api/v1/applications") {
		return
	}
	switch r.Status {
	case http.StatusUnauthorized:
		e.Hint = "the filter before Spark's pages (spark.ui.filters) wants to know who asks: give --user, a password or a ticket"
	case http.StatusForbidden:
		app := "the application"
		if m := appInPath.FindStringSubmatch(u.Path); m != nil {
			app = m[1]
		}
		e.Hint = client.Refused(app, func(user string) string {
			return "its owner can start it with spark.ui.view.acls=" + user
		})
	}
}
