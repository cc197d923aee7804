package sinks

// Waiting returns how many events are not sent yet.
func (o *OpenLineage) Waiting() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.waiting)
}
