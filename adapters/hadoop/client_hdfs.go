package hadoop

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"
)

const (
	webHDFS = "/webhdfs/v1"
	// hdfsPatience bounds one question: an estimate can do without the answer.
	hdfsPatience = 3 * time.Second
	// muteFor is how long a NameNode that did not answer is not asked again.
	muteFor = 10 * time.Minute
)

// errUnnamed means that neither flags nor the configuration name the host of any NameNode of a job's input.
var errUnnamed = errors.New("neither a flag nor the configuration names the NameNode's host")

// HDFS asks the first of several NameNodes that answers, for an operation of WebHDFS on an absolute path, such as GETCONTENTSUMMARY. Their addresses are
// out of a job's configuration, which its owner wrote: only those on hosts are asked that flags or the configuration name.
func (c *Client) HDFS(ctx context.Context, bases []string, path, op string) ([]byte, error) {
	var named []string
	stranger := ""
	for _, base := range bases {
		to, err := url.Parse(base)
		if err != nil {
			return nil, fmt.Errorf("hadoop: address: %w", err)
		}
		if c.trusted(to) || c.files[machine(to.Hostname())] {
			named = append(named, base)
		} else {
			stranger = base
		}
	}
	if len(named) == 0 {
		return nil, &Error{URL: stranger + webHDFS, Err: errUnnamed, Hint: "if it is your cluster's, give --trust-host, or put hdfs-site.xml into the configuration folder"}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, hdfsPatience, fmt.Errorf("not done within %v", hdfsPatience))
	defer cancel()
	at := url.URL{Path: webHDFS + path}
	var failed error
	for _, base := range named {
		if c.isMute(base) {
			failed = errors.Join(failed, &Error{URL: base + webHDFS, Text: "it did not answer before"})
			continue
		}
		body, err := c.try(ctx, []string{base}, at.EscapedPath()+"?op="+url.QueryEscape(op), nil)
		if err == nil {
			return body, nil
		}
		failed = errors.Join(failed, err)
		if status(err) == 0 {
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
	if len(c.mute) >= maxServers {
		clear(c.mute)
	}
	c.mute[base] = c.Now()
}

// fileHosts are the hosts of the site's NameNodes.
func (s Site) fileHosts() map[string]bool {
	all := map[string]bool{}
	for _, base := range s.NameNodes {
		if u, err := url.Parse(base); err == nil {
			all[machine(u.Hostname())] = true
		}
	}
	return all
}
