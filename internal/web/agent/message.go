package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Message is what there is to know of a message before the SDK reads it.
type Message struct {
	ID       jsontext.Value // of a call; nil in others
	Method   string         // "" in an answer of the client
	Tool     string         // the tool that is called, or ""
	Progress bool           // the caller asks for progress
	// Ignored reports a notification that means nothing to this server.
	Ignored bool
}

// ProtocolError is an error of the protocol, not of a tool.
type ProtocolError struct {
	ID      jsontext.Value // of the call; nil if there is none
	Code    int64          // of JSON-RPC
	Message string
}

// MarshalJSON writes the error as an answer of JSON-RPC 2.0.
func (e *ProtocolError) MarshalJSON() ([]byte, error) {
	id := e.ID
	if id == nil {
		id = jsontext.Value("null")
	}
	type detail struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	}
	return json.Marshal(struct {
		Version string         `json:"jsonrpc"`
		ID      jsontext.Value `json:"id"`
		Error   detail         `json:"error"`
	}{"2.0", id, detail{e.Code, e.Message}})
}

func invalid(id jsontext.Value, text string, args ...any) *ProtocolError {
	return &ProtocolError{id, jsonrpc.CodeInvalidRequest, "Invalid request: " + fmt.Sprintf(text, args...)}
}

func invalidParams(id jsontext.Value, text string, args ...any) *ProtocolError {
	return &ProtocolError{id, jsonrpc.CodeInvalidParams, "Invalid params: " + fmt.Sprintf(text, args...)}
}

const (
	maxDepth = 64  // of the nesting of a message
	maxName  = 128 // bytes of a method's or tool's name, and of an id
)

// method is a method of the protocol that this server knows.
type method struct {
	notification bool
	needsParams  bool
	params       func() any // returns new parameters
}

// methods are those of a server that has tools, which never change.
var methods = map[string]method{
	"initialize":      {needsParams: true, params: func() any { return new(mcp.InitializeParams) }},
	"server/discover": {params: func() any { return new(mcp.DiscoverParams) }},
	"ping":            {params: func() any { return new(mcp.PingParams) }},
	"tools/list":      {params: func() any { return new(mcp.ListToolsParams) }},
	"tools/call":      {needsParams: true},

	"notifications/initialized": {notification: true, params: func() any { return new(mcp.InitializedParams) }},
	"notifications/cancelled": {notification: true, needsParams: true,
		params: func() any { return new(mcp.CancelledParams) }},
	"notifications/progress": {notification: true, needsParams: true,
		params: func() any { return new(mcp.ProgressNotificationParams) }},
}

// ReadMessage checks a message: one JSON object in valid UTF-8 without
// duplicate names, that is a message of JSON-RPC 2.0 with a method and
// parameters that this server knows. The SDK is lenient about some of it, and
// names Go's types in its errors.
func ReadMessage(body []byte) (m Message, wrong *ProtocolError) {
	if wrong := syntax(body); wrong != nil {
		return m, wrong
	}
	top := members(body)
	id, wrong := messageID(top["id"])
	if wrong != nil {
		return m, wrong
	}
	if string(top["jsonrpc"]) != `"2.0"` {
		return m, invalid(id, `"jsonrpc" must be "2.0".`)
	}
	name, ok := top["method"]
	if !ok && id != nil && (top["result"] != nil || top["error"] != nil) {
		return Message{Ignored: true}, nil // this server asks clients nothing
	}
	if !ok || name.Kind() != '"' || len(name) > maxName {
		return m, invalid(id, `"method" must be the name of a method.`)
	}
	m.ID, m.Method = id, unquoted(name)
	known, ok := methods[m.Method]
	switch {
	case !ok && id == nil:
		m.Ignored = true
		return m, nil
	case !ok:
		return m, &ProtocolError{id, jsonrpc.CodeMethodNotFound,
			fmt.Sprintf("Method not found: this server has no method %q. It offers tools.", m.Method)}
	case known.notification && id != nil:
		return m, invalid(id, "%s is a notification: leave out \"id\".", m.Method)
	case !known.notification && id == nil:
		return m, invalid(nil, "%s needs an \"id\".", m.Method)
	}
	return m, m.readParams(known, top["params"])
}

// readParams checks the parameters of a method.
func (m *Message) readParams(known method, raw jsontext.Value) *ProtocolError {
	if len(raw) == 0 || raw.Kind() == 'n' {
		if known.needsParams {
			return invalidParams(m.ID, "%s needs \"params\", an object.", m.Method)
		}
		return nil
	}
	if raw.Kind() != '{' {
		return invalidParams(m.ID, "\"params\" must be an object.")
	}
	params := members(raw)
	if meta, ok := params["_meta"]; ok {
		if meta.Kind() != '{' {
			return invalidParams(m.ID, "\"_meta\" must be an object.")
		}
		token, ok := members(meta)["progressToken"]
		if _, wrong := messageID(token); ok && (wrong != nil || token.Kind() == 'n') {
			return invalidParams(m.ID, "\"progressToken\" must be a string or an integer.")
		}
		m.Progress = ok
	}
	if m.Method == "tools/call" {
		return m.readCall(params)
	}
	if cursor := params["cursor"]; m.Method == "tools/list" && len(cursor) > 0 && cursor.Kind() != 'n' {
		return invalidParams(m.ID, "there is no such \"cursor\": one answer lists all tools.")
	}
	if err := jsonv2.Unmarshal(raw, known.params()); err != nil {
		return invalidParams(m.ID, "a member of \"params\" of %s has the wrong type.", m.Method)
	}
	return nil
}

// readCall checks the parameters of a call of a tool, except its arguments.
func (m *Message) readCall(params map[string]jsontext.Value) *ProtocolError {
	name := params["name"]
	if name.Kind() != '"' || len(name) > maxName {
		return invalidParams(m.ID, "\"name\" must be the name of a tool.")
	}
	m.Tool = unquoted(name)
	if args, ok := params["arguments"]; ok && args.Kind() != '{' && args.Kind() != 'n' {
		return invalidParams(m.ID, "\"arguments\" must be an object.")
	}
	return nil
}

// syntax checks that a body is one object.
func syntax(body []byte) *ProtocolError {
	d := jsontext.NewDecoder(bytes.NewBuffer(body))
	switch kind := d.PeekKind(); kind {
	case '{':
	case '[':
		return invalid(nil, "send one message, not a batch in [ ].")
	case 'n', 't', 'f', '"', '0':
		return invalid(nil, "a message is an object.")
	default:
		return parseError("a message is one JSON object.")
	}
	for {
		if _, err := d.ReadToken(); err != nil {
			return parseError("a syntax error, invalid UTF-8, or a name that occurs twice.")
		}
		if d.StackDepth() > maxDepth {
			return invalid(nil, "the message is nested more than %d deep.", maxDepth)
		}
		if d.StackDepth() == 0 {
			break
		}
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return parseError("the body continues after the message.")
	}
	return nil
}

func parseError(text string) *ProtocolError {
	return &ProtocolError{nil, jsonrpc.CodeParseError, "Parse error: " + text}
}

// members returns the members of a valid object, and none of another value.
func members(object []byte) map[string]jsontext.Value {
	m := map[string]jsontext.Value{}
	_ = jsonv2.Unmarshal(object, &m)
	return m
}

// messageID checks the id of a message. It returns nil if there is none.
func messageID(raw jsontext.Value) (id jsontext.Value, wrong *ProtocolError) {
	if len(raw) == 0 {
		return nil, nil
	}
	if kind := raw.Kind(); kind == '"' && len(raw) <= maxName {
		return raw, nil
	} else if kind == '0' {
		if _, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
			return raw, nil
		}
	}
	return nil, invalid(nil, `"id" must be a string of at most %d bytes or an integer.`, maxName-2)
}

func unquoted(text jsontext.Value) string {
	b, _ := jsontext.AppendUnquote(nil, text)
	return string(b)
}
