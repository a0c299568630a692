package agent

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"vitrine/client"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// argumentOf are the arguments of tools whose members of the API have other
// names.
var argumentOf = map[string]string{"linkName": "title", "expiresAt": "expires", "idempotencyKey": "idempotency_key",
	"q": "query", "allowDownload": "view_only", "nextCursor": "next_cursor"}

// argumentNamed returns the name of a tool's argument for a member of the API.
func argumentNamed(tool, member string) string {
	switch {
	case tool == "update_link" && member == "slug":
		return "new_slug"
	case tool == "update_link" && member == "allowDownload":
		return "allow_download"
	case strings.HasPrefix(member, "recipients"):
		return "labels"
	case member == "size" && tool != "begin_upload":
		return "content"
	case argumentOf[member] != "":
		return argumentOf[member]
	}
	return member
}

// refused returns the answer of a call that failed: the code, what happened,
// and what to do next, in the words of the tool.
func refused(tool string, err error) *mcp.CallToolResult {
	text := "error: " + err.Error()
	var e *client.Error
	if errors.As(err, &e) {
		text = refusal(tool, e)
	}
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

func refusal(tool string, e *client.Error) string {
	message := e.Message
	for member := range argumentOf {
		message = strings.ReplaceAll(message, `"`+member+`"`, `"`+argumentNamed(tool, member)+`"`)
	}
	text := fmt.Sprintf("%s: %s", cmp.Or(e.Code, "unexpected_answer"), message)
	if name := argumentNamed(tool, e.Field); name != "" {
		text += " (argument " + name + ")"
	}
	if e.Reason != "" {
		text += " (reason " + e.Reason + ")"
	}
	if e.RetryAfter > 0 {
		text += fmt.Sprintf(" Try again in %s.", e.RetryAfter)
	}
	if next := nextSteps[e.Code]; next != "" {
		text += "\nNext: " + next
	}
	if e.UpgradeURL != "" {
		text += " Plans: " + e.UpgradeURL
	}
	if e.Current != nil {
		text += fmt.Sprintf("\nThe link is now (etag %s): %s", e.Current.ETag, asJSON(e.Current))
	}
	return text
}

// nextSteps are what an agent does about a failure.
var nextSteps = map[string]string{
	"invalid_request":     "correct the argument that the message names, and repeat the call.",
	"secret_found":        "remove it. If the person wants exactly this to be public, repeat the call with publish_secrets true.",
	"unauthorized":        "ask the person for a valid API key; they are made on the page /keys.",
	"banned":              "stop, and tell the person that the account is suspended.",
	"forbidden":           "ask the person for an API key with the scope that the message names. Nothing was changed.",
	"pro_required":        "go on without it: publish without a slug, or without a report.",
	"link_limit":          "ask the person which link to delete, or replace the file of an existing link with replace_file.",
	"storage_limit":       "publish a smaller file, or ask the person which link to delete.",
	"file_too_large":      "make the file smaller, for example by smaller pictures, and try again.",
	"recipient_limit":     "ask the person which address to revoke, or use another link.",
	"rate_limited":        "wait as long as the message says, then repeat the same call.",
	"not_found":           "call list_links to find the slug.",
	"slug_taken":          "choose another slug, or leave it out.",
	"invalid_slug":        "use 3 to 50 lower-case letters, digits and single hyphens, or leave it out.",
	"precondition_failed": "compare the link as it is with what you expected, then repeat the call with its etag.",
	"unsupported_type":    "use a supported file type, such as .md, .html, .txt, .csv, .json, .pdf or .png.",
	"content_mismatch":    "give the file the extension of its content and begin again.",
	"unsafe_file":         "remove what the message names from the file, and publish it again.",
	"malware":             "do not send the file again; tell the person.",
	"upload_incomplete":   "finish the PUT of the bytes, then call complete_upload again.",
	"upload_not_found":    "call begin_upload again.",
	"url_expired":         "call begin_upload again for a fresh address.",
	"unavailable":         "repeat the same call in some seconds. Nothing was changed, unless the message says otherwise.",
	"internal":            "repeat the call once; if it fails again, tell the person.",
}
