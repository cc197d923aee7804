package partitions

import "bytes"

// A counter counts rows and nonzero entries of text. Fields are separated by spaces, tabs, commas or semicolons; a
// field index:value counts by its value. In a row of such fields the first field is a label, not an entry. Lines with
// # are comments.
type counter struct {
	rows, entries int

	// Of the row that is being read:
	fields, pairs int
	label         bool // its first field was counted and is no pair
	comment       bool
}

// separators are the bytes between fields.
const separators = " \t,;\r\n"

// count counts text that begins and ends at the border of a field. inside means that it may begin inside a row: then
// its first field is not a label.
func (c *counter) count(text []byte, inside bool) {
	if inside {
		c.fields = 1
	}
	for len(text) > 0 {
		at := bytes.IndexAny(text, separators)
		end := at
		if at < 0 {
			end = len(text)
		}
		if end > 0 && !c.comment {
			c.field(text[:end])
		}
		if at < 0 {
			return
		}
		if text[at] == '\n' {
			c.endRow()
		}
		text = text[at+1:]
	}
}

// endRow ends a row. A line without fields is not a row.
func (c *counter) endRow() {
	if c.fields > 0 {
		c.rows++
	}
	*c = counter{rows: c.rows, entries: c.entries}
}

func (c *counter) field(text []byte) {
	if text[0] == '#' && (c.fields == 0 || c.pairs > 0) {
		c.comment = true
		return
	}
	c.fields++
	value, pair := valueOf(text)
	if pair {
		c.pairs++
		if c.label {
			c.entries--
			c.label = false
		}
	}
	if !zero(value) {
		c.entries++
		c.label = c.fields == 1 && !pair
	}
}

// valueOf returns the value of index:value, or the whole field.
func valueOf(field []byte) (value []byte, pair bool) {
	index, value, _ := bytes.Cut(field, []byte(":"))
	if len(index) == 0 || len(value) == 0 || len(bytes.Trim(index, "0123456789")) > 0 {
		return field, false
	}
	return value, true
}

// zero reports whether a field is the number 0, in any notation.
func zero(field []byte) bool {
	if field[0] == '+' || field[0] == '-' {
		field = field[1:]
	}
	if exponent := bytes.IndexAny(field, "eE"); exponent > 0 {
		field = field[:exponent]
	}
	return bytes.IndexByte(field, '0') >= 0 && len(bytes.Trim(field, "0.")) == 0
}
