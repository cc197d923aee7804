package tap

import (
	"bytes"
	"reflect"
	"testing"
)

// FuzzDecode feeds anything to a collector. What it takes must be sendable again, and come back the same.
func FuzzDecode(f *testing.F) {
	for _, b := range batches() {
		out, err := b.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(out)
		f.Add(out[:len(out)/2])
	}
	for _, body := range []string{
		``, `null`, `[]`, `{"v":1}`, with(`"pts":[{"a":0,"b":1e18,"s":1e-300,"n":1}]`),
		with(`"PTS":[{"A":0,"B":1,"S":1,"N":1}]`),
		with(`"pts":[null]`), with(`"pts":null,"open":null,"map":null`), with(`"open":{"k":"\ud800","b":1,"s":1}`),
		withMap(`{"r":2,"b":[1,1e17],"n":0,"l":1,"top":null}`),
		withMap(`{"r":1,"b":[3],"n":1,"l":2,"top":[{"k":"a","r":0,"b":2.5}]}`),
		with(`"seq":5,"seq":6`), withMap(`{"r":-1,"b":[[[[]]]],"top":{}}`),
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		b, err := Decode(bytes.NewReader(body))
		if err != nil {
			if len(err.Error()) > 600 {
				t.Fatalf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		out, err := b.Encode()
		if err != nil {
			t.Fatalf("taken, but cannot be sent: %v", err)
		}
		again, err := Decode(bytes.NewReader(out))
		if err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		if !reflect.DeepEqual(b, again) {
			t.Fatalf("%+v\ncame back as\n%+v", b, again)
		}
	})
}
