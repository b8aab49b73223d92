// The bridge to tree-sitter: one call parses a text and copies its tree, so that no node costs a crossing into C.
#ifndef PROCGRAPH_TREE_H
#define PROCGRAPH_TREE_H

#include <stdbool.h>
#include <stdint.h>

// Node is a node of the tree. Nodes stand in the order of the text, parents before children.
typedef struct {
  uint32_t start, end; // bytes
  uint32_t parent;     // an index
  uint16_t symbol, field;
} Node;

typedef enum { PARSED, INVALID, TOO_DEEP, TOO_COMPLEX, OUT_OF_MEMORY } Outcome;

// Tree is what a parse gave. The caller frees the nodes.
typedef struct {
  Node *nodes; // only when it was parsed
  uint32_t count;
  uint32_t place; // of what is not valid or too deep
  Outcome outcome;
} Tree;

// prepare_parser takes the grammar, once and before all parsing. It answers false for one of another kind.
bool prepare_parser(const void *language);

// A parser is used by one parse at a time, and keeps memory that the next one needs.
typedef struct TSParser Parser;
Parser *new_parser(void);
void delete_parser(Parser *parser);

// parse_text parses UTF-8 text. Symbols without keep[symbol] are left out; they must be leaves. A tree deeper than
// max_depth, at most 1000, is given up.
Tree parse_text(Parser *parser, const char *text, uint32_t length, const bool *keep, uint32_t symbols,
                uint32_t max_depth);

#endif
