package skewed

import (
	"fmt"
	"io"
	"strings"
)

// write measures all experiments and writes the document.
func write(w io.Writer, l lab, experiments []experiment) error {
	var rows []row
	for _, e := range experiments {
		rows = append(rows, e.rows...)
	}
	results := measure(rows, l.seeds)
	p := func(format string, args ...any) { fmt.Fprintf(w, strings.TrimRight(format, "\n")+"\n", args...) }
	p("# NearestFit: how right it is")
	p("")
	p("%s", introduction(l))
	for _, e := range experiments {
		p("")
		p("## %s", e.title)
		p("")
		if err := e.write(p, results[:len(e.rows)]); err != nil {
			return fmt.Errorf("%s: %w", e.title, err)
		}
		results = results[len(e.rows):]
	}
	p("")
	p("## On a real cluster")
	p("")
	p("%s", strings.TrimRight(liveWords, "\n"))
	if table3Words != "" {
		p("")
		p("## The nine benchmarks on a real cluster (Table 3)")
		p("")
		p("%s", strings.TrimRight(table3Words, "\n"))
	}
	return nil
}
