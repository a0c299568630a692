package main

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"vitrine"
	"vitrine/client"
)

const defaultURL = "http://localhost:8080"

// remote names the instance that a verb uses over its API.
type remote struct {
	URL    string `help:"Address of the instance. Default: the one that \"login\" was used with last, or http://localhost:8080 with an API key of your own." env:"VITRINE_URL" placeholder:"URL"`
	APIKey string `help:"API key. Default: the one that \"login\" has stored. Better in the environment: arguments can be seen by others on the machine." env:"VITRINE_API_KEY" placeholder:"KEY"`
	jsonFlag
}

// target is an instance, and the key that it is asked with.
type target struct {
	server, key string
	from        string // where the key comes from, for a person
}

// target finds server and key: those that were named, then those that "login" has stored. A key that was named is never sent to a server of
// which only the stored settings know.
func (r remote) target() (target, error) {
	address, key := strings.TrimSpace(r.URL), strings.TrimSpace(r.APIKey)
	if key != "" {
		from := "--api-key"
		if strings.TrimSpace(os.Getenv("VITRINE_API_KEY")) == key {
			from = "VITRINE_API_KEY"
		}
		return target{server: cmp.Or(address, defaultURL), key: key, from: from}, nil
	}
	stored, err := openCredentials()
	if err != nil {
		return target{}, usage(noKey(address))
	}
	server, err := serverOr(address, stored)
	if err != nil {
		return target{}, err
	}
	if server == "" {
		return target{}, usage(noKey(""))
	}
	c, err := stored.load(server)
	if err != nil {
		return target{}, err
	}
	if c == nil {
		return target{}, usage(noKey(server))
	}
	return target{server: server, key: c.APIKey, from: "the key of \"login\""}, nil
}

// serverOr is the address that was named, or else the server that was logged in to last; "" for neither.
func serverOr(address string, stored credentials) (string, error) {
	if address != "" {
		return normalServer(address)
	}
	return stored.last()
}

func noKey(server string) string {
	login := self() + " login"
	if server != "" {
		login += " --server " + shellWord(server)
	}
	return fmt.Sprintf("there is no API key: run \"%s\", or set VITRINE_API_KEY", login)
}

// client is the API's client.
func (r remote) client(t *terminal, opts ...client.Option) (*client.Client, error) {
	to, err := r.target()
	if err != nil {
		return nil, err
	}
	return newClient(t, to, opts...)
}

// newClient makes a client, of whose server the terminal speaks from now on.
func newClient(t *terminal, to target, opts ...client.Option) (*client.Client, error) {
	c, err := client.New(to.server, to.key, append(opts, client.WithUserAgent("vitrine/"+version))...)
	if err != nil {
		return nil, usage(err.Error())
	}
	t.asked = &to
	return c, nil
}

// reader is client for verbs whose answer a person waits for: they give up after seconds.
func (r remote) reader(t *terminal) (*client.Client, error) {
	return r.client(t, patient(t)...)
}

func patient(t *terminal) []client.Option {
	return []client.Option{client.WithAttempts(4), client.WithPatience(10 * time.Second), client.WithRetryNotice(func(r client.Retry) { t.notice(r) })}
}

// notice tells a person of a pause.
func (t *terminal) notice(r client.Retry) {
	t.say("%s; trying again in %s", plain(strings.TrimSuffix(t.sentence(r.Err), ".")), r.Wait.Round(100*time.Millisecond))
}

// host is the server's, for a person.
func (to *target) host() string {
	if u, err := url.Parse(to.server); err == nil && u.Host != "" {
		return u.Host
	}
	return to.server
}

// shownKey is as much of the key as may be shown.
func (to *target) shownKey() string {
	if _, ok := vitrine.ParseKeyText(to.key); !ok {
		return "not a whole key"
	}
	return vitrine.KeyText(to.key).String()
}
