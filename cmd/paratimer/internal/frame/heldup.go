package frame

// A HeldUp says who holds the most of what a workflow waits for.
type HeldUp struct {
	ID    *string `json:"id"` // of the workflow that holds it up
	Name  *string `json:"name"`
	User  *string `json:"user"`
	Queue *string `json:"queue"`
	// Scope is what the two share: cluster, queue, user (what one user may hold in a queue), or masters (of the queue).
	Scope string `json:"scope"`
	// Containers are its own, of OfContainers that are held within the scope; in the scope masters they are masters.
	Containers   int     `json:"containers"`
	OfContainers int     `json:"of_containers"`
	ForSeconds   Seconds `json:"for_seconds"` // how long this has been so
	EndAt        *Time   `json:"end_at"`      // its predicted end
}
