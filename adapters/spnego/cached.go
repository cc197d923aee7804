package spnego

import (
	"context"
	"fmt"
	"time"

	"github.com/jcmturner/gokrb5/v8/messages"
)

// fromCache takes the ticket-granting ticket of the cache's file, which kinit, k5start and others write anew, and has
// it renewed where the KDC lets it be. The file is never written.
func (l *Login) fromCache(ctx context.Context) error {
	now := l.opt.Clock()
	if is := stampOf(l.source); l.tgt == nil || is != l.stamp {
		who, all, err := readCache(l.source)
		if err != nil {
			return err
		}
		if asked := parsePrincipal(l.opt.Principal); l.opt.Principal != "" && !who.is(asked) {
			return &Error{
				Text: fmt.Sprintf("the ticket cache %s is of %s, not of %s", l.source, who, asked),
				Hint: "kinit " + asked.String() + ", or give --keytab FILE",
			}
		}
		t, err := granting(who, all)
		if err != nil {
			return &Error{
				Text: "the ticket cache " + l.source + ": " + err.Error(),
				Hint: "kinit, or give --keytab FILE --principal NAME", Err: err,
			}
		}
		l.of(who)
		l.tgt, l.stamp = t, is
	}
	if !l.tgt.fresh(now) && now.Before(l.tgt.end) && l.tgt.renewTill.After(l.tgt.end) {
		t, err := l.conf.grant(ctx, l.who, l.tgt, l.who.realm, tgs(l.who.realm), true)
		if err == nil {
			l.tgt = t
			l.opt.Log(fmt.Sprintf("ticket of %s renewed until %s", l.who, utc(t.end)))
		} else if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if !now.Before(l.tgt.end) {
		return &Error{
			Text: fmt.Sprintf("the ticket of %s ended at %s", l.who, utc(l.tgt.end)),
			Hint: "kinit, or give --keytab FILE --principal NAME",
		}
	}
	return nil
}

// utc is an instant as people are told it: in UTC, as in logs.
func utc(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// granting is the ticket-granting ticket of the principal's own realm; of several the one that ends last.
func granting(who principal, all []credential) (t *ticket, err error) {
	defer unreadable(&err)
	for _, c := range all {
		if c.server.String() != "krbtgt/"+who.realm+"@"+who.realm || t != nil && t.end.After(c.end) {
			continue
		}
		var raw messages.Ticket
		if err := raw.Unmarshal(c.ticket); err != nil {
			return nil, errCutOff
		}
		t = &ticket{Ticket: raw, key: c.key, start: c.start, end: c.end, renewTill: c.renewTill}
	}
	if t == nil {
		return nil, errNoTGT
	}
	return t, nil
}
