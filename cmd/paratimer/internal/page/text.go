package page

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// barWidth is the number of characters of a bar as long as the scale.
const barWidth = 48

// Text writes the document as lines. Headings of tables are in capitals. Charts are left out: the tables beside them
// have the numbers.
func (d *Document) Text(w io.Writer) error {
	b := bufio.NewWriter(w)
	title := Prose(d.Title)
	blocks := d.Blocks
	if len(blocks) > 0 {
		if h, ok := blocks[0].(Hero); ok {
			title += ": " + Prose(h.Answer)
			if h.Note != "" {
				title += "\n" + Prose(h.Note)
			}
			blocks = blocks[1:]
		}
	}
	if title != "" {
		fmt.Fprintln(b, title)
	}
	writeBlocks(b, blocks)
	return b.Flush()
}

func writeBlocks(w io.Writer, blocks []Block) {
	for _, block := range blocks {
		switch x := block.(type) {
		case Hero:
			fmt.Fprintln(w, Prose(x.Answer))
		case Sentence:
			fmt.Fprintln(w, Prose(x.Text))
		case Fault:
			fmt.Fprintf(w, "%s: %s\n", Prose(x.Title), Prose(cmp.Or(x.Reason, "no reason was reported")))
		case List:
			for _, i := range x {
				fmt.Fprintf(w, "  %s\n", strings.TrimPrefix(Prose(i.Lead)+": "+Prose(i.Text), ": "))
			}
		case Section:
			fmt.Fprintf(w, "\n%s\n", Prose(x.Title))
			writeBlocks(w, x.Blocks)
		case *Table:
			x.text(w)
		}
	}
}

// text writes the table with aligned columns, without spaces at the ends of lines.
func (t *Table) text(w io.Writer) {
	rows := [][]string{units.Each(t.Columns, func(c Column) string { return strings.ToUpper(Prose(c.Head)) })}
	for _, row := range t.Rows {
		rows = append(rows, units.Each(row.Cells, Cell.text))
	}
	var aligned strings.Builder
	_ = view.Table(&aligned, 0, rows) // a strings.Builder never fails
	for line := range strings.Lines(aligned.String()) {
		if line = strings.TrimRight(line, " \n"); line != "" {
			fmt.Fprintln(w, "  "+line)
		}
	}
	if t.More > 0 {
		fmt.Fprintf(w, "  and %d more\n", t.More)
	}
}

// text returns the text of a cell, or its bar.
func (c Cell) text() string {
	if c.Bar == nil {
		return Prose(c.Text)
	}
	from, mark := int(barWidth*c.Bar.From), "#"
	if c.Bar.Class == Soft {
		mark = "="
	}
	least := int(math.Ceil(c.Bar.To - c.Bar.From)) // the shortest bar has one character, an empty one none
	return strings.Repeat(" ", from) + strings.Repeat(mark, max(least, int(barWidth*c.Bar.To+0.5)-from))
}
