package hadoop

import (
	"bytes"
	"context"
	"net/url"
	"strings"
)

// Web asks a service that is no part of Hadoop, such as a driver of Spark, for a path below its address. The answer is
// JSON or, of a job of Spark, its page.
func (c *Client) Web(ctx context.Context, base, path string) ([]byte, error) {
	return c.try(ctx, []string{strings.TrimSuffix(base, "/")}, path, nil)
}

// Trusts reports whether requests may go to a host: flags or the configuration name it.
func (c *Client) Trusts(to *url.URL) bool { return c.trusted(to) }

// isPage reports whether an address is that of the page of a job of Spark.
func isPage(u *url.URL) bool { return strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), "/jobs/job") }

// drawn reports whether a page has the graphs of stages. Others are those of a proxy, or of a driver that starts.
func drawn(body []byte) bool { return bytes.Contains(body, []byte("stage-metadata")) }
