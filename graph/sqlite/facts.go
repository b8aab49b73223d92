package sqlite

import (
	"context"
	"strings"
	"time"

	"procgraph/graph"
)

// Facts answers all that a decision about the query needs.
func (s *Store) Facts(ctx context.Context, query graph.FactQuery) (graph.Facts, error) {
	var facts graph.Facts
	err := s.read(ctx, func(t tx) (err error) {
		facts, err = t.facts(query)
		return err
	})
	return facts, err
}

func (t tx) facts(query graph.FactQuery) (graph.Facts, error) {
	facts := graph.Facts{
		Known:    newKnown(),
		Tools:    map[string]graph.Tool{},
		Variants: map[string]graph.Variant{},
		Owners:   map[string]graph.Offer{},

		Uses:       map[graph.UseRef]graph.Use{},
		Causes:     map[string]graph.Cause{},
		Tombstones: map[string]time.Time{},
	}
	var err error
	if facts.Head, err = t.head(); err != nil {
		return facts, err
	}
	if err := t.named(query.Names, &facts); err != nil {
		return facts, err
	}
	if err := t.owners(query.CodeHashes, &facts); err != nil {
		return facts, err
	}
	reached := names{}
	for _, owner := range facts.Owners {
		reached.add(owner.Procedure.Reach...)
	}
	if err := t.lookUp(reached, true, &facts.Known); err != nil {
		return facts, err
	}
	if query.Dependents || len(query.DependentsOf) > 0 {
		if err := t.dependents(query, &facts); err != nil {
			return facts, err
		}
	}
	if err := t.relations(query, &facts); err != nil {
		return facts, err
	}
	if query.Admin {
		err = t.query(`SELECT id, hash, principal, created_at FROM credentials WHERE bootstrap = 1`, func(r row) error {
			facts.Admin = &graph.Credential{ID: r.text(0), Hash: r.text(1), Principal: r.text(2), CreatedAt: r.time(3)}
			return nil
		})
	}
	return facts, err
}

// named adds the tools and procedures among the names.
func (t tx) named(list []string, facts *graph.Facts) error {
	var toolNames []string
	asked := names{}
	for _, name := range list {
		asked.add(name)
		if !strings.HasPrefix(name, procedurePrefix) {
			toolNames = append(toolNames, name)
		}
	}
	if len(toolNames) > 0 {
		tools, err := t.toolsBy(toolNames)
		if err != nil {
			return err
		}
		for _, tool := range tools {
			facts.Tools[tool.Name] = tool
			facts.Known.Tools[tool.Name] = tool.Fact()
			delete(asked, tool.Name)
		}
	}
	if err := t.lookUp(asked, true, &facts.Known); err != nil {
		return err
	}
	for _, offer := range facts.Known.Procedures {
		facts.Owners[offer.Procedure.Key] = offer
	}
	return nil
}

// owners adds the variants with these code hashes and their procedures.
func (t tx) owners(codeHashes []string, facts *graph.Facts) error {
	if len(codeHashes) == 0 {
		return nil
	}
	err := t.query(`SELECT `+variantColumns+codeColumn+` FROM variants v`+variantJoin+`
		WHERE v.code_hash IN (SELECT value FROM json_each(?))`,
		func(r row) error {
			variant := scanVariant(r, 0)
			facts.Variants[variant.CodeHash] = variant
			return nil
		}, codeHashes)
	if err != nil {
		return err
	}
	offers, err := t.offers(`SELECT `+offerColumns+` FROM procedures p`+offerJoin+` WHERE p.id IN (
		SELECT procedure FROM variants WHERE code_hash IN (SELECT value FROM json_each(?)))`, codeHashes)
	if err != nil {
		return err
	}
	for _, offer := range offers {
		facts.Owners[offer.Procedure.Key] = offer.Offer
	}
	return nil
}

// dependents adds the procedures that reach one of the names or of the procedures of the code hashes, and those
// themselves. There may be many, so nothing of them comes with code.
func (t tx) dependents(query graph.FactQuery, facts *graph.Facts) error {
	asked := append([]string{}, query.DependentsOf...)
	if query.Dependents {
		asked = append(asked, query.Names...)
		for _, variant := range facts.Variants {
			asked = append(asked, facts.Owners[variant.Procedure].Procedure.ToolName)
		}
	}
	offers, err := t.offers(`SELECT `+briefOfferColumns+` FROM procedures p`+offerJoin+` WHERE p.id IN (
		SELECT procedure FROM reaches WHERE name IN (SELECT value FROM json_each(?1)) AND direct IN (0, 1)
		UNION SELECT id FROM procedures WHERE tool_name IN (SELECT value FROM json_each(?1)))`, asked)
	if err != nil {
		return err
	}
	reached := names{}
	for _, offer := range offers {
		facts.Dependents = append(facts.Dependents, offer.Offer)
		reached.add(offer.Procedure.Reach...)
	}
	return t.lookUp(reached, false, &facts.Known)
}

// relations adds the uses, the causes and the tombstones that are asked for.
func (t tx) relations(query graph.FactQuery, facts *graph.Facts) error {
	for _, ref := range query.Uses {
		err := t.query(`SELECT `+useColumns+` FROM procedures p CROSS JOIN uses u ON u.procedure = p.id
			WHERE p.key = ? AND u.cause = ?`, func(r row) error {
			use, err := scanUse(r)
			facts.Uses[ref] = use
			return err
		}, ref.Procedure, ref.Cause)
		if err != nil {
			return err
		}
	}
	if len(query.Causes) > 0 {
		err := t.query(`SELECT `+causeColumns+` FROM causes c WHERE c.name IN (SELECT value FROM json_each(?))`, func(r row) error {
			cause := scanCause(r)
			facts.Causes[cause.Name] = cause
			return nil
		}, query.Causes)
		if err != nil {
			return err
		}
	}
	if len(query.Tombstones) > 0 {
		return t.query(`SELECT d.code_hash, d.deleted_at FROM tombstones d
			WHERE d.code_hash IN (SELECT value FROM json_each(?))`,
			func(r row) error { facts.Tombstones[r.text(0)] = r.time(1); return nil }, query.Tombstones)
	}
	return nil
}
