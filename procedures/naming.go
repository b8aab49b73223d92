package procedures

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"regexp"
	"strings"

	"procgraph/names"
)

const (
	// ToolNamePrefix starts the name of every procedure, and of nothing else.
	ToolNamePrefix = names.ProcedurePrefix

	plainLimit = 60 // characters of a name that is spelled out
	nameLimit  = 64 // characters of any name
	digestSize = 16 // base32 characters that tell cut names apart
)

var (
	plainName = regexp.MustCompile(`^[a-zA-Z0-9]+(_[a-zA-Z0-9]+)*$`)
	// A spelled-out name that looks like a cut one could take the name of another signature.
	looksCut = regexp.MustCompile(`_[a-z2-7]{16}$`)
	unusable = regexp.MustCompile(`[^a-zA-Z0-9_]`)
	lower32  = base32.StdEncoding.WithPadding(base32.NoPadding)
)

// NormalName is the form in which a name is stored and compared: trimmed and in Unicode form NFC.
func NormalName(name string) string { return names.Normal(name) }

// IsProcedureName tells whether a name is of a procedure and not of a tool.
func IsProcedureName(name string) bool { return names.IsProcedure(name) }

// SignatureKey is the identity of a procedure: the hex SHA-256 over its sorted names, each with its length before it.
func SignatureKey(signature []string) string {
	digest := signatureDigest(signature)
	return hex.EncodeToString(digest[:])
}

func signatureDigest(signature []string) [sha256.Size]byte {
	var b []byte
	for _, name := range signature {
		b = binary.BigEndian.AppendUint32(b, uint32(len(name)))
		b = append(b, name...)
	}
	return sha256.Sum256(b)
}

// ToolName is the name under which a procedure of this sorted signature is called. It spells the names out where
// that is short and cannot be mistaken; otherwise it ends in a digest of the signature. Nothing ever splits it.
func ToolName(signature []string) string {
	joined := strings.Join(signature, "__")
	if len(ToolNamePrefix)+len(joined) <= plainLimit && allPlain(signature) && !looksCut.MatchString(joined) {
		return ToolNamePrefix + joined
	}
	digest := signatureDigest(signature)
	suffix := "_" + strings.ToLower(lower32.EncodeToString(digest[:]))[:digestSize]
	readable := unusable.ReplaceAllString(joined, "_")
	readable = readable[:min(len(readable), nameLimit-len(ToolNamePrefix)-len(suffix))]
	return ToolNamePrefix + readable + suffix
}

func allPlain(signature []string) bool {
	for _, name := range signature {
		if !plainName.MatchString(name) || strings.Contains(name, "proc__") {
			return false
		}
	}
	return len(signature) > 0
}
