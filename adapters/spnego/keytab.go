package spnego

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/jcmturner/gokrb5/v8/types"

	"github.com/paratimer/paratimer/adapters/internal/input"
)

// A keyEntry is one key of a keytab.
type keyEntry struct {
	who     principal
	version int // kvno
	key     types.EncryptionKey
}

// readKeytab reads a keytab file in the format of MIT Kerberos, version 2.
// https://web.mit.edu/kerberos/krb5-latest/doc/formats/keytab_file_format.html
func readKeytab(file string) ([]keyEntry, error) {
	b, err := readFile(file)
	if err == nil {
		var keys []keyEntry
		if keys, err = parseKeytab(b); err == nil {
			return keys, nil
		}
	}
	return nil, &Error{Text: "the keytab " + file + " cannot be read: " + why(err), Hint: "klist -k " + file +
		" shows what is in a keytab; it must be readable for the user who runs this", Err: err}
}

func parseKeytab(b []byte) ([]keyEntry, error) {
	if len(b) < 2 || b[0] != 5 || b[1] != 2 {
		return nil, errors.New("it is not a keytab of version 2")
	}
	var keys []keyEntry
	for c := (cursor{b: b[2:]}); len(c.b) >= 4; {
		size := int(int32(c.uint(4)))
		if size == 0 {
			break
		}
		e := cursor{b: c.bytes(max(size, -size))}
		if size > 0 { // else a hole in place of a deleted entry
			k := parseKey(&e)
			e.cut = e.cut || !k.who.valid()
			keys = append(keys, k)
		}
		if c.cut || e.cut {
			return nil, errCutOff
		}
	}
	return keys, nil
}

func parseKey(e *cursor) (k keyEntry) {
	k.who = e.principal(2)
	e.uint(4) // the name's type
	e.uint(4) // when it was written
	k.version = e.uint(1)
	k.key.KeyType = int32(e.uint(2))
	k.key.KeyValue = e.counted(2)
	if len(e.b) >= 4 { // a 32-bit version overrides the 8-bit one
		k.version = cmp.Or(e.uint(4), k.version)
	}
	return k
}

// keysOf returns the principal with a name, which may lack the realm or be "", and this principal's keys, the
// newest first.
func keysOf(keys []keyEntry, file, name, realm string) (principal, []keyEntry, error) {
	var all []string
	for _, k := range keys {
		all = append(all, k.who.String())
	}
	slices.Sort(all)
	all = slices.Compact(all)
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
