package main

import (
	"strings"

	"github.com/alecthomas/kong"
)

// examples are command lines that the help of a command shows.
var examples = map[string][]string{
	"put": {"put report.pdf", "put deck.pdf --title 'Spring deck' --expires 30d --view-only",
		"put report.pdf --replace q3-report", "put *.png --json | jq -r .url"},
	"ls": {"ls", "ls report --kind pdf", "ls --all --json | jq -r .slug"},
	"edit": {"edit q3-report --title 'Q3, final'", "edit q3-report --slug q3 --expires 2027-01-31",
		"edit q3-report --disable"},
	"rm":       {"rm q3-report", "rm --yes old-draft older-draft"},
	"open":     {"open q3-report", "open q3-report --stats"},
	"get":      {"get q3-report", "get q3-report --output - | sha256sum"},
	"versions": {"versions q3-report", "versions q3-report --restore 2"},
	"captions": {"captions tour tour.en.vtt", "captions tour"},
	"stats": {"stats", "stats q3-report --range 7d", "stats q3-report --from 2026-11-01 --to 2026-11-10 --timezone Europe/Berlin",
		"stats q3-report --filter country:is:DE --json | jq .totals"},
	"login":          {"login --server https://share.example"},
	"mcp":            {"mcp"},
	"serve":          {"serve", "serve --listen :8080 --public-url https://share.example --data /var/lib/vitrine"},
	"account create": {"account create ada@example.org", "account create ada@example.org --plan pro --json | jq -r .apiKey"},
	"key create":     {"key create ada@example.org --name ci --scope publish --expires 90d"},
	"import links":   {"import links links.ndjson"},
	"import views":   {"import views views.ndjson"},
	"backup":         {"backup /backups/vitrine"},
	"geo update":     {"geo update"},
}

// showExamples adds the examples to the help of their commands.
func showExamples(parser *kong.Kong) {
	for _, command := range parser.Model.Leaves(false) {
		if lines := examples[nameOf(command)]; len(lines) > 0 {
			command.Detail = strings.TrimSpace(command.Detail + "\n\nExamples:\n\n  vitrine " +
				strings.Join(lines, "\n  vitrine "))
		}
	}
}

// nameOf returns the words of a command, without its aliases.
func nameOf(command *kong.Node) string {
	words, _, _ := strings.Cut(command.FullPath(), " (")
	return strings.TrimPrefix(words, "vitrine ")
}
