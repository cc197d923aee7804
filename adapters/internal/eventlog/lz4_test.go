package eventlog

import (
	"errors"
	"io"
	"testing"
)

// TestLZ4Copies holds that a block that repeats what stands before is unpacked.
func TestLZ4Copies(t *testing.T) {
	t.Parallel()
	got, err := lz4Block([]byte{0x32, 'a', 'b', 'c', 3, 0, 0x10, '!'}, 10)
	if err != nil || string(got) != "abcabcabc!" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := lz4Block([]byte{0x32, 'a', 'b', 'c', 9, 0}, 9); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a copy from before the block: %v", err)
	}
}
