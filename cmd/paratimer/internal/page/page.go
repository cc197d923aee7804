// Package page shows results to people. A view is one function that turns its result into a Document, a list of
// blocks; Text and HTML write it. They compute nothing, and escape every text, so that a view passes names from the
// cluster as they are. The JSON of a result is the result itself.
//
// A page answers first: one Hero, one sentence of diagnosis, one chart, one table, and the rest in folded sections.
package page

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/units"
)

// A Document is one result, for display.
type Document struct {
	Kind   string   // what the document is: "report of a run"
	Title  string   // what it is about: the name of a query
	State  Badge    // beside the title
	Facts  []string // small, below the title: time and user
	Up     string   // the address of the page above this one; "" for none
	Over   bool     // nothing more comes: a live page stops asking
	Blocks []Block
}

// A Block is a part of a document: Hero, Sentence, Fault, Table, Chart, List or Section.
type Block interface{ kind() string }

// A Hero is the answer, the largest text of a document.
type Hero struct {
	Answer, Note string
	Class        string // Good, Bad or ""
}

// The classes of texts and bars. Color is never the only difference.
const (
	Good = "good"
	Bad  = "bad"
	Open = "open"
	Soft = "soft"
)

// A Badge is a state with its class.
type Badge struct{ Text, Class string }

// A Sentence is a paragraph.
type Sentence struct{ Text, Class string }

// Say returns a paragraph.
func Say(text string) Sentence { return Sentence{Text: text} }

// Note returns a paragraph in small letters.
func Note(text string) Sentence { return Sentence{text, Soft} }

// A Fault is why something failed: a title, and the reason as the engine reported it.
type Fault struct{ Title, Reason string }

// A Table has a heading for each column. On a phone each row is a card.
type Table struct {
	Caption string
	Columns []Column
	Rows    []Row
	More    int  // rows that are left out
	Sorted  bool // readers may sort it
}

// A Column is the heading of a column.
type Column struct {
	Head   string
	Number bool // right-aligned
}

// A Row is the cells of a row; the first one names it.
type Row struct {
	Cells []Cell
	On    bool // on the critical path
}

// A Cell is a text, or a bar.
type Cell struct {
	Text  string
	Notes []string // below the text, in small letters
	Sort  *float64 // for numbers
	Link  string
	Badge bool // shown as a state, with Class
	Class string
	Bar   *Bar
}

// A Bar is a part of a common scale: From and To are shares of its width. Mark is another place on it; 0 for none. A
// bar with Parts consists of these.
type Bar struct {
	From, To, Mark float64
	Class          string
	Parts          []Bar
}

// rects returns what is drawn of the bar.
func (b *Bar) rects() []Bar {
	if b.Parts != nil {
		return b.Parts
	}
	return []Bar{*b}
}

// A Chart is a drawing with a title, a caption, controls before it, and a legend.
type Chart struct {
	ID, Title, Caption string
	chart.Figure       // made by the program; names in it are escaped
}

// A List has items, each with a lead in bold letters.
type List []Item

// An Item is a lead and a text.
type Item struct{ Lead, Text, Class string }

// A Section has a title. A folded one shows it alone until a reader opens it; text shows all.
type Section struct {
	ID, Title string
	Folded    bool
	Blocks    []Block
}

// The name of each block's template.

func (Hero) kind() string     { return "hero" }
func (Sentence) kind() string { return "sentence" }
func (Fault) kind() string    { return "fault" }
func (*Table) kind() string   { return "table" }
func (Chart) kind() string    { return "chart" }
func (List) kind() string     { return "list" }
func (Section) kind() string  { return "section" }

// Texts returns a cell for each text.
func Texts(texts ...string) []Cell {
	return units.Each(texts, func(t string) Cell { return Cell{Text: t} })
}

// Number returns the cell of a number that a table is sorted by.
func Number(v float64, text string) Cell { return Cell{Text: text, Sort: &v} }

// Wide returns a cell that may take the rest of a line.
func Wide(text string) Cell { return Cell{Text: text, Class: "wide"} }

// Heads returns columns. A heading that begins with ">" is of a column of numbers.
func Heads(heads ...string) []Column {
	columns := make([]Column, len(heads))
	for i, h := range heads {
		columns[i].Head, columns[i].Number = strings.CutPrefix(h, ">")
	}
	return columns
}

// Add appends blocks, and returns the document.
func (d *Document) Add(blocks ...Block) *Document {
	d.Blocks = append(d.Blocks, blocks...)
	return d
}

// Section adds a section, unless its first block is a table or a list without entries.
func (d *Document) Section(id, title string, folded bool, blocks ...Block) *Document {
	t, isTable := blocks[0].(*Table)
	l, isList := blocks[0].(List)
	if isTable && len(t.Rows) == 0 || isList && len(l) == 0 {
		return d
	}
	return d.Add(Section{ID: id, Title: title, Folded: folded, Blocks: blocks})
}

// Capital makes the first letter of a sentence upper case.
func Capital(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:n]) + s[n:]
}

// Add appends a row of texts.
func (t *Table) Add(texts ...string) { t.Rows = append(t.Rows, Row{Cells: Texts(texts...)}) }

// mostRows bounds the rows that Row appends.
const mostRows = 1000

// Row appends a row, or counts it if the table is full.
func (t *Table) Row(on bool, cells ...Cell) {
	if len(t.Rows) == mostRows {
		t.More++
		return
	}
	t.Rows = append(t.Rows, Row{On: on, Cells: cells})
}

// Compact removes the columns that are empty in every row, and returns the table.
func (t *Table) Compact() *Table {
	for c := len(t.Columns) - 1; c > 0; c-- {
		if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Cells[c].Text != "" || r.Cells[c].Bar != nil }) {
			continue
		}
		t.Columns = slices.Delete(t.Columns, c, c+1)
		for i := range t.Rows {
			t.Rows[i].Cells = slices.Delete(t.Rows[i].Cells, c, c+1)
		}
	}
	return t
}
