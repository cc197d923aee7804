package hadoop

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

var jobInPath = regexp.MustCompile(`/jobs/(job_\d+_\d+)`)

// denied makes a refusal of a job what it is, and says who is refused and what to ask for. Hadoop's masters and history
// server answer 401 (docs/facts/hadoop.md A2), or as 3.4 does 503 with a WebApplicationException that says nothing: such an error
// has status 403, since the service is well and asking it again is in vain.
func (c *Client) denied(e *Error, r *reply, u *url.URL) {
	job := jobInPath.FindStringSubmatch(u.Path)
	if job == nil {
		return
	}
	switch {
	case r.status == http.StatusServiceUnavailable && r.silent():
		e.Status, e.Text = http.StatusForbidden, "it answers 503, as to anybody who may not see the job"
	case r.status == http.StatusUnauthorized && r.header.Get("WWW-Authenticate") == "", r.status == http.StatusForbidden && !strings.Contains(r.header.Get("WWW-Authenticate"), "PseudoAuth"):
	default:
		return
	}
	who, user := c.asker()
	e.Hint = who + " may not see " + job[1] + ": its owner can start it with mapreduce.job.acl-view-job=" + user +
		", or whoever runs the cluster makes " + user + " an administrator of its queue"
	if c.opt.Login == nil {
		e.Hint += "; or give another --user"
	}
}

// silent says whether an answer is that a resource threw a status which was lost on the way.
func (r *reply) silent() bool {
	var body struct {
		RemoteException struct{ Exception, Message string }
	}
	return json.Unmarshal(r.body, &body) == nil && body.RemoteException.Exception == "WebApplicationException" && body.RemoteException.Message == ""
}

// asker is who asks, for people, and the name that Hadoop makes of it by default.
func (c *Client) asker() (who, user string) {
	who = c.opt.User
	if c.opt.Login != nil && c.opt.Login.Used() && c.opt.Login.Name() != "" {
		who = c.opt.Login.Name()
	}
	if who == "" {
		return "whoever asks", "NAME"
	}
	user, _, _ = strings.Cut(who, "@")
	user, _, _ = strings.Cut(user, "/")
	return who, user
}
