package yarn

import (
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
	default:
		if r != nil {
			adviseRefusal(e)
		}
	}
}

// A refusal is a response that cannot be used, and what to do about it.
type refusal struct {
	status    int    // the status or its first digit; 0 is any
	isProxied bool   // the proxy of the ResourceManager responds
	text      string // part of the text
	isStandby bool   // the response is that of a ResourceManager on standby
	hint      string
}

// refusals are in the order in which they are tried.
var refusals = []refusal{
	// A ResourceManager on standby says so, as RMWebAppFilter does beside its redirect. A gateway that follows the
	// redirect may leave nothing but the words. If it has stopped looking for the active one, its status is 200.
	{text: "This is standby RM", isStandby: true, hint: "this ResourceManager is on standby: --rm takes the addresses of all of them"},
	{text: "There is no active RM", isStandby: true, hint: noActive},
	{text: " find any active RM", isStandby: true, hint: noActive},
	{status: 200, isProxied: true, text: "WARNING: The following page may not be safe", hint: "the proxy warns whoever the application does not belong to, and does not take that we agree: ask as its owner (--user, --principal)"},
	{status: 401, hint: "this user may not look at the job: give another --user, or have the job's owner set mapreduce.job.acl-view-job"},
	{status: 3, isProxied: true, hint: "the application's master has ended or is not up yet"},
	{status: 404, isProxied: true, text: "Not current Dag", hint: "the application's master runs another DAG, or none yet"},
	{status: 404, isProxied: true, hint: "the ResourceManager does not know the application any more, or never did"},
	{status: 5, isProxied: true, hint: "the proxy cannot reach the application's master: it is starting, ending or lost"},
	{status: 307, isStandby: true, hint: "this ResourceManager is on standby and knows of no active one"},
	{status: 404, hint: "unknown here: a wrong id, one that has been forgotten, or not a Hadoop service"},
}

const noActive = "this ResourceManager is on standby and knows of no active one: wait until one is active, or give the addresses of all of them to --rm"

// adviseRefusal completes the error of a response that cannot be used. A response of a standby with a redirect is not
// the standby's refusal, and advice that is there is kept.
func adviseRefusal(e *rest.Error) {
	isProxied := strings.Contains(e.URL, "/proxy/")
	for _, r := range refusals {
		isStatus := r.status == 0 || r.status == e.Status || r.status == e.Status/100
		if !isStatus || r.isProxied && !isProxied || !strings.Contains(e.Text, r.text) ||
			r.isStandby && e.Location != "" || !r.isStandby && e.Hint != "" {
			continue
		}
		e.Standby, e.Hint = r.isStandby, r.hint
		return
	}
}
