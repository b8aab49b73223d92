package cli

import (
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
)

// bar shows on a terminal how far long work is. A nil one shows nothing.
type bar struct {
	writer  progress.Writer
	tracker *progress.Tracker
	done    chan struct{}
}

// newBar begins a bar on standard error when that is a terminal. A total of 0 is one that is not known.
func (a *app) newBar(message string, total int64, units progress.Units) *bar {
	if !a.errTerminal || a.json {
		return nil
	}
	w := progress.NewWriter()
	w.SetOutputWriter(a.errOut)
	w.SetAutoStop(false)
	w.SetNumTrackersExpected(1)
	w.SetTrackerLength(20)
	w.SetUpdateFrequency(100 * time.Millisecond)
	tracker := &progress.Tracker{Message: message, Total: total, Units: units}
	w.AppendTracker(tracker)
	b := &bar{writer: w, tracker: tracker, done: make(chan struct{})}
	go func() {
		w.Render()
		close(b.done)
	}()
	return b
}

func (b *bar) add(n int) {
	if b != nil {
		b.tracker.Increment(int64(n))
	}
}

// end leaves the bar as it is, so that other lines may follow.
func (b *bar) end(err error) {
	if b == nil {
		return
	}
	if err != nil {
		b.tracker.MarkAsErrored()
	} else {
		b.tracker.MarkAsDone()
	}
	for {
		b.writer.Stop() // of no effect before Render has begun
		select {
		case <-b.done:
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}
