package mapreduce

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
)

const (
	webHDFS = "/webhdfs/v1"
	// hdfsTimeout bounds one request: an estimate can do without the response.
	hdfsTimeout = 3 * time.Second
	// muteFor is how long a NameNode that did not respond gets no requests.
	muteFor = 10 * time.Minute
	// maxMute bounds the NameNodes that are remembered.
	maxMute = 10_000
)

// errUnnamed means that neither flags nor the configuration name the host of any NameNode of a job's input.
var errUnnamed = errors.New("neither a flag nor the configuration names the NameNode's host")

// HDFS sends a WebHDFS operation on an absolute path, such as GETCONTENTSUMMARY, to several NameNodes until one
// responds. Their addresses come from a job's configuration, which its owner wrote. So only those on hosts that
// flags or the cluster's configuration name are used.
func (c *Client) HDFS(ctx context.Context, bases []string, path, op string) ([]byte, error) {
	var named []string
	stranger := ""
	for _, base := range bases {
		to, err := url.Parse(base)
		if err != nil {
			return nil, fmt.Errorf("hadoop: address: %w", err)
		}
		if c.Trusts(to) || c.nameNodes[rest.Machine(to.Hostname())] {
			named = append(named, base)
		} else {
			stranger = base
		}
	}
	if len(named) == 0 {
		return nil, &rest.Error{
			URL: stranger + webHDFS, Err: errUnnamed,
			Hint: "if it is your cluster's, give --trust-host, or put hdfs-site.xml into the configuration folder",
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, hdfsTimeout, fmt.Errorf("not done within %v", hdfsTimeout))
	defer cancel()
	at := url.URL{Path: webHDFS + path}
	operation := at.EscapedPath() + "?op=" + url.QueryEscape(op)
	var failed error
	for _, base := range named {
		if c.isMute(base) {
			failed = errors.Join(failed, &rest.Error{URL: base + webHDFS, Text: "it did not answer before"})
			continue
		}
		body, _, err := c.Send(ctx, rest.Request{Bases: []string{base}, Path: operation})
		if err == nil {
			return body, nil
		}
		failed = errors.Join(failed, err)
		if rest.Status(err) == 0 {
			c.mark(base)
		}
	}
	return nil, failed
}

func (c *Client) isMute(base string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, mute := c.mute[base]
	return mute && c.Now().Sub(at) < muteFor
}

func (c *Client) mark(base string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.mute) >= maxMute {
		clear(c.mute)
	}
	c.mute[base] = c.Now()
}
