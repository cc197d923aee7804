package spnego

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
)

// A credential is a ticket as the KDC sent it, with its session key.
type credential struct {
	client, server principal
	key            types.EncryptionKey
	start, end     time.Time
	renewTill      time.Time // zero: it cannot be renewed
	ticket         []byte
}

const flagRenewable = 0x00800000

// readCache reads a ticket cache file, version 3 or 4, and returns its principal and its credentials.
// https://web.mit.edu/kerberos/krb5-latest/doc/formats/ccache_file_format.html
func readCache(file string) (principal, []credential, error) {
	b, err := readFile(file)
	if err == nil {
		var who principal
		var all []credential
		if who, all, err = parseCache(b); err == nil {
			return who, all, nil
		}
	}
	return principal{}, nil, &Error{
		Text: "the ticket cache " + file + " cannot be read: " + why(err),
		Hint: "kinit makes one, klist -c " + file + " shows it; or give --keytab FILE --principal NAME", Err: err,
	}
}

func parseCache(b []byte) (who principal, all []credential, err error) {
	if len(b) < 2 || b[0] != 5 || b[1] != 3 && b[1] != 4 {
		return who, nil, errors.New("it is not a ticket cache of version 3 or 4")
	}
	c := cursor{b: b[2:], order: binary.BigEndian}
	if b[1] == 4 {
		c.bytes(c.u16()) // tags: the offset of the KDC's clock
	}
	who = cachePrincipal(&c)
	for len(c.b) > 0 && !c.cut {
		one := cacheCredential(&c, b[1])
		if !c.cut && one.server.realm != "X-CACHECONF:" { // settings of the cache are stored as credentials
			all = append(all, one)
		}
	}
	if c.cut || !who.valid() {
		return who, nil, errCutOff
	}
	return who, all, nil
}

func cachePrincipal(c *cursor) (p principal) {
	c.u32() // the name's type
	n := c.u32()
	p.realm = string(c.counted())
	for i := uint32(0); i < n && !c.cut; i++ {
		p.parts = append(p.parts, string(c.counted()))
	}
	return p
}

func cacheCredential(c *cursor, version byte) (one credential) {
	at := func() time.Time {
		if s := c.u32(); s != 0 {
			return time.Unix(int64(s), 0)
		}
		return time.Time{}
	}
	one.client, one.server = cachePrincipal(c), cachePrincipal(c)
	one.key.KeyType = int32(c.u16())
	if version == 3 {
		c.u16() // it is there twice
	}
	one.key.KeyValue = slices.Clone(c.counted())
	authenticated := at()
	one.start, one.end, one.renewTill = at(), at(), at()
	if one.start.IsZero() {
		one.start = authenticated
	}
	c.u8() // whether the key is another ticket's
	if c.u32()&flagRenewable == 0 {
		one.renewTill = time.Time{}
	}
	for range 2 { // addresses, authorization data
		for n := c.u32(); n > 0 && !c.cut; n-- {
			c.u16()
			c.counted()
		}
	}
	one.ticket = slices.Clone(c.counted())
	c.counted() // a second ticket
	return one
}

// cacheFile returns the file of a ticket cache by the cache's name. Other kinds of caches are an error.
func cacheFile(name, uid string) (string, error) {
	kind, rest, typed := strings.Cut(name, ":")
	switch {
	case !typed || strings.Contains(kind, "/"):
		return name, nil
	case kind == "FILE" || kind == "WRFILE":
		return rest, nil
	}
	file := "/tmp/krb5cc_" + uid
	return "", &Error{
		Text: fmt.Sprintf("the ticket cache %s cannot be read: it is of the kind %s, and only files can be", name,
			kind),
		Hint: fmt.Sprintf("kinit -c FILE:%s, and set KRB5CCNAME=FILE:%s; or give --keytab FILE --principal NAME", file,
			file),
	}
}

// fromCache reads the ticket-granting ticket from the cache's file, which kinit, k5start and others rewrite, and
// renews it if the KDC allows that. It never writes the file.
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

// utc formats a time in UTC, as in logs.
func utc(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// granting returns the ticket-granting ticket of the principal's own realm; if there are several, the one that ends
// last.
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

// errCutOff means that a file ends in the middle of something.
var errCutOff = errors.New("it is cut off or damaged")

// A cursor reads the binary formats of MIT Kerberos. After it has run out of bytes it reads zeros, and cut is true.
type cursor struct {
	b     []byte
	order binary.ByteOrder
	cut   bool
}

// bytes returns the next n bytes, shared with the file.
func (c *cursor) bytes(n int) []byte {
	if n < 0 || n > len(c.b) {
		c.cut, c.b = true, nil
		return nil
	}
	out := c.b[:n:n]
	c.b = c.b[n:]
	return out
}

func (c *cursor) u8() int {
	if b := c.bytes(1); b != nil {
		return int(b[0])
	}
	return 0
}

func (c *cursor) u16() int {
	if b := c.bytes(2); b != nil {
		return int(c.order.Uint16(b))
	}
	return 0
}

func (c *cursor) u32() uint32 {
	if b := c.bytes(4); b != nil {
		return c.order.Uint32(b)
	}
	return 0
}

// counted returns the bytes that follow a 32-bit length.
func (c *cursor) counted() []byte { return c.bytes(int(c.u32())) }
