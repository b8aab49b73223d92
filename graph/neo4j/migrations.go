package neo4j

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"procgraph/graph"
)

// migrations are the changes of stored data from one version to the next; the version is the number of those that were
// made. Each may run again after an interruption. Constraints and indexes need none: they are made when missing.
var migrations = []func(s *Store, ctx context.Context) error{
	func(s *Store, ctx context.Context) error {
		return s.retry(ctx, func() error {
			_, err := s.run(ctx, `MERGE (h:Head {id: 'head'}) ON CREATE SET h.lock = true, h.state = '0:'`, nil)
			return err
		})
	},
	(*Store).writeWords,
}

func newest() int64 { return int64(len(migrations)) }

// rule is a constraint or an index.
type rule struct {
	name       string
	unique     bool
	relation   bool
	fulltext   bool
	on         string // the label or the type; of a full-text index several, in order
	properties []string
}

func unique(name, label string, property string) rule {
	return rule{name: name, unique: true, on: label, properties: []string{property}}
}

func index(name, label string, properties ...string) rule {
	return rule{name: name, on: label, properties: properties}
}

// ground is what the first migration needs. The node of the head is made before everything else: see readStart.
var ground = []rule{
	unique("schema_id", "Schema", "id"),
	unique("head_id", "Head", "id"),
	index("head_state", "Head", "state"),
}

// rules are all constraints and indexes: every key that a statement matches on has one.
var rules = append(ground[:len(ground):len(ground)],
	unique("procedure_key", "Procedure", "key"),
	unique("procedure_toolName", "Procedure", "toolName"),
	unique("variant_codeHash", "Variant", "codeHash"),
	unique("tool_name", "Tool", "name"),
	unique("cause_name", "Cause", "name"),
	unique("procedureName_name", "ProcedureName", "name"),
	unique("event_sequence", "Event", "sequence"),
	unique("captureKey_id", "CaptureKey", "id"),
	unique("captureSlot_id", "CaptureSlot", "id"),
	unique("tombstone_codeHash", "Tombstone", "codeHash"),
	unique("credential_id", "Credential", "id"),
	unique("credential_hash", "Credential", "hash"),
	unique("credential_bootstrap", "Credential", "bootstrap"),
	rule{name: "investigatedBy_id", unique: true, relation: true, on: "INVESTIGATED_BY", properties: []string{"id"}},

	index("procedure_rank", "Procedure", "rank"),
	index("procedure_recent", "Procedure", "recent"),
	index("approved_rank", "Approved", "rank"),
	index("approved_recent", "Approved", "recent"),
	index("approved_toolName", "Approved", "toolName"),
	index("offered_rank", "Offered", "rank"),
	index("offered_recent", "Offered", "recent"),
	index("offered_toolName", "Offered", "toolName"),
	index("variant_position", "Variant", "procedure", "position"),
	index("tool_class", "Tool", "class", "name"),
	index("tool_known", "Tool", "known", "name"),
	index("tool_suspended", "Tool", "suspended", "name"),
	index("captureSlot_at", "CaptureSlot", "at"),
	rule{name: nodeWords, fulltext: true, on: "Cause|Tool|Variant", properties: []string{"words"}},
	rule{name: relationWords, fulltext: true, relation: true, on: "INVESTIGATED_BY", properties: []string{"words"}},
	rule{name: "uses_position", relation: true, on: "USES", properties: []string{"tool", "procedure"}},
	rule{name: "investigatedBy_ofProcedure", relation: true, on: "INVESTIGATED_BY", properties: []string{"procedure", "ofProcedure"}},
	rule{name: "investigatedBy_ofCause", relation: true, on: "INVESTIGATED_BY", properties: []string{"cause", "ofCause"}},
)

// statement makes the rule unless there is one of its name. Rules are constants, so nothing foreign gets into it.
func (r rule) statement() string {
	kind, pattern := "INDEX", "(x:"+r.on+")"
	if r.unique {
		kind = "CONSTRAINT"
	}
	if r.relation {
		pattern = "()-[x:" + r.on + "]-()"
	}
	if r.fulltext {
		return "CREATE FULLTEXT INDEX " + r.name + " IF NOT EXISTS FOR " + pattern + " ON EACH [x." + strings.Join(r.properties, ", x.") +
			"] OPTIONS {indexConfig: {`fulltext.analyzer`: '" + analyzer + "', `fulltext.eventually_consistent`: true}}"
	}
	properties := "(x." + strings.Join(r.properties, ", x.") + ")"
	if r.unique {
		return "CREATE CONSTRAINT " + r.name + " IF NOT EXISTS FOR " + pattern + " REQUIRE " + properties + " IS UNIQUE"
	}
	return "CREATE " + kind + " " + r.name + " IF NOT EXISTS FOR " + pattern + " ON " + properties
}

// signature tells rules apart by what they do: one that somebody made under another name is as good, unless searches
// name it.
func (r rule) signature() string {
	name := ""
	if r.fulltext {
		name = r.name
	}
	return fmt.Sprint(r.unique, r.relation, r.fulltext, r.on, r.properties, name)
}

// migrateTimeout bounds the making of indexes over a graph that is there already.
const migrateTimeout = 10 * time.Minute

// migrate brings the database to the schema of this program. Several servers may do it at once: each step is one that
// may run twice, and the version is written under a lock.
func (s *Store) migrate(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, migrateTimeout)
	defer cancel()
	// Before anything is made: a newer program's database is left as it is.
	version, err := s.version(ctx, `OPTIONAL MATCH (s:Schema) RETURN coalesce(max(s.version), 0)`)
	if err != nil {
		return err
	}
	if err := s.ensure(ctx, ground); err != nil {
		return err
	}
	for version < newest() {
		if err := migrations[version](s, ctx); err != nil {
			return fmt.Errorf("migration %d: %w", version+1, err)
		}
		version, err = s.version(ctx, `MERGE (s:Schema {id: 'schema'}) SET s.lock = true
WITH s, CASE WHEN coalesce(s.version, 0) > $in.done THEN s.version ELSE $in.done END AS version
SET s.version = version
RETURN version`, version+1)
		if err != nil {
			return err
		}
	}
	return s.ensure(ctx, rules)
}

// version answers what a statement about the version says, and an error if a newer program wrote it.
func (s *Store) version(ctx context.Context, statement string, done ...int64) (int64, error) {
	var version int64
	err := s.retry(ctx, func() error {
		p := params{}
		if len(done) > 0 {
			p["done"] = done[0]
		}
		record, err := s.run(ctx, statement, p)
		if err == nil {
			version = number(record.Values[0])
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	if version > newest() {
		return 0, fmt.Errorf("the database has version %d and this program knows %d: a newer program migrated it", version, newest())
	}
	return version, nil
}

// ensure makes the rules that are missing, whoever dropped them, and waits until all are in use.
func (s *Store) ensure(ctx context.Context, wanted []rule) error {
	missing, err := s.missing(ctx, wanted)
	if err != nil || len(missing) == 0 {
		return err
	}
	for _, r := range missing {
		if err := s.create(ctx, r); err != nil {
			return err
		}
	}
	err = s.retry(ctx, func() error {
		_, err := s.run(ctx, `CALL db.awaitIndexes(600)`, nil)
		return err
	})
	if err != nil {
		return fmt.Errorf("wait for the indexes: %w", err)
	}
	if missing, err = s.missing(ctx, wanted); err == nil && len(missing) > 0 {
		err = fmt.Errorf("%s could not be made: something else on the same properties or of the same name is in its place", missing[0].name)
	}
	return err
}

// Another server may be making the same rule at the same moment; then the database refuses one of the two for a while.
const (
	codeRuleExists  = "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists"
	codeIndexExists = "Neo.ClientError.Schema.IndexAlreadyExists"
	codeRuleThere   = "Neo.ClientError.Schema.ConstraintAlreadyExists"
	codeDuplicates  = "Neo.ClientError.Schema.ConstraintCreationFailed"
	codeDuplicates2 = "Neo.DatabaseError.Schema.ConstraintCreationFailed"
)

func (s *Store) create(ctx context.Context, r rule) error {
	err := s.retry(ctx, func() error {
		_, err := s.run(ctx, r.statement(), nil)
		switch code(err) {
		case codeRuleExists, codeIndexExists, codeRuleThere:
			return nil
		}
		return err
	})
	switch c := code(err); {
	case err == nil:
		return nil
	case c == codeDuplicates, c == codeDuplicates2, c == codeConstraint, errors.Is(err, graph.ErrConflict):
		return fmt.Errorf("the constraint %s cannot be made, because the data breaks it: several have one %s.%s: %w",
			r.name, r.on, strings.Join(r.properties, ", "), err)
	default:
		return fmt.Errorf("make %s: %w", r.name, err)
	}
}

// missing answers the wanted rules that are not there and in use.
func (s *Store) missing(ctx context.Context, wanted []rule) ([]rule, error) {
	present := map[string]bool{}
	for _, show := range []string{
		`SHOW CONSTRAINTS YIELD type, entityType, labelsOrTypes, properties
WHERE type IN ['UNIQUENESS', 'NODE_PROPERTY_UNIQUENESS', 'RELATIONSHIP_UNIQUENESS', 'RELATIONSHIP_PROPERTY_UNIQUENESS']
RETURN collect([true, entityType, labelsOrTypes, properties, false, ''])`,
		`SHOW INDEXES YIELD type, entityType, labelsOrTypes, properties, owningConstraint, state
WHERE type = 'RANGE' AND owningConstraint IS NULL AND state = 'ONLINE'
RETURN collect([false, entityType, labelsOrTypes, properties, false, ''])`,
		`SHOW INDEXES YIELD type, entityType, labelsOrTypes, properties, name, options, state
WHERE type = 'FULLTEXT' AND state = 'ONLINE' AND options.indexConfig['fulltext.analyzer'] = '` + analyzer + `'
  AND options.indexConfig['fulltext.eventually_consistent'] = true
RETURN collect([false, entityType, labelsOrTypes, properties, true, name])`,
	} {
		err := s.retry(ctx, func() error {
			record, err := s.run(ctx, show, nil)
			if err != nil {
				return err
			}
			for _, each := range rows(record.Values[0]) {
				on := texts(each[2])
				slices.Sort(on)
				r := rule{unique: truth(each[0]), relation: text(each[1]) == "RELATIONSHIP", fulltext: truth(each[4]),
					on: strings.Join(on, "|"), properties: texts(each[3]), name: text(each[5])}
				present[r.signature()] = true
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	var missing []rule
	for _, r := range wanted {
		if !present[r.signature()] {
			missing = append(missing, r)
		}
	}
	return missing, nil
}
