package recording_test

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/tez"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// What is left out of a recording of Tez' files is nothing that a source reads.
func TestScrubbedLogsPlayTheSame(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("nothing runs at once here")
	}
	rec, err := recording.ReadAnswers(bytes.NewReader(fixtures.Read(t, "../tez/testdata/skew-3.jsonl.gz")))
	if err != nil {
		t.Fatal(err)
	}
	id := regexp.MustCompile(`attempt_\w+`)
	files := 0
	for i := range rec.All() {
		a := &rec.All()[i]
		was := a.Text()
		if !recording.IsLogFile(a.URL.Path) || a.Status != 200 {
			continue
		}
		files++
		got := recording.ScrubLog(a.URL.Path, was)
		n, text, ok := tez.SplitLog(got, 0)
		m, before, _ := tez.SplitLog(was, 0)
		if n != m || len(text) != len(before) || !ok ||
			len(id.FindAllString(got, -1)) != len(id.FindAllString(was, -1)) {
			t.Errorf("%s: %d bytes, was %d", a.URL, len(text), len(before))
		}
	}
	if files == 0 {
		t.Error("no log file is recorded")
	}
}
