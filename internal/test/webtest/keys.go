package webtest

import (
	"context"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Keys presses keys as a person does: a key types nothing if the page prevents
// what it does. With chromedp.KeyEvent, it types all the same.
func Keys(keys string, options ...chromedp.KeyOption) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		for _, r := range keys {
			events := kb.Encode(r)
			down := events[0]
			for _, e := range events {
				if e.Type == input.KeyChar {
					down.Text, down.UnmodifiedText = e.Text, e.UnmodifiedText
					continue
				}
				for _, option := range options {
					option(e)
				}
			}
			for _, e := range []*input.DispatchKeyEventParams{down, events[len(events)-1]} {
				if e.Modifiers&^input.ModifierShift != 0 {
					e.Text, e.UnmodifiedText = "", "" // a command
				}
				if err := e.Do(ctx); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Type presses keys in the field that the selector matches first.
func Type(selector, keys string) chromedp.Action {
	return chromedp.Tasks{chromedp.Focus(selector, chromedp.ByQuery, chromedp.NodeVisible), Keys(keys)}
}
