package user

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"

	"github.com/spf13/cobra"
)

// newWebhooks returns the commands for the webhooks of the account.
func newWebhooks() *command.Command {
	return command.NewGroup("webhooks", "Send what happens with your links to a program or a chat.", newWebhookCreate(),
		newWebhookList(), newWebhookEdit(), newWebhookDelete(), newWebhookTest(), newWebhookLog(), newWebhookResend(),
		newWebhookRotate())
}

// webhookFlags select what a webhook sends.
type webhookFlags struct {
	Label  string
	Types  []string
	Links  []string
	Labels bool
}

// AddFlags adds the flags to a command.
func (f *webhookFlags) AddFlags(cmd *command.Command) {
	cmd.String(&f.Label, "label", "TEXT", "What the webhook is for, in your words.")
	cmd.Repeated(&f.Types, "type", "TYPE", "Send only events of this type, such as view.first. May be repeated. all: of each type.")
	cmd.Repeated(&f.Links, "link", "SLUG", "Send only events of this link. May be repeated. all: of each link.").Complete(links)
	cmd.Bool(&f.Labels, "recipient-labels", "Messages have the labels of recipients. Default: only their IDs.")
}

// request returns the request with the flags that were given.
func (f *webhookFlags) request(cmd *command.Command) (r client.WebhookRequest) {
	list := func(all []string, clean func(string) string) *[]string {
		some := []string{}
		for _, one := range all {
			if one != "all" {
				some = append(some, clean(one))
			}
		}
		return &some
	}
	if cmd.Given("label") {
		r.Label = &f.Label
	}
	if cmd.Given("type") {
		r.Types = list(f.Types, strings.TrimSpace)
	}
	if cmd.Given("link") {
		r.Links = list(f.Links, slugOf)
	}
	if cmd.Given("recipient-labels") {
		r.RecipientLabels = &f.Labels
	}
	return r
}

// formats are what messages look like.
var formats = []string{string(vitrine.WebhookStandard), string(vitrine.WebhookSlack), string(vitrine.WebhookDiscord),
	string(vitrine.WebhookMattermost)}

type webhookCreateCmd struct {
	URL    string
	Format string
	webhookFlags
	Flags
	cmd *command.Command
}

func newWebhookCreate() *command.Command {
	c := new(webhookCreateCmd)
	c.cmd = withAPI("create", "Send events to an address, and print the secret that signs them.", &c.Connection, c.Run)
	c.cmd.Long = `The secret is shown only once. With it, the receiver verifies messages as Standard Webhooks describes.
An address of Slack, Discord or Mattermost gets a text for each visit, and has no secret.`
	c.cmd.Examples("webhooks create https://app.example/hooks/vitrine --type view --type download",
		"webhooks create https://hooks.slack.com/services/T0/B0/x --link q3-deck",
		"webhooks create https://chat.example/hooks/x --format mattermost")
	c.cmd.Arg(&c.URL, "url", "Address that messages are sent to, https://.")
	c.cmd.Choice(&c.Format, "format", "FORMAT", "What messages look like. Default: that of Slack or Discord if it is an address of theirs, else standard.", formats...)
	c.cmd.Take(&c.webhookFlags, &c.Flags)
	return c.cmd
}

func (c *webhookCreateCmd) Run(ctx context.Context, t *terminal.Terminal, api *client.Client) error {
	r := c.request(c.cmd)
	r.URL = &c.URL
	if c.Format != "" {
		r.Format = &c.Format
	}
	w, err := api.CreateWebhook(ctx, r)
	if err != nil {
		return err
	}
	return showSecret(t, c.JSON, w, fmt.Sprintf("Webhook %s is created.", terminal.Plain(w.ID)))
}

// showSecret prints a webhook with a new secret, which is alone on standard
// output.
func showSecret(t *terminal.Terminal, json bool, w client.Webhook, done string) error {
	unprinted := func(err error) error {
		return terminal.Unprinted(err, fmt.Sprintf("webhook %s has a new secret, but", terminal.Plain(w.ID)),
			fmt.Sprintf("Make another: %s webhooks rotate %s", terminal.Self(), terminal.Plain(w.ID)))
	}
	if json {
		return unprinted(t.JSON(w))
	}
	if t.Say("%s", done); w.Secret == "" {
		return nil
	}
	t.Say("Its secret, shown only once:")
	_, err := fmt.Fprintln(t.Out, terminal.Plain(w.Secret))
	return unprinted(err)
}

type webhookListCmd struct{ Flags }

func newWebhookList() *command.Command {
	c := new(webhookListCmd)
	cmd := withAPI("list", "List your webhooks.", &c.Connection, c.Run)
	cmd.Long = "On a terminal, a table. Otherwise a line for each, its columns separated by tabs: ID, state, format, types, links, label, address."
	cmd.Examples("webhooks list", "webhooks list --json | jq 'select(.enabled | not)'")
	cmd.Take(&c.Flags)
	return cmd
}

func (c *webhookListCmd) Run(ctx context.Context, t *terminal.Terminal, api *client.Client) error {
	all, err := api.Webhooks(ctx)
	if err != nil {
		return err
	}
	none := "No webhooks yet. Create one: " + terminal.Self() + " webhooks create URL"
	header := []string{"ID", "STATE", "FORMAT", "TYPES", "LINKS", "LABEL", "ADDRESS"}
	return command.List(t, c.JSONFlag, none, header, all, command.Itself, func(w client.Webhook) []string {
		return []string{w.ID, webhookState(w), w.Format, orAll(w.Types), orAll(w.Links), w.Label, w.URL}
	})
}

func orAll(list []string) string {
	if len(list) == 0 {
		return "all"
	}
	return strings.Join(list, " ")
}

// webhookState says whether a webhook sends.
func webhookState(w client.Webhook) string {
	switch {
	case w.OffReason == "secret":
		return "needs a new secret"
	case !w.Enabled:
		return "off (" + w.OffReason + ")"
	case w.Failures > 0:
		return terminal.Counted(int64(w.Failures), "failed try")
	}
	return "on"
}

// hookFlags select a webhook.
type hookFlags struct {
	ID int64
	Flags
}

// AddFlags adds argument and flags to a command.
func (f *hookFlags) AddFlags(cmd *command.Command) {
	cmd.NumberArg(&f.ID, "id", "ID of the webhook, as \"webhooks list\" shows it.").Complete(hooks)
	cmd.Take(&f.Flags)
}

func (f *hookFlags) id() string { return strconv.FormatInt(f.ID, 10) }

// hooks completes the IDs of the webhooks of the account.
func hooks(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return completed(cmd, func(ctx context.Context, api *client.Client) (ids []string, err error) {
		all, err := api.Webhooks(ctx)
		for _, w := range all {
			ids = append(ids, cobra.CompletionWithDesc(w.ID, terminal.Plain(w.URL)))
		}
		return ids, err
	})
}

type webhookEditCmd struct {
	hookFlags
	URL    string
	Format string
	On     bool
	Off    bool
	webhookFlags
	cmd *command.Command
}

func newWebhookEdit() *command.Command {
	c := new(webhookEditCmd)
	c.cmd = withAPI("edit", "Change a webhook, or turn it on or off.", &c.Connection, c.Run)
	c.cmd.Long = "A webhook that is turned on sends events from then on. Those before are in \"events\"."
	c.cmd.Examples("webhooks edit 3 --type view --link q3-deck", "webhooks edit 3 --type all --link all",
		"webhooks edit 3 --on")
	c.cmd.Exclusive("on", "off")
	c.cmd.Take(&c.hookFlags, &c.webhookFlags)
	c.cmd.String(&c.URL, "url", "URL", "Send to another address.")
	c.cmd.Choice(&c.Format, "format", "FORMAT", "What messages look like; with --url.", formats...)
	c.cmd.Bool(&c.On, "on", "Turn it on.")
	c.cmd.Bool(&c.Off, "off", "Turn it off.")
	return c.cmd
}

func (c *webhookEditCmd) Run(ctx context.Context, t *terminal.Terminal, api *client.Client) error {
	r := c.request(c.cmd)
	if c.URL != "" {
		r.URL = &c.URL
	}
	if c.Format != "" {
		r.Format = &c.Format
	}
	if c.On || c.Off {
		r.Enabled = &c.On
	}
	w, err := api.UpdateWebhook(ctx, c.id(), r)
	if err != nil {
		return err
	}
	return showSecret(t, c.JSON, w, fmt.Sprintf("Webhook %s is changed: %s.", terminal.Plain(w.ID), webhookState(w)))
}

type webhookDeleteCmd struct {
	hookFlags
	Yes bool
}

func newWebhookDelete() *command.Command {
	c := new(webhookDeleteCmd)
	cmd := withAPI("delete", "Delete a webhook and its log.", &c.Connection, c.Run)
	cmd.Examples("webhooks delete 3", "webhooks delete 3 --yes")
	cmd.Take(&c.hookFlags)
	cmd.Confirm(&c.Yes)
	return cmd
}

func (c *webhookDeleteCmd) Run(ctx context.Context, t *terminal.Terminal, api *client.Client) error {
	ok, err := t.Confirmed(c.Yes, "Delete webhook %d and its log?", c.ID)
	if err != nil || !ok {
		return err
	}
	if err := api.DeleteWebhook(ctx, c.id()); err != nil {
		return err
	}
	t.Say("The webhook is deleted.")
	return nil
}

type webhookTestCmd struct{ hookFlags }

func newWebhookTest() *command.Command {
	c := new(webhookTestCmd)
	cmd := withAPI("test", "Send a test message and show the answer.", &c.Connection, c.Run)
	cmd.Examples("webhooks test 3")
	cmd.Take(&c.hookFlags)
	return cmd
}

// testEvery is how often the result of a test is asked for, and testFor is for
// how long: longer than one try takes.
const testEvery, testFor = 500 * time.Millisecond, 25 * time.Second

func (c *webhookTestCmd) Run(ctx context.Context, t *terminal.Terminal, api *client.Client) error {
	d, err := api.TestWebhook(ctx, c.id())
	for waited := time.Duration(0); err == nil && d.State == "waiting" && waited < testFor; waited += testEvery {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.AfterPoll(testEvery):
		}
		p, failed := api.Deliveries(ctx, c.id(), "", 20)
		err = failed
		for _, one := range p.Deliveries {
			if one.ID == d.ID {
				d = one
			}
		}
	}
	if err != nil {
		return err
	}
	if err := showDeliveries(t, c.JSONFlag, []client.Delivery{d}); err != nil {
		return err
	}
	if d.State == "failed" {
		return fmt.Errorf("the test failed: %s", terminal.Plain(d.Error))
	}
	return nil
}

type webhookLogCmd struct {
	hookFlags
	command.LimitFlags
}

func newWebhookLog() *command.Command {
	c := new(webhookLogCmd)
	cmd := withAPI("log", "List the messages of a webhook, newest first, with the answers.", &c.Connection, c.Run)
	cmd.Long = `Of the last 30 days. On a terminal, a table. Otherwise a line for each message, its columns separated by
tabs: ID, time, type, state, tries, status, error or answer.`
	cmd.Examples("webhooks log 3", "webhooks log 3 --all --json | jq 'select(.state == \"failed\") | .id'")
	cmd.Take(&c.hookFlags, &c.LimitFlags)
	return cmd
}

func (c *webhookLogCmd) Run(ctx context.Context, t *terminal.Terminal, api *client.Client) error {
	limit := c.Most(t)
	var all []client.Delivery
	for cursor := ""; ; {
		p, err := api.Deliveries(ctx, c.id(), cursor, 100)
		if err != nil {
			return err
		}
		all = append(all, p.Deliveries...)
		if cursor = p.NextCursor; limit > 0 && len(all) >= limit {
			all, cursor = all[:limit], ""
		}
		if cursor == "" {
			return showDeliveries(t, c.JSONFlag, all)
		}
	}
}

func showDeliveries(t *terminal.Terminal, json command.JSONFlag, list []client.Delivery) error {
	header := []string{"ID", "TIME", "TYPE", "STATE", "TRIES", "STATUS", "RESULT"}
	return command.List(t, json, "No messages yet.", header, list, command.Itself, func(d client.Delivery) []string {
		at, status, result := d.TriedAt, "", d.Error
		if at.IsZero() {
			at = d.CreatedAt
		}
		if d.Status != 0 {
			status = strconv.Itoa(d.Status)
		}
		if result == "" {
			result = d.Answer
		}
		return []string{d.ID, t.When(at), d.Type, d.State, strconv.Itoa(d.Tries), status, result}
	})
}

type webhookResendCmd struct {
	hookFlags
	Delivery int64
}

func newWebhookResend() *command.Command {
	c := new(webhookResendCmd)
	cmd := withAPI("resend", "Send a message of a webhook once more, at once.", &c.Connection, c.Run)
	cmd.Examples("webhooks resend 3 41")
	cmd.Take(&c.hookFlags)
	cmd.NumberArg(&c.Delivery, "message", "ID of the message, as \"webhooks log\" shows it.")
	return cmd
}

func (c *webhookResendCmd) Run(ctx context.Context, t *terminal.Terminal, api *client.Client) error {
	d, err := api.ResendDelivery(ctx, c.id(), strconv.FormatInt(c.Delivery, 10))
	if err != nil {
		return err
	}
	return showDeliveries(t, c.JSONFlag, []client.Delivery{d})
}

type webhookRotateCmd struct{ hookFlags }

func newWebhookRotate() *command.Command {
	c := new(webhookRotateCmd)
	cmd := withAPI("rotate", "Replace the secret of a webhook, and print the new one.", &c.Connection, c.Run)
	cmd.Long = "For 24 hours, messages have signatures with both secrets. Give the receiver the new one in that time."
	cmd.Examples("webhooks rotate 3")
	cmd.Take(&c.hookFlags)
	return cmd
}

func (c *webhookRotateCmd) Run(ctx context.Context, t *terminal.Terminal, api *client.Client) error {
	w, err := api.RotateWebhook(ctx, c.id())
	if err != nil {
		return err
	}
	done := "The secret is replaced."
	if !w.OldSecretUntil.IsZero() { // it is lost under another secret of the instance
		done += " The one before also signs for 24 hours."
	}
	return showSecret(t, c.JSON, w, done)
}
