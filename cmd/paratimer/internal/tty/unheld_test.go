package tty

import (
	"errors"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// TestUnheld checks that the watch does not wait while the screen is blocked, and that the newest frames are shown
// then.
func TestUnheld(t *testing.T) {
	letGo := make(chan struct{})
	var shown []float64
	u := NewUnheld(func(tick frame.Tick) error {
		<-letGo
		shown = append(shown, float64(tick.Frame.Elapsed()))
		return nil
	})
	for i := range 1000 {
		if err := u.Show(frame.Tick{Frame: frameAt(float64(i), 1)}); err != nil {
			t.Fatal(err)
		}
	}
	close(letGo)
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	if n := len(shown); n < mostWaiting || n > mostWaiting+1 || shown[n-1] != 999 {
		t.Errorf("shown: %v", shown)
	}
}

// TestUnheldFails checks that the error of a frame that could not be shown is returned with a later one, or at the end.
func TestUnheldFails(t *testing.T) {
	full := errors.New("full")
	fails := func(frame.Tick) error { return full }
	u := NewUnheld(fails)
	if err := u.Show(frame.Tick{Frame: frameAt(1, 1)}); err != nil {
		t.Fatal(err)
	}
	var err error
	for n := 0; err == nil && n < 10_000; n++ {
		time.Sleep(time.Millisecond)
		err = u.Show(frame.Tick{Frame: frameAt(2, 1)})
	}
	if !errors.Is(err, full) {
		t.Errorf("a later frame: error %v", err)
	}
	if err := u.Close(); err != nil {
		t.Errorf("reported twice: %v", err)
	}
	u = NewUnheld(fails)
	if err := u.Show(frame.Tick{Frame: frameAt(1, 1)}); err != nil {
		t.Fatal(err)
	}
	if err := u.Close(); !errors.Is(err, full) {
		t.Errorf("at the end: error %v", err)
	}
}
