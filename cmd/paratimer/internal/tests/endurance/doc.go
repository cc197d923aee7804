// Package endurance holds that long watches need bounded memory, and measures large ones.
package endurance
