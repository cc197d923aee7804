package command

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/urfave/cli/v2"
)

func TestBusy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		stop := busy(t.Context(), &out, "run\x1b[31m", time.Second)
		time.Sleep(2500 * time.Millisecond)
		stop()
		stop()
		if want := "\r\x1b[Krun\\x1b[31m: 1s\r\x1b[Krun\\x1b[31m: 2s\r\x1b[K"; out.String() != want {
			t.Errorf("%q, want %q", out.String(), want)
		}
		stop = busy(t.Context(), &out, "short", time.Second)
		time.Sleep(900 * time.Millisecond)
		if stop(); strings.Contains(out.String(), "short") {
			t.Errorf("a short wait is shown: %q", out.String())
		}
	})
}

// Nothing is shown in a pipe.
func TestNotBusyInPipes(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	app := cli.NewApp()
	app.ErrWriter = &out
	c := cli.NewContext(app, nil, nil)
	Busy(c, "x")()
	if app.Metadata[busyKey] != nil || out.Len() > 0 {
		t.Errorf("%v, %q", app.Metadata, out.String())
	}
}
