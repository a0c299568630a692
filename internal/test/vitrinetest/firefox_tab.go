package vitrinetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// FirefoxTab is a page or a frame of one.
type FirefoxTab struct {
	t  testing.TB
	b  *Firefox
	id string // of its browsing context
}

// Visitor returns a tab with its own cookies and storage.
func (b *Firefox) Visitor() *FirefoxTab {
	b.t.Helper()
	var who struct {
		UserContext string `json:"userContext"`
	}
	b.call("browser.createUserContext", map[string]any{}, &who)
	var made struct {
		Context string `json:"context"`
	}
	b.call("browsingContext.create", map[string]any{"type": "window", "userContext": who.UserContext}, &made)
	tb := &FirefoxTab{b.t, b, made.Context}
	tb.Front()
	return tb
}

// Front brings a tab to the front and focuses it.
func (tb *FirefoxTab) Front() {
	tb.t.Helper()
	tb.b.call("browsingContext.activate", map[string]any{"context": tb.id}, nil)
}

// Before runs a script before the scripts of every later page of a tab, and of
// its frames.
func (tb *FirefoxTab) Before(script string) {
	tb.t.Helper()
	tb.b.call("script.addPreloadScript", map[string]any{"functionDeclaration": "() => {" + script + "\n}",
		"contexts": []string{tb.id}}, nil)
}

// Run runs a script, and waits for its promise.
func (tb *FirefoxTab) Run(script string) {
	tb.t.Helper()
	if _, err := tb.evaluate(script); err != nil {
		tb.t.Fatal(err)
	}
}

// Close closes the tab, as a person does.
func (tb *FirefoxTab) Close() {
	tb.t.Helper()
	tb.b.call("browsingContext.close", map[string]any{"context": tb.id}, nil)
}

// Go opens an address and waits until the page has loaded.
func (tb *FirefoxTab) Go(address string) {
	tb.t.Helper()
	tb.b.call("browsingContext.navigate", map[string]any{"context": tb.id, "url": address, "wait": "complete"}, nil)
}

// Window sets the size of the window, in CSS pixels.
func (tb *FirefoxTab) Window(width, height int) {
	tb.t.Helper()
	tb.b.call("browsingContext.setViewport", map[string]any{"context": tb.id,
		"viewport": map[string]int{"width": width, "height": height}}, nil)
}

// evaluated is the answer to script.evaluate.
type evaluated struct {
	Type   string `json:"type"`
	Result struct {
		SharedID string `json:"sharedId"`
		Value    any    `json:"value"`
	} `json:"result"`
	ExceptionDetails struct {
		Text string `json:"text"`
	} `json:"exceptionDetails"`
}

func (tb *FirefoxTab) evaluate(expression string) (evaluated, error) {
	var e evaluated
	err := tb.b.try("script.evaluate", map[string]any{"expression": expression,
		"target":       map[string]string{"context": tb.id},
		"awaitPromise": true, "userActivation": true}, &e)
	if err == nil && e.Type != "success" {
		err = fmt.Errorf("%s: %s", expression, e.ExceptionDetails.Text)
	}
	return e, err
}

// Text returns the value of a string expression.
func (tb *FirefoxTab) Text(expression string) string {
	tb.t.Helper()
	e, err := tb.evaluate(expression)
	if err != nil {
		tb.t.Fatal(err)
	}
	text, ok := e.Result.Value.(string)
	if !ok {
		tb.t.Fatalf("%s = %v, want a string", expression, e.Result.Value)
	}
	return text
}

// Until waits until a condition holds on the page, even after a navigation.
func (tb *FirefoxTab) Until(condition string) {
	tb.t.Helper()
	end := time.Now().Add(firefoxPatience)
	for {
		e, err := tb.evaluate("!!(" + condition + ")")
		if err == nil && e.Result.Value == true {
			return
		}
		if time.Now().After(end) {
			page, _ := tb.evaluate(`location.href + "\n" + document.body.innerText`)
			tb.t.Fatalf("%s does not become true (%v)\n%v\n%q", condition, err, page.Result.Value, tb.b.logs)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// element waits for an element and scrolls to it.
func (tb *FirefoxTab) element(selector string) map[string]string {
	tb.t.Helper()
	find := fmt.Sprintf("document.querySelector(%q)", selector)
	tb.Until(find)
	e, err := tb.evaluate(`(() => { const e = ` + find + `; e.scrollIntoView({ block: "center" }); return e })()`)
	if err != nil {
		tb.t.Fatal(err)
	}
	return map[string]string{"sharedId": e.Result.SharedID}
}

// Click clicks an element.
func (tb *FirefoxTab) Click(selector string) {
	tb.t.Helper()
	at := map[string]any{"type": "element", "element": tb.element(selector)}
	tb.act(map[string]any{"type": "pointer", "id": "hand", "actions": []map[string]any{
		{"type": "pointerMove", "x": 0, "y": 0, "origin": at}, {"type": "pointerDown", "button": 0},
		{"type": "pointerUp", "button": 0},
	}})
}

// Keys without a letter.
const (
	Enter      = "\ue007"
	Tabulator  = "\ue004"
	ArrowRight = "\ue014"
	End        = "\ue010"
)

// Type sends keys to the focused element.
func (tb *FirefoxTab) Type(text string) {
	tb.t.Helper()
	var keys []map[string]any
	for _, key := range text {
		keys = append(keys, map[string]any{"type": "keyDown", "value": string(key)},
			map[string]any{"type": "keyUp", "value": string(key)})
	}
	tb.act(map[string]any{"type": "key", "id": "keys", "actions": keys})
}

func (tb *FirefoxTab) act(source map[string]any) {
	tb.t.Helper()
	tb.b.call("input.performActions", map[string]any{"context": tb.id, "actions": []any{source}}, nil)
}

// Choose picks files as with the dialog of a file field.
func (tb *FirefoxTab) Choose(selector string, paths ...string) {
	tb.t.Helper()
	tb.b.call("input.setFiles", map[string]any{"context": tb.id, "element": tb.element(selector), "files": paths}, nil)
}

// Frame waits for a frame of the page whose address contains part.
func (tb *FirefoxTab) Frame(part string) *FirefoxTab {
	tb.t.Helper()
	end := time.Now().Add(firefoxPatience)
	for {
		var tree struct {
			Contexts []struct {
				Children []struct {
					Context string `json:"context"`
					URL     string `json:"url"`
				} `json:"children"`
			} `json:"contexts"`
		}
		tb.b.call("browsingContext.getTree", map[string]any{"root": tb.id}, &tree)
		for _, page := range tree.Contexts {
			for _, child := range page.Children {
				if strings.Contains(child.URL, part) {
					return &FirefoxTab{tb.t, tb.b, child.Context}
				}
			}
		}
		if time.Now().After(end) {
			text, _ := json.Marshal(tree)
			tb.t.Fatalf("no frame with %s in its address: %s", part, text)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Quiet fails the test if the page had errors or policy violations, except
// those that contain one of the given texts.
func (tb *FirefoxTab) Quiet(but ...string) {
	tb.t.Helper()
	tb.b.mu.Lock()
	defer tb.b.mu.Unlock()
	for _, text := range tb.b.logs[tb.id] {
		if !slices.ContainsFunc(but, func(s string) bool { return strings.Contains(text, s) }) {
			tb.t.Errorf("Firefox reports: %s", text)
		}
	}
}
