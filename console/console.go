// Package console serves the pages that people open in a browser. All that they load is embedded.
package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"regexp"
	"strings"
	"time"
)

// graphiqlFiles is built from graphiql/src with `npm ci && npm run build`.
//
//go:embed graphiql/dist
var graphiqlFiles embed.FS

// The editor makes style elements of its own, so styles may be inline; scripts may not. The page may talk to its own
// server alone, which keeps a token where it was pasted.
const graphiqlPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".txt":  "text/plain; charset=utf-8",
}

// hashedName tells the files whose name changes with their content.
var hashedName = regexp.MustCompile(`-[A-Z0-9]{8}\.(js|css)$`)

// GraphiQL serves the GraphQL editor below /graphiql. The page itself is open and holds nothing; every request that it
// sends to /graphql carries the token that its user pasted.
func GraphiQL() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", graphiqlPolicy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			header.Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		name := strings.Trim(strings.TrimPrefix(r.URL.Path, "/graphiql"), "/")
		if name == "" {
			name = "index.html"
		}
		content, err := graphiqlFiles.ReadFile("graphiql/dist/" + name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		header.Set("Content-Type", contentTypes[path.Ext(name)])
		if hashedName.MatchString(name) {
			header.Set("Cache-Control", "public, max-age=31536000, immutable")
			header.Set("ETag", `"`+name+`"`)
		} else {
			digest := sha256.Sum256(content)
			header.Set("Cache-Control", "no-cache")
			header.Set("ETag", `"`+hex.EncodeToString(digest[:16])+`"`)
		}
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
	})
}
