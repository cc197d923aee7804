package spnego

import (
	"errors"
	"slices"
	"strings"

	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/jcmturner/gokrb5/v8/types"

	"github.com/paratimer/paratimer/adapters/internal/input"
)

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
