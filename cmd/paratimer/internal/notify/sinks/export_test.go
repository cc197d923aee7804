package sinks

// Waiting returns how many events are not sent yet.
func (o *OpenLineage) Waiting() int { return int(o.waiting.Load()) }
