package spnego

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/jcmturner/gokrb5/v8/iana/nametype"
	"github.com/jcmturner/gokrb5/v8/types"
)

// maxFile bounds keytabs, ticket caches and configuration files, in bytes.
const maxFile = 4 << 20

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
	for c := (cursor{b: b[2:], order: binary.BigEndian}); len(c.b) >= 4; {
		size := int(int32(c.u32()))
		if size == 0 {
			break
		}
		if size < 0 { // a hole in place of a deleted entry
			c.bytes(-size)
			if c.cut {
				return nil, errCutOff
			}
			continue
		}
		e := cursor{b: c.bytes(size), order: binary.BigEndian}
		k, ok := parseKey(&e)
		if c.cut || !ok {
			return nil, errCutOff
		}
		keys = append(keys, k)
	}
	return keys, nil
}

func parseKey(e *cursor) (k keyEntry, ok bool) {
	n := e.u16()
	k.who.realm = string(e.bytes(e.u16()))
	for i := 0; i < n && !e.cut; i++ {
		k.who.parts = append(k.who.parts, string(e.bytes(e.u16())))
	}
	e.u32() // the name's type
	e.u32() // when it was written
	k.version = e.u8()
	k.key.KeyType = int32(e.u16())
	k.key.KeyValue = slices.Clone(e.bytes(e.u16()))
	if len(e.b) >= 4 { // a 32-bit version overrides the 8-bit one
		if v := e.u32(); v != 0 {
			k.version = int(v)
		}
	}
	return k, !e.cut && k.who.valid()
}

// principals lists the principals in a keytab, sorted, each once.
func principals(keys []keyEntry) []string {
	var out []string
	for _, k := range keys {
		if s := k.who.String(); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out
}

// keysOf returns the principal with a name, which may lack the realm or be "", and this principal's keys, the
// newest first.
func keysOf(keys []keyEntry, file, name, realm string) (principal, []keyEntry, error) {
	all := principals(keys)
	held := "in it are " + list(all)
	if len(all) == 0 {
		held = "it is empty"
	}
	if name == "" {
		if len(all) != 1 {
			return principal{}, nil, &Error{Text: "whose keys of the keytab " + file + "?", Hint: "give --principal; " +
				held}
		}
		name = all[0]
	}
	asked := parsePrincipal(name)
	if !asked.valid() {
		return asked, nil, &Error{
			Text: fmt.Sprintf("%q is not a principal", name),
			Hint: "it is NAME, NAME/HOST or NAME/HOST@REALM",
		}
	}
	var found []keyEntry
	for _, k := range keys {
		if k.who.is(asked) && (len(found) == 0 || k.who.realm == found[0].who.realm) {
			found = append(found, k)
		}
	}
	// If the name has no realm, the default realm comes before others.
	for _, k := range keys {
		if asked.realm == "" && k.who.is(principal{asked.parts, realm}) && len(found) > 0 &&
			found[0].who.realm != realm {
			return keysOf(keys, file, name+"@"+realm, realm)
		}
	}
	if len(found) == 0 {
		return asked, nil, &Error{Text: "the keytab " + file + " has no key of " + asked.String(), Hint: held}
	}
	slices.SortStableFunc(found, func(a, b keyEntry) int { return b.version - a.version })
	return found[0].who, found, nil
}

// list names the first few.
func list(names []string) string {
	const most = 8
	if n := len(names) - most; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n)
	}
	return strings.Join(names, ", ")
}

// readFile reads a whole file of at most maxFile bytes.
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(b) > maxFile {
		err = fmt.Errorf("it is longer than %d MiB", maxFile>>20)
	}
	return b, err
}

// why returns the text of an error without the file's name.
func why(err error) string {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// A principal is an identity in Kerberos: alice@EXAMPLE.COM, HTTP/host@EXAMPLE.COM.
type principal struct {
	parts []string
	realm string
}

// parsePrincipal parses a name as kinit does; a backslash quotes. The realm is "" if there is none.
func parsePrincipal(name string) (p principal) {
	var b strings.Builder
	inRealm, quoted := false, false
	for _, r := range name {
		switch {
		case quoted:
			b.WriteRune(r)
			quoted = false
		case r == '\\':
			quoted = true
		case r == '/' && !inRealm:
			p.parts = append(p.parts, b.String())
			b.Reset()
		case r == '@' && !inRealm:
			p.parts = append(p.parts, b.String())
			b.Reset()
			inRealm = true
		default:
			b.WriteRune(r)
		}
	}
	if inRealm {
		p.realm = b.String()
	} else {
		p.parts = append(p.parts, b.String())
	}
	return p
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

func (p principal) valid() bool {
	for _, part := range p.parts {
		if part == "" {
			return false
		}
	}
	return len(p.parts) > 0
}

// is reports whether p matches other, which may lack the realm.
func (p principal) is(other principal) bool {
	return strings.Join(p.parts, "/") == strings.Join(other.parts, "/") && (other.realm == "" || p.realm == other.realm)
}
