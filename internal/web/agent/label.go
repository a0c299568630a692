package agent

import (
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Label names the program behind a call, as links keep it: the client as it
// introduced itself, or else the program that sent the request.
func Label(req *mcp.CallToolRequest) string {
	if req.Session != nil {
		if p := req.Session.InitializeParams(); p != nil && p.ClientInfo != nil && p.ClientInfo.Name != "" {
			name := p.ClientInfo.Name
			if p.ClientInfo.Version != "" {
				name += "/" + p.ClientInfo.Version
			}
			return headerWord(name)
		}
	}
	if req.Extra != nil {
		if name, _, _ := strings.Cut(req.Extra.Header.Get("User-Agent"), " "); name != "" {
			return headerWord(name)
		}
	}
	return "mcp"
}

// maxLabel bounds a name, in bytes.
const maxLabel = 60

// headerWord makes a name one word that a header takes.
func headerWord(name string) string {
	name = strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return '-'
		}
		return r
	}, name)
	return name[:min(len(name), maxLabel)]
}
