package hadoop

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"

	"github.com/paratimer/paratimer/adapters/rest"
)

// advise completes an error of one of Hadoop's services.
func (c *Client) advise(e *rest.Error, r *rest.Response) {
	switch e.Cause {
	case rest.NoAddress:
		e.Hint = "give it by a flag or in HADOOP_CONF_DIR"
	case rest.Protocol:
		e.Hint += ", or set yarn.http.policy"
	case rest.NoAuthority:
		adviseStore(e, c.site.Truststore)
	case rest.Circular:
		e.Hint += ": do the ResourceManagers agree on who is active?"
	case rest.Untrusted:
		adviseHost(e)
	default:
		if r != nil {
			adviseRefusal(e)
			c.denied(e, r)
		}
	}
}

// adviseRefusal completes the error of a response that cannot be used.
func adviseRefusal(e *rest.Error) {
	proxied := strings.Contains(e.URL, "/proxy/")
	redirect := e.Status >= 300 && e.Status < 400
	switch {
	// A ResourceManager calls itself a standby in words, as RMWebAppFilter does beside its redirect. A gateway that
	// follows the redirect may leave nothing but the words.
	case e.Location == "" && strings.HasPrefix(e.Text, "This is standby RM"):
		e.Standby, e.Hint = true, "this ResourceManager is on standby: --rm takes the addresses of all of them"
	// Its response has status 200 once it has stopped looking (RMWebAppFilter).
	case strings.HasPrefix(e.Text, "There is no active RM"), strings.Contains(e.Text, " find any active RM"):
		e.Standby = true
		e.Hint = "this ResourceManager is on standby and knows of no active one: wait until one is active, or give the addresses of all of them to --rm"
	case e.Hint != "":
	case proxied && e.Status == http.StatusOK && strings.HasPrefix(e.Text, "WARNING: The following page may not be safe"):
		e.Hint = "the proxy warns whoever the application does not belong to, and does not take that we agree: ask as its owner (--user, --principal)"
	case e.Status == http.StatusUnauthorized:
		e.Hint = "this user may not look at the job: give another --user, or have the job's owner set mapreduce.job.acl-view-job"
	case proxied && redirect:
		e.Hint = "the application's master has ended or is not up yet"
	case proxied && e.Status == http.StatusNotFound && strings.HasPrefix(e.Text, "Not current Dag"):
		e.Hint = "the application's master runs another DAG, or none yet"
	case proxied && e.Status == http.StatusNotFound:
		e.Hint = "the ResourceManager does not know the application any more, or never did"
	case proxied && e.Status >= 500:
		e.Hint = "the proxy cannot reach the application's master: it is starting, ending or lost"
	case e.Status == http.StatusTemporaryRedirect && e.Location == "":
		e.Standby, e.Hint = true, "this ResourceManager is on standby and knows of no active one"
	case e.Status == http.StatusNotFound:
		e.Hint = "unknown here: a wrong id, one that has been forgotten, or not a Hadoop service"
	}
}

// adviseHost completes the error of a redirect to a host that is not trusted.
func adviseHost(e *rest.Error) {
	from, err := url.Parse(e.URL)
	if err != nil {
		return
	}
	to, err := from.Parse(e.Location)
	if err != nil {
		return
	}
	what, flag := "the active ResourceManager of your cluster", "--rm "+from.Scheme+"://"+from.Host+","
	if strings.Contains(from.Path, "/ws/v1/history/") {
		what, flag = "the history server of your cluster", "--jhs "
	}
	e.Hint += fmt.Sprintf(": if it is %s, give --trust-host %s, or %s%s://%s", what, to.Hostname(), flag, to.Scheme, to.Host)
}

// adviseStore shows how to make the PEM file for --ca-file from the Java trust store of Hadoop's own clients.
func adviseStore(e *rest.Error, store string) {
	if store == "" {
		return
	}
	if _, err := os.Stat(store); err != nil {
		e.Hint = "give that authority's certificate by --ca-file; " + store +
			" (ssl-client.xml) should hold it, but it cannot be read: " + err.Error()
		return
	}
	e.Hint = fmt.Sprintf("Hadoop's clients trust what is in %s: keytool -list -rfc -keystore %s >ca.pem, then --ca-file ca.pem", store, store)
}

var jobInPath = regexp.MustCompile(`/jobs/(job_\d+_\d+)`)

// denied completes a refusal of access to a job: it names the refused user and what to request. Hadoop's masters
// and history server respond with 401 (docs/facts/hadoop.md A2), or in 3.4 with 503 and an empty
// WebApplicationException. Such an error gets status 403, since the service is well and another request is in vain.
func (c *Client) denied(e *rest.Error, r *rest.Response) {
	address, _, _ := strings.Cut(e.URL, "?")
	job := jobInPath.FindStringSubmatch(address)
	if job == nil {
		return
	}
	switch {
	case r.Status == http.StatusServiceUnavailable && isEmptyException(r.Body):
		e.Status, e.Text = http.StatusForbidden, "it answers 503, as to anybody who may not see the job"
	case r.Status == http.StatusUnauthorized && r.Header.Get("WWW-Authenticate") == "",
		r.Status == http.StatusForbidden && !strings.Contains(r.Header.Get("WWW-Authenticate"), "PseudoAuth"):
	default:
		return
	}
	e.Hint = c.Refused(job[1], func(user string) string {
		return "its owner can start it with mapreduce.job.acl-view-job=" + user +
			", or whoever runs the cluster makes " + user + " an administrator of its queue"
	})
}

// isEmptyException reports whether a response is an exception that lost its status and message on the way.
func isEmptyException(body []byte) bool {
	var b struct {
		RemoteException struct{ Exception, Message string }
	}
	return json.Unmarshal(body, &b) == nil && b.RemoteException.Exception == "WebApplicationException" &&
		b.RemoteException.Message == ""
}

// brief returns an error's text for a warning: its first line, cut, and the whole hint, which follows a long
// address.
func brief(err error) string {
	if e, ok := errors.AsType[*rest.Error](err); ok && e.Hint != "" && len(e.Hint) < 400 {
		if reported, ends := strings.CutSuffix(err.Error(), " ("+e.Hint+")"); ends {
			return firstLine(reported) + " (" + e.Hint + ")"
		}
	}
	return firstLine(err.Error())
}
