package rest

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// skewed is a setting in which requests take time, and the server's clock is wrong.
type skewed struct {
	now   time.Time
	ahead time.Duration
	trip  func() time.Duration // half of a round trip
}

func (w *skewed) RoundTrip(r *http.Request) (*http.Response, error) {
	w.now = w.now.Add(w.trip())
	date := w.now.Add(w.ahead).UTC().Format(http.TimeFormat) // cut to whole seconds
	w.now = w.now.Add(w.trip())
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{
		"Date":         {date},
		"Content-Type": {"application/json"},
	}, Body: http.NoBody}, nil
}

func TestClockSkewOfHours(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, ahead := range []time.Duration{0, 3*time.Hour + 137*time.Millisecond, -26 * time.Hour} {
		w := &skewed{now: time.Unix(1_795_222_440, 0), ahead: ahead, trip: func() time.Duration {
			return time.Duration(rng.IntN(10)) * time.Millisecond
		}}
		c := clientOf(t, Options{Transport: w, Clock: func() time.Time { return w.now }}, "http://rm")
		if _, _, ok := c.Skew(); ok || c.Now() != dag.InstantOf(w.now) {
			t.Error("a skew is known before the first answer")
		}
		last := dag.NoInstant
		for i := range 100 {
			answered(t)(c.get(context.Background(), "info"))
			now := c.Now()
			if off := now.Sub(dag.InstantOf(w.now.Add(ahead))).Abs(); off > 520*time.Millisecond || i > 30 &&
				off > 80*time.Millisecond {
				t.Fatalf("ahead %v, after %d answers: off by %v", ahead, i+1, off)
			}
			if now < last {
				t.Fatalf("ahead %v: the clock went back by %v", ahead, last.Sub(now))
			}
			last = now
			w.now = w.now.Add(time.Duration(4500+rng.IntN(1000)) * time.Millisecond)
		}
		if got, within, ok := c.Skew(); !ok || (got-ahead).Abs() > within+time.Millisecond {
			t.Errorf("skew %v ± %v, true %v", got, within, ahead)
		}
		if warned := c.Warnings(); (len(warned) == 1 && warned[0].Code == dag.WarnClockSkew) != (ahead != 0) {
			t.Errorf("ahead %v: warnings %v", ahead, warned)
		}
	}
}

func TestClockDoesNotGoBackWhileItNarrows(t *testing.T) {
	at := time.Unix(1_795_222_440, 0)
	c := newClock(func() time.Time { return at })
	date := at.Add(time.Hour)
	c.observe(at, at, date) // an hour and up to a second
	first := c.Now()
	c.observe(at, at, date.Add(-900*time.Millisecond)) // rather the hour
	if _, within, _ := c.skew(); within > 60*time.Millisecond {
		t.Errorf("± %v: the intersection is a tenth of a second", within)
	}
	if now := c.Now(); now != first {
		t.Errorf("went from %d to %d", first, now)
	}
	at = at.Add(time.Second)
	if now := c.Now(); now <= first {
		t.Error("stands still")
	}
}

func TestClockIsSetAnew(t *testing.T) {
	w := &skewed{now: time.Unix(1_795_222_440, 0), trip: func() time.Duration { return time.Millisecond }}
	c := clientOf(t, Options{Transport: w, Clock: func() time.Time { return w.now }}, "http://rm")
	for _, ahead := range []time.Duration{0, time.Hour, -time.Hour} {
		w.ahead = ahead
		for range 5 { // two of a clock that was set back are taken for old answers
			_, _ = c.get(context.Background(), "info")
			w.now = w.now.Add(4700 * time.Millisecond)
		}
		if off := c.Now().Sub(dag.InstantOf(w.now.Add(ahead))).Abs(); off > 520*time.Millisecond {
			t.Errorf("set %v ahead: off by %v", ahead, off)
		}
	}
}

func TestCapturesClockIsItsOwn(t *testing.T) {
	w := &skewed{now: time.Unix(1_795_222_440, 0), ahead: time.Hour, trip: func() time.Duration { return 0 }}
	c := clientOf(t, Options{Transport: w, Now: func() dag.Instant { return 42 }}, "http://rm")
	answered(t)(c.get(context.Background(), "info"))
	if c.Now() != 42 {
		t.Errorf("now %v", c.Now())
	}
}

// TestStaleResponses: a response that is older than one before is refused, until three in a row show that the server's
// clock was set. Each machine behind a proxy has a clock of its own.
func TestStaleResponses(t *testing.T) {
	t.Parallel()
	w := &skewed{now: time.Unix(1_795_222_440, 0), trip: func() time.Duration { return time.Millisecond }}
	c := clientOf(t, Options{Transport: w, Clock: func() time.Time { return w.now }}, "http://rm")
	request := func(behind string, ahead time.Duration) error {
		w.ahead, w.now = ahead, w.now.Add(3*time.Second)
		_, _, err := c.Get(t.Context(), &Request{Bases: c.bases, Path: "/x", Behind: behind})
		return err
	}
	for i, want := range []string{"", "older than one before it", "older than one before it", ""} {
		ahead := -time.Minute
		if i == 0 {
			ahead = 0
		}
		err := request("a", ahead)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("request %d: %v, want %q", i, err, want)
		}
		if err != nil && Hint(err) != "give the address of the cluster itself, not of a cache" {
			t.Errorf("request %d: hint %q", i, Hint(err))
		}
	}
	if err := request("b", -time.Hour); err != nil {
		t.Errorf("another machine: %v", err)
	}
}
