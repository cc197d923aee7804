// Package docs holds that documents show what the program does: their commands, pictures, links and published numbers.
package docs
