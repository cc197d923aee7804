package textkey

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestPartitionIsHadoops compares with what Hadoop computed: testdata/Partition.java says how.
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
		hash, _ := strconv.ParseInt(part[1], 10, 32)
		if got := Hash(key); got != int32(hash) {
			t.Errorf("%s: hash %d, Hadoop has %d", part[0], got, hash)
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
