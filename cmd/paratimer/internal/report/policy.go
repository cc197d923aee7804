package report

import (
	"crypto/sha256"
	"encoding/base64"
	"html/template"
)

// style and script are the page's style sheet and JavaScript: the only ones that its policy allows.
var (
	style  = template.CSS(asset("style.css"))
	script = template.JS(asset("script.js"))
)

// filePolicy is the Content-Security-Policy of a file. It allows no request, form or frame, and only our own style
// and script.
var filePolicy = "default-src 'none'; style-src '" + digest(string(style)) + "'; script-src '" +
	digest(string(script)) +
	"'; img-src data:; base-uri 'none'; form-action 'none'"

// LivePolicy is the policy of a live page, which may send requests to its own server.
var LivePolicy = filePolicy + "; connect-src 'self'"

// digest returns the hash of an inline style or script for a policy.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// asset returns the content of an embedded file.
func asset(name string) string {
	b, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err)
	}
	return string(b)
}
