package spnego

import (
	"strings"

	"github.com/jcmturner/gokrb5/v8/iana/nametype"
	"github.com/jcmturner/gokrb5/v8/types"
)

// A principal is who somebody is to Kerberos: alice@EXAMPLE.COM, HTTP/host@EXAMPLE.COM.
type principal struct {
	parts []string
	realm string
}

// parsePrincipal reads a name as kinit takes it; a backslash quotes. The realm is "" where none is given.
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

// is says whether p is asked for by other, which may leave the realm open.
func (p principal) is(other principal) bool {
	return strings.Join(p.parts, "/") == strings.Join(other.parts, "/") && (other.realm == "" || p.realm == other.realm)
}
