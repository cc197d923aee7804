package command

import (
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"
)

func TestProgress(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	at := time.Unix(1000, 0)
	p := progressOn(&out, func() time.Time { return at })
	show := func(after time.Duration, line string) {
		at = at.Add(after)
		p.Show(func() string { return line })
	}
	show(900*time.Millisecond, "too early")
	p.Done()
	show(200*time.Millisecond, "one")
	show(100*time.Millisecond, "too soon")
	show(200*time.Millisecond, "two\x1b[31m")
	p.Done()
	p.Done()
	if want := "\r\x1b[Kone\r\x1b[Ktwo\\x1b[31m\r\x1b[K"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// Nothing is shown in a pipe.
func TestNoProgressInPipes(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	app := cli.NewApp()
	app.ErrWriter = &out
	p := NewProgress(cli.NewContext(app, nil, nil))
	p.Show(func() string { return "x" })
	p.Done()
	if p != nil || out.Len() > 0 {
		t.Errorf("%v, %q", p, out.String())
	}
}
