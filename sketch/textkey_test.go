package sketch

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestPartitionIsHadoops compares with what Hadoop computed: see testdata/Partition.java.
func TestPartitionIsHadoops(t *testing.T) {
	f, err := os.Open("testdata/partition.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	reduces := []int{1, 2, 3, 4, 7, 8, 10, 100, 1000, 1<<31 - 1}
	lines := 0
	for in := bufio.NewScanner(f); in.Scan(); lines++ {
		part := strings.Fields(in.Text())
		if len(part) != 4 {
			t.Fatalf("line %d: %q", lines+1, in.Text())
		}
		key := javaKey(t, part[0])
		want, _ := strconv.ParseInt(part[1], 10, 32)
		if got := hash(key); got != int32(want) {
			t.Errorf("%s: hash %d, Hadoop has %d", part[0], got, want)
		}
		for i, want := range strings.Split(part[2], ",") {
			if got := Partition(key, reduces[i]); strconv.Itoa(got) != want {
				t.Errorf("%s: reduce %d of %d, Hadoop has %s", part[0], got, reduces[i], want)
			}
		}
		if got := RecordBytes(len(key), 0) - RecordBytes(0, 0) + 1; strconv.Itoa(got) != part[3] {
			t.Errorf("%s: %d bytes in a map's output, Hadoop writes %s", part[0], got, part[3])
		}
	}
	if lines < 700 {
		t.Fatalf("%d lines: the table is not whole", lines)
	}
}

func javaKey(t *testing.T, s string) []byte {
	t.Helper()
	pattern, count, repeated := strings.Cut(s, "*")
	times := 1
	if repeated {
		times, _ = strconv.Atoi(count)
	}
	key, err := hex.DecodeString(strings.TrimPrefix(pattern, "="))
	if err != nil || times == 0 {
		t.Fatalf("key %q", s)
	}
	return bytes.Repeat(key, times)
}

func TestPartitionOfNoReduces(t *testing.T) {
	for _, reduces := range []int{1, 0, -1} {
		if got := Partition([]byte("the"), reduces); got != 0 {
			t.Errorf("%d reduces: %d", reduces, got)
		}
	}
}

func shown(key string) string { return KeyName([]byte(key), true) }

func TestNames(t *testing.T) {
	// The SHA-256 of "abc" is an example of FIPS 180-2.
	if got := HashedName([]byte("abc")); got != "#ba7816bf8f01cfea" {
		t.Errorf("hashed: %s", got)
	}
	for key, want := range map[string]string{
		"":                      `\empty`,
		"user 42":               "user 42",
		`\empty`:                `\\empty`,
		"\x1b[2J":               `\x1b[2J`,
		"a\tb\n":                `a\tb\n`,
		"\xff\xfe":              `\xff\xfe`,
		"日本語":                   "日本語",
		"a\u202eb":              `a\u202eb`,
		strings.Repeat("k", 64): strings.Repeat("k", 64),
		strings.Repeat("k", 65): strings.Repeat("k", 46) + "~" + HashedName([]byte(strings.Repeat("k", 65))),
		strings.Repeat("語", 22): strings.Repeat("語", 15) + "~" + HashedName([]byte(strings.Repeat("語", 22))),
	} {
		got := shown(key)
		if got != want {
			t.Errorf("%q: %s, not %s", key, got, want)
		}
	}
}

func FuzzName(f *testing.F) {
	for _, key := range []string{
		"", "user 42", "\x1b[2J", "\xff", `\`, strings.Repeat("\x00", 100), "a\u202e\ufeff",
		strings.Repeat("é", 40),
	} {
		f.Add([]byte(key), []byte(key+"x"))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		x, y := shown(string(a)), shown(string(b))
		for _, name := range []string{x, y, HashedName(a)} {
			bad := func(r rune) bool { return !strconv.IsPrint(r) }
			if name == "" || len(name) > MaxName || strings.ContainsFunc(name, bad) || !utf8.ValidString(name) {
				t.Fatalf("%q is not 1 to %d bytes of printable text", name, MaxName)
			}
		}
		if (x == y) != (string(a) == string(b)) {
			t.Fatalf("%q and %q are called %q and %q", a, b, x, y)
		}
	})
}
