package cli

import (
	"io"
	"os"
)

// keyboard hands what is typed to one question after the other. Were each to read the terminal itself, a reader that is
// left of the question before could take the first key of the next.
type keyboard struct {
	terminal *os.File
	typed    chan []byte // closed at the end of the input
}

func newKeyboard(terminal *os.File) *keyboard {
	k := &keyboard{terminal: terminal, typed: make(chan []byte)}
	go func() {
		defer close(k.typed)
		for {
			b := make([]byte, 256)
			n, err := terminal.Read(b)
			if n > 0 {
				k.typed <- b[:n]
			}
			if err != nil {
				return
			}
		}
	}()
	return k
}

// keys is the keyboard during one question. It has no Name, by which a terminal would be known and read itself; its Fd
// is there to set the mode of the terminal.
type keys struct {
	of   *keyboard
	rest []byte
	over chan struct{} // closed when the question is answered
}

func (k *keyboard) keys() *keys { return &keys{of: k, over: make(chan struct{})} }

func (k *keys) Read(p []byte) (int, error) {
	if len(k.rest) == 0 {
		select {
		case <-k.over:
			return 0, io.EOF
		default:
		}
		select {
		case <-k.over:
			return 0, io.EOF
		case typed, ok := <-k.of.typed:
			if !ok {
				return 0, io.EOF
			}
			k.rest = typed
		}
	}
	n := copy(p, k.rest)
	k.rest = k.rest[n:]
	return n, nil
}

func (k *keys) Write(p []byte) (int, error) { return k.of.terminal.Write(p) }

// Close is of no effect: the terminal is the process's.
func (k *keys) Close() error { return nil }

// Fd is the terminal's.
func (k *keys) Fd() uintptr { return k.of.terminal.Fd() }
