package command

import (
	"strings"

	"github.com/alecthomas/kong"
)

// Examples are command lines that the help of a command shows.
var Examples = map[string][]string{
	"put": {"put report.pdf", "put deck.pdf --title 'Spring deck' --expires 30d --view-only",
		"put report.pdf --replace q3-report", "put *.png --json | jq -r .url", "put - --name minutes.md"},
	"deploy":   {"deploy dist", "deploy dist --to handbook", "deploy website.zip --to handbook --json | jq -r .url"},
	"websites": {"websites", "websites --json | jq -r .url"},
	"ls":       {"ls", "ls report --kind pdf", "ls --all --json | jq -r .slug"},
	"edit": {"edit q3-report --title 'Q3, final'", "edit q3-report --slug q3-figures --expires 2027-01-31",
		"edit q3-report --disable"},
	"rm":       {"rm q3-report", "rm --yes old-draft older-draft"},
	"open":     {"open q3-report", "open q3-report --stats"},
	"get":      {"get q3-report", "get q3-report --output downloads", "get q3-report --output - | sha256sum"},
	"versions": {"versions q3-report", "versions q3-report --restore 2"},
	"captions": {"captions tour tour.en.vtt", "captions tour"},
	"stats": {"stats", "stats q3-report --range 7d", "stats q3-report --from 2026-11-01 --to 2026-11-10 --timezone Europe/Berlin",
		"stats q3-report --filter country:is:DE --json | jq .totals",
		"stats q3-report --json --include utm,curves"},
	"login":  {"login", "login --server https://share.example"},
	"logout": {"logout", "logout --server https://share.example"},
	"whoami": {"whoami", "whoami --json | jq -r .server"},
	"keys": {"keys", "keys --create ci --scope publish --expires 90d", "keys --create reports --scope read --json | jq -r .apiKey",
		"keys --revoke 7 --yes"},
	"mcp": {"mcp", "mcp --root reports --server https://share.example"},

	"serve":       {"serve", "serve --listen :8080 --public-url https://share.example --data /var/lib/vitrine"},
	"setup":       {"setup --data /var/lib/vitrine"},
	"doctor":      {"doctor --data /var/lib/vitrine", "doctor --quiet", "doctor --json | jq 'select(.state == \"wrong\")'"},
	"healthcheck": {"healthcheck", "healthcheck --listen :8080"},

	"account create": {"account create ada@example.org",
		"account create ada@example.org --plan pro --json | jq -r .apiKey", "account create --from people.ndjson"},
	"account list":      {"account list", "account list --role owner", "account list --suspended --json"},
	"account plan":      {"account plan ada@example.org pro", "account plan ada@example.org free --limit links=50,storage=2GB"},
	"account role":      {"account role ada@example.org moderator --note 'joins the team'"},
	"account suspend":   {"account suspend mallory@example.org --note 'spam'"},
	"account unsuspend": {"account unsuspend ada@example.org"},
	"account delete":    {"account delete mallory@example.org", "account delete mallory@example.org --yes --json"},
	"account sign-in":   {"account sign-in ada@example.org"},
	"account reset":     {"account reset ada@example.org"},
	"account invite":    {"account invite bob@example.org --plan free"},

	"key create": {"key create ada@example.org --name ci --scope publish --expires 90d"},
	"key list":   {"key list ada@example.org"},
	"key rotate": {"key rotate ada@example.org 3", "key rotate ada@example.org 3 --grace 0s"},
	"key revoke": {"key revoke ada@example.org 3", "key revoke ada@example.org 3 --yes --json"},

	"link list": {"link list", "link list --account ada@example.org --status disabled",
		"link list --json | jq -r .slug"},
	"link show":    {"link show q3-report", "link show https://share.example/p/q3-report --json"},
	"link reject":  {"link reject q3-report --same --note 'phishing'"},
	"link disable": {"link disable q3-report --note 'asked by a lawyer'"},
	"link rescan":  {"link rescan q3-report", "link rescan --all"},
	"link preview": {"link preview q3-report", "link preview --all"},
	"link delete":  {"link delete q3-report"},

	"backup":  {"backup /backups/monday", "backup /backups/tuesday --since /backups/monday --data /var/lib/vitrine"},
	"restore": {"restore /backups/monday --data /var/lib/vitrine"},
	"audit":   {"audit", "audit --repair"},

	"storage check": {"storage check --public-url https://share.example"},
	"storage cors":  {"storage cors --public-url https://share.example"},
	"storage claim": {"storage claim"},

	"secret rotate": {"secret rotate", "secret rotate --sign-out --yes"},

	"import links": {"import links links.ndjson"},
	"import views": {"import views views.ndjson", "import views -"},
	"reclassify":   {"reclassify", "reclassify --apply"},
	"geo update":   {"geo update --data /var/lib/vitrine"},
	"completion":   {"completion bash", "completion fish"},
}

// showExamples adds the examples to the help of their commands.
func showExamples(parser *kong.Kong) {
	for _, command := range parser.Model.Leaves(false) {
		if lines := Examples[Name(command)]; len(lines) > 0 {
			command.Detail = strings.TrimSpace(command.Detail + "\n\nExamples:\n\n  vitrine " +
				strings.Join(lines, "\n  vitrine "))
		}
	}
}
