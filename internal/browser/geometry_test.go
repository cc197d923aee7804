package browser

import _ "embed"

// geometry collects every text that is shown, clipped by what scrolls, and reports which lie on each other and how wide
// the page is.
//
//go:embed testdata/geometry.js
var geometry string
