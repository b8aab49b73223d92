package app

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"procgraph/operations"
	"procgraph/trust"
)

// bootstrapAdmin sees to it that the database has an admin. The first server on a database makes it and writes the
// token; later ones say that it exists.
func bootstrapAdmin(ctx context.Context, ops *operations.Operations, options Options, log *slog.Logger) error {
	file, given := options.AdminTokenFile, options.AdminTokenFile != ""
	if !given {
		file = filepath.Join(options.Data, "admin.token")
	}
	admin, err := ops.Admin(ctx)
	if err != nil {
		return err
	}
	token, err := readToken(file)
	switch {
	case err != nil:
		return err
	case admin == nil:
		made, err := makeAdmin(ctx, ops, file, token)
		if err != nil {
			return err
		}
		if made {
			log.Info("the admin was made", "tokenFile", file)
			return nil
		}
		if admin, err = ops.Admin(ctx); err != nil || admin == nil {
			return errors.Join(err, errors.New("the admin of the database cannot be read"))
		}
		if token, err = readToken(file); err != nil {
			return err
		}
	}
	holds := token != "" && subtle.ConstantTimeCompare([]byte(trust.TokenHash(token)), []byte(admin.Hash)) == 1
	switch {
	case holds:
		log.Info("the database has an admin", "tokenFile", file)
	case given:
		return fmt.Errorf("%s does not hold the token of this database's admin", file)
	default:
		log.Info("the database has an admin; its token was written by the server that made it")
	}
	return nil
}

// makeAdmin writes the token before it is stored, so that no admin is made whose token nobody has.
func makeAdmin(ctx context.Context, ops *operations.Operations, file, token string) (made bool, err error) {
	written := false
	if token == "" {
		if token, err = trust.NewToken(); err != nil {
			return false, err
		}
		if err := writeFile(file, token+"\n"); err != nil {
			return false, fmt.Errorf("the admin's token cannot be written: %w", err)
		}
		written = true
	}
	made, err = ops.MakeAdmin(ctx, token)
	if err == nil && !made && written {
		err = os.Remove(file)
	}
	return made, err
}

// readToken reads a token file; it is empty when there is no file.
func readToken(file string) (string, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("the admin's token: %w", err)
	}
	token := strings.TrimSpace(string(b))
	if !trust.WellFormedToken(token) {
		return "", fmt.Errorf("%s does not hold a token", file)
	}
	return token, nil
}
