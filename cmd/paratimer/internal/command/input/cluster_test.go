package input

import (
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
)

// TestSlow checks that one line reports a host with a slow first response, and none a slow later one.
func TestSlow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		latencies []time.Duration
		want      []string
	}{
		{[]time.Duration{slowAfter + 1, slowAfter + 1}, []string{"rm:8088 has not answered for 3s: still waiting"}},
		{[]time.Duration{slowAfter - 1, slowAfter + 1}, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			var lines []string
			at := 0
			layer := slow(func(line string) { lines = append(lines, line) }, nil)
			trip := layer(rest.RoundTrip(func(*http.Request) (*http.Response, error) {
				time.Sleep(c.latencies[at])
				at++
				return &http.Response{}, nil
			}))
			for range c.latencies {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://rm:8088/ws", nil)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := trip.RoundTrip(r); err != nil { //nolint:bodyclose // there is none
					t.Fatal(err)
				}
			}
			if !slices.Equal(lines, c.want) {
				t.Errorf("responses after %v: got %q, want %q", c.latencies, lines, c.want)
			}
		})
	}
}
