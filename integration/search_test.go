package integration

import (
	"testing"

	"procgraph/integration/neo4jtest"
)

const searchQuery = `query($t:String!){search(text:$t,first:3){nodes{score snippet node{... on Procedure{toolName} kind label}}}}`

// questions are what people ask in plain words, with the procedures that are right answers.
var questions = []struct {
	text  string
	right []string
}{
	{"What was the newest log of the failed service?", []string{newestByName, newestByTime, triage}},
	{"show me the errors and warnings in the latest log", []string{newestByName, newestByTime}},
	{"which log was written last", []string{newestByTime, newestByName}},
	{"group the errors of one service", []string{newestByName}},
	{"users report failures, where do I look?", []string{newestByName, newestByTime}},
	{"an alert about the error rate came in", []string{newestByName}},
	{"the service was restarted, what does its log say?", []string{newestByTime}},
	{"what actions are left to do in my notes", []string{newestByName}},
	{"compare the configuration of staging and production", []string{compareEnvironments}},
	{"it works in staging but not in production", []string{compareEnvironments}},
	{"differences between INI settings", []string{compareEnvironments}},
	{"compare two files line by line", []string{compareTwoFiles}},
	{"are these copies of one file equal?", []string{compareTwoFiles}},
	{"give me an outline of the directories", []string{mapDirectory}},
	{"I see this workspace for the first time", []string{mapDirectory}},
	{"how many files of each type are there", []string{mapDirectory}},
	{"which files are the largest", []string{largestFiles}},
	{"the disk is running low on space, what takes it?", []string{largestFiles, folderSizes}},
	{"how much space does each folder take", []string{folderSizes}},
	{"which files changed recently", []string{recentFiles}},
	{"it worked yesterday, what was changed after the deployment?", []string{recentFiles}},
	{"find files that were changed on the day of the incident", []string{recentFiles}},
	{"turn my notes into entities of the knowledge graph", []string{collectNotes, collectNotesLinked}},
	{"store notes and link them to services", []string{collectNotesLinked, collectNotes}},
	{"remember this finding about the service", []string{remember}},
	{"link a cause and its consequence", []string{linkFindings}},
	{"what do we know about this entity?", []string{knownAbout, knownAndNoted}},
	{"show the notes and the graph side by side", []string{knownAndNoted}},
	{"clean up temporary files", []string{tidyWorkspace}},
	{"an incident begins: read the newest log and what is known", []string{triage}},
}

const (
	newestByName        = "proc__read_text_file__search_files"
	newestByTime        = "proc__get_file_info__read_text_file__search_files"
	compareEnvironments = "proc__list_directory__read_text_file"
	compareTwoFiles     = "proc__read_multiple_files"
	mapDirectory        = "proc__directory_tree__list_allowed_directories"
	largestFiles        = "proc__directory_tree__get_file_info"
	folderSizes         = "proc__list_directory__list_directory_with_sizes"
	recentFiles         = "proc__get_file_info__search_files"
	collectNotes        = "proc__create_entities__read_text_file__search_files"
	remember            = "proc__add_observations__create_entities__search_nodes"
	linkFindings        = "proc__create_entities__create_relations__open_nodes"
	knownAbout          = "proc__open_nodes__search_nodes"
	knownAndNoted       = "proc__read_text_file__search_files__search_nodes"
	tidyWorkspace       = "proc__create_directory__move_file__search_files"

	// These have names that were cut; their variants' first words find them.
	collectNotesLinked = "of collect_notes_linked"
	triage             = "of triage_service"
)

// TestQuestionsFindProcedures asks the demonstration graph questions in plain words: the right procedure has to be among
// the first three for at least 24 of the 30, on both stores.
func TestQuestionsFindProcedures(t *testing.T) {
	for store, args := range map[string]func(t *testing.T) []string{
		"sqlite": func(*testing.T) []string { return nil },
		"neo4j": func(t *testing.T) []string {
			database := neo4jtest.Start(t)
			if err := database.Clear(t.Context()); err != nil {
				t.Fatal(err)
			}
			return neo4jArgs(database)
		},
	} {
		t.Run(store, func(t *testing.T) {
			s := start(t, "", append(args(t), "--demo")...)
			names := map[string]string{ // of the procedures whose names are not readable
				collectNotesLinked: s.toolNameOf("Stores notes and services in the knowledge graph and links them."),
				triage:             s.toolNameOf("Reads the newest log and what is known about a service at once."),
			}
			answered := 0
			for _, q := range questions {
				var found struct {
					Search struct {
						Nodes []struct {
							Score   float64
							Snippet string
							Node    struct{ ToolName, Kind, Label string }
						}
					}
				}
				s.get(&found, searchQuery, map[string]any{"t": q.text})
				right := false
				for _, hit := range found.Search.Nodes {
					if hit.Snippet == "" || hit.Score <= 0 {
						t.Errorf("%q: the hit %+v has no score or snippet", q.text, hit)
					}
					for _, name := range q.right {
						if known, ok := names[name]; ok {
							name = known
						}
						right = right || hit.Node.ToolName == name
					}
				}
				if right {
					answered++
				} else {
					t.Logf("%q finds %+v", q.text, found.Search.Nodes)
				}
			}
			t.Logf("%d of %d", answered, len(questions))
			if answered < 24 {
				t.Errorf("the right procedure is among the first three for %d of %d questions, want 24", answered, len(questions))
			}
		})
	}
}

// toolNameOf is the name of the procedure of a variant with a summary.
func (s *server) toolNameOf(summary string) string {
	s.Helper()
	var all struct {
		Procedures struct {
			Nodes []struct {
				ToolName string
				Variants struct{ Nodes []struct{ Summary string } }
			}
		}
	}
	s.get(&all, `{procedures(first:100){nodes{toolName variants{nodes{summary}}}}}`, nil)
	for _, p := range all.Procedures.Nodes {
		for _, v := range p.Variants.Nodes {
			if v.Summary == summary {
				return p.ToolName
			}
		}
	}
	s.Fatalf("no variant has the summary %q", summary)
	return ""
}
