package yarn

import (
	"fmt"
	"net/http"
	"net/url"
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
		e.Hint += "; Hadoop's clients have it in the store that ssl-client.xml names: keytool -list -rfc -keystore STORE >ca.pem"
	case rest.Circular:
		e.Hint += ": do the ResourceManagers agree on who is active?"
	case rest.Untrusted:
		adviseHost(e)
	default:
		if r != nil {
			adviseRefusal(e)
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
