package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A leaf accepts objects alone.
type leaf struct {
	ID string `json:"id"`
}

// A tree contains trees.
type tree struct {
	ID       string     `json:"id"`
	Children List[tree] `json:"children"`
}

type root struct {
	Root Box[struct {
		Leaves List[leaf]            `json:"leaves"`
		Texts  List[json.RawMessage] `json:"texts"`
		Tree   tree                  `json:"tree"`
	}] `json:"root"`
}

func decoded(text string) (*root, error) {
	var r root
	return &r, Decode("it", []byte(text), &r, Lists(len(text)))
}

// TestElements: only commas of the array itself part its elements, and elements of a wrong type are left out of a list.
func TestElements(t *testing.T) {
	t.Parallel()
	for array, want := range map[string][]string{
		`[]`: nil, `[ ]`: nil, `[1]`: {`1`}, `[1,-2.5e3]`: {`1`, `-2.5e3`}, `[[1,2],{"a":1,"b":[3,4]}]`: {
			`[1,2]`,
			`{"a":1,"b":[3,4]}`,
		},
		`["a,b","\",\\",","]`: {`"a,b"`, `"\",\\"`, `","`}, "[{},\n{}\t, null ,true]": {`{}`, `{}`, `null`, `true`},
	} {
		b, err := decoded(`{"root":{"texts":` + array + `}}`)
		var got []string
		for _, e := range b.Root.V.Texts {
			got = append(got, string(e))
		}
		if !slices.Equal(got, want) || err != nil {
			t.Errorf("%s: %q, %v", array, got, err)
		}
	}
	b, err := decoded(`{"root":{"leaves":[{"id":"a"},5,{"id":5},` + strings.Repeat(" ", 9) + `{"id":"b"}]}}`)
	if want := (List[leaf]{{"a"}, {"b"}}); err != nil || !slices.Equal(b.Root.V.Leaves, want) {
		t.Errorf("%v, %v", b.Root.V.Leaves, err)
	}
}

// TestLooseValues: a list may come as one object or as nothing, an object as anything; a root must be there.
func TestLooseValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		`{"root":{"leaves":{"id":"a"}}}`: 1, `{"root":{"LEAVES":[{"ID":"a"}],"x":[{}]}}`: 1, `{"root":{"leaves":{ }}}`: 0,
		`{"root":{"leaves":null}}`: 0, `{"root":{"leaves":"","leaves":7}}`: 0, `{"root":[]}`: 0, `{"root":null}`: 0,
		`{"root":{"le\u0061ves":[{"id":"a"},{"id":"b"}]}}`: 2,
	} {
		if b, err := decoded(text); err != nil || len(b.Root.V.Leaves) != want {
			t.Errorf("%s: %+v, %v", text, b.Root, err)
		}
	}
	for _, text := range []string{``, `{`, `<html></html>`, `{"root":{"leaves":[`} {
		if _, err := decoded(text); err == nil || !strings.HasPrefix(err.Error(), "it is not JSON: ") {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{`{}`, `null`, `[]`, `{"other":{}}`} {
		if _, err := decoded(text); err == nil {
			t.Errorf("%s passes for a root", text)
		}
	}
}

// nestedTree is a tree of so many levels; each takes an object and a list.
func nestedTree(levels int) string {
	return `{"root":{"tree":` + strings.Repeat(`{"children":[`, levels) + strings.Repeat(`]}`, levels) + `}}`
}

// TestNested counts the brackets of lists, and none in texts or in values that are skipped.
func TestNested(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 2*mostNested)
	for text, want := range map[string]bool{
		nestedTree(mostNested/2 - 1): true, nestedTree(mostNested / 2): false, nestedTree(10 * mostNested): false,
		`{"root":{"tree":{"id":"` + deep + `"}}}`:                                               true,
		`{"root":{"other":` + deep + strings.Repeat("]", 2*mostNested) + `}}`:                   true,
		`{"root":{"tree":{"children":[` + strings.Repeat(`{},`, 2*mostNested) + `{"id":""}]}}}`: true,
	} {
		if _, err := decoded(text); (err == nil) != want || err != nil && !errors.Is(err, ErrTooBig) {
			t.Errorf("%.60s: %v, want %v", text, err, want)
		}
	}
}

// TestListsAreBounded: the elements of all lists, also of lists in lists, draw on the limit of the request.
func TestListsAreBounded(t *testing.T) {
	t.Parallel()
	text := []byte(`{"root":{"leaves":[{},{},5],"texts":[1],"tree":{"children":[{"children":{"id":"a"}}]}}}`)
	size := 3*16 + 24 + 2*(16+24) // on 64 bits
	for limit, want := range map[int]bool{size: true, size - 1: false, 0: false} {
		var r root
		if err := Decode("it", text, &r, limit); (err == nil) != want || err != nil && !errors.Is(err, ErrTooBig) {
			t.Errorf("%d bytes: %v", limit, err)
		}
	}
}

// TestBrokenTextsEnd: whatever a text is, decoding it ends.
func TestBrokenTextsEnd(t *testing.T) {
	t.Parallel()
	whole := `{"root":{"tree":{"children":[{"id":"a\"b","children":{"id":"c"}},null,5,"x"]},"leaves":{"id":"x"}}}`
	for _, c := range []string{"", "[", "]", "{", "}", ",", ":", `"`, `\`, "x", " "} {
		for i := range whole {
			for _, text := range []string{whole[:i] + c, whole[:i] + c + whole[i:], whole[:i] + c + whole[i+1:]} {
				if _, err := decoded(text); err == nil && !json.Valid([]byte(text)) {
					t.Errorf("%s passes for JSON", text)
				}
			}
		}
	}
}

// FuzzDecode: whatever a response is, decoding it ends, and counts before it allocates.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{nestedTree(3), `{"root":{"leaves":[{"id":"a"},5]}}`, `{"root":7}`, `[`, "\x00"} {
		f.Add([]byte(text), 1000)
	}
	f.Fuzz(func(t *testing.T, text []byte, limit int) {
		var r root
		err := Decode("it", text, &r, limit)
		if n := len(r.Root.V.Leaves); err == nil && n > max(0, limit) {
			t.Errorf("%d elements within %d bytes", n, limit)
		}
		if err != nil && strings.Contains(err.Error(), "\x00") {
			t.Errorf("a control character in %q", fmt.Sprint(err))
		}
	})
}
