package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
)

// The part of CycloneDX 1.5 (https://cyclonedx.org/docs/1.5/json/) that we say.
type bom struct {
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Serial       string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp string    `json:"timestamp,omitempty"`
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Licences   []licenced `json:"licenses,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Alg     string `json:"alg"`
	Content string `json:"content"`
}

type licenced struct {
	Licence struct {
		ID string `json:"id"`
	} `json:"license"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn,omitempty"`
}

// writeBill writes the bill of a release.
func writeBill(w io.Writer, r release, found map[string]licence) error {
	main := component{
		Type: "application", Ref: purl(r.main), Name: r.main.Path, Version: r.main.Version, PURL: purl(r.main),
		Licences:   licencesOf(found, r.main.Path),
		Properties: []property{{"paratimer:target", r.target}},
	}
	std := debug.Module{Path: "std", Version: strings.TrimPrefix(r.goes, "go")}
	b := bom{
		Format: "CycloneDX", Spec: "1.5", Version: 1, Metadata: metadata{Timestamp: r.time, Component: main},
		Components: []component{{
			Type: "library", Ref: purl(std), Name: std.Path, Version: std.Version, PURL: purl(std), Licences: licencesOf(found, "std"),
		}},
	}
	on := []string{purl(std)}
	for _, m := range r.modules {
		sum, err := hexSum(m.Sum)
		if err != nil {
			return fmt.Errorf("%s: %w", m.Path, err)
		}
		b.Components = append(b.Components, component{
			Type: "library", Ref: purl(m), Name: m.Path, Version: m.Version, PURL: purl(m),
			Hashes: []hash{{"SHA-256", sum}}, Licences: licencesOf(found, m.Path),
			Properties: []property{{"go:sum", m.Sum}},
		})
		on = append(on, purl(m))
	}
	b.Dependencies = []dependency{{Ref: purl(r.main), On: on}}
	body, err := json.Marshal(b)
	if err != nil {
		return err
	}
	b.Serial = serial(body)
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(b)
}

// purl is a module's package URL.
func purl(m debug.Module) string { return "pkg:golang/" + m.Path + "@" + m.Version }

// hexSum is the SHA-256 in a go.sum hash: that of the list of the module's files and their hashes.
func hexSum(h1 string) (string, error) {
	text, ok := strings.CutPrefix(h1, "h1:")
	raw, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(raw) != sha256.Size {
		return "", fmt.Errorf("%q is no hash of go.sum", h1)
	}
	return hex.EncodeToString(raw), nil
}

// serial is a UUID (version 8) of what the bill says: the same bill, the same number.
func serial(body []byte) string {
	h := sha256.Sum256(body)
	h[6] = h[6]&0x0f | 0x80
	h[8] = h[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

func licencesOf(found map[string]licence, path string) []licenced {
	id := found[path].id
	if id == "" {
		return nil
	}
	var l licenced
	l.Licence.ID = id
	return []licenced{l}
}
