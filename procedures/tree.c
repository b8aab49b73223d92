#include "tree.h"
#include <stdlib.h>

// The library is linked by the Go package of tree-sitter, whose header is not on our path. These declarations are
// those of its api.h, version 0.25. They are weak because cgo links each package alone once before it links all.
#define LIBRARY __attribute__((weak)) extern

typedef struct TSParser TSParser;
typedef struct TSTree TSTree;
typedef struct TSLanguage TSLanguage;
typedef struct { uint32_t row, column; } TSPoint;
typedef struct { uint32_t context[4]; const void *id; const TSTree *tree; } TSNode;
typedef struct { const void *tree, *id; uint32_t context[3]; } TSTreeCursor;
typedef enum { TSInputEncodingUTF8 } TSInputEncoding;
typedef struct {
  void *payload;
  const char *(*read)(void *payload, uint32_t byte_index, TSPoint position, uint32_t *bytes_read);
  TSInputEncoding encoding;
  uint32_t (*decode)(const uint8_t *string, uint32_t length, int32_t *code_point);
} TSInput;
typedef struct { void *payload; uint32_t current_byte_offset; bool has_error; } TSParseState;
typedef struct { void *payload; bool (*progress_callback)(TSParseState *state); } TSParseOptions;

LIBRARY TSParser *ts_parser_new(void);
LIBRARY void ts_parser_delete(TSParser *);
LIBRARY bool ts_parser_set_language(TSParser *, const TSLanguage *);
LIBRARY TSTree *ts_parser_parse_with_options(TSParser *, const TSTree *, TSInput, TSParseOptions);
LIBRARY void ts_tree_delete(TSTree *);
LIBRARY TSNode ts_tree_root_node(const TSTree *);
LIBRARY TSTreeCursor ts_tree_cursor_new(TSNode);
LIBRARY void ts_tree_cursor_delete(TSTreeCursor *);
LIBRARY TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
LIBRARY uint16_t ts_tree_cursor_current_field_id(const TSTreeCursor *);
LIBRARY bool ts_tree_cursor_goto_first_child(TSTreeCursor *);
LIBRARY bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
LIBRARY bool ts_tree_cursor_goto_parent(TSTreeCursor *);
LIBRARY uint16_t ts_node_symbol(TSNode);
LIBRARY uint32_t ts_node_start_byte(TSNode);
LIBRARY uint32_t ts_node_end_byte(TSNode);
LIBRARY bool ts_node_is_missing(TSNode);
LIBRARY bool ts_node_has_error(TSNode);

enum { CHUNK = 4096, DEPTH = 1000 };

// Source is the text with what is left of the two budgets. Both count work and not time, so that the same text
// always has the same answer. Without the second one, a scanner that runs to the end of the text from each of its
// places would never come back to be stopped.
typedef struct {
  const char *text;
  uint32_t length;
  uint64_t steps, chunks;
} Source;

static const char *read_chunk(void *payload, uint32_t index, TSPoint position, uint32_t *size) {
  (void)position;
  Source *source = payload;
  if (index >= source->length || source->chunks == 0) {
    *size = 0;
    return "";
  }
  source->chunks--;
  uint32_t rest = source->length - index;
  *size = rest < CHUNK ? rest : CHUNK;
  return source->text + index;
}

static bool is_spent(TSParseState *state) {
  Source *source = state->payload;
  if (source->steps == 0 || source->chunks == 0) return true;
  source->steps--;
  return false;
}

// copy_tree walks with one cursor: never recursively, because the depth is the author's choice.
static void copy_tree(TSNode root, const bool *keep, uint32_t symbols, uint32_t max_depth, Tree *out) {
  uint32_t parents[DEPTH + 1] = {0};
  uint32_t depth = 0, capacity = 1024;
  if (max_depth > DEPTH) max_depth = DEPTH;
  out->nodes = malloc(capacity * sizeof(Node));
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  for (;;) {
    if (out->count == capacity) {
      capacity *= 2;
      Node *grown = realloc(out->nodes, capacity * sizeof(Node));
      if (!grown) free(out->nodes);
      out->nodes = grown;
    }
    if (!out->nodes) {
      out->outcome = OUT_OF_MEMORY;
      break;
    }
    TSNode node = ts_tree_cursor_current_node(&cursor);
    uint16_t symbol = ts_node_symbol(node);
    bool missing = ts_node_is_missing(node);
    if (missing || symbol >= symbols || keep[symbol]) {
      parents[depth] = out->count;
      out->nodes[out->count++] = (Node){
          .start = ts_node_start_byte(node),
          .end = ts_node_end_byte(node),
          .parent = depth ? parents[depth - 1] : 0,
          .symbol = symbol,
          .field = ts_tree_cursor_current_field_id(&cursor),
          .missing = missing,
      };
      if (ts_tree_cursor_goto_first_child(&cursor)) {
        if (++depth <= max_depth) continue;
        out->place = ts_node_start_byte(node);
        out->outcome = TOO_DEEP;
        break;
      }
    }
    while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
      if (!ts_tree_cursor_goto_parent(&cursor)) goto done;
      depth--;
    }
  }
done:
  ts_tree_cursor_delete(&cursor);
}

Tree parse_text(const void *language, const char *text, uint32_t length, const bool *keep, uint32_t symbols,
                uint32_t max_depth, uint64_t max_steps) {
  Tree out = {.outcome = PARSED};
  Source source = {.text = text, .length = length, .steps = max_steps, .chunks = max_steps};
  TSParser *parser = ts_parser_new();
  ts_parser_set_language(parser, language);
  TSTree *tree = ts_parser_parse_with_options(
      parser, NULL, (TSInput){.payload = &source, .read = read_chunk, .encoding = TSInputEncodingUTF8},
      (TSParseOptions){.payload = &source, .progress_callback = is_spent});
  if (!tree || source.chunks == 0) {
    out.outcome = TOO_COMPLEX;
  } else {
    TSNode root = ts_tree_root_node(tree);
    out.has_error = ts_node_has_error(root);
    copy_tree(root, keep, symbols, max_depth, &out);
  }
  if (tree) ts_tree_delete(tree);
  ts_parser_delete(parser);
  return out;
}
