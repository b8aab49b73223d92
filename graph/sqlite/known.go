package sqlite

import (
	"strings"

	"procgraph/graph"
)

// procedurePrefix begins the names of procedures, and no name of a tool.
const procedurePrefix = "proc__"

// names is a set of names of tools and procedures.
type names map[string]struct{}

func (n names) add(list ...string) {
	for _, name := range list {
		n[name] = struct{}{}
	}
}

// addList adds a stored list.
func (n names) addList(list string) error {
	parsed, err := parseNames(list)
	n.add(parsed...)
	return err
}

func newKnown() graph.Known {
	return graph.Known{Tools: map[string]graph.ToolFact{}, Procedures: map[string]graph.Offer{}}
}

// lookUp adds what the names stand for to known, each looked up once and none that is there already.
func (t tx) lookUp(n names, withCode bool, known *graph.Known) error {
	var tools, procedures []string
	for name := range n {
		if strings.HasPrefix(name, procedurePrefix) {
			if _, ok := known.Procedures[name]; !ok {
				procedures = append(procedures, name)
			}
		} else if _, ok := known.Tools[name]; !ok {
			tools = append(tools, name)
		}
	}
	if len(tools) > 0 {
		err := t.query(`SELECT `+toolFactColumns+` FROM json_each(?) j CROSS JOIN tools t ON t.name = j.value`,
			func(r row) error {
				fact := scanToolFact(r)
				known.Tools[fact.Name] = fact
				return nil
			}, tools)
		if err != nil {
			return err
		}
	}
	if len(procedures) == 0 {
		return nil
	}
	columns := offerColumns
	if !withCode {
		columns = briefOfferColumns
	}
	offers, err := t.offers(`SELECT `+columns+`
		FROM json_each(?) j CROSS JOIN procedures p ON p.tool_name = j.value`+offerJoin, procedures)
	for _, offer := range offers {
		known.Procedures[offer.Procedure.ToolName] = offer.Offer
	}
	return err
}

// offers runs a statement that selects the columns of offers.
func (t tx) offers(statement string, args ...any) ([]stored, error) {
	var offers []stored
	err := t.query(statement, func(r row) error {
		offer, err := scanOffer(r)
		offers = append(offers, offer)
		return err
	}, args...)
	return offers, err
}

// procedurePage makes a page of offers with all that their reaches name.
func (t tx) procedurePage(offers []stored, first int) (graph.ProcedurePage, error) {
	page := graph.ProcedurePage{Known: newKnown()}
	reached := names{}
	slice := cut(offers, first)
	page.More = slice.More
	for _, offer := range slice.Items {
		page.Items = append(page.Items, offer.Offer)
		reached.add(offer.Procedure.Reach...)
	}
	if err := t.lookUp(reached, true, &page.Known); err != nil {
		return page, err
	}
	var err error
	page.Head, err = t.head()
	return page, err
}
