package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
	"github.com/spf13/cobra"
)

// idleLimit is how long an export or an import may stand still.
const idleLimit = 2 * time.Minute

func (a *app) exportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "export FILE|-",
		Short: "Write the whole graph to a file, or with - to standard output",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			if args[0] == "-" {
				if a.outTerminal {
					return failed(codeUsage, "an export is not for a terminal: name a file, or send it into a pipe")
				}
				_, err := a.export(c.Context(), client, a.out)
				return err
			}
			done, err := a.exportFile(c.Context(), client, args[0])
			if err != nil {
				return err
			}
			return a.show(done, func() error {
				return a.say("%s: %d lines, %d bytes, SHA-256 %s", line(done.File), done.Lines, done.Bytes, done.SHA256)
			})
		},
	}
}

// exported is what was written. Lines are those before the end line, which the checksum is over.
type exported struct {
	File   string `json:"file"`
	Lines  int    `json:"lines"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// exportFile writes beside the file and renames in the end, so that the name never stands for half an export. A file
// that is there keeps its mode; a new one is for its owner alone.
func (a *app) exportFile(ctx context.Context, client *client, path string) (done exported, err error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return done, failed(codeUsage, "%s is not a file that can be replaced: name another, or - for standard output", path)
	case err == nil:
		// The file is replaced and not the link to it.
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return done, failed(codeFailed, "%v", err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return done, failed(codeFailed, "%v", err)
	default:
		if _, err := os.Lstat(path); err == nil {
			return done, failed(codeUsage, "%s is a link to nothing: name the file itself", path)
		}
	}
	partial, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.partial")
	if err != nil {
		return done, failed(codeFailed, "the export cannot be written: %v", err)
	}
	defer func() {
		if err != nil {
			_ = partial.Close()
			_ = os.Remove(partial.Name())
		}
	}()
	if info != nil {
		if err = partial.Chmod(info.Mode().Perm()); err != nil {
			return done, failed(codeFailed, "the export cannot be written: %v", err)
		}
	}
	if done, err = a.export(ctx, client, partial); err != nil {
		return done, err
	}
	if err = errors.Join(partial.Sync(), partial.Close()); err == nil {
		err = os.Rename(partial.Name(), path)
	}
	if err != nil {
		return done, failed(codeFailed, "the export cannot be written: %v", err)
	}
	done.File = path
	return done, nil
}

// export copies the export of the server and checks it against its end line.
func (a *app) export(parent context.Context, client *client, w io.Writer) (done exported, err error) {
	ctx, step, end := idle(parent, idleLimit)
	defer end()
	request, err := client.request(ctx, http.MethodGet, "/export", nil)
	if err != nil {
		return done, err
	}
	response, err := client.do(request)
	if err != nil {
		return done, because(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		refused, err := client.answer(response)
		if err != nil {
			return done, err
		}
		return done, client.failure(refused.Errors[0])
	}
	bar := a.newBar("export", 0, progress.UnitsBytes)
	defer func() { bar.end(err) }()
	check := newFileCheck()
	buffer := make([]byte, 256<<10)
	for {
		n, readErr := response.Body.Read(buffer)
		if n > 0 {
			step()
			bar.add(n)
			done.Bytes += int64(n)
			if _, err := w.Write(buffer[:n]); err != nil {
				return done, failed(codeFailed, "the export cannot be written: %v", err)
			}
			if err := check.write(buffer[:n]); err != nil {
				return done, err
			}
		}
		switch {
		case errors.Is(readErr, io.EOF):
			done.Lines, done.SHA256, err = check.end()
			return done, err
		case readErr != nil && parent.Err() != nil:
			return done, parent.Err()
		case readErr != nil:
			return done, failed(codeUnavailable, "the export was cut off after %d lines, so it was not kept: run it again (%v)", check.lines, because(ctx, readErr))
		}
	}
}
