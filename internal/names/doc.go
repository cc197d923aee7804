// Package names holds the test that no source lets a text from outside in as it came: each is fed hostile names in
// every text of its input, and every string of its plans and snapshots is looked at.
package names
