package jhist

import (
	"encoding/json"
	"errors"
	"fmt"
)

// maxTypes and maxDepth bound a schema. Hadoop's has some 25 types, five deep.
const (
	maxTypes = 1000
	maxDepth = 20
)

// checkSchema rejects schemas that could make a decoder loop or recurse without end: types within themselves, and
// lists of elements without bytes. goavro reports all other errors.
func checkSchema(text string) error {
	var root any
	if err := json.Unmarshal([]byte(text), &root); err != nil {
		return fmt.Errorf("it is not JSON: %w", err)
	}
	c := schemaCheck{named: map[string]bool{}, open: map[string]bool{}}
	if _, err := c.empty(root, 0); err != nil {
		return err
	}
	return nil
}

type schemaCheck struct {
	named map[string]bool // types by name: whether a value may take no bytes
	open  map[string]bool // types being read
	types int
}

// empty reports whether a value of the type may take no bytes.
func (c *schemaCheck) empty(t any, depth int) (bool, error) {
	if c.types++; c.types > maxTypes || depth > maxDepth {
		return false, errors.New("it has too many types, or they are nested too deeply")
	}
	switch t := t.(type) {
	case string:
		if c.open[t] {
			return false, fmt.Errorf("type %q holds itself", t)
		}
		return t == "null" || c.named[t], nil
	case []any:
		for _, branch := range t {
			if _, err := c.empty(branch, depth+1); err != nil {
				return false, err
			}
		}
		return false, nil // a number selects the branch
	case map[string]any:
		return c.object(t, depth)
	}
	return false, errors.New("something in it is not a type")
}

func (c *schemaCheck) object(t map[string]any, depth int) (bool, error) {
	name, _ := t["name"].(string)
	switch kind := t["type"]; kind {
	case "record", "error":
		space, _ := t["namespace"].(string)
		names := []string{name, space + "." + name}
		for _, n := range names {
			c.open[n] = true
		}
		fields, _ := t["fields"].([]any)
		none := true
		for _, f := range fields {
			field, _ := f.(map[string]any)
			empty, err := c.empty(field["type"], depth+1)
			if err != nil {
				return false, err
			}
			none = none && empty
		}
		for _, n := range names {
			delete(c.open, n)
			c.named[n] = none
		}
		return none, nil
	case "array", "map":
		inner := t["items"]
		if kind == "map" {
			inner = t["values"]
		}
		empty, err := c.empty(inner, depth+1)
		if err == nil && empty && kind == "array" {
			err = errors.New("a list of things that take no bytes")
		}
		return false, err
	case "fixed":
		size, _ := t["size"].(float64)
		c.named[name] = size == 0
		return size == 0, nil
	case "enum":
		return false, nil
	default:
		return c.empty(kind, depth+1) // a type in its own object, such as {"type": "long", "logicalType": …}
	}
}
