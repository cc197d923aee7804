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
)

// jsonEvents reads events in Avro's JSON encoding. Union values are objects with one key, the type's name.
func jsonEvents(in *bufio.Reader) events {
	return func(e *event) error {
		l, err := line(in)
		cut := errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !cut {
			return err
		}
		if err = decode([]byte(l), e); err != nil && cut {
			return io.ErrUnexpectedEOF
		}
		return err // nil for a complete event even if the line's end is missing
	}
}

// decode parses one event. It leaves out the fields of an event that changes nothing. A blank line has no kind.
func decode(b []byte, e *event) error {
	if len(bytes.TrimSpace(b)) == 0 {
		return nil
	}
	var w struct {
		Type string                     `json:"type"`
		Body map[string]json.RawMessage `json:"event"`
	}
	if json.Unmarshal(b, &w) != nil || w.Type == "" {
		return errBad
	}
	if e.kind = w.Type; transitions[e.kind] == nil {
		return nil
	}
	if len(w.Body) != 1 {
		return errBad
	}
	for _, body := range w.Body {
		if json.Unmarshal(body, e) != nil {
			return errBad
		}
	}
	return nil
}

// maxBinary bounds the bytes of a file in binary encoding. An attempt takes 1 KB.
const maxBinary = 512 << 20

// avroEvents reads events in Avro's binary encoding, one bare record after another, by the file's own schema.
func avroEvents(in io.Reader, codec *goavro.Codec) (events, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxBinary+1))
	if len(data) > maxBinary {
		return nil, fmt.Errorf("it is longer than %d bytes", maxBinary)
	}
	end := io.EOF
	if errors.Is(err, io.ErrUnexpectedEOF) { // the file is cut off
		end, err = err, nil
	}
	return func(e *event) error {
		if len(data) == 0 {
			return end
		}
		native, rest, err := codec.NativeFromBinary(data)
		if err != nil {
			// goavro reports missing data only in the error's text.
			why := err.Error()
			if strings.Contains(why, io.ErrShortBuffer.Error()) || strings.Contains(why, io.EOF.Error()) {
				return io.ErrUnexpectedEOF
			}
			return fmt.Errorf("not what the schema in line 2 says: %w", err)
		}
		data = rest
		b, err := json.Marshal(native) // it has the shape of Avro's JSON
		if err != nil {
			return errBad // a float that is not a number
		}
		return decode(b, e)
	}, err
}

// maxItems bounds the announced items of an array or map, because goavro allocates memory for all of them at once.
const maxItems = 1 << 16

var bounded = sync.OnceFunc(func() { goavro.MaxBlockCount, goavro.MaxBlockSize = maxItems, maxEvent })

// codecOf returns the decoder of a schema.
func codecOf(schema string) (*goavro.Codec, error) {
	var root any
	if err := json.Unmarshal([]byte(schema), &root); err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	usable := usableTypes{"boolean": true, "int": true, "long": true, "float": true, "double": true, "string": true}
	if err := usable.add(root); err != nil {
		return nil, err
	}
	bounded()
	return goavro.NewCodec(schema)
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
		if !u[t[strings.LastIndexByte(t, '.')+1:]] {
			return fmt.Errorf("type %q cannot be used here", t)
		}
		return nil
	case []any:
		inner = slices.DeleteFunc(slices.Clone(t), func(branch any) bool { return branch == "null" })
	case map[string]any:
		name, _ = t["name"].(string)
		name = name[strings.LastIndexByte(name, '.')+1:]
		fields, _ := t["fields"].([]any)
		for _, f := range fields {
			field, _ := f.(map[string]any)
			inner = append(inner, field["type"])
		}
		switch kind := t["type"]; kind {
		case "record":
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
		return fmt.Errorf("type %q is there twice, or takes no bytes", name)
	}
	if name != "" {
		u[name] = false
	}
	for _, t := range inner {
		if err := u.add(t); err != nil {
			return err
		}
	}
	if name != "" {
		u[name] = true
	}
	return nil
}
