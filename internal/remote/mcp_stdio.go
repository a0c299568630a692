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

// stdio is the connection to an agent. The SDK ends a connection at the first
// line that it cannot parse, and at the end of the input without the answers
// that are due. So stdio answers such lines itself, and reports the end of the
// input once all calls are answered. Close does nothing.
type stdio struct {
	in   *bufio.Reader
	line []byte // the unread part of a message
	err  error  // what follows it

	mu       sync.Mutex
	answered *sync.Cond // calls has changed
	calls    map[jsonrpc.ID]bool
	out      io.Writer
}

func newStdio(in io.Reader, out io.Writer) *stdio {
	s := &stdio{in: bufio.NewReader(in), out: out, calls: map[jsonrpc.ID]bool{}}
	s.answered = sync.NewCond(&s.mu)
	return s
}

// Read reads the next message, or a part of it.
func (s *stdio) Read(p []byte) (int, error) {
	for len(s.line) == 0 {
		if s.err != nil {
			s.wait()
			return 0, s.err
		}
		s.line, s.err = s.in.ReadBytes('\n')
		if err := s.check(); err != nil {
			return 0, err
		}
	}
	n := copy(p, s.line)
	s.line = s.line[n:]
	return n, nil
}

// wait returns once all calls are answered.
func (s *stdio) wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.calls) > 0 {
		s.answered.Wait()
	}
}

// check answers the line if it is not a message, and notes a call.
func (s *stdio) check() error {
	line := bytes.TrimSpace(s.line)
	if len(line) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	message, err := jsonrpc.DecodeMessage(line)
	if err == nil {
		if call, ok := message.(*jsonrpc.Request); ok && call.IsCall() {
			s.calls[call.ID] = true
		}
		return nil
	}
	s.line = nil
	answer := notJSON
	if json.Valid(line) {
		answer = notMessage
	}
	_, err = io.WriteString(s.out, answer)
	return err
}

// Write writes a message of the SDK.
func (s *stdio) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.out.Write(p)
	if message, wrong := jsonrpc.DecodeMessage(p); wrong == nil {
		if answer, ok := message.(*jsonrpc.Response); ok {
			delete(s.calls, answer.ID)
			s.answered.Broadcast()
		}
	}
	return n, err
}

func (s *stdio) Close() error { return nil }
