package played

import (
	"strings"
	"testing"
)

// TestRecordings: a folder without recordings is named, in a whole sentence.
func TestRecordings(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PARATIMER_RECORDINGS", dir)
	if _, err := Recordings(); err == nil || !strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), "%!") {
		t.Error(err)
	}
}
