// Package mutate damages files for fuzz tests. A byte script makes a sequence of deterministic changes to a real
// file. So inputs stay close to valid ones and pass the readers' first checks.
package mutate

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/internal/testkit/long"
)

// A step of a script is stepBytes bytes: the change, the position (two bytes, as a fraction of the file), and an
// argument.
const stepBytes = 4

// Limits that keep a fuzzer fast: the changes of a script, and the bytes of the result.
const (
	maxSteps = 8
	maxBytes = 1 << 20
)

// changes are the possible changes to a file at an offset. None of them modifies its argument.
var changes = []func(file []byte, at int, arg byte) []byte{
	truncate, flip, dropLine, repeatLine, swapLines, number, number, dropMember, retype, retype, graft, insert, nest,
}

// Apply returns file after the changes of a script. It is deterministic and does not modify file.
func Apply(file, script []byte) []byte {
	for range maxSteps {
		if len(script) < stepBytes || len(file) == 0 {
			break
		}
		at := int(binary.BigEndian.Uint16(script[1:])) * len(file) >> 16
		if made := changes[int(script[0])%len(changes)](file, at, script[3]); len(made) <= maxBytes {
			file = made
		}
		script = script[stepBytes:]
	}
	return file
}

func truncate(file []byte, at int, _ byte) []byte { return file[:at] }

func flip(file []byte, at int, arg byte) []byte {
	file = bytes.Clone(file)
	file[at] ^= 1 << (arg % 8)
	return file
}

func dropLine(file []byte, at int, _ byte) []byte {
	start, end := line(file, at)
	return replace(file, start, end, nil)
}

func repeatLine(file []byte, at int, arg byte) []byte {
	start, end := line(file, at)
	return replace(file, start, start, bytes.Repeat(file[start:end], 1+int(arg%4)))
}

func swapLines(file []byte, at int, arg byte) []byte {
	start, middle := line(file, at)
	if middle == len(file) {
		return file
	}
	_, end := line(file, middle)
	return replace(file, start, end, append(bytes.Clone(file[middle:end]), file[start:middle]...))
}

// numbers are at the edges of types, beyond limits, or not numbers at all.
var numbers = []string{
	"-1", "0", "1", "2", "0.5", "-0", "1e308", "-1e308", "1e999", "1e-320", "2147483647", "2147483648", "-2147483649",
	"9223372036854775807",
	"-9223372036854775808", "9223372036854775808", "18446744073709551616", "3000", "10000001", "129", "NaN", ".inf",
	"\"inf\"", "null", "1e18",
	"9007199254740993", "00", "0x10", "1795222879638", "20000000", "99999999999", "127",
}

// number replaces the next number.
func number(file []byte, at int, arg byte) []byte {
	start := next(file, at, "0123456789")
	if start < 0 {
		return file
	}
	end := start
	for end < len(file) && strings.IndexByte("0123456789.eE+-", file[end]) >= 0 {
		end++
	}
	return replace(file, start, end, []byte(numbers[int(arg)%len(numbers)]))
}

// values has values of each type of JSON and YAML, including empty and unusual ones.
var values = []string{
	"null", "true", "false", "0", "-1", "1.5", "\"\"", "\"x\"", "[]", "{}", "[null]", "[[]]", "[{}]", "{\"\":null}",
	"[1,2,3]", "\"\\u0000\\ud800\"", "~",
	"2026-11-22", "1h30m", "1e3", "", "[\"a\",\"a\"]", "&a [*a]", "\xff",
}

// retype replaces the value of the next key by one of another type.
func retype(file []byte, at int, arg byte) []byte {
	_, start, end := member(file, at)
	if end < 0 {
		return file
	}
	return replace(file, start, end, []byte(values[int(arg)%len(values)]))
}

// graft replaces the value of the next key by that of a later key.
func graft(file []byte, at int, arg byte) []byte {
	_, start, end := member(file, at)
	if end < 0 {
		return file
	}
	_, from, to := member(file, (at+1+int(arg)*len(file)/256)%len(file))
	if to < 0 {
		return file
	}
	return replace(file, start, end, file[from:to])
}

// dropMember removes the next key with its value.
func dropMember(file []byte, at int, _ byte) []byte {
	start, _, end := member(file, at)
	if end < 0 {
		return file
	}
	if end < len(file) && file[end] == ',' {
		end++
	} else if start > 0 && file[start-1] == ',' {
		start--
	}
	return replace(file, start, end, nil)
}

var noise = []string{
	"\x00", "\xff", "\n", "\"", "{", "}", "]", ",", ":", " ", "\t", "\r\n", "\ufeff", "- ", "---\n",
	"#", "\x1f\x8b", "\u2028", "\\", "e9",
}

func insert(file []byte, at int, arg byte) []byte {
	return replace(file, at, at, []byte(noise[int(arg)%len(noise)]))
}

// nest inserts many opening brackets.
func nest(file []byte, at int, arg byte) []byte {
	return replace(file, at, at, bytes.Repeat([]byte{"[{"[arg%2]}, 1<<(arg%14)))
}

// member returns the start of the next key, and the start and end of its value; end is -1 if there is none. It parses
// only what JSON and YAML have in common: a colon, matching brackets, strings, and the end of a line.
func member(file []byte, at int) (start, value, end int) {
	colon := next(file, at, ":")
	if colon < 0 {
		return 0, 0, -1
	}
	start = colon
	for start > 0 && strings.IndexByte("{,\n", file[start-1]) < 0 {
		start--
	}
	value = colon + 1
	for value < len(file) && file[value] == ' ' {
		value++
	}
	depth, quoted := 0, false
	for end = value; end < len(file); end++ {
		switch c := file[end]; {
		case quoted && c == '\\':
			end++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case depth > 0 && (c == '}' || c == ']'):
			depth--
		case depth == 0 && strings.IndexByte(",}]\n", c) >= 0:
			return start, value, end
		}
	}
	return start, value, len(file)
}

// next returns the offset of the first of some bytes from at on, wrapping around at the end of the file; -1 if there
// is none.
func next(file []byte, at int, any string) int {
	if i := bytes.IndexAny(file[at:], any); i >= 0 {
		return at + i
	}
	return bytes.IndexAny(file, any)
}

// line returns the start and end of the line at an offset, including its line end.
func line(file []byte, at int) (start, end int) {
	start = bytes.LastIndexByte(file[:at], '\n') + 1
	if i := bytes.IndexByte(file[at:], '\n'); i >= 0 {
		return start, at + i + 1
	}
	return start, len(file)
}

func replace(file []byte, start, end int, by []byte) []byte {
	made := make([]byte, 0, len(file)+len(by))
	return append(append(append(made, file[:start]...), by...), file[end:]...)
}

// seedScripts is the number of seed scripts for each file. `go test` runs only these. .ci/run sets PARATIMER_LONG for
// fuzzing, and the fuzzer starts with all of them.
var seedScripts = long.Of(8, 20)

// smallBytes is the size up to which a file also has a seed script for each of its keys, which drops the key. Readers
// often fail on missing keys, and random scripts rarely drop a specific one.
const smallBytes = 4 << 10

// dropStep is the index of dropMember in changes.
const dropStep = 7

// patience is the time limit of use for one small file. It is generous, because it should only detect endless loops.
const patience = time.Minute

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
				f.Add(byte(i), []byte{dropStep, byte(place >> 8), byte(place), 0})
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
		file := Apply(files[n], script)
		began := time.Now()
		use(t, n, file)
		if took := time.Since(began); took > patience {
			t.Errorf("%v for %d bytes", took, len(file))
		}
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
