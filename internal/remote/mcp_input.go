package remote

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Answers to lines that are not messages, with the codes of JSON-RPC.
const (
	notJSON = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,` +
		`"message":"Parse error: a message is one line of JSON"}}` + "\n"
	notMessage = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,` +
		`"message":"Invalid request: a message is one object of JSON-RPC 2.0"}}` + "\n"
)

// messages reads the lines of an agent. The SDK ends a connection at the first
// line that it cannot parse, so messages answers such lines itself and goes on.
type messages struct {
	in   *bufio.Reader
	out  io.Writer
	line []byte // the unread part of a message
	err  error  // what follows it
}

// Read reads the next message, or a part of it.
func (m *messages) Read(p []byte) (int, error) {
	for len(m.line) == 0 {
		if m.err != nil {
			return 0, m.err
		}
		m.line, m.err = m.in.ReadBytes('\n')
		if answer := answerTo(m.line); answer != "" {
			m.line = nil
			if _, err := io.WriteString(m.out, answer); err != nil {
				return 0, err
			}
		}
	}
	n := copy(p, m.line)
	m.line = m.line[n:]
	return n, nil
}

// Close does nothing: standard input stays open.
func (m *messages) Close() error { return nil }

// answerTo returns the answer to a line that is not a message, or "".
func answerTo(line []byte) string {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return ""
	}
	if _, err := jsonrpc.DecodeMessage(line); err == nil {
		return ""
	}
	if json.Valid(line) {
		return notMessage
	}
	return notJSON
}

// keptOpen writes whole messages of several goroutines to standard output,
// which stays open.
type keptOpen struct {
	mu sync.Mutex
	io.Writer
}

func (k *keptOpen) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.Writer.Write(p)
}

func (k *keptOpen) Close() error { return nil }
