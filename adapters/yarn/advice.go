package yarn

import (
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
			e.Follow(refusals, r)
		}
	}
}

// refusals are in the order in which they are tried.
var refusals = []rest.Rule{
	// A ResourceManager on standby says so, as RMWebAppFilter does beside its redirect. A gateway that follows the
	// redirect may leave nothing but the words. If it has stopped looking for the active one, its status is 200.
	{Text: "This is standby RM", Standby: true, Hint: "this ResourceManager is on standby: --rm takes the addresses of all of them"},
	{Text: "There is no active RM", Standby: true, Hint: noActive},
	{Text: " find any active RM", Standby: true, Hint: noActive},
	{Status: 200, URL: "/proxy/", Text: "WARNING: The following page may not be safe", Hint: "the proxy warns whoever the application does not belong to, and does not take that we agree: ask as its owner (--user, --principal)"},
	{Status: 401, Hint: "this user may not look at the job: give another --user, or have the job's owner set mapreduce.job.acl-view-job"},
	{Status: 3, URL: "/proxy/", Hint: "the application's master has ended or is not up yet"},
	{Status: 404, URL: "/proxy/", Text: "Not current Dag", Hint: "the application's master runs another DAG, or none yet"},
	{Status: 404, URL: "/proxy/", Hint: "the ResourceManager does not know the application any more, or never did"},
	{Status: 5, URL: "/proxy/", Hint: "the proxy cannot reach the application's master: it is starting, ending or lost"},
	{Status: 307, Standby: true, Hint: "this ResourceManager is on standby and knows of no active one"},
	{Status: 404, Hint: "unknown here: a wrong id, one that has been forgotten, or not a Hadoop service"},
}

const noActive = "this ResourceManager is on standby and knows of no active one: wait until one is active, or give the addresses of all of them to --rm"
