// Package spnego authenticates requests to servers that require Kerberos: HTTP's Negotiate (RFC 4559) with SPNEGO
// (RFC 4178), as Hadoop's web services implement it.
//
// A Login is the user: a principal with a keytab, or the one of a ticket cache in a file. Its Layer wraps a
// transport. It sends a ticket to a server only after that server has responded with 401 and Negotiate, once. Then
// it sends the cookie hadoop.auth that the server signed, until the server refuses it. Credentials are never
// delegated. Tickets, keys and cookies appear in no error.
//
// gokrb5 encodes and decrypts the messages of Kerberos (RFC 4120), and reads keytabs. This package reads the other
// files of users and sends the requests to KDCs itself, since gokrb5 (v8.4.4):
//   - follows no include of krb5.conf, and panics at realms in one line ("A = { kdc = a }");
//   - panics at a ticket cache that is cut off, or allocates as much memory as it claims;
//   - puts bytes of a keytab that is cut off, keys among them, in its error;
//   - turns a KDC's refusal into text and loses its code, which decides the hint (its krberror has no Unwrap);
//   - cannot be interrupted, and allocates as much memory as a response's first four bytes claim.
package spnego

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jcmturner/gokrb5/v8/iana/errorcode"
	"github.com/jcmturner/gokrb5/v8/messages"

	"github.com/paratimer/paratimer/units"
)

// Options select the principal. The zero value uses the ticket cache that kinit has made, and krb5.conf.
type Options struct {
	Keytab    string // file, perhaps with FILE: before it; "" uses the environment's if there is no ticket cache
	Principal string // NAME[/HOST][@REALM]; "" is the only one of the keytab, or the ticket cache's
	Getenv    func(string) string
	Clock     func() time.Time // nil: time.Now. Messages to the KDC always have the machine's time
	// Log, if set, receives what was obtained and where it was used, without any secret.
	Log func(event string)
}

// A Login is a principal with its credentials. It sends no request until it is needed. Several goroutines may use
// it.
type Login struct {
	opt  Options
	used atomic.Bool

	mu       sync.Mutex // its holder reads files and queries KDCs
	conf     *conf
	source   string // file of the keytab or the cache
	cached   bool   // from a ticket cache
	who      principal
	keys     []keyEntry
	tgt      *ticket
	services map[string]*ticket // by host
	refused  error              // why the keys are not tried again before retry
	retry    time.Time
}

// again is how long a key that the KDC has refused is not retried.
const again = 5 * time.Minute

// New returns a login. It reads nothing yet: errors come with the first request to a server that requires the
// login.
func New(o Options) *Login {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	return &Login{opt: o, services: map[string]*ticket{}}
}

// Check logs in if that was not done yet, and describes the principal, the source of its credentials, and their expiry.
func (l *Login) Check(ctx context.Context) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.ready(ctx); err != nil {
		return "", err
	}
	kind := "keytab"
	if l.cached {
		kind = "ticket cache"
	}
	text := fmt.Sprintf("Kerberos, as %s by the %s %s, until %s", l.who, kind, l.source, utc(l.tgt.end))
	if !l.cached || l.tgt.renewTill.After(l.tgt.end) {
		text += ", then by a new ticket"
	}
	return text, nil
}

// Name returns the principal as far as files contain it, without a request to a KDC: alice@EXAMPLE.COM; "" if
// unknown.
func (l *Login) Name() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.identify(); err != nil && len(l.who.parts) == 0 {
		return l.opt.Principal
	}
	return l.who.String()
}

// Used reports whether a server has required a ticket.
func (l *Login) Used() bool { return l.used.Load() }

// ready makes sure that there is a ticket-granting ticket that has not ended.
func (l *Login) ready(ctx context.Context) error {
	if err := l.identify(); err != nil {
		return err
	}
	now := l.opt.Clock()
	switch {
	case l.tgt.fresh(now):
		return nil
	case l.cached:
		return l.renew(ctx, now)
	case l.refused != nil && now.Before(l.retry):
		return l.refused
	}
	t, err := l.conf.authenticate(ctx, l.who, l.keys, l.source)
	if errors.Is(err, errAgain) {
		l.refused, l.retry = err, now.Add(again)
	}
	if err != nil {
		return err
	}
	l.tgt, l.refused = t, nil
	l.opt.Log(fmt.Sprintf("ticket of %s until %s", l.who, utc(t.end)))
	return nil
}

// renew renews the ticket of a cache if the KDC allows that. It never writes the cache's file.
func (l *Login) renew(ctx context.Context, now time.Time) error {
	if now.Before(l.tgt.end) && l.tgt.renewTill.After(l.tgt.end) {
		t, err := l.conf.grant(ctx, l.who, l.tgt, l.who.realm, tgs(l.who.realm), true)
		if err == nil {
			l.tgt = t
			l.opt.Log(fmt.Sprintf("ticket of %s renewed until %s", l.who, utc(t.end)))
		} else if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if !now.Before(l.tgt.end) {
		return hinted(kinit, "the ticket of %s ended at %s", l.who, utc(l.tgt.end))
	}
	return nil
}

// identify reads krb5.conf and chooses the keytab or ticket cache, once. It reads the principal, and its keys or
// ticket, whenever they are needed: kinit, k5start and others rewrite the file.
func (l *Login) identify() (err error) {
	if l.conf == nil {
		if l.conf, err = loadConf(l.opt.Getenv); err != nil {
			return err
		}
	}
	if l.source == "" {
		if err := l.choose(); err != nil {
			return err
		}
	}
	var who principal
	var tgt *ticket
	var keys []keyEntry
	switch asked := parsePrincipal(l.opt.Principal); {
	case !l.cached && l.tgt.fresh(l.opt.Clock()):
		return nil
	case !l.cached:
		who, keys, err = readKeytab(l.source, l.opt.Principal, l.conf.realm)
	default:
		who, tgt, err = readCache(l.source)
		if err == nil && l.opt.Principal != "" && !who.is(asked) {
			err = hinted("kinit "+asked.String()+", or give --keytab FILE",
				"the ticket cache %s is of %s, not of %s", l.source, who, asked)
		}
	}
	if err != nil {
		return err
	}
	if who.String() != l.who.String() { // otherwise tickets are valid until they end
		l.who, l.tgt, l.services = who, nil, map[string]*ticket{}
	}
	if tgt != nil && (l.tgt == nil || tgt.end.After(l.tgt.end)) {
		l.tgt = tgt
	}
	if !reflect.DeepEqual(keys, l.keys) {
		l.keys, l.refused = keys, nil
	}
	return nil
}

// choose selects the keytab or the ticket cache.
func (l *Login) choose() error {
	uid := strconv.Itoa(os.Getuid())
	name := cmp.Or(l.opt.Getenv("KRB5CCNAME"), l.conf.cacheName, "FILE:/tmp/krb5cc_%{uid}")
	file, unusable := cacheFile(expand(name, l.opt.Getenv), uid)
	hasCache := unusable == nil && exists(file)
	keytab := l.opt.Keytab
	if l.opt.Principal != "" || !hasCache {
		keytab = cmp.Or(keytab, l.opt.Getenv("KRB5_CLIENT_KTNAME"), l.opt.Getenv("KRB5_KTNAME"), l.conf.keytab)
	}
	switch {
	case keytab != "":
		l.source = expand(strings.TrimPrefix(strings.TrimPrefix(keytab, "FILE:"), "WRFILE:"), l.opt.Getenv)
	case hasCache:
		l.source, l.cached = file, true
	case unusable != nil:
		return unusable
	default:
		return hinted(kinit, "Kerberos is required, and there is no ticket: no ticket cache %s", file)
	}
	return nil
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// utc formats a time in UTC, as in logs.
func utc(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// ticketFor returns a ticket to HTTP on host, and the ticket's principal. If the KDC gives no new ticket, the
// current one is used until its end.
func (l *Login) ticketFor(ctx context.Context, host string) (*ticket, principal, error) {
	l.used.Store(true)
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.ready(ctx)
	if err == nil && !l.services[host].fresh(l.opt.Clock()) {
		var t *ticket
		if t, err = l.conf.service(ctx, l.who, l.tgt, host); err == nil {
			l.services[host] = t
			l.opt.Log(fmt.Sprintf("ticket of %s to %s until %s", l.who, strings.Join(t.SName.NameString, "/"), utc(t.end)))
		}
	}
	if t := l.services[host]; t != nil && (err == nil || l.opt.Clock().Before(t.end)) {
		return t, l.who, nil
	}
	return nil, principal{}, err
}

// drop drops the ticket to a service that refused it: the service's key may have changed.
func (l *Login) drop(host string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.services, host)
}

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
		e.Text = fmt.Sprintf("the KDC has no principal %s", who)
		e.Hint = "is the name spelt right, the realm too (it is mostly in capitals)?"
	case errorcode.KDC_ERR_S_PRINCIPAL_UNKNOWN:
		e.Text = fmt.Sprintf("the KDC has no service %s", service)
		e.Hint = "give the service's address by the host name in its keytab, not by another name or a number"
	case errorcode.KDC_ERR_PREAUTH_FAILED, errorcode.KRB_AP_ERR_BAD_INTEGRITY:
		return wrongKey(who, file)
	case errorcode.KRB_AP_ERR_SKEW, errorcode.KRB_AP_ERR_TKT_NYV:
		e.Text = "the clocks differ too much for Kerberos: " + skew(refused.STime, time.Now(), "the KDC's")
		e.Hint = "correct the clocks (chronyc tracking, timedatectl): Kerberos accepts a difference of five minutes"
	case errorcode.KRB_AP_ERR_TKT_EXPIRED:
		e.Text = fmt.Sprintf("the ticket of %s has expired", who)
		e.Hint = kinit
	case errorcode.KDC_ERR_CLIENT_REVOKED, errorcode.KDC_ERR_KEY_EXPIRED, errorcode.KDC_ERR_NAME_EXP:
		e.Text = fmt.Sprintf("the account of %s is locked or has expired", who)
		e.Hint = "contact the administrators of the KDC"
	case errorcode.KDC_ERR_ETYPE_NOSUPP:
		e.Text = fmt.Sprintf("the KDC has no key of a kind that is permitted here, for %s", cmp.Or(service, who.String()))
		e.Hint = "see permitted_enctypes in krb5.conf; AES is supported, RC4 and triple DES where they are named"
	}
	return e
}

func wrongKey(who principal, file string) error {
	e := hinted("it was changed since, perhaps by another keytab: get a new keytab",
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
