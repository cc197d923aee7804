package spnego

import (
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/credentials"
	"github.com/jcmturner/gokrb5/v8/gssapi"
	"github.com/jcmturner/gokrb5/v8/spnego"
	"github.com/paratimer/paratimer/units"
)

// token returns the token for a request's Authorization header: a ticket to HTTP on its host, with a new
// authenticator. Nothing is delegated.
func (l *layer) token(r *http.Request) (text string, err error) {
	t, who, err := l.login.ticketFor(r.Context(), strings.ToLower(r.URL.Hostname()))
	if err != nil {
		return "", err
	}
	defer func() {
		if recover() != nil {
			err = &Error{
				Text: "the ticket of " + who.String() + " cannot be used",
				Hint: "kinit, or get the keytab anew",
			}
		}
	}()
	asks := &client.Client{Credentials: credentials.NewFromPrincipalName(who.name(), who.realm)}
	krb5, err := spnego.NewKRB5TokenAPREQ(asks, t.Ticket, t.key, []int{gssapi.ContextFlagInteg, gssapi.ContextFlagConf},
		nil)
	if err != nil {
		return "", fmt.Errorf("the ticket of %s cannot be used", who) // the cause may quote keys
	}
	inner, err := krb5.Marshal()
	if err != nil {
		return "", fmt.Errorf("the ticket of %s cannot be encoded", who)
	}
	outer, err := (&spnego.SPNEGOToken{Init: true, NegTokenInit: initial(inner)}).Marshal()
	if err != nil {
		return "", fmt.Errorf("the ticket of %s cannot be encoded", who)
	}
	return base64.StdEncoding.EncodeToString(outer), nil
}

func initial(krb5 []byte) (n spnego.NegTokenInit) {
	n.MechTypes = append(n.MechTypes, gssapi.OIDKRB5.OID())
	n.MechTokenBytes = krb5
	return n
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
			e.Hint += "; this machine's is " + offset(l.opt.Clock().Sub(date)) + " the server's"
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

func offset(d time.Duration) string {
	d = d.Round(time.Second)
	if d < 0 {
		return fmt.Sprintf("%s behind", units.Exact(-d))
	}
	return fmt.Sprintf("%s ahead of", units.Exact(d))
}
