package resolvers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"procgraph/operations"
	"procgraph/resolvers/generated"
	"procgraph/trust"
)

const (
	cachedQueries   = 500
	maxCachedQuery  = 8 << 10 // bytes of text: longer ones carry their data in them and do not come again
	maxErrors       = 100     // of one response
	plainJSON       = "application/json"
	graphqlResponse = "application/graphql-response+json"
)

// handler is the GraphQL endpoint: one operation, as JSON, by POST.
type handler struct {
	ops  *operations.Operations
	log  *slog.Logger
	exec *executor.Executor
}

// NewHandler makes the GraphQL endpoint. The context of a request says who asks (trust.WithCaller) and by which id its
// log lines are found (operations.WithRequestID). It answers JSON with a code whatever is sent.
func NewHandler(ops *operations.Operations, log *slog.Logger) http.Handler {
	schema := generated.NewExecutableSchema(generated.Config{Resolvers: &Resolver{ops}})
	h := &handler{ops: ops, log: log, exec: executor.New(schema)}
	h.exec.SetErrorPresenter(h.present)
	h.exec.SetRecoverFunc(h.recovered)
	h.exec.SetParserTokenLimit(maxTokens)
	h.exec.SetQueryCache(shortQueries{lru.New[*ast.QueryDocument](cachedQueries)})
	h.exec.Use(guard{schema.Schema()})
	h.exec.AroundResponses(h.respond)
	return h
}

// shortQueries keeps the documents of queries that are worth keeping.
type shortQueries struct {
	graphql.Cache[*ast.QueryDocument]
}

// Add keeps a short query.
func (c shortQueries) Add(ctx context.Context, query string, document *ast.QueryDocument) {
	if len(query) <= maxCachedQuery {
		c.Cache.Add(ctx, query, document)
	}
}

// respond tells in every response which revision it saw and by which id it is found.
func (h *handler) respond(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	ctx, revision := operations.WithRevision(ctx)
	ctx = context.WithValue(ctx, reportedKey{}, &reported{})
	response := next(ctx)
	if response == nil {
		return nil
	}
	if len(response.Errors) > maxErrors {
		response.Errors = response.Errors[:maxErrors]
	}
	response.Extensions = map[string]any{}
	if id := operations.RequestID(ctx); id != "" {
		response.Extensions["requestId"] = id
	}
	sequence, seen := revision.Sequence()
	if !seen {
		head, err := h.ops.Head(ctx)
		sequence, seen = head.Sequence, err == nil
	}
	if seen {
		response.Extensions["revision"] = strconv.FormatInt(sequence, 10)
	}
	return response
}

// ServeHTTP answers one request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := graphql.StartOperationTrace(r.Context())
	defer func() {
		if panicked := recover(); panicked != nil {
			// Nothing is asked of the store again: it may be what panicked.
			h.write(w, r, http.StatusInternalServerError, &graphql.Response{
				Errors:     gqlerror.List{h.present(ctx, h.recovered(ctx, panicked))},
				Extensions: map[string]any{"requestId": operations.RequestID(ctx)}})
		}
	}()
	if r.Method == http.MethodOptions {
		w.Header().Set("Allow", "OPTIONS, POST")
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "OPTIONS, POST")
		h.refuse(ctx, w, r, http.StatusMethodNotAllowed, badInput("send the operation by POST"))
		return
	}
	if !isJSON(r.Header) {
		h.refuse(ctx, w, r, http.StatusUnsupportedMediaType, badInput("send the operation as application/json"))
		return
	}
	if _, ok := trust.CallerOf(ctx); !ok {
		w.Header().Set("WWW-Authenticate", "Bearer")
		h.refuse(ctx, w, r, http.StatusUnauthorized, errUnauthenticated)
		return
	}
	params, status, err := readOperation(w, r)
	if err != nil {
		h.refuse(ctx, w, r, status, err)
		return
	}
	operation, refusals := h.exec.CreateOperationContext(ctx, params)
	if len(refusals) > 0 {
		h.write(w, r, http.StatusBadRequest, h.exec.DispatchError(graphql.WithOperationContext(ctx, operation), refusals))
		return
	}
	responses, ctx := h.exec.DispatchOperation(ctx, operation)
	response := responses(ctx)
	if response == nil { // the request ended first
		h.refuse(ctx, w, r, http.StatusServiceUnavailable, &operations.Error{Code: operations.Unavailable,
			Message: "the request took too long; whether it was stored is not known", Cause: context.Cause(ctx)})
		return
	}
	h.write(w, r, http.StatusOK, response)
}

func isJSON(header http.Header) bool {
	media, parameters, err := mime.ParseMediaType(header.Get("Content-Type"))
	charset, given := parameters["charset"]
	return err == nil && media == plainJSON && (!given || strings.EqualFold(charset, "utf-8"))
}

// readOperation reads the one JSON object of a body.
func readOperation(w http.ResponseWriter, r *http.Request) (*graphql.RawParams, int, error) {
	read := graphql.TraceTiming{Start: graphql.Now()}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		return nil, http.StatusRequestEntityTooLarge, badInput("the body is longer than %d bytes", maxBody)
	case err != nil:
		return nil, http.StatusBadRequest, badInput("the body did not arrive whole")
	case !utf8.Valid(body):
		return nil, http.StatusBadRequest, badInput("the body is not valid UTF-8")
	}
	body = bytes.TrimSpace(body)
	switch {
	case bytes.HasPrefix(body, []byte("[")):
		return nil, http.StatusBadRequest, badInput("send one operation: several in one body are not accepted")
	case !bytes.HasPrefix(body, []byte("{")):
		return nil, http.StatusBadRequest, badInput("the body is not a JSON object")
	}
	var params graphql.RawParams
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber() // numbers keep all their digits
	if err := decoder.Decode(&params); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, http.StatusBadRequest, badInput("the body is not valid JSON")
		}
		return nil, http.StatusBadRequest, badInput("query and operationName are strings, variables and extensions are objects")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, http.StatusBadRequest, badInput("the body goes on after its JSON object")
	}
	read.End = graphql.Now()
	params.Headers, params.ReadTime = r.Header, read
	return &params, http.StatusOK, nil
}

// refuse answers a request that is not executed.
func (h *handler) refuse(ctx context.Context, w http.ResponseWriter, r *http.Request, status int, err error) {
	h.write(w, r, status, h.exec.DispatchError(ctx, gqlerror.List{gqlerror.Wrap(err)}))
}

// write sends a response. Its data is JSON already and is not encoded again.
func (h *handler) write(w http.ResponseWriter, r *http.Request, status int, response *graphql.Response) {
	var b bytes.Buffer
	b.Grow(len(response.Data) + 256)
	b.WriteByte('{')
	if len(response.Errors) > 0 {
		member(&b, "errors", response.Errors)
		b.WriteByte(',')
	}
	b.WriteString(`"data":`)
	if len(response.Data) == 0 {
		b.WriteString("null")
	}
	b.Write(response.Data)
	b.WriteByte(',')
	member(&b, "extensions", response.Extensions)
	b.WriteString("}\n")
	contentType := plainJSON
	if strings.Contains(r.Header.Get("Accept"), graphqlResponse) {
		contentType = graphqlResponse
	}
	w.Header().Set("Content-Type", contentType+"; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}

func member(b *bytes.Buffer, name string, value any) {
	encoded, err := json.Marshal(value)
	if err != nil { // errors and extensions hold nothing that cannot be encoded
		encoded = []byte("null")
	}
	b.WriteString(`"` + name + `":`)
	b.Write(encoded)
}
