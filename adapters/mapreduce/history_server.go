package mapreduce

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/rest"
)

// plainPath matches a gateway's path that is safe in advice.
var plainPath = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)+$`)

// historyBase returns the history server's base if err is the proxy's redirect to it (docs/facts/hadoop.md A6), else
// "". A gateway such as Knox serves it below a path of its own that ends in /jobhistory.
func historyBase(err error) string {
	var e *rest.Error
	if !errors.As(err, &e) || e.Location == "" {
		return ""
	}
	to, perr := url.Parse(e.Location)
	if perr != nil || to.Scheme != "http" && to.Scheme != "https" || !rest.PlainHost(to.Host) {
		return ""
	}
	switch before, _, found := strings.Cut(to.Path, "/jobhistory/"); {
	case !found:
		return ""
	case before == "":
		return to.Scheme + "://" + to.Host
	case !plainPath.MatchString(before):
		return ""
	default:
		return to.Scheme + "://" + to.Host + before + "/jobhistory"
	}
}

// seekHistory queries the ResourceManager's proxy for the history of an ended job, and reports whether it found a
// new address that may be used. The job must have ended according to the ResourceManager: while an application
// runs, the proxy passes on its master's responses. After the end the proxy redirects to the tracking URL that the
// master set last, which the user who wrote the job can choose. So moveHistory decides whether that address may be
// used.
func (c *Client) seekHistory(ctx context.Context, job string, asked []string, failed error) (bool, error) {
	_, err := c.AM(ctx, "application_"+strings.TrimPrefix(job, "job_"), "jobs/"+job)
	base := historyBase(err)
	switch {
	case base == "" || slices.Contains(asked, base):
		return false, failed
	case c.moveHistory(base):
		return true, nil
	}
	if e, ok := errors.AsType[*rest.Error](failed); ok {
		e.Hint = c.unnamedHistory(base)
	}
	return false, failed
}

// unnamedHistory returns what to do about a history server that the ResourceManager's proxy points to and that is
// not trusted.
func (c *Client) unnamedHistory(base string) string {
	reported := fmt.Sprintf("the ResourceManager's proxy points to %s, which neither a flag nor the configuration names", base)
	if c.Site().JHSGuessed {
		reported += "; nor do they name another history server, and the owner of the job chose this address"
	}
	return reported + fmt.Sprintf(": if the history server of your cluster is there, give --jhs %s", base)
}

// moveHistory takes the history server that a redirect of the ResourceManager's proxy names, and reports whether it
// may be used: only if a flag or the configuration names its host. The owner of a job chooses the address, and that
// server would supply the history of all jobs.
func (c *Client) moveHistory(base string) bool {
	to, err := url.Parse(base)
	if err != nil || !c.Trusts(to) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moved = base
	return true
}

// misplaced reports whether a history server may be elsewhere, by its error: it does not respond, or its address
// was only guessed and it does not have the job.
func (c *Client) misplaced(err error) bool {
	if rest.Elsewhere(err) {
		return true
	}
	st := rest.Status(err)
	return c.Site().JHSGuessed && st != 0 && st != http.StatusUnauthorized && st != http.StatusForbidden
}
