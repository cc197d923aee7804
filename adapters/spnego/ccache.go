package spnego

import (
	"errors"
	"strings"
	"time"
)

const flagRenewable = 0x00800000

// readCache reads a ticket cache file, version 3 or 4. It returns its principal and the ticket-granting ticket of the
// principal's own realm; if there are several, the one that ends last.
// https://web.mit.edu/kerberos/krb5-latest/doc/formats/ccache_file_format.html
func readCache(file string) (who principal, tgt *ticket, err error) {
	b, err := readFile(file)
	if err == nil {
		who, tgt, err = parseCache(b)
	}
	hint := "kinit makes one, klist -c " + file + " shows it; or give --keytab FILE --principal NAME"
	switch {
	case err != nil:
		err = &Error{Text: "the ticket cache " + file + " cannot be read: " + why(err), Hint: hint, Err: err}
	case tgt == nil:
		err = &Error{Text: "the ticket cache " + file + ": no ticket-granting ticket", Hint: hint}
	}
	return who, tgt, err
}

func parseCache(b []byte) (who principal, tgt *ticket, err error) {
	defer guard(&err, errCutOff)
	if len(b) < 2 || b[0] != 5 || b[1] != 3 && b[1] != 4 {
		return who, nil, errors.New("it is not a ticket cache of version 3 or 4")
	}
	c := cursor{b: b[2:]}
	if b[1] == 4 {
		c.counted(2) // tags: the offset of the KDC's clock
	}
	c.uint(4) // the name's type
	who = c.principal(4)
	for len(c.b) > 0 && !c.cut {
		server, raw, t := cachedTicket(&c, b[1])
		// Settings of the cache are stored as credentials too.
		if server.String() != "krbtgt/"+who.realm+"@"+who.realm || tgt != nil && tgt.end.After(t.end) {
			continue
		}
		if t.Unmarshal(raw) != nil {
			return who, nil, errCutOff
		}
		tgt = t
	}
	if c.cut || !who.valid() {
		return who, nil, errCutOff
	}
	return who, tgt, nil
}

func cachedTicket(c *cursor, version byte) (server principal, raw []byte, t *ticket) {
	at := func() time.Time {
		if s := c.uint(4); s != 0 {
			return time.Unix(int64(s), 0)
		}
		return time.Time{}
	}
	c.uint(4) // the type of the client's name
	c.principal(4)
	c.uint(4)
	server, t = c.principal(4), &ticket{}
	t.key.KeyType = int32(c.uint(2))
	if version == 3 {
		c.uint(2) // it is there twice
	}
	t.key.KeyValue = c.counted(4)
	authenticated := at()
	t.start, t.end, t.renewTill = at(), at(), at()
	if t.start.IsZero() {
		t.start = authenticated
	}
	c.uint(1) // whether the key is another ticket's
	if c.uint(4)&flagRenewable == 0 {
		t.renewTill = time.Time{}
	}
	for range 2 { // addresses, authorization data
		for n := c.uint(4); n > 0 && !c.cut; n-- {
			c.uint(2)
			c.counted(4)
		}
	}
	raw = c.counted(4)
	c.counted(4) // a second ticket
	return server, raw, t
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
	return "", hinted("kinit -c FILE:"+file+", and set KRB5CCNAME=FILE:"+file+"; or give --keytab FILE --principal NAME",
		"the ticket cache %s cannot be read: it is of the kind %s, and only files can be", name, kind)
}
