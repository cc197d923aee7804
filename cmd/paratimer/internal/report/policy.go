package report

import (
	"crypto/sha256"
	"encoding/base64"
	"html/template"
)

// style and script are what the page looks like and what it does with JavaScript: the only ones that its policy lets
// run.
var (
	style  = template.CSS(asset("style.css"))
	script = template.JS(asset("script.js"))
)

// filePolicy is the Content-Security-Policy of a file: nothing is loaded, sent or framed, and no style or script but
// ours counts.
var filePolicy = "default-src 'none'; style-src '" + digest(string(style)) + "'; script-src '" +
	digest(string(script)) +
	"'; img-src data:; base-uri 'none'; form-action 'none'"

// LivePolicy is that of a live page, which may ask the server that it came from.
var LivePolicy = filePolicy + "; connect-src 'self'"

// digest is how a policy names an inline style or script.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// asset is a file that is part of the program.
func asset(name string) string {
	b, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err)
	}
	return string(b)
}
