package cli

import (
	"context"
	"net"
)

// patientConn does not tell that a write failed: reading tells. A server that refuses an import answers and closes while
// the file is still being sent, and net/http would give up at the failed write, with the answer unread.
type patientConn struct {
	net.Conn
	broken bool
}

func (c *patientConn) Write(p []byte) (int, error) {
	if c.broken {
		return len(p), nil
	}
	n, err := c.Conn.Write(p)
	if err != nil {
		c.broken = true
		n = len(p)
	}
	return n, nil
}

func patientDial(dialer *net.Dialer) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &patientConn{Conn: conn}, nil
	}
}
