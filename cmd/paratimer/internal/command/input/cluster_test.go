package input

import (
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
)

// TestSlow checks that one line names a host whose first response takes long, and that later ones may take long.
func TestSlow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		takes []time.Duration
		want  []string
	}{
		{[]time.Duration{slowAfter + 1, slowAfter + 1}, []string{"rm:8088 has not answered for 3s: still waiting"}},
		{[]time.Duration{slowAfter - 1, slowAfter + 1}, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			var said []string
			at := 0
			layer := slow(func(line string) { said = append(said, line) }, nil)
			trip := layer(rest.RoundTrip(func(*http.Request) (*http.Response, error) {
				time.Sleep(c.takes[at])
				at++
				return &http.Response{}, nil
			}))
			for range c.takes {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://rm:8088/ws", nil)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := trip.RoundTrip(r); err != nil { //nolint:bodyclose // there is none
					t.Fatal(err)
				}
			}
			if !slices.Equal(said, c.want) {
				t.Errorf("responses after %v: %q, want %q", c.takes, said, c.want)
			}
		})
	}
}
