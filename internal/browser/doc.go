// Package browser looks at the program's pages as a reader does: its tests open them in a real headless Chromium, from
// a file, with the network off. It has nothing else in it.
package browser
