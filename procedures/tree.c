#include "tree.h"
#include <stdlib.h>

// The library is linked by the Go package of tree-sitter, whose header is not on our path. These declarations are
// those of its api.h, version 0.25, and of the grammar's parser.h, ABI 14. They are weak because cgo links each
// package alone once before it links all.
#define LIBRARY __attribute__((weak)) extern

typedef struct TSParser TSParser;
typedef struct TSTree TSTree;
typedef struct TSLexer TSLexer;
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
typedef struct {
  uint32_t version, counts[8];
  uint16_t max_alias_sequence_length;
  const void *tables[15];
  uint16_t keyword_capture_token;
  struct {
    const void *states, *symbol_map;
    void *(*create)(void);
    void (*destroy)(void *);
    bool (*scan)(void *, TSLexer *, const bool *valid);
    unsigned (*serialize)(void *, char *);
    void (*deserialize)(void *, const char *, unsigned);
  } scanner;
  const void *primary_state_ids;
} TSLanguage;

LIBRARY void ts_set_allocator(void *(*)(size_t), void *(*)(size_t, size_t), void *(*)(void *, size_t), void (*)(void *));
LIBRARY TSParser *ts_parser_new(void);
LIBRARY void ts_parser_delete(TSParser *);
LIBRARY void ts_parser_reset(TSParser *);
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
LIBRARY bool ts_node_has_error(TSNode);

enum { CHUNK = 4096, DEPTH = 1000, INDENT = 1, STRING_CONTENT = 4 };

// Source is the text with what is left of the budgets. They count work and not time, so that the same text always has
// the same answer. The parser recovers from whatever is wrong, at a cost that grows with the square of what it skips,
// and scanners may run to the end of the text from each of its places; both are stopped here.
typedef struct {
  const char *text;
  uint32_t length;
  int64_t steps;      // hundreds of operations
  int64_t chunks;     // pieces of the text that are read
  int64_t recoveries; // tokens that are looked for without knowing what may come
} Source;

static _Thread_local Source *current;
static bool (*grammar_scan)(void *, TSLexer *, const bool *valid);
static TSLanguage grammar;

// counting_scan is the grammar's scanner, which sees when the parser is lost: everything is valid then.
static bool counting_scan(void *payload, TSLexer *lexer, const bool *valid) {
  if (valid[STRING_CONTENT] && valid[INDENT]) current->recoveries--;
  return grammar_scan(payload, lexer, valid);
}

bool prepare_parser(const void *language) {
  // The Go package directs every allocation through Go, which costs more than the parse.
  ts_set_allocator(NULL, NULL, NULL, NULL);
  grammar = *(const TSLanguage *)language;
  if (grammar.version != 14) return false;
  grammar_scan = grammar.scanner.scan;
  grammar.scanner.scan = counting_scan;
  return true;
}

static bool is_spent(const Source *source) {
  return source->steps <= 0 || source->chunks <= 0 || source->recoveries <= 0;
}

static const char *read_chunk(void *payload, uint32_t index, TSPoint position, uint32_t *size) {
  (void)position;
  Source *source = payload;
  source->chunks--;
  if (index >= source->length || is_spent(source)) {
    *size = 0;
    return "";
  }
  uint32_t rest = source->length - index;
  *size = rest < CHUNK ? rest : CHUNK;
  return source->text + index;
}

static bool on_progress(TSParseState *state) {
  Source *source = state->payload;
  source->steps--;
  return is_spent(source);
}

// first_error finds where the tree is not valid.
static uint32_t first_error(TSNode root) {
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  TSNode node = root;
  while (ts_tree_cursor_goto_first_child(&cursor)) {
    do {
      node = ts_tree_cursor_current_node(&cursor);
    } while (!ts_node_has_error(node) && ts_tree_cursor_goto_next_sibling(&cursor));
    if (!ts_node_has_error(node)) break;
  }
  ts_tree_cursor_delete(&cursor);
  return ts_node_start_byte(node);
}

// copy_tree walks with one cursor: never recursively, because the depth is the author's choice.
static void copy_tree(TSNode root, const bool *keep, uint32_t symbols, uint32_t max_depth, Tree *out) {
  uint32_t parents[DEPTH + 1] = {0};
  uint32_t depth = 0, capacity = 1024;
  if (max_depth > DEPTH) max_depth = DEPTH;
  out->nodes = malloc(capacity * sizeof(Node));
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  for (;;) {
    if (out->nodes && out->count == capacity) {
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
    if (symbol >= symbols || keep[symbol]) {
      parents[depth] = out->count;
      out->nodes[out->count++] = (Node){
          .start = ts_node_start_byte(node),
          .end = ts_node_end_byte(node),
          .parent = depth ? parents[depth - 1] : 0,
          .symbol = symbol,
          .field = ts_tree_cursor_current_field_id(&cursor),
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

Parser *new_parser(void) {
  TSParser *parser = ts_parser_new();
  ts_parser_set_language(parser, &grammar);
  return parser;
}

void delete_parser(Parser *parser) { ts_parser_delete(parser); }

Tree parse_text(Parser *parser, const char *text, uint32_t length, const bool *keep, uint32_t symbols,
                uint32_t max_depth) {
  Tree out = {.outcome = PARSED};
  // Ordinary code needs a tenth of the steps, and reads each chunk about twice.
  Source source = {
      .text = text, .length = length, .steps = 100 + length / 8, .chunks = 256 + 16 * (length / CHUNK), .recoveries = 100};
  current = &source;
  TSTree *tree = ts_parser_parse_with_options(
      parser, NULL, (TSInput){.payload = &source, .read = read_chunk, .encoding = TSInputEncodingUTF8},
      (TSParseOptions){.payload = &source, .progress_callback = on_progress});
  current = NULL;
  if (source.recoveries <= 0) {
    out.outcome = INVALID;
  } else if (!tree || is_spent(&source)) {
    out.outcome = TOO_COMPLEX;
  } else {
    TSNode root = ts_tree_root_node(tree);
    if (ts_node_has_error(root)) {
      out.outcome = INVALID;
      out.place = first_error(root);
    } else {
      copy_tree(root, keep, symbols, max_depth, &out);
    }
  }
  if (tree) ts_tree_delete(tree);
  ts_parser_reset(parser);
  return out;
}
