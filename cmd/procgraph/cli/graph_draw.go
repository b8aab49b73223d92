package cli

import (
	"fmt"
	"strings"
)

// Nodes are n0, n1, … in the drawings: ids and labels are texts of strangers, and appear in quotes alone.

type shape struct{ dot, open, end string }

var shapes = map[string]shape{
	"PROCEDURE": {"box", "[", "]"},
	"VARIANT":   {"note", "[/", "/]"},
	"CAUSE":     {"ellipse", "([", "])"},
	"TOOL":      {"hexagon", "{{", "}}"},
}

// names numbers the nodes.
func (g subgraph) names() map[string]string {
	names := make(map[string]string, len(g.Nodes))
	for i, n := range g.Nodes {
		names[n.ID] = fmt.Sprintf("n%d", i)
	}
	return names
}

// captions are the lines of the label of each node.
func (g subgraph) captions() [][]string {
	captions := make([][]string, len(g.Nodes))
	for i, n := range g.Nodes {
		captions[i] = []string{n.Label}
		for _, more := range []string{n.Class, n.Status, n.Effect} {
			if more != "" {
				captions[i] = append(captions[i], more)
			}
		}
	}
	return captions
}

func (g subgraph) dot() string {
	var b strings.Builder
	b.WriteString("digraph procgraph {\n  rankdir=LR;\n  node [fontname=\"sans-serif\"];\n")
	names := g.names()
	for i, caption := range g.captions() {
		for j := range caption {
			caption[j] = dotText(caption[j])
		}
		fmt.Fprintf(&b, "  n%d [shape=%s, label=\"%s\"];\n", i, shapes[g.Nodes[i].Kind].orElse().dot, strings.Join(caption, `\n`))
	}
	for _, r := range g.Relations {
		fmt.Fprintf(&b, "  %s -> %s [label=\"%s\"];\n", names[r.From], names[r.To], dotText(r.caption()))
	}
	for i, h := range g.Hidden {
		fmt.Fprintf(&b, "  h%d [shape=plaintext, label=\"%d more\"];\n  %s -> h%d [style=dashed, label=\"%s\"];\n", i, h.Count, names[h.Node], i, dotText(h.Type))
	}
	b.WriteString("}")
	return b.String()
}

func (g subgraph) mermaid() string {
	var b strings.Builder
	b.WriteString("graph LR\n")
	names := g.names()
	for i, caption := range g.captions() {
		for j := range caption {
			caption[j] = mermaidText(caption[j])
		}
		s := shapes[g.Nodes[i].Kind].orElse()
		fmt.Fprintf(&b, "  n%d%s\"%s\"%s\n", i, s.open, strings.Join(caption, "<br/>"), s.end)
	}
	for _, r := range g.Relations {
		fmt.Fprintf(&b, "  %s -->|\"%s\"| %s\n", names[r.From], mermaidText(r.caption()), names[r.To])
	}
	for i, h := range g.Hidden {
		fmt.Fprintf(&b, "  h%d[\"%d more\"]\n  %s -.->|\"%s\"| h%d\n", i, h.Count, names[h.Node], mermaidText(h.Type), i)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// dotText is a text between double quotes of DOT, where a backslash begins an escape.
func dotText(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;").Replace(line(s))
}

// mermaidText is a text between double quotes of Mermaid. Everything that could be syntax, Markdown or HTML there is
// written as an entity.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range line(s) {
		if r < 0x80 && !strings.ContainsRune(" _,.", r) && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z') {
			fmt.Fprintf(&b, "#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// orElse is the shape of a kind that this version does not know.
func (s shape) orElse() shape {
	if s.dot == "" {
		return shapes["PROCEDURE"]
	}
	return s
}
