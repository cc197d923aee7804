package hadoop

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/eventlog"
	"github.com/paratimer/paratimer/dag"
)

// Web requests a path below the address of a service that is no part of Hadoop, such as a driver of Spark. The
// response is JSON or, for a job of Spark and for all its stages, a page. For an event log of Spark, which is a
// zip, it is a list of eventlog.Job as JSON.
// A history server reads and packs the whole log for each request. So the client requests one log at most every
// LogPause, and then after pauses that double. In between it returns an error. A log that the server does not have
// yet costs it nothing, so the first pauses are shorter then.
func (c *Client) Web(ctx context.Context, base, path string) ([]byte, error) {
	base = strings.TrimSuffix(base, "/")
	u, err := url.Parse(base + path)
	if err != nil || !isEventLog(u) {
		return c.try(ctx, []string{base}, path, nil)
	}
	if !c.takeTurn(u.String()) {
		return nil, &Error{URL: u.String(), Err: errTooOften}
	}
	body, err := c.try(ctx, []string{base}, path, nil)
	c.endTurn(u.String(), status(err) == http.StatusNotFound)
	return body, err
}

const (
	// LogPause is the least time between two requests for one event log.
	LogPause = 30 * time.Second
	// missingPause is the least time for a log that the history server does not have yet. By default the server looks
	// for new logs every 10 s.
	missingPause = 5 * time.Second
)

// errTooOften means that a request was not sent.
var errTooOften = errors.New("this was asked a short time ago")

// A turn is when an address was requested, and for how long it is not requested again.
type turn struct {
	at    dag.Instant
	pause time.Duration
}

// takeTurn reports whether an address may be requested now, and records that it is.
func (c *Client) takeTurn(address string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.Now()
	last, asked := c.turns[address]
	if asked && now.Sub(last.at) < last.pause {
		return false
	}
	if len(c.turns) >= maxServers {
		clear(c.turns)
	}
	c.turns[address] = turn{now, 2 * last.pause}
	return true
}

// endTurn sets the least pause after a turn.
func (c *Client) endTurn(address string, missing bool) {
	least := LogPause
	if missing {
		least = missingPause
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.turns[address]
	c.turns[address] = turn{t.at, max(t.pause, least)}
}

// Trusts reports whether requests may go to a host: flags or the configuration name it.
func (c *Client) Trusts(to *url.URL) bool { return c.trusted(to) }

// isPage reports whether an address is that of the page of a job of Spark, or of all its stages.
func isPage(u *url.URL) bool {
	path := strings.TrimSuffix(u.Path, "/")
	return strings.HasSuffix(path, "/jobs/job") ||
		strings.HasSuffix(path, "/stages") && !strings.Contains(path, "/api/v1/")
}

// isEventLog reports whether an address is that of an event log of Spark, which a history server has.
func isEventLog(u *url.URL) bool {
	before, found := strings.CutSuffix(strings.TrimSuffix(u.Path, "/"), "/logs")
	return found && strings.Contains(before, "/api/v1/applications/")
}

// edges replaces the zip of an event log by the edges between its stages: a client needs only these, and a capture
// may keep them.
func edges(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(r)
		if err != nil || resp.StatusCode != http.StatusOK || !isEventLog(r.URL) {
			return resp, err
		}
		switch kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind {
		case "application/octet-stream", "application/zip":
			resp.Header.Set("Content-Type", "application/json")
			resp.Header.Del("Content-Length")
			resp.ContentLength = -1
			resp.Body = &reduced{Reader: eventlog.Edges(resp.Body), Closer: resp.Body}
		}
		return resp, nil
	})
}

// A reduced is a body with a part of its content.
type reduced struct {
	io.Reader
	io.Closer
}

// drawn reports whether a page has the graphs of stages or the list of pools. Other pages come from a proxy, or
// from a driver that starts.
func drawn(body []byte) bool {
	return bytes.Contains(body, []byte("stage-metadata")) || bytes.Contains(body, []byte("SchedulingMode"))
}
