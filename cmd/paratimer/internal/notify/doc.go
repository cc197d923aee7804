// Package notify makes sure that people hear of an alert: once, in order, and whatever happens to this process, its
// disk, or the other end.
//
// A stream is one alert (workflow, bound) towards one sink: what has been told of it and what must still be. Each frame
// is compared with its streams, so that a restart, or a second watcher that takes over, goes on where the first one
// left off. What follows is written with the alerts' state, as one file, before anything is sent; what was sent is
// marked after. A crash between the two sends again: Notification.ID is the same then.
//
// Each sink has a goroutine of its own. None of them ever holds up the loop.
package notify
