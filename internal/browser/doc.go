// Package browser contains only tests. They open the program's pages as a reader does: in a real headless Chromium,
// from a file, without network.
package browser
