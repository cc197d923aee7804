package hadoop

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/eventlog"
)

// Web asks a service that is no part of Hadoop, such as a driver of Spark, for a path below its address. The answer is
// JSON or, of a job of Spark, its page. Of an event log of Spark, which is a zip, it is a list of eventlog.Job as JSON.
func (c *Client) Web(ctx context.Context, base, path string) ([]byte, error) {
	return c.try(ctx, []string{strings.TrimSuffix(base, "/")}, path, nil)
}

// Trusts reports whether requests may go to a host: flags or the configuration name it.
func (c *Client) Trusts(to *url.URL) bool { return c.trusted(to) }

// isPage reports whether an address is that of the page of a job of Spark.
func isPage(u *url.URL) bool { return strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), "/jobs/job") }

// isEventLog reports whether an address is that of an event log of Spark, which a history server has.
func isEventLog(u *url.URL) bool {
	before, found := strings.CutSuffix(strings.TrimSuffix(u.Path, "/"), "/logs")
	return found && strings.Contains(before, "/api/v1/applications/")
}

// edges replaces the zip of an event log by the edges between stages that are in it: what a client needs of it, and a
// capture may keep.
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

// A reduced is a body of which a part is read.
type reduced struct {
	io.Reader
	io.Closer
}

// drawn reports whether a page has the graphs of stages. Others are those of a proxy, or of a driver that starts.
func drawn(body []byte) bool { return bytes.Contains(body, []byte("stage-metadata")) }
