// Package middleware authenticates HTTP requests. Who asks is told by a verified token alone: no other header and no
// field of a body ever names a caller.
package middleware

import (
	"context"
	"net/http"
	"strings"

	"procgraph/trust"
)

// Verify answers who a token belongs to; ok is false when it is nobody's. An error says that it could not be found out.
type Verify func(ctx context.Context, token string) (caller trust.Caller, ok bool, err error)

// Refuse answers a request that is not let through.
type Refuse func(w http.ResponseWriter, r *http.Request, err error)

// Authenticate puts the caller into the context of a request that carries a valid token. A request without an
// Authorization header goes on as nobody's; one with a token that is wrong, or with more than one header, is refused
// with a nil error, and one that cannot be checked with the error.
func Authenticate(verify Verify, refuse Refuse, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		headers := r.Header.Values("Authorization")
		if len(headers) == 0 {
			next.ServeHTTP(w, r)
			return
		}
		token, bearer := bearerToken(headers)
		if !bearer {
			refuse(w, r, nil)
			return
		}
		caller, ok, err := verify(r.Context(), token)
		if err != nil || !ok {
			refuse(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(trust.WithCaller(r.Context(), caller)))
	})
}

func bearerToken(headers []string) (token string, ok bool) {
	if len(headers) != 1 {
		return "", false
	}
	scheme, token, found := strings.Cut(headers[0], " ")
	if !found || !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", false
	}
	return token, true
}
