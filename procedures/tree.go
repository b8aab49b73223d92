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

// syntax is a parsed text. Node 0 is the module. Text that is not valid has no nodes.
type syntax struct {
	text    string
	nodes   []node
	errorAt int32 // about where the text is not valid, or -1
}

// prepareParser hands the grammar to the parser.
func prepareParser(language unsafe.Pointer) {
	if !bool(C.prepare_parser(language)) {
		panic("procedures: the Python grammar has another ABI than the one that tree.c declares")
	}
}

// idleParsers keeps some parsers for the next texts: making one costs as much as parsing a short text.
var idleParsers = make(chan *C.Parser, 8)

// maxKept is the size of text behind which a parser is not kept, for the memory that it may have taken.
const maxKept = 32 << 10

func takeParser() *C.Parser {
	select {
	case parser := <-idleParsers:
		return parser
	default:
		return C.new_parser()
	}
}

func giveBack(parser *C.Parser, length int) {
	if length <= maxKept {
		select {
		case idleParsers <- parser:
			return
		default:
		}
	}
	C.delete_parser(parser)
}

// parse parses text that the source rules allow. Refused is text whose tree is too deep, or that would keep the
// parser busy out of all proportion.
func parse(text string) (*syntax, *SourceError) {
	g := pythonGrammar
	parser := takeParser()
	defer giveBack(parser, len(text))
	// The callee only reads the text and the table, and keeps neither.
	tree := C.parse_text(parser, (*C.char)(unsafe.Pointer(unsafe.StringData(text))), C.uint32_t(len(text)),
		(*C.bool)(unsafe.SliceData(g.keep)), C.uint32_t(len(g.keep)), maxTreeDepth)
	defer C.free(unsafe.Pointer(tree.nodes))
	switch tree.outcome {
	case C.INVALID:
		return &syntax{text: text, errorAt: int32(tree.place)}, nil
	case C.TOO_DEEP:
		return nil, refuse(text, int(tree.place), "NESTED_TOO_DEEPLY",
			fmt.Sprintf("The expression is nested more than %d deep.", maxTreeDepth))
	case C.TOO_COMPLEX:
		return nil, refuse(text, 0, "TOO_COMPLEX", "The code is too complex to be analysed.")
	case C.OUT_OF_MEMORY:
		return nil, refuse(text, 0, "TOO_COMPLEX", "The memory does not suffice to analyse the code.")
	}
	s := &syntax{text: text, nodes: make([]node, tree.count), errorAt: -1}
	for i, n := range unsafe.Slice(tree.nodes, int(tree.count)) {
		k := kUnknown
		if int(n.symbol) < len(g.kinds) {
			k = g.kinds[n.symbol]
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
	if i >= 0 && i+1 < s.nodes[i].after {
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
