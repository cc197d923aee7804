// Package mutate damages files for fuzz tests. A byte script makes a sequence of deterministic changes to a real
// file. So inputs stay close to valid ones and pass the readers' first checks.
package mutate

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// A step of a script is stepBytes bytes: the change, the position (two bytes, as a fraction of the file), and an
// argument.
const stepBytes = 4

// Limits that keep a fuzzer fast: the changes of a script, and the bytes of the result.
const (
	maxSteps = 8
	maxBytes = 1 << 20
)

// changes is the number of different changes, dropMember the one that removes a key with its value.
const (
	changes    = 8
	dropMember = 3
)

// Apply returns file after the changes of a script. It is deterministic and does not modify file.
func Apply(file, script []byte) []byte {
	for range maxSteps {
		if len(script) < stepBytes || len(file) == 0 {
			break
		}
		at := int(binary.BigEndian.Uint16(script[1:])) * len(file) >> 16
		start, end, by := change(file, at, int(script[0])%changes, int(script[3]))
		if size := len(file) - (end - start) + len(by); end >= 0 && size <= maxBytes {
			file = slices.Concat(file[:start], by, file[end:])
		}
		script = script[stepBytes:]
	}
	return file
}

// change returns a change to a file at an offset: by replaces the bytes from start to end. If the change is not
// possible, end is -1.
func change(file []byte, at, kind, arg int) (start, end int, by []byte) {
	switch kind {
	case 0: // truncate
		return at, len(file), nil
	case 1: // flip a bit
		return at, at + 1, []byte{file[at] ^ 1<<(arg%8)}
	case 2: // drop or repeat a line
		start, end = line(file, at)
		return start, end, bytes.Repeat(file[start:end], arg%4)
	case dropMember:
		start, _, end = member(file, at)
		if end >= 0 && end < len(file) && file[end] == ',' {
			return start, end + 1, nil
		} else if start > 0 && file[start-1] == ',' {
			start--
		}
		return start, end, nil
	case 4: // replace the next number
		found := nextNumber.FindIndex(file[at:])
		if found == nil {
			return 0, -1, nil
		}
		return at + found[0], at + found[1], []byte(numbers[arg%len(numbers)])
	case 5: // replace the value of the next key by one of another type
		_, start, end = member(file, at)
		return start, end, []byte(values[arg%len(values)])
	case 6: // insert a byte or two
		return at, at, []byte(noise[arg%len(noise)])
	}
	return at, at, bytes.Repeat([]byte{"[{"[arg%2]}, 1<<(arg%14)) // nest
}

var nextNumber = regexp.MustCompile(`[0-9][0-9.eE+-]*`)

// numbers are at the edges of types, beyond limits, or not numbers at all.
var numbers = strings.Fields(`-1 0 1 2 0.5 -0 1e308 -1e308 1e999 1e-320 2147483647 2147483648 -2147483649
	9223372036854775807 -9223372036854775808 9223372036854775808 18446744073709551616 3000 10000001 129 NaN .inf "inf"
	null 1e18 9007199254740993 00 0x10 1795222879638 20000000 99999999999 127`)

// values has values of each type of JSON and YAML, including empty and unusual ones.
var values = []string{
	"null", "true", "false", "0", "-1", "1.5", "\"\"", "\"x\"", "[]", "{}", "[null]", "[[]]", "[{}]", "{\"\":null}",
	"[1,2,3]", "\"\\u0000\\ud800\"", "~", "2026-11-22", "1h30m", "1e3", "", "[\"a\",\"a\"]", "&a [*a]", "\xff",
}

var noise = []string{
	"\x00", "\xff", "\n", "\"", "{", "}", "]", ",", ":", " ", "\t", "\r\n", "\ufeff", "- ", "---\n",
	"#", "\x1f\x8b", "\u2028", "\\", "e9",
}

// member returns the start of the next key, and the start and end of its value; end is -1 if there is none. A value
// ends as in JSON, else at a comma, a bracket or the end of a line.
func member(file []byte, at int) (start, value, end int) {
	colon := at + bytes.IndexByte(file[at:], ':')
	if colon < at {
		if colon = bytes.IndexByte(file, ':'); colon < 0 {
			return 0, 0, -1
		}
	}
	start = 1 + bytes.LastIndexAny(file[:colon], "{,\n")
	value = colon + 1
	for value < len(file) && file[value] == ' ' {
		value++
	}
	var text json.RawMessage
	if d := json.NewDecoder(bytes.NewReader(file[value:])); d.Decode(&text) == nil {
		return start, value, value + int(d.InputOffset())
	}
	if n := bytes.IndexAny(file[value:], ",}]\n"); n >= 0 {
		return start, value, value + n
	}
	return start, value, len(file)
}

// line returns the start and end of the line at an offset, including its line end.
func line(file []byte, at int) (start, end int) {
	start = bytes.LastIndexByte(file[:at], '\n') + 1
	if i := bytes.IndexByte(file[at:], '\n'); i >= 0 {
		return start, at + i + 1
	}
	return start, len(file)
}

// seedScripts is the number of seed scripts for each file. `go test` runs only these. .ci/run sets PARATIMER_LONG for
// fuzzing, and the fuzzer starts with all of them.
var seedScripts = fixtures.Long(8, 20)

// smallBytes is the size up to which a file also has a seed script for each of its keys, which drops the key. Readers
// often fail on missing keys, and random scripts rarely drop a specific one.
const smallBytes = 4 << 10

// Fuzz calls use with the original files and with damaged ones; which is the index of the file.
func Fuzz(f *testing.F, files [][]byte, use func(t *testing.T, which int, file []byte)) {
	f.Helper()
	if len(files) == 0 || len(files) > 256 {
		f.Fatalf("%d files to damage, not 1 to 256", len(files))
	}
	draw := rand.NewChaCha8([32]byte{7})
	for i, file := range files {
		f.Add(byte(i), []byte{})
		for at, c := range file {
			if c == ':' && len(file) <= smallBytes {
				place := (at<<16 + len(file) - 1) / len(file) // the smallest value that Apply maps to this byte
				f.Add(byte(i), []byte{dropMember, byte(place >> 8), byte(place), 0})
			}
		}
		for n := range seedScripts {
			script := make([]byte, stepBytes*(1+n%3))
			_, _ = draw.Read(script)
			script[0] = byte(n)
			f.Add(byte(i), script)
		}
	}
	f.Fuzz(func(t *testing.T, which byte, script []byte) {
		n := int(which) % len(files)
		use(t, n, Apply(files[n], script))
	})
}

// Endless returns a file of a head and one line repeated without end, as a small zipped file may unpack to.
func Endless(head, line string) io.Reader { return &endless{head, strings.Repeat(line, 100)} }

type endless struct{ rest, lines string }

func (e *endless) Read(b []byte) (int, error) {
	if e.rest == "" {
		e.rest = e.lines
	}
	n := copy(b, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}
