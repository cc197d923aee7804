package planfile

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	finding "github.com/santhosh-tekuri/jsonschema/v6/kind"
)

//go:embed plan.schema.json
var schemaText []byte

// Schema returns the JSON Schema (2020-12) of plan files.
func Schema() []byte { return bytes.Clone(schemaText) }

type compiled struct {
	noun   string // the kind of file
	doc    any    // the source of the schema, with titles for messages
	schema *jsonschema.Schema
}

var schema = sync.OnceValue(func() *compiled { return compile(schemaText, "plan") })

func compile(text []byte, noun string) *compiled {
	c := compiled{noun: noun}
	if err := json.Unmarshal(text, &c.doc); err != nil {
		panic(err) // it is part of the program, and a test reads it
	}
	url := noun + ".schema.json"
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(url, c.doc); err != nil {
		panic(err)
	}
	c.schema = compiler.MustCompile(url)
	return &c
}

// Bounds for the part of a list that the schema checks. The schema takes a microsecond per value and keeps an error
// for each. The decoder checks every scalar and list. The schema allows no list of more than maxMappings mappings.
const (
	shownScalars = 64
	maxMappings  = 100_000
)

// plain converts a tree to the form of the schema's library.
func plain(n *node) any {
	switch n.kind {
	case boolean:
		return n.text == "true"
	case number:
		return n.num
	case text:
		return n.text
	case list:
		shown := n.items
		if len(shown) > 0 && shown[0].kind != mapping {
			shown = shown[:min(len(shown), shownScalars)]
		}
		shown = shown[:min(len(shown), maxMappings+1)]
		out := make([]any, len(shown))
		for i, item := range shown {
			out[i] = plain(item)
		}
		return out
	case mapping:
		out := make(map[string]any, len(n.items))
		for i, k := range n.keys {
			out[k.text] = plain(n.items[i])
		}
		return out
	}
	return nil
}

// check returns the schema's faults of a tree, unordered.
func (c *compiled) check(root *node) []fault {
	err := c.schema.Validate(plain(root))
	if err == nil {
		return nil
	}
	var top *jsonschema.ValidationError
	if !errors.As(err, &top) {
		return []fault{{at: root, why: err.Error()}}
	}
	var faults []fault
	seen := make(map[string]bool)
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			walk(cause)
		}
		if len(e.Causes) > 0 {
			return
		}
		for _, f := range c.explain(root, e) {
			if id := fmt.Sprint(f.at.line, " ", f.at.col, " ", pathString(f.path)); !seen[id] {
				seen[id] = true
				faults = append(faults, f)
			}
		}
	}
	walk(top)
	return unmissed(faults)
}

// unmissed removes the fault of a missing field if a misspelt field stands for it.
func unmissed(faults []fault) []fault {
	meant := make(map[string]bool)
	for _, f := range faults {
		if f.meant != "" {
			meant[pathString(append(slices.Clone(f.path[:len(f.path)-1]), f.meant))] = true
		}
	}
	return slices.DeleteFunc(faults, func(f fault) bool { return f.meant == "" && meant[pathString(f.path)] })
}

// explain converts a finding of the library to faults of the file.
func (c *compiled) explain(root *node, e *jsonschema.ValidationError) []fault {
	at, rest := root.find(e.InstanceLocation)
	path := e.InstanceLocation[:len(e.InstanceLocation)-len(rest)]
	name := pathString(path)
	if name == "" {
		name = c.whole()
	}
	var faults []fault
	switch k := e.ErrorKind.(type) {
	case *finding.AdditionalProperties:
		known := c.fieldsAt(e.SchemaURL)
		for _, key := range at.keys {
			p := key.text
			if slices.Contains(known, p) {
				continue
			}
			if len(faults) > maxFaults {
				break
			}
			why, meant := c.unknownField(p, name, known)
			faults = append(faults, fault{at: key, path: append(slices.Clone(path), p), why: why, meant: meant})
		}
	case *finding.Required:
		for _, p := range k.Missing {
			faults = append(faults, fault{
				at: at, path: append(slices.Clone(path), p),
				why: fmt.Sprintf("%s has no %s, which it needs", name, quote(p)),
			})
		}
	case *finding.DependentRequired:
		for _, p := range k.Missing {
			faults = append(faults, fault{
				at: at, path: append(slices.Clone(path), p),
				why: fmt.Sprintf("%s has %s but no %s: each needs the other", name, quote(k.Prop), quote(p)),
			})
		}
	default:
		faults = []fault{{at: at, path: slices.Clone(path), why: fmt.Sprintf("%s is %s: it must be %s", name,
			at.shown(), c.title(e.SchemaURL))}}
	}
	return faults
}

// whole returns the name of the file in messages.
func (c *compiled) whole() string { return "the " + c.noun }

// title returns the title of the schema at url, or of the nearest one around it.
func (c *compiled) title(url string) string {
	found := "as the schema of " + c.noun + "s says"
	v := c.doc
	for _, step := range pointer(url) {
		if m, ok := v.(map[string]any); ok {
			if t, ok := m["title"].(string); ok {
				found = t
			}
		}
		v = descend(v, step)
	}
	if m, ok := v.(map[string]any); ok {
		if t, ok := m["title"].(string); ok {
			found = t
		}
	}
	return found
}

// fieldsAt returns the names of the fields of the schema at url.
func (c *compiled) fieldsAt(url string) []string {
	v := c.doc
	for _, step := range pointer(url) {
		v = descend(v, step)
	}
	m, _ := v.(map[string]any)
	properties, _ := m["properties"].(map[string]any)
	var names []string
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func pointer(url string) []string {
	_, fragment, _ := strings.Cut(url, "#/")
	if fragment == "" {
		return nil
	}
	return strings.Split(strings.NewReplacer("~1", "/", "~0", "~").Replace(fragment), "/")
}

func descend(v any, step string) any {
	switch v := v.(type) {
	case map[string]any:
		return v[step]
	case []any:
		if i, err := strconv.Atoi(step); err == nil && i < len(v) {
			return v[i]
		}
	}
	return nil
}
