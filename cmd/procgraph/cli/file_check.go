package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
)

// maxLine is longer than any line of an export.
const maxLine = 64 << 20

// fileCheck checks an export while it passes by: the header, and the end line with the count and the checksum of what
// comes before it. It keeps one line.
type fileCheck struct {
	sum   hash.Hash
	lines int    // that are in sum
	last  []byte // the newest line, and what has come of the next one
	whole bool   // last is a whole line
}

func newFileCheck() *fileCheck { return &fileCheck{sum: sha256.New()} }

// write takes the next bytes of the export.
func (c *fileCheck) write(p []byte) error {
	for len(p) > 0 {
		if c.whole {
			if err := c.count(); err != nil {
				return err
			}
		}
		i := bytes.IndexByte(p, '\n')
		c.whole = i >= 0
		if i < 0 {
			i = len(p) - 1
		}
		c.last = append(c.last, p[:i+1]...)
		p = p[i+1:]
		if len(c.last) > maxLine {
			return failed(codeBadFile, "line %d of the export is longer than %d MiB: what the server sends is no export", c.lines+1, maxLine>>20)
		}
	}
	return nil
}

// count takes the newest line as one that is not the last.
func (c *fileCheck) count() error {
	if c.lines == 0 {
		var header struct{ Kind, Format string }
		if json.Unmarshal(c.last, &header) != nil || header.Kind != "header" || header.Format != "procgraph" {
			return failed(codeBadFile, "what the server sends is no export of a procedure graph: is --server right?")
		}
	}
	c.sum.Write(c.last)
	c.lines++
	c.last, c.whole = c.last[:0], false
	return nil
}

// end checks the last line.
func (c *fileCheck) end() (lines int, sum string, err error) {
	var end struct {
		Kind   string
		Lines  int
		SHA256 string
	}
	sum = hex.EncodeToString(c.sum.Sum(nil))
	switch {
	case !c.whole || json.Unmarshal(c.last, &end) != nil || end.Kind != "end":
		return c.lines, sum, failed(codeBadFile, "the export ends after %d lines without its end line, so it was not kept: run it again", c.lines)
	case end.Lines != c.lines || end.SHA256 != sum:
		return c.lines, sum, failed(codeBadFile, "the export is not what its end line says, so it was not kept: run it again")
	}
	return c.lines, sum, nil
}
