package middleware_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"procgraph/trust"
	"procgraph/trust/middleware"
)

func TestAuthenticate(t *testing.T) {
	down := errors.New("down")
	verify := func(_ context.Context, token string) (trust.Caller, bool, error) {
		switch token {
		case "good":
			return trust.Caller{Principal: "alice"}, true, nil
		case "down":
			return trust.Caller{}, false, down
		}
		return trust.Caller{}, false, nil
	}
	cases := []struct {
		name    string
		headers http.Header
		who     string
		refused bool
		err     error
	}{
		{"no header is nobody", http.Header{}, "", false, nil},
		{"a valid token", http.Header{"Authorization": {"Bearer good"}}, "alice", false, nil},
		{"the scheme has no case", http.Header{"Authorization": {"bearer good"}}, "alice", false, nil},
		{"a wrong token", http.Header{"Authorization": {"Bearer bad"}}, "", true, nil},
		{"an empty bearer", http.Header{"Authorization": {"Bearer "}}, "", true, nil},
		{"no scheme", http.Header{"Authorization": {"good"}}, "", true, nil},
		{"another scheme", http.Header{"Authorization": {"Basic good"}}, "", true, nil},
		{"two headers", http.Header{"Authorization": {"Bearer good", "Bearer good"}}, "", true, nil},
		{"two tokens in one", http.Header{"Authorization": {"Bearer good, Bearer good"}}, "", true, nil},
		{"an empty header", http.Header{"Authorization": {""}}, "", true, nil},
		{"not to be found out", http.Header{"Authorization": {"Bearer down"}}, "", true, down},
		{"headers that name somebody", http.Header{"X-User": {"alice"}, "X-Forwarded-User": {"alice"}, "X-Service-Account": {"alice"},
			"Cookie": {"token=good"}, "X-Authorization": {"Bearer good"}}, "", false, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			refused, reached, who := false, false, ""
			h := middleware.Authenticate(verify, func(_ http.ResponseWriter, _ *http.Request, err error) {
				refused = true
				if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
					t.Errorf("refused with %v, want %v", err, c.err)
				}
			}, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				reached = true
				caller, _ := trust.CallerOf(r.Context())
				who = caller.Principal
			}))
			r := httptest.NewRequest(http.MethodPost, "/graphql?token=good&access_token=good", nil)
			r.Header = c.headers
			h.ServeHTTP(httptest.NewRecorder(), r)
			if refused != c.refused || reached == c.refused || who != c.who {
				t.Errorf("refused %t, reached %t as %q", refused, reached, who)
			}
		})
	}
}
