package front

import (
	"bytes"
	_ "embed"
	"fmt"
	"net/http"
	"strings"

	"vitrine/internal/web/httpx"
)

// skill is what an agent with a shell reads, for any instance.
//
//go:embed skill.md
var skill []byte

// sampleSite is the instance's address in skill.md.
const sampleSite = "https://share.example"

// Skill serves the instructions for agents with a shell, with the address of
// this instance.
func (s *Handler) Skill(w http.ResponseWriter, r *http.Request) error {
	return s.writeText(w, r, "text/markdown; charset=utf-8",
		bytes.ReplaceAll(skill, []byte(sampleSite), []byte(s.Server.PublicURL.String())))
}

// LLMs lists what agents can read here (llmstxt.org).
func (s *Handler) LLMs(w http.ResponseWriter, r *http.Request) error {
	site := s.Server.PublicURL.String()
	var b strings.Builder
	fmt.Fprintf(&b, "# Vitrine\n\n> Publish a file under a public link, and read exactly how it was viewed.\n\n"+
		"Agents use the tools at %s/mcp (Model Context Protocol, streamable HTTP, OAuth, or `Authorization: Bearer` and an API key), or the API at %s. "+
		"A person makes the key at %s/keys.\n\n## Use it\n\n"+
		"- [Skill](%s/skill.md): publish, replace and report from a shell\n"+
		"- [OpenAPI](%s/openapi.json): every operation of the API\n\n## Documentation\n\n", site, site+httpx.APIRoot,
		site, site, site+httpx.APIRoot)
	for _, d := range docPages() {
		fmt.Fprintf(&b, "- [%s](%s%s.md): %s\n", d.Title, site, d.Path, d.Description)
	}
	return s.writeText(w, r, "text/plain; charset=utf-8", []byte(b.String()))
}
