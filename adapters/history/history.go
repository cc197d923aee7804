// Package history reads the histories of finished MapReduce jobs and replays them, as if a live watcher had observed
// the jobs.
//
// It reads the history files of MapReduce's masters (.jhist) in text and binary form, and Rumen traces. All formats
// become events (see event), which build a Job (see transitions). The jobs of one workflow make a Source. At each
// instant, its snapshots show only what a live watcher could have known. Warnings list the facts that a history does
// not contain. HDFS and WebFile open histories on servers.
//
// Files of different versions have different fields; a missing field is unknown.
package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/linkedin/goavro/v2"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// Bounds of the memory that a file can make a reader use.
const (
	maxEvent  = 16 << 20 // bytes of an event, and of the schema
	maxEvents = 64 << 20
	maxJobs   = 100_000
)

var (
	// ErrOther means that a file is not a history that this package can read.
	ErrOther = errors.New("neither a job history file nor a Rumen trace, nor a history file of Tez or an event log of Spark")
	// errEventLog means that a file is an event log of Spark.
	errEventLog = fmt.Errorf("%w: it is an event log of Spark", ErrOther)
	errBad      = errors.New("not an event")
)

// Read reads the jobs of one history file or trace, which may be compressed. If the file is cut off, Read returns what
// is complete.
func Read(r io.Reader) ([]*Job, error) {
	kind, all, err := recording.Sniff(r)
	switch {
	case err != nil:
		return nil, err
	case kind == recording.History:
		j, err := readEvents(all)
		if err != nil {
			return nil, err
		}
		return []*Job{j}, nil
	case kind == recording.Trace:
		return readTrace(all)
	case kind == recording.EventLog:
		return nil, errEventLog
	}
	return nil, ErrOther
}

// A decoder returns the next event as decoded JSON, nil for a blank line. It returns io.EOF after the last event,
// io.ErrUnexpectedEOF if the file is cut off within an event, and errBad for a damaged event that others may follow.
type decoder func() (any, error)

// readEvents reads a history file. If it is cut off, the job has Torn set.
func readEvents(r io.Reader) (*Job, error) {
	next, err := open(bufio.NewReaderSize(r, 1<<16))
	if err != nil {
		return nil, fmt.Errorf("jhist: %w", err)
	}
	b := builder{attempts: map[string]*Attempt{}}
	var run input.Streak
	for n := 1; n <= maxEvents; n++ {
		v, err := next()
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return b.finish(!errors.Is(err, io.EOF))
		case errors.Is(err, errBad), err == nil && v != nil && !b.takeLine(v):
			b.bad++
			err = run.Bad()
		case err == nil && v == nil:
			err = run.Bad()
		case err == nil:
			run.Good()
		}
		if err != nil {
			return nil, fmt.Errorf("jhist: event %d: %w", n, err)
		}
	}
	return nil, errors.New("jhist: too many events")
}

// open returns the events of a file. The first line is Avro-Json or Avro-Binary, the second is the schema of its
// events. The events follow: as JSON, one per line with empty lines between, or as bare Avro records without a
// container (facts/hadoop.md D).
func open(in *bufio.Reader) (decoder, error) {
	line, err := input.Line(in, maxEvent)
	format := string(bytes.TrimSpace(line))
	if err != nil || format != "Avro-Json" && format != "Avro-Binary" {
		return nil, errors.New("its first line is neither Avro-Json nor Avro-Binary. ParaTimer does not read the history of " +
			"a JobTracker (Hadoop 0.18 to 1.x): make a trace of it with TraceBuilder, a part of Hadoop's Rumen")
	}
	schema, err := input.Line(in, maxEvent)
	if err != nil {
		return nil, fmt.Errorf("the schema in line 2 is missing: %w", err)
	}
	if format == "Avro-Json" {
		return jsonEvents(in), nil
	}
	return avroEvents(in, schema)
}

// jsonEvents reads events in Avro's JSON encoding.
func jsonEvents(in *bufio.Reader) decoder {
	return func() (v any, err error) {
		line, err := input.Line(in, maxEvent)
		cut := errors.Is(err, io.ErrUnexpectedEOF)
		switch {
		case err != nil && !cut:
			return nil, err
		case len(bytes.TrimSpace(line)) == 0, json.Unmarshal(line, &v) == nil:
			return v, nil // a complete event even if the line's end is missing
		case cut:
			return nil, io.ErrUnexpectedEOF
		}
		return nil, errBad
	}
}

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
	return units.Each(list, eventOf)
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

func (e event) number(name string) input.Optional { return numberOf(e.value(name)) }

func numberOf(v any) input.Optional {
	switch v := v.(type) {
	case float64:
		return input.Some(v)
	case int32:
		return input.Some(float64(v))
	case int64:
		return input.Some(float64(v))
	case string:
		return input.ParseOptional(v)
	}
	return input.Optional{}
}

func (e event) instant(name string) dag.Instant { return e.number(name).Instant() }

// node returns the name of a node in the form of its web address.
func (e event) node(host, port string) string {
	name, at := e.label(host), e.number(port)
	if name == "" || at.V <= 0 {
		return name
	}
	return fmt.Sprintf("%s:%d", name, int64(at.V))
}

// counters returns a set of counters as a flat list. A task has about fifty.
func (e event) counters(name string) (out []mapreduce.Counter) {
	set := eventOf(e[name])
	if set["groups"] == nil { // in attempts without success they are nullable
		set = eventOf(e.value(name))
	}
	for _, group := range eventsOf(set["groups"]) {
		for _, c := range eventsOf(group["counts"]) {
			if n := c.number("value"); n.Known {
				out = append(out, mapreduce.Counter{Group: group.label("name"), Name: c.label("name"), Value: n.V})
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

// maxBinary bounds the bytes of a file in binary encoding. An attempt takes 1 KB.
const maxBinary = 512 << 20

// maxItems bounds the announced items of an array or map, because goavro allocates memory for all of them at once.
const maxItems = 1 << 16

var bounded = sync.OnceFunc(func() { goavro.MaxBlockCount, goavro.MaxBlockSize = maxItems, maxEvent })

// avroEvents reads events in Avro's binary encoding, one bare record after another, by the file's own schema.
func avroEvents(in io.Reader, schema []byte) (decoder, error) {
	var root any
	if err := json.Unmarshal(schema, &root); err != nil {
		return nil, fmt.Errorf("the schema in line 2: it is not JSON: %w", err)
	}
	usable := usableTypes{"boolean": true, "int": true, "long": true, "float": true, "double": true, "string": true}
	err := usable.add(root)
	bounded()
	var codec *goavro.Codec
	if err == nil {
		codec, err = goavro.NewCodec(string(schema))
	}
	if err != nil {
		return nil, fmt.Errorf("the schema in line 2: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(in, maxBinary+1))
	if len(data) > maxBinary {
		return nil, fmt.Errorf("it is longer than %d bytes", maxBinary)
	}
	end := io.EOF
	if errors.Is(err, io.ErrUnexpectedEOF) { // the file is cut off
		end, err = err, nil
	}
	return func() (native any, err error) {
		if len(data) == 0 {
			return nil, end
		}
		native, data, err = codec.NativeFromBinary(data)
		switch {
		case err == nil:
			return native, nil
		// goavro reports missing data only in the error's text.
		case strings.Contains(err.Error(), io.ErrShortBuffer.Error()), strings.Contains(err.Error(), io.EOF.Error()):
			return nil, io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("it does not match the schema in line 2: %w", err)
	}, err
}

// usableTypes are the types that a part of a schema may refer to, by name: complete ones with values of at least one
// byte. A type within itself could make a decoder recurse without end, and a few bytes could announce any number of
// values without bytes. A union's value has the byte that selects its type, so null is allowed there.
type usableTypes map[string]bool

// add checks a type, and adds it if it has a name.
func (u usableTypes) add(t any) error {
	name := ""
	var inner []any
	switch t := t.(type) {
	case string:
		if !u[baseName(t)] {
			return fmt.Errorf("type %q cannot be used here", t)
		}
		return nil
	case []any:
		inner = slices.DeleteFunc(slices.Clone(t), func(branch any) bool { return branch == "null" })
	case map[string]any:
		s, _ := t["name"].(string)
		name = baseName(s)
		switch kind := t["type"]; kind {
		case "record":
			fields, _ := t["fields"].([]any)
			for _, f := range fields {
				field, _ := f.(map[string]any)
				inner = append(inner, field["type"])
			}
		case "enum":
			inner = []any{"int"}
		case "array":
			inner = []any{t["items"]}
		case "map":
			inner = []any{t["values"]}
		default:
			inner = []any{kind} // a type in its own object, such as {"type": "long", "logicalType": …}
		}
	}
	if _, again := u[name]; again || len(inner) == 0 {
		return fmt.Errorf("type %q is defined twice, or takes no bytes", name)
	}
	if name != "" {
		u[name] = false
		defer func() { u[name] = true }()
	}
	for _, t := range inner {
		if err := u.add(t); err != nil {
			return err
		}
	}
	return nil
}

// baseName returns a type's name without its namespace.
func baseName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
