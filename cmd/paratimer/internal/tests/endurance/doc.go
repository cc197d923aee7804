// Package endurance tests that long watches use bounded memory, and measures large ones.
package endurance
