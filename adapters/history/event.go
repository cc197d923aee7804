package history

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/dag"
)

// An event is one fact about a job: an event of a .jhist file, or a part of a Rumen trace. It has the decoded values of
// JSON or Avro by their names in lower case, because the names of both differ by case (Events.avpr). A value of an
// unexpected type is unknown.
type event map[string]any

// eventOf returns the fields of an object. Other values have none.
func eventOf(v any) event {
	object, _ := v.(map[string]any)
	e := make(event, len(object))
	for name, v := range object {
		e[strings.ToLower(name)] = v
	}
	return e
}

// eventsOf returns the objects in a list.
func eventsOf(v any) []event {
	list, _ := v.([]any)
	out := make([]event, len(list))
	for i := range list {
		out[i] = eventOf(list[i])
	}
	return out
}

// value returns a field. A nullable value of Avro is an object with its type's name: {"string": "x"}.
func (e event) value(name string) any {
	if union, ok := e[name].(map[string]any); ok && len(union) == 1 {
		for _, v := range union {
			return v
		}
	}
	return e[name]
}

// text returns a text that is not cleaned: it may be a list or have several lines, and callers clean each part.
func (e event) text(name string) string {
	s, _ := e.value(name).(string)
	return s
}

func (e event) label(name string) string { return dag.Clean(e.text(name)) }

func (e event) number(name string) loose.Optional { return numberOf(e.value(name)) }

func numberOf(v any) loose.Optional {
	switch v := v.(type) {
	case float64:
		return loose.Some(v)
	case int32:
		return loose.Some(float64(v))
	case int64:
		return loose.Some(float64(v))
	case string:
		return loose.ParseOptional(v)
	}
	return loose.Optional{}
}

// instant converts milliseconds since the epoch. Times from the year 2248 on are implausible, thus unknown.
func (e event) instant(name string) dag.Instant {
	n := e.number(name)
	if n.V >= 1<<43 {
		return dag.NoInstant
	}
	return n.Instant()
}

// node returns the name of a node in the form of its web address.
func (e event) node(host, port string) string {
	name, at := e.label(host), e.number(port)
	if name == "" || at.V <= 0 {
		return name
	}
	return fmt.Sprintf("%s:%d", name, int64(at.V))
}

// counters returns a set of counters as a flat list. A task has about fifty.
func (e event) counters(name string) (out []mrjob.Counter) {
	set := eventOf(e[name])
	if set["groups"] == nil { // in attempts without success they are nullable
		set = eventOf(e.value(name))
	}
	for _, group := range eventsOf(set["groups"]) {
		for _, c := range eventsOf(group["counts"]) {
			if n := c.number("value"); n.Known {
				out = append(out, mrjob.Counter{Group: group.label("name"), Name: c.label("name"), Value: n.V})
			}
		}
	}
	return out
}

// job returns the id of the event's job; "" if it has none.
func (e event) job() string {
	if id := e.label("jobid"); id != "" {
		return id
	}
	for _, name := range []string{"applicationattemptid", "attemptid", "taskid"} {
		part := strings.SplitN(e.label(name), "_", 4)
		if len(part) == 4 && slices.Contains([]string{"task", "attempt", "appattempt"}, part[0]) {
			return "job_" + part[1] + "_" + part[2]
		}
	}
	return ""
}
