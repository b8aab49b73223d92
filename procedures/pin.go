package procedures

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"procgraph/graph"
)

// Pin is the hex SHA-256 over everything that a permission to run this code rests on: the code, the procedures that
// it reaches with the code that stands for each, and the tools that it reaches with their classes and definitions.
func Pin(codeHash string, reach Reach) (string, error) {
	type procedure struct {
		Name     string `json:"name"`
		CodeHash string `json:"codeHash"`
	}
	type tool struct {
		Name           string          `json:"name"`
		Class          graph.ToolClass `json:"class"`
		DefinitionHash string          `json:"definitionHash"`
	}
	pinned := struct {
		CodeHash   string      `json:"codeHash"`
		Procedures []procedure `json:"procedures"`
		Tools      []tool      `json:"tools"`
	}{CodeHash: codeHash, Procedures: []procedure{}, Tools: []tool{}}
	for _, p := range reach.Procedures {
		pinned.Procedures = append(pinned.Procedures, procedure(p))
	}
	for _, t := range reach.Tools {
		pinned.Tools = append(pinned.Tools, tool{t.Name, t.Class, t.DefinitionHash})
	}
	return canonicalHash(pinned)
}

// DefinitionHash is the hex SHA-256 over a tool's name, description and schema. White space and the order of keys in
// the schema do not matter. The schema has to be JSON.
func DefinitionHash(name, description string, schema json.RawMessage) (string, error) {
	return canonicalHash(struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"schema"`
	}{name, description, schema})
}

func canonicalHash(v any) (string, error) {
	b, err := CanonicalJSON(v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// CanonicalJSON is one form of a value: keys in order, no white space, and numbers with all the digits that were
// written. RFC 8785 would round numbers, and two definitions that differ would look alike.
func CanonicalJSON(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(b))
	decoder.UseNumber()
	var plain any
	if err := decoder.Decode(&plain); err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	if b, err = json.Marshal(plain); err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	return b, nil
}
