package procedures

/*
#cgo CFLAGS: -std=c11
#cgo darwin LDFLAGS: -Wl,-undefined,dynamic_lookup
#include <stdlib.h>
#include "tree.h"
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// node is a node of the syntax tree. Its children are the nodes from its own index + 1 up to after, each followed by
// its own; comments and most tokens are left out.
type node struct {
	start, end int32 // bytes
	parent     int32
	after      int32 // the index behind its last descendant
	kind       kind
	field      field
}

// syntax is a parsed text. Node 0 is the module.
type syntax struct {
	text    string
	nodes   []node
	invalid bool  // some part did not parse
	errorAt int32 // where; only when invalid
}

// stepsFor bounds a parse, in hundreds of the parser's operations. Ordinary code needs about a tenth of it.
func stepsFor(text string) uint64 { return 1000 + uint64(len(text))/4 }

// parse parses text that the source rules allow. Refused is text whose tree is too deep, or that would keep the
// parser busy out of all proportion.
func parse(text string) (*syntax, *SourceError) {
	g := pythonGrammar
	//nolint:gosec // the callee only reads the text and the table, and keeps neither
	tree := C.parse_text(unsafe.Pointer(g.language.Inner), (*C.char)(unsafe.Pointer(unsafe.StringData(text))),
		C.uint32_t(len(text)), (*C.bool)(unsafe.SliceData(g.keep)), C.uint32_t(len(g.keep)),
		maxTreeDepth, C.uint64_t(stepsFor(text)))
	defer C.free(unsafe.Pointer(tree.nodes)) //nolint:gosec // the callee allocated them
	switch tree.outcome {
	case C.TOO_DEEP:
		return nil, refuse(text, int(tree.place), "NESTED_TOO_DEEPLY",
			fmt.Sprintf("The expression is nested more than %d deep.", maxTreeDepth))
	case C.TOO_COMPLEX:
		return nil, refuse(text, 0, "TOO_COMPLEX", "The code is too complex to be analysed.")
	case C.OUT_OF_MEMORY:
		return nil, refuse(text, 0, "TOO_COMPLEX", "The memory does not suffice to analyse the code.")
	}
	s := &syntax{text: text, nodes: make([]node, tree.count), invalid: bool(tree.has_error), errorAt: -1}
	for i, n := range unsafe.Slice(tree.nodes, int(tree.count)) { //nolint:gosec // count is the callee's
		k := kError // the symbol of an error is none of the grammar's
		if int(n.symbol) < len(g.kinds) {
			k = g.kinds[n.symbol]
		}
		if s.errorAt < 0 && (k == kError || bool(n.missing)) {
			s.errorAt = int32(n.start)
		}
		s.nodes[i] = node{int32(n.start), int32(n.end), int32(n.parent), int32(i) + 1, k, g.fields[n.field]}
	}
	for i := len(s.nodes) - 1; i > 0; i-- {
		parent := &s.nodes[s.nodes[i].parent]
		parent.after = max(parent.after, s.nodes[i].after)
	}
	return s, nil
}

// of is the text of a node.
func (s *syntax) of(i int32) string { return s.text[s.nodes[i].start:s.nodes[i].end] }

// first is the first child of a node, or -1.
func (s *syntax) first(i int32) int32 {
	if i+1 < s.nodes[i].after {
		return i + 1
	}
	return -1
}

// next is the sibling behind a node, or -1.
func (s *syntax) next(i int32) int32 {
	after := s.nodes[i].after
	if i != 0 && after < s.nodes[s.nodes[i].parent].after {
		return after
	}
	return -1
}

// child is the first child with a role, or -1.
func (s *syntax) child(i int32, f field) int32 {
	for c := s.first(i); c >= 0; c = s.next(c) {
		if s.nodes[c].field == f {
			return c
		}
	}
	return -1
}

// children counts the children of a node.
func (s *syntax) children(i int32) int {
	count := 0
	for c := s.first(i); c >= 0; c = s.next(c) {
		count++
	}
	return count
}
