package input

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	disk := errors.New("the disk is gone")
	in := bufio.NewReaderSize(io.MultiReader(strings.NewReader("a\n\n"+long+"\nb\nrest"), iotest.ErrReader(disk)), 16)
	for _, want := range []string{"a", "", long, "b"} {
		if l, err := Line(in, 1<<20+1); string(l) != want || err != nil {
			t.Errorf("%d bytes, %v", len(l), err)
		}
	}
	if l, err := Line(in, 10); string(l) != "rest" || !errors.Is(err, disk) {
		t.Errorf("%q, %v", l, err)
	}
	in.Reset(strings.NewReader("half"))
	if l, err := Line(in, 10); string(l) != "half" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q, %v", l, err)
	}
	if l, err := Line(in, 10); l != nil || !errors.Is(err, io.EOF) {
		t.Errorf("%q, %v", l, err)
	}
	in.Reset(strings.NewReader(long))
	if _, err := Line(in, 1<<10); !errors.Is(err, ErrLong) {
		t.Error(err)
	}
}
