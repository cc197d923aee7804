package spnego

import (
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"

	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/credentials"
	"github.com/jcmturner/gokrb5/v8/spnego"
)

// token returns the token for a request's Authorization header: a ticket to HTTP on its host, with a new
// authenticator. Nothing is delegated.
func (l *layer) token(r *http.Request) (text string, err error) {
	t, who, err := l.login.ticketFor(r.Context(), strings.ToLower(r.URL.Hostname()))
	if err != nil {
		return "", err
	}
	unusable := hinted("kinit, or get the keytab anew", "the ticket of %s cannot be used", who)
	defer guard(&err, unusable)
	asks := &client.Client{Credentials: credentials.NewFromPrincipalName(who.name(), who.realm)}
	first, err := spnego.NewNegTokenInitKRB5(asks, t.Ticket, t.key)
	if err != nil {
		return "", unusable // the cause may quote keys
	}
	b, err := (&spnego.SPNEGOToken{Init: true, NegTokenInit: first}).Marshal()
	if err != nil {
		return "", unusable
	}
	return base64.StdEncoding.EncodeToString(b), nil
}

var title = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// refusal returns the error for a server that refuses a ticket; page is its response.
func (l *Login) refusal(r *http.Request, resp *http.Response, page []byte) error {
	reason := ""
	if m := title.FindSubmatch(page); m != nil {
		reason = short(html.UnescapeString(string(m[1])))
	}
	e := &Error{Text: fmt.Sprintf("%s refuses the ticket: %d %s", r.URL.Host, resp.StatusCode, reason)}
	switch low := strings.ToLower(reason + " " + string(page)); {
	case strings.Contains(low, "clock skew"):
		e.Hint = "the server's clock and the KDC's differ by more than five minutes"
		if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
			e.Hint += "; " + skew(date, l.opt.Clock(), "the server's")
		}
	case strings.Contains(low, "checksum failed"), strings.Contains(low, "cannot find key"), strings.Contains(low,
		"decrypt"):
		e.Hint = "the server's keytab is not the one that the KDC has: whoever runs it must make it anew, and restart it"
	case strings.Contains(low, "rules applied to"), strings.Contains(low, "no rules"):
		e.Hint = "the server has no rule that makes a user of this principal (hadoop.security.auth_to_local)"
	case resp.StatusCode == http.StatusForbidden:
		e.Hint = "this principal may not use the service"
	default:
		e.Hint = "is the address the one that the server's keytab has, HTTP/" + r.URL.Hostname() + "?"
	}
	return e
}
