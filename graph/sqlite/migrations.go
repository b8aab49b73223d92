package sqlite

import (
	"errors"
	"fmt"
	"log/slog"

	"zombiezen.com/go/sqlite/sqlitex"
)

// applicationID marks a database file as one of ours: "pgra".
const applicationID = 0x70677261

// migrations make each version of the schema from the one before. The version of a database is how many were applied;
// what is here never changes.
var migrations = []string{
	`
	-- Rows of relations point to procedures and variants by id; ids never leave the store.
	CREATE TABLE procedures (
		id INTEGER PRIMARY KEY,
		key TEXT NOT NULL UNIQUE,
		tool_name TEXT NOT NULL,
		signature TEXT NOT NULL,
		reach TEXT NOT NULL,
		frequency INTEGER NOT NULL,
		last_used_at INTEGER,
		created_at INTEGER,
		updated_at INTEGER,
		retired_at INTEGER,
		current TEXT NOT NULL,
		approved INTEGER NOT NULL,
		approved_variants INTEGER NOT NULL,
		offered INTEGER NOT NULL,
		unproven INTEGER NOT NULL,
		rank TEXT NOT NULL,
		recent TEXT NOT NULL
	) STRICT;
	CREATE INDEX procedures_by_rank ON procedures (rank, retired_at);
	CREATE INDEX procedures_by_recent ON procedures (recent, retired_at);
	CREATE UNIQUE INDEX procedures_by_name ON procedures (tool_name);
	CREATE INDEX procedures_offered ON procedures (rank) WHERE offered = 1;
	CREATE INDEX procedures_approved ON procedures (rank) WHERE approved = 1;

	-- From a name to the procedures that reach it; direct when the signature holds it. Names outlive what they name.
	CREATE TABLE reaches (
		name TEXT NOT NULL,
		direct INTEGER NOT NULL,
		tool_name TEXT NOT NULL,
		procedure INTEGER NOT NULL,
		PRIMARY KEY (name, direct, tool_name)
	) STRICT, WITHOUT ROWID;

	-- The code comes last, so that reading the other columns does not read it.
	CREATE TABLE variants (
		id INTEGER PRIMARY KEY,
		code_hash TEXT NOT NULL UNIQUE,
		procedure INTEGER NOT NULL REFERENCES procedures (id) ON DELETE CASCADE,
		position TEXT NOT NULL,
		strategy TEXT NOT NULL,
		summary TEXT NOT NULL,
		when_to_use TEXT NOT NULL,
		status TEXT NOT NULL,
		proven INTEGER NOT NULL,
		analyser INTEGER NOT NULL,
		captured_by TEXT NOT NULL,
		captured_with TEXT NOT NULL,
		captured_at INTEGER,
		approved_by TEXT NOT NULL,
		approved_at INTEGER,
		rejected_reason TEXT NOT NULL,
		succeeded INTEGER NOT NULL,
		failed INTEGER NOT NULL,
		last_run_at INTEGER,
		code TEXT NOT NULL
	) STRICT;
	CREATE INDEX variants_of_procedure ON variants (procedure, position);

	-- Hashes of deleted code.
	CREATE TABLE tombstones (
		code_hash TEXT PRIMARY KEY,
		deleted_at INTEGER
	) STRICT, WITHOUT ROWID;

	-- Names are looked up by the dozen for each page, so the facts lie in the index itself.
	CREATE TABLE tools (
		name TEXT PRIMARY KEY,
		class TEXT NOT NULL,
		external_access INTEGER NOT NULL,
		known INTEGER NOT NULL,
		suspended INTEGER NOT NULL,
		definition_hash TEXT NOT NULL,
		description TEXT NOT NULL,
		parameters_schema TEXT NOT NULL,
		hints TEXT
	) STRICT, WITHOUT ROWID;
	CREATE INDEX tools_by_filter ON tools (class, known, suspended, name);

	CREATE TABLE causes (
		name TEXT PRIMARY KEY,
		description TEXT NOT NULL
	) STRICT, WITHOUT ROWID;

	CREATE TABLE uses (
		id INTEGER PRIMARY KEY,
		procedure INTEGER NOT NULL REFERENCES procedures (id) ON DELETE CASCADE,
		cause TEXT NOT NULL REFERENCES causes (name),
		tool_name TEXT NOT NULL,
		frequency INTEGER NOT NULL,
		last_at INTEGER,
		of_procedure TEXT NOT NULL,
		of_cause TEXT NOT NULL,
		confidence REAL,
		trigger_signals TEXT,
		observed_arguments TEXT,
		result_summary TEXT NOT NULL,
		UNIQUE (procedure, cause)
	) STRICT;
	CREATE INDEX uses_of_procedure ON uses (procedure, of_procedure);
	CREATE INDEX uses_of_cause ON uses (cause, of_cause, procedure);

	-- Keys under which a capture was counted, with what that capture answered.
	CREATE TABLE capture_keys (
		key TEXT PRIMARY KEY,
		input TEXT NOT NULL,
		variant INTEGER NOT NULL REFERENCES variants (id) ON DELETE CASCADE,
		created_procedure INTEGER NOT NULL,
		created_variant INTEGER NOT NULL
	) STRICT, WITHOUT ROWID;
	CREATE INDEX capture_keys_of_variant ON capture_keys (variant);

	-- The audit chain; its last row is the head.
	CREATE TABLE events (
		sequence INTEGER PRIMARY KEY,
		at INTEGER,
		actor TEXT NOT NULL,
		action TEXT NOT NULL,
		subject TEXT NOT NULL,
		details TEXT,
		hash TEXT NOT NULL,
		previous_hash TEXT NOT NULL
	) STRICT;

	CREATE TABLE credentials (
		id TEXT PRIMARY KEY,
		hash TEXT NOT NULL UNIQUE,
		principal TEXT NOT NULL,
		created_at INTEGER,
		bootstrap INTEGER NOT NULL
	) STRICT, WITHOUT ROWID;
	CREATE UNIQUE INDEX credentials_bootstrap ON credentials (bootstrap) WHERE bootstrap = 1;
	`,
	`
	-- What search finds. The id of a document also tells its kind and its length: see documentID. The procedure is 0 for
	-- those that belong to none.
	CREATE TABLE documents (
		id INTEGER PRIMARY KEY,
		procedure INTEGER NOT NULL,
		kind INTEGER NOT NULL,
		key TEXT NOT NULL,
		UNIQUE (procedure, kind, key)
	) STRICT;

	-- The words are joined by blanks. This tokenizer takes every character that is not ASCII as a part of a word.
	CREATE VIRTUAL TABLE words USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'ascii');
	CREATE VIRTUAL TABLE word_places USING fts5vocab (words, instance);

	-- The rows of earlier versions that have no documents yet: those of a table after an id or a name.
	CREATE TABLE undocumented (
		kind INTEGER PRIMARY KEY,
		after TEXT NOT NULL
	) STRICT;
	INSERT INTO undocumented (kind, after) VALUES (0, ''), (1, ''), (2, ''), (3, '');
	`,
}

// version answers how many migrations were applied.
func (t tx) version() (int, error) {
	version := 0
	err := t.query("PRAGMA user_version", func(r row) error { version = int(r.int(0)); return nil })
	return version, err
}

// migrate brings the database to the newest version, one transaction for each step.
func migrate(t tx, log *slog.Logger) error {
	version, err := t.version()
	if err != nil {
		return damaged(err)
	}
	if version > len(migrations) {
		return fmt.Errorf("the database has schema version %d, and this program knows versions up to %d: use a newer one",
			version, len(migrations))
	}
	mode := ""
	if err := t.query("PRAGMA journal_mode = WAL", func(r row) error { mode = r.text(0); return nil }); err != nil {
		return damaged(err)
	}
	if mode != "wal" {
		return fmt.Errorf("the database does not support a write-ahead log here (journal mode %q)", mode)
	}
	for ; version < len(migrations); version++ {
		if err := apply(t, version); err != nil {
			return fmt.Errorf("migrate the database to version %d: %w", version+1, err)
		}
		log.Info("database migrated", "version", version+1)
	}
	return nil
}

// apply is all or nothing: the version is part of the transaction.
func apply(t tx, version int) error {
	if err := t.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	script := fmt.Sprintf("%s PRAGMA application_id = %d; PRAGMA user_version = %d;",
		migrations[version], applicationID, version+1)
	err := classify(sqlitex.ExecuteScript(t.conn, script, nil))
	if err == nil {
		err = t.exec("COMMIT")
	}
	if !t.conn.AutocommitEnabled() {
		err = errors.Join(err, t.exec("ROLLBACK"))
	}
	return err
}
