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
)

// Options select the principal. The zero value uses the ticket cache that kinit has made, and krb5.conf.
type Options struct {
	Keytab    string // file, perhaps with FILE: before it; "" uses the environment's if there is no ticket cache
	Principal string // NAME[/HOST][@REALM]; "" is the only one of the keytab, or the ticket cache's
	Getenv    func(string) string
	Clock     func() time.Time // nil is time.Now. Messages to the KDC have the machine's time all the same
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
	if err == nil {
		err = l.serve(ctx, host)
	}
	if t := l.services[host]; t != nil && (err == nil || l.opt.Clock().Before(t.end)) {
		return t, l.who, nil
	}
	return nil, principal{}, err
}

// serve makes sure that there is a ticket to HTTP on host that has not ended.
func (l *Login) serve(ctx context.Context, host string) error {
	if l.services[host].fresh(l.opt.Clock()) {
		return nil
	}
	t, err := l.conf.service(ctx, l.who, l.tgt, host)
	if err != nil {
		return err
	}
	l.services[host] = t
	l.opt.Log(fmt.Sprintf("ticket of %s to %s until %s", l.who, strings.Join(t.SName.NameString, "/"), utc(t.end)))
	return nil
}

// drop drops the ticket to a service that refused it: the service's key may have changed.
func (l *Login) drop(host string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.services, host)
}
