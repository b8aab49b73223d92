package procedures

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

var (
	programCount = flag.Int("programs", 2000, "how many random programs are run against CPython")
	programSeed  = flag.Uint64("seed", 1, "the seed of the random programs")
)

// generator writes random programs. They use few names, so that aliases, scopes and shadowing collide all the time.
type generator struct {
	random *rand.Rand
	out    strings.Builder
	indent int
	tool   int
	tame   bool // aliases have names of their own and rarely escape, so that much is proven
}

func (g *generator) chance(percent int) bool { return g.random.IntN(100) < percent }

func (g *generator) pick(words ...string) string { return words[g.random.IntN(len(words))] }

// name is one of few names.
func (g *generator) name() string {
	if g.tame {
		return g.pick("x", "y", "z")
	}
	return g.pick("t", "u", "v", "x", "y", "t", "u")
}

// holder is a name to bind the tools object to.
func (g *generator) holder() string {
	if g.tame {
		return g.pick("t", "u", "v")
	}
	return g.name()
}

// stray is the tools object where it does not belong.
func (g *generator) stray(depth int) string {
	if g.tame && !g.chance(3) {
		return g.reference(depth)
	}
	return g.tools(depth)
}

// alias is a name that may well hold the tools object.
func (g *generator) alias() string { return g.pick("tools", "tools", "tools", "t", "u", "v") }

// tools is an expression that may be the tools object.
func (g *generator) tools(depth int) string {
	if depth <= 0 || g.chance(60) {
		return g.alias()
	}
	switch g.random.IntN(6) {
	case 0:
		return "(" + g.tools(depth-1) + ")"
	case 1:
		return "(" + g.tools(depth-1) + " if " + g.value(depth-1) + " else " + g.tools(depth-1) + ")"
	case 2:
		return "(" + g.tools(depth-1) + g.pick(" or ", " and ") + g.tools(depth-1) + ")"
	case 3:
		return "(" + g.holder() + " := " + g.tools(depth-1) + ")"
	case 4:
		return "(None or " + g.tools(depth-1) + ")"
	default:
		return g.alias()
	}
}

// reference names a tool that no other place names.
func (g *generator) reference(depth int) string {
	g.tool++
	if g.chance(15) {
		return fmt.Sprintf("getattr(%s, %s)", g.tools(depth), g.pick(fmt.Sprintf("'k%d'", g.tool), fmt.Sprintf("'k' + '%d'", g.tool), fmt.Sprintf("'k' '%d'", g.tool)))
	}
	return fmt.Sprintf("%s.k%d", g.tools(depth), g.tool)
}

// value is any expression.
func (g *generator) value(depth int) string {
	if depth <= 0 {
		return g.pick("1", "None", "'s'", g.name(), g.name(), g.alias()+".p", "x")
	}
	switch g.random.IntN(24) {
	case 0, 1, 2, 3:
		return g.reference(depth - 1)
	case 4, 5:
		return g.reference(depth-1) + "(" + g.arguments(depth-1) + ")"
	case 6, 7:
		return g.pick("f", "g", "h", "A", "x.m", "print", "len", "f", "g") + "(" + g.arguments(depth-1) + ")"
	case 8:
		return "[" + g.value(depth-1) + ", " + g.value(depth-1) + "]"
	case 9:
		return "{" + g.value(depth-1) + ": " + g.value(depth-1) + "}"
	case 10:
		return g.comprehension(depth - 1)
	case 11:
		return "(lambda " + g.parameters(depth-1, false) + ": " + g.value(depth-1) + ")"
	case 12:
		return "(lambda " + g.holder() + "=" + g.tools(depth-1) + ": " + g.value(depth-1) + ")()"
	case 13:
		return "f'{" + g.inField(g.value(depth-1)) + g.pick("", "!r", ":>{x}", "!s:{"+g.inField(g.reference(0))+"}") + "}{{" + g.alias() + ".k0}}'"
	case 14:
		return "(" + g.value(depth-1) + g.pick(" + ", " == ", " or ", " and ", " if x else ", " in ") + g.value(depth-1) + ")"
	case 15:
		return g.value(depth-1) + "[" + g.value(depth-1) + "]"
	case 16:
		return "(" + g.name() + " := " + g.value(depth-1) + ")"
	case 17:
		return "not " + g.value(depth-1)
	case 18:
		return "'" + g.alias() + ".k0'"
	case 19:
		return "(" + g.value(depth-1) + ", " + g.stray(depth-1) + ")" + g.pick("", "[0]", "[1]")
	case 20:
		return "(await " + g.reference(depth-1) + "())"
	default:
		return g.name()
	}
}

// inField makes an expression fit for a field of an f-string in single quotes.
func (g *generator) inField(expression string) string {
	if strings.ContainsAny(expression, "'\"{}:!=") {
		return g.alias() + ".p"
	}
	return expression
}

func (g *generator) arguments(depth int) string {
	var parts []string
	for range g.random.IntN(3) {
		parts = append(parts, g.pick(g.value(depth), g.stray(depth), g.stray(depth)))
	}
	if g.chance(20) {
		parts = append(parts, "*["+g.value(depth)+"]")
	}
	if g.chance(30) {
		parts = append(parts, g.holder()+"="+g.stray(depth))
	}
	return strings.Join(parts, ", ")
}

func (g *generator) comprehension(depth int) string {
	target, iterable := g.name(), g.iterable(depth)
	if g.chance(30) {
		target, iterable = g.holder(), "["+g.tools(depth)+"]"
	}
	body := g.pick(g.value(depth), target+".k1", target+fmt.Sprintf(".c%d", g.random.IntN(9)))
	clause := " for " + target + " in " + iterable
	if g.chance(30) {
		clause += " if " + g.value(depth)
	}
	if g.chance(20) {
		clause += " for " + g.name() + " in " + g.iterable(depth)
	}
	return g.pick("["+body+clause+"]", "list("+body+clause+")", "{"+body+": 1"+clause+"}")
}

func (g *generator) iterable(depth int) string {
	return g.pick("["+g.stray(depth)+"]", "("+g.stray(depth)+", "+g.stray(depth)+")", "[1, 2]", g.name(), "["+g.value(depth)+"]", "x")
}

func (g *generator) parameters(depth int, annotated bool) string {
	used := map[string]bool{}
	var parts []string
	defaults := false
	star := false
	for range g.random.IntN(4) {
		name := g.pick(g.name(), g.alias())
		holds := name != g.name() && strings.Contains("tools t u v", name)
		if used[name] {
			continue
		}
		used[name] = true
		if !star && g.chance(15) {
			star = true
			parts = append(parts, g.pick("*", "*")+g.pick("a", ""))
			if strings.HasSuffix(parts[len(parts)-1], "*") {
				parts = append(parts, "z")
			}
		}
		part := name
		if annotated && g.chance(20) {
			part += ": " + g.pick("int", g.alias()+".n", "'tools.k0'")
		}
		if defaults && !star || g.chance(40) {
			defaults = true
			if holds && g.chance(80) {
				part += "=" + g.tools(depth)
			} else {
				part += "=" + g.value(depth)
			}
		}
		parts = append(parts, part)
	}
	if g.chance(10) {
		parts = append(parts, "**k")
	}
	return strings.Join(parts, ", ")
}

func (g *generator) line(text string) {
	g.out.WriteString(strings.Repeat("    ", g.indent) + text + "\n")
}

func (g *generator) block(head string, depth int) {
	g.line(head)
	g.indent++
	for range 1 + g.random.IntN(3) {
		g.statement(depth - 1)
	}
	g.indent--
}

// pattern is a pattern of a case.
func (g *generator) pattern(depth int) string {
	if depth <= 0 {
		return g.pick("1", "'s'", "None", "_", g.name(), g.name(), g.alias()+".p")
	}
	switch g.random.IntN(7) {
	case 0:
		return "[" + g.pattern(depth-1) + ", *" + g.name() + "]"
	case 1:
		return "{'a': " + g.pattern(depth-1) + ", **" + g.name() + "}"
	case 2:
		return "str(" + g.pattern(0) + ")"
	case 3:
		return g.pick("object", "A", "str") + "(" + g.pick("name", "k9", "m") + "=" + g.name() + ")"
	case 4:
		return "(" + g.pattern(depth-1) + ") as " + g.name()
	case 5:
		return "1 | " + g.pick("2", "None")
	default:
		return g.pattern(0)
	}
}

func (g *generator) target(depth int) string {
	if depth <= 0 || g.chance(60) {
		return g.name()
	}
	return g.pick(g.name()+", "+g.name(), "("+g.name()+", "+g.target(depth-1)+")", "*"+g.name()+", "+g.name(), "["+g.name()+"]",
		g.name()+".a", g.name()+"['a']")
}

func (g *generator) statement(depth int) {
	if depth <= 0 {
		g.simple(1)
		return
	}
	switch g.random.IntN(16) {
	case 0:
		g.block(g.pick("def ", "async def ")+g.pick("f", "g", "h", g.name())+"("+g.parameters(1, true)+"):", depth)
	case 1:
		g.helper(depth)
	case 2:
		g.block("class "+g.pick("A", "B", g.name())+":", depth)
	case 3:
		g.block("for "+g.target(1)+" in "+g.iterable(1)+":", depth)
	case 4:
		g.block("if "+g.value(1)+":", depth)
		if g.chance(40) {
			g.block("else:", depth)
		}
	case 5:
		g.block("try:", depth)
		g.block("except Exception"+g.pick("", " as "+g.name())+":", depth)
	case 6:
		g.block("with "+g.pick(g.value(1), "x")+g.pick("", " as "+g.name())+":", depth)
	case 7:
		g.line("match " + g.pick(g.value(1), g.reference(0), "x") + ":")
		g.indent++
		g.block("case "+g.pattern(2)+g.pick("", " if "+g.value(1))+":", depth)
		g.block("case _:", depth)
		g.indent--
	default:
		g.simple(2)
	}
}

// helper is a function with a name of its own that the tools object is handed to.
func (g *generator) helper(depth int) {
	g.tool++
	name := fmt.Sprintf("help%d", g.tool)
	first, second := g.holder(), g.pick("a", "x")
	g.block("def "+name+"("+first+g.pick(", ", ", /, ", ", *, ")+second+"="+g.pick("1", g.tools(0))+"):", depth)
	g.line(name + "(" + g.tools(1) + g.pick("", ", "+g.value(1), ", "+second+"="+g.tools(1)) + ")")
}

func (g *generator) simple(depth int) {
	switch g.random.IntN(20) {
	case 0, 1, 2:
		g.line(g.holder() + " = " + g.tools(depth))
	case 3:
		g.line(g.holder() + " = " + g.holder() + " = " + g.tools(depth))
	case 4:
		g.line(g.holder() + ", " + g.name() + " = " + g.tools(depth) + ", " + g.value(depth))
	case 5:
		g.line(g.target(depth) + " = " + g.pick(g.value(depth), g.stray(depth)))
	case 6:
		g.line(g.holder() + ": " + g.pick("int", "object") + g.pick("", " = "+g.tools(depth), " = "+g.tools(depth)))
	case 7:
		g.line(g.pick("global ", "nonlocal ", "global ") + g.name())
	case 8:
		g.line("del " + g.name())
	case 9:
		g.line("import " + g.pick("json", "re", "json as "+g.name(), "os.path"))
	case 10, 11:
		g.line(g.pick("f", "g", "h") + "(" + g.arguments(depth) + ")")
	case 12:
		g.line("await " + g.pick("f", "g", "h") + "(" + g.stray(depth) + ")")
	case 13:
		g.line("return " + g.pick(g.value(depth), g.stray(depth)))
	case 14:
		g.line(g.name() + g.pick(" += ", " |= ") + g.value(depth))
	default:
		g.line(g.value(depth))
	}
}

// program is one random program.
func program(seed uint64) string {
	g := &generator{random: rand.New(rand.NewPCG(seed, 7))}
	g.tame = g.chance(60)
	for range 1 + g.random.IntN(6) {
		if g.chance(25) {
			g.block("try:", 2)
			g.line("except Exception:")
			g.line("    pass")
			continue
		}
		g.statement(3)
	}
	return g.out.String()
}

// TestRandomPrograms runs random programs in CPython, with a recorder in the place of the tools object. The same seed
// makes the same programs.
func TestRandomPrograms(t *testing.T) {
	var programs []string
	for i := range *programCount {
		programs = append(programs, program(*programSeed*1_000_000+uint64(i)))
	}
	if proven := checkAgainstPython(t, programs); proven*50 < len(programs) {
		t.Errorf("only %d of %d programs are proven: the test shows little", proven, len(programs))
	}
}
