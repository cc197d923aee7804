package mapreduce

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

const (
	webHDFS = "/webhdfs/v1"
	// hdfsTimeout bounds one request: an estimate can do without the response.
	hdfsTimeout = 3 * time.Second
	// muteFor is how long a NameNode that did not respond gets no requests.
	muteFor = 10 * time.Minute
)

// errUnnamed means that neither flags nor the configuration name the host of any NameNode of a job's input.
var errUnnamed = errors.New("neither a flag nor the configuration names the NameNode's host")

// HDFS sends a WebHDFS operation on an absolute path, such as GETCONTENTSUMMARY, to several NameNodes until one
// responds. Their addresses come from a job's configuration, which its owner wrote. So only those on hosts that
// flags or the cluster's configuration name are used.
func (c *Client) HDFS(ctx context.Context, bases []string, path, op string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, hdfsTimeout, fmt.Errorf("not done within %v", hdfsTimeout))
	defer cancel()
	at := url.URL{Path: webHDFS + path}
	operation := at.EscapedPath() + "?op=" + url.QueryEscape(op)
	var failed error
	stranger := ""
	for _, base := range bases {
		to, err := url.Parse(base)
		since, isMute := c.mute.Load(base)
		switch {
		case err != nil:
			return nil, fmt.Errorf("hadoop: address: %w", err)
		case !c.Trusts(to) && !c.nameNodes[rest.Machine(to.Hostname())]:
			stranger = base
			continue
		case isMute && c.Now().Sub(since.(dag.Instant)) < muteFor:
			failed = errors.Join(failed, &rest.Error{URL: base + webHDFS, Text: "it did not answer before"})
			continue
		}
		body, _, err := c.Send(ctx, rest.Request{Bases: []string{base}, Path: operation})
		if err == nil {
			return body, nil
		}
		if failed = errors.Join(failed, err); rest.Status(err) == 0 {
			c.mute.Store(base, c.Now())
		}
	}
	if failed == nil {
		failed = &rest.Error{
			URL: stranger + webHDFS, Err: errUnnamed,
			Hint: "if it is your cluster's, give --trust-host, or put hdfs-site.xml into the configuration folder",
		}
	}
	return nil, failed
}
