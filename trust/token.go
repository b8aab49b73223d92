package trust

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
)

// tokenPrefix lets people and scanners recognise a token.
const tokenPrefix = "pgt_"

// NewToken makes a token of 256 random bits. It is shown once; only its hash is stored.
func NewToken() (string, error) {
	var b [32]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", fmt.Errorf("random token: %w", err)
	}
	return tokenPrefix + base64.RawURLEncoding.EncodeToString(b[:]), nil
}

// WellFormedToken tells whether a text can be a token at all: long enough not to be guessed, without white space.
func WellFormedToken(token string) bool {
	return len(token) >= 32 && len(token) <= 512 && !strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })
}

// TokenHash is the form in which a token is stored and looked up: hex SHA-256. A token is random, so it needs no salt.
func TokenHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
