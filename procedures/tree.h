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
  bool missing;
} Node;

typedef enum { PARSED, TOO_DEEP, TOO_COMPLEX, OUT_OF_MEMORY } Outcome;

// Tree is what a parse gave. The caller frees the nodes.
typedef struct {
  Node *nodes;
  uint32_t count;
  uint32_t place; // where the tree became too deep
  bool has_error;
  Outcome outcome;
} Tree;

// parse_text parses UTF-8 text. Symbols without keep[symbol] are left out; they must be leaves. A tree deeper than
// max_depth, at most 1000, is given up, and so is a parse of more than max_steps hundreds of parser operations.
Tree parse_text(const void *language, const char *text, uint32_t length, const bool *keep, uint32_t symbols,
                uint32_t max_depth, uint64_t max_steps);

#endif
