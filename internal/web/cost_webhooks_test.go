package web_test

import (
	"fmt"

	"vitrine/internal/app/webhooks"
)

// hook returns the IDs of a webhook and of a delivery of it.
func (c *costSite) hook() (id, delivery string) {
	w, err := c.Server.Webhooks.Create(c.T.Context(), c.Pro, webhooks.Request{URL: new("https://hook.example/a")})
	c.Check(err)
	d, err := c.Server.Webhooks.Test(c.T.Context(), c.Pro, w.ID)
	c.Check(err)
	return fmt.Sprint(w.ID), fmt.Sprint(d.ID)
}

// unhook deletes the webhooks of the account except the first, so that there
// may be another.
func (c *costSite) unhook() {
	all, err := c.Server.Webhooks.List(c.T.Context(), c.Pro)
	c.Check(err)
	for _, w := range all[1:] {
		c.Check(c.Server.Webhooks.Delete(c.T.Context(), c.Pro, w.ID))
	}
}
