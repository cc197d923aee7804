package spnego

import (
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jcmturner/gokrb5/v8/iana/nametype"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/jcmturner/gokrb5/v8/types"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/units"
)

// A principal is an identity in Kerberos: alice@EXAMPLE.COM, HTTP/host@EXAMPLE.COM.
type principal struct {
	parts []string
	realm string
}

// parsePrincipal parses a name. The realm is "" if there is none.
func parsePrincipal(name string) principal {
	name, realm, _ := strings.Cut(name, "@")
	return principal{strings.Split(name, "/"), realm}
}

func (p principal) String() string {
	s := strings.Join(p.parts, "/")
	if p.realm != "" {
		s += "@" + p.realm
	}
	return s
}

func (p principal) name() types.PrincipalName {
	return types.PrincipalName{NameType: nametype.KRB_NT_PRINCIPAL, NameString: p.parts}
}

func (p principal) valid() bool { return len(p.parts) > 0 && !slices.Contains(p.parts, "") }

// is reports whether p matches other, which may lack the realm.
func (p principal) is(other principal) bool {
	return slices.Equal(p.parts, other.parts) && (other.realm == "" || p.realm == other.realm)
}

// maxFile bounds keytabs, ticket caches and configuration files, in bytes.
const maxFile = 4 << 20

// readFile reads a whole file of at most maxFile bytes.
func readFile(name string) ([]byte, error) { return infile.ReadRegular(name, maxFile) }

// why returns the text of an error without the file's name.
func why(err error) string {
	if path, ok := errors.AsType[*os.PathError](err); ok {
		return path.Err.Error()
	}
	return err.Error()
}

// errCutOff means that a file ends in the middle of something.
var errCutOff = errors.New("it is cut off or damaged")

// A cursor reads keytabs and ticket caches. After it has run out of bytes it reads zeros, and cut is true.
type cursor struct {
	b   []byte
	cut bool
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

// uint returns a number of n bytes.
func (c *cursor) uint(n int) (v int) {
	for _, b := range c.bytes(n) {
		v = v<<8 | int(b)
	}
	return v
}

// counted returns a copy of the bytes that follow their number, which has n bytes.
func (c *cursor) counted(n int) []byte { return slices.Clone(c.bytes(c.uint(n))) }

// principal reads a principal whose numbers have n bytes.
func (c *cursor) principal(n int) (p principal) {
	parts := c.uint(n)
	p.realm = string(c.counted(n))
	for i := 0; i < parts && !c.cut; i++ {
		p.parts = append(p.parts, string(c.counted(n)))
	}
	return p
}

// A keyEntry is one key of a keytab.
type keyEntry struct {
	who     principal
	version int // kvno
	key     types.EncryptionKey
}

// readKeytab reads the principal with a name, and its keys, from a keytab file in the format of MIT Kerberos,
// version 2. The arguments and results are those of keysOf.
func readKeytab(file, name, realm string) (principal, []keyEntry, error) {
	b, err := readFile(file)
	var keys []keyEntry
	if err == nil {
		keys, err = parseKeytab(b)
	}
	if err != nil {
		return principal{}, nil, &Error{
			Text: "the keytab " + file + " cannot be read: " + why(err), Err: err,
			Hint: "klist -k " + file + " shows what is in a keytab; it must be readable for the user who runs this",
		}
	}
	return keysOf(keys, file, name, realm)
}

func parseKeytab(b []byte) (keys []keyEntry, err error) {
	defer guard(&err, errCutOff)
	if len(b) < 2 || b[0] != 5 || b[1] != 2 {
		return nil, errors.New("it is not a keytab of version 2")
	}
	var file keytab.Keytab
	if file.Unmarshal(b) != nil {
		return nil, errCutOff // its error may quote keys
	}
	for _, e := range file.Entries {
		k := keyEntry{principal{e.Principal.Components, e.Principal.Realm}, int(e.KVNO), e.Key}
		if !k.who.valid() {
			return nil, errCutOff
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// keysOf returns the principal with a name, which may lack the realm or be "", and this principal's keys, the
// newest first.
func keysOf(keys []keyEntry, file, name, realm string) (principal, []keyEntry, error) {
	all := input.Unique(units.Each(keys, func(k keyEntry) string { return k.who.String() }))
	held := "in it are " + input.OneLine(strings.Join(all, ", "), 200)
	if len(all) == 0 {
		held = "it is empty"
	}
	if name == "" {
		if len(all) != 1 {
			return principal{}, nil, hinted("give --principal; "+held, "whose keys of the keytab %s?", file)
		}
		name = all[0]
	}
	asked := parsePrincipal(name)
	if !asked.valid() {
		return asked, nil, hinted("it is NAME, NAME/HOST or NAME/HOST@REALM", "%q is not a principal", name)
	}
	keys = slices.DeleteFunc(slices.Clone(keys), func(k keyEntry) bool { return !k.who.is(asked) })
	if len(keys) == 0 {
		return asked, nil, hinted(held, "the keytab %s has no key of %s", file, asked)
	}
	who := keys[0].who
	own := principal{asked.parts, realm}
	if slices.ContainsFunc(keys, func(k keyEntry) bool { return k.who.is(own) }) {
		who = own // if the name has no realm, the default realm comes before others
	}
	keys = slices.DeleteFunc(keys, func(k keyEntry) bool { return !k.who.is(who) })
	slices.SortStableFunc(keys, func(a, b keyEntry) int { return b.version - a.version })
	return who, keys, nil
}

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
