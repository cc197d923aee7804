package live

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

// Serving finds the address of the metrics in a command's output.
var Serving = regexp.MustCompile(`metrics at http://([^/]+)/metrics`)

// Served is a run of the command that serves metrics.
type Served struct {
	Address string
	code    chan int
	out     *Output
}

// ServeFor runs a command in this process, with metrics at a free port, until the test ends.
func ServeFor(t *testing.T, args ...string) *Served {
	t.Helper()
	return ServeAt(t, "127.0.0.1:0", args...)
}

// ServeAt is ServeFor with metrics at an address.
func ServeAt(t *testing.T, address string, args ...string) *Served {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := &Served{code: make(chan int, 1), out: &Output{}}
	args = append([]string{"paratimer"}, append(args, "--metrics", address, "--set", "metrics-linger=10m", "--log-level",
		"info", "--set", "log-format=json")...)
	go func() { s.code <- program.Run(ctx, args, session.Environ(t), strings.NewReader(""), io.Discard, s.out) }()
	t.Cleanup(func() {
		cancel()
		<-s.code
	})
	Eventually(t, strings.Join(args, " "), func() error {
		m := Serving.FindStringSubmatch(s.out.String())
		if m == nil {
			return fmt.Errorf("no address is printed, but %q", s.out)
		}
		s.Address = m[1]
		return nil
	})
	return s
}

// FreeAddress returns an address that was free a moment ago.
func FreeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Fetch returns the body of an address, or an error if its status is not 200.
func Fetch(address string) (string, error) {
	resp, err := http.Get(address)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s", resp.Status)
	}
	return string(b), err
}
