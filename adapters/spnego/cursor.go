package spnego

import (
	"encoding/binary"
	"errors"
)

// errCutOff says that a file ends in the middle of something.
var errCutOff = errors.New("it is cut off or damaged")

// A cursor reads the binary formats of MIT Kerberos. After it has run out of bytes all it reads is zero, and cut is
// true.
type cursor struct {
	b     []byte
	order binary.ByteOrder
	cut   bool
}

// bytes returns the next n, shared with the file.
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

// counted returns what a length of 32 bits stands before.
func (c *cursor) counted() []byte { return c.bytes(int(c.u32())) }
