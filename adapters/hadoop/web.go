package hadoop

import (
	"bytes"
	"context"
	"net/url"
	"strings"
)

// Web asks a service that is no part of Hadoop, such as a driver of Spark, for a path below its address. The answer is
// JSON or, of a job of Spark and of all its stages, a page.
func (c *Client) Web(ctx context.Context, base, path string) ([]byte, error) {
	return c.try(ctx, []string{strings.TrimSuffix(base, "/")}, path, nil)
}

// Trusts reports whether requests may go to a host: flags or the configuration name it.
func (c *Client) Trusts(to *url.URL) bool { return c.trusted(to) }

// isPage reports whether an address is that of the page of a job of Spark, or of all its stages.
func isPage(u *url.URL) bool {
	path := strings.TrimSuffix(u.Path, "/")
	return strings.HasSuffix(path, "/jobs/job") ||
		strings.HasSuffix(path, "/stages") && !strings.Contains(path, "/api/v1/")
}

// drawn reports whether a page has the graphs of stages or the list of pools. Others are those of a proxy, or of a
// driver that starts.
func drawn(body []byte) bool {
	return bytes.Contains(body, []byte("stage-metadata")) || bytes.Contains(body, []byte("SchedulingMode"))
}
