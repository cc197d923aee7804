package hadoop

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// queuesIn is a scheduler's answer with so many queues in each other; beside each there is an element of a wrong type.
func queuesIn(depth int) string {
	queue := `{"queueName":"deep"}`
	for range depth {
		queue = `{"queues":{"queue":[` + queue + `,5, "x"]}}`
	}
	return `{"scheduler":{"schedulerInfo":` + queue + `}}`
}

// TestNestedListsAreReadOnce: an element of a wrong type at each level does not double the work with each level.
func TestNestedListsAreReadOnce(t *testing.T) {
	t.Parallel()
	began := time.Now()
	var b schedulerBody
	if err := decode("scheduler", []byte(queuesIn(40)), &b); err != nil {
		t.Fatal(err)
	}
	if b.Scheduler.v.Info.v.find("deep") == nil {
		t.Error("the queue is lost")
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("%v", took)
	}
}

// TestNestedTooDeep: an answer that is nested without need is refused before it is decoded.
func TestNestedTooDeep(t *testing.T) {
	t.Parallel()
	var b schedulerBody
	if err := decode("scheduler", []byte(queuesIn(mostNested)), &b); !errors.Is(err, errTooBig) {
		t.Error(err)
	}
	for text, want := range map[string]int{``: 0, `5`: 0, `"[[["`: 0, `{"a\"[":[{}]}`: 3, `[[],[]]`: 2} {
		if got := nested([]byte(text)); got != want {
			t.Errorf("%s: %d", text, got)
		}
	}
}

// TestElements: only commas of the array itself part its elements, and elements of a wrong type are left out of a list.
func TestElements(t *testing.T) {
	t.Parallel()
	for array, want := range map[string][]string{
		`[]`: nil, `[ ]`: nil, `[1]`: {`1`}, `[1,-2.5e3]`: {`1`, `-2.5e3`}, `[[1,2],{"a":1,"b":[3,4]}]`: {`[1,2]`, `{"a":1,"b":[3,4]}`},
		`["a,b","\",\\",","]`: {`"a,b"`, `"\",\\"`, `","`}, "[{},\n{}\t, null ,true]": {`{}`, `{}`, `null`, `true`},
	} {
		var got []string
		for e := range elements([]byte(array)) {
			got = append(got, string(e))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q", array, got)
		}
	}
	var l list[wireTask]
	if err := l.UnmarshalJSON([]byte(`[{"id":"a"},5,` + strings.Repeat(" ", 9) + `{"id":"b"}]`)); err != nil || len(l) != 2 {
		t.Errorf("%v, %v", l, err)
	}
}
