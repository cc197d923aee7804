package eventlog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
)

// Event returns the name of the event in a complete or cut-off line of a log; "" if there is none. Spark writes the
// name first.
func Event(line []byte) string {
	if !bytes.Contains(line, []byte(`"Event"`)) {
		return ""
	}
	d := json.NewDecoder(bytes.NewReader(line))
	t, err := d.Token()
	isObject := t == json.Delim('{')
	var skipped json.RawMessage
	for isObject && err == nil && d.More() {
		if t, err = d.Token(); t == "Event" {
			var name string
			_ = d.Decode(&name) // it stays "" if it is not a string
			return name
		}
		err = cmp.Or(err, d.Decode(&skipped))
	}
	return ""
}

// mark is the byte order mark that some editors add.
const mark = "\ufeff"

// IsLog reports whether a text starts like an event log: one of its first lines is an event of Spark or Databricks.
// The last line may be cut off.
func IsLog(text []byte) bool {
	const most = 20 // lines: the first ones may be damaged or incomplete
	lines := bytes.SplitN(text, []byte("\n"), most+1)
	for _, line := range lines[:min(len(lines), most)] {
		name := Event(line)
		for _, by := range []string{"SparkListener", "org.apache.spark.", "DBCEventLogging", "com.databricks."} {
			if strings.HasPrefix(name, by) {
				return true
			}
		}
	}
	return false
}
