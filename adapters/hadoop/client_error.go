package hadoop

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/oneline"
)

// An Error is an answer that cannot be used, or none.
type Error struct {
	URL      string
	Status   int    // 0: there was no answer
	Type     string // Content-Type
	Text     string // first line of what the service said: a RemoteException's message, a page's title
	Hint     string // what to do
	Location string // where a redirect points
	Err      error  // why there was no answer, else nil
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("GET " + e.URL)
	if e.Status != 0 {
		fmt.Fprintf(&b, ": %d %s", e.Status, http.StatusText(e.Status))
	}
	if e.Text != "" {
		b.WriteString(": " + e.Text)
	} else if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	if e.Location != "" {
		b.WriteString(": it points to " + e.Location)
	}
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// brief is an error as a warning tells it: its first line, cut, and whole what to do, which comes after a long address.
func brief(err error) string {
	if e, ok := errors.AsType[*Error](err); ok && e.Hint != "" && len(e.Hint) < 400 {
		if said, ends := strings.CutSuffix(err.Error(), " ("+e.Hint+")"); ends {
			return firstLine(said) + " (" + e.Hint + ")"
		}
	}
	return firstLine(err.Error())
}

// refusal describes an answer that is no JSON with status 200.
func (r *reply) refusal(u *url.URL) *Error {
	e := &Error{
		URL: u.String(), Status: r.status, Type: r.header.Get("Content-Type"),
		Text: said(r.body), Location: oneLine(r.header.Get("Location")),
	}
	e.Hint = e.advice(r.header.Get("WWW-Authenticate"))
	return e
}

// standby says that a ResourceManager calls itself one in words, as RMWebAppFilter does beside its redirect. What follows redirects
// on its behalf, as a gateway may, leaves nothing but the words.
func (e *Error) standby() bool {
	return e.Location == "" && strings.HasPrefix(e.Text, "This is standby RM")
}

// advice says what to do about a refusal that asks for this kind of authentication.
func (e *Error) advice(authenticate string) string {
	proxied := strings.Contains(e.URL, "/proxy/")
	switch {
	case e.standby():
		return "this ResourceManager is on standby: --rm takes the addresses of all of them"
	case e.Status == http.StatusOK && proxied && strings.HasPrefix(e.Text, "WARNING: The following page may not be safe"):
		return "the proxy warns whoever the application does not belong to, and does not take that we agree: ask as its owner (--user, --principal)"
	case e.Status == http.StatusOK:
		return "a web page came instead of JSON: is this the address of the service itself, and not of a login page or another program?"
	case e.Status == http.StatusUnauthorized && strings.Contains(authenticate, "Negotiate"):
		return "the cluster wants Kerberos (SPNEGO)"
	case e.Status == http.StatusUnauthorized && strings.HasPrefix(strings.ToLower(authenticate), "basic"):
		return "it wants a user's password: give --user NAME and --password-file FILE (or PARATIMER_PASSWORD); where they were given, one of them is wrong"
	case e.Status == http.StatusUnauthorized:
		return "this user may not look at the job: give another --user, or have the job's owner set mapreduce.job.acl-view-job"
	case e.Status == http.StatusForbidden && strings.Contains(authenticate, "PseudoAuth"):
		return "the cluster wants to know who asks: give --user"
	case e.Status == http.StatusForbidden:
		return "this user may not look at this: give another --user"
	case e.Status >= 300 && e.Status < 400 && loginPage.MatchString(e.Location):
		return "it points to a login page for browsers: ask a topology of the gateway that takes a password (for Knox: the ShiroProvider), with --user and --password-file"
	case proxied && e.Status >= 300 && e.Status < 400:
		return "the application's master has ended or is not up yet"
	case proxied && e.Status == http.StatusNotFound:
		return "the ResourceManager does not know the application any more, or never did"
	case proxied && e.Status >= 500:
		return "the proxy cannot reach the application's master: it is starting, ending or lost"
	case e.Status == http.StatusTemporaryRedirect && e.Location == "":
		return "this ResourceManager is on standby and knows of no active one"
	case e.Status >= 300 && e.Status < 400:
		return "it points elsewhere: give the address of the service itself"
	case e.Status == http.StatusBadRequest && strings.HasPrefix(e.URL, "http://") && has(e.Text, "HTTP request to an HTTPS server", "HTTP request was sent to HTTPS port"):
		return "it speaks TLS: give the address as https://"
	case e.Status == http.StatusNotFound:
		return "unknown here: a wrong id, one that has been forgotten, or not a Hadoop service"
	case e.Status >= 500:
		return "the service is in trouble: see its log"
	}
	return ""
}

// loginPage is where gateways send people who are not signed in: Knox's single sign-on, and what is usual.
var loginPage = regexp.MustCompile(`(?i)/(knoxsso|websso|idp|login|signin|sso|oauth2?|saml2?)(/|\.|\?|$)`)

var title = regexp.MustCompile(`(?is)<(?:title|h1)[^>]*>(.*?)</(?:title|h1)>`)

// said returns the first line of what an answer says, for people: docs/facts/hadoop.md A2.
func said(body []byte) string {
	var re struct {
		RemoteException struct{ Exception, Message string }
	}
	if json.Unmarshal(body, &re) == nil && re.RemoteException.Message+re.RemoteException.Exception != "" {
		if re.RemoteException.Message == "" {
			return oneLine(re.RemoteException.Exception)
		}
		return oneLine(re.RemoteException.Message)
	}
	if len(body) > 4096 {
		body = body[:4096]
	}
	if m := title.FindSubmatch(body); m != nil {
		return oneLine(html.UnescapeString(string(m[1])))
	}
	if s := strings.TrimSpace(string(body)); !strings.HasPrefix(s, "<") && !strings.HasPrefix(s, "{") {
		return oneLine(s)
	}
	return ""
}

// oneLine is what an error says of what others have said.
func oneLine(s string) string { return oneline.Of(s, 200) }
