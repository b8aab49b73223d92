package cli

import (
	"context"
	"slices"

	"charm.land/huh/v2"

	"procgraph/cmd/procgraph/mcptools"
)

// askClasses asks a person for the class of each tool: first which only read, then which of the others change
// something. What a server claims, or somebody said before, is marked when a list appears. It shows what the
// classification would change, and asks whether to do that.
func (a *app) askClasses(ctx context.Context, client *client, tools []mcptools.Tool, registered []tool) ([]classItem, error) {
	names := make([]string, len(registered))
	class := make(map[string]string, len(registered))
	claim := make(map[string]string, len(registered))
	for i, t := range registered {
		names[i], class[t.Name], claim[t.Name] = t.Name, t.Class, tools[i].Suggestion()
		if t.Class == "UNCLASSIFIED" {
			class[t.Name] = claim[t.Name]
		}
	}
	if err := a.tellPerson("%s registered. Marked is what is known, and else what the MCP server claims: it is a claim only.", plural(len(names), "tool")); err != nil {
		return nil, err
	}
	reading, err := a.choose(ctx, "Which of these only read? (READ_ONLY)", names, class, "READ_ONLY", tools)
	if err != nil {
		return nil, err
	}
	rest := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(reading, n) })
	var changing []string
	if len(rest) > 0 {
		if changing, err = a.choose(ctx, "Which of these change something? (STATE_CHANGING; the others stay UNCLASSIFIED)", rest, class, "STATE_CHANGING", tools); err != nil {
			return nil, err
		}
	}
	var items []classItem
	for i, name := range names {
		chosen := "UNCLASSIFIED"
		switch {
		case slices.Contains(reading, name):
			chosen = "READ_ONLY"
		case slices.Contains(changing, name):
			chosen = "STATE_CHANGING"
		}
		if chosen != registered[i].Class {
			items = append(items, classItem{Name: name, Class: &chosen})
		}
	}
	if len(items) == 0 {
		return nil, nil
	}
	would, err := client.dryRun(ctx, items)
	if err != nil {
		return nil, err
	}
	if err := a.tellConsequences(would); err != nil {
		return nil, err
	}
	ok, err := a.confirm(ctx, "Classify "+plural(len(items), "tool")+"?")
	if err != nil || !ok {
		return nil, err
	}
	return items, nil
}

// choose asks for some of the names; those of the class are marked.
func (a *app) choose(ctx context.Context, title string, names []string, class map[string]string, marked string, tools []mcptools.Tool) ([]string, error) {
	about := make(map[string]string, len(tools))
	for _, t := range tools {
		if t.Description != nil {
			about[t.Name] = firstSentence(*t.Description)
		}
	}
	var chosen []string
	options := make([]huh.Option[string], len(names))
	for i, name := range names {
		label := []rune(line(name) + "  " + about[name])
		options[i] = huh.NewOption(string(label[:min(len(label), max(20, a.width-10))]), name).Selected(class[name] == marked)
	}
	field := huh.NewMultiSelect[string]().Title(title).Options(options...).Value(&chosen).Height(min(len(names), 15) + 2)
	err := a.form(ctx, field)
	return chosen, err
}
