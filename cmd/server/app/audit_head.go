package app

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"procgraph/graph"
)

// headPublisher writes the head of the audit chain to the log and to audit.head in the data folder, so that somebody
// outside the database can tell later whether the chain was cut.
type headPublisher struct {
	file string
	log  *slog.Logger
	wake chan struct{}
	quit chan struct{}
	done chan struct{}

	mu     sync.Mutex
	latest graph.Head
}

func publishHeads(data string, log *slog.Logger) *headPublisher {
	p := &headPublisher{file: filepath.Join(data, "audit.head"), log: log, wake: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{})}
	go p.run()
	return p
}

// moved never waits for the disk: heads that come in quick succession are published once, the last of them.
func (p *headPublisher) moved(head graph.Head) {
	p.mu.Lock()
	if head.Sequence > p.latest.Sequence {
		p.latest = head
	}
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *headPublisher) run() {
	defer close(p.done)
	var published graph.Head
	for {
		select {
		case <-p.wake:
			published = p.publish(published)
		case <-p.quit:
			p.publish(published)
			return
		}
	}
}

// publish publishes the latest head unless it was, and answers the head that is published now.
func (p *headPublisher) publish(published graph.Head) graph.Head {
	p.mu.Lock()
	head := p.latest
	p.mu.Unlock()
	if head == published {
		return published
	}
	p.log.Info("audit head", "sequence", head.Sequence, "hash", head.Hash)
	if err := writeFile(p.file, fmt.Sprintf("%d %s\n", head.Sequence, head.Hash)); err != nil {
		p.log.Error("the audit head could not be written", "error", err)
		return published
	}
	return head
}

// stop publishes the last head. A request that was cut off may still tell of another one; it is not waited for.
func (p *headPublisher) stop() {
	close(p.quit)
	<-p.done
}

// writeFile replaces a file as a whole, readable by its owner alone.
func writeFile(path, content string) error {
	temp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }() // gone already when the rename succeeded
	if _, err = temp.WriteString(content); err == nil {
		err = temp.Sync()
	}
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}
