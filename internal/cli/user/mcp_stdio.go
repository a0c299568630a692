package user

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"vitrine/internal/web/agent"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
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

// check answers the line if it is not a message for the SDK, and notes a call.
func (s *stdio) check() error {
	line := bytes.TrimSpace(s.line)
	if len(line) == 0 {
		return nil
	}
	message, wrong := agent.ReadMessage(line)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case wrong != nil:
		s.line = nil
		return s.answer(wrong)
	case message.Ignored:
		s.line = nil
		return nil
	case message.ID == nil:
		return nil
	}
	if call, err := jsonrpc.DecodeMessage(line); err == nil {
		s.calls[call.(*jsonrpc.Request).ID] = true
	}
	return nil
}

// answer writes an error. The caller holds the lock.
func (s *stdio) answer(e *agent.ProtocolError) error {
	b, err := json.Marshal(e)
	if err == nil {
		_, err = s.out.Write(append(b, '\n'))
	}
	return err
}

// Write writes a message of the SDK. An error without a code, such as that of a
// call before "initialize", becomes one of JSON-RPC.
func (s *stdio) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	message, err := jsonrpc.DecodeMessage(p)
	answer, ok := message.(*jsonrpc.Response)
	if err != nil || !ok {
		return s.out.Write(p)
	}
	defer s.broadcast(answer.ID)
	if e := new(jsonrpc.Error); errors.As(answer.Error, &e) && e.Code == 0 {
		if id, err := json.Marshal(answer.ID.Raw()); err == nil {
			return len(p), s.answer(&agent.ProtocolError{ID: id, Code: jsonrpc.CodeInvalidRequest,
				Message: "Invalid request: call initialize first."})
		}
	}
	return s.out.Write(p)
}

// broadcast notes that a call is answered. The caller holds the lock.
func (s *stdio) broadcast(id jsonrpc.ID) {
	delete(s.calls, id)
	s.answered.Broadcast()
}

func (s *stdio) Close() error { return nil }
