package main

import (
	"strings"
	"time"

	"vitrine/client"
)

const defaultURL = "http://localhost:8080"

// remote names the instance that a verb speaks to over its API.
type remote struct {
	URL    string `help:"Address of the instance." env:"VITRINE_URL" default:"http://localhost:8080"`
	APIKey string `help:"API key. Better in the environment: arguments can be seen by others on the machine." env:"VITRINE_API_KEY" placeholder:"KEY"`
	jsonFlag
}

// client is the API's client.
func (r remote) client(opts ...client.Option) (*client.Client, error) {
	if strings.TrimSpace(r.APIKey) == "" {
		return nil, usage("there is no API key: set VITRINE_API_KEY (\"vitrine account create\" and \"vitrine key create\" print one)")
	}
	c, err := client.New(r.URL, r.APIKey, append(opts, client.WithUserAgent("vitrine/"+version))...)
	if err != nil {
		return nil, usage(err.Error())
	}
	return c, nil
}

// reader is client for verbs that somebody waits for: they give up after seconds.
func (r remote) reader(t *terminal) (*client.Client, error) {
	return r.client(client.WithAttempts(4), client.WithPatience(10*time.Second), client.WithRetryNotice(t.notice))
}

// notice tells a person of a pause.
func (t *terminal) notice(r client.Retry) {
	t.say("%s; trying again in %s", plain(sentence(r.Err)), r.Wait.Round(100*time.Millisecond))
}
