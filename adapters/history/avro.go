package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/linkedin/goavro/v2"
)

// maxBinary bounds the bytes of a file in binary encoding. An attempt takes 1 KB.
const maxBinary = 512 << 20

// maxItems bounds the announced items of an array or map, because goavro allocates memory for all of them at once.
const maxItems = 1 << 16

var bounded = sync.OnceFunc(func() { goavro.MaxBlockCount, goavro.MaxBlockSize = maxItems, maxEvent })

// avroEvents reads events in Avro's binary encoding, one bare record after another, by the file's own schema.
func avroEvents(in io.Reader, schema []byte) (events, error) {
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
		return nil, fmt.Errorf("not what the schema in line 2 says: %w", err)
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
		return fmt.Errorf("type %q is there twice, or takes no bytes", name)
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
