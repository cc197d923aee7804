package mutate

import (
	"bytes"
	"testing"
)

const sample = `{"n":1,"plan":{"name":"a","jobs":[1,2]},"end":true}` + "\nkey: 12\nlist: [a, b]\n"

// TestApply holds what each change does, and that the file itself stays as it is.
func TestApply(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		change byte
		at     uint16 // in 65,536ths of the file
		arg    byte
		want   string
	}{
		{0, 3 << 8, 0, sample[:len(sample)*3/256]},
		{1, 0, 1, "y" + sample[1:]},
		{2, 0, 0, "key: 12\nlist: [a, b]\n"},
		{2, 0xffff, 3, sample + "list: [a, b]\nlist: [a, b]\n"},
		{3, 0, 0, `{"plan"` + sample[13:]},
		{3, 0x1800, 0, `{"n":1,"end":true}` + sample[51:]},
		{4, 0, 0, `{"n":-1` + sample[6:]},
		{5, 0x1800, 2, `{"n":1,"plan":false,"end":true}` + sample[51:]},
		{5, 0xb000, 8, sample[:52] + "key: []\nlist: [a, b]\n"},
		{6, 0, 1, "\xff" + sample},
		{7, 0, 3, "{{{{{{{{" + sample},
	} {
		file := []byte(sample)
		got := Apply(file, []byte{c.change, byte(c.at >> 8), byte(c.at), c.arg})
		if string(got) != c.want {
			t.Errorf("change %d at %#x: %q, want %q", c.change, c.at, got, c.want)
		}
		if string(file) != sample {
			t.Fatalf("change %d wrote into the file: %q", c.change, file)
		}
	}
}

// FuzzApply holds that no script panics, and that a script makes the same changes again.
func FuzzApply(f *testing.F) {
	Fuzz(f, [][]byte{[]byte(sample), []byte("a;b\n1;2\n"), {0}}, func(t *testing.T, _ int, file []byte) {
		once := Apply(file, file)
		if !bytes.Equal(once, Apply(file, file)) {
			t.Errorf("%q: another file at the second time", file)
		}
	})
}
