package compareview

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// Text writes the document as text, the most important part first. Names are escaped.
func (d *Document) Text(out io.Writer) error {
	b := bufio.NewWriter(out)
	against := ""
	if d.BaseRun != nil {
		against = fmt.Sprintf(" against run %d", *d.BaseRun)
	}
	fmt.Fprintf(b, "%s, run %d%s: %s\n", view.Escape(d.Workflow), d.Run, against, view.Escape(d.Difference.Says))
	if len(d.Otherwise) > 0 {
		fmt.Fprintf(b, "what was otherwise: %s\n", view.Escape(strings.Join(d.Otherwise, "; ")))
	}
	fmt.Fprintln(b, view.Escape(d.CriticalPath.Says))
	d.findings(b)
	d.effects(b)
	for _, t := range []table{d.jobs(), d.runs()} {
		for i := range t.Head {
			t.Head[i] = strings.ToUpper(t.Head[i])
		}
		fmt.Fprintln(b)
		t.text(b)
	}
	return b.Flush()
}

func (d *Document) findings(b io.Writer) {
	for _, slower := range []bool{true, false} {
		title := "\nfaster:"
		if slower {
			title = "\nslower:"
		}
		said := false
		for i := range d.Findings {
			f := &d.Findings[i]
			if f.Slower != slower {
				continue
			}
			if !said {
				fmt.Fprintln(b, title)
			}
			fmt.Fprintf(b, "  %s\n", view.Escape(f.Says))
			said = true
		}
		if slower && !said && d.BaseRun != nil {
			fmt.Fprintln(b, "no job takes longer for its records than chance allows")
		}
	}
}

func (d *Document) effects(b io.Writer) {
	if len(d.Difference.Effects) == 0 {
		return
	}
	fmt.Fprintln(b, "\nwhat the difference is due to, along the critical path:")
	t := table{Head: []string{"  " + units.Known(d.Difference.Seconds, units.Signed), "in all", ""}}
	for _, e := range d.Difference.bySize() {
		t.Rows = append(t.Rows, []string{"  " + units.Signed(e.Seconds), string(e.Effect), e.Meaning})
	}
	t.text(b)
	if d.Difference.Doubt != nil {
		fmt.Fprintf(b, "doubtful is %s\n", view.Escape(*d.Difference.Doubt))
	}
}
