package spnego

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/jcmturner/gokrb5/v8/iana/errorcode"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/paratimer/paratimer/units"
)

// explain describes a KDC's refusal. It names the principal, the requested service ("" for the first ticket) and
// the keytab ("" for none).
func explain(err error, who principal, service, file string) error {
	refused, ok := errors.AsType[messages.KRBError](err)
	if !ok {
		return err
	}
	e := &Error{Err: err, Text: "the KDC refuses: " + short(errorcode.Lookup(refused.ErrorCode)+" "+refused.EText)}
	switch refused.ErrorCode {
	case errorcode.KDC_ERR_C_PRINCIPAL_UNKNOWN:
		e.Text = fmt.Sprintf("the KDC does not know %s", who)
		e.Hint = "is the name spelt right, the realm too (it is mostly in capitals)?"
	case errorcode.KDC_ERR_S_PRINCIPAL_UNKNOWN:
		e.Text = fmt.Sprintf("the KDC knows no service %s", service)
		e.Hint = "give the service's address by the host name that it is known by (as in its keytab), not by another name or a number"
	case errorcode.KDC_ERR_PREAUTH_FAILED, errorcode.KRB_AP_ERR_BAD_INTEGRITY:
		return wrongKey(who, file)
	case errorcode.KRB_AP_ERR_SKEW, errorcode.KRB_AP_ERR_TKT_NYV:
		e.Text = "the clocks differ too much for Kerberos: " + skew(refused.STime, time.Now(), "the KDC's")
		e.Hint = "set the clocks right (chronyc tracking, timedatectl); five minutes is what Kerberos bears"
	case errorcode.KRB_AP_ERR_TKT_EXPIRED:
		e.Text = fmt.Sprintf("the ticket of %s has expired", who)
		e.Hint = kinit
	case errorcode.KDC_ERR_CLIENT_REVOKED, errorcode.KDC_ERR_KEY_EXPIRED, errorcode.KDC_ERR_NAME_EXP:
		e.Text = fmt.Sprintf("the account of %s is locked or has expired", who)
		e.Hint = "ask those who run the KDC"
	case errorcode.KDC_ERR_ETYPE_NOSUPP:
		e.Text = fmt.Sprintf("the KDC has no key of a kind that is permitted here, for %s", cmp.Or(service, who.String()))
		e.Hint = "see permitted_enctypes in krb5.conf; AES is supported, RC4 and triple DES where they are named"
	}
	return e
}

func wrongKey(who principal, file string) error {
	e := hinted("it was changed since, perhaps by making another keytab: get the keytab anew",
		"the key of %s in %s is not the one that the KDC has", who, file)
	e.Err = errAgain
	return e
}

// skew returns how far this machine's clock is from another one.
func skew(theirs, ours time.Time, of string) string {
	d := ours.Sub(theirs).Round(time.Second)
	if d < 0 {
		return fmt.Sprintf("this machine's is %s behind %s", units.Exact(-d), of)
	}
	return fmt.Sprintf("this machine's is %s ahead of %s", units.Exact(d), of)
}

// An Error is why a login failed, in words for people.
type Error struct {
	Text string // what happened, where
	Hint string // what to do
	Err  error  // the cause, or nil; its text is not in Text
}

// kinit is the hint if there is no usable ticket.
const kinit = "kinit, or give --keytab FILE --principal NAME"

func hinted(hint, format string, args ...any) *Error {
	return &Error{Text: fmt.Sprintf(format, args...), Hint: hint}
}

func (e *Error) Error() string { return e.Text }
func (e *Error) Unwrap() error { return e.Err }

// Advice returns what to do about it.
func (e *Error) Advice() string { return e.Hint }

// errAgain marks a cause that is not retried for a while: a KDC may lock an account after some wrong keys.
var errAgain = errors.New("asked before")
