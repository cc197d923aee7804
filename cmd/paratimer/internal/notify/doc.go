// Package notify delivers each alert once and in order, even if this process, its disk or the receiver fails.
//
// A stream is one alert (workflow, bound) at one sink: what was sent and what waits to be sent. Each frame is
// compared with its streams, so a restart, or a second watcher that takes over, continues where the first one
// stopped. The notifications that follow are written with the alerts' state, as one file, before anything is sent;
// they are marked as sent afterwards. A crash between the two sends them again, with the same Notification.ID.
//
// Each sink has its own goroutine. No sink delays the loop.
package notify
