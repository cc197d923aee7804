package live

import (
	"bytes"
	"context"
	"testing"
)

// TestFirstQuery checks that the id of a query is found across two writes and in the last output of a command, and that
// a command without a query ends the search with its own end.
func TestFirstQuery(t *testing.T) {
	t.Parallel()
	ended, end := context.WithCancel(t.Context())
	end()
	for want, writes := range map[string][]string{
		"":                                       {"no id here: application_12_1\n", "application_1795222440184_00071"},
		"application_1795222440184_0007":         {"Submitted application application_17952224", "40184_0007\nand job_1795222440184_0008\n"},
		"spark-c22b181a33d34cb19c907139a55f9578": {"INFO LoggingPodStatusWatcherImpl: Application status for spark-c22b181a33d3", "4cb19c907139a55f9578 (phase: Pending)\n"},
		"job_1795222440184_0008":                 {"Running job: job_1795222440184_0008\n", "application_1795222440184_0009\n"},
	} {
		var out bytes.Buffer
		found := make(chan string, 1)
		f := &idFinder{to: &out, found: found}
		all := ""
		for _, text := range writes {
			if n, err := f.Write([]byte(text)); n != len(text) || err != nil {
				t.Fatalf("%q: %d bytes written, %v", text, n, err)
			}
			all += text
		}
		if got := firstQuery(ended, nil, found, nil); got != want {
			t.Errorf("%q: the query is %q, want %q", writes, got, want)
		}
		if out.String() != all {
			t.Errorf("the output is %q, want %q", &out, all)
		}
	}
}
