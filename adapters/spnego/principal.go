package spnego

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/jcmturner/gokrb5/v8/iana/nametype"
	"github.com/jcmturner/gokrb5/v8/types"
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
